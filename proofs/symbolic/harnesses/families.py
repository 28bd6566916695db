"""The policy families' masses (claims A3, G2) and the derivatives that the gradient is made of (claim F2).

The contracts are icontract's own: see grpocheck.proofs.symbolic.harness.
"""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.families.autoregressive import Autoregressive, AutoregressiveLogits, AutoregressiveMasses
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.family import Family
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.generation import Generation
from grpocheck.core.prompt import Prompt
from grpocheck.proofs.symbolic.arithmetic import SymbolicArithmetic
from grpocheck.proofs.symbolic.harness import harness
from icontract import ensure, require

EXACT = SymbolicArithmetic()

Two = tuple[Fraction, Fraction]
Three = tuple[Fraction, Fraction, Fraction]
Four = tuple[Fraction, Fraction, Fraction, Fraction]
Masses = tuple[Fraction, ...]


def prompt_of(responses: tuple[str, ...]) -> Prompt:
    """A prompt with this support and equal reference masses."""
    share = Fraction(1, len(responses))
    return Prompt(0, "q", responses, (Fraction(0),) * len(responses), (share,) * len(responses))


def masses_of(family: Family, theta: Sequence[Fraction], responses: tuple[str, ...]) -> Masses:
    """pi_theta on the support."""
    return tuple(family.masses(theta, prompt_of(responses), EXACT))


def prompt_generated(family: Autoregressive) -> Prompt:
    """A prompt with the generated support and equal reference masses."""
    size = len(family.support_keys)
    shares = (Fraction(1, size),) * size
    return Prompt(0, "q", family.support_keys, (Fraction(0),) * size, shares, family.response_keys)


def generated(family: Autoregressive, theta: Sequence[Fraction]) -> Masses:
    """pi_theta on the generated support."""
    return tuple(family.masses(theta, prompt_generated(family), EXACT))


def moves_by_its_gradient(family: Family, prompt: Prompt, theta: Sequence[Fraction], h: Fraction) -> bool:
    """Whether a step h along any one coordinate moves every mass by h times its derivative."""
    before = family.masses(theta, prompt, EXACT)
    rows = family.mass_gradients(theta, prompt, EXACT)
    for axis in range(len(theta)):
        after = family.masses([x + h if i == axis else x for i, x in enumerate(theta)], prompt, EXACT)
        for old, new, row in zip(before, after, rows, strict=True):
            if new - old != h * row[axis]:
                return False
    return True


def is_distribution(masses: Masses) -> bool:
    """Positive masses with sum 1."""
    return all(mass > 0 for mass in masses) and sum(masses) == 1


@harness(size="Bernoulli, any theta in (0, 1)")
@require(lambda theta: 0 < theta < 1)
@ensure(lambda result: is_distribution(result), "A3: the masses are positive with sum 1")
def bernoulli(theta: Fraction) -> Masses:
    """Two responses."""
    return masses_of(Bernoulli(), (theta,), ("a", "b"))


@harness(size="simplex, n = 4, any theta in U")
@require(lambda theta: all(mass > 0 for mass in theta) and sum(theta) < 1)
@ensure(lambda result: is_distribution(result), "A3: the masses are positive with sum 1")
def simplex(theta: Three) -> Masses:
    """Four responses."""
    return masses_of(Simplex((4,)), theta, ("a", "b", "c", "d"))


@harness(size="softmax, n = 4, any logits")
@ensure(lambda result: is_distribution(result), "A3: the masses are positive with sum 1")
def softmax(theta: Four) -> Masses:
    """Four responses."""
    return masses_of(Softmax((4,)), theta, ("a", "b", "c", "d"))


@harness(size="log-linear, n = 3, d = 2, any features and theta")
@ensure(lambda result: is_distribution(result), "A3: the masses are positive with sum 1")
def log_linear(first: Two, second: Two, third: Two, theta: Two) -> Masses:
    """Three responses."""
    return masses_of(LogLinear(((first, second, third),)), theta, ("a", "b", "c"))


@harness(size="vocabulary of 3, horizon 2, any conditional masses")
@require(lambda first, after_a, after_b: all(mass > 0 for mass in first + after_a + after_b))
@require(lambda first, after_a, after_b: sum(first) < 1 and sum(after_a) < 1 and sum(after_b) < 1)
@ensure(lambda result: is_distribution(result), "G2, A3: the truncated response masses are positive with sum 1")
def token_masses(first: Two, after_a: Two, after_b: Two) -> Masses:
    """Seven responses, from the conditional masses after three prefixes."""
    generation = Generation(("a", "b", "end"), "end", 2)
    return generated(AutoregressiveMasses(generation), first + after_a + after_b)


@harness(size="vocabulary of 3, horizon 2, one token forbidden after a prefix, any logits")
@ensure(lambda result: is_distribution(result), "G2, A3: the truncated response masses are positive with sum 1")
def token_logits(first: Three, after_a: Two, after_b: Three) -> Masses:
    """Six responses, from the logits after three prefixes."""
    generation = Generation(("a", "b", "end"), "end", 2, ((("a",), ("b",)),))
    return generated(AutoregressiveLogits(generation), first + after_a + after_b)


@harness(size="simplex, n = 4, any theta and step")
@ensure(lambda result: result, "F2: a mass moves by its gradient along each coordinate")
def simplex_slopes(theta: Three, h: Fraction) -> bool:
    """The masses are affine, so this says that the rows are their gradients."""
    return moves_by_its_gradient(Simplex((4,)), prompt_of(("a", "b", "c", "d")), theta, h)


@harness(size="vocabulary of 3, horizon 2, any conditional masses and step")
@ensure(lambda result: result, "F2: a mass moves by its gradient along each coordinate")
def token_slopes(first: Two, after_a: Two, after_b: Two, h: Fraction) -> bool:
    """The masses are affine in each coordinate, so this says that the rows are their gradients."""
    family = AutoregressiveMasses(Generation(("a", "b", "end"), "end", 2))
    return moves_by_its_gradient(family, prompt_generated(family), first + after_a + after_b, h)
