"""The definitions of section 1 on every case of a small scope, against what the claims say of them in plain fractions.

Logarithms are decided without logarithms: with masses in sixths, KL(p||q) > 0 exactly when the rational product of
(p_j/q_j)^(6 p_j) is above 1.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

from grpocheck.contracts.claims import Kind
from grpocheck.core import Prompt, arithmetic_named
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.draws import decided_position
from grpocheck.core.families.autoregressive import AutoregressiveMasses
from grpocheck.core.generation import Generation
from grpocheck.core.ratio import clipped_term, importance_ratio
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, refuted
from grpocheck.proofs.reference import compositions

EXACT = arithmetic_named("exact")
SIXTHS = 6
Pmf = tuple[Fraction, ...]


class Tally:
    """The first counterexample of each claim, and how many cases were looked at."""

    def __init__(self, *claims: str) -> None:
        """No case yet."""
        self.cases = 0
        self.checked: set[str] = set()
        self.failures: dict[str, str] = {}
        self.claims = claims

    def check(self, claim: str, holds: bool, case: object) -> None:
        """Note that the claim was looked at, and the case if it fails in it."""
        self.checked.add(claim)
        if not holds and claim not in self.failures:
            self.failures[claim] = str(case)

    def findings(self) -> dict[str, Finding]:
        """Held where no failure was noted. Raises ValueError for a claim that was never looked at."""
        if self.checked != set(self.claims):
            raise ValueError(f"tally: {sorted(self.checked)} looked at: expected {sorted(self.claims)}")
        return {
            claim: refuted(self.failures[claim], cases=self.cases)
            if claim in self.failures
            else held(cases=self.cases)
            for claim in self.claims
        }


def pmfs(size: int, parts: int = SIXTHS) -> list[Pmf]:
    """The positive mass functions on that many responses with masses in sixths (or other parts)."""
    return [tuple(Fraction(part, parts) for part in composition) for composition in compositions(parts, size)]


@evidence("E1", "E2", kind=Kind.ENUMERATION, scope="rho and epsilon in twelfths, rho <= 3, A in thirds, abs(A) <= 2")
def clipped_terms(budget: Budget) -> dict[str, Finding]:
    """The term against its three cases by the sign of A."""
    tally = Tally("E1", "E2")
    cases = list(product(range(1, 37), range(-6, 7), range(1, 12)))
    for done, (rho_twelfths, advantage_thirds, epsilon_twelfths) in enumerate(cases, start=1):
        rho, epsilon = Fraction(rho_twelfths, 12), Fraction(epsilon_twelfths, 12)
        advantage = Fraction(advantage_thirds, 3)
        term = clipped_term(rho, advantage, epsilon, EXACT)
        if advantage > 0:
            by_sign = (rho if rho < 1 + epsilon else 1 + epsilon) * advantage
        else:
            by_sign = (rho if rho > 1 - epsilon else 1 - epsilon) * advantage
        tally.cases += 1
        case = f"rho = {rho}, A = {advantage}, epsilon = {epsilon}: term {term}"
        tally.check("E1", term == by_sign, case)
        tally.check("E2", term <= rho * advantage, case)
        budget.step(done, len(cases))
    return tally.findings()


@evidence("B3", "B4", "G1", kind=Kind.ENUMERATION, scope="all pairs of mass functions in sixths, n = 2, 3, 4")
def ratios_and_divergences(budget: Budget) -> dict[str, Finding]:
    """Ratios by division, the sign of KL by rational powers, the change of measure for every f into {0, 1/2, 1}."""
    tally = Tally("B3", "B4", "G1")
    enclosures = arithmetic_named("enclosure")
    pairs = [pair for size in (2, 3, 4) for pair in product(pmfs(size), repeat=2)]
    for done, (new, old) in enumerate(pairs, start=1):
        tally.cases += 1
        case = f"pi_theta = {list(map(str, new))}, pi_old = {list(map(str, old))}"
        ratios = [importance_ratio(p, q) for p, q in zip(new, old, strict=True)]
        tally.check("B3", all(rho > 0 and rho * q == p for rho, p, q in zip(ratios, new, old, strict=True)), case)
        tally.check("B3", new != old or set(ratios) == {1}, case)
        for values in product((Fraction(0), Fraction(1, 2), Fraction(1)), repeat=len(new)):
            left = sum(q * rho * f for q, rho, f in zip(old, ratios, values, strict=True))
            tally.check("G1", left == sum(p * f for p, f in zip(new, values, strict=True)), f"{case}, f = {values}")
        divergence = kl_divergence(new, old, enclosures)
        power = prod((p / q) ** int(SIXTHS * p) for p, q in zip(new, old, strict=True))
        tally.check("B4", power >= 1 and enclosures.less(0, divergence) == (power > 1), case)
        tally.check("B4", enclosures.equal(divergence, 0) == (power == 1) == (new == old), case)
        budget.step(done, len(pairs))
    return tally.findings()


Slope = tuple[int, int]
Minimum = tuple[Slope, Slope, int]
"""min(a . x, c + b . x) near x = 0 in the plane, with slopes a and b and c = 0 (a tie) or 1."""


@evidence(
    "F1",
    kind=Kind.ENUMERATION,
    scope="sums of one or two minima of affine functions on the plane, slopes in {-1, 0, 1}^2, tied at 0 or not",
)
def minima_never_cancel(budget: Budget) -> Finding:
    """Differentiable, by values of the sum around 0, exactly when every tie has equal slopes.

    Near 0 each minimum is linear along every ray, so the sum is differentiable exactly when what it gains along a ray
    and along the opposite ray cancel, for the two axes: it is concave.
    """
    slopes: list[Slope] = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    minima: list[Minimum] = list(product(slopes, slopes, (0, 1)))
    sums = [(minimum,) for minimum in minima] + list(combinations_with_replacement(minima, 2))
    near = Fraction(1, 8)  # a minimum that is not tied at 0 keeps its branch for abs(x) < 1/4
    tally = Tally("F1")
    for done, terms in enumerate(sums, start=1):
        tally.cases += 1
        forth_and_back = [
            sum(smaller_value(term, x, y) + smaller_value(term, -x, -y) for term in terms)
            for x, y in ((near, Fraction(0)), (Fraction(0), near))
        ]
        at_0 = 2 * sum(smaller_value(term, Fraction(0), Fraction(0)) for term in terms)
        smooth = all(value == at_0 for value in forth_and_back)
        tally.check("F1", smooth == all(a == b for a, b, c in terms if c == 0), terms)
        budget.step(done, len(sums))
    return tally.findings()["F1"]


def smaller_value(minimum: Minimum, x: Fraction, y: Fraction) -> Fraction:
    """The value of a minimum at a point."""
    a, b, c = minimum
    return min(a[0] * x + a[1] * y, c + b[0] * x + b[1] * y)


def generations() -> Iterator[tuple[Generation, int]]:
    """The protocols of the scope, each with the number of parts of its conditional masses."""
    for horizon in (1, 2, 3):
        yield Generation(("a", "."), ".", horizon, ()), 3
    yield Generation(("a", "b", "."), ".", 1, ()), 4
    yield Generation(("a", "b", "."), ".", 2, ()), 4
    yield Generation(("a", "b", "."), ".", 2, ((("a",), ("b",)), ((), (".",)))), 4


@evidence(
    "A3",
    "G2",
    "G5",
    kind=Kind.ENUMERATION,
    scope="two tokens to horizon 3, three tokens to horizon 2, with and without forbidden tokens; pairs of all tables",
)
def generated_responses(budget: Budget) -> dict[str, Finding]:
    """Masses of responses against products of conditional masses, and ratios against products of token ratios."""
    tally = Tally("A3", "G2", "G5")
    protocols = list(generations())
    for done, (generation, parts) in enumerate(protocols, start=1):
        family = AutoregressiveMasses(generation)
        keys = family.support_keys
        even = (Fraction(1, len(keys)),) * len(keys)
        prompt = Prompt(0, "q", keys, (Fraction(0),) * len(keys), even, family.response_keys)
        words = [tuple(key.split()) for key in keys]
        tokens: list[list[list[Fraction]]] = []
        masses: list[Sequence[Fraction]] = []
        for table in product(*(pmfs(len(generation.allowed(prefix)), parts) for prefix in generation.prefixes)):
            conditional = {
                (prefix, token): mass
                for prefix, row in zip(generation.prefixes, table, strict=True)
                for token, mass in zip(generation.allowed(prefix), row, strict=True)
            }
            tokens.append([[conditional[word[:place], token] for place, token in enumerate(word)] for word in words])
            masses.append(family.masses([mass for row in table for mass in row[:-1]], prompt, EXACT))
            tally.cases += 1
            tally.check("A3", all(mass > 0 for mass in masses[-1]), conditional)
            tally.check("A3", len(masses[-1]) == len(set(words)) <= len(family.response_keys), conditional)
            tally.check("G2", sum(masses[-1]) == 1, conditional)
            tally.check("G5", list(masses[-1]) == [prod(factors) for factors in tokens[-1]], conditional)
        for (new, new_tokens), (old, old_tokens) in product(zip(masses, tokens, strict=True), repeat=2):
            ratios = [importance_ratio(p, q) for p, q in zip(new, old, strict=True)]
            by_token = [
                prod(p / q for p, q in zip(ps, qs, strict=True)) for ps, qs in zip(new_tokens, old_tokens, strict=True)
            ]
            tally.cases += 1
            tally.check("G5", ratios == by_token, (new, old))
            budget.step(done - 1, len(protocols))
    return tally.findings()


BITS = 10


@evidence(
    "G3", kind=Kind.ENUMERATION, scope=f"one draw, mass functions in sixths, n = 2, 3, 4, every word of {BITS} bits"
)
def draws(budget: Budget) -> Finding:
    """Of all words of bits, a response is decided by its mass of them, but for the words that one edge leaves open."""
    tally = Tally("G3")
    scope = [law for size in (2, 3, 4) for law in pmfs(size)]
    for done, masses in enumerate(scope, start=1):
        decided = [0] * len(masses)
        for word in product((0, 1), repeat=BITS):
            try:
                decided[decided_position(masses, finite(word), EXACT)] += 1
            except OutOfBits:
                tally.cases += 1
                continue
            tally.cases += 1
        left_open = 2**BITS - sum(decided)
        edges = len(masses) - 1
        tally.check("G3", left_open <= edges, f"{masses}: {left_open} words are open")
        for mass, count in zip(masses, decided, strict=True):
            share = mass * 2**BITS
            tally.check("G3", count <= share <= count + left_open, f"{masses}: {decided} of {2**BITS} words")
        budget.step(done, len(scope))
    return tally.findings()["G3"]


class OutOfBits(Exception):  # noqa: N818 - no error: the word is too short to decide
    """A word of bits ended before it decided a response."""


def finite(word: Sequence[int]) -> Iterator[int]:
    """The bits of a word, then OutOfBits."""
    yield from word
    raise OutOfBits
