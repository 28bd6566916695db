"""Supplies in a process of their own: the same outcome for an honest one, a named violation for every other.

The limits are short and the waits are without bound on either side of them: no test depends on how fast a machine is.
"""

import json
import os
import subprocess
import sys
import time
import warnings
from fractions import Fraction as F

import pytest
from grpocheck.core import Supply, SupplyViolation, run
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.violations import Clause, ClauseBroken
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.cli import app
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.isolation.frames import send
from grpocheck.verifier.isolation.link import forked
from grpocheck.verifier.isolation.supply import isolated
from typer.testing import CliRunner

from tests.hostile import supplies
from tests.hostile.test_table import answers, of_a_policy, problem

PATIENT = 300.0
"""A limit that no honest call comes near, on any machine."""


def outcome(given, supply):
    """What a run comes to, without what differs from run to run."""
    found = run(given, supply)
    return found.to_mapping() | {"supply": None}


def isolated_outcome(given, supply, seconds=PATIENT):
    with isolated(supply, seconds=seconds) as oracles:
        return outcome(given, oracles)


def softmax_problem():
    return problem(family=Supplied(1), theta=(0,), domain=OpenBox((F(-9),), (F(9),)), beta="1/10")


HONEST = {
    "a reward": (problem(), supplies.honest),
    "all five oracles": (problem(family=Supplied(1), domain=OpenBox((F(0),), (F(1),))), supplies.whole),
    "a sampler with a state": (problem(), supplies.counting),
    "enclosed masses": (softmax_problem(), supplies.softmax),
}


@pytest.mark.parametrize(("given", "supply"), HONEST.values(), ids=HONEST)
def test_an_honest_supply_comes_to_the_same_in_a_process_of_its_own(given, supply):
    isolated_one = isolated_outcome(given, supply)
    assert isolated_one == outcome(given, supply)
    assert isolated_one["ledger"]["steps_applied"] == 4


def test_enclosed_masses_are_put_together_so_that_they_are_seen_to_sum_to_one():
    """Else the sum would only be consistent with 1; here the normal form finds it equal, as in one process."""
    with isolated(supplies.softmax, seconds=PATIENT) as oracles:
        found = run(softmax_problem(), oracles)
        theta = found.theta
        masses = oracles.policy.masses(theta, found.iterations[0].frozen.groups[0].prompt, found.arithmetic)
    assert found.arithmetic.name == "enclosure"
    assert (sum(masses), type(sum(masses))) == (1, F)


ENDING = {
    "never": (supplies.late, "gave no answer within 0.2 s"),
    "never, busy": (supplies.deaf, "gave no answer within 0.2 s"),
}


@pytest.mark.parametrize(("supply", "said"), ENDING.values(), ids=ENDING)
def test_a_call_that_never_returns_is_ended(supply, said):
    with isolated(supply, seconds=0.2) as oracles, pytest.raises(SupplyViolation) as caught:
        run(problem(), oracles)
    assert caught.value.clause is Clause.ANSWERS
    assert said in str(caught.value)
    assert caught.value.call == "reward of response 'good' of prompt 'q'"


BROKEN = {
    "exits": (supplies.leaving, "raised SystemExit: 0"),
    "vanishes": (supplies.vanishing, "its process exited with status 0 in place of an answer"),
    "is killed": (supplies.dying, "its process was ended by signal 9"),
    "takes all memory": (supplies.hoarding, "raised MemoryError"),
    "garbles the way": (supplies.garbling, "its process announced"),
}


@pytest.mark.parametrize(("supply", "said"), BROKEN.values(), ids=BROKEN)
def test_a_process_that_ends_is_named(supply, said):
    with isolated(supply, seconds=PATIENT) as oracles:
        with pytest.raises(SupplyViolation) as caught:
            run(problem(), oracles)
        assert caught.value.clause is Clause.ANSWERS
        assert said in str(caught.value)


def test_a_process_that_reads_nothing_is_late():
    def deaf(end):
        send(end, {"ready": []})
        supplies.forever()

    link, _ = forked(deaf, 0.2)
    with pytest.raises(ClauseBroken, match=r"gave no answer within 0\.2 s"):
        link.ask({"a message": "longer than a socket holds" * 10**6})
    assert link.pid is None


def test_after_its_end_a_process_is_not_asked_again():
    with isolated(supplies.vanishing, seconds=PATIENT) as oracles:
        for _ in range(2):
            with pytest.raises(SupplyViolation, match="exited with status 0"):
                run(problem(), oracles)


def test_answers_are_checked_as_in_one_process():
    with isolated(supplies.text_lying, seconds=PATIENT) as oracles, pytest.raises(SupplyViolation) as caught:
        run(problem(), oracles)
    assert caught.value.clause is Clause.DRAW_SUPPORTED
    assert isolated_outcome(problem(), supplies.lying) == outcome(problem(), supplies.lying)
    unknown = Supply(reward=answers(object()))
    with isolated(unknown, seconds=PATIENT) as oracles, pytest.raises(SupplyViolation) as caught:
        run(problem(), oracles)
    assert "answered a object of type object" in str(caught.value)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_nothing_is_left_behind():
    """Not the process, though a thread of it would go on for ever, and not a process that it started."""
    pids = []

    def reward(prompt, response):
        child = os.fork()
        if child == 0:
            supplies.forever()
        supplies.leaks()
        return child

    with isolated(Supply(reward=reward), seconds=PATIENT) as oracles:
        pids.append(oracles.reward(problem().prompts[0], "good"))
        assert is_alive(pids[0])
    end = time.monotonic() + PATIENT
    while is_alive(pids[0]) and os.path.exists(f"/proc/{pids[0]}") and not is_zombie(pids[0]):
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_fork_beside_other_threads_warns_of_nothing_and_other_warnings_are_heard(monkeypatch):
    """The words are those of Python 3.12 and later."""
    fork = os.fork

    def warned():
        words = "This process (pid=7) is multi-threaded, use of fork() may lead to deadlocks in the child."
        warnings.warn(words, DeprecationWarning, stacklevel=2)
        return fork()

    monkeypatch.setattr(os, "fork", warned)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        with isolated(Supply(domain=lambda theta: True), seconds=PATIENT) as oracles:
            assert oracles.domain((F(1),)) is True
        warnings.warn("another one", DeprecationWarning, stacklevel=1)
    assert [str(entry.message) for entry in heard] == ["another one"]


def is_zombie(pid):
    """Whether a process has ended and is only waited for, by whoever took it over."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as told:
            return told.read().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


LIMITS = '''
import resource
from grpocheck.verifier.isolation.memory import bound_addresses
GIB = 2**30
resource.setrlimit(resource.RLIMIT_AS, (7 * GIB, 8 * GIB))
bound_addresses(9 * GIB)
assert resource.getrlimit(resource.RLIMIT_AS) == (7 * GIB, 8 * GIB)
bound_addresses(6 * GIB)
assert resource.getrlimit(resource.RLIMIT_AS) == (6 * GIB, 8 * GIB)
'''


def test_a_limit_that_the_system_sets_is_kept():
    subprocess.run([sys.executable, "-c", LIMITS], check=True, timeout=PATIENT)


def test_what_cannot_be_isolated_is_refused():
    with pytest.raises(BadOption, match="it supplies an arithmetic"), isolated(supplies.reckoning):
        pass
    with pytest.raises(BadOption, match="no_such_module"), isolated("no_such_module:supply"):
        pass


@pytest.fixture
def in_house(monkeypatch):
    """The command runs in this process, so that the modules of the tests are found."""
    monkeypatch.chdir(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))


@pytest.fixture
def two_paths(in_house, tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(problem_to_toml(problem()), encoding="utf-8")

    def told(name, *arguments):
        named = f"tests.hostile.supplies:{name}"
        result = CliRunner().invoke(app, ["run", str(path), "--json", "--supply", named, *arguments])
        return result.exit_code, result.stdout, result.stderr

    return told


def test_the_command_isolates_what_it_imports(two_paths):
    status, out, _ = two_paths("shouting", "--call-limit", "300")
    assert (status, json.loads(out)["status"]) == (0, "complete")
    status, _, said = two_paths("late", "--call-limit", "0.2")
    assert (status, "gave no answer within 0.2 s" in said, "Traceback" in said) == (1, True, False)


def test_the_command_keeps_stdout_to_itself(two_paths):
    status, out, _ = two_paths("shouting")
    assert (status, json.loads(out)["status"]) == (0, "complete")
    status, out, said = two_paths("leaving")
    assert (status, out) == (1, "")
    assert "raised SystemExit: 0: broken clause" in said


def test_the_command_cross_examines(two_paths):
    status, out, said = two_paths("stale", "--cross-examine", "--isolate")
    assert (status, out) == (1, "")
    assert "answered [3], expected [2]" in said
    assert two_paths("honest", "--cross-examine")[0] == 0
    for refused in (["--arithmetic", "mp"], []):
        status, _, said = two_paths("stale" if refused else "stateless", "--cross-examine", *refused)
        assert (status, "--cross-examine" in said) == (2, True)


def test_the_command_does_not_wait_for_threads_that_were_left(two_paths, tmp_path):
    """A process of its own, since it would else be this one that cannot end."""
    command = [sys.executable, "-m", "grpocheck.verifier.cli", "run", str(tmp_path / "problem.toml"), "--json"]
    command += ["--supply", "tests.hostile.supplies:leaking"]
    found = subprocess.run(command, capture_output=True, timeout=PATIENT)
    assert (found.returncode, json.loads(found.stdout)["status"]) == (0, "complete")
    assert b"left 4 threads running" in found.stderr


def test_the_options_need_a_supply(in_house):
    for option in (["--isolate"], ["--call-limit", "1"]):
        result = CliRunner().invoke(app, ["run", "examples/two_paths.toml", *option])
        assert (result.exit_code, "no supply is named" in result.stderr) == (2, True)


def test_a_policy_counts_what_it_does_elsewhere():
    assert isolated_outcome(of_a_policy(), Supply(policy=supplies.Bernoulli()))["ledger"]["comparisons"] > 0
