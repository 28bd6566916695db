"""A second reading of the variants, in mpmath at 80 digits: what a composition of parts makes of a batch.

It shares no code with core. A composition is held as the words and numbers that were chosen; what is written to core is
their text. Current log-probabilities are handed in apart from the batch, so that the objective can be followed as a
function of them; what is detached is taken at the batch's own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grpocheck.proofs.digits import Float, context, number

ZERO = context.mpf(0)
ONE = context.mpf(1)


@dataclass
class PlainToken:
    """One sampled token: masses, and whether it counts."""

    new: Fraction
    old: Fraction
    reference: Fraction
    sampler: Fraction | None
    entropy: Fraction
    active: bool = True


@dataclass
class PlainResponse:
    """Tokens and one reward for each function."""

    tokens: list[PlainToken]
    rewards: list[Fraction | None]

    def counting(self) -> list[int]:
        """The places of the tokens that count."""
        return [h for h, token in enumerate(self.tokens) if token.active]


@dataclass
class PlainBatch:
    """Groups of responses, the exact divergence of each group, epsilon, beta and H."""

    groups: list[list[PlainResponse]]
    divergences: list[Fraction]
    epsilon: Fraction
    beta: Fraction
    maximum_length: int


@dataclass
class Rule:
    """An advantage rule: the words and numbers of its text."""

    baseline: str = "mean"
    divisor: str = "none"
    epsilon: Fraction = Fraction(0)
    floor: Fraction = Fraction(0)
    missing: str = "error"
    weights: list[Fraction] | None = None
    first: "Rule | None" = None

    def text(self, separator: str = ",") -> str:
        """The rule as it is written."""
        pieces = [self.baseline if self.divisor == "none" else f"{self.baseline}/{self.divisor}"]
        pieces += [f"epsilon={self.epsilon}"] * bool(self.epsilon) + [f"floor={self.floor}"] * bool(self.floor)
        pieces += [f"missing={self.missing}"] * (self.missing != "error")
        pieces += ["weights=" + ":".join(map(str, self.weights))] if self.weights else []
        pieces += ["first=" + self.first.text(";")] if self.first else []
        return separator.join(pieces)


@dataclass
class Composition:
    """The parts of a variant: words, and their numbers by key."""

    advantage: Rule = field(default_factory=Rule)
    level: str = "token"
    denominator: str = "old"
    term: str = "two-sided"
    numbers: dict[str, Fraction] = field(default_factory=dict)
    kl: str = "none"
    weight: str = "none"
    place: str = "loss"
    clamp_log_ratio: Fraction | None = None
    clamp_value: Fraction | None = None
    own_length: bool = True
    per: str = "none"
    constant: Fraction | None = None
    off_policy: Fraction | None = None
    entropy_share: Fraction | None = None
    bonus: Fraction = Fraction(0)
    selection: str = "all"

    def texts(self) -> list[str]:
        """The parts as they are written, each ``part=word,key=number``."""
        kl = (
            self.kl
            + f",weight={self.weight}" * (self.weight != "none")
            + f",place={self.place}" * (self.place != "loss")
        )
        kl += "" if self.clamp_log_ratio is None else f",clamp-log-ratio={self.clamp_log_ratio}"
        kl += "" if self.clamp_value is None else f",clamp-value={self.clamp_value}"
        own = "own-length" + f"+{self.per}" * (self.per != "none") if self.own_length else self.per
        return [
            f"advantage={self.advantage.text()}",
            f"ratio={self.level}" + f",denominator={self.denominator}" * (self.denominator != "old"),
            f"term={self.term}" + "".join(f",{key}={value}" for key, value in self.numbers.items()),
            f"kl={kl}",
            f"normalisation={own}" + ("" if self.constant is None else f",constant={self.constant}"),
            f"off-policy-mask={'none' if self.off_policy is None else self.off_policy}",
            f"entropy-mask={'none' if self.entropy_share is None else self.entropy_share}",
            f"entropy-bonus={self.bonus or 'none'}",
            f"selection={self.selection}",
        ]


Logs = list[list[list[Float]]]
"""log pi_theta of each sampled token: [group][response][token]."""


def logs_of(batch: PlainBatch) -> Logs:
    """The batch's own current log-probabilities."""
    return [[[context.log(number(t.new)) for t in r.tokens] for r in group] for group in batch.groups]


def mean(values: Sequence[Float]) -> Float:
    """The arithmetic mean."""
    return sum(values, ZERO) / len(values)


Values = list[list[Float | None]]


def divided_rows(rows: Values, rule: Rule) -> Values:
    """(R_i - baseline) / divisor for each reward that is there, 0 for the others."""
    everything = [value for row in rows for value in row if value is not None]
    lines: Values = []
    for row in rows:
        own = [value for value in row if value is not None]
        over = everything if rule.divisor.startswith("batch") else own
        centre = mean(over) if over else ZERO
        squares = sum(((value - centre) ** 2 for value in over), ZERO)
        lost = 1 if rule.divisor.endswith("sample") else 0
        scale = context.sqrt(max(squares / max(1, len(over) - lost), number(rule.floor))) + number(rule.epsilon)
        line: list[Float | None] = []
        for value in row:
            if value is None:
                line.append(ZERO)
                continue
            others = [*own]
            others.remove(value)
            base = {
                "none": ZERO,
                "mean": mean(own),
                "batch-mean": mean(everything),
                "leave-one-out": mean(others) if others else mean(own),
            }[rule.baseline]
            if rule.divisor == "none":
                line.append(value - base)
            elif abs(scale) < context.mpf(10) ** -60:
                line.append(ZERO)
            else:
                line.append((value - base) / scale)
        lines.append(line)
    return lines


def summed_rewards(groups: list[list[PlainResponse]], rule: Rule) -> Values:
    """R_i: the weighted sum of a response's rewards, each function normalised first where the rule says so."""
    table = [
        [[ZERO if r is None and rule.missing == "zero" else None if r is None else number(r) for r in one.rewards]
         for one in group] for group in groups
    ]  # fmt: skip
    if rule.first is not None:
        for k in range(len(table[0][0])):
            column = divided_rows([[one[k] for one in group] for group in table], rule.first)
            for group, line in zip(table, column, strict=True):
                for one, value in zip(group, line, strict=True):
                    one[k] = None if one[k] is None else value
    weights = [number(w) for w in rule.weights] if rule.weights else [ONE] * len(table[0][0])
    return [
        [
            None
            if rule.missing == "excluded" and all(r is None for r in one)
            else sum((w * r for w, r in zip(weights, one, strict=True) if r is not None), ZERO)
            for one in group
        ]
        for group in table
    ]


class VariantReading:
    """One composition on one batch: all that is frozen, and the objective as a function of the logs."""

    def __init__(self, chosen: Composition, batch: PlainBatch) -> None:
        """Freeze advantages, weights and masks."""
        self.chosen = chosen
        self.batch = batch
        self.fixed = logs_of(batch)
        rewards = summed_rewards(batch.groups, chosen.advantage)
        self.kept_groups = [
            g
            for g, row in enumerate(rewards)
            if chosen.selection == "all" or len({value for value in row if value is not None}) > 1
        ]
        groups = [batch.groups[g] for g in self.kept_groups]
        self.groups = groups
        if not groups:
            return
        self.advantages = self.in_reward(groups, summed_rewards(groups, chosen.advantage))
        lengths = [[len(one.counting()) for one in group] for group in groups]
        every = max(1, sum(map(sum, lengths)))
        self.weights = []
        for line in lengths:
            divisor = {
                "none": len(groups) * len(line),
                "maximum-length": len(groups) * len(line) * batch.maximum_length,
                "constant": len(groups) * len(line) * (chosen.constant or 1),
                "group-tokens": len(groups) * max(1, sum(line)),
                "all-tokens": every,
            }[chosen.per]
            by = [Fraction(divisor * (max(1, n) if chosen.own_length else 1)) for n in line]
            self.weights.append([ONE / number(each) for each in by])
        self.marked = self.entropy_marks(groups)
        self.count_marked = sum(mark for group in self.marked for line in group for mark in line)

    def in_reward(self, groups: list[list[PlainResponse]], rewards: Values) -> list[list[Float]]:
        """Advantages, with a KL term of the reward taken off before the baseline or after it."""
        chosen, beta = self.chosen, number(self.batch.beta)
        within = chosen.kl != "none" and chosen.place != "loss"
        penalties = [
            [
                beta
                * sum((self.estimate(context.log(number(t.old / t.reference))) for t in one.tokens if t.active), ZERO)
                if within
                else ZERO
                for one in group
            ]
            for group in groups
        ]
        if chosen.place == "reward-before-baseline":
            rewards = [
                [None if r is None else r - p for r, p in zip(row, line, strict=True)]
                for row, line in zip(rewards, penalties, strict=True)
            ]
        advantages = divided_rows(rewards, chosen.advantage)
        after = chosen.place == "reward-after-baseline"
        return [
            [a - p if after and r is not None else a for a, r, p in zip(line, row, paid, strict=True)]
            for line, row, paid in zip(advantages, rewards, penalties, strict=True)
        ]

    def estimate(self, log_ratio: Float) -> Float:
        """k1, k2, k3 or k3 reversed, clamped."""
        chosen = self.chosen
        if chosen.clamp_log_ratio is not None:
            limit = number(chosen.clamp_log_ratio)
            log_ratio = max(-limit, min(limit, log_ratio))
        found = {
            "k1": log_ratio,
            "k2": log_ratio**2 / 2,
            "k3": context.exp(-log_ratio) - 1 + log_ratio,
            "k3-reversed": context.exp(log_ratio) - 1 - log_ratio,
        }[chosen.kl]
        if chosen.clamp_value is None:
            return found
        limit = number(chosen.clamp_value)
        return max(-limit, min(limit, found))

    def entropy_marks(self, groups: list[list[PlainResponse]]) -> list[list[list[bool]]]:
        """Which tokens that count have an entropy of at least the quantile."""
        ordered = sorted(one.tokens[h].entropy for group in groups for one in group for h in one.counting())
        bound = Fraction(0)
        if self.chosen.entropy_share is not None and ordered:
            position = (1 - self.chosen.entropy_share) * (len(ordered) - 1)
            place = position.numerator // position.denominator
            above = ordered[min(place + 1, len(ordered) - 1)]
            bound = ordered[place] + (position - place) * (above - ordered[place])
        return [[[one.tokens[h].entropy >= bound for h in one.counting()] for one in group] for group in groups]

    def is_kept(self, one: PlainResponse, advantage: Float) -> bool:
        """Whether the off-policy mask keeps a response."""
        if self.chosen.off_policy is None or advantage >= 0:
            return True
        drawn_from = [t.old if t.sampler is None else t.sampler for t in one.tokens if t.active]
        drifts = [
            context.log(number(d / t.new)) for d, t in zip(drawn_from, (t for t in one.tokens if t.active), strict=True)
        ]
        return bool(mean(drifts) <= number(self.chosen.off_policy))

    def ratios(self, one: PlainResponse, logs: list[Float]) -> list[Float]:
        """The ratio that each counting token's term is made with."""
        below = {"old": lambda t: t.old, "reference": lambda t: t.reference}
        own = [
            ONE if self.chosen.denominator == "current"
            else context.exp(logs[h]) / number(below[self.chosen.denominator](one.tokens[h]))
            for h in one.counting()
        ]  # fmt: skip
        whole = ONE
        for ratio in own:
            whole *= ratio
        if self.chosen.level == "sequence":
            return [whole] * len(own)
        return own if self.chosen.level == "token" else [context.root(whole, len(own))] * len(own)

    def term(self, r: Float, detached: Float, a: Float, log: Float) -> Float:
        """What a token adds, before its weight."""
        chosen, epsilon = self.chosen, number(self.batch.epsilon)
        given = {key: number(value) for key, value in chosen.numbers.items()}

        def stated(key: str, default: Float) -> Float:
            return given.get(key, default)

        low, high = stated("low", epsilon), stated("high", epsilon)

        def clip(x: Float) -> Float:
            return min(1 + high, max(1 - low, x))

        def gate() -> Float:
            tau = stated("positive", ONE) if a > 0 else stated("negative", number("21/20"))
            return 4 / tau / (1 + context.exp(-tau * (r - 1))) * a

        def gamma() -> Float:
            power, rate = (stated("negative-power", 3), stated("negative-rate", 2)) if a < 0 else (
                stated("positive-power", 2), stated("positive-rate", 3))  # fmt: skip
            return detached**power * context.exp(rate * (1 - detached)) * a * log

        pessimistic = min(r * a, clip(r) * a)
        terms: dict[str, Callable[[], Float]] = {
            "two-sided": lambda: pessimistic,
            "upper-cap": lambda: min(r, 1 + high) * a,
            "dual-clip": lambda: max(pessimistic, stated("cap", 3) * a) if a < 0 else pessimistic,
            "delta": lambda: min(min(r, stated("delta", number("3/2"))) * a, clip(r) * a),
            "unclipped": lambda: r * a,
            "soft-gate": gate,
            "score": lambda: a * log,
            "capped-score": lambda: min(detached, 1 + high) * a * log,
            "clipped-weight": lambda: min(max(detached, stated("floor", ZERO)), stated("cap", 5)) * a * log,
            "gamma-weight": gamma,
        }
        return terms[chosen.term]()

    def objective(self, logs: Logs) -> Float:
        """F at these current log-probabilities; entropies and exact divergences are the batch's."""
        chosen, beta = self.chosen, number(self.batch.beta)
        total = ZERO
        for i, g in enumerate(self.kept_groups):
            for k, one in enumerate(self.batch.groups[g]):
                places = one.counting()
                if not places:
                    continue
                advantage, own = self.advantages[i][k], logs[g][k]
                ratios, detached = self.ratios(one, own), self.ratios(one, self.fixed[g][k])
                part = ZERO
                if self.is_kept(one, advantage):
                    for h, r, fixed, mark in zip(places, ratios, detached, self.marked[i][k], strict=True):
                        part += self.term(r, fixed, advantage, own[h]) if mark else ZERO
                if chosen.kl.startswith("k") and chosen.place == "loss":
                    for h, r, fixed in zip(places, ratios, detached, strict=True):
                        weight = {"none": ONE, "ratio": r, "ratio-detached": fixed}[chosen.weight]
                        part -= beta * weight * self.estimate(own[h] - context.log(number(one.tokens[h].reference)))
                total += self.weights[i][k] * part
                for h, mark in zip(places, self.marked[i][k], strict=True):
                    total += number(chosen.bonus) * number(one.tokens[h].entropy) / self.count_marked if mark else ZERO
        if chosen.kl == "exact" and self.kept_groups:
            total -= beta * mean([number(self.batch.divergences[g]) for g in self.kept_groups])
        return total
