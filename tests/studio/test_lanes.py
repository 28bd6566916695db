"""A lane gives up what runs too long or is cancelled, and goes on with a new process."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from grpocheck.core import problem_to_toml
from grpocheck.verifier.studio.lanes import Lane

from tests.studio.problems import bernoulli

TEXT = problem_to_toml(bernoulli())
# two hundred thousand exact steps: more than any lane waits for
LONG = TEXT.replace("inner_steps = 2", "inner_steps = 200000").replace('"1/20"', '"1/9999999"')


@pytest.fixture
def lane() -> Iterator[Lane]:
    lane = Lane("page", 60.0, contracts=False)
    yield lane
    lane.close()


def test_it_answers(lane: Lane) -> None:
    answer = lane.answer("run", {"text": TEXT})
    assert answer["status"] == "undefined-gradient"
    assert answer["views"][0]["kind"] == "start"


def test_what_takes_longer_than_the_budget_is_given_up_and_the_next_question_is_answered(lane: Lane) -> None:
    lane.answer("examples", {})
    first = lane.process
    lane.seconds = 0.3
    answer = lane.answer("check", {"text": LONG, "property": "F_next >= F", "scope": "run"})
    assert answer["error"]["kind"] == "budget"
    assert "undecided" in answer["error"]["message"]
    lane.seconds = 60.0
    assert lane.answer("run", {"text": TEXT})["status"] == "undefined-gradient"
    assert first is not None
    assert lane.process is not None
    assert lane.process.pid != first.pid
    assert not Path(f"/proc/{first.pid}").exists() or first.poll() is not None


def test_a_question_can_be_cancelled(lane: Lane) -> None:
    lane.answer("examples", {})
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append(
            lane.answer("check", {"text": LONG, "property": "F_next >= F", "scope": "run"}, "mine")
        )
    )
    thread.start()
    time.sleep(0.3)
    assert not lane.cancel("another")
    assert lane.cancel("mine")
    thread.join(20)
    assert answers[0]["error"]["kind"] == "cancelled"


def test_a_process_that_dies_is_an_error_and_the_next_question_is_answered(lane: Lane) -> None:
    lane.answer("examples", {})
    assert lane.process is not None
    os.kill(lane.process.pid, 9)
    lane.process.wait()
    assert lane.answer("run", {"text": TEXT})["status"] == "undefined-gradient"


def test_closing_ends_the_process(lane: Lane) -> None:
    lane.answer("examples", {})
    process = lane.process
    lane.close()
    assert process is not None
    assert process.poll() is not None
