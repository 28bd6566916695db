"""W4: whole policies under a variant: gradients by theta against difference quotients of the second reading."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic
from grpocheck.core.oracles import Undefined
from grpocheck.core.variants.clip_tests import ClipTest, clipped_share
from grpocheck.core.variants.differentiability import kinks_cancel
from grpocheck.core.variants.masks import EntropyMask, ascending
from grpocheck.core.variants.policies import PromptPolicies, Update
from grpocheck.core.variants.support import TokenSupport
from grpocheck.core.variants.variant import Variant
from grpocheck.core.variants.words import with_parts
from grpocheck.proofs.digits import Float, context, number
from grpocheck.proofs.groundwork.expectations import Expectations, Surprise, groundwork
from grpocheck.proofs.groundwork.variants import near, to_core
from grpocheck.proofs.groundwork.variants_reading import (
    Composition,
    PlainBatch,
    PlainResponse,
    PlainToken,
    Rule,
    VariantReading,
)

SEED = 23
SUPPORTS = (("a a", "a b", "b"), ("a", "a b", "a c", "c"), ("x", "y"), ("p q r", "p q", "s"))
STEP = context.mpf(10) ** -22


def random_masses(random: Random, size: int) -> tuple[Fraction, ...]:
    """A positive mass function."""
    weights = [random.randrange(1, 8) for _ in range(size)]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def prefix_mass(words: Sequence[Sequence[str]], masses: Sequence[Any], prefix: Sequence[str], whole: int | None) -> Any:
    """The mass of the responses that begin with a prefix, of one response where it ends there."""
    if whole is not None:
        return masses[whole]
    return sum(mass for word, mass in zip(words, masses, strict=True) if list(word[: len(prefix)]) == list(prefix) and
               len(word) > len(prefix))  # fmt: skip


def token_masses(words: Sequence[Sequence[str]], masses: Sequence[Any], j: int) -> list[Any]:
    """The conditional mass of each token of a response; the last token carries the end."""
    word, total = words[j], sum(masses)
    reached = [total] + [
        prefix_mass(words, masses, word[:h], j if h == len(word) else None) for h in range(1, len(word) + 1)
    ]
    return [after / before for before, after in pairwise(reached)]


def entropy_after(words: Sequence[Sequence[str]], masses: Sequence[Any], prefix: Sequence[str]) -> Float:
    """The entropy of what follows a prefix: each next token, one that ends its response apart from one that goes on."""
    shares: dict[tuple[str, bool], Any] = {}
    for word, mass in zip(words, masses, strict=True):
        if list(word[: len(prefix)]) == list(prefix) and len(word) > len(prefix):
            key = word[len(prefix)], len(word) == len(prefix) + 1
            shares[key] = shares.get(key, 0) + mass
    total = sum(shares.values())
    return -sum(s / total * context.log(s / total) for s in shares.values())


@groundwork("W4", scope="supports of two to four responses read token by token, random masses")
def supports_are_read_token_by_token(expect: Expectations) -> None:
    """Token masses, scores, entropies and their gradients against prefixes counted here and difference quotients."""
    random, arithmetic = Random(SEED), EnclosureArithmetic()
    for responses in SUPPORTS:
        support, words = TokenSupport(responses), [response.split() for response in responses]
        masses = random_masses(random, len(responses))
        plain = [number(mass) for mass in masses]
        expect.same("the tokens", support.tokens, tuple(map(tuple, words)))
        expect.same("the longest", support.longest, max(map(len, words)))
        found = support.token_masses(masses)
        for j, word in enumerate(words):
            expect.same(f"token masses of {responses[j]}", list(found[j]), token_masses(words, masses, j))
            for h in range(len(word)):
                near(
                    expect,
                    "an entropy",
                    arithmetic,
                    support.entropy(j, h, masses, arithmetic),
                    entropy_after(words, plain, word[:h]),
                )
                score = support.score(j, h, masses)
                slope = support.entropy_gradient(j, h, masses, arithmetic)
                for k in range(len(words)):
                    up, down = list(plain), list(plain)
                    up[k], down[k] = up[k] + STEP, down[k] - STEP
                    change = [context.log(token_masses(words, m, j)[h]) for m in (up, down)]
                    near(expect, "a score", arithmetic, score[k], (change[0] - change[1]) / 2 / STEP)
                    change = [entropy_after(words, m, word[:h]) for m in (up, down)]
                    near(expect, "an entropy's slope", arithmetic, slope[k], (change[0] - change[1]) / 2 / STEP)


def plain_batch(
    words: Sequence[Sequence[str]], update: Any, draws: Sequence[Sequence[int]], masses: Sequence[Sequence[Any]]
) -> PlainBatch:
    """The batch of draws at current masses."""
    groups, divergences = [], []
    for prompt, positions, current in zip(update.prompts, draws, masses, strict=True):
        new = [token_masses(words, current, j) for j in range(len(words))]
        old = [token_masses(words, prompt.old, j) for j in range(len(words))]
        reference = [token_masses(words, prompt.reference, j) for j in range(len(words))]
        groups.append(
            [
                PlainResponse(
                    [
                        PlainToken(new[j][h], old[j][h], reference[j][h], None, Fraction(0))
                        for h in range(len(words[j]))
                    ],
                    [prompt.rewards[j]],
                )
                for j in positions
            ]
        )
        divergences.append(Fraction(0))
    return PlainBatch(groups, divergences, update.epsilon, update.beta, update.maximum_length)


def objective_at(
    chosen: Composition,
    words: Sequence[Sequence[str]],
    update: Any,
    draws: Sequence[Sequence[int]],
    masses: list[list[Float]],
) -> Float:
    """F with entropies and exact divergences following the masses."""
    base = plain_batch(words, update, draws, [prompt.current for prompt in update.prompts])
    reading = VariantReading(chosen, base)
    logs = [
        [[context.log(m) for m in token_masses(words, current, j)] for j in positions]
        for positions, current in zip(draws, masses, strict=True)
    ]
    total = reading.objective(logs)
    if chosen.kl == "exact":
        for prompt, current in zip(update.prompts, masses, strict=True):
            kl = sum(m * context.log(m / number(base)) for m, base in zip(current, prompt.reference, strict=True))
            total -= number(update.beta) * kl / len(update.prompts)
    if chosen.bonus:
        entropies = [
            entropy_after(words, current, words[j][:h])
            for positions, current in zip(draws, masses, strict=True)
            for j in positions
            for h in range(len(words[j]))
        ]
        total += number(chosen.bonus) * sum(entropies) / len(entropies)
    return total


@groundwork("W4", scope="gradients of seven compositions by the masses of two prompts, draws with repeats")
def gradients_follow_the_policy(expect: Expectations) -> None:
    """Coefficients on mass gradients against difference quotients of the whole objective."""
    random = Random(SEED)
    compositions = [
        Composition(Rule(divisor="population"), "sequence", kl="exact"),
        Composition(Rule(), kl="k3"),
        Composition(Rule("none"), term="unclipped", own_length=False, per="maximum-length"),
        Composition(Rule(), bonus=Fraction(1, 3)),
        Composition(Rule("batch-mean"), "geometric-mean", kl="k2", weight="ratio"),
        Composition(Rule(), term="upper-cap", own_length=False, per="all-tokens"),
        Composition(Rule(divisor="sample"), term="soft-gate", own_length=False, per="group-tokens"),
    ]
    arithmetic = EnclosureArithmetic()
    for round_, chosen in enumerate([*compositions, *compositions]):
        responses = SUPPORTS[round_ % len(SUPPORTS)]
        words, size = [r.split() for r in responses], len(responses)
        rows = tuple(tuple(Fraction(int(j == k) - int(j == size - 1)) for k in range(size - 1)) for j in range(size))
        prompts = tuple(
            PromptPolicies(
                TokenSupport(responses),
                tuple(Fraction(random.choice((0, 1, 3))) for _ in range(size)),
                random_masses(random, size),
                random_masses(random, size),
                random_masses(random, size),
                rows,
            )
            for _ in range(2)
        )
        update = Update(prompts, Fraction(1, 5), Fraction(1, 4), max(map(len, words)))
        draws = [tuple(random.randrange(size) for _ in range(3)) for _ in prompts]
        variant = with_parts(Variant("tried"), chosen.texts())
        found = update.coefficients(draws, variant, arithmetic)
        if isinstance(found, Undefined):
            raise Surprise(f"{round_}: {' '.join(chosen.texts())}: undefined, where no ratio is on a bound")
        plain = [[number(mass) for mass in prompt.current] for prompt in prompts]
        for place, prompt in enumerate(prompts):
            gradient = prompt.gradient_of(found[place])
            for axis in range(size - 1):
                ends = []
                for sign in (1, -1):
                    masses = [list(row) for row in plain]
                    masses[place][axis] += sign * STEP
                    masses[place][-1] -= sign * STEP
                    ends.append(objective_at(chosen, words, update, draws, masses))
                what = f"{round_}: {' '.join(chosen.texts())}: by theta {place}, {axis}"
                near(expect, what, arithmetic, gradient[axis], (ends[0] - ends[1]) / 2 / STEP)
        check_true_objective(expect, prompts[0], arithmetic)


def check_true_objective(expect: Expectations, prompt: PromptPolicies, arithmetic: EnclosureArithmetic) -> None:
    """E[R] - beta KL and the coefficients of its gradient."""
    beta = Fraction(1, 4)
    logs = [context.log(number(m / base)) for m, base in zip(prompt.current, prompt.reference, strict=True)]
    pairs = list(zip(prompt.current, prompt.rewards, logs, strict=True))
    for found, reward, log in zip(prompt.true_coefficients(beta, arithmetic), prompt.rewards, logs, strict=True):
        near(expect, "a true coefficient", arithmetic, found, number(reward) - number(beta) * log)
    total = sum(number(m) * (number(r) - number(beta) * log) for m, r, log in pairs)
    near(expect, "E[R] - beta KL", arithmetic, prompt.true_objective(beta, arithmetic), total)
    plain = sum(m * r for m, r, _ in pairs)
    plain_variant = with_parts(Variant("plain"), ["advantage=mean"])
    update = Update((prompt,), Fraction(1, 5), Fraction(0), prompt.support.longest)
    draws = [tuple(range(len(prompt.rewards)))]
    exactly, closely = (update.coefficients(draws, plain_variant, a) for a in (ExactArithmetic(), arithmetic))
    expect.same("nothing but fractions is needed without a divergence", exactly, closely)
    expect.same("E[R]", prompt.true_objective(Fraction(0), arithmetic), plain)


@groundwork("W4", scope="kinks on one line and on several, clip tests and entropy quantiles by hand")
def kinks_clips_and_quantiles_are_those_by_hand(expect: Expectations) -> None:
    """When signed kinks cancel, what three tests of a clip count, where a quantile lies."""
    arithmetic = ExactArithmetic()
    kinks: list[tuple[list[tuple[int, tuple[int, ...]]], bool]] = [
        ([], True), ([(1, (1, 0))], False), ([(1, (0, 0))], True), ([(1, (1, 0)), (-1, (1, 0))], True),
        ([(2, (1, 0)), (-1, (2, 0))], True), ([(2, (1, 2)), (-1, (-2, -4))], True),
        ([(1, (1, 0)), (-1, (0, 1))], False),
        ([(1, (1, 0)), (-1, (2, 0))], False), ([(1, (0, 3)), (5, (1, 1)), (-3, (0, 1)), (-5, (-1, -1))], True),
        ([(1, (0, 3)), (5, (1, 1)), (-3, (0, 1)), (5, (-1, -1))], False), ([(1, (1, 2)), (-1, (1, 3))], False),
        ([(1, (1, 0)), (1, (0, 0)), (-1, (1, 0))], True), ([(1, (0, 0)), (1, (1, 0))], False),
    ]  # fmt: skip
    for jumps, cancel in kinks:
        expect.same(
            f"kinks {jumps}",
            kinks_cancel([(Fraction(j), tuple(map(Fraction, v))) for j, v in jumps], arithmetic),
            cancel,
        )
    token = {
        r: PlainToken(Fraction(r) / 10, Fraction(1, 10), Fraction(1, 10), None, Fraction(1))
        for r in ("3/2", "1", "1/2", "6/5", "4/5")
    }
    draws = [
        ("3/2", 1),
        ("1", 1),
        ("3/2", -1),
        ("1/2", 1),
        ("1/2", -1),
        ("3/2", 0),
        ("6/5", 1),
        ("4/5", -1),
        ("1/2", 0),
    ]
    plain = PlainBatch(
        [[PlainResponse([token[r]], [Fraction(a)]) for r, a in draws]], [Fraction(1)], Fraction(1, 5), Fraction(0), 1
    )
    variant = with_parts(Variant("clipped"), ["advantage=none"])
    shares = {ClipTest.BINDING: 2, ClipTest.INVERTED: 2, ClipTest.RANGE_ONLY: 6}
    for test, counted in shares.items():
        found = clipped_share(variant, to_core(plain, arithmetic), test, arithmetic)
        expect.same(f"{test.value}: the share", found, Fraction(counted, len(draws)))
    check_undecided_masses(expect)
    ordered = [Fraction(k) for k in (1, 2, 2, 5, 8)]
    shuffled = [ordered[k] for k in (3, 1, 4, 0, 2)]
    expect.same("in order", ascending(shuffled, arithmetic), ordered)
    quantiles = {
        Fraction(1): 1,
        Fraction(1, 2): 2,
        Fraction(1, 4): 5,
        Fraction(1, 8): Fraction(13, 2),
        Fraction(9, 10): Fraction(7, 5),
    }
    for share, bound in quantiles.items():
        expect.same(f"the quantile 1 - {share}", EntropyMask(share).bound(shuffled, arithmetic), bound)
    expect.same("of one value", EntropyMask(Fraction(1, 3)).bound([Fraction(7)], arithmetic), 7)


def check_undecided_masses(expect: Expectations) -> None:
    """Masses that are equal and not found equal are no obstacle: nobody has to compare the policies."""
    enclosures = EnclosureArithmetic(max_bits=128)
    logarithms = [enclosures.log(Fraction(n)) for n in (2, 3, 6)]
    half = (Fraction(1, 2),) * 2
    share, again = logarithms[2] / 4, (logarithms[0] + logarithms[1]) / 4
    rows = ((Fraction(1),), (Fraction(-1),))
    support = TokenSupport(("x", "y"))
    prompt = PromptPolicies(support, half, (share, 1 - share), (again, 1 - again), half, rows)
    expected = context.log(6) / 4
    for response, mass in zip(prompt.responses, (expected, 1 - expected), strict=True):
        near(expect, "a current mass", enclosures, response.tokens[0].current, mass)
        near(expect, "an old mass", enclosures, response.tokens[0].old, mass)
