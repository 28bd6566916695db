"""A law shared out to helpers is the law: the same atoms in the same order, exact or enclosed, whoever does what."""

import json
import pickle
from concurrent.futures import Executor, Future
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.reading import problem_from_mapping
from grpocheck.verifier.law import elsewhere
from grpocheck.verifier.law.branches import combinations
from grpocheck.verifier.law.elsewhere import Helpers, in_order, stretches
from grpocheck.verifier.law.exact import exact_law
from grpocheck.verifier.law.report import law_mapping, sampled_mapping
from grpocheck.verifier.law.samples import sampled_law
from grpocheck.verifier.prime_logs import PrimeLogs

from tests.law.test_law import CASES
from tests.law.test_law_command import called, written
from tests.law.test_shared import MAPPINGS


class Apart(Executor):
    """Does a call at once, with what JSON or pickle makes of what it is given and gives, as another process would."""

    def __init__(self, forgetful: bool = False) -> None:
        self.calls: list[str] = []
        self.forgetful = forgetful
        """Whether every call is made by a process of its own."""

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        if self.forgetful:
            elsewhere.in_the_making.clear()
        try:
            future.set_result(json.loads(json.dumps(fn(*pickle.loads(pickle.dumps(args))))))
        except Exception as error:
            future.set_exception(error)
        self.calls.append(fn.__name__)
        return future


@pytest.mark.parametrize("name", ["all three statuses", "two values of F at one theta", "simplex", "square roots"])
@pytest.mark.parametrize("stretch", [1, 2, 7])
def test_an_enumeration_shared_out_is_the_same(monkeypatch, name, stretch):
    monkeypatch.setattr(elsewhere, "STRETCH", stretch)
    problem, apart = problem_from_mapping(CASES[name].mapping()), Apart(forgetful=stretch == 2)
    alone = exact_law(problem, EnclosureArithmetic())
    shared = exact_law(problem, EnclosureArithmetic(), helpers=Helpers(apart))
    assert shared == alone
    assert shared.parameters == alone.parameters  # in the same order, like the statuses' values below
    assert list(shared.statuses.items()) == list(alone.statuses.items())
    assert list(shared.calls.items()) == list(alone.calls.items())
    assert apart.calls.count("passage_elsewhere") > 1
    several = stretch < len(combinations(problem.prompts, problem.group_size))
    assert (apart.calls[-1] == "first_gradient_elsewhere") is several


ENCLOSED = ["softmax with a penalty", "two prompts of softmax, two steps", "log-linear"]


SLOW = [pytest.param(name, forgetful, marks=pytest.mark.slow) for name in ENCLOSED[1:] for forgetful in (False, True)]


@pytest.mark.parametrize(("name", "forgetful"), [(ENCLOSED[0], False), (ENCLOSED[0], True), *SLOW])
def test_enclosed_numbers_are_shared_out_too(monkeypatch, name, forgetful):
    """Every text of the law is the same: atoms, their order, their probabilities, expected values and calls."""
    monkeypatch.setattr(elsewhere, "STRETCH", 2)
    problem = problem_from_mapping(MAPPINGS[name])

    def law(helpers):
        arithmetic = PrimeLogs(EnclosureArithmetic())
        found = law_mapping(exact_law(problem, arithmetic, helpers=helpers), arithmetic)
        found["sampled"] = sampled_mapping(
            sampled_law(problem, 3, 3, F(9, 10), arithmetic, helpers=helpers), None, arithmetic
        )
        return json.dumps(found)

    alone = law(None)
    assert any(isinstance(entry, list) for atom in json.loads(alone)["parameters"] for entry in atom["theta"])
    assert law(Helpers(Apart(forgetful))) == alone


def test_samples_shared_out_are_the_same_runs():
    problem, apart = problem_from_mapping(CASES["all three statuses"].mapping()), Apart()
    alone = sampled_law(problem, 23, 7, F(99, 100), EnclosureArithmetic())
    assert sampled_law(problem, 23, 7, F(99, 100), EnclosureArithmetic(), helpers=Helpers(apart)) == alone
    assert apart.calls == ["runs_elsewhere"] * 2


def test_what_is_one_stretch_is_gone_through_here():
    apart = Apart()
    found = exact_law(problem_from_mapping(CASES["simplex"].mapping()), EnclosureArithmetic(), helpers=Helpers(apart))
    assert found.cases <= elsewhere.STRETCH
    assert apart.calls == []


def test_stretches_follow_one_another():
    assert stretches(10, 3) == [range(0, 3), range(3, 6), range(6, 10)]
    assert stretches(2, 5) == [range(0, 1), range(1, 2)]
    assert stretches(0, 2) == [range(0, 0)]


class Late(Executor):
    """Never begins what it is given, but for the first call."""

    def __init__(self) -> None:
        self.futures: list[Future] = []

    def submit(self, fn, /, *args, **kwargs):
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_result("first")
        return self.futures[-1]


def test_who_leaves_takes_back_what_nobody_has_begun():
    late = Late()
    found = in_order(Helpers(late), print, [(1,), (2,), (3,)])
    assert next(found) == "first"
    found.close()
    assert [future.cancelled() for future in late.futures] == [False, True, True]


def test_an_error_of_a_helper_is_the_law_s_error():
    def broken(value):
        raise ArithmeticError(f"no {value}")

    with pytest.raises(ArithmeticError, match="no 1"):
        list(in_order(Helpers(Apart()), broken, [(1,)]))


def test_processes_give_what_one_gives(tmp_path, monkeypatch):
    monkeypatch.setattr(elsewhere, "STRETCH", 4)
    path = written(tmp_path, CASES["two prompts, two iterations"])
    alone, shared = called(path, "--json"), called(path, "--json", "--jobs", 2)
    assert (alone.exit_code, shared.exit_code) == (0, 0)
    assert shared.stdout == alone.stdout
    assert json.loads(shared.stdout)["probabilities_sum_to"] == "1"
