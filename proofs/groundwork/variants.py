"""W4: values, slopes and kinks of the variants against the second reading and its difference quotients."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, MpArithmetic
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes, value
from grpocheck.core.variants.frozen_batch import freeze_batch
from grpocheck.core.variants.registry import NAMED, named
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import composition, with_parts
from grpocheck.proofs.digits import Float, context, number, value_of
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.variants_reading import (
    Composition,
    Logs,
    PlainBatch,
    PlainResponse,
    PlainToken,
    Rule,
    VariantReading,
    logs_of,
)

SEED = 22
STEP = context.mpf(10) ** -22
CLOSE = context.mpf(10) ** -18
MASSES = [Fraction(n, 20) for n in (2, 4, 5, 6, 8, 10, 12)]
REWARDS = [Fraction(0), Fraction(1), Fraction(1, 2), Fraction(-2), Fraction(3)]


def mass_before(random: Random, new: Fraction, epsilon: Fraction) -> Fraction:
    """An old mass: any, the same, or one that puts the ratio exactly on a side of the clip."""
    bound = random.choice((1 + epsilon, 1 - epsilon, Fraction(3, 2), Fraction(1)))
    return random.choice((random.choice(MASSES), random.choice(MASSES), new / bound))


def random_batch(random: Random, missing: bool, functions: int) -> PlainBatch:
    """Two groups of two or three responses of one to three tokens, some of which do not count."""
    epsilon = random.choice((Fraction(1, 5), Fraction(1, 10)))
    groups = []
    for _ in range(random.choice((1, 2, 2))):
        group = []
        for _ in range(random.choice((2, 3))):
            tokens = []
            for _ in range(random.choice((1, 2, 3))):
                new = random.choice(MASSES)
                sampler = random.choice((None, random.choice(MASSES)))
                entropy = Fraction(random.randrange(1, 9), 4)
                token = PlainToken(
                    new, mass_before(random, new, epsilon), random.choice((new, *MASSES)), sampler, entropy
                )
                token.active = random.random() > 0.15
                tokens.append(token)
            rewards: list[Fraction | None] = [random.choice(REWARDS) for _ in range(functions)]
            group.append(PlainResponse(tokens, [None if missing and random.random() < 0.3 else r for r in rewards]))
        groups.append(group)
    divergences = [Fraction(random.randrange(1, 9), 8) for _ in groups]
    return PlainBatch(groups, divergences, epsilon, random.choice((Fraction(1, 4), Fraction(0), Fraction(2))), 3)


def random_rule(random: Random, functions: int, first: bool = True) -> Rule:
    """An advantage rule of any kind."""
    rule = Rule(
        random.choice(("none", "mean", "mean", "leave-one-out", "batch-mean")),
        random.choice(("none", "population", "sample", "batch-population", "batch-sample")),
    )
    rule.missing = random.choice(("error", "excluded", "zero"))
    if rule.divisor != "none":
        rule.epsilon = random.choice((Fraction(0), Fraction(1, 10**4)))
        rule.floor = random.choice((Fraction(0), Fraction(0), Fraction(1, 4)))
    if functions > 1 and first:
        rule.weights = random.choice((None, [Fraction(k + 1, 2) for k in range(functions)]))
        rule.first = random.choice((None, random_rule(random, functions, False)))
    return rule


NUMBERS: dict[str, list[dict[str, Fraction]]] = {
    "two-sided": [{}, {"low": Fraction(1, 4)}, {"high": Fraction(7, 25)},
        {"low": Fraction(1, 2), "high": Fraction(1, 2)}],
    "upper-cap": [{}, {"high": Fraction(1, 2)}],
    "dual-clip": [{}, {"cap": Fraction(3, 2)}, {"cap": Fraction(2), "low": Fraction(1, 10)}],
    "delta": [{}, {"delta": Fraction(11, 10)}, {"delta": Fraction(2), "high": Fraction(1, 2)}],
    "unclipped": [{}],
    "soft-gate": [{}, {"positive": Fraction(2), "negative": Fraction(1, 2)}],
    "score": [{}],
    "capped-score": [{}, {"high": Fraction(1, 2)}],
    "clipped-weight": [{}, {"cap": Fraction(3, 2)}, {"cap": Fraction(2), "floor": Fraction(3, 4)}],
    "gamma-weight": [{}, {"positive-power": Fraction(1), "negative-rate": Fraction(1, 2), "positive-rate": Fraction(2)},
                     {"negative-power": Fraction(0)}],
}  # fmt: skip


def random_composition(random: Random, functions: int) -> Composition:
    """Any composition of parts."""
    chosen = Composition(random_rule(random, functions))
    chosen.level = random.choice(("token", "token", "sequence", "geometric-mean"))
    chosen.denominator = random.choice(("old", "old", "old", "reference", "current"))
    chosen.term = random.choice(list(NUMBERS))
    chosen.numbers = random.choice(NUMBERS[chosen.term])
    chosen.kl = random.choice(("none", "exact", "k1", "k2", "k3", "k3-reversed"))
    if chosen.kl.startswith("k"):
        chosen.place = random.choice(("loss", "loss", "reward-before-baseline", "reward-after-baseline"))
        chosen.weight = random.choice(("none", "ratio", "ratio-detached")) if chosen.place == "loss" else "none"
        chosen.clamp_log_ratio = random.choice((None, None, Fraction(1, 2)))
        chosen.clamp_value = random.choice((None, None, Fraction(1, 4)))
    chosen.own_length = random.random() < 0.5
    chosen.per = random.choice(("none", "maximum-length", "group-tokens", "all-tokens", "constant"))
    chosen.constant = Fraction(7, 2) if chosen.per == "constant" else None
    chosen.off_policy = random.choice((None, None, Fraction(0), Fraction(1, 2)))
    chosen.entropy_share = random.choice((None, None, Fraction(1, 2), Fraction(4, 5), Fraction(1)))
    chosen.bonus = random.choice((Fraction(0), Fraction(0), Fraction(1, 3)))
    chosen.selection = random.choice(("all", "all", "mean-over-kept"))
    return chosen


def to_core(batch: PlainBatch, arithmetic: Any) -> Batch:
    """The batch as core holds it, in the numbers of an arithmetic."""
    n = arithmetic.number
    return Batch(
        tuple(
            SampledGroup(
                tuple(
                    SampledResponse(
                        tuple(
                            SampledToken(
                                n(t.new), n(t.old), n(t.reference), None if t.sampler is None else n(t.sampler),
                                n(t.entropy), t.active,
                            )
                            for t in one.tokens
                        ),
                        tuple(None if r is None else n(r) for r in one.rewards),
                    )
                    for one in group
                ),
                n(divergence),
            )
            for group, divergence in zip(batch.groups, batch.divergences, strict=True)
        ),
        n(batch.epsilon),
        n(batch.beta),
        batch.maximum_length,
    )  # fmt: skip


def bounds_of(arithmetic: Any, found: Any) -> tuple[Float, Float]:
    """The ends of what is known of a number."""
    text = arithmetic.text(found)
    ends = list(map(value_of, text)) if isinstance(text, list) else [value_of(text)]
    return ends[0], ends[-1]


def near(expect: Expectations, what: str, arithmetic: Any, found: Any, expected: Float) -> None:
    """A number of core is this one, to 18 digits."""
    lower, upper = bounds_of(arithmetic, found)
    slack = CLOSE * max(1, abs(expected))
    expect.true(
        f"{what}: {found}, expected {context.nstr(expected, 20)}", bool(lower - slack <= expected <= upper + slack)
    )


def moved(logs: Logs, g: int, i: int, h: int, by: Float) -> Logs:
    """The logs with one of them moved."""
    copied = [[list(row) for row in group] for group in logs]
    copied[g][i][h] += by
    return copied


def check_variant(
    expect: Expectations, what: str, variant: Variant, chosen: Composition, batch: PlainBatch, arithmetic: Any
) -> None:
    """Value, slopes, jumps, marks and the derivatives by entropy and divergence."""
    reading, given = VariantReading(chosen, batch), to_core(batch, arithmetic)
    logs = logs_of(batch)
    here = reading.objective(logs) if reading.groups else context.mpf(0)
    if arithmetic.name != "exact":
        near(expect, f"{what}: F", arithmetic, value(variant, given, arithmetic), here)
    found = slopes(variant, given, arithmetic)
    expect.same(f"{what}: the kept groups", found.groups, tuple(reading.kept_groups))
    jumps: dict[tuple[int, int, int], Float] = {}
    for kink in found.kinks:
        for h, part in enumerate(kink.direction):
            jump = sum(bounds_of(arithmetic, kink.jump)) / 2 * number(part)
            place = (kink.group, kink.response, h)
            jumps[place] = jumps.get(place, context.mpf(0)) + jump
    for g, group in enumerate(batch.groups):
        for i, one in enumerate(group):
            for h, token in enumerate(one.tokens):
                slope = found.log_masses[g][i][h]
                if not token.active or g not in reading.kept_groups:
                    expect.same(f"{what}: a token that does not count", slope == 0, True)
                    expect.same(f"{what}: its mark", found.marked[g][i][h], False)
                    continue
                right = (reading.objective(moved(logs, g, i, h, STEP)) - here) / STEP
                left = (here - reading.objective(moved(logs, g, i, h, -STEP))) / STEP
                near(expect, f"{what}: slope at {(g, i, h)}", arithmetic, slope, (left + right) / 2)
                gap = jumps.get((g, i, h), context.mpf(0)) - (right - left)
                expect.true(f"{what}: jump at {(g, i, h)}: {right - left}", bool(abs(gap) < CLOSE * max(1, abs(right))))
                mark = reading.marked[reading.kept_groups.index(g)][i][one.counting().index(h)]
                expect.same(f"{what}: the mark at {(g, i, h)}", found.marked[g][i][h], mark)
    bonus = number(chosen.bonus) / reading.count_marked if reading.groups and reading.count_marked else context.mpf(0)
    near(expect, f"{what}: by entropy", arithmetic, found.entropy, bonus)
    share = -number(batch.beta) / len(reading.groups) if chosen.kl == "exact" and reading.groups else context.mpf(0)
    near(expect, f"{what}: by divergence", arithmetic, found.divergence, share)


def is_exact(chosen: Composition, batch: PlainBatch) -> bool:
    """Whether a composition's slopes need neither exponentials nor logarithms."""
    return (
        chosen.kl in ("none", "exact", "k3", "k3-reversed")
        and chosen.place == "loss"
        and not (chosen.kl.startswith("k") and batch.beta)
        and chosen.level != "geometric-mean"
        and chosen.term not in ("soft-gate", "gamma-weight")
        and chosen.off_policy is None
    )


@groundwork("W4", scope="random compositions on random batches: values, slopes, kinks, against the second reading")
def compositions_are_their_formulas(expect: Expectations) -> None:
    """What needs no logarithm is computed exactly, so that ratios on a bound are on it; the rest in mp."""
    random = Random(SEED)
    mp = MpArithmetic(60)
    for round_ in range(140):
        functions = random.choice((1, 1, 2, 3))
        chosen = random_composition(random, functions)
        batch = random_batch(random, chosen.advantage.missing != "error", functions)
        variant = with_parts(Variant("tried", source="here"), chosen.texts())
        arithmetic: Any = ExactArithmetic() if is_exact(chosen, batch) else mp
        if arithmetic is mp:
            off_bounds(batch, random)
        check_variant(expect, f"{round_}: {' '.join(chosen.texts())}", variant, chosen, batch, arithmetic)


def off_bounds(batch: PlainBatch, random: Random) -> None:
    """Move old masses so that no ratio lies on a bound: rounded numbers would not tell on which side it is."""
    for group in batch.groups:
        for one in group:
            for token in one.tokens:
                token.old = token.old * Fraction(random.randrange(1000, 1100), 1061)
                token.reference = token.reference * Fraction(random.randrange(1000, 1100), 1063)


METHODS: dict[str, Composition] = {
    "section-1": Composition(Rule(divisor="population"), "sequence", kl="exact"),
    "grpo-token": Composition(Rule(divisor="population"), kl="k3"),
    "dr-grpo": Composition(Rule(), own_length=False, per="maximum-length"),
    "bnpo": Composition(Rule(divisor="population"), own_length=False, per="all-tokens"),
    "dapo": Composition(Rule(divisor="population"), numbers={"high": Fraction(7, 25)}, own_length=False,
        per="all-tokens"),
    "dapo-dynamic": Composition(
        Rule(divisor="population"), numbers={"high": Fraction(7, 25)}, own_length=False, per="all-tokens",
        selection="until-mixed",
    ),
    "gspo": Composition(Rule(divisor="population"), "geometric-mean"),
    "cispo": Composition(Rule(divisor="population"), term="clipped-weight", own_length=False, per="all-tokens"),
    "sapo": Composition(Rule(divisor="population"), term="soft-gate"),
    "luspo": Composition(Rule(divisor="population"), "geometric-mean", own_length=False),
    "vespo": Composition(Rule(divisor="population"), "sequence", term="gamma-weight", own_length=False,
        per="all-tokens"),
    "gdpo": Composition(Rule("batch-mean", "batch-population", first=Rule(divisor="population"))),
    "dual-clip": Composition(Rule(divisor="population"), term="dual-clip", own_length=False, per="all-tokens"),
    "delta": Composition(Rule(divisor="population"), term="delta"),
    "tic-surrogate": Composition(Rule(divisor="population"), "sequence", term="upper-cap", per="maximum-length"),
    "tic-score": Composition(Rule(divisor="population"), "sequence", term="capped-score", own_length=False,
        per="maximum-length"),
    "reinforce-mean": Composition(Rule(), term="score", own_length=False),
    "reinforce-leave-one-out": Composition(Rule("leave-one-out"), term="score", own_length=False),
    "reinforce-std": Composition(Rule(divisor="population"), term="score", own_length=False),
    "reinforce-none": Composition(Rule("none"), term="score", own_length=False),
    "importance-weighted": Composition(Rule("none"), "sequence", term="unclipped"),
}  # fmt: skip
"""The named methods as the papers have them."""


@groundwork("W4", scope="every named method, as its paper has it, on random batches in certified bounds; its words")
def named_methods_are_those_of_their_papers(expect: Expectations) -> None:
    """Values and slopes against the second reading, and the texts of the parts."""
    expect.same("the names", sorted(NAMED), sorted(METHODS))
    random = Random(SEED + 1)
    for name, chosen in METHODS.items():
        written = [f"{part}={text}" for part, text in composition(named(name)).items()]
        expect.same(f"the parts of {name}", written, chosen.texts())
        expect.same(f"{name} from its parts", with_parts(Variant("x"), written).term, named(name).term)
        batch = random_batch(random, False, 2 if name == "gdpo" else 1)
        for group, place in product(batch.groups, (0, 1)):
            group[place].rewards = [Fraction(place)] * len(group[place].rewards)
        off_bounds(batch, random)
        check_variant(expect, name, named(name), chosen, batch, EnclosureArithmetic())
        detached = chosen.term in ("score", "capped-score", "clipped-weight", "gamma-weight")
        expect.same(f"{name} has an objective", named(name).has_objective, not detached)
        couples = chosen.per == "all-tokens" or chosen.advantage.divisor.startswith("batch")
        expect.same(f"{name} couples groups", named(name).couples_groups, couples)
        expect.same(f"{name} needs entropies", named(name).needs_entropies, False)


@groundwork("W4", scope="three draws in which nothing, one thing or everything is missing, frozen batches by hand")
def frozen_batches_are_those_by_hand(expect: Expectations) -> None:
    """What a composition makes of a batch before anything moves, in numbers that are worked out here."""
    arithmetic = ExactArithmetic()
    half = Fraction(1, 2)
    token = SampledToken(half, half, half)

    def frozen(parts: list[str], rewards: list[list[Fraction | None]]) -> Any:
        responses = tuple(SampledResponse((token, token), tuple(r)) for r in rewards)
        batch = Batch((SampledGroup(responses),), Fraction(1, 5), Fraction(0), 2)
        return freeze_batch(with_parts(Variant("by hand"), parts), batch, arithmetic)

    single: list[list[Fraction | None]] = [[Fraction(n)] for n in (1, 0, 4)]
    one, zero, four = single
    tables: list[tuple[str, list[list[Fraction | None]], tuple[Any, ...]]] = [
        ("advantage=mean", [one, zero, four], (Fraction(-2, 3), Fraction(-5, 3), Fraction(7, 3))),
        ("advantage=leave-one-out", [one, zero, four], (-1, Fraction(-5, 2), Fraction(7, 2))),
        ("advantage=mean/sample", [one, zero], (arithmetic.sqrt(half), -arithmetic.sqrt(half))),
        ("advantage=mean/population,epsilon=1/2", [one, zero], (half, -half)),
        ("advantage=mean/population,floor=1", [one, zero], (half, -half)),
        ("advantage=mean/population", [one, one], (0, 0)),
        ("advantage=mean/sample", [one], (0,)),
        ("advantage=leave-one-out", [one], (0,)),
        ("advantage=mean,missing=excluded", [one, zero, [None]], (half, -half, 0)),
        ("advantage=mean,missing=zero", [one, zero, [None]], (Fraction(2, 3), Fraction(-1, 3), Fraction(-1, 3))),
        ("advantage=none", [one, four], (1, 4)),
    ]
    for text, rewards, expected in tables:
        expect.same(f"{text} of {len(rewards)} rewards", frozen([text], rewards).advantages, (expected,))
    both: list[list[Fraction | None]] = [[Fraction(1), Fraction(2)], [Fraction(3), None]]
    rule = "advantage=mean,missing=excluded,weights=2:1/2"
    expect.same("a sum takes what is there", frozen([rule], both).advantages, ((Fraction(-3, 2), Fraction(3, 2)),))
    expect.same("nothing there", frozen(["advantage=mean,missing=excluded"], [[None], [None]]).advantages, ((0, 0),))
    expect.same("marks", frozen([], [one, zero]).marked, (((True, True), (True, True)),))
