"""What refutes N6: functions that run a task over every group that can be drawn, and say exactly what falls."""

from fractions import Fraction

from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.training_free.task import Task
from grpocheck.proofs.non_claims.n6_law import Branch, averaged, branch, law, listed_of, premises_hold
from grpocheck.proofs.non_claims.refutations import shown
from grpocheck.proofs.non_claims.task_files import Facts


def change(name: str, before: Scalar, after: Scalar, arithmetic: Arithmetic) -> str:
    """A quantity before and after, with the difference."""
    before_text, after_text, difference = (shown(value, arithmetic) for value in (before, after, after - before))
    sign = "<" if arithmetic.less(after, before) else ">" if arithmetic.less(before, after) else "="
    return f"{name}: before {before_text}, after {after_text}; difference {difference} {sign} 0"


def pattern_facts(entry: Branch) -> list[str]:
    """What the introspection says of a first group."""
    first = entry.outcome.iterations[0]
    rewards = ", ".join(f"{member.response.text}: r_ext {member.external}" for member in first.members)
    kappa = entry.outcome.task.kappa
    return [
        f"first group ({', '.join(entry.group)}), {rewards}; {pattern.description}: confidence {pattern.confidence} > "
        f"1/2 on {', '.join(pattern.tokens)}, factor {pattern.factor(kappa)}"
        for pattern in first.patterns
        if pattern.tokens
    ]


def fall_of_the_best(branches: list[Branch], arithmetic: Arithmetic) -> Facts | None:
    """The expected best reward of the second group is below that of the first, averaged over the first group."""
    before = averaged(branches, lambda entry: entry.first_best)
    after = averaged(branches, lambda entry: entry.second_best)
    if not premises_hold(branches) or not arithmetic.less(after, before):
        return None
    patterns = [fact for entry in branches for fact in pattern_facts(entry)]
    return (change("E[max r], averaged over the first group", before, after, arithmetic), *patterns)


def novelty_falls(task: Task) -> Facts | None:
    """The whole reward, of which neither the external part nor the entropy falls in expectation."""
    branches = law(task)
    arithmetic = branches[0].outcome.arithmetic
    facts = fall_of_the_best(branches, arithmetic)
    external = averaged(branches, lambda entry: entry.first_external)
    later_external = averaged(branches, lambda entry: entry.second_external)
    entropy = averaged(branches, lambda entry: entry.outcome.iterations[0].entropy)
    later_entropy = averaged(branches, lambda entry: entry.outcome.iterations[1].entropy)
    if facts is None or arithmetic.less(later_external, external) or arithmetic.less(later_entropy, entropy):
        return None
    return (
        *facts,
        change("E[max r_ext], meanwhile", external, later_external, arithmetic),
        change("E[entropy], meanwhile, in nats", entropy, later_entropy, arithmetic),
    )


def mean_rises(before: Scalar, after: Scalar, arithmetic: Arithmetic) -> Facts | None:
    """That the mean reward rises meanwhile; None where it does not."""
    if not arithmetic.less(before, after):
        return None
    return (change("E[r] of one response, meanwhile", before, after, arithmetic),)


def external_falls_on_average(task: Task) -> Facts | None:
    """With the external reward only, averaged over the first group too, while the mean rises."""
    if task.weights.epistemic != 0:
        return None
    branches = law(task)
    arithmetic = branches[0].outcome.arithmetic
    facts = fall_of_the_best(branches, arithmetic)
    before = averaged(branches, lambda entry: entry.first_mean)
    after = averaged(branches, lambda entry: entry.second_mean)
    meanwhile = mean_rises(before, after, arithmetic)
    return None if facts is None or meanwhile is None else (*facts, *meanwhile)


def external_falls_after_a_group(task: Task) -> Facts | None:
    """With the external reward only and the first group that the file records, while the mean rises."""
    if task.weights.epistemic != 0 or task.recorded is None:
        return None
    every = law(task)
    entry = branch(task, task.recorded[0], Fraction(1))
    arithmetic = entry.outcome.arithmetic
    before = averaged(every, lambda other: other.first_best)
    meanwhile = mean_rises(averaged(every, lambda other: other.first_mean), entry.second_mean, arithmetic)
    if meanwhile is None or not premises_hold([entry]) or not arithmetic.less(entry.second_best, before):
        return None
    old, new = (
        ", ".join(f"{response.text} {mass}" for response, mass in listed)
        for listed in (listed_of(task), entry.outcome.iterations[1].distribution.law())
    )
    return (
        change("E[max r], given the first group", before, entry.second_best, arithmetic),
        *meanwhile,
        *pattern_facts(entry),
        f"masses: {old} before; {new} after",
    )
