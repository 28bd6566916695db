"""A law shared out to helpers is the law: the same atoms in the same order, whatever they can send back."""

import json
import pickle
from concurrent.futures import Executor, Future
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.reading import problem_from_mapping
from grpocheck.verifier.law.elsewhere import Helpers, in_order, is_exact, stretches
from grpocheck.verifier.law.exact import exact_law
from grpocheck.verifier.law.samples import sampled_law

from tests.law.test_law import CASES, SOFTMAX
from tests.law.test_law_command import called, written


class Apart(Executor):
    """Does a call at once, with copies of what it is given and gives, as another process would."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.sent_back = 0

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        try:
            found = fn(*pickle.loads(pickle.dumps(args)))
            future.set_result(pickle.loads(pickle.dumps(found)))
            self.sent_back += found is not None
        except Exception as error:
            future.set_exception(error)
        self.calls.append(fn.__name__)
        return future


@pytest.mark.parametrize("name", ["all three statuses", "two values of F at one theta", "simplex", "square roots"])
@pytest.mark.parametrize("workers", [2, 5])
def test_an_enumeration_shared_out_is_the_same(name, workers):
    problem, apart = problem_from_mapping(CASES[name].mapping()), Apart()
    alone = exact_law(problem, EnclosureArithmetic())
    shared = exact_law(problem, EnclosureArithmetic(), helpers=Helpers(apart, workers))
    assert shared == alone
    assert shared.parameters == alone.parameters  # in the same order, like the statuses' values below
    assert list(shared.statuses.items()) == list(alone.statuses.items())
    assert list(shared.calls.items()) == list(alone.calls.items())
    assert apart.sent_back == len(apart.calls) > 1


def test_numbers_that_are_not_exact_are_gone_through_here():
    problem, apart = problem_from_mapping(SOFTMAX), Apart()
    arithmetic = EnclosureArithmetic()
    alone = exact_law(problem, arithmetic)
    shared = exact_law(problem, arithmetic, helpers=Helpers(apart, 2))
    assert [atom.theta for atom in shared.parameters] == [atom.theta for atom in alone.parameters]
    assert shared.statuses == alone.statuses
    assert apart.calls
    assert apart.sent_back == 0
    found = sampled_law(problem, 6, 3, F(9, 10), arithmetic, helpers=Helpers(apart, 2))
    assert [runs for _, runs in found.parameters] == [
        runs for _, runs in sampled_law(problem, 6, 3, F(9, 10), arithmetic).parameters
    ]
    assert apart.sent_back == 0


def test_samples_shared_out_are_the_same_runs():
    problem, apart = problem_from_mapping(CASES["all three statuses"].mapping()), Apart()
    alone = sampled_law(problem, 23, 7, F(99, 100), EnclosureArithmetic())
    assert sampled_law(problem, 23, 7, F(99, 100), EnclosureArithmetic(), helpers=Helpers(apart, 3)) == alone
    assert apart.calls == ["runs_elsewhere"] * 12
    assert apart.sent_back == 12


def test_stretches_follow_one_another():
    assert stretches(10, 3) == [range(0, 3), range(3, 6), range(6, 10)]
    assert stretches(2, 5) == [range(0, 1), range(1, 2)]
    assert stretches(0, 2) == [range(0, 0)]
    assert is_exact([(F(1), F(2)), None, F(3)])
    assert not is_exact([(F(1), EnclosureArithmetic().exp(1))])


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
    found = in_order(Helpers(late, 2), print, [(1,), (2,), (3,)], lambda number: "here")
    assert next(found) == "first"
    found.close()
    assert [future.cancelled() for future in late.futures] == [False, True, True]


def test_an_error_of_a_helper_is_the_law_s_error():
    def broken(value):
        raise ArithmeticError(f"no {value}")

    with pytest.raises(ArithmeticError, match="no 1"):
        list(in_order(Helpers(Apart(), 1), broken, [(1,)], lambda number: None))


def test_processes_give_what_one_gives(tmp_path):
    path = written(tmp_path, CASES["two prompts, two iterations"])
    alone, shared = called(path, "--json"), called(path, "--json", "--jobs", 2)
    assert (alone.exit_code, shared.exit_code) == (0, 0)
    assert shared.stdout == alone.stdout
    assert json.loads(shared.stdout)["probabilities_sum_to"] == "1"
