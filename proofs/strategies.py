"""Hypothesis strategies for whole problems, supplies and traces: for the property evidence here, and for other people's
tests of their own trainers.

    from hypothesis import given
    from grpocheck.verifier.strategies import problems

    @given(problems(families=("softmax",)))
    def test_my_loss(problem): ...
"""

import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from grpocheck.core import UNDEFINED_GRADIENT, Problem, Supply, TraceWriter, problem_from_mapping, run
from grpocheck.core.generation import Generation
from hypothesis import strategies as st

FAMILIES = ("bernoulli", "simplex", "softmax", "log-linear", "autoregressive")
REWARDS = ("0", "1/3", "1/2", "1", "-2")
EPSILONS = ("1/10", "1/5", "1/2")
BETAS = ("0", "1/25", "1")
STEPS = ("1/50", "1/20", "1/10", "1/4")
Draw = Callable[[st.SearchStrategy[Any]], Any]


@st.composite
def mass_functions(draw: Draw, size: int, most: int = 6) -> tuple[Fraction, ...]:
    """Positive rational masses with sum 1; every quotient of two of them is at most ``most``."""
    weights = draw(st.lists(st.integers(1, most), min_size=size, max_size=size))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def generations_with_parameters(draw: Draw) -> tuple[Generation, list[list[Fraction]], list[list[Fraction]]]:
    """A generation protocol with two tables of conditional masses, prefix after prefix."""
    vocabulary = ("a", "b", ".")[3 - draw(st.integers(2, 3)) :]
    horizon = draw(st.integers(1, 3))
    letters = [token for token in vocabulary if token != "."]
    prefixes = [prefix for length in range(horizon) for prefix in product(letters, repeat=length)]
    forbidden = tuple(
        (prefix, (draw(st.sampled_from(vocabulary)),)) for prefix in prefixes if draw(st.integers(0, 3)) == 0
    )
    generation = Generation(vocabulary, ".", horizon, forbidden)
    sizes = [len(generation.allowed(prefix)) for prefix in generation.prefixes]
    tables = [[list(draw(mass_functions(size))) for size in sizes] for _ in range(2)]
    return generation, tables[0], tables[1]


@st.composite
def problems(
    draw: Draw,
    families: Sequence[str] = FAMILIES,
    *,
    betas: Sequence[str] = BETAS,
    largest_group: int = 3,
    most_prompts: int = 2,
    most_iterations: int = 2,
    most_steps: int = 2,
) -> Problem:
    """Problems that run: a few prompts of two to three responses, recorded draws, steps from cautious to too long."""
    family = draw(st.sampled_from(list(families)))
    stated: dict[str, Any] = {
        "family": family,
        "group_size": draw(st.integers(2, largest_group)),
        "outer_iterations": draw(st.integers(1, most_iterations)),
        "inner_steps": draw(st.integers(1, most_steps)),
        "epsilon": draw(st.sampled_from(list(EPSILONS))),
        "beta": draw(st.sampled_from(list(betas))),
    }
    names = [f"q{number}" for number in range(1, draw(st.integers(1, most_prompts)) + 1)]
    if family == "autoregressive":
        stated |= draw(generations())
        supports: list[tuple[str, ...]] = [GENERATED for _ in names]
    else:
        supports = [("a", "b", "c")[: 2 if family == "bernoulli" else draw(st.integers(2, 3))] for _ in names]
    stated["prompts"] = [
        draw(prompts(name, support, family == "autoregressive")) for name, support in zip(names, supports, strict=True)
    ]
    stated["theta"] = list(map(str, draw(parameters(family, [len(support) for support in supports], stated))))
    stated["step_sizes"] = [
        [draw(st.sampled_from(STEPS)) for _ in range(stated["inner_steps"])] for _ in range(stated["outer_iterations"])
    ]
    stated["draws"] = {
        "recorded": [
            [[draw(st.sampled_from(support)) for _ in range(stated["group_size"])] for support in supports]
            for _ in range(stated["outer_iterations"])
        ]
    }
    return problem_from_mapping(stated)


GENERATED = ("a a", "a .", "b b", "b .")
"""The support of every generated problem here: horizon 2, no empty response, no change of the letter."""


@st.composite
def generations(draw: Draw) -> dict[str, Any]:
    """The generation protocol whose support is GENERATED, in one of its two parameterisations."""
    return {
        "generation": {
            "vocabulary": ["a", "b", "."],
            "end": ".",
            "horizon": 2,
            "parameterisation": draw(st.sampled_from(["masses", "logits"])),
            "forbidden": {"": ["."], "a": ["b"], "b": ["a"]},
        }
    }


@st.composite
def prompts(draw: Draw, name: str, support: Sequence[str], generated: bool) -> dict[str, Any]:
    """A prompt's table: rewards and a reference, listed, or keyed by the response where it is generated."""
    rewards = [draw(st.sampled_from(REWARDS)) for _ in support]
    reference = list(map(str, draw(mass_functions(len(support)))))
    if generated:
        return {
            "name": name,
            "rewards": dict(zip(support, rewards, strict=True)),
            "reference": dict(zip(support, reference, strict=True)),
        }
    return {"name": name, "responses": list(support), "rewards": rewards, "reference": reference}


@st.composite
def parameters(draw: Draw, family: str, sizes: Sequence[int], stated: dict[str, Any]) -> tuple[Fraction, ...]:
    """theta_0 in the family's natural domain; for the log-linear family the features are put into the prompts."""
    logits = st.fractions(-1, 1, max_denominator=4)
    if family == "bernoulli":
        return tuple(draw(mass_functions(2))[:1])
    if family == "simplex":
        return tuple(entry for size in sizes for entry in draw(mass_functions(size))[:-1])
    if family == "softmax":
        return tuple(draw(logits) for _ in range(sum(sizes)))
    if family == "log-linear":
        dimension = draw(st.integers(1, 2))
        for prompt, size in zip(stated["prompts"], sizes, strict=True):
            prompt["features"] = [[str(draw(logits)) for _ in range(dimension)] for _ in range(size)]
        return tuple(draw(logits) for _ in range(dimension))
    if stated["generation"]["parameterisation"] == "logits":
        return tuple(draw(logits) for _ in range(6))
    return tuple(draw(mass_functions(2))[0] for _ in range(3))


@st.composite
def supplies(draw: Draw, problem: Problem) -> Supply:
    """Scripted draws and gradient answers, undefined ones among them; the domain and the rest are the problem's."""
    attempts = problem.outer_iterations * problem.inner_steps
    vectors = st.lists(
        st.fractions(-3, 3, max_denominator=6), min_size=len(problem.theta), max_size=len(problem.theta)
    ).map(tuple)
    answers = iter(draw(st.lists(vectors | st.just(UNDEFINED_GRADIENT), min_size=attempts, max_size=attempts)))
    choices = iter(draw(st.lists(st.integers(0, 5), min_size=64, max_size=64)))
    return Supply(
        draws=lambda masses, prompt, t, i: prompt.responses[next(choices, 0) % len(prompt.responses)],
        gradient=lambda frozen, theta: next(answers),
    )


@st.composite
def traces(draw: Draw, families: Sequence[str] = FAMILIES) -> str:
    """The text of the trace of a problem's run."""
    problem = draw(problems(families))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        with TraceWriter(path) as writer:
            run(problem, observer=writer)
        return path.read_text(encoding="utf-8")
