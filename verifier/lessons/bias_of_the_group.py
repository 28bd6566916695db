"""Lesson: what a group gradient is an estimate of, and the factor (G-1)/G."""

from collections.abc import Sequence
from fractions import Fraction

from grpocheck.core.families.simplex import Simplex
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.variants.registry import named
from grpocheck.verifier.estimator.exact import Estimation, estimate, multiple_of_truth
from grpocheck.verifier.estimator.problems import update_of
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.numbers import closed_form, decimals
from grpocheck.verifier.lessons.small_problems import two_responses

QUARTER, THIRD = Fraction(1, 4), Fraction(1, 3)
SIZES = (2, 3, 4, 8)
METHODS = (
    ("reinforce-leave-one-out", "R - mean of the others"),
    ("reinforce-mean", "R - mean of the group"),
    ("reinforce-std", "(R - mean) / s"),
)


def estimation(method: str, problem: Problem, size: int, page: Page) -> Estimation:
    """What a method estimates on a problem with groups of a size."""
    return estimate(named(method), update_of(problem, page.arithmetic), size, page.arithmetic)


def factor(found: Estimation, page: Page) -> str:
    """By what the true gradient is multiplied, or that it is another direction."""
    assert found.moments.expected is not None
    multiple = multiple_of_truth(found.moments.expected, found.true_gradient, page.arithmetic)
    return "another direction" if multiple is None else closed_form(multiple) or decimals(multiple, 6)


def three_responses() -> Problem:
    """Rewards 0, 1/2 and 2 under a uniform policy."""
    return Problem(
        prompts=(Prompt(0, "q", ("a", "b", "c"), (Fraction(0), Fraction(1, 2), Fraction(2)), (THIRD,) * 3),),
        family=Simplex((3,)),
        theta=(THIRD, THIRD),
        group_size=2,
        outer_iterations=1,
        inner_steps=1,
        epsilon=Fraction(1, 2),
        beta=Fraction(0),
        step_sizes=((Fraction(1, 16),),),
        seed=0,
    )


def vector(numbers: Sequence[Fraction]) -> str:
    """A vector of exact numbers."""
    return f"({', '.join(closed_form(number) or decimals(number) for number in numbers)})"


def tell(page: Page) -> None:
    """Three baselines on two responses, then three responses."""
    page.say(
        """A group estimates a gradient from G draws. Is its mean over all draws the gradient of E[R]? For small groups
        one can list every group that may be drawn, weigh it with its probability, and know."""
    )
    page.say(
        """One prompt, two responses, rewards 1 and 0, theta = 0.25 the mass of the good one. The gradient of E[R] is 1.
        Below is the factor by which the expected gradient of each method differs from it."""
    )
    problem = two_responses(QUARTER)
    found = {
        (method, size): estimation(method, problem, size, page) for method, _ in METHODS for size in SIZES
    }
    page.table(
        ("advantage", *(f"G = {size}" for size in SIZES)),
        [
            (label, *(factor(found[method, size], page) for size in SIZES))
            for method, label in METHODS
        ],
        right=tuple(f"G = {size}" for size in SIZES),
    )
    page.heading("The mean of the group")
    for size in SIZES[:3]:
        expected = found["reinforce-mean", size].moments.expected
        assert expected is not None
        page.fact(f"mean-{size}", f"expected gradient with the group's mean, G = {size}", expected[0])
    page.say(
        """It is (G - 1)/G. A response is part of its own baseline, so a G-th of its own reward is taken off again. The
        direction is right and the length is short, by the same factor for every problem. Leaving the response out of
        its own baseline repairs it."""
    )
    page.heading("The deviation of the group")
    two = found["reinforce-std", 2].moments.expected
    three = found["reinforce-std", 3].moments.expected
    assert two is not None
    assert three is not None
    page.fact("std-2", "divided by s, G = 2", two[0])
    page.fact("std-3", "divided by s, G = 3", three[0])
    doubled = two_responses(QUARTER, rewards=(Fraction(2), Fraction(0)))
    scaled = estimation("reinforce-std", doubled, 2, page)
    assert scaled.moments.expected is not None
    page.fact("std-scaled", "rewards 2 and 0 in place of 1 and 0, G = 2", scaled.moments.expected[0])
    page.fact("true-scaled", "where the true gradient is", scaled.true_gradient[0])
    page.say(
        """At G = 2 with rewards 0 and 1 it happens to be right. That is a coincidence, and worth knowing as one:
        another reward scale breaks it, and so does a third draw."""
    )
    page.heading("Not only the length")
    page.say("Three responses, a uniform policy, rewards 0, 1/2 and 2, G = 2. Two coordinates, two vectors:")
    other = estimation("reinforce-std", three_responses(), 2, page)
    assert other.moments.expected is not None
    page.finding("true-direction", "the gradient of E[R]", vector(other.true_gradient))
    page.finding("expected-direction", "the expected gradient, divided by s", vector(other.moments.expected))
    a, b = other.true_gradient, other.moments.expected
    page.fact("area", "the area of the parallelogram that they span", abs(a[0] * b[1] - a[1] * b[0]))
    page.say(
        """The area is not 0, so they point in different directions, and no step size makes one of the other. At G = 2
        dividing by s turns rewards into ranks: which one is better counts, and not by how much. Is that a mistake? No:
        the procedure never promised to be unbiased (non-claim N3). It is something to know before reading a curve as a
        gradient ascent."""
    )
    page.command("grpocheck estimator reinforce-mean examples/two_paths.toml --compare reinforce-leave-one-out")
    page.exercise(
        "A group of G = 16, advantages R - mean of the group. By what factor is the expected gradient too short?",
        Fraction(15, 16),
        "(G - 1)/G.",
    )


LESSON = Lesson("bias-of-the-group", "What a group gradient is an estimate of, and the factor (G-1)/G", 7, tell)
