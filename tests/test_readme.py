"""The README shows what the commands print, and its Python runs."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY

HOUSE = Path(__file__).resolve().parent.parent
README = (HOUSE / "README.md").read_text(encoding="utf-8")


def blocks() -> list[str]:
    """The indented blocks, without their indentation."""
    found = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", README, re.MULTILINE)
    return [re.sub(r"^    ", "", block, flags=re.MULTILINE).rstrip("\n") for block in found]


def test_the_run_prints_what_is_shown() -> None:
    (shown,) = [block for block in blocks() if block.startswith("$ grpocheck run ")]
    command, _, output = shown.partition("\n")
    arguments = [sys.executable, "-m", *command.removeprefix("$ ").split()]
    done = subprocess.run(arguments, cwd=HOUSE, capture_output=True, text=True, check=True)
    assert output == done.stdout.rstrip("\n")


def test_the_python_runs_and_prints_what_its_comments_say(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = [block for block in blocks() if block.startswith("from fractions import")]
    monkeypatch.chdir(HOUSE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == [line[2:] for line in code.splitlines() if line.startswith("# ")]


def test_every_file_and_make_target_that_is_named_exists() -> None:
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^    )make ([a-z-]+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for name in re.findall(r"`((?:examples|docs|contracts|proofs)/[\w./]+)`", README):
        assert (HOUSE / name).exists(), name


def test_the_registry_has_the_claims_of_the_specification() -> None:
    specification = (HOUSE / "docs" / "specification.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([A-GN]\d) ", specification, re.MULTILINE) == list(REGISTRY)
