"""The pages that show commands show what they print: all commands of the tutorial and of the README are run."""

import re
import shlex
import sys
import textwrap
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from grpocheck.verifier.pages import picture
from grpocheck.verifier.pages.console import BLOCK, commands_of, main, rerun
from grpocheck.verifier.pages.transcript import spoken, workshop
from typer.testing import CliRunner

HOUSE = Path(__file__).resolve().parents[2]
PAGES = ("docs/tutorial.md", "README.md")
REMAKE = "python -m grpocheck.verifier.pages.console docs/tutorial.md README.md"
COMMAND = CliRunner()


@pytest.fixture(autouse=True)
def in_the_house(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOUSE)


def spoken_here(command: str, folder: Path) -> tuple[str, int]:
    """What a command prints, without the start of a process where it is grpocheck alone."""
    if not re.fullmatch(r"grpocheck [^|;&<>$`*]*", command.replace("'abs(ratio - 1) <= epsilon'", "x")):
        return spoken(command, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        done = COMMAND.invoke(app, shlex.split(command)[1:], env={"COLUMNS": "100"})
    return done.output, done.exit_code


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_its_commands_print(name: str) -> None:
    page = (HOUSE / name).read_text(encoding="utf-8")
    with workshop() as folder:
        assert rerun(page, folder, spoken_here) == page, REMAKE


def test_the_task_file_that_the_page_of_training_free_shows_is_a_task_that_runs(tmp_path: Path) -> None:
    page = (HOUSE / "docs" / "training-free.md").read_text(encoding="utf-8")
    shown = re.search(r"This one runs as it stands:\n\n((?:    .*\n|\n)+)", page)
    assert shown is not None
    (tmp_path / "task.toml").write_text(textwrap.dedent(shown[1]), encoding="utf-8")
    done = COMMAND.invoke(app, ["training-free", str(tmp_path / "task.toml"), "--seed", "1"])
    assert (done.exit_code, "the first response that passes all tests:" in done.output) == (0, True), done.output


def test_the_tutorial_leaves_out_nothing_but_what_depends_on_the_machine() -> None:
    page = (HOUSE / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = [match.groups() for match in BLOCK.finditer(page)]
    assert [command for mark, _, _, body in blocks if mark == "not run" for command, _ in commands_of(body)] == [
        "grpocheck verify E2"
    ]
    shown = [command for _, _, _, body in blocks for command, _ in commands_of(body)]
    used = {command.split()[1] for command in shown if command.startswith("grpocheck ")}
    assert used >= {"new", "run", "replay", "check", "prove", "explain", "law", "estimator", "audit", "conform"}


def test_a_page_is_corrected_cut_where_it_was_cut_and_left_where_only_durations_differ(tmp_path: Path) -> None:
    page = (
        "<!-- file: three.txt -->\n```text\n1\n2\n3\n```\n\n"
        "```console\n$ cat three.txt\n1\n... (7 more lines)\n\n$ echo took 0.3 s\ntook 0.9 s\n\n$ exit 3\n```\n\n"
        "<!-- not run: no such command -->\n```console\n$ nothing\nold\n```\n"
    )
    wanted = page.replace("(7 more", "(2 more").replace("$ exit 3\n", "$ exit 3\n[exit status 3]\n")
    assert rerun(page, tmp_path) == wanted
    assert rerun(wanted, tmp_path) == wanted


def test_usage_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "console PAGE..." in capsys.readouterr().err


def test_the_picture_is_of_the_run_as_it_is(tmp_path: Path) -> None:
    assert picture.main([str(tmp_path / "run.svg")]) == 0
    drawn = (tmp_path / "run.svg").read_text(encoding="utf-8")
    assert drawn == (HOUSE / "docs" / "run.svg").read_text(encoding="utf-8"), "make docs/run.svg again"
    # From theta = 1/2 the gradient is 2; the step 1/20 lands on 3/5, where F = (6/5 - 4/5)/2.
    for said in ("theta = 1/2: gradient 2", "theta = 3/5, F = 1/5:", "no gradient: undefined-gradient"):
        assert f">{said}" in drawn


def test_the_readme_is_short_and_has_no_long_line() -> None:
    lines = (HOUSE / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 180
    assert [line for line in lines if len(line) > 120 and not line.startswith("|")] == []
