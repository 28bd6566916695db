"""Tests that really run, the quality of code, and the coding task that is solved from an empty bank."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction as F
from functools import cache
from pathlib import Path

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.training_free.oracles import Group, Member
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.responses import Response
from grpocheck.core.training_free.stopping import Stop
from grpocheck.verifier.training_free.embedded import Contrast
from grpocheck.verifier.training_free.runner import python_quality, read_runner
from grpocheck.verifier.training_free.tasks import load_task

EXAMPLE = Path(__file__).parents[2] / "examples" / "training_free" / "fizzbuzz.toml"
COMMAND = [sys.executable, "-m", "grpocheck", "training-free"]


def passes(response: str, test: str = "assert f() == 1", **limits: object) -> bool:
    runner = read_runner({"tests": {"t": test}, **limits}, ("t",))
    (outcome,) = runner("any", Response((), response), ("t",))
    return outcome


def test_code_runs_and_its_tests_decide() -> None:
    runner = read_runner({"tests": {"a": "assert f(1) == 2", "b": "assert f(2) == 5", "c": "f()"}}, ("a", "b", "c"))
    assert runner("any", Response((), "def f(n):\n    return n + 1"), ("a", "b", "c")) == [True, False, False]


@pytest.mark.parametrize(
    "response",
    [
        "def f(:",  # no Python
        "f = 1 / 0",
        "import sys\nsys.exit(0)",
        "import os\nos._exit(0)",
        "raise KeyboardInterrupt",
        "import socket\nsocket.socket()\ndef f(): return 1",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')\ndef f(): return 1",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\ndef f(): return 1",
        "import os\nos.fork()\ndef f(): return 1",
        "import os\nif os.fork() == 0: os._exit(0)\ndef f(): return 1",
        "open('left', 'w').close()\ndef f(): return 1",
        "import os\nos.close(os.open('left', os.O_WRONLY | os.O_CREAT))\ndef f(): return 1",
        "x = 'a' * 10**10\ndef f(): return 1",
        "print('[true]')",
        "import os\nfor i in range(3, 20):\n    try: os.write(i, b'[true]')\n    except OSError: pass",
    ],
)
def test_what_does_not_run_to_its_end_passes_nothing(response: str) -> None:
    assert not passes(response)


def test_the_cases_above_fail_for_their_own_reason() -> None:
    assert passes("def f(): return 1")
    assert passes("import math\nprint('some words')\ndef f(): return math.gcd(2, 3)")
    assert passes("x = 'a' * 10**6\ndef f(): return 1")
    assert passes("import os\nopen(os.devnull).close()\ndef f(): return 1")


@pytest.mark.parametrize("response", ["while True: pass", "import time\ntime.sleep(60)\ndef f(): return 1"])
def test_time_is_limited_and_nothing_stays_behind(response: str) -> None:
    began = time.monotonic()
    assert not passes(response, seconds="1/2")
    assert time.monotonic() - began < 30  # half a second of 60, and what a busy machine adds
    listed = subprocess.run(["ps", "-eo", "ppid=,args="], capture_output=True, text=True, check=True).stdout
    ours = [line for line in listed.splitlines() if line.split()[0] in {str(os.getpid()), "1"}]
    assert [line for line in ours if "REFUSED = (" in line] == []


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({}, "tests"),
        ({"tests": {}}, r"runner\.tests\.t"),
        ({"tests": {"t": "assert ("}}, "Python code"),
        ({"tests": {"t": "-" * 300_000 + "1"}}, "nested so deep"),
        ({"tests": {"t": "1+" * 300_000 + "1"}}, "nested so deep"),
        ({"tests": {"t": "", "u": ""}}, r"runner\.tests\.u"),
        ({"tests": {"t": ""}, "seconds": 0}, "seconds"),
        ({"tests": {"t": ""}, "megabytes": 1}, "megabytes"),
    ],
)
def test_a_runner_that_is_none_is_named(stated: object, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        read_runner(stated, ("t",))


def test_the_quality_of_code_by_hand() -> None:
    assert python_quality("any", Response((), "def f(:")) == 0
    assert python_quality("any", Response((), "x = 1")) == 1
    # one branch: 1/2; two lines: 1; one of them with a trailing blank: 1/2
    assert python_quality("any", Response((), "if x: \n    y = 1")) == F(2, 3)
    # 20 lines: 1/2
    assert python_quality("any", Response((), "x = 1\n" * 20)) == F(5, 6)
    # and a line too long: 19/20
    long = "x = 1\n" * 19 + "y = " + "1" * 100
    assert python_quality("any", Response((), long)) == (1 + F(1, 2) + F(19, 20)) / 3


def group(*members: tuple[str, int]) -> Group:
    """A group of responses (tokens joined by blanks) with their advantages."""
    listed = tuple(
        Member(Response(tuple(text.split()), text), {"t": False}, F(0), F(0), False, F(0), F(advantage))
        for text, advantage in members
    )
    vocabulary = tuple(dict.fromkeys(token for text, _ in members for token in text.split()))
    return Group("any", 1, listed, vocabulary, ExactArithmetic())


def test_the_embedded_introspection_contrasts_tokens() -> None:
    # a: 2/2 of the better, 1/3 of the worse, so 2/3 and (1 + 2/3)/2 = 5/6; b: 1/2 less 1/3; c: less than before
    found = Contrast()(group(("a b", 1), ("a c", 2), ("c a", -1), ("c b", -1), ("c", -1), ("a b c", 0)))
    assert [(pattern.tokens, pattern.confidence) for pattern in found] == [(("a",), F(5, 6)), (("b",), F(7, 12))]
    assert found[0].description == "prefer 'a': 2/2 of the better, 1/3 of the worse"


def test_the_embedded_introspection_finds_nothing_where_nothing_differs() -> None:
    assert Contrast()(group(("a", 0), ("b", 0))) == []
    assert Contrast()(group(("a", 1), ("a", -1))) == []


def test_the_largest_contrasts_come_first_and_no_more_than_wanted() -> None:
    found = Contrast(2)(group(("a b c", 1), ("b c", 1), ("c", 1), ("d", -1)))
    assert [(pattern.tokens, pattern.confidence) for pattern in found] == [(("c",), F(1)), (("b",), F(5, 6))]


def test_an_example_of_one_seed_is_solved_by_a_program_that_is_right() -> None:
    task, supply = load_task(EXAMPLE, None)
    assert task.bank == ()
    outcome = run(task, supply, seed=3)
    assert outcome.stop is Stop.SOLVED
    assert outcome.solution is not None
    names: dict[str, object] = {}
    exec(outcome.solution.response.text, names)
    said = [names["fizzbuzz"](n) for n in range(1, 61)]  # type: ignore[operator]
    words = [("Fizz" if n % 3 == 0 else "") + ("Buzz" if n % 5 == 0 else "") for n in range(1, 61)]
    assert said == [word or str(n) for n, word in enumerate(words, start=1)]


@pytest.mark.slow
def test_twenty_seeds_in_a_row_are_solved_within_the_budget() -> None:
    task, supply = load_task(EXAMPLE, None)
    assert supply.tests is not None
    supply = replace(supply, tests=cache(supply.tests))  # a program that two seeds generate runs once
    for seed in range(1, 21):
        outcome = run(task, supply, seed=seed)
        assert outcome.stop is Stop.SOLVED, seed
        assert outcome.ledger.generations <= task.iterations * task.group_size
        assert outcome.ledger.introspections <= task.iterations


def test_killed_and_resumed_on_the_command_line_the_trace_is_the_same(tmp_path: Path) -> None:
    environment = {**os.environ, "GRPOCHECK_CONTRACTS": "off"}
    first, second = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    command = [*COMMAND, str(EXAMPLE), "--seed", "3", "--json", "--trace"]
    done = subprocess.run([*command, str(first)], capture_output=True, text=True, check=True, env=environment)
    for share in (F(2, 3), F(1, 2), F(1, 3), F(1, 6)):  # a run may end while a busy machine holds up who is to kill it
        second.unlink(missing_ok=True)
        process = subprocess.Popen([*command, str(second)], stdout=subprocess.DEVNULL, env=environment)
        end = time.monotonic() + 60
        while not (second.exists() and second.stat().st_size > first.stat().st_size * share) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        if process.wait() == -signal.SIGKILL:
            break
    assert process.returncode == -signal.SIGKILL
    assert first.read_bytes().startswith(second.read_bytes())
    assert second.stat().st_size < first.stat().st_size
    resume = [*COMMAND, str(EXAMPLE), "--json", "--resume", "--trace", str(second)]
    again = subprocess.run(resume, capture_output=True, text=True, check=True, env=environment)
    assert second.read_bytes() == first.read_bytes()
    assert json.loads(again.stdout) == json.loads(done.stdout)
