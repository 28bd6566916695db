"""The advantage rules that a log is held against, and which of them a batch of groups leaves standing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor, Missing
from grpocheck.verifier.audit import bounds, exact
from grpocheck.verifier.audit.bounds import DOUBLE, Groups
from grpocheck.verifier.audit.model import Booleans, Floats
from grpocheck.verifier.audit.settings import Settings

EPSILONS = (Fraction(0), Fraction(1, 10**4), Fraction(1, 10**6), Fraction(1, 10**8))
WORDS = {
    Divisor.NONE: "",
    Divisor.POPULATION: " over the group's population deviation",
    Divisor.SAMPLE: " over the group's sample deviation",
    Divisor.BATCH_POPULATION: " over the batch's population deviation",
    Divisor.BATCH_SAMPLE: " over the batch's sample deviation",
}
BASELINES = {
    Baseline.MEAN: "reward minus the group's mean",
    Baseline.LEAVE_ONE_OUT: "reward minus the mean of the others",
    Baseline.BATCH_MEAN: "reward minus the batch's mean",
    Baseline.NONE: "the reward itself",
}


def rule_of(baseline: Baseline, divisor: Divisor, epsilon: Fraction = Fraction(0)) -> AdvantageRule:
    """A rule in which responses without a reward stand outside."""
    return AdvantageRule(baseline, divisor, epsilon, missing=Missing.EXCLUDED)


def known_rules() -> tuple[AdvantageRule, ...]:
    """Every rule that a log is tried against, those of more use first."""
    deviations = (Divisor.SAMPLE, Divisor.POPULATION, Divisor.BATCH_SAMPLE, Divisor.BATCH_POPULATION)
    scaled = [
        rule_of(Baseline.MEAN, divisor, epsilon)
        for divisor in deviations
        for epsilon in (EPSILONS[1], EPSILONS[2], EPSILONS[3], EPSILONS[0])
    ]
    whitened = [
        replace(rule_of(Baseline.BATCH_MEAN, batch, epsilon), first=first)
        for own, batch in ((Divisor.SAMPLE, Divisor.BATCH_SAMPLE), (Divisor.POPULATION, Divisor.BATCH_POPULATION))
        for epsilon in EPSILONS
        for first in (rule_of(Baseline.MEAN, own, epsilon), None)
    ]
    plain = [rule_of(baseline, Divisor.NONE) for baseline in BASELINES]
    return (plain[0], *scaled, *plain[1:], *whitened)


def declared_rule(settings: Settings) -> AdvantageRule | None:
    """The rule that TRL's settings declare; None where they say nothing."""
    if settings.word("multi_objective_aggregation") == "normalize_then_sum":
        own = rule_of(Baseline.MEAN, Divisor.SAMPLE, EPSILONS[1])
        return replace(rule_of(Baseline.BATCH_MEAN, Divisor.BATCH_SAMPLE, EPSILONS[1]), first=own)
    divisors = {"group": Divisor.SAMPLE, "batch": Divisor.BATCH_SAMPLE, "none": Divisor.NONE}
    scale = settings.word("scale_rewards")
    if scale not in divisors:
        return None
    epsilon = Fraction(0) if scale == "none" else EPSILONS[1]
    return rule_of(Baseline.MEAN, divisors[scale], epsilon)


def name_of(rule: AdvantageRule) -> str:
    """A rule in words."""
    if rule.first is not None:
        own = name_of(rule.first).replace("reward", "each reward", 1)
        return f"{own}, summed, minus the batch's mean{WORDS[rule.divisor]}{plus(rule.epsilon)}"
    return f"{BASELINES[rule.baseline]}{WORDS[rule.divisor]}{plus(rule.epsilon)}"


def plus(epsilon: Fraction) -> str:
    """The epsilon beside a deviation."""
    return f" + {float(epsilon):.0e}" if epsilon else ""


@dataclass(frozen=True)
class Departure:
    """A response, by group and place, whose logged advantage no float error takes to that of a rule."""

    group: int
    place: int
    logged: float
    expected: float
    bound: float


FEWEST = 4
"""Departures from which on they may show a pattern."""
CLOSE = 1e-6
"""Room for the rounding of a factor or a sum beside float error, relative to the number."""


def pattern_of(departures: Sequence[Departure]) -> str:
    """How all of some departures differ from what is expected: by one factor, or one number; empty where in no one way.

    >>> pattern_of([Departure(0, i, 1.5 * value, value, 1e-9) for i, value in enumerate((-1.0, 0.5, 0.25, 2.0))])
    'all 4 are 1.5 times what is expected'
    >>> pattern_of([Departure(0, i, value - 0.25, value, 1e-9) for i, value in enumerate((-1.0, 0.5, 0.25, 2.0))])
    'all 4 are what is expected - 0.25'
    """
    expected = np.array([one.expected for one in departures])
    logged, bound = (np.array([getattr(one, name) for one in departures]) for name in ("logged", "bound"))
    if len(departures) < FEWEST or not np.isfinite([expected, logged, bound]).all() or np.ptp(expected) == 0:
        return ""
    added = logged - expected
    if (np.abs(added - np.median(added)) <= 2 * bound + CLOSE * np.abs(logged)).all():
        number = float(np.median(added))
        return f"all {len(departures)} are what is expected {'+' if number > 0 else '-'} {abs(number):.6g}"
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = logged / expected
    middle = float(np.median(factors[np.isfinite(factors)])) if np.isfinite(factors).any() else np.nan
    if (np.abs(logged - middle * expected) <= 2 * abs(middle) * bound + CLOSE * np.abs(logged)).all():
        return f"all {len(departures)} are {middle:.6g} times what is expected"
    return ""


@dataclass
class Candidate:
    """A rule with weights of the reward functions, and how it has fared so far."""

    rule: AdvantageRule
    weights: tuple[float, ...]
    declared: bool = False
    checked: int = 0
    sharply: int = 0
    """Responses checked, and those of them that float error could not have moved far."""
    departures: int = 0
    level: int = 0
    """Departures in groups of equal rewards, which by any rule of its kind have 0: they tell it from no other."""

    @property
    def stands(self) -> bool:
        """Whether no response departs from it, but for those of groups that tell no rule from another."""
        return self.departures == 0

    @property
    def spoken_for(self) -> bool:
        """Whether more responses follow it than depart in groups of equal rewards."""
        return self.checked > 2 * self.level

    @property
    def name(self) -> str:
        """The rule in words."""
        return name_of(self.rule)

    @property
    def weighed(self) -> str:
        """The weights in words."""
        return ", ".join(f"{weight:g}" for weight in self.weights)

    def tried(
        self, groups: Groups, logged: Floats, usable: Booleans, roundoff: float, equal: Booleans
    ) -> list[Departure]:
        """The responses of a batch that depart from it.

        ``usable`` (N,) says which groups have finite rewards, ``equal`` (N,) which have equal ones.
        """
        coupled = self.rule.couples_groups
        if not usable.any() or (coupled and not usable.all()):
            return []
        weights = np.array(self.weights)
        with np.errstate(invalid="ignore", over="ignore"):
            there = bounds.advantages(groups, weights, self.rule, roundoff)
            here = bounds.advantages(groups, weights, self.rule, DOUBLE)
            away = np.abs(logged - here.value)
        # The loss gets the advantage in the trainer's format: half a unit in the last place of it on top.
        allowed = there.error + roundoff * np.abs(here.value)
        # Where the trainer's float may give anything (a deviation of residues alone), nothing is said for or against.
        looked = groups.there & usable[:, None] & np.isfinite(allowed) & np.isfinite(here.value)
        with np.errstate(invalid="ignore"):
            good = away + here.error <= allowed
            bad = looked & ~good & ((away - here.error > allowed) | np.isnan(away))
        undecided = looked & ~good & ~bad
        if undecided.any():
            bad |= self.decided(groups, logged, usable, undecided, allowed)
        self.checked += int(looked.sum())
        self.sharply += int((looked & (allowed <= SHARP * np.maximum(1.0, np.abs(here.value)))).sum())
        found = [
            Departure(int(i), int(j), float(logged[i, j]), float(here.value[i, j]), float(allowed[i, j]))
            for i, j in zip(*np.nonzero(bad), strict=True)
        ]
        own_mean = self.rule.first is None and self.rule.baseline in (Baseline.MEAN, Baseline.LEAVE_ONE_OUT)
        several = groups.there.sum(axis=1) > 1
        level = sum(bool(own_mean and equal[one.group] and several[one.group]) for one in found)
        self.level += level
        self.departures += len(found) - level
        return found

    def exactly(self, groups: Groups, usable: Booleans, group: int) -> Sequence[object]:
        """The exact advantages of one group."""
        own = replace(self.rule, weights=tuple(map(Fraction, self.weights)))
        picked = np.nonzero(usable)[0].tolist() if self.rule.couples_groups else [group]
        rewards = [
            [list(map(float, groups.rewards[i, j])) for j in range(groups.there.shape[1]) if groups.there[i, j]]
            for i in picked
        ]
        return exact.exact_advantages(rewards, own)[picked.index(group)]

    def decided(
        self, groups: Groups, logged: Floats, usable: Booleans, undecided: Booleans, allowed: Floats
    ) -> Booleans:
        """Of responses that float64 leaves open, those that depart, by exact arithmetic."""
        found = np.zeros(undecided.shape, dtype=bool)
        for group in np.nonzero(undecided.any(axis=1))[0]:
            values = self.exactly(groups, usable, int(group))
            seats = np.nonzero(groups.there[group])[0]
            for seat, value in zip(seats, values, strict=True):
                if undecided[group, seat] and np.isfinite(logged[group, seat]):
                    found[group, seat] = not exact.within(
                        value, float(logged[group, seat]), float(allowed[group, seat])
                    )
        return found

    def sharpened(self, groups: Groups, usable: Booleans, departure: Departure) -> Departure:
        """A departure with what is expected from exact arithmetic."""
        seats = np.nonzero(groups.there[departure.group])[0].tolist()
        value = self.exactly(groups, usable, departure.group)[seats.index(departure.place)]
        return replace(departure, expected=exact.decimal(value))


def candidates_of(
    declared: AdvantageRule | None, weights: Sequence[tuple[float, ...]], stated: bool
) -> list[Candidate]:
    """Every rule with each of the weights, the declared one first.

    ``stated``: settings say the weights. Where they declare a rule too, a trainer that ignores them is looked for.
    """
    rules = known_rules()
    if declared is not None and declared not in rules:
        rules = (declared, *rules)
    ones = tuple(1.0 for _ in weights[0])
    if stated and declared is not None and ones not in weights:
        weights = [*weights, ones]
    found = [
        Candidate(rule, vector, declared=rule == declared and place == 0)
        for place, vector in enumerate(weights)
        for rule in rules
    ]
    return sorted(found, key=lambda one: not one.declared)


def dict_by_rule(candidates: Iterable[Candidate]) -> list[Candidate]:
    """The candidates, one for each rule."""
    return list({one.rule: one for one in candidates}.values())


SHARP = 0.02
"""Relative room for float error above which a fit says little."""
TELLING = 4
"""One in so many of the responses that a candidate was checked on has to be checked sharply, for its fit to tell."""
MOST_EXACT = 20
"""Departures of a batch after which what is expected is shown from float64, which is near enough to look at."""


@dataclass
class Contest:
    """All candidates of one reading of a log; those that fell are tried no more while another stands."""

    survivors: list[Candidate]
    fallen: list[tuple[Candidate, Any, Departure]] = field(default_factory=list)
    """The declared candidates that fell, each with the batch and the response that it fell at."""
    rows: int = 0
    levelled: bool = False
    """Whether departures in groups of equal rewards were told of candidates that stand all the same."""
    failed: bool = False
    """Whether a batch had departures from every candidate that could be checked on it."""

    @property
    def fitting(self) -> list[Candidate]:
        """The candidates from which nothing departs, of those that were checked about as sharply as any."""
        standing = [one for one in self.survivors if one.stands and one.spoken_for and 2 * one.checked >= self.rows]
        sharpest = self.sharpest
        return [one for one in standing if one.declared or 2 * one.sharply >= sharpest]

    @property
    def tells(self) -> bool:
        """Whether a candidate fits from the start, of which float error does not leave nearly everything open."""
        return not self.failed and any(TELLING * one.sharply >= one.checked for one in self.fitting)

    @property
    def level(self) -> int:
        """How many responses of groups of equal rewards depart from every candidate that fits."""
        return min((one.level for one in self.fitting), default=0)

    @property
    def sharpest(self) -> int:
        """How many responses were checked sharply by the candidate that has most of them."""
        return max((one.sharply for one in self.survivors if one.stands), default=0)

    @property
    def stands(self) -> bool:
        """Whether a candidate fits."""
        return bool(self.fitting)

    def tried(
        self, groups: Groups, logged: Floats, usable: Booleans, roundoff: float, equal: Booleans, batch: Any
    ) -> list[Departure]:
        """Try the candidates that stand on a batch; if all fall, the departures from the one that fares best.

        Where all that stand have departures in groups of equal rewards, they stand on: such groups choose no rule.
        """
        self.rows += int((groups.there & usable[:, None]).sum())
        outcomes = [(one, one.tried(groups, logged, usable, roundoff, equal)) for one in self.survivors]
        standing = [one for one, _ in outcomes if one.stands]
        clean = [one for one in standing if not one.level]
        faulty = any(one.level and one.checked for one in standing) and (
            self.levelled or not any(one.checked for one in clean)
        )
        self.fallen += [
            (one, batch, one.sharpened(groups, usable, found[0]))
            for one, found in outcomes
            if one.declared and found and not (faulty and one.stands)
        ]
        if faulty:
            self.levelled, self.survivors = True, standing
            best, found = min(
                ((one, found) for one, found in outcomes if one.stands and one.checked),
                key=lambda outcome: (not outcome[0].declared, -outcome[0].level),
            )
            return self.told(best, found, groups, usable)
        fallen = [(one, found) for one, found in outcomes if not one.stands or one.level]
        if not fallen or any(one.checked for one in clean):
            self.survivors = clean or self.survivors
            return []
        fallen += [
            (one, one.tried(groups, logged, usable, roundoff, equal))
            for one, *_ in self.fallen
            if all(one is not other for other, _ in outcomes)
        ]
        half = int((groups.there & usable[:, None]).sum()) // 2  # where most depart, their number says little
        best, found = min(
            fallen,
            key=lambda outcome: (
                not outcome[0].declared,
                min(len(outcome[1]), half),
                not pattern_of(outcome[1]),
                len(outcome[1]),
            ),
        )
        self.survivors, self.failed = [*clean, best], True  # those that stand could not be checked yet
        return self.told(best, found, groups, usable)

    @staticmethod
    def told(best: Candidate, found: list[Departure], groups: Groups, usable: Booleans) -> list[Departure]:
        """The departures of a batch with what is expected, exactly for the first of them."""
        return [best.sharpened(groups, usable, one) for one in found[:MOST_EXACT]] + found[MOST_EXACT:]
