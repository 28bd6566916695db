"""Lesson: the budget of a run: T M G draws, T K gradient attempts, and where a stop leaves it."""

from fractions import Fraction

from grpocheck.core.families.simplex import Simplex
from grpocheck.core.outcome import Outcome, Status
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.small_problems import two_responses

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def two_prompts() -> Problem:
    """T = 3, M = 2, G = 4, K = 2, with steps small enough to be applied."""
    return Problem(
        prompts=(
            Prompt(0, "three ways", ("a", "b", "c"), (Fraction(2), Fraction(1), Fraction(0)), (THIRD, THIRD, THIRD)),
            Prompt(1, "two ways", ("yes", "no"), (Fraction(1), Fraction(-1)), (HALF, HALF)),
        ),
        family=Simplex((3, 2)),
        theta=(THIRD, THIRD, HALF),
        group_size=4,
        outer_iterations=3,
        inner_steps=2,
        epsilon=Fraction(1, 5),
        beta=Fraction(0),
        step_sizes=tuple((step, step) for step in (Fraction(1, 100), Fraction(1, 200), Fraction(1, 400))),
        seed=7,
    )


def kinked() -> Problem:
    """T = 3, M = 1, G = 2, K = 2; the second outer iteration meets a kink."""
    steps = ((Fraction(1, 20),) * 2,) * 3
    recorded = ((("good", "good"),), (("good", "bad"),), (("good", "bad"),))
    return two_responses(HALF, steps=steps, recorded=recorded)


def leaving() -> Problem:
    """T = 3, M = 1, G = 2, K = 2; the first proposal leaves U."""
    steps = ((Fraction(1),) * 2,) * 3
    return two_responses(HALF, steps=steps, recorded=((("good", "bad"),),) * 3)


def tell(page: Page) -> None:
    """Three runs, one for each status."""
    page.say(
        """A run has T outer iterations. In each it draws G responses for each of the M prompts, once, and then makes up
        to K inner steps with those draws. So what a run may cost is known before it starts: at most T M G draws, and at
        most T K gradient attempts. No run makes more. That is what finite budget means."""
    )
    runs: list[tuple[str, Problem, Outcome]] = [
        (name, problem, run(problem, arithmetic=page.arithmetic))
        for name, problem in (("two prompts", two_prompts()), ("a kink", kinked()), ("out of U", leaving()))
    ]
    page.heading("A run that completes")
    complete = runs[0][2]
    page.say("T = 3, M = 2, G = 4, K = 2. Rewards and masses are rational, the steps are small.")
    page.fact("draws-bound", "the budget of draws, T M G", Fraction(3 * 2 * 4))
    page.fact("draws", "draws made", Fraction(complete.ledger.draws))
    page.fact("attempts-bound", "the budget of gradient attempts, T K", Fraction(3 * 2))
    page.fact("attempts", "gradient attempts made", Fraction(complete.ledger.gradient_attempts))
    page.finding("status", "the status", str(complete.status))
    page.say("A complete run uses its budget of draws exactly, and every attempt became a step.")
    page.heading("Three ways to end")
    page.say(
        """The other two statuses are stops. An attempt that finds no gradient ends the run; so does a proposal outside
        the open domain U. In both cases the parameter that is returned is the last valid one."""
    )
    columns = ("run", "status", "iterations begun", "draws", "T M G", "attempts", "T K", "steps", "membership calls")
    page.table(
        columns,
        [
            (
                name,
                str(outcome.status),
                *(
                    str(number)
                    for number in (
                        outcome.ledger.outer_iterations_started,
                        outcome.ledger.draws,
                        outcome.ledger.bounds.draws,
                        outcome.ledger.gradient_attempts,
                        outcome.ledger.bounds.gradient_attempts,
                        outcome.ledger.steps_applied,
                        outcome.ledger.membership_calls,
                    )
                ),
            )
            for name, _, outcome in runs
        ],
        right=columns[2:],
    )
    page.say("In each of the three:")
    page.finding(
        "draws-by-iterations",
        "draws = M G times the outer iterations begun",
        all(
            outcome.ledger.draws
            == len(entry.prompts) * entry.group_size * outcome.ledger.outer_iterations_started
            for _, entry, outcome in runs
        ),
    )
    page.finding(
        "attempts-by-steps",
        "attempts = steps applied, plus 1 if the run stopped",
        all(
            outcome.ledger.gradient_attempts
            == outcome.ledger.steps_applied + (outcome.status is not Status.COMPLETE)
            for _, _, outcome in runs
        ),
    )
    page.finding(
        "membership-by-gradients",
        "membership calls = attempts that returned a gradient",
        all(
            outcome.ledger.membership_calls
            == outcome.ledger.gradient_attempts - (outcome.status is Status.UNDEFINED_GRADIENT)
            for _, _, outcome in runs
        ),
    )
    page.say(
        """The second run is worth a look. Its first outer iteration drew two equal rewards and moved nothing, at full
        price. In the second, the first step landed on the clip boundary: the next attempt found a kink and no gradient.
        Its third iteration never began, and never drew."""
    )
    page.say(
        """These are claims C1 to C4. A budget bounds the cost and promises nothing about the result: no status says
        that the policy became better."""
    )
    page.command("grpocheck verify C1 C2 C3 C4")
    page.exercise(
        """T = 5, M = 3, G = 8, K = 2. The run stops with undefined-gradient at the first inner step of outer iteration
        2. How many responses were drawn?""",
        Fraction(2 * 3 * 8),
        "Two outer iterations began, and each draws M G = 24 responses before its first inner step.",
    )
    page.exercise(
        "The same run. How many gradient attempts were made?",
        Fraction(2 + 1),
        "Two in the first outer iteration, both applied, and the one that found no gradient.",
    )


LESSON = Lesson("budget", "What a run may cost: T M G draws and T K gradient attempts", 6, tell)
