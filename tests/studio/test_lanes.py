"""A lane gives up what runs too long or is cancelled, and goes on with a new process."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from grpocheck.core import problem_to_toml
from grpocheck.verifier.studio.lanes import Lane

from tests.studio.problems import bernoulli
from tests.studio.processes import busy_for, runs, started_by

TEXT = problem_to_toml(bernoulli())
# two hundred thousand exact steps: more than any lane waits for
LONG = TEXT.replace("inner_steps = 2", "inner_steps = 200000").replace('"1/20"', '"1/9999999"')

# one over a sum of 22 roots: a single division, whose exact denominator is a product of up to 2^22 conjugates
ENDLESS = f"1 / ({' + '.join(f'sqrt(theta + {i})' for i in range(2, 24))}) > 0"


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what another thread does; on a busy machine that may take its time."""
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


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
    wait_until(lambda: "mine" in lane.jobs and lane.busy.locked())
    time.sleep(0.3)
    assert not lane.cancel("another")
    assert lane.cancel("mine")
    thread.join(60)
    assert answers[0]["error"]["kind"] == "cancelled"


def test_a_process_that_dies_while_it_answers_is_an_error_and_the_next_question_is_answered(lane: Lane) -> None:
    lane.answer("examples", {})
    assert lane.process is not None
    answers = []
    question = {"text": LONG, "property": "F_next >= F", "scope": "run"}
    thread = threading.Thread(target=lambda: answers.append(lane.answer("check", question)))
    thread.start()
    wait_until(lane.busy.locked)
    time.sleep(0.1)
    os.kill(lane.process.pid, 9)
    thread.join(60)
    assert answers[0]["error"]["kind"] == "lost"
    assert lane.answer("run", {"text": TEXT})["status"] == "undefined-gradient"


def test_a_process_that_died_between_two_questions_is_not_missed(lane: Lane) -> None:
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


@pytest.mark.parametrize("scope", ["run", "draws", "shape"])
def test_an_operation_that_does_not_end_is_undecided_when_the_time_is_over(lane: Lane, scope: str) -> None:
    lane.answer("check", {"text": TEXT, "property": "F > 0", "scope": "run"})
    lane.seconds = 3.0
    answer = lane.answer("check", {"text": TEXT, "property": ENDLESS, "scope": scope})
    assert answer["error"] == {"kind": "budget", "message": "not answered within 3 s, and given up: undecided"}
    lane.seconds = 60.0
    assert lane.answer("run", {"text": TEXT})["status"] == "undefined-gradient"


def test_what_a_cancelled_check_started_ends_with_it(lane: Lane) -> None:
    """A check over a shape has a process of its own, in a group of its own, so that a killed lane would leave it."""
    lane.answer("examples", {})
    assert lane.process is not None
    first = lane.process.pid
    thread = threading.Thread(
        target=lane.answer, args=("check", {"text": TEXT, "property": ENDLESS, "scope": "shape"}, "mine")
    )
    thread.start()
    until = time.monotonic() + 60
    while not (started := started_by(first)) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(started) == 1
    while busy_for(started[0]) < 4 and time.monotonic() < until:  # it has begun, and says nothing more
        time.sleep(0.05)
    assert lane.cancel("mine")
    thread.join(60)
    assert not runs(first)
    assert not runs(started[0])


def test_a_question_that_waits_for_another_can_be_cancelled(lane: Lane) -> None:
    lane.answer("examples", {})
    question = {"text": LONG, "property": "F_next >= F", "scope": "run"}
    first = threading.Thread(target=lane.answer, args=("check", question, "first"))
    first.start()
    answers = []
    second = threading.Thread(target=lambda: answers.append(lane.answer("check", question, "second")))
    wait_until(lane.busy.locked)
    second.start()
    wait_until(lambda: "second" in lane.jobs)
    assert lane.cancel("second")
    second.join(60)
    assert answers[0]["error"]["kind"] == "cancelled"
    assert first.is_alive()
    assert lane.cancel("first")
    first.join(60)
    assert not lane.cancel("first")
