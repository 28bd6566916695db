"""Small problems with outcomes that are worked out by hand in the tests that use them."""

from grpocheck.core.problem import Problem
from grpocheck.core.reading import read_problem
from grpocheck.verifier.properties.runs import read_text

BERNOULLI = """
group_size = {group_size}
outer_iterations = {outer_iterations}
inner_steps = {inner_steps}
epsilon = {epsilon}
beta = {beta}
step_size = {step_size}
theta = [{theta}]
family = "bernoulli"
{draws}

[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [{rewards}]
reference = [{reference}]
"""


def bernoulli(**changes: object) -> Problem:
    """One prompt with two responses; theta = 1/2, one step of size 1/20, epsilon = 1/5, no penalty, unless changed."""
    stated: dict[str, object] = {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 1,
        "epsilon": "0.2",
        "beta": "0",
        "step_size": "0.05",
        "theta": "0.5",
        "rewards": "1, 0",
        "reference": "0.5, 0.5",
        "recorded": '[[["good", "bad"]]]',
        **changes,
    }
    recorded = stated.pop("recorded")
    stated["draws"] = "" if recorded is None else f"[draws]\nrecorded = {recorded}"
    return read_text(BERNOULLI.format(**stated))


def kink() -> Problem:
    """The step from 1/2 lands on 3/5, where the first ratio is 1 + epsilon: the second attempt finds no gradient."""
    return read_problem("examples/undefined_gradient.toml")


SIMPLEX = """
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.5
beta = 0
step_size = 0.05
theta = ["1/2", "1/4", "1/3", "1/3"]
family = "simplex"

[draws]
recorded = [[["a", "b"], ["c", "c"]]]

[[prompts]]
name = "p"
responses = ["a", "b", "c"]
rewards = [3, 1, 0]
reference = ["1/3", "1/3", "1/3"]

[[prompts]]
name = "q"
responses = ["a", "b", "c"]
rewards = [0, 1, 2]
reference = ["1/3", "1/3", "1/3"]
"""


def simplex() -> Problem:
    """Two prompts with three responses; the second one's group has no spread of rewards."""
    return read_text(SIMPLEX)
