"""W2: problem files against what they state, in plain tables, and written back; domains and families by hand."""

import json
import tempfile
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from grpocheck.core import Problem, Prompt, problem_from_mapping, read_problem
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.domains import Domain, domain_from_mapping
from grpocheck.core.families.autoregressive import AutoregressiveLogits, AutoregressiveMasses
from grpocheck.core.generation import Generation, generation_from_mapping
from grpocheck.core.reading import parsed
from grpocheck.core.writing import problem_to_mapping, problem_to_toml, toml_value
from grpocheck.proofs.digits import Reading, context, number
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.variants import near
from grpocheck.proofs.shipped import examples

FAMILIES: dict[str, dict[str, Any]] = {
    "bernoulli": {"theta": ["1/3"], "supports": [2, 2]},
    "simplex": {"theta": ["1/6", "1/3", "1/4"], "supports": [3, 2]},
    "softmax": {"theta": ["1/6", "-1/3", "0", "2", "1/7"], "supports": [3, 2]},
    "log-linear": {"theta": ["1/2", "-1/3"], "supports": [2, 3], "features": [["1", "0"], ["-1/2", "2"], ["0", "1/5"]]},
}
GENERATED: dict[str, Any] = {
    "vocabulary": ["a", "b", "."], "end": ".", "horizon": 2, "forbidden": {"": ["."], "b": ["a", "."], "a": ["b"]},
}  # fmt: skip
DOMAINS: dict[str, list[dict[str, Any]]] = {
    "bernoulli": [{"kind": "open-box", "lower": ["1/4"], "upper": ["inf"]}, {"kind": "whole-space", "dimension": 1}],
    "simplex": [{"kind": "open-simplices", "sizes": [3]},
        {"kind": "open-box", "lower": ["-inf"] * 3, "upper": ["1/2"] * 3}],
    "softmax": [{"kind": "open-ball", "centre": ["0"] * 5, "radius": "3"}],
    "log-linear": [
        {"kind": "half-spaces", "normals": [["1", "0"], ["1/2", "-1"]], "offsets": ["1", "2/3"]},
        {"kind": "intersection", "parts": [{"kind": "whole-space", "dimension": 2},
                                           {"kind": "open-box", "lower": ["0", "-1"], "upper": ["1", "0"]}]},
    ],
}  # fmt: skip


def stated_problems() -> list[dict[str, Any]]:
    """Problems of every family as plain tables, with each way of giving step sizes, domains and draws."""
    stated = []
    for family, parts in FAMILIES.items():
        for variation, domain in enumerate([None, *DOMAINS[family]]):
            names = [[f"r{j}" for j in range(size)] for size in parts["supports"]]
            prompts = []
            for place, responses in enumerate(names):
                prompt: dict[str, Any] = {
                    "name": f"q {place} é",
                    "responses": responses,
                    "rewards": [str(Fraction(j, 2) - place) for j in range(len(responses))],
                    "reference": [str(Fraction(1, len(responses)))] * len(responses),
                }
                if variation == 1:
                    prompt["response_set"] = ["another", *responses]
                if "features" in parts:
                    prompt["features"] = parts["features"][: len(responses)]
                prompts.append(prompt)
            table: dict[str, Any] = {
                "group_size": 2 + variation % 2, "outer_iterations": 2, "inner_steps": 1 + variation,
                "epsilon": "1/5", "beta": "3/40", "theta": parts["theta"], "family": family, "prompts": prompts,
            }  # fmt: skip
            if variation == 1:
                table["step_sizes"] = [["1/20", "1/3"], ["1/20", "2"]]
            else:
                table["step_size"] = "1/20"
            if domain is not None:
                table["domain"] = domain
            if variation == 0:
                table["draws"] = {"recorded": [[r[:2] for r in names], [r[:1] * 2 for r in names]]}
            elif variation == 1:
                table["draws"] = {"seed": 2**256 - 1}
            stated.append(table)
    support = ["a a", "a .", "b b"]
    for parameterisation, theta in (("masses", ["1/3", "1/4"]), ("logits", ["1/3", "1/4", "1", "0", "-2"])):
        keyed = {
            "rewards": dict(zip(support, ["1", "0", "-1/2"], strict=True)),
            "reference": dict.fromkeys(support, "1/3"),
        }
        stated.append(
            {
                "group_size": 2, "outer_iterations": 1, "inner_steps": 1, "epsilon": "1/3", "beta": "0",
                "step_size": "1/9",
                "theta": theta, "family": "autoregressive",
                "generation": {**GENERATED, "parameterisation": parameterisation},
                "prompts": [{"name": "q", **keyed}],
            }
        )  # fmt: skip
    return stated


def plain(value: Any) -> Any:
    """A table with its numbers as rationals, so that two writings of one number agree."""
    if isinstance(value, Mapping):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, bool) or value in ("inf", "-inf"):
        return value
    try:
        return Fraction(value)
    except ValueError:
        return value


@groundwork("W2", scope="problems of every family, with and without domains, draws and step sizes of their own")
def problems_are_read_and_written(expect: Expectations) -> None:
    """The table, the file and the problem say the same."""
    with tempfile.TemporaryDirectory() as folder:
        for stated in stated_problems():
            what = f"{stated['family']} {stated.get('domain', {}).get('kind', '')}"
            problem = problem_from_mapping(stated)
            for name, value in {
                "group_size": stated["group_size"], "outer_iterations": stated["outer_iterations"],
                "inner_steps": stated["inner_steps"], "epsilon": Fraction(stated["epsilon"]),
                "beta": Fraction(stated["beta"]), "theta": tuple(map(Fraction, stated["theta"])),
                "dimension": len(stated["theta"]), "seed": stated.get("draws", {}).get("seed"),
            }.items():  # fmt: skip
                expect.same(f"{what}: {name}", getattr(problem, name), value)
            rows = stated.get("step_sizes") or [[stated["step_size"]] * problem.inner_steps] * problem.outer_iterations
            expect.same(f"{what}: the step sizes", [list(row) for row in problem.step_sizes], plain(rows))
            expect.same(f"{what}: the family", problem.family.name, stated["family"])
            for place, (prompt, table) in enumerate(zip(problem.prompts, stated["prompts"], strict=True)):
                rewards, reference = table["rewards"], table["reference"]
                if stated["family"] == "autoregressive":
                    rewards, reference = list(rewards.values()), list(reference.values())
                    expect.same(f"{what}: the support", list(prompt.responses), list(table["rewards"]))
                else:
                    expect.same(f"{what}: the support", list(prompt.responses), table["responses"])
                    response_set = table.get("response_set", table["responses"])
                    expect.same(f"{what}: the response set", list(prompt.response_set), response_set)
                expect.same(f"{what}: the rewards", list(prompt.rewards), plain(rewards))
                expect.same(f"{what}: the reference", list(prompt.reference), plain(reference))
                expect.same(f"{what}: name and place", (prompt.name, prompt.position), (table["name"], place))
            written = problem_to_mapping(problem)
            expect.same(f"{what}: written", plain(written), plain(stated))
            text = problem_to_toml(problem)
            expect.same(f"{what}: as TOML", plain(tomllib.loads(text)), plain(stated))
            path = Path(folder) / "problem.toml"
            path.write_text("\ufeff" + text.replace("\n", "\r\n"), encoding="utf-8")
            expect.same(f"{what}: from a file", read_problem(path), problem)
            if "recorded" in stated.get("draws", {}):
                expect.same(f"{what}: the record", plain(problem.recorded), stated["draws"]["recorded"])
    for value in ("a\x7fb", 'quote " and \\', "tab\tnewline\n", "é…", 7, [["1"], []], {"a b": "c", "": ["."]}):
        expect.same(f"{value!r} as TOML", tomllib.loads(f"x = {toml_value(value)}")["x"], value)
    literal = parsed("a = 0.2\nb = 1_0.5\nc = 'x'\nd = 3\n")
    expect.same("decimals as they are written", [getattr(literal[key], "text", literal[key]) for key in "abcd"],
                ["0.2", "1_0.5", "x", 3])  # fmt: skip


def member(domain: Mapping[str, Any], point: list[Fraction]) -> bool:
    """Whether a point is in a domain, by its kind."""
    f = Fraction
    kind = domain["kind"]
    if kind == "intersection":
        return all(member(part, point) for part in domain["parts"])
    if kind == "open-box":
        return all(
            (low == "-inf" or f(low) < x) and (high == "inf" or x < f(high))
            for low, x, high in zip(domain["lower"], point, domain["upper"], strict=True)
        )
    if kind == "open-ball":
        return sum((x - f(c)) ** 2 for x, c in zip(point, domain["centre"], strict=True)) < f(domain["radius"]) ** 2
    if kind == "half-spaces":
        return all(
            sum(f(a) * x for a, x in zip(normal, point, strict=True)) < f(offset)
            for normal, offset in zip(domain["normals"], domain["offsets"], strict=True)
        )
    if kind == "open-simplices":
        start = 0
        for size in domain["sizes"]:
            block = point[start : start + size]
            start += size
            if any(x <= 0 for x in block) or (size and sum(block) >= 1):
                return False
    return True


@groundwork("A1", "W2", scope="domains of every kind on grids that hold boundary points")
def domains_hold_exactly_their_points(expect: Expectations) -> None:
    """Membership by the inequalities of each kind; boundaries are outside; descriptions are read back."""
    domains: list[dict[str, Any]] = [
        {"kind": "whole-space", "dimension": 2},
        {"kind": "open-box", "lower": ["0", "-1/2"], "upper": ["1/2", "1"]},
        {"kind": "open-box", "lower": ["-inf", "-1/2"], "upper": ["1/2", "inf"]},
        {"kind": "open-box", "lower": ["-inf", "-inf"], "upper": ["inf", "inf"]},
        {"kind": "open-ball", "centre": ["0", "1/2"], "radius": "1/2"},
        {"kind": "open-ball", "centre": ["-1/2", "0"], "radius": "1"},
        {"kind": "half-spaces", "normals": [["1", "1"], ["0", "-2"]], "offsets": ["1/2", "1"]},
        {"kind": "half-spaces", "normals": [["1", "-1"]], "offsets": ["0"]},
        {"kind": "open-simplices", "sizes": [2]},
        {"kind": "open-simplices", "sizes": [1, 0, 1]},
        {"kind": "intersection", "parts": [{"kind": "open-simplices", "sizes": [2]},
                                           {"kind": "open-box", "lower": ["1/4", "-inf"], "upper": ["inf", "1"]}]},
    ]  # fmt: skip
    arithmetic = ExactArithmetic()
    steps = [Fraction(k, 4) for k in range(-4, 6)]
    for stated in domains:
        domain: Domain = domain_from_mapping(stated)
        expect.same(f"{stated}: d", domain.dimension, 2)
        expect.same(f"{stated}: described", domain.describe(), stated)
        for point in product(steps, repeat=2):
            found = domain.contains(point, arithmetic)
            expect.same(f"{stated}: {list(map(str, point))}", found, member(stated, list(point)))
    plus = domain_from_mapping({"kind": "open-box", "lower": [0], "upper": ["+inf"]})
    expect.same("+inf", plus.describe()["upper"], ["inf"])
    expect.same("far out", plus.contains([Fraction(10**9)], arithmetic), True)


def words_of(vocabulary: str, end: str, horizon: int) -> list[tuple[str, ...]]:
    """The truncated response set: shorter first, then by the vocabulary's order."""
    words = []
    for length in range(1, horizon + 1):
        for word in product(vocabulary, repeat=length):
            if end not in word[:-1] and (word[-1] == end or length == horizon):
                words.append(word)
    return words


@groundwork(
    "A3",
    "W2",
    scope="vocabularies of up to three tokens to horizon 3, with forbidden tokens; masses of all families",
)
def supports_and_masses_are_those_of_the_text(expect: Expectations) -> None:
    """Response sets and supports by listing; masses and their gradients against 80 digits."""
    cases: list[tuple[str, str, int, dict[str, str]]] = [
        (".", ".", 1, {}), ("a.", ".", 1, {}), ("a.", ".", 3, {}), ("ab.", ".", 2, {}), (".ab", ".", 3, {}),
        ("ab.", ".", 3, {"": ".", "a": "b", "a a": "a.", "b": "ab"}), ("ba.", ".", 2, {"b": "", "a": "."}),
        ("ab.", ".", 2, {"": "a.", "b": "b", "a": "ab"}),
    ]  # fmt: skip
    for vocabulary, end, horizon, forbidden in cases:
        barred = {prefix: list(tokens) for prefix, tokens in forbidden.items()}
        stated = {
            "vocabulary": list(vocabulary),
            "end": end,
            "horizon": horizon,
            "parameterisation": "masses",
            "forbidden": barred,
        }
        generation = generation_from_mapping(stated)
        every = words_of(vocabulary, end, horizon)
        what = f"{stated}"
        expect.same(f"{what}: the response set", list(generation.response_set), every)
        expect.same(f"{what}: its size", generation.size(), len(every))
        allowed = [
            word for word in every if all(word[h] not in barred.get(" ".join(word[:h]), []) for h in range(len(word)))
        ]
        expect.same(f"{what}: the support", list(generation.support), allowed)
        prefixes = sorted({word[:h] for word in allowed for h in range(len(word))}, key=generation.shortlex)
        expect.same(f"{what}: the prefixes", list(generation.prefixes), prefixes)
        for prefix in prefixes:
            following = tuple(t for t in vocabulary if t not in barred.get(" ".join(prefix), []))
            expect.same(f"{what}: after {prefix}", generation.allowed(prefix), following)
        kept = [(tuple(p.split()), tuple(t for t in vocabulary if t in ts)) for p, ts in barred.items() if ts]
        expect.same(f"{what}: what is forbidden", list(generation.forbidden),
                    sorted(kept, key=lambda pair: generation.shortlex(pair[0])))  # fmt: skip
    expect.same("the longest horizon of one token", Generation((".",), ".", 1).size(), 1)
    check_masses(expect)


def check_masses(expect: Expectations) -> None:
    """Masses and mass gradients of the stated problems against the third reading."""
    arithmetic = EnclosureArithmetic()
    for stated in stated_problems():
        problem: Problem = problem_from_mapping(stated)
        reading = Reading(problem)
        family: Any = problem.family
        theta = [number(entry) for entry in problem.theta]
        exact = (
            problem.family.name in ("bernoulli", "simplex")
            or stated.get("generation", {}).get("parameterisation") == "masses"
        )
        expect.same(f"{problem.family.name} is exact", family.exact, exact)
        for prompt in problem.prompts:
            masses = family.masses(problem.theta, prompt, arithmetic)
            rows = family.mass_gradients(problem.theta, prompt, arithmetic)
            expected, slopes = reading.policy(theta, prompt)
            for mass, row, plain_mass, plain_row in zip(masses, rows, expected, slopes, strict=True):
                near(expect, f"{problem.family.name}: a mass", arithmetic, mass, plain_mass)
                for entry, slope in zip(row, plain_row, strict=True):
                    near(expect, f"{problem.family.name}: a mass gradient", arithmetic, entry, slope)
            expect.true("masses sum to 1", bool(abs(sum(expected) - 1) < context.mpf(10) ** -60))
    check_long_responses(expect)


def check_long_responses(expect: Expectations) -> None:
    """To horizon 3 the mass of a response is linear in each parameter: its derivative is a difference, exactly."""
    family = AutoregressiveMasses(Generation(("a", "b", "."), ".", 3, ((("a", "b"), ("a",)),)))
    keys, size = family.support_keys, len(family.support_keys)
    prompt = Prompt(0, "q", keys, (Fraction(0),) * size, (Fraction(1, size),) * size, family.response_keys)
    arithmetic = ExactArithmetic()
    theta = [Fraction(2 + axis % 3, 12) for axis in range(family.dimension)]
    masses, rows = family.masses(theta, prompt, arithmetic), family.mass_gradients(theta, prompt, arithmetic)
    step = Fraction(1, 1000)
    for axis in range(family.dimension):
        moved = [entry + step * (place == axis) for place, entry in enumerate(theta)]
        further = family.masses(moved, prompt, arithmetic)
        for word, mass, later, row in zip(keys, masses, further, rows, strict=True):
            expect.same(f"the derivative of {word} by {axis}", row[axis], (later - mass) / step)
    logits = AutoregressiveLogits(family.generation)
    enclosures = EnclosureArithmetic()
    point = [Fraction(axis % 4, 3) for axis in range(logits.dimension)]
    found = logits.masses(point, prompt, enclosures)
    slopes = logits.mass_gradients(point, prompt, enclosures)
    for tokens, mass, row in zip(family.generation.support, found, slopes, strict=True):
        expected, by_axis = context.mpf(1), [context.mpf(0)] * len(point)
        for h, token in enumerate(tokens):
            block, allowed = logits.blocks[tokens[:h]], family.generation.allowed(tokens[:h])
            weights = [context.exp(number(point[axis])) for axis in block]
            shares = [weight / sum(weights) for weight in weights]
            expected *= shares[allowed.index(token)]
            for axis, share, other in zip(block, shares, allowed, strict=True):
                by_axis[axis] = (other == token) - share
        near(expect, f"the mass of {tokens}", enclosures, mass, expected)
        for entry, factor in zip(row, by_axis, strict=True):
            near(expect, f"a derivative of {tokens}", enclosures, entry, expected * factor)


@groundwork(
    "W2", scope="the example problems and the stated ones, each as JSON and as TOML", files=("examples/*.toml",)
)
def examples_are_written_back_as_they_are(expect: Expectations) -> None:
    """Every example problem is written as what its file states."""
    for path in sorted(examples().glob("*.toml")):
        stated = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Fraction)
        written = problem_to_mapping(read_problem(path))
        for key, value in plain(written).items():
            if key in stated and key not in ("prompts", "domain", "generation"):
                expect.same(f"{path.name}: {key}", value, plain(stated[key]))
        for found, table in zip(written["prompts"], stated["prompts"], strict=True):
            for key, value in table.items():
                expect.same(
                    f"{path.name}: {key}", plain(found[key]) if key in found else table["responses"], plain(value)
                )
        expect.same(
            f"{path.name}: through JSON", problem_from_mapping(json.loads(json.dumps(written))), read_problem(path)
        )
    expect.true("there are examples", expect.comparisons > 0)
