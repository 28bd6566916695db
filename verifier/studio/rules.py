"""The rule behind each event of a run: in symbols, then with the run's own numbers put in."""

from collections.abc import Callable, Mapping
from math import prod

from grpocheck.core import Kind
from grpocheck.verifier.studio import mathml as m
from grpocheck.verifier.studio.rules_of_steps import apply, gradient, membership, outcome, stop
from grpocheck.verifier.studio.scenes import (
    MOST_PROMPTS,
    THETA,
    THETA_OLD,
    Rule,
    Scene,
    factor,
    indexed,
    inequalities,
    num,
    policy,
    vector,
)


def start(scene: Scene) -> Rule:
    """theta_0 is in U, and the budget is fixed."""
    problem = scene.stage.problem
    outer, prompts, size, inner = (
        problem.outer_iterations,
        len(problem.prompts),
        problem.group_size,
        problem.inner_steps,
    )
    draws = budget("draws ≤ ", ("T", outer), ("M", prompts), ("G", size))
    attempts = budget("gradient attempts ≤ ", ("T", outer), ("K", inner))
    formula = m.math(m.relation(m.sub(THETA, m.mn("0")), "=", vector(scene.situation.theta)))
    says = "The starting parameter lies in the open domain U, and the budget of the whole run is fixed."
    return Rule(says, (formula, draws, attempts), inequalities(scene, scene.situation.theta))


def budget(words: str, *factors: tuple[str, int]) -> str:
    """A bound as a product, in letters and in numbers."""
    letters = m.joined([m.mi(letter) for letter, _ in factors], "·")
    numbers = m.joined([m.mn(str(number)) for _, number in factors], "·")
    total = m.mn(str(prod(number for _, number in factors)))
    return m.math(m.words(words), letters, m.mo("="), numbers, m.mo("="), total)


def outer_iteration(scene: Scene) -> Rule:
    """Freeze theta as theta_old."""
    formulas = [m.math(m.relation(THETA_OLD, "=", vector(scene.situation.theta_old)))]
    for prompt, masses in zip(scene.stage.problem.prompts[:MOST_PROMPTS], scene.policies.masses, strict=False):
        listed = m.fenced(m.joined([num(mass) for mass in masses[: 2 * m.MOST_ENTRIES]], ","))
        formulas.append(m.math(m.relation(policy("old", prompt.name), "=", listed)))
    says = (
        "The policy at this parameter draws the groups. Its masses are the denominators of every ratio until the "
        "iteration ends."
    )
    return Rule(says, tuple(formulas))


def draw(scene: Scene) -> Rule:
    """One response, drawn from the frozen policy."""
    place, number = scene.prompt.position, scene.values["i"]
    mass = scene.policies.masses[place][scene.situation.draws[place][-1].position]
    letter = indexed("Y", place, number)
    law = m.math(m.relation(letter, "~", policy("old", scene.prompt.name)))
    response = m.words(scene.values["response"])
    drawn = m.math(m.relation(letter, "=", response), m.mo(","), m.words(" of mass "), num(mass))
    says = "A response, drawn independently from the frozen policy. The call is counted."
    return Rule(says, (law, drawn))


def reward(scene: Scene) -> Rule:
    """The reward of a draw."""
    place, number = scene.prompt.position, scene.values["i"]
    response = scene.prompt.responses[scene.situation.draws[place][number - 1].position]
    formula = m.math(
        m.relation(indexed("R", place, number), "=", m.row(m.mi("r"), m.fenced(m.words(response)))),
        m.mo("="),
        num(scene.values["reward"]),
    )
    says = f"The reward of “{response}”, held fixed from here on through the inner steps."
    return Rule(says, (formula,))


def group(scene: Scene) -> Rule:
    """Mean, population deviation and advantages of a group."""
    place = scene.prompt.position
    rewards = [draw.reward for draw in scene.situation.draws[place]]
    mean, deviation, advantages = (scene.values[name] for name in ("mean", "deviation", "advantages"))
    size = m.mn(str(len(rewards)))
    centre = m.sub(m.mover("R"), m.mn(str(place + 1)))
    spread = m.sub(m.mi("s"), m.mn(str(place + 1)))
    squares = [m.sup(m.fenced(num(value), m.mo("−"), factor(mean)), m.mn("2")) for value in rewards]
    formulas = [
        m.math(m.relation(centre, "=", m.fraction(m.sum_of([factor(value) for value in rewards]), size)),
               m.mo("="), num(mean)),
        m.math(m.relation(spread, "=", m.root(m.row(m.fraction(m.mn("1"), size), m.fenced(m.sum_of(squares))))),
               m.mo("="), num(deviation)),
    ]
    symbols = m.fraction(m.row(indexed_plain("R"), m.mo("−"), m.mover("R")), m.mi("s"))
    if scene.stage.arithmetic.equal(deviation, 0):
        says = "All rewards of the group are equal: s is exactly 0, and by definition every advantage is 0."
        formulas.append(m.math(m.relation(indexed_plain("A"), "=", m.mn("0"))))
    else:
        says = "Rewards less their mean, over the population standard deviation (divisor G, nothing added to s)."
        listed = m.fenced(m.joined([num(value) for value in advantages[: 2 * m.MOST_ENTRIES]], ","))
        formulas.append(m.math(m.relation(indexed_plain("A"), "=", symbols), m.mo(";"), m.mi("A"), m.mo("="), listed))
    return Rule(says, tuple(formulas))


def indexed_plain(letter: str) -> str:
    """A letter with the index i."""
    return m.sub(m.mi(letter), m.mi("i"))


def arithmetic(scene: Scene) -> Rule:
    """The run goes over to enclosures."""
    says = (
        f"From here on numbers are certified enclosures, refined until each comparison is decided: "
        f"{scene.values['reason']}. What was exact stays exact."
    )
    return Rule(says)


RULES: Mapping[Kind, Callable[[Scene], Rule]] = {
    Kind.START: start,
    Kind.OUTER_ITERATION: outer_iteration,
    Kind.DRAW: draw,
    Kind.REWARD: reward,
    Kind.GROUP: group,
    Kind.ARITHMETIC: arithmetic,
    Kind.GRADIENT: gradient,
    Kind.MEMBERSHIP: membership,
    Kind.APPLY: apply,
    Kind.STOP: stop,
    Kind.OUTCOME: outcome,
}


def rule_of(scene: Scene) -> Rule:
    """The rule of an event."""
    return RULES[scene.event.kind](scene)
