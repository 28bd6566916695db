"""The kinds of public disputes: from a case's input to files, commands, and where in their output the numbers stand.

Each kind is a function of the input alone (group size, rewards, masses, lengths, epsilons), so that any other case of
the kind is settled by the same lines. Where a dispute is about the gradient of a divergence, the command's is that of
minus the divergence (beta = 1, rewards 0), and the sign is turned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import rational

Input = Mapping[str, Any]
Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Command:
    """A use of ``grpocheck estimator``: a variant with parts, on a file, with options."""

    variant: str
    file: str
    parts: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def shown(self, folder: str) -> str:
        """The command as it is typed."""
        words = ["grpocheck estimator", self.variant, f"{folder}/{self.file}"]
        words += [f"--with {part}" for part in self.parts]
        words += [f"--{option} {value}" for option, value in self.options]
        return " ".join(words)


@dataclass(frozen=True)
class Number:
    """A number of a case: ``side`` right, wrong or also, ``name`` its key there, and where a command gives it.

    ``path`` leads to it in the command's JSON, * taking every entry. ``sign`` turns a penalty into its divergence.
    """

    side: str
    name: str
    command: Command
    path: Path
    sign: int = 1


@dataclass(frozen=True)
class Settled:
    """The files of a case, by name, and its numbers."""

    files: Mapping[str, str]
    numbers: tuple[Number, ...]


def number_text(value: object) -> str:
    """A number as a file holds it; a sum of two such as 1+1/50000 is added up."""
    if isinstance(value, str) and "+" in value[1:]:
        return str(sum(rational("number", term) for term in value.split("+")))
    return str(rational("number", str(value)))


def listed(values: Sequence[object]) -> str:
    """A TOML list of exact numbers."""
    return f"[{', '.join(quoted(value) for value in values)}]"


def quoted(value: object) -> str:
    """A number in TOML: an integer plain, a fraction as a text, a missing one by its word."""
    if value is None:
        return '"missing"'
    text = number_text(value)
    return text if text.lstrip("-").isdecimal() else f'"{text}"'


def group_file(responses: Sequence[Mapping[str, object]], epsilon: object = None) -> str:
    """A file with one group; a response states a reward or an advantage, and perhaps ratios."""
    lines = [] if epsilon is None else [f"epsilon = {quoted(epsilon)}", ""]
    lines.append("[[groups]]")
    for response in responses:
        lines.append("[[groups.responses]]")
        for key, value in response.items():
            lines.append(f"{key} = {listed(value) if isinstance(value, list | tuple) else quoted(value)}")
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class Question:
    """One prompt of a problem file, with the masses of the policy that draws."""

    masses: Sequence[object]
    rewards: Sequence[object]
    reference: Sequence[object] | None = None
    responses: Sequence[str] | None = None


def problem_file(
    questions: Sequence[Question],
    group_size: int,
    epsilon: object = "1/5",
    beta: object = 0,
    recorded: Sequence[int] | None = None,
) -> str:
    """A problem in which the masses themselves are the parameters."""
    theta = [mass for question in questions for mass in question.masses[:-1]]
    lines = [
        f"group_size = {group_size}",
        "outer_iterations = 1",
        "inner_steps = 1",
        f"epsilon = {quoted(epsilon)}",
        f"beta = {quoted(beta)}",
        "step_size = 1",
        f"theta = {listed(theta)}",
        'family = "simplex"',
    ]
    for place, question in enumerate(questions):
        size = len(question.masses)
        responses = question.responses or [f"answer-{j}" for j in range(size)]
        names = ", ".join(f'"{response}"' for response in responses)
        lines += [
            "",
            "[[prompts]]",
            f'name = "question {place + 1}"',
            f"responses = [{names}]",
            f"rewards = {listed(question.rewards)}",
            f"reference = {listed(question.reference or [Fraction(1, size)] * size)}",
        ]
        if recorded is not None:
            drawn = ", ".join(f'"{responses[j]}"' for j in recorded)
            lines += ["", "[draws]", f"recorded = [[[{drawn}]]]"]
    return "\n".join([*lines, ""])


ONE = ("variants", 0)
LOGITS = (("coordinates", "logits"),)


def at(masses: Sequence[object]) -> tuple[tuple[str, str], ...]:
    """Gradients by logits, taken at these masses."""
    return (*LOGITS, ("at", ",".join(number_text(mass) for mass in masses[:-1])))


def sample_or_population(given: Input) -> Settled:
    """Is the divisor of the advantages the sample or the population deviation?"""
    epsilon = f",epsilon={number_text(given['eps_std'])}" if given.get("eps_std") else ""
    file = group_file([{"reward": reward} for reward in given["rewards"]])
    return Settled(
        {"group.toml": file},
        tuple(
            Number(side, "advantages", Command("grpo-token", "group.toml", (f"advantage=mean/{deviation}{epsilon}",)),
                   (*ONE, "advantages", 0, "*"))
            for side, deviation in (("right", "sample"), ("wrong", "population"))
        ),
    )


def epsilon_or_floor(given: Input) -> Settled:
    """Is epsilon added to the deviation, or is it a floor under the variance as well?"""
    deviation, epsilon = deviation_word(given), number_text(given["eps"])
    rule = f"advantage=mean/{deviation},epsilon={epsilon}"
    file = group_file([{"reward": reward} for reward in given["rewards"]])
    return Settled(
        {"group.toml": file},
        tuple(
            Number(side, "advantages", Command("grpo-token", "group.toml", (part,)), (*ONE, "advantages", 0, "*"))
            for side, part in (("right", rule), ("wrong", f"{rule},floor={epsilon}"))
        ),
    )


def deviation_word(given: Input) -> str:
    """The deviation of a number of lost degrees of freedom."""
    return "sample" if given.get("ddof", 0) == 1 else "population"


def missing_reward(given: Input) -> Settled:
    """Does a missing reward stand outside its group, or count as 0?"""
    epsilon = f",epsilon={number_text(given['eps_std'])}" if given.get("eps_std") else ""
    rule = f"advantage=mean/{deviation_word(given)}{epsilon},missing="
    file = group_file([{"reward": reward} for reward in given["rewards"]])
    return Settled(
        {"group.toml": file},
        tuple(
            Number(side, "advantages", Command("grpo-token", "group.toml", (rule + missing,)),
                   (*ONE, "advantages", 0, "*"))
            for side, missing in (("right", "excluded"), ("wrong", "zero"))
        ),
    )


def self_including_baseline(given: Input) -> Settled:
    """By what factor does a mean that includes the response itself shorten the expected gradient?"""
    file = problem_file([Question(given["p"], given["r"])], given["G"])
    expected = (*ONE, "expected_gradient", "*")
    other = (*LOGITS, ("group-size", str(2 * given["G"])))
    return Settled(
        {"problem.toml": file},
        (
            Number("right", "true_gradient", Command("reinforce-mean", "problem.toml", (), LOGITS),
                   (*ONE, "true_gradient", "*")),
            Number("right", f"leave_one_out_G{given['G']}",
                   Command("reinforce-leave-one-out", "problem.toml", (), LOGITS), expected),
            Number("wrong", f"mean_centred_G{given['G']}", Command("reinforce-mean", "problem.toml", (), LOGITS),
                   expected),
            Number("wrong", f"mean_centred_G{2 * given['G']}", Command("reinforce-mean", "problem.toml", (), other),
                   expected),
        ),
    )


def minimum_before_product(given: Input) -> Settled:
    """Is the minimum taken of the products with A, or of the ratios before it?"""
    file = group_file([{"advantage": given["A"], "ratios": [ratio]} for ratio in given["ratios"]], given["eps"])
    right, wrong = Command("grpo-token", "group.toml"), Command("grpo-token", "group.toml", ("term=upper-cap",))
    return Settled(
        {"group.toml": file},
        tuple(
            Number(side, name, command, path)
            for side, command in (("right", right), ("wrong", wrong))
            for name, path in (
                ("surrogate", (*ONE, "terms", 0, "*")),
                ("d_dr", (*ONE, "ratio_slopes", 0, "*", 0)),
            )
        ),
    )


def clip_fraction(given: Input) -> Settled:
    """Which tokens does a clip fraction count?"""
    file = group_file([{"advantage": token["A"], "ratios": [token["r"]]} for token in given["tokens"]], given["eps"])
    command = Command("grpo-token", "group.toml")
    return Settled(
        {"group.toml": file},
        tuple(
            Number(side, name, command, (*ONE, "clipped_share", test))
            for side, name, test in (
                ("right", "binding_fraction", "binding"),
                ("wrong", "inverted_test", "inverted"),
                ("wrong", "range_only_test", "range-only"),
            )
        ),
    )


def recorded_group(given: Input, masses: Sequence[object], reference: Sequence[object] | None = None) -> str:
    """A problem with the draws of a case recorded, its rewards the advantages of the drawn responses."""
    stated = dict(zip(given["draws"], given["A"], strict=True))
    if any(stated[place] != advantage for place, advantage in zip(given["draws"], given["A"], strict=True)):
        raise InvalidProblem("A", given["A"], "one advantage for each response, however often it is drawn")
    rewards = [stated.get(place, 0) for place in range(len(masses))]
    return problem_file(
        [Question(masses, rewards, reference)], len(given["draws"]), given["eps"], recorded=given["draws"]
    )


def ratio_always_one(given: Input) -> Settled:
    """Has a surrogate of value 0 a gradient where old and current policy agree?"""
    recorded = (*ONE, "recorded")
    command = Command("section-1", "problem.toml", ("advantage=none",), LOGITS)
    faulty = Command("section-1", "problem.toml", ("advantage=none", "ratio=sequence,denominator=current"), LOGITS)
    return Settled(
        {"problem.toml": recorded_group(given, given["p"])},
        (
            Number("right", "objective", command, (*recorded, "objective")),
            Number("right", "gradient_logits", command, (*recorded, "gradient", "*")),
            Number("wrong", "gradient_logits", faulty, (*recorded, "gradient", "*")),
        ),
    )


def reference_as_denominator(given: Input) -> Settled:
    """What does the surrogate's gradient become when the reference stands in place of the old policy?"""
    recorded = (*ONE, "recorded")
    options = LOGITS if given["pi"] == given["pi_old"] else at(given["pi"])
    right = Command("section-1", "problem.toml", ("advantage=none",), options)
    wrong = Command("section-1", "problem.toml", ("advantage=none", "ratio=sequence,denominator=reference"), options)
    return Settled(
        {"problem.toml": recorded_group(given, given["pi_old"], given["pi_ref"])},
        tuple(
            Number(side, name, command, (*recorded, *path))
            for side, command in (("right", right), ("wrong", wrong))
            for name, path in (
                ("ratios", ("ratios", 0, "*", 0)),
                ("objective", ("objective",)),
                ("gradient_logits", ("gradient", "*")),
            )
        ),
    )


def which_ratio(given: Input) -> Settled:
    """Is the token ratio clipped, or the product over the trajectory?"""
    file = group_file([{"advantage": given["A"], "ratios": ratios} for ratios in given["answers"].values()],
                      given["eps"])
    terms = (*ONE, "terms", 0, "*")
    return Settled(
        {"group.toml": file},
        (
            Number("right", "token_level", Command("grpo-token", "group.toml"), terms),
            Number("wrong", "trajectory_product", Command("section-1", "group.toml"), terms),
        ),
    )


def product_or_geometric_mean(given: Input) -> Settled:
    """Which weight of a trajectory changes the measure: the product of the token ratios, or their geometric mean?"""
    old, current = independent_tokens(given, "mu"), independent_tokens(given, "pi")
    words = list(product(range(given["token_alphabet"]), repeat=given["T"]))
    responses = [" ".join(str(token) for token in word) for word in words]
    best = (1,) * given["T"]
    rewards = [int(word == best) for word in words]
    options = (("at", ",".join(str(mass) for mass in current[:-1])),)
    geometric = ("ratio=geometric-mean",)
    value, variance = (*ONE, "expected_objective"), (*ONE, "objective_variance")
    return Settled(
        {
            "problem.toml": problem_file([Question(old, rewards, None, responses)], 2),
            "ones.toml": problem_file([Question(old, [1] * len(words), None, responses)], 2),
        },
        (
            Number("right", "E_pi_r", Command("importance-weighted", "problem.toml", (), options),
                   (*ONE, "true_objective")),
            Number("right", "product_weight", Command("importance-weighted", "problem.toml", (), options), value),
            Number("right", "E_mu_w", Command("importance-weighted", "ones.toml", (), options), value),
            Number("wrong", "geometric_mean_weight",
                   Command("importance-weighted", "problem.toml", geometric, options), value),
            Number("wrong", "E_mu_w", Command("importance-weighted", "ones.toml", geometric, options), value),
            Number("also", "variance of the estimate, product",
                   Command("importance-weighted", "problem.toml", (), options), variance),
            Number("also", "variance of the estimate, geometric mean",
                   Command("importance-weighted", "problem.toml", geometric, options), variance),
        ),
    )


def independent_tokens(given: Input, policy: str) -> list[Fraction]:
    """The masses of all words of T independent tokens, from a text such as ``iid P(1)=1/2``."""
    if given["token_alphabet"] != 2 or not given[policy].startswith("iid P(1)="):
        raise InvalidProblem(policy, given[policy], "two tokens, and iid P(1)= with a mass")
    mass = rational(policy, given[policy].removeprefix("iid P(1)="))
    if given["reward"] != f"1 on ({','.join('1' * given['T'])}), else 0":
        raise InvalidProblem("reward", given["reward"], "1 on the word of ones, else 0")
    masses = []
    for word in product((0, 1), repeat=given["T"]):
        masses.append(mass ** sum(word) * (1 - mass) ** (given["T"] - sum(word)))
    return masses
