"""The README's Python runs, and what it names is there; tests/docs runs its commands."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from grpocheck.contracts.claims import REGISTRY

HOUSE = Path(__file__).resolve().parent.parent
README = (HOUSE / "README.md").read_text(encoding="utf-8")


def test_the_python_runs_and_prints_what_its_comments_say(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(HOUSE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue().splitlines() == [line[2:] for line in code.splitlines() if line.startswith("# ")]


def test_every_file_and_make_target_that_is_named_exists() -> None:
    makefile = (HOUSE / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"(?:`|^    )make ([a-z-]+)", README, re.MULTILINE)
    names = re.findall(r"`((?:examples|docs|contracts|proofs)/[\w./]+)`", README)
    assert targets
    assert names
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for name in names:
        assert (HOUSE / name).exists(), name


def test_the_registry_has_the_claims_of_the_specification() -> None:
    specification = (HOUSE / "docs" / "specification.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| ([A-GN]\d) ", specification, re.MULTILINE) == list(REGISTRY)
