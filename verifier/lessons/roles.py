"""Lesson: three policies with three roles, digests that show which of them moved, and parameters that are shared."""

import copy
import hashlib
from collections.abc import Callable, Mapping
from fractions import Fraction

from grpocheck.core.arithmetic import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.gradient import divergence_gradient, weighted_sum
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from grpocheck.core.ratio import importance_ratio
from grpocheck.verifier.lessons.lesson import Lesson, Page
from grpocheck.verifier.lessons.numbers import decimals, rounded
from grpocheck.verifier.lessons.small_problems import RESPONSES, REWARDS, two_responses

START = Fraction(1, 2)
BETA = Fraction(1, 2)
STEP = Fraction(1, 20)
STEPS = 4
GRID = 12
"""Decimals that the parameter of the little trainer keeps, as a trainer's floating point keeps some."""

Model = dict[str, list[Fraction]]
"""A model as a trainer holds it: named lists of numbers that are changed in place."""


def digest(parameters: Mapping[str, list[Scalar]]) -> str:
    """The first twelve hexadecimal digits of SHA-256 over names and numbers, 30 decimals of each."""
    text = ";".join(f"{name}={','.join(decimals(entry, 30) for entry in parameters[name])}" for name in parameters)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:12]


def shared_parts(one: Model, other: Model) -> list[str]:
    """The names of the parts that two models do not merely have alike, but in common."""
    return [name for name in one if one[name] is other.get(name)]


def always(model: Model) -> Callable[[], Model]:
    """One and the same reference, whenever it is asked for."""
    return lambda: model


REFERENCES: Mapping[str, Callable[[Model], Callable[[], Model]]] = {
    "deep copy": lambda model: always(copy.deepcopy(model)),
    "shallow copy": lambda model: always(copy.copy(model)),
    "the model itself": always,
    "copy at each step": lambda model: lambda: copy.deepcopy(model),
}
"""Ways to get a reference out of a model: what is set up once, and what is then asked for at each step."""


def masses(model: Model) -> tuple[Fraction, Fraction]:
    """The policy of a model: theta and 1 - theta."""
    (theta,) = model["theta"]
    return theta, 1 - theta


def train(current: Model, reference_of: Callable[[], Model], page: Page) -> Model:
    """STEPS ascents of E[R] - beta KL, in place; ``reference_of`` gives the reference of each. Returns the last one."""
    for _ in range(STEPS):
        reference = reference_of()
        now, base = masses(current), masses(reference)
        rows = Bernoulli().mass_gradients(now[:1], Prompt(0, "q", RESPONSES, REWARDS, base), page.arithmetic)
        slope = weighted_sum(list(zip(REWARDS, rows, strict=True)))[0]
        slope -= BETA * divergence_gradient(now, base, rows, page.arithmetic)[0]
        current["theta"][0] = rounded(now[0] + STEP * slope, GRID)
    return reference


def arrangement(kind: str, page: Page) -> tuple[str, Fraction, Scalar, Scalar, str, str]:
    """Train with one kind of reference: parts shared, theta, both divergences, the reference's digests."""
    current: Model = {"theta": [START]}
    reference_of = REFERENCES[kind](current)
    before, shared = digest(reference_of()), ", ".join(shared_parts(reference_of(), current)) or "none"
    last = train(current, reference_of, page)
    seen = kl_divergence(masses(current), masses(last), page.arithmetic)
    true = kl_divergence(masses(current), (START, 1 - START), page.arithmetic)
    return shared, current["theta"][0], seen, true, before, digest(last)


def tell(page: Page) -> None:
    """A run of core with its three roles, then a little trainer with a mutable model."""
    arithmetic = page.arithmetic
    page.say("Three policies take part in an update, and each has one job.")
    page.table(
        ("role", "what it does", "when it changes"),
        (
            ("reference", "KL is measured from it", "never, in the whole run"),
            ("old", "it drew the responses; ratios divide by it", "at the start of each outer iteration"),
            ("current", "it is what is trained", "at each applied inner step"),
        ),
    )
    page.say(
        """At the very first step all three may be the same numbers, which is why it is easy to confuse them: every test
        that stops after one step passes."""
    )
    page.heading("A run")
    page.say("One prompt, T = 2 outer iterations of K = 2 steps, theta_0 = 0.5, a fair reference, beta = 0.1.")
    tenth, small = Fraction(1, 10), Fraction(1, 100)
    recorded = ((("good", "bad"),),) * 2
    problem = two_responses(START, beta=tenth, steps=((small, small),) * 2, recorded=recorded)
    reference = {"reference": list(problem.prompts[0].reference)}
    before = page.finding("reference-before", "digest of the reference, before", digest(reference))
    outcome = run(problem, arithmetic=arithmetic)
    rows = []
    for iteration in outcome.iterations:
        (old,) = iteration.frozen.theta_old
        for step in iteration.steps:
            now = step.theta[0]
            rows.append(
                (
                    str(iteration.frozen.outer_iteration),
                    str(step.number),
                    digest({"old": [old]}),
                    digest({"current": [now]}),
                    decimals(importance_ratio(now, old), 6),
                    decimals(kl_divergence((now, 1 - now), problem.prompts[0].reference, arithmetic), 6),
                )
            )
    page.table(
        ("t", "k", "digest of old", "digest of current", "ratio of good", "KL to the reference"),
        rows,
        right=("t", "k", "ratio of good", "KL to the reference"),
    )
    after = page.finding(
        "reference-after",
        "digest of the reference, after",
        digest({"reference": list(problem.prompts[0].reference)}),
    )
    page.finding("reference-still", "is it the same?", before.value == after.value)
    page.fact("old-digests", "digests that old had", Fraction(len({row[2] for row in rows})))
    page.fact("current-digests", "digests that current had", Fraction(len({row[3] for row in rows})))
    second = outcome.iterations[1]
    first_step = importance_ratio(second.steps[0].theta_before[0], second.frozen.theta_old[0])
    page.fact("fresh-ratio", "ratio at the first inner step of t = 2", first_step)
    page.fact(
        "stale-ratio",
        "the same ratio if old had stayed at theta_0",
        importance_ratio(second.steps[0].theta_before[0], START),
        6,
    )
    page.say(
        """A digest is cheap, and it is evidence: the same digest before and after says that not one number moved. The
        last two lines show a second test. Right after fresh draws every ratio is exactly 1 (claim B3). If it is not,
        old is not the policy that drew."""
    )
    page.heading("Shared parameters")
    page.say(
        """In core numbers cannot be changed in place. In a trainer they can. Here is a little one: a model is a
        dictionary of lists, a step changes the list, the objective is E[R] - beta KL with beta = 0.5. Four ways to get
        a reference out of the starting model, and four steps with each:"""
    )
    found = {kind: arrangement(kind, page) for kind in REFERENCES}
    page.table(
        ("reference", "shared parts", "first digest", "last digest", "theta at the end", "KL in the log", "true KL"),
        [
            (kind, shared, start, end, decimals(theta, 6), decimals(seen, 6), decimals(true, 6))
            for kind, (shared, theta, seen, true, start, end) in found.items()
        ],
        right=("theta at the end", "KL in the log", "true KL"),
    )
    page.finding("deep-shared", "parts that a deep copy shares with the model", found["deep copy"][0])
    page.finding("shallow-shared", "parts that a shallow copy shares", found["shallow copy"][0])
    page.fact("logged", "KL logged with the shallow copy, after four steps", found["shallow copy"][2])
    page.fact("moved", "its true KL to the start", found["shallow copy"][3], 6)
    page.say(
        """A shallow copy is another dictionary with the same list inside. The optimiser moves the reference along with
        the policy, the logged KL stays at exactly 0, and theta ends where it would without any penalty. Two tests catch
        it: ask whether the parts are the same objects, and compare the reference's digest before and after a step."""
    )
    page.say(
        """The last row shares nothing and fails as well: a reference copied from the policy before each step
        is the old policy under another name. The slope of the penalty is then always taken where it is 0, and the log
        shows one step's worth of KL. Within a step the copy's digest holds still. So pin the digest at the start of
        training, not at the start of a step."""
    )
    page.exercise(
        """The reference is the same object as the model that is trained. Which KL does the log show after a hundred
        steps?""",
        found["the model itself"][2],
        "The divergence of a policy from itself, which is 0 however far it has moved.",
    )
    page.exercise(
        "At the first inner step of outer iteration 5 a ratio is 1.03. Which role is wrong: reference, old or current?",
        "old",
        "At that step current has not moved since the draws, so every ratio is 1 if old is the policy that drew.",
        choices=("reference", "old", "current"),
    )


LESSON = Lesson("roles", "Reference, old and current: three roles, and how to see one move", 8, tell)
