"""W5: the moments on the class I_H, by going through every string of tokens with the weights written out again."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import prod

from grpocheck.core.tic.groups import Groups, batch_variance
from grpocheck.core.tic.kinds import IndependentTokens, Kind, TokenMasses, independent_bits, responses_by_kind
from grpocheck.core.tic.lengths import ending_split, lengths, squared_score_split
from grpocheck.core.tic.methods import Method, Reading
from grpocheck.core.tic.moments import (
    capped_second_moment,
    change_of_measure,
    growth_base,
    moments_given,
    response_moments,
    single_token,
    uncapped_second_moment,
)
from grpocheck.core.tic.scores import choice_scores, ending_scores
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.ratios import Level
from grpocheck.core.variants.terms import TwoSided, Unclipped, UpperCap
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork

Tokens = tuple[int, ...]
"""1, 0, and 2 for the end token."""

FIFTH = Fraction(1, 5)
CLIPS = (UpperCap(), TwoSided(), Unclipped())
# ratios below, at and above both bounds: p / q and (1 - p) / (1 - q)
MASSES = [(Fraction(1, 2), Fraction(2, 5)), (Fraction(3, 5), Fraction(1, 2)), (Fraction(2, 5), Fraction(1, 2)),
          (Fraction(1, 10), Fraction(9, 10)), (Fraction(1, 3), Fraction(1, 3))]  # fmt: skip


def weight(method: Method, ratio: Fraction, sign: int) -> Fraction:
    """What A times the score is multiplied by."""
    word, above, below = method.clip.word, 1 + FIFTH, 1 - FIFTH
    if word == "unclipped":
        return ratio
    if word == "two-sided" and sign < 0:
        return max(ratio, below) if method.reading is Reading.SCORE else ratio if ratio > below else Fraction(0)
    return min(ratio, above) if method.reading is Reading.SCORE else ratio if ratio < above else Fraction(0)


def strings(horizon: int, ends: bool) -> Iterator[Tokens]:
    """Every truncated response."""
    for length in range(1, horizon + 1):
        for bits in product((1, 0), repeat=length - ends if length < horizon or not ends else length):
            if not ends and length == horizon:
                yield bits
            elif ends and length < horizon:
                yield (*bits, 2)
            elif ends:
                yield bits
        if ends and length == horizon:
            yield from ((*bits, 2) for bits in product((1, 0), repeat=length - 1))


def mass(word: Tokens, one: Fraction, zero: Fraction, end: Fraction = Fraction(0)) -> Fraction:
    """The mass of a string of tokens."""
    return prod(((zero, one, end)[token] for token in word), start=Fraction(1))


def weighted_sum(method: Method, word: Tokens, p: Fraction, q: Fraction, sign: int) -> Fraction:
    """N: the sum of the weighted scores of one string."""
    ratios = [p / q if bit else (1 - p) / (1 - q) for bit in word]
    if method.level is Level.SEQUENCE:
        return weight(method, prod(ratios, start=Fraction(1)), sign) * sum(bit - p for bit in word)
    return sum((weight(method, ratio, sign) * (bit - p) for bit, ratio in zip(word, ratios, strict=True)), Fraction(0))


def mean(words: list[tuple[Tokens, Fraction]], value: Callable[[Tokens], Fraction]) -> Fraction:
    """The expectation of a number under these masses."""
    return sum((share * value(word) for word, share in words), Fraction(0))


@groundwork("W5", scope="horizons 1 to 4, five pairs of masses, every method: level, reading and clip")
def moments_are_those_of_all_strings(expect: Expectations) -> None:
    """Counted by kinds in core, string by string here."""
    for horizon, (p, q) in product((1, 2, 3, 4), MASSES):
        tokens = independent_bits(horizon, p, q)
        old = [(word, mass(word, q, 1 - q)) for word in product((1, 0), repeat=horizon)]
        what = f"H = {horizon}, p = {p}, q = {q}"
        rho = {word: mass(word, p, 1 - p) / share for word, share in old}
        score = {word: sum(bit - p for bit in word) for word, _ in old}
        expect.same(f"{what}: E[rho S^2]", change_of_measure(tokens), mean(old, lambda w: rho[w] * score[w] ** 2))
        capped = mean(old, lambda w: (min(rho[w], 1 + FIFTH) * score[w]) ** 2)
        expect.same(f"{what}: capped", capped_second_moment(tokens), capped)
        expect.same(f"{what}: uncapped", uncapped_second_moment(tokens), mean(old, lambda w: (rho[w] * score[w]) ** 2))
        expect.same(f"{what}: b", growth_base(tokens) ** horizon, mean(old, lambda w: rho[w] ** 2))
        for level, reading, clip in product((Level.TOKEN, Level.SEQUENCE), Reading, CLIPS):
            method = Method(level, reading, clip)
            signed = {}
            for sign in (1, -1):
                n = {word: weighted_sum(method, word, p, q, sign) for word, _ in old}
                signed[sign] = mean(old, lambda w: n[w]), mean(old, lambda w: n[w] ** 2)
                found = moments_given(method, tokens, choice_scores(tokens.current), sign)
                expect.same(f"{what}: {method.name}, A = {sign}", (found.mean, found.second), signed[sign])
                expect.same(f"{what}: its variance", found.variance, signed[sign][1] - signed[sign][0] ** 2)
                if level is Level.TOKEN and horizon == 1:
                    one = single_token(method, tokens, choice_scores(tokens.current), sign)
                    expect.same(f"{what}: one token", (one.mean, one.second), signed[sign])
            whole = response_moments(method, tokens)
            centre = (signed[1][0] - signed[-1][0]) / (2 * horizon)
            second = (signed[1][1] + signed[-1][1]) / (2 * horizon**2)
            expect.same(f"{what}: {method.name}", (whole.mean, whole.second), (centre, second))
    names = [Method(level, reading).name for level, reading in product((Level.TOKEN, Level.SEQUENCE), Reading)]
    expect.same("names", names, [f"{level} {reading} upper-cap" for level in ("token", "trajectory")
                                 for reading in ("surrogate", "score")])  # fmt: skip


@groundwork("W5", scope="batches of one and two prompts, groups of 2 and 3, five rules of advantages, horizons 1 and 2")
def batch_variances_are_those_of_all_groups(expect: Expectations) -> None:
    """Every group of coins and strings."""
    rules = {
        AdvantageRule(Baseline.MEAN, Divisor.NONE): lambda r, m, s: r - m,
        AdvantageRule(Baseline.NONE, Divisor.NONE): lambda r, m, s: r,
        AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.NONE): lambda r, m, s: (r - m) * Fraction(s, s - 1),
        # rewards of at most 3/2 deviate by less than 2: the divisor is the root of the floor, and epsilon
        AdvantageRule(Baseline.MEAN, Divisor.POPULATION, floor=Fraction(4)): lambda r, m, s: (r - m) / 2,
        AdvantageRule(Baseline.NONE, Divisor.SAMPLE, Fraction(1), Fraction(4)): lambda r, m, s: r / 3,
    }
    expect.same("rules that differ", len(rules), 5)
    p, q = Fraction(1, 2), Fraction(2, 5)
    for (rule, advantage), size, scale, horizon in product(
        rules.items(), (2, 3), (Fraction(1), Fraction(3, 2)), (1, 2)
    ):
        if size == 3 and horizon == 2:
            continue
        tokens = independent_bits(horizon, p, q)
        words = [(word, mass(word, q, 1 - q)) for word in product((1, 0), repeat=horizon)]
        for clip in CLIPS[:2] if rule.baseline is not Baseline.NONE else CLIPS[1:2]:
            method = Method(Level.TOKEN, Reading.SURROGATE, clip)
            n = {(word, sign): weighted_sum(method, word, p, q, sign) for word, _ in words for sign in (1, -1)}
            first = second = squares = Fraction(0)
            for coins in product((Fraction(0), scale), repeat=size):
                centre = sum(coins) / size
                own = [advantage(coin, centre, size) for coin in coins]
                squares += sum(a * a for a in own) / size / 2**size
                for group in product(words, repeat=size):
                    share = prod((s for _, s in group), start=Fraction(1, 2**size))
                    terms = (a * n[word, 1 if a > 0 else -1] for a, (word, _) in zip(own, group, strict=True))
                    gradient = sum(terms) / (size * horizon)
                    first, second = first + share * gradient, second + share * gradient**2
            for prompts in (1, 2):
                groups = Groups(rule, prompts, size, scale)
                what = f"{rule.baseline.value}, G = {size}, c = {scale}, H = {horizon}, {clip.word}, M = {prompts}"
                found = batch_variance(method, tokens, groups)
                expect.same(what, found, (second - first**2) / prompts)
                expect.same(f"{what}: E[mean A^2]", groups.advantage_square, squares)
    third = Groups(AdvantageRule(Baseline.MEAN, Divisor.NONE), 1, 3)
    expect.same("heads", [third.probability(k) for k in range(4)], [Fraction(k, 8) for k in (1, 3, 3, 1)])
    plain = Groups(AdvantageRule(Baseline.MEAN, Divisor.NONE))
    expect.same("two coins of 1 at one prompt", (plain.prompts, plain.group_size, plain.scale), (1, 2, 1))
    expect.same("two heads", third.advantages(2), (Fraction(1, 3), Fraction(1, 3), Fraction(-2, 3)))


@groundwork("W5", scope="an end token in play, horizons 1 to 4, three pairs of policies")
def own_lengths_are_those_of_all_strings(expect: Expectations) -> None:
    """Kinds of responses, lengths, and both splits of a division by the own length."""
    policies = [(Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
                (Fraction(1, 5), Fraction(2, 5), Fraction(2, 5))]  # fmt: skip
    for horizon, ends in product((1, 2, 3, 4), (False, True)):
        counted: dict[Kind, int] = {}
        for word in strings(horizon, ends):
            kind = Kind(word.count(1), word.count(0), 2 in word)
            counted[kind] = counted.get(kind, 0) + 1
            expect.same("a length", kind.length, len(word))
        expect.same(f"kinds to H = {horizon}", responses_by_kind(horizon, ends), counted)
    for horizon, new, old in product((1, 2, 3, 4), policies, policies):
        tokens = IndependentTokens(horizon, TokenMasses(*new), TokenMasses(*old))
        words = [(word, mass(word, *new)) for word in strings(horizon, True)]
        what = f"H = {horizon}, {list(map(str, new))}, {list(map(str, old))}"
        expect.same(f"{what}: the whole", sum(share for _, share in words), 1)
        share_of_one = new[0] / (new[0] + new[1])
        chosen = {word: sum((bit - share_of_one for bit in word if bit < 2), Fraction(0)) for word, _ in words}
        ending = {word: sum((int(token == 2) - new[2] for token in word), Fraction(0)) for word, _ in words}
        split = squared_score_split(tokens)
        total = mean(words, lambda w: (chosen[w] / len(w)) ** 2)
        apart = mean(words, lambda w: chosen[w] ** 2) * mean(words, lambda w: Fraction(1, len(w) ** 2))
        expect.same(f"{what}: S^2 / L^2", (split.total, split.product, split.covariance), (total, apart, total - apart))
        split = ending_split(tokens)
        total = mean(words, lambda w: ending[w] / len(w) if 2 in w else Fraction(0))
        apart = mean(words, lambda w: ending[w] if 2 in w else Fraction(0))
        apart = apart * mean(words, lambda w: Fraction(1, len(w)))
        expect.same(f"{what}: R N / L", (split.total, split.product, split.covariance), (total, apart, total - apart))
        for kind in tokens.kinds:
            word = (1,) * kind.ones + (0,) * kind.zeros + (2,) * kind.ended
            expect.same(f"{what}: the ratio of {word}", tokens.ratio(kind), mass(word, *new) / mass(word, *old))
            expect.same(f"{what}: the mass of {word}", tokens.old.of(kind), mass(word, *old))
            expect.same(f"{what}: a score", choice_scores(tokens.current).of(kind), chosen[word])
            expect.same(f"{what}: an end's score", ending_scores(tokens.current).of(kind), ending[word])
        by_length = {(length, ended): share for length, ended, share in lengths(horizon, new[2])}
        for length in range(1, horizon + 1):
            for ended in (True, False):
                share = sum((s for w, s in words if len(w) == length and (2 in w) == ended), Fraction(0))
                expect.same(f"{what}: length {length}, {ended}", by_length.get((length, ended), 0), share)
        square = ending_scores(tokens.current).square(tokens.current)
        expect.same(f"{what}: a squared score", square, new[2] * (1 - new[2]))
