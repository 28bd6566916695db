"""One outer iteration: freeze theta, draw the groups, and make up to K guarded gradient steps.

Seed [000], from "At outer iteration t, freeze theta_{t-1}" to "After K successful inner steps set theta_t".
"""

from collections.abc import Sequence

from grpocheck.contracts.clauses import ensure, require, snapshot
from grpocheck.contracts.comparisons import at_most, equal
from grpocheck.contracts.predicates import moves_along
from grpocheck.core.advantage import mean, population_standard_deviation, standardised
from grpocheck.core.arithmetic.supply import Scalar
from grpocheck.core.events import Kind
from grpocheck.core.frozen import FrozenIteration, Group, draw_counts
from grpocheck.core.gradient import Vector
from grpocheck.core.guard import Guard
from grpocheck.core.objective import objective
from grpocheck.core.oracles import Undefined
from grpocheck.core.outcome import InnerStep, OuterIteration, Status
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt


@require(lambda outer_iteration: outer_iteration >= 1, "outer iterations are counted from 1")
@require(lambda masses, prompt: len(masses) == len(prompt.responses), "one mass for each response of the support")
@snapshot(lambda guard: guard.ledger.draws, name="draws")
@ensure(lambda problem, result: len(result.positions) == problem.group_size, "C1: a group has G draws")
@ensure(lambda guard, problem, OLD: guard.ledger.draws == OLD.draws + problem.group_size, "C1: G draws for each prompt")
@ensure(
    lambda masses, result: all(
        mass is masses[position] for mass, position in zip(result.old_masses, result.positions, strict=True)
    ),
    "B3: the denominators of the ratios are the masses of the frozen policy",
)
@ensure(lambda result: len(draw_counts(result)) == len(set(result.positions)), "D1: one response has one advantage")
def draw_group(problem: Problem, guard: Guard, outer_iteration: int, prompt: Prompt, masses: Vector) -> Group:
    """The G draws of one prompt with their rewards, advantages and old masses."""
    numbers = range(1, problem.group_size + 1)
    positions = tuple(guard.draw(masses, prompt, outer_iteration, i) for i in numbers)
    rewards = tuple(
        guard.reward_of(prompt, position, outer_iteration, i) for i, position in zip(numbers, positions, strict=True)
    )
    average = mean(rewards)
    deviation = population_standard_deviation(rewards, guard.arithmetic)
    standing = dict(zip(positions, standardised(rewards, average, deviation, guard.arithmetic), strict=True))
    advantages = tuple(standing[position] for position in positions)
    old_masses = tuple(masses[position] for position in positions)
    guard.tell(
        Kind.GROUP,
        t=outer_iteration,
        prompt=prompt.name,
        mean=average,
        deviation=deviation,
        advantages=advantages,
        old_masses=old_masses,
    )
    return Group(prompt, positions, rewards, average, deviation, advantages, old_masses)


@require(lambda outer_iteration: outer_iteration >= 1, "outer iterations are counted from 1")
@snapshot(lambda guard: guard.ledger.draws, name="draws")
@ensure(lambda theta, result: result.theta_old is theta, "D1: theta_old is the parameter at which the iteration began")
@ensure(
    lambda guard, problem, OLD: guard.ledger.draws == OLD.draws + len(problem.prompts) * problem.group_size,
    "C1: M*G draws for each started outer iteration",
)
@ensure(
    lambda problem, result: all(
        group.prompt is prompt for group, prompt in zip(result.groups, problem.prompts, strict=True)
    ),
    "D2: the reference is the problem's own",
)
def freeze(problem: Problem, guard: Guard, outer_iteration: int, theta: Vector) -> FrozenIteration:
    """Freeze theta as theta_old and draw a group for every prompt from its policy.

    Raises SupplyViolation where a supplied draw, reward or policy breaks its clause.
    """
    guard.ledger.count("outer_iterations_started")
    guard.tell(Kind.OUTER_ITERATION, t=outer_iteration, theta_old=theta)
    groups = tuple(
        draw_group(problem, guard, outer_iteration, prompt, masses)
        for prompt, masses in zip(problem.prompts, guard.masses(theta), strict=True)
    )
    return FrozenIteration(outer_iteration, theta, groups, problem.epsilon, problem.beta)


@require(lambda theta, gradient: len(theta) == len(gradient), "a gradient has the length of the parameter")
@require(lambda step_size: step_size > 0, "step sizes are positive")
@ensure(
    lambda theta, step_size, gradient, result: moves_along(result, theta, step_size, gradient),
    "the proposal is theta + eta grad F_t(theta)",
)
def proposed(theta: Sequence[Scalar], step_size: Scalar, gradient: Sequence[Scalar], guard: Guard) -> Vector:
    """theta + eta * gradient, settled to a size that the arithmetic goes on with."""
    return tuple(
        guard.arithmetic.settle(entry + step_size * slope) for entry, slope in zip(theta, gradient, strict=True)
    )


@require(lambda number: number >= 1, "inner steps are counted from 1")
@require(lambda step_size: step_size > 0, "step sizes are positive")
@snapshot(lambda guard: guard.ledger.to_mapping(), name="ledger")
@snapshot(lambda frozen: (frozen.theta_old, frozen.groups), name="frozen")
@ensure(
    lambda guard, result, OLD: guard.ledger.steps_applied == OLD.ledger["steps_applied"] + (result.is_member is True),
    "A1: a step is applied exactly when M_U answered 1 for it",
)
@ensure(
    lambda guard, OLD: guard.ledger.gradient_attempts == OLD.ledger["gradient_attempts"] + 1,
    "C2: one gradient attempt for each inner step",
)
@ensure(
    lambda guard, result, OLD: guard.ledger.membership_calls
    == OLD.ledger["membership_calls"] + (not isinstance(result.gradient, Undefined)),
    "C3: one membership call for each attempt that returned a gradient",
)
@ensure(lambda guard, OLD: guard.ledger.draws == OLD.ledger["draws"], "D1: no response is drawn in an inner step")
@ensure(
    lambda frozen, OLD: frozen.theta_old is OLD.frozen[0] and frozen.groups is OLD.frozen[1],
    "D1, D2: responses, rewards, advantages, old masses and the reference stay as they were",
)
@ensure(
    lambda theta, result: result.theta is result.proposal if result.is_member else result.theta is theta,
    "A2: without an applied step the last valid parameter stays",
)
def inner_step(guard: Guard, frozen: FrozenIteration, number: int, theta: Vector, step_size: Scalar) -> InnerStep:
    """Ask for the gradient at theta; propose; ask M_U; apply, or stop at theta.

    theta and the gradient have d entries; ``number`` is k, from 1. Raises SupplyViolation where an oracle breaks its
    clause, and UndecidedComparison where a kink or a membership is not decided.
    """
    t = frozen.outer_iteration
    gradient = guard.gradient_at(frozen, number, theta)
    if isinstance(gradient, Undefined):
        guard.tell(Kind.STOP, t=t, k=number, status=Status.UNDEFINED_GRADIENT)
        return InnerStep(number, theta, gradient, None, None, theta, None)
    proposal = proposed(theta, step_size, gradient, guard)
    if not guard.is_member(t, number, proposal):
        guard.tell(Kind.STOP, t=t, k=number, status=Status.INVALID_UPDATE)
        return InnerStep(number, theta, gradient, proposal, False, theta, None)
    guard.ledger.count("steps_applied")
    value = objective(frozen, guard.masses(proposal), guard.arithmetic)
    guard.tell(Kind.APPLY, t=t, k=number, theta=proposal, objective=value)
    return InnerStep(number, theta, gradient, proposal, True, proposal, value)


@require(lambda problem, outer_iteration: 1 <= outer_iteration <= problem.outer_iterations, "1 <= t <= T")
@snapshot(lambda problem: tuple(prompt.reference for prompt in problem.prompts), name="references")
@ensure(
    lambda problem, result: len(result.steps) == problem.inner_steps or result.status is not Status.COMPLETE,
    "C2: K steps are applied unless the iteration stops",
)
@ensure(lambda problem, result: len(result.steps) <= problem.inner_steps, "C2: at most K gradient attempts")
@ensure(
    lambda problem, OLD: all(
        prompt.reference is before for prompt, before in zip(problem.prompts, OLD.references, strict=True)
    ),
    "D2: the reference does not change",
)
@ensure(
    lambda problem, result: at_most(result.objective, 0) and (problem.beta != 0 or equal(result.objective, 0)),
    "B3, B4: at theta_old every ratio is 1, so that F_t is -beta mean KL there: never above 0, and 0 without a penalty",
)
def outer_iteration(problem: Problem, guard: Guard, outer_iteration: int, theta: Vector) -> OuterIteration:
    """Outer iteration t from theta_{t-1}: frozen data, then inner steps k = 1..K or up to a stop."""
    frozen = freeze(problem, guard, outer_iteration, theta)
    at_start = objective(frozen, guard.masses(theta), guard.arithmetic)
    steps: list[InnerStep] = []
    for number, step_size in enumerate(problem.step_sizes[outer_iteration - 1], start=1):
        steps.append(inner_step(guard, frozen, number, theta, step_size))
        theta = steps[-1].theta
        if steps[-1].status is not Status.COMPLETE:
            break
    return OuterIteration(frozen, at_start, tuple(steps))
