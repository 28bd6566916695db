"""Property evidence: claims tried on random inputs by Hypothesis, whole problems of every family among them.

Runs are compared with the third reading of section 1 (grpocheck.proofs.digits); the identities G1 to G5 are compared
with sums written out here. The examples are derived from the checks themselves, so that a report can be made again.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from grpocheck.contracts.claims import Kind, claims_named_in
from grpocheck.core import Event, Outcome, Problem, Prompt, Supply, Undefined, run
from grpocheck.core.advantage import group_advantages, population_standard_deviation
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.draws import decided_position
from grpocheck.core.families.autoregressive import AutoregressiveMasses
from grpocheck.core.generation import Generation
from grpocheck.core.ratio import clipped_term, importance_ratio
from grpocheck.proofs.digits import Float, Reading, context, enclosed, number, value_of
from grpocheck.proofs.evidence import Budget, Result, evidence, held, refuted
from grpocheck.proofs.strategies import generations_with_parameters, mass_functions, problems, supplies
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

RATIONALS = st.fractions(-3, 3, max_denominator=12)
UNIT = st.fractions(Fraction(1, 12), Fraction(11, 12), max_denominator=12)


SHRINKING_SECONDS = 5.0
"""How long a counterexample may be made smaller."""


def examined(strategy: st.SearchStrategy[Any], check: Callable[[Any], None], budget: Budget, examples: int) -> Result:
    """The finding of a check that raises AssertionError on a counterexample; Hypothesis makes that one small.

    A counterexample refutes the claims that its message names; of the others nothing is then said.
    """
    tried = 0
    failures: list[tuple[str, str]] = []
    stop_shrinking = 0.0

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def attempt(example: Any) -> None:
        nonlocal tried, stop_shrinking
        if failures and time.monotonic() > stop_shrinking:
            raise TimeoutError("the counterexample is small enough")
        tried += 1
        if not failures:
            budget.step(min(tried, examples), examples)
        try:
            check(example)
        except AssertionError as error:
            stop_shrinking = stop_shrinking or time.monotonic() + SHRINKING_SECONDS
            failures.append((str(error), repr(example)))
            raise

    try:
        attempt()
    except Exception:
        if not failures:
            raise
        message, example = failures[-1]
        finding = refuted(f"{message} for {example}"[:2000], cases=tried)
        named = next(filter(None, map(claims_named_in, message.splitlines())), ())
        return dict.fromkeys(named, finding) if named else finding
    return held(cases=tried)


def require(condition: bool, message: str) -> None:
    """Raise AssertionError with a message unless a condition holds (also where assertions are switched off)."""
    if not condition:
        raise AssertionError(message)


@evidence(
    "A1", "A2", "B5", "C1", "C2", "C3", "C4", "F2",
    kind=Kind.PROPERTY,
    scope="whole problems of five families, M <= 2, G <= 3, T <= 2, K <= 2, against 80 digits",
    seconds=240,
)  # fmt: skip
def whole_runs_end_as_the_definition_says(budget: Budget) -> Result:
    """Status, theta, F after each step and the calls of a run are those of the third reading."""
    return examined(problems(), agrees_with_digits, budget, 150)


def agrees_with_digits(problem: Problem) -> None:
    """Compare one run with the third reading."""
    expected, outcome = Reading(problem).run(), run(problem)
    found, slack = outcome.to_mapping(), context.mpf(10) ** -24
    require(found["status"] == expected.status, f"C4, F2: status {found['status']}, expected {expected.status}")
    for text, value in zip(found["theta"], expected.theta, strict=True):
        require(enclosed(text, value, slack), f"A2, F2: theta {text}, expected {context.nstr(value, 30)}")
    require(len(found["steps"]) == len(expected.objectives), "C2: another number of applied steps")
    for step in (step for iteration in outcome.iterations for step in iteration.steps if step.is_member):
        require(strictly_inside(problem, outcome, step.theta), f"A1: step {step.number} applied {step.theta}")
    for step, value in zip(found["steps"], expected.objectives, strict=True):
        digits = context.nstr(value, 30)
        require(enclosed(step["objective"], value, slack), f"B5: F {step['objective']}, expected {digits}")
    ledger = outcome.ledger
    require(ledger.gradient_attempts == expected.attempts, f"C2: {ledger.gradient_attempts} gradient attempts")
    require(ledger.membership_calls == expected.memberships, f"C3: {ledger.membership_calls} membership calls")
    require(ledger.draws == len(outcome.iterations) * len(problem.prompts) * problem.group_size, "C1: draws")
    within_the_bound_of_b5(problem, outcome)


def within_the_bound_of_b5(problem: Problem, outcome: Outcome) -> None:
    """abs(F_t) <= sqrt(G-1) max(1+eps, 1/(least old mass drawn)) + beta log(1/(least reference mass))."""
    least_reference = min(min(prompt.reference) for prompt in problem.prompts)
    penalty = number(problem.beta) * context.log(1 / number(least_reference))
    for iteration in outcome.iterations:
        old = [mass for group in iteration.frozen.groups for mass in group.old_masses]
        least = min(end for mass in old for end in ends(outcome, mass))
        bound = context.sqrt(problem.group_size - 1) * max(1 + number(problem.epsilon), 1 / least) + penalty
        for value in [iteration.objective, *(step.objective for step in iteration.steps if step.is_member)]:
            size = max(map(abs, ends(outcome, value)))
            require(size <= bound + context.mpf(10) ** -24, f"B5: abs(F) = {context.nstr(size, 20)}")


def ends(outcome: Outcome, value: Scalar) -> list[Float]:
    """The ends of a number's enclosure; an exact number is both."""
    text = outcome.arithmetic.text(value)
    return list(map(value_of, text if isinstance(text, list) else [text]))


@evidence(
    "A1", "A2", "C1", "C2", "C3", "C4", "D1", "D2",
    kind=Kind.PROPERTY,
    scope="whole problems of five families under arbitrary answers of the gradient oracle and arbitrary draws",
)  # fmt: skip
def the_protocol_keeps_its_promises_whatever_the_oracles_answer(budget: Budget) -> Result:
    """Steps, statuses, calls and frozen data, read off the events of a run with scripted oracles."""
    scripted = problems(betas=["0"]).flatmap(lambda problem: st.tuples(st.just(problem), supplies(problem)))
    return examined(scripted, keeps_the_protocol, budget, 150)


def keeps_the_protocol(scripted: tuple[Problem, Supply]) -> None:
    """Follow the events of one run with a protocol machine of a few lines."""
    problem, supply = scripted
    events: list[Event] = []
    references = [prompt.reference for prompt in problem.prompts]
    outcome = run(problem, supply, observer=events.append, one_answer=False)
    theta: Any = events[0].values["theta"]
    started = drawn = asked = called = applied = 0
    stopped: str | None = None
    for event in events[1:-1]:
        values = event.values
        require(stopped is None, "C4: nothing follows a stop")
        if event.kind == "outer-iteration":
            require(drawn == started * len(problem.prompts) * problem.group_size, "C1: M*G draws an iteration")
            require(applied == started * problem.inner_steps, "C2: K steps before the next iteration")
            require(values["theta_old"] is theta, "D1: theta_old is the current parameter")
            started += 1
        elif event.kind == "draw":
            require(asked == (started - 1) * problem.inner_steps, "D1: no draw after the first attempt")
            drawn += 1
        elif event.kind == "gradient":
            require(values["theta"] is theta, "A2: the gradient is asked at the last valid parameter")
            asked, pending = asked + 1, values["answer"]
            stopped_for = "undefined-gradient" if isinstance(pending, Undefined) else None
        elif event.kind == "membership":
            called, proposal = called + 1, values["proposal"]
            inside = strictly_inside(problem, outcome, proposal)
            require(values["answer"] is inside, "A1: M_U answers 1 exactly on U")
            stopped_for = None if inside else "invalid-update"
        elif event.kind == "apply":
            require(values["theta"] is proposal and inside, "A1: what is applied is the proposal, in U")
            theta, applied = proposal, applied + 1
        elif event.kind == "stop":
            require(str(values["status"]) == stopped_for, "C4: the status says why the run stopped")
            stopped = stopped_for
    require(str(outcome.status) == (stopped or "complete"), "C4: the status is that of the last event")
    require(outcome.theta is theta, "A2: the last valid parameter is returned")
    require(asked == applied + (stopped is not None), "C2: attempts = applied + stopped")
    require(called == asked - (stopped == "undefined-gradient"), "C3: membership calls")
    ledger, groups = outcome.ledger, len(problem.prompts) * problem.group_size
    require(drawn == started * groups <= problem.outer_iterations * groups, "C1: draws within T*M*G")
    require(asked <= problem.outer_iterations * problem.inner_steps, "C2: attempts within T*K")
    entered = (ledger.draws, ledger.gradient_attempts, ledger.membership_calls)
    require(entered == (drawn, asked, called), f"C1, C2, C3: the ledger has {entered}")
    require([prompt.reference for prompt in problem.prompts] == references, "D2: the reference stays")


def strictly_inside(problem: Problem, outcome: Outcome, theta: Any) -> bool:
    """Whether every mass at a point is positive, by the third reading."""
    point = [sum(ends(outcome, entry)) / len(ends(outcome, entry)) for entry in theta]
    reading = Reading(problem)
    return all(mass > 0 for prompt in problem.prompts for mass in reading.policy(point, prompt)[0])


@evidence("B1", "B2", kind=Kind.PROPERTY, scope="groups of 2 to 6 rational rewards")
def advantages_are_standardised(budget: Budget) -> Result:
    """s and A against variances in fractions."""
    return examined(st.lists(RATIONALS, min_size=2, max_size=6), is_standardised, budget, 400)


def is_standardised(rewards: Sequence[Fraction]) -> None:
    """B1 and B2 for one group: with A_i^2 Var = (R_i - mean)^2 and A_i of the sign of R_i - mean, exactly."""
    arithmetic, size = ExactArithmetic(), len(rewards)
    mean = Fraction(sum(rewards), size)
    variance = sum((reward - mean) ** 2 for reward in rewards) / size
    deviation = population_standard_deviation(rewards, arithmetic)
    require(deviation >= 0 and deviation * deviation == variance, f"B1: s = {deviation}")
    require((deviation == 0) == (len(set(rewards)) == 1), "B1: s = 0 exactly for equal rewards")
    advantages = group_advantages(rewards, arithmetic)
    for reward, advantage in zip(rewards, advantages, strict=True):
        require(advantage * advantage * variance == (reward - mean) ** 2 or not variance, f"B2: A = {advantage}")
        require((advantage > 0) == (variance > 0 and reward > mean), f"B2: the sign of {advantage}")
        require(advantage * advantage <= size - 1, f"B2: abs(A) <= sqrt(G - 1): {advantage}")
    require(sum(advantages) == 0, "B2: sum A = 0")
    require(sum(a * a for a in advantages) == (size if variance else 0), "B2: mean A^2 = 1")


@evidence("E1", "E2", kind=Kind.PROPERTY, scope="rational rho, A and epsilon")
def terms_are_clipped_by_sign(budget: Budget) -> Result:
    """The term against its two cases."""
    return examined(st.tuples(st.fractions(Fraction(1, 20), 6), RATIONALS, UNIT), is_clipped_by_sign, budget, 600)


def is_clipped_by_sign(example: tuple[Fraction, Fraction, Fraction]) -> None:
    """E1 and E2 for one term."""
    ratio, advantage, epsilon = example
    term = clipped_term(ratio, advantage, epsilon, ExactArithmetic())
    side = min(ratio, 1 + epsilon) if advantage > 0 else max(ratio, 1 - epsilon)
    require(term == side * advantage, f"E1: {term}")
    require(term <= ratio * advantage, f"E2: {term}")


@evidence("B3", "B4", "G1", kind=Kind.PROPERTY, scope="pairs of mass functions on 2 to 5 responses")
def ratios_and_divergences(budget: Budget) -> Result:
    """Change of measure exactly, the divergence against 80 digits."""
    pairs = st.integers(2, 5).flatmap(
        lambda size: st.tuples(
            mass_functions(size, 9), mass_functions(size, 9), st.lists(RATIONALS, min_size=size, max_size=size)
        )
    )
    return examined(pairs, changes_measure, budget, 300)


def changes_measure(example: tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]) -> None:
    """G1, B3 and B4 for one pair."""
    new, old, values = example
    ratios = [importance_ratio(p, q) for p, q in zip(new, old, strict=True)]
    left = sum(q * rho * f for q, rho, f in zip(old, ratios, values, strict=True))
    require(left == sum(p * f for p, f in zip(new, values, strict=True)), f"G1: {left}")
    require(all(rho > 0 for rho in ratios), "B3: rho > 0")
    require([importance_ratio(q, q) for q in old] == [1] * len(old), "B3: rho = 1 at theta_old")
    arithmetic = EnclosureArithmetic()
    divergence = kl_divergence(new, old, arithmetic)
    expected = sum(number(p) * context.log(number(p / q)) for p, q in zip(new, old, strict=True))
    require(enclosed(arithmetic.text(divergence), expected, context.mpf(10) ** -28), f"B4: {divergence}")
    require((divergence == 0) == (list(new) == list(old)), "B4: 0 exactly when the two are equal")
    require(divergence >= 0, "B4: KL >= 0")


@evidence("G4", kind=Kind.PROPERTY, scope="two-step trees, 2 or 3 first tokens with 2 or 3 tokens after each")
def divergences_add_up_along_prefixes(budget: Budget) -> Result:
    """KL of the product against the chain-rule sum, to 28 digits."""
    pair = st.integers(2, 3).flatmap(lambda size: st.tuples(mass_functions(size), mass_functions(size)))
    trees = pair.flatmap(lambda first: st.tuples(st.just(first), st.tuples(*[pair for _ in first[0]])))
    return examined(trees, obeys_the_chain_rule, budget, 60)


def obeys_the_chain_rule(tree: tuple[Any, Any]) -> None:
    """KL(joint) = KL(first) + sum_u p(u) KL(next | u), prefixes weighted by the current policy."""
    (first_p, first_q), following = tree
    arithmetic = EnclosureArithmetic()
    joint_p = [p * x for p, (after, _) in zip(first_p, following, strict=True) for x in after]
    joint_q = [q * x for q, (_, after) in zip(first_q, following, strict=True) for x in after]
    whole = kl_divergence(joint_p, joint_q, arithmetic)
    parts = kl_divergence(first_p, first_q, arithmetic) + sum(
        p * kl_divergence(after_p, after_q, arithmetic)
        for p, (after_p, after_q) in zip(first_p, following, strict=True)
    )
    gap = arithmetic.text(whole - parts)
    require(enclosed(gap, context.mpf(0), context.mpf(10) ** -28), f"G4: {whole} against {parts}")


@evidence("A3", "G2", "G5", kind=Kind.PROPERTY, scope="2 or 3 tokens, horizon 1 to 3, random forbidden tokens")
def responses_are_generated_token_by_token(budget: Budget) -> Result:
    """The support against words listed here, masses against products of conditional masses, their sum against 1."""
    return examined(generations_with_parameters(), masses_are_products, budget, 120)


def masses_are_products(example: tuple[Generation, list[list[Fraction]], list[list[Fraction]]]) -> None:
    """A3, G2 and G5 for two parameters of one protocol."""
    generation, *tables = example
    if sum(len(row) - 1 for row in tables[0]) == 0:
        return  # one allowed token everywhere: no parameter to have
    family, arithmetic = AutoregressiveMasses(generation), ExactArithmetic()
    keys, size = family.support_keys, len(family.support_keys)
    prompt = Prompt(0, "q", keys, (Fraction(0),) * size, (Fraction(1, size),) * size, family.response_keys)
    words = [tuple(key.split()) for key in keys]
    require(words == words_allowed(generation), f"A3: the support is {words}: every other response has mass 0")
    products: list[list[list[Fraction]]] = []
    for table in tables:
        theta = [mass for row in table for mass in row[:-1]]
        conditional = {
            prefix: dict(zip(generation.allowed(prefix), row, strict=True))
            for prefix, row in zip(generation.prefixes, table, strict=True)
        }
        tokens = [[conditional[word[:place]][token] for place, token in enumerate(word)] for word in words]
        masses = family.masses(theta, prompt, arithmetic)
        require(all(mass > 0 for mass in masses), f"A3: the masses of {words} are {masses}")
        require(sum(masses) == 1, f"G2: the masses of {words} sum to {sum(masses)}")
        for mass, factors, word in zip(masses, tokens, words, strict=True):
            require(mass == prod(factors), f"G5: the mass of {word} is {mass}, its tokens' are {factors}")
        products.append(tokens)
    for new, old, word in zip(*products, words, strict=True):
        ratio = importance_ratio(prod(new), prod(old))
        require(ratio == prod(p / q for p, q in zip(new, old, strict=True)), f"G5: the ratio of {word}")


def words_allowed(generation: Generation) -> list[tuple[str, ...]]:
    """The truncated responses none of whose tokens is forbidden where it stands, shorter ones first."""
    forbidden, end, horizon = dict(generation.forbidden), generation.end, generation.horizon
    words = [word for length in range(1, horizon + 1) for word in product(generation.vocabulary, repeat=length)]
    return [
        word
        for word in words
        if end not in word[:-1]
        and (word[-1] == end or len(word) == horizon)
        and all(token not in forbidden.get(word[:place], ()) for place, token in enumerate(word))
    ]


@evidence("F1", kind=Kind.PROPERTY, scope="sums of 1 to 4 minima of two affine functions of one variable, at 0")
def minima_never_cancel(budget: Budget) -> Result:
    """A sum of minima of affine functions has one slope at 0 exactly when every tie has equal slopes."""
    affine = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    return examined(st.lists(st.tuples(affine, affine), min_size=1, max_size=4), has_one_slope, budget, 600)


def has_one_slope(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    """F1 for one sum; a step of 1/10 from 0 crosses no further tie, since values and slopes are small integers."""

    def total(x: Fraction) -> Fraction:
        return sum((min(a + b * x, c + d * x) for (a, b), (c, d) in pairs), Fraction(0))

    step = Fraction(1, 10)
    smooth = total(step) - total(Fraction(0)) == total(Fraction(0)) - total(-step)
    require(smooth == all(b == d for (a, b), (c, d) in pairs if a == c), "F1: slopes agree just when ties' do")


@evidence("G3", kind=Kind.PROPERTY, scope="mass functions on 2 to 5 responses, every word of 8 bits")
def draws_have_the_law_of_the_masses(budget: Budget) -> Result:
    """The dyadic measure of the words that decide a response, against its mass."""
    laws = st.integers(2, 5).flatmap(lambda size: mass_functions(size, 9))
    return examined(laws, has_its_law, budget, 40)


def has_its_law(masses: Sequence[Fraction]) -> None:
    """Words of bits decide each response with at most its mass, and leave open only cells that hold an edge."""
    bits, arithmetic = 8, ExactArithmetic()
    law, seen = [Fraction(0)] * len(masses), set()
    open_cells = set()
    for word in product((0, 1), repeat=bits):
        taken: list[int] = []
        try:
            position = decided_position(masses, told(word, taken), arithmetic)
        except LookupError:
            open_cells.add(word)
            continue
        if tuple(taken) not in seen:
            seen.add(tuple(taken))
            law[position] += Fraction(1, 2 ** len(taken))
    require(len(open_cells) < len(masses), f"G3: {len(open_cells)} cells are open for {len(masses) - 1} edges")
    missing = Fraction(len(open_cells), 2**bits)
    require(sum(law) + missing == 1, "G3: the decided words and the open ones make up the whole")
    for mass, decided in zip(masses, law, strict=True):
        require(decided <= mass <= decided + missing, f"G3: a response of mass {mass} is decided with {decided}")


def told(word: Sequence[int], taken: list[int]) -> Iterator[int]:
    """The bits of a word, remembered as they are taken; LookupError after the last."""
    for bit in word:
        taken.append(bit)
        yield bit
    raise LookupError("more bits")
