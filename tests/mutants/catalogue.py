"""The mistakes that people really make in group-relative updates, each as a change of one place of core.

A mistake names the file, the words that it replaces and what it puts in their place; where the words are not there
exactly once, the catalogue is out of date and says so.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """One mistake: its name, the file of core, and the text before and after."""

    name: str
    file: str
    before: str
    after: str


STEP = "steps.append(inner_step(guard, frozen, number, theta, step_size))"

MISTAKES = (
    Mistake(
        "sample standard deviation for the population's",
        "advantage.py",
        "for deviation in deviations) / len(values))",
        "for deviation in deviations) / (len(values) - 1))",
    ),
    Mistake(
        "standard deviation plus 1e-4 in the denominator",
        "advantage.py",
        "(reward - average) / deviation for",
        "(reward - average) / (deviation + (average - average + 1) / 10000) for",
    ),
    Mistake(
        "a group of equal rewards divided anyway",
        "advantage.py",
        "if arithmetic.less(0, deviation):",
        "if deviation is not None:",
    ),
    Mistake(
        "clip without the minimum",
        "ratio.py",
        "return arithmetic.minimum(ratio * advantage, clip(ratio, epsilon, arithmetic) * advantage)",
        "return clip(ratio, epsilon, arithmetic) * advantage",
    ),
    Mistake(
        "minimum taken before a negative advantage multiplies",
        "ratio.py",
        "return arithmetic.minimum(ratio * advantage, clip(ratio, epsilon, arithmetic) * advantage)",
        "return arithmetic.minimum(ratio, clip(ratio, epsilon, arithmetic)) * advantage",
    ),
    Mistake(
        "the other side of the clip for a negative advantage",
        "ratio.py",
        "return 1 + epsilon if arithmetic.less(0, advantage) else 1 - epsilon",
        "return 1 + epsilon",
    ),
    Mistake(
        "ratio against the reference policy",
        "update.py",
        "old_masses = tuple(masses[position] for position in positions)",
        "old_masses = tuple(prompt.reference[position] for position in positions)",
    ),
    Mistake(
        "old policy refreshed inside the inner loop",
        "update.py",
        STEP,
        STEP + "\n        frozen = refreshed(frozen, guard.masses(steps[-1].theta))",
    ),
    Mistake(
        "draws repeated inside the inner loop",
        "update.py",
        STEP,
        "frozen = freeze(problem, guard, outer_iteration, theta)\n        " + STEP,
    ),
    Mistake(
        "advantages recomputed inside the inner loop",
        "update.py",
        STEP,
        STEP + "\n        frozen = reweighted(frozen, guard)",
    ),
    Mistake(
        "divergence reversed",
        "divergence.py",
        "sum(mass * arithmetic.log(mass / base)",
        "sum(base * arithmetic.log(base / mass)",
    ),
    Mistake(
        "divergence rewarded instead of penalised",
        "objective.py",
        "total = total - frozen.beta * kl_divergence",
        "total = total + frozen.beta * kl_divergence",
    ),
    Mistake(
        "divergence rewarded in the gradient",
        "gradient.py",
        "(-frozen.beta * share, divergence)",
        "(frozen.beta * share, divergence)",
    ),
    Mistake(
        "sampled k3 for the exact divergence",
        "objective.py",
        "total = total - frozen.beta * kl_divergence(prompt_masses, group.prompt.reference, arithmetic)",
        "total = total - frozen.beta * sum(\n"
        "                group.prompt.reference[j] / prompt_masses[j] - 1\n"
        "                - arithmetic.log(group.prompt.reference[j] / prompt_masses[j])\n"
        "                for j in group.positions\n"
        "            ) / len(group.positions)",
    ),
    Mistake(
        "membership not asked",
        "update.py",
        "if not guard.is_member(t, number, proposal):",
        "if False:",
    ),
    Mistake(
        "update applied before the membership answer",
        "update.py",
        "return InnerStep(number, theta, gradient, proposal, False, theta, None)",
        "return InnerStep(number, theta, gradient, proposal, False, proposal, None)",
    ),
    Mistake(
        "one inner step too few",
        "update.py",
        "enumerate(problem.step_sizes[outer_iteration - 1], start=1)",
        "enumerate(problem.step_sizes[outer_iteration - 1][: -1] or problem.step_sizes[outer_iteration - 1], start=1)",
    ),
    Mistake(
        "one inner step too many",
        "update.py",
        "enumerate(problem.step_sizes[outer_iteration - 1], start=1)",
        "enumerate((*problem.step_sizes[outer_iteration - 1], problem.step_sizes[outer_iteration - 1][-1]), start=1)",
    ),
    Mistake(
        "one outer iteration too few",
        "procedure.py",
        "for t in range(1, problem.outer_iterations + 1):",
        "for t in range(1, max(2, problem.outer_iterations)):",
    ),
    Mistake(
        "token mean for the sequence ratio",
        "ratio.py",
        "return new_mass / old_mass",
        "return (1 + new_mass / old_mass) / 2",
    ),
    Mistake(
        "token mean for the sequence mass",
        "families/autoregressive.py",
        "reached[(*prefix, token)] = reached[prefix] * mass",
        "reached[(*prefix, token)] = (reached[prefix] * len(prefix) + mass) / (len(prefix) + 1)",
    ),
    Mistake(
        "a reference that follows the policy",
        "update.py",
        "return Group(prompt, positions, rewards, average, deviation, advantages, old_masses)",
        'object.__setattr__(prompt, "reference", masses)\n'
        "    return Group(prompt, positions, rewards, average, deviation, advantages, old_masses)",
    ),
)

HELPERS = '''

def refreshed(frozen, masses):
    from dataclasses import replace
    groups = tuple(
        replace(group, old_masses=tuple(masses[group.prompt.position][j] for j in group.positions))
        for group in frozen.groups
    )
    return replace(frozen, groups=groups)


def reweighted(frozen, guard):
    from dataclasses import replace
    masses = guard.masses(guard.kept.theta)
    groups = []
    for group in frozen.groups:
        now = [masses[group.prompt.position][j] for j in group.positions]
        rewards = [r * new / old for r, new, old in zip(group.rewards, now, group.old_masses)]
        average, deviation = mean(rewards), population_standard_deviation(rewards, guard.arithmetic)
        advantages = standardised(rewards, average, deviation, guard.arithmetic)
        changed = {"average": average, "deviation": deviation, "advantages": advantages}
        groups.append(replace(group, rewards=tuple(rewards), **changed))
    return replace(frozen, groups=tuple(groups))
'''
"""What two of the mistakes in update.py call, added to its end."""
