"""Lesson: a two-step policy of ten actions, small enough to list and large enough to train."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.core.arithmetic import Arithmetic, MpArithmetic, Scalar
from grpocheck.core.divergence import kl_divergence
from grpocheck.core.draws import SeededDraws
from grpocheck.core.families.autoregressive import AutoregressiveLogits
from grpocheck.core.generation import Generation, Tokens
from grpocheck.core.oracles import Undefined
from grpocheck.core.prompt import Prompt
from grpocheck.core.variants.policies import PromptPolicies, Update
from grpocheck.core.variants.registry import named
from grpocheck.core.variants.support import TokenSupport
from grpocheck.core.variants.words import composition, with_parts
from grpocheck.verifier.lessons.lesson import Lesson, Page, line
from grpocheck.verifier.lessons.numbers import decimals, rounded

ACTIONS = tuple("0123456789")
END = "."
HORIZON = 2
BETA = Fraction(1, 20)
GROUP_SIZE = 32
UPDATES = 40
STEP = Fraction(2)
SEED = 1
DIGITS = 40
"""Decimal digits that the training computes with."""
GRID = 6
"""Decimals to which the parameter is rounded after each update."""
TINY = Fraction(1, 10**30)
PART = "kl=k1,place=reward-before-baseline"


def policy() -> AutoregressiveLogits:
    """One logit for each of ten actions, before the first step and after each first action; the end never comes."""
    prefixes: tuple[Tokens, ...] = ((), *((action,) for action in ACTIONS))
    return AutoregressiveLogits(
        Generation((*ACTIONS, END), END, HORIZON, tuple((prefix, (END,)) for prefix in prefixes))
    )


def task(family: AutoregressiveLogits) -> Prompt:
    """Reward 1 for two digits whose sum is 9; the reference is uniform over the hundred paths."""
    paths = family.support_keys
    rewards = tuple(Fraction(int(sum(map(int, path.split())) == 9)) for path in paths)
    return Prompt(0, "two digits", paths, rewards, (Fraction(1, len(paths)),) * len(paths), family.response_keys)


@dataclass(frozen=True)
class Training:
    """The parameter after the last update, and E[R] and the objective before each update and after the last.

    ``first_group`` is what the first update drew.
    """

    theta: tuple[Fraction, ...]
    rewards: tuple[Scalar, ...]
    objectives: tuple[Scalar, ...]
    first_group: tuple[str, ...]


def policies(
    family: AutoregressiveLogits, prompt: Prompt, theta: Sequence[Fraction], arithmetic: Arithmetic
) -> PromptPolicies:
    """The task under the policy of a parameter, which is both the current and the old one."""
    numbers = [arithmetic.number(entry) for entry in theta]
    masses = family.masses(numbers, prompt, arithmetic)
    rewards, reference = (
        tuple(arithmetic.number(entry) for entry in entries) for entries in (prompt.rewards, prompt.reference)
    )
    rows = family.mass_gradients(numbers, prompt, arithmetic)
    return PromptPolicies(TokenSupport(prompt.responses), rewards, masses, masses, reference, rows)


def train(family: AutoregressiveLogits, prompt: Prompt, page: Page) -> Training:
    """UPDATES updates, each from a fresh group, at DIGITS decimal digits."""
    arithmetic = MpArithmetic(DIGITS)
    variant, draws = with_parts(named("reinforce-std"), [PART]), SeededDraws(SEED, arithmetic)
    theta: tuple[Fraction, ...] = (Fraction(0),) * family.dimension
    rewards, objectives = [], []
    first_group: tuple[str, ...] = ()
    with page.progress("training", UPDATES) as advance:
        for update in range(1, UPDATES + 1):
            now = policies(family, prompt, theta, arithmetic)
            rewards.append(now.true_objective(arithmetic.number(Fraction(0)), arithmetic))
            objectives.append(now.true_objective(arithmetic.number(BETA), arithmetic))
            group = tuple(draws(now.current, prompt, update, i) for i in range(1, GROUP_SIZE + 1))
            first_group = first_group or group
            positions = tuple(prompt.responses.index(response) for response in group)
            settings = Update((now,), arithmetic.number(Fraction(1, 5)), arithmetic.number(BETA), HORIZON)
            found = settings.coefficients([positions], variant, arithmetic)
            assert not isinstance(found, Undefined)
            gradient = now.gradient_of(found[0])
            theta = tuple(
                rounded(arithmetic.number(entry) + arithmetic.number(STEP) * slope, GRID)
                for entry, slope in zip(theta, gradient, strict=True)
            )
            advance(1)
    last = policies(family, prompt, theta, arithmetic)
    rewards.append(last.true_objective(arithmetic.number(Fraction(0)), arithmetic))
    objectives.append(last.true_objective(arithmetic.number(BETA), arithmetic))
    return Training(theta, tuple(rewards), tuple(objectives), first_group)


def chained(
    conditionals: Mapping[Tokens, Sequence[Scalar]], weights: Sequence[Scalar], arithmetic: Arithmetic
) -> Scalar:
    """KL to the uniform reference: the first step's, and the second step's with these weights of the prefixes."""
    fair = (Fraction(1, len(ACTIONS)),) * len(ACTIONS)
    first = kl_divergence(conditionals[()], fair, arithmetic)
    return first + sum(
        weight * kl_divergence(conditionals[action,], fair, arithmetic)
        for weight, action in zip(weights, ACTIONS, strict=True)
    )


def tell(page: Page) -> None:
    """Before, the training, after."""
    arithmetic = page.arithmetic
    family = policy()
    prompt = task(family)
    page.say(
        """Most lessons fit on two responses. This one trains something: a policy that says two digits, one after the
        other. Ten logits for the first digit, and ten more after each first digit. The reward is 1 if the two digits
        sum to 9, and 0 otherwise. The reference is the policy at the start, uniform over all paths."""
    )
    page.fact("parameters", "parameters", Fraction(family.dimension))
    page.fact("paths", "paths", Fraction(len(prompt.responses)))
    start = [Fraction(0)] * family.dimension
    before = family.masses(start, prompt, arithmetic)
    page.fact("sum-before", "the sum of their masses at the start", sum(before))
    reward_before = sum(mass * reward for mass, reward in zip(before, prompt.rewards, strict=True))
    divergence_before = kl_divergence(before, prompt.reference, arithmetic)
    page.fact("reward-before", "E[R] at the start: ten of the hundred paths", reward_before)
    page.fact("kl-before", "KL to the reference at the start", divergence_before)
    first = page.fact("objective-before", "E[R] - beta KL at the start", reward_before - BETA * divergence_before)
    page.heading("The update")
    page.say(
        f"""REINFORCE with a group: draw {GROUP_SIZE} paths, give each the return R - beta log(p/q), standardise the
        returns within the group, hold them fixed, and follow return times score. One update, then fresh draws. Since
        nothing is used twice there is no ratio to speak of, and no clip. In the words of the estimator:"""
    )
    variant = with_parts(named("reinforce-std"), [PART])
    page.table(("part", "choice"), [(part, text) for part, text in composition(variant).items() if text != "none"])
    trained = train(family, prompt, page)
    page.fact("beta", "beta", BETA)
    page.fact("step", "step size", STEP)
    page.fact("draws", f"paths drawn in all, {UPDATES} updates", Fraction(UPDATES * GROUP_SIZE))
    hits = sum(sum(map(int, path.split())) == 9 for path in trained.first_group)
    page.fact("first-hits", f"of the first {GROUP_SIZE}, paths with reward 1", Fraction(hits))
    best = BETA * arithmetic.log(
        sum(q * arithmetic.exp(r / BETA) for q, r in zip(prompt.reference, prompt.rewards, strict=True))
    )
    page.plot(
        "learning-curve",
        "Training by fresh groups, one update each",
        "update",
        "value, by enumeration of all 100 paths",
        line("E[R]", list(enumerate(trained.rewards))),
        line("E[R] - beta KL", list(enumerate(trained.objectives))),
        line("the best E[R] - beta KL", [(0, best), (UPDATES, best)], dashed=True),
    )
    page.heading("After")
    conditionals = family.conditionals(trained.theta, arithmetic)
    after = family.masses(trained.theta, prompt, arithmetic)
    reward_after = sum(mass * reward for mass, reward in zip(after, prompt.rewards, strict=True))
    divergence = kl_divergence(after, prompt.reference, arithmetic)
    by_rule = chained(conditionals, conditionals[()], arithmetic)
    by_wrong_weights = chained(conditionals, (Fraction(1, 10),) * 10, arithmetic)
    page.finding(
        "sums-after",
        "do the ten masses sum to exactly 1, in all 11 places?",
        all(arithmetic.equal(sum(masses), 1) for masses in conditionals.values()),
    )
    page.fact("reward-after", "E[R] after training", reward_after)
    page.fact("kl-after", "KL to the reference, over the 100 paths", divergence)
    page.fact("kl-chain", "KL by the chain rule, prefixes weighted by p", by_rule)
    page.finding(
        "kl-agree",
        "do the two agree to 30 decimals?",
        arithmetic.less(divergence - by_rule, TINY) and arithmetic.less(by_rule - divergence, TINY),
    )
    page.fact("kl-wrong", "with the prefixes weighted by q, which is wrong", by_wrong_weights)
    value = page.fact("objective-after", "E[R] - beta KL after training", reward_after - BETA * divergence)
    top = page.fact("best", "the best value there is, beta log E_q exp(R/beta)", best)
    page.fact("gap", "what training left on the table", top.value - value.value)
    page.say(
        f"""The objective rose from {first.decimals} to {decimals(value.value, 4)}, and the best policy has
        {decimals(top.value, 4)}. Where is the rest? The best policy keeps all ten winning paths alike. Here is what the
        trained one does with each first digit:"""
    )
    page.table(
        ("first digit u", "p(u)", "p(9 - u after u)"),
        [
            (action, conditionals[()][place], conditionals[action,][9 - place])
            for place, action in enumerate(ACTIONS)
        ],
        right=("p(u)", "p(9 - u after u)"),
        places=4,
    )
    favourite = max(range(len(ACTIONS)), key=lambda place: rounded(conditionals[()][place], 12))
    page.fact("favourite", f"p(u) of its favourite first digit, {ACTIONS[favourite]}", conditionals[()][favourite], 4)
    page.say(
        f"""It settled on {ACTIONS[favourite]}, for which sampling happened to find the second digit early. The reward
        does not ask for that: every first digit can win. The KL term pulls the other way, and at beta = 0.05 its price
        is small. Another seed may settle on another digit."""
    )
    page.heading("What is exact here, and what is not")
    page.say(
        f"""The start is exact: rational masses. The training is not certified: draws, gradients and the curve are
        computed with {DIGITS} decimal digits, and after each update the parameter is rounded to {GRID} decimals, as a
        trainer's is to its floating point. So the parameter at the end is a list of {family.dimension} decimals, known
        in full. Everything said about it under "After" is certified again: the masses are enclosed, and the decimals
        shown are certain. The agreement of the two divergences is an enclosure of their difference, not a proof that
        they are equal; for every size that is claim G4."""
    )
    page.say(
        """And what is this update an estimate of? Dividing by the deviation makes its mean another vector than the
        gradient of the objective, as the lesson bias-of-the-group shows. It rose here. Nothing promised that it
        would."""
    )
    page.exercise(
        "A policy says three digits, ten choices each, in the same way. How many paths would an enumeration list?",
        Fraction(1000),
        "Ten times as many for each step: the reason why a real text can only be sampled.",
    )
    page.exercise(
        """The 100 paths are uniform, beta = 0.05, and ten paths have reward 1. What is beta log E_q exp(R/beta), to
        three decimals?""",
        best,
        "0.05 log(0.9 + 0.1 exp(20)), just above 1 - 0.05 log 10.",
        places=3,
    )


LESSON = Lesson("ten-by-ten", "Two steps of ten actions: listed, trained, and measured exactly", 9, tell)
