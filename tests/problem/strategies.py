"""Random problems of every family, small enough to compute by hand and wide enough to surprise."""

from fractions import Fraction as F

from grpocheck.core.domains import HalfSpaces, Intersection, OpenBall, OpenBox, WholeSpace
from grpocheck.core.families.autoregressive import AutoregressiveLogits, AutoregressiveMasses
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.generation import Generation
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from hypothesis import strategies as st

rationals = st.fractions(min_value=-4, max_value=4, max_denominator=24)
positives = st.fractions(min_value=F(1, 24), max_value=4, max_denominator=24)


@st.composite
def mass_functions(draw, size):
    """Positive rationals that sum to 1."""
    weights = draw(st.lists(st.integers(1, 9), min_size=size, max_size=size))
    return tuple(F(weight, sum(weights)) for weight in weights)


@st.composite
def generations(draw, most_tokens=4, longest=3):
    """A vocabulary, an end token anywhere in it, a horizon and random forbidden tokens, never all of them."""
    vocabulary = tuple(draw(st.permutations(["a", "b", "ü", "stop"][: draw(st.integers(2, most_tokens))])))
    end, horizon = draw(st.sampled_from(vocabulary)), draw(st.integers(1, longest))
    words = [token for token in vocabulary if token != end]
    prefixes = st.lists(st.sampled_from(words), max_size=horizon - 1).map(tuple)
    tokens = st.sets(st.sampled_from(vocabulary), min_size=1, max_size=len(vocabulary) - 1).map(tuple)
    forbidden = draw(st.dictionaries(prefixes, tokens, max_size=3))
    return Generation(vocabulary, end, horizon, tuple(forbidden.items()))


@st.composite
def prompts_of(draw, sizes):
    """Prompts with supports of these sizes."""
    return tuple(
        Prompt(
            place,
            f"q{place}",
            tuple(f"r{j}" for j in range(size)),
            tuple(draw(st.lists(rationals, min_size=size, max_size=size))),
            draw(mass_functions(size)),
            tuple(f"r{j}" for j in range(size + draw(st.integers(0, 1)))),
        )
        for place, size in enumerate(sizes)
    )


@st.composite
def served(draw):
    """A family, prompts that it serves and a parameter in its natural domain."""
    name = draw(st.sampled_from(["bernoulli", "simplex", "softmax", "log-linear", "masses", "logits"]))
    if name in ("masses", "logits"):
        family = {"masses": AutoregressiveMasses, "logits": AutoregressiveLogits}[name](draw(generations()))
        if family.dimension == 0:
            family = AutoregressiveMasses(Generation(("a", "."), ".", 1))
        size = len(family.support_keys)
        prompts = tuple(
            Prompt(
                place,
                f"q{place}",
                family.support_keys,
                tuple(draw(st.lists(rationals, min_size=size, max_size=size))),
                draw(mass_functions(size)),
                family.response_keys,
            )
            for place in range(draw(st.integers(1, 2)))
        )
        blocks = [len(block) for block in family.blocks.values()]
    else:
        sizes = (
            (2,) * draw(st.integers(1, 2))
            if name == "bernoulli"
            else draw(st.lists(st.integers(2, 3), min_size=1, max_size=2).map(tuple))
        )
        prompts = draw(prompts_of(sizes))
        blocks = [1] if name == "bernoulli" else [size - 1 for size in sizes]
        if name == "log-linear":
            dimension = draw(st.integers(1, 3))
            rows = st.lists(rationals, min_size=dimension, max_size=dimension).map(tuple)
            family = LogLinear(tuple(tuple(draw(rows) for _ in range(size)) for size in sizes))
        else:
            family = {"bernoulli": Bernoulli(), "simplex": Simplex(sizes), "softmax": Softmax(sizes)}[name]
    if family.exact:
        theta = tuple(mass for block in blocks for mass in draw(mass_functions(block + 1))[:-1])
    else:
        theta = tuple(draw(st.lists(rationals, min_size=family.dimension, max_size=family.dimension)))
    return family, prompts, theta


@st.composite
def domains(draw, theta):
    """An open domain of any kind around a point."""
    kind = draw(st.sampled_from(["whole", "box", "ball", "half-spaces", "intersection"]))
    margin = st.one_of(st.none(), positives)
    if kind == "whole":
        return WholeSpace(len(theta))
    if kind == "box":
        lower = tuple(None if (m := draw(margin)) is None else x - m for x in theta)
        return OpenBox(lower, tuple(None if (m := draw(margin)) is None else x + m for x in theta))
    if kind == "ball":
        centre = tuple(x + draw(st.fractions(-1, 1, max_denominator=8)) for x in theta)
        distance = sum((x - c) ** 2 for x, c in zip(theta, centre, strict=True))
        return OpenBall(centre, distance + 1)
    if kind == "half-spaces":
        rows = st.lists(rationals, min_size=len(theta), max_size=len(theta)).map(tuple).filter(any)
        normals = tuple(draw(st.lists(rows, min_size=1, max_size=3)))
        values = [sum(a * x for a, x in zip(normal, theta, strict=True)) for normal in normals]
        return HalfSpaces(normals, tuple(value + draw(positives) for value in values))
    return Intersection((draw(domains(theta)), draw(domains(theta))))


@st.composite
def problems(draw):
    """A problem of any family, with or without a stated domain, recorded draws or a seed."""
    family, prompts, theta = draw(served())
    domain = draw(st.one_of(st.none(), domains(theta)))
    if draw(st.booleans()) and domain is not None:
        family = Supplied(len(theta)) if not isinstance(family, AutoregressiveMasses | AutoregressiveLogits) else family
    outer_iterations, inner_steps = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    group_size = draw(st.integers(2, 4))
    recorded = seed = None
    if draw(st.booleans()):
        recorded = tuple(
            tuple(tuple(draw(st.sampled_from(p.responses)) for _ in range(group_size)) for p in prompts)
            for _ in range(outer_iterations)
        )
    elif draw(st.booleans()):
        seed = draw(st.integers(0, 2**256 - 1))
    return Problem(
        prompts=prompts,
        family=family,
        theta=theta,
        group_size=group_size,
        outer_iterations=outer_iterations,
        inner_steps=inner_steps,
        epsilon=draw(st.fractions(min_value=F(1, 50), max_value=F(49, 50))),
        beta=draw(st.fractions(min_value=0, max_value=2)),
        step_sizes=tuple(tuple(draw(positives) for _ in range(inner_steps)) for _ in range(outer_iterations)),
        domain=domain,
        recorded=recorded,
        seed=seed,
    )
