"""What a training-free run does promise, on every case of a small scope and on random ones.

The budget: at most K*G generations and K introspections. The bank only grows. Masses sum to 1 at every step. It ends,
for one of three reasons. Each is compared with a second reading of the definition in a few lines, over exact numbers.
"""

from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from grpocheck.core.training_free.oracles import Group, Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.stopping import Stop
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.training_free.tasks import three_responses, two_tokens

KAPPA = F(2, 3)


def second_reading(task: dict[str, Any], drawn: list[list[str]]) -> tuple[str, list[dict[str, F]], int, int]:
    """Why it stops, the masses of every iteration, and how many introspections and tests are asked, by other code.

    alpha 1 and beta 0; tests by the table; the pattern of every group of unequal rewards names its best's own text.
    """
    masses = {entry["text"]: F(entry["mass"]) for entry in task["responses"]}
    passes = {entry["text"]: set(entry["passes"]) for entry in task["responses"]}
    quality = {entry["text"]: F(entry["quality"]) for entry in task["responses"]}
    failing, factor, tested = set(task["tests"]), dict.fromkeys(masses, F(1)), set[str]()
    history, introspections, previous = [], 0, None
    for number, group in enumerate(drawn, start=1):
        whole = sum(masses[text] * factor[text] for text in masses)
        history.append({text: masses[text] * factor[text] / whole for text in masses})
        tested |= set(group)
        rewards = []
        for text in group:
            new = F(len(passes[text] & failing), len(failing)) if failing else F(0)
            share = F(len(passes[text]), len(task["tests"]))
            rewards.append(share / 2 + new * F(3, 10) + quality[text] / 5)
        failing -= set().union(*(passes[text] for text in group))
        if len(set(rewards)) > 1:
            introspections += 1
            high, low = group[rewards.index(max(rewards))], group[rewards.index(min(rewards))]
            if high != low:
                factor[high] *= 1 + KAPPA / 2
        if any(len(passes[text]) == len(task["tests"]) for text in group):
            return "all-tests-pass", history, introspections, len(tested)
        if number == task["iterations"]:
            return "iteration-budget", history, introspections, len(tested)
        if previous is not None and max(rewards) - previous < F(task["delta"]):
            return "improvement-below-delta", history, introspections, len(tested)
        previous = max(rewards)
    raise AssertionError("no reason to stop")


CHOICES = [((), "1"), (("t",), "1/2"), (("u",), "0"), (("t", "u"), "1/4")]


@pytest.mark.parametrize("first", range(len(CHOICES)))
def test_every_case_of_a_small_scope(first: int) -> None:
    """Two responses, two tests, G = 2, K = 3: every table of answers, every sequence of groups, two thresholds."""
    reasons = set()
    cases = 0
    groups = [["x", "x"], ["x", "y"], ["y", "y"]]
    for second, drawn, delta in product(range(len(CHOICES)), product(groups, repeat=3), ("0", "1/4")):
        task: dict[str, Any] = {
            "tests": ["t", "u"], "iterations": 3, "delta": delta, "kappa": KAPPA,
            "weights": {"external": 1, "epistemic": 0},
            "responses": [
                {"text": text, "mass": mass, "passes": list(passes), "quality": quality}
                for text, mass, (passes, quality) in (("x", "1/3", CHOICES[first]), ("y", "2/3", CHOICES[second]))
            ],
            "draws": {"recorded": list(drawn)},
        }  # fmt: skip
        stop, masses, introspections, tested = second_reading(task, list(drawn))
        outcome = run(three_responses(**task))
        assert outcome.stop.value == stop
        assert [{r.text: mass for r, mass in entry.distribution.law()} for entry in outcome.iterations] == masses
        ledger = outcome.ledger
        assert ledger.generations == 2 * len(masses)
        assert (ledger.introspections, ledger.test_calls) == (introspections, tested)
        assert ledger.generations <= 3 * 2
        assert ledger.introspections <= 3
        reasons.add(stop)
        cases += 1
    assert cases == 4 * 27 * 2
    assert reasons == {stop.value for stop in Stop}


patterns = st.builds(
    Pattern,
    st.just("p"),
    st.fractions(0, 1, max_denominator=8),
    st.lists(st.sampled_from(["a", "b", "c", "d"]), unique=True, max_size=3).map(tuple),
)


@settings(max_examples=40, deadline=None)
@given(
    found=st.lists(st.lists(patterns, max_size=3), min_size=5, max_size=5),
    size=st.integers(2, 4),
    budget=st.integers(1, 5),
    kappa=st.fractions(F(1, 8), 4, max_denominator=8),
    delta=st.sampled_from(["none", "0", "1/100", "1"]),
    seed=st.integers(0, 2**32),
    chances=st.lists(st.booleans(), min_size=4, max_size=4),
)
def test_random_token_tasks(
    found: list[list[Pattern]], size: int, budget: int, kappa: F, delta: str, seed: int, chances: list[bool]
) -> None:
    asked: list[Group] = []

    def introspection(group: Group) -> list[Pattern]:
        asked.append(group)
        return found[len(asked) - 1]

    def tests(prompt: str, response: Any, names: tuple[str, ...]) -> list[bool]:
        return [response.tokens == ("a", "c") and chances[0]]

    def quality(prompt: str, response: Any) -> F:
        return F(1, 1 + "abcd".index(response.tokens[-1]))

    task = two_tokens(group_size=size, iterations=budget, kappa=kappa, delta=delta)
    supply = Supply(tests=tests, quality=quality, introspection=introspection)
    outcome = run(task, supply, seed=seed)
    count = len(outcome.iterations)
    assert outcome.ledger.generations == count * size <= budget * size
    assert outcome.ledger.introspections == len(asked) <= count
    assert outcome.stop in Stop
    if outcome.stop is Stop.STALLED:
        assert delta != "none"
    # the bank: what was found, in its order, and nothing else
    assert list(outcome.bank.patterns) == [pattern for listed in found[: len(asked)] for pattern in listed]
    for entry in outcome.iterations:
        law = entry.distribution.law()
        assert sum(mass for _, mass in law) == 1
        assert all(mass > 0 for _, mass in law)
        assert {response.tokens for response, _ in law} == {("a", "c"), ("a", "d"), ("b", "d")}
        advantages = [member.advantage for member in entry.members]
        assert sum(advantages) == 0
        assert sum(a * a for a in advantages) < size - 1 or len(set(advantages)) == 1


@settings(max_examples=60, deadline=None)
@given(listed=st.lists(patterns, max_size=6), kappa=st.fractions(F(1, 8), 4, max_denominator=8))
def test_the_product_of_experts_by_another_route(listed: list[Pattern], kappa: F) -> None:
    """Token masses after the bank: each token's mass times a factor for each pattern that names it, then normalised."""
    bank = [{"description": "p", "confidence": str(p.confidence), "tokens": list(p.tokens)} for p in listed]
    task = two_tokens(bank=bank, kappa=kappa, iterations=1)
    supply = Supply(tests=lambda *a: [False], quality=lambda *a: F(0), introspection=lambda group: [])
    law = {r.tokens: mass for r, mass in run(task, supply).iterations[0].distribution.law()}

    def weight(token: str) -> F:
        product_of_factors = F(1)
        for pattern in listed:
            if token in pattern.tokens and pattern.confidence > F(1, 2):
                product_of_factors *= 1 + kappa * (2 * pattern.confidence - 1)
        return product_of_factors

    first = weight("a") / (weight("a") + weight("b"))
    then = weight("c") / (weight("c") + 2 * weight("d"))
    assert law == {("a", "c"): first * then, ("a", "d"): first * (1 - then), ("b", "d"): 1 - first}
