"""The documents that are made by scripts are what the scripts make now."""

import re
from pathlib import Path

import pytest
from grpocheck.verifier.cli import app
from grpocheck.verifier.lessons import course
from grpocheck.verifier.pages.lessons import index
from grpocheck.verifier.pages.transcript import (
    BLOCK,
    DURATION,
    HEAD,
    PARTS,
    Part,
    Step,
    block,
    commands_shown,
    main,
    masked,
    parts,
    printed,
    recorded_blocks,
    transcript,
    workshop,
)

from tests.lessons.pages import page

DOCS = Path(__file__).resolve().parents[2] / "docs"
REMAKE = "python -m grpocheck.verifier.pages.transcript docs/transcript.md"


@pytest.fixture(autouse=True)
def in_the_house(monkeypatch):
    monkeypatch.chdir(DOCS.parent)


@pytest.fixture
def recorded():
    return (DOCS / "transcript.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_index_of_the_lessons_is_made_from_them():
    made = index((lesson, page(lesson.name)) for lesson in course())
    assert made == (DOCS / "lessons.md").read_text(encoding="utf-8"), (
        "python -m grpocheck.verifier.pages.lessons docs/lessons.md"
    )


@pytest.mark.slow
def test_every_command_is_in_the_transcript(recorded):
    """Slow, since what it waits for is a page that takes minutes to make again."""
    assert recorded.startswith(HEAD)
    for entry in app.registered_commands:
        assert re.search(rf"^\$ (?:.*\b)?grpocheck {entry.name}\b", recorded, re.MULTILINE), f"{entry.name}: {REMAKE}"


def test_the_transcript_has_the_steps_in_their_order(recorded):
    wanted = [step.command for part in PARTS for step in part.steps]
    assert [found.group(1) for found in BLOCK.finditer(recorded)][: len(wanted)] == wanted, REMAKE
    titles = re.findall(r"^## (.*)$", BLOCK.sub("", recorded), re.MULTILINE)
    assert titles[: len(PARTS)] == [part.title for part in PARTS]


@pytest.mark.slow
def test_what_is_compared_prints_what_is_recorded(recorded):
    """Run again: the output is the recorded one, digit by digit."""
    steps = [step for part in PARTS for step in part.steps if step.compared]
    assert not any(step.slow for step in steps)
    assert len(steps) > 20
    with workshop() as folder:
        for step in steps:
            assert block(step, folder) in recorded, f"{step.command}: {REMAKE}"


@pytest.mark.slow
def test_what_is_not_compared_still_ends_as_recorded(recorded):
    known = recorded_blocks(recorded)
    with workshop() as folder:
        for step in (step for part in parts() for step in part.steps if not step.compared):
            ended = re.findall(r"^\[exit status .*\]$", printed(step, folder), re.MULTILINE)
            assert ended == re.findall(r"^\[exit status .*\]$", known[step.command], re.MULTILINE), step.command


def test_the_transcript_names_no_folder_of_the_machine(recorded):
    assert not re.search(r"/(?:home|tmp|root|work|usr)/", recorded)


def test_durations_are_masked_and_nothing_else_is():
    text = "0.7 s, 12 seconds, 3 steps, 1/2 s_l, s = 3"
    assert DURATION.sub(masked, text) == "#.# s, ## seconds, 3 steps, 1/2 s_l, s = 3"


def test_a_step_shows_its_exit_status_and_cuts_what_is_long():
    with workshop() as folder:
        assert printed(Step("echo one; echo two >&2; exit 3"), folder) == "one\ntwo\n[exit status 3]"
        assert printed(Step("seq 5", 2), folder) == "1\n2\n... (3 more lines)"
        assert printed(Step("ls"), folder) == "examples"
    assert not folder.exists()


def test_what_is_slow_may_be_kept_from_before():
    part = Part("Clock", "Two commands.", (Step("echo now"), Step("echo then", compared=False, slow=True)))
    first = transcript((part,), {})
    kept = {command: text.replace("then\n```", "long ago\n```") for command, text in recorded_blocks(first).items()}
    assert set(kept) == {"echo now", "echo then"}
    again = transcript((part,), {**kept, "echo now": "never used"})
    assert again == first.replace("then\n```", "long ago\n```")


def test_usage_is_said(capsys):
    assert main([]) == 2
    assert "transcript [--quick] FILE" in capsys.readouterr().err


def test_the_shown_commands_are_commands():
    assert commands_shown() <= {entry.name for entry in app.registered_commands}
    assert all(part.text and part.steps for part in PARTS)
