"""Random whole problems against section 1 written out again in mpmath at 80 digits (reference.py)."""

from fractions import Fraction as F

from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.outcome import Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import mpf

from . import reference

CLOSE = mpf(10) ** -24


def shares(draw, size):
    weights = draw(st.lists(st.integers(1, 6), min_size=size, max_size=size))
    return tuple(F(w, sum(weights)) for w in weights)


@st.composite
def problems(draw, families=("bernoulli", "simplex", "softmax")):
    family = draw(st.sampled_from(families))
    sizes = draw(st.lists(st.integers(2, 2 if family == "bernoulli" else 3), min_size=1, max_size=2))
    rewards = st.sampled_from([F(0), F(1, 3), F(1, 2), F(1), F(-2)])
    prompts = tuple(
        Prompt(
            position,
            f"q{position}",
            tuple("abc"[:size]),
            tuple(draw(st.lists(rewards, min_size=size, max_size=size))),
            shares(draw, size),
        )
        for position, size in enumerate(sizes)
    )
    if family == "bernoulli":
        policy, theta = Bernoulli(), shares(draw, 2)[:1]
    elif family == "simplex":
        policy, theta = Simplex(tuple(sizes)), sum((shares(draw, size)[:-1] for size in sizes), ())
    else:
        policy = Softmax(tuple(sizes))
        theta = tuple(draw(st.lists(st.fractions(-1, 1, max_denominator=4), min_size=sum(sizes), max_size=sum(sizes))))
    outer, inner, group = draw(st.integers(1, 2)), draw(st.integers(1, 2)), draw(st.integers(2, 3))
    steps = st.sampled_from([F(1, 50), F(1, 20), F(1, 10), F(1, 4)])
    recorded = tuple(
        tuple(tuple(draw(st.sampled_from(prompt.responses)) for _ in range(group)) for prompt in prompts)
        for _ in range(outer)
    )
    return Problem(
        prompts=prompts,
        family=policy,
        theta=theta,
        group_size=group,
        outer_iterations=outer,
        inner_steps=inner,
        epsilon=draw(st.sampled_from([F(1, 10), F(1, 5), F(1, 2)])),
        beta=draw(st.sampled_from([F(0), F(1, 25), F(1)])),
        step_sizes=tuple(tuple(draw(steps) for _ in range(inner)) for _ in range(outer)),
        recorded=recorded,
    )


def near(text, expected):
    """Whether a text of the outcome (an exact number or [lower, upper]) is the expected number, to 1e-24."""
    if isinstance(text, list):
        lower, upper = map(mpf, text)
        return lower - CLOSE <= expected <= upper + CLOSE
    return abs(evaluated(text) - expected) < CLOSE


def evaluated(text):
    total = mpf(0)
    for term in text.replace(" - ", " + -").split(" + "):
        coefficient, _, root = term.partition("sqrt(")
        scale = F(coefficient.rstrip("*") or 1) if coefficient.strip("-") else F(f"{coefficient}1")
        total += reference.number(scale) * (reference.mp.sqrt(int(root.rstrip(")"))) if root else 1)
    return total


@settings(max_examples=60, deadline=None)
@given(problems())
def test_a_run_is_what_the_definition_says(problem):
    status, theta, objectives, attempts, memberships = reference.run(problem, problem.recorded)
    found = run(problem).to_mapping()
    assert found["status"] == status
    assert all(near(text, value) for text, value in zip(found["theta"], theta, strict=True))
    assert len(found["steps"]) == len(objectives)
    assert all(near(step["objective"], value) for step, value in zip(found["steps"], objectives, strict=True))
    assert (found["ledger"]["gradient_attempts"], found["ledger"]["membership_calls"]) == (attempts, memberships)
    assert found["ledger"]["draws"] % (len(problem.prompts) * problem.group_size) == 0


@settings(max_examples=25, deadline=None)
@given(problems(families=("bernoulli", "simplex")))
def test_rounded_arithmetic_agrees_where_nothing_is_tied(problem):
    exact = run(problem, arithmetic=arithmetic_named("enclosure"))
    assume(exact.status is Status.COMPLETE)  # an exact tie may be missed by rounded numbers, and ends otherwise
    rounded = run(problem, arithmetic=arithmetic_named("mp", digits=60))
    assert rounded.status is Status.COMPLETE
    thetas = zip(exact.to_mapping()["theta"], rounded.theta, strict=True)
    assert all(near(text, mpf(str(value))) for text, value in thetas)
