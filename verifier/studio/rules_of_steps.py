"""The rules of an inner step: gradient, proposal and membership, application, stop, and the outcome."""

from collections.abc import Iterator

from grpocheck.core import Status
from grpocheck.core.arithmetic import Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.frozen import Group
from grpocheck.core.gradient import Vector, divergence_gradient
from grpocheck.core.oracles import Undefined
from grpocheck.core.ratio import active_bound
from grpocheck.verifier.studio import mathml as m
from grpocheck.verifier.studio.responses import Gradient
from grpocheck.verifier.studio.scenes import (
    MOST_PROMPTS,
    NABLA,
    RHO,
    THETA,
    Rule,
    Scene,
    factor,
    inequalities,
    num,
    plain,
    point,
    vector,
)

GRADIENT_SYMBOLS = m.math(
    NABLA, m.sub(m.mi("F"), m.mi("t")), m.mo("="),
    m.fraction(m.mn("1"), m.mi("M")), m.total(m.mi("l")),
    m.fenced(
        m.fraction(m.mn("1"), m.mi("G")), m.total(m.row(m.mi("i"), m.mo(":"), RHO, m.mi("A"), m.mo("<"), m.mi("bA"))),
        m.sub(m.mi("A"), m.mi("i")),
        m.fraction(m.row(NABLA, m.mi("π"), m.fenced(m.sub(m.mi("Y"), m.mi("i")))),
                   m.row(m.sub(m.mi("π"), m.mi("old")), m.fenced(m.sub(m.mi("Y"), m.mi("i"))))),
        m.mo("−"), m.mi("β"), m.total(m.mi("j")), NABLA, m.sub(m.mi("π"), m.mi("j")), m.mi("log"),
        m.fraction(m.sub(m.mi("π"), m.mi("j")), m.sub(m.mi("π"), m.mi("ref,j"))),
    ),
)  # fmt: skip

OBJECTIVE_SYMBOLS = m.math(
    m.sub(m.mi("F"), m.mi("t")), m.fenced(THETA), m.mo("="),
    m.fraction(m.mn("1"), m.mi("M")), m.total(m.mi("l")),
    m.fenced(
        m.fraction(m.mn("1"), m.mi("G")), m.total(m.mi("i")), m.mi("min"),
        m.fenced(m.sub(RHO, m.mi("i")), m.sub(m.mi("A"), m.mi("i")), m.mo(","),
                 m.mi("clip"), m.fenced(m.sub(RHO, m.mi("i"))), m.sub(m.mi("A"), m.mi("i"))),
        m.mo("−"), m.mi("β"), m.sub(m.mi("KL"), m.mi("l")),
    ),
)  # fmt: skip


def gradient(scene: Scene) -> Rule:
    """The gradient, or where there is none the kink that is in its way."""
    answer = scene.values["answer"]
    theta = point(scene.situation.theta)
    if isinstance(answer, Undefined):
        says = " ".join(kink_sentences(scene)) or f"The oracle answered that F has no gradient at θ = {theta}."
        return Rule(says, tuple(kink_formulas(scene)))
    alive = sum(row.get("gradient") == "alive" for row in scene.rows)
    says = (
        f"At θ = {theta} the gradient exists: no drawn response with A ≠ 0 sits on its active bound while its ratio "
        f"moves. {alive} of {len(scene.rows)} responses have a gradient that is alive."
    )
    return Rule(says, (GRADIENT_SYMBOLS, gradient_numbers(scene, answer)))


def kinks(scene: Scene) -> Iterator[tuple[Group, int]]:
    """The draws that sit on a kink."""
    rows = iter(scene.rows)
    for group in scene.situation.groups:
        for i in range(len(group.positions)):
            if next(rows)["gradient"] == Gradient.KINK.name.lower():
                yield group, i


def kink_sentences(scene: Scene) -> Iterator[str]:
    """Why there is no gradient: the responses on their active bounds, each once."""
    told: dict[tuple[int, int], str] = {}
    arithmetic = scene.stage.arithmetic
    for group, i in kinks(scene):
        response, advantage = group.prompt.responses[group.positions[i]], group.advantages[i]
        bound = active_bound(advantage, arithmetic.number(scene.stage.problem.epsilon), arithmetic)
        side = "1 + ε" if arithmetic.less(0, advantage) else "1 − ε"
        told[group.prompt.position, group.positions[i]] = (
            f"“{response}” (A = {plain(advantage)}, ratio {plain(bound)} = {side})"
        )
    if told:
        listed = list(told.values())
        named = " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)
        verb = "sit exactly on their active bounds" if len(listed) > 1 else "sits exactly on its active bound"
        moving = "their ratios still move" if len(listed) > 1 else "its ratio still moves"
        yield f"{named} {verb} while {moving}: on one side the term moves with θ, on the other it is constant."
        yield f"So F has a kink at θ = {point(scene.situation.theta)} and no gradient there (F2)."


def kink_formulas(scene: Scene) -> Iterator[str]:
    """The ratio of each response on its active bound."""
    told = set()
    for group, i in kinks(scene):
        place, position = group.prompt.position, group.positions[i]
        if (place, position) in told:
            continue
        told.add((place, position))
        mass, old = scene.policies.masses[place][position], group.old_masses[i]
        sign = "+" if scene.stage.arithmetic.less(0, group.advantages[i]) else "−"
        yield m.math(
            m.relation(m.row(RHO, m.fenced(m.words(group.prompt.responses[position]))), "=",
                       m.fraction(num(mass), num(old))),
            m.mo("="), num(mass / old), m.mo("="), m.mn("1"), m.mo(sign), m.mi("ε"),
        )  # fmt: skip


def gradient_numbers(scene: Scene, answer: Vector) -> str:
    """The gradient with the run's numbers put in."""
    groups = scene.situation.groups
    left = m.row(NABLA, m.sub(m.mi("F"), m.mn(str(scene.situation.t))))
    if len(groups) > MOST_PROMPTS or len(answer) > 3:
        return m.math(m.relation(left, "=", vector(answer)))
    rows = iter(scene.rows)
    parts = []
    for group in groups:
        place = group.prompt.position
        alive = [i for i in range(len(group.positions)) if next(rows)["gradient"] == "alive"]
        terms = [
            m.row(factor(group.advantages[i]), m.mo("·"),
                  m.fraction(vector(scene.policies.mass_gradients[place][group.positions[i]]),
                             num(group.old_masses[i])))
            for i in alive
        ]  # fmt: skip
        part = [m.fraction(m.mn("1"), m.mn(str(len(group.positions)))), m.fenced(m.sum_of(terms))]
        if scene.stage.problem.beta:
            part += [m.mo("−"), num(scene.stage.problem.beta), m.mo("·"), vector(divergence_slope(scene, group))]
        parts.append(m.row(*part))
    return m.math(m.relation(left, "=", averaged(parts)), m.mo("="), vector(answer))


def divergence_slope(scene: Scene, group: Group) -> Vector:
    """grad KL at one prompt."""
    place = group.prompt.position
    masses, slopes = scene.policies.masses[place], scene.policies.mass_gradients[place]
    return divergence_gradient(masses, group.prompt.reference, slopes, scene.stage.arithmetic)


def averaged(parts: list[str]) -> str:
    """The mean over prompts, written out; one prompt needs none."""
    if len(parts) == 1:
        return parts[0]
    return m.row(m.fraction(m.mn("1"), m.mn(str(len(parts)))), m.fenced(m.joined(parts), left="[", right="]"))


def membership(scene: Scene) -> Rule:
    """The proposal, and whether it is in U."""
    proposal, answer, k = scene.values["proposal"], scene.values["answer"], scene.values["k"]
    theta = scene.situation.theta
    step = scene.stage.problem.step_sizes[scene.situation.t - 1][k - 1]
    slope = tuple((new - old) / step for new, old in zip(proposal, theta, strict=True))
    formula = m.math(
        THETA, m.mo("+"), m.sub(m.mi("η"), m.row(m.mn(str(scene.situation.t)), m.mo(","), m.mn(str(k)))), NABLA,
        m.mi("F"), m.mo("="), vector(theta), m.mo("+"), num(step), m.mo("·"),
        vector(slope) if len(slope) > 1 else factor(slope[0]), m.mo("="), vector(proposal),
    )  # fmt: skip
    says = (
        "The proposal is in U: the step may be applied."
        if answer
        else "The proposal is not in the open domain U: nothing is applied, and the run will stop."
    )
    return Rule(says, (formula,), inequalities(scene, proposal))


def apply(scene: Scene) -> Rule:
    """The step is applied; the objective at the new parameter."""
    value: Scalar = scene.values["objective"]
    left = m.row(m.sub(m.mi("F"), m.mn(str(scene.situation.t))), m.fenced(vector(scene.situation.theta)))
    numbers = m.math(m.relation(left, "=", num(value)))
    groups = scene.situation.groups
    if len(groups) <= MOST_PROMPTS:
        parts = [objective_part(scene, group) for group in groups]
        numbers = m.math(m.relation(left, "=", averaged(parts)), m.mo("="), num(value))
    says = f"θ is now {point(scene.situation.theta)}; there the objective of this iteration is {plain(value)}."
    return Rule(says, (OBJECTIVE_SYMBOLS, numbers))


def objective_part(scene: Scene, group: Group) -> str:
    """The mean of the clipped terms of one prompt, less its penalty."""
    place, arithmetic = group.prompt.position, scene.stage.arithmetic
    epsilon = arithmetic.number(scene.stage.problem.epsilon)
    masses = scene.policies.masses[place]
    terms = []
    for position, old, advantage in zip(group.positions, group.old_masses, group.advantages, strict=True):
        ratio = masses[position] / old
        if arithmetic.equal(advantage, 0):
            terms.append(m.mn("0"))
            continue
        bound = active_bound(advantage, epsilon, arithmetic)
        cut = not arithmetic.less(ratio * advantage, bound * advantage)
        terms.append(m.row(factor(bound if cut else ratio), m.mo("·"), factor(advantage)))
    part = [m.fraction(m.mn("1"), m.mn(str(len(terms)))), m.fenced(m.sum_of(terms))]
    if scene.stage.problem.beta:
        divergence = kl_divergence(masses, group.prompt.reference, arithmetic)
        part += [m.mo("−"), num(scene.stage.problem.beta), m.mo("·"), num(divergence)]
    return m.row(*part)


def stop(scene: Scene) -> Rule:
    """The run stops at the last valid parameter."""
    status, theta = scene.values["status"], point(scene.situation.theta)
    why = {
        Status.UNDEFINED_GRADIENT: "there is no gradient to follow",
        Status.INVALID_UPDATE: "the proposal lies outside U",
    }[status]
    formula = m.math(m.relation(m.words("returned "), "", THETA), m.mo("="), vector(scene.situation.theta))
    reason = " ".join(kink_sentences(scene)) if status is Status.UNDEFINED_GRADIENT else ""
    says = f"The run ends here because {why}. It returns the last valid parameter, θ = {theta} (A2). {reason}"
    return Rule(says.strip(), (formula,))


def outcome(scene: Scene) -> Rule:
    """Status, parameter and calls of the whole run."""
    status = scene.values["outcome"].status
    says = {
        Status.COMPLETE: "Every outer iteration ran and every step was applied. That says nothing about improvement "
        "or convergence, which are not promised (N1, N2, N7).",
        Status.UNDEFINED_GRADIENT: "The run stopped where F has no gradient, with the last valid parameter.",
        Status.INVALID_UPDATE: "The run stopped before a step out of U, with the last valid parameter.",
    }[status]
    formula = m.math(m.relation(THETA, "=", vector(scene.situation.theta)))
    return Rule(says, (formula,))
