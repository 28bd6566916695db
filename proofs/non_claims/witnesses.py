"""The witnesses against each non-claim: what each shows, what refutes, and the grid in which it is the smallest."""

from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core import Problem, Prompt
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.proofs.non_claims.grid import Grid
from grpocheck.proofs.non_claims.refutations import (
    Refute,
    direction_is_wrong,
    divergence_exceeds,
    expected_return_falls,
    gradient_is_biased,
    log_ratio_is_negative,
    objective_falls,
    ratio_leaves_the_clip,
    return_falls,
    sample_divergence_is_negative,
    theta_cycles,
)
from grpocheck.proofs.non_claims.shapes import Shape, fractions_below_1

HALF = Fraction(1, 2)
ONE = Fraction(1)


@dataclass(frozen=True)
class Witness:
    """A stored witness: its file's name, its claim, what it shows in paragraphs, and what refutes.

    ``source`` is the grid in which the searcher finds it, or the problem itself for a member of a family.
    """

    name: str
    claim: str
    shows: tuple[str, ...]
    refute: Refute
    source: Grid | Problem


@dataclass(frozen=True)
class Impossible:
    """A search that must find nothing, and the argument why."""

    name: str
    refute: Refute
    grid: Grid
    why: str


def one_iteration(shape: Shape) -> bool:
    """T = 1."""
    return shape.outer_iterations == 1


def one_iteration_one_prompt(shape: Shape) -> bool:
    """T = 1 and M = 1."""
    return shape.outer_iterations == 1 and shape.prompts == 1


def two_steps(shape: Shape) -> bool:
    """T K >= 2: one step that moves theta cannot return."""
    return shape.inner_steps * shape.outer_iterations >= 2


def one_prompt_two_responses(shape: Shape) -> bool:
    """M = 1 and n = 2."""
    return shape.prompts == 1 and shape.responses == 2


def numbers(*values: int | str) -> tuple[Fraction, ...]:
    """Rationals in a row."""
    return tuple(map(Fraction, values))


def step_to_the_edge(bound: int) -> Problem:
    """One step from theta = 1/2 to within delta = 1/(4 * 9^bound) of the edge of U, for KL(old to new) > bound nats."""
    delta = Fraction(1, 4 * 9**bound)
    return Problem(
        prompts=(Prompt(0, "q1", ("a", "b"), numbers(1, 0), (HALF, HALF)),),
        family=Bernoulli(),
        theta=(HALF,),
        group_size=2,
        outer_iterations=1,
        inner_steps=1,
        epsilon=HALF,
        beta=Fraction(0),
        step_sizes=(((HALF - delta) / 2,),),
        recorded=((("a", "b"),),),
    )


EDGE = (
    "One member of a family, one for each bound B in nats. The group of one 'a' and one 'b' has the gradient 2 at "
    "theta = 1/2, whatever epsilon is, so the step (1/2 - delta)/2 lands on 1 - delta. There KL(old to new) = -log(4 "
    "delta (1 - delta))/2 > -log(4 delta)/2, and delta = 1/(4 * 9^B) makes that B log 3 > B."
)

ONE_PROMPT = (
    "With one prompt, two responses and beta = 0 it cannot happen, for any G, K and T. A group with c draws of the "
    "better response has advantages sqrt((G-c)/c) and -sqrt(c/(G-c)), so F = sqrt(c(G-c))/G * (min(rho, 1+epsilon) - "
    "max(rho', 1-epsilon)), where rho belongs to the better response and rho' to the other: F never falls as the "
    "better response's mass rises. Its gradient is a multiple >= 0 of that mass's own gradient, along which the mass "
    "rises, as it does in every built-in family."
)

WITNESSES = (
    Witness(
        "n1_objective_falls",
        "N1",
        (
            "Two prompts want more of 'a', one wants less, and all share one parameter. The step goes the way of the "
            "two. Their terms stop growing at 1 + epsilon and 1 - epsilon; the third one's loss is not clipped, and "
            "F falls.",
            ONE_PROMPT,
        ),
        objective_falls,
        Grid(9),
    ),
    Witness(
        "n1_penalty_overshoots",
        "N1",
        (
            "With a penalty the smallest shape of all is enough. The rewards are equal, so F is -beta KL alone: the "
            "step towards the reference goes past it and ends farther away than it began.",
        ),
        objective_falls,
        Grid(7, betas=(ONE,), epsilons=(HALF,)),
    ),
    Witness(
        "n2_return_falls",
        "N2",
        (
            "The two prompts share one parameter and disagree. The group of the one with the larger reward holds one "
            "response alone and says nothing; the other's moves theta its own way.",
            "One prompt with two responses cannot do this at beta = 0: its better response only gains mass.",
        ),
        return_falls,
        Grid(8, rewards=numbers(0, 1, 2, 3), admits=one_iteration, where="one outer iteration"),
    ),
    Witness(
        "n2_expected_return_falls",
        "N2",
        (
            "Not one unlucky draw: the expectation over all 64 ordered draws, each of which completes. At G = 2 an "
            "advantage is the sign of a difference of rewards, so the two prompts that gain 1 outvote the one that "
            "loses 3.",
            "With one prompt, masses for parameters (simplex) and K = 1 it cannot happen, for any n and G, if every "
            "draw completes: E[R] is then linear in theta, and the expected advantage of a response, given that it "
            "was drawn, never falls as its reward rises. With two prompts at G = 2 the votes are equal.",
        ),
        expected_return_falls,
        Grid(
            9,
            rewards=numbers(0, 1, 2, 3),
            epsilons=numbers("1/2", "3/4"),
            drawn=False,
            admits=one_iteration,
            where="one outer iteration, every draw of it complete",
        ),
    ),
    Witness(
        "n3_reward_scale",
        "N3",
        (
            "Dividing by the deviation forgets the scale of the rewards. At G = 2 an advantage is 1, -1 or 0, so the "
            "expected gradient is that of rewards 1 and 0, for which it happens to be right.",
        ),
        gradient_is_biased,
        Grid(7, rewards=numbers(0, "1/2", 1, 2), epsilons=(HALF,), drawn=False),
    ),
    Witness(
        "n3_three_draws",
        "N3",
        (
            "Rewards 0 and 1, but groups of three: the deviation of a group that is not constant is sqrt(2)/3 and "
            "the expected gradient is sqrt(2) times the true one, at every theta. Groups of two are unbiased for "
            "such rewards.",
        ),
        gradient_is_biased,
        Grid(8, epsilons=(HALF,), drawn=False, admits=one_iteration, where="one outer iteration"),
    ),
    Witness(
        "n3_direction",
        "N3",
        (
            "The direction is wrong, not only the length. At G = 2 an advantage is the sign of a difference of "
            "rewards: the expected gradient is that of a reward's rank, and no step size turns it into that of the "
            "reward.",
            "Two values of the rewards are not enough (ranks are then rewards, but for the scale), so two responses "
            "are not. With one prompt and masses for parameters the two gradients never point into opposite "
            "half-spaces; with several they do (n2_expected_return_falls.toml).",
        ),
        direction_is_wrong,
        Grid(
            8,
            rewards=numbers(0, "1/2", 1, 2, 3),
            epsilons=(HALF,),
            step_sizes=numbers("1/2", "1/4", "1/8", "1/16", "1/32"),
            drawn=False,
            admits=one_iteration_one_prompt,
            where="one outer iteration, one prompt, every draw complete",
        ),
    ),
    Witness(
        "n4a_ratio_outside",
        "N4",
        (
            "(a) The first step of an iteration starts where every ratio is 1: the clip is not in its way, however "
            "long it is. Past the bound the term stops growing, and nothing takes the ratio back.",
        ),
        ratio_leaves_the_clip,
        Grid(7, step_sizes=fractions_below_1(8)),
    ),
    Witness(
        "n4b_divergence_above_1_nat",
        "N4",
        (
            "(b) One applied step, and KL(old to new) is above 1 nat. The files n4b_divergence_above_10_nats.toml "
            "and n4b_divergence_above_100_nats.toml are members of a family that goes above any bound.",
        ),
        divergence_exceeds(1),
        Grid(7, step_sizes=fractions_below_1(8)),
    ),
    *(
        Witness(
            f"n4b_divergence_above_{bound}_nats",
            "N4",
            (f"(b) One applied step, and KL(old to new) is above {bound} nats.", EDGE),
            divergence_exceeds(bound),
            step_to_the_edge(bound),
        )
        for bound in (10, 100)
    ),
    Witness(
        "n5a_log_ratio_negative",
        "N5",
        (
            "(a) A single log ratio is negative wherever a response has less mass than under the reference; unless "
            "the two are equal, there is such a response.",
        ),
        log_ratio_is_negative,
        Grid(7, betas=(ONE,), epsilons=(HALF,)),
    ),
    Witness(
        "n5b_sample_divergence_negative",
        "N5",
        (
            "(b) The mean of the log ratios over a group is negative, though the group holds every response of the "
            "support. The exact KL, weighted by the policy and not by the draws, is positive.",
        ),
        sample_divergence_is_negative,
        Grid(7, betas=(ONE,), epsilons=(HALF,)),
    ),
    Witness(
        "n7_cycle",
        "N7",
        (
            "An exact cycle: theta is back at theta_0 after two outer iterations with one step size, both steps "
            "having moved it. With these two groups over and over it never settles; each has positive probability "
            "every time. The gradient of E[R] is the same at both points and not 0, so neither is stationary.",
            "With one prompt and two responses theta only moves one way, and one step alone cannot return.",
        ),
        theta_cycles,
        Grid(
            9,
            rewards=numbers(0, 1, 2),
            epsilons=(HALF,),
            step_sizes=fractions_below_1(8),
            admits=two_steps,
            where="two steps or more in all",
        ),
    ),
)

IMPOSSIBLE = (
    Impossible(
        "n1_one_prompt_two_responses",
        objective_falls,
        Grid(9, admits=one_prompt_two_responses, where="one prompt, two responses"),
        ONE_PROMPT,
    ),
)


def witnesses_against(claim: str) -> tuple[Witness, ...]:
    """The stored witnesses against a non-claim."""
    return tuple(witness for witness in WITNESSES if witness.claim == claim)
