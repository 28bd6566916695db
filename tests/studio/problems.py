"""Small problems whose runs are worked out by hand in the tests that use them."""

from grpocheck.core import Problem, problem_from_mapping


def bernoulli(**changes: object) -> Problem:
    """One prompt, responses good and bad, rewards 1 and 0, one of each drawn; theta = 1/2, step 1/20, epsilon 1/5.

    Mean 1/2 and deviation 1/2, so A = 1, -1. grad F = 1/2 (1 * 1/(1/2) + (-1) * (-1)/(1/2)) = 2. The first step goes to
    1/2 + 2/20 = 3/5, where the ratios are 6/5 = 1 + epsilon and 4/5 = 1 - epsilon: kinks of both terms.
    """
    mapping: dict[str, object] = {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 2,
        "epsilon": "1/5",
        "beta": 0,
        "step_size": "1/20",
        "theta": ["1/2"],
        "family": "bernoulli",
        "prompts": [
            {"name": "q", "responses": ["good", "bad"], "rewards": [1, 0], "reference": ["1/2", "1/2"]},
        ],
        "draws": {"recorded": [[["good", "bad"]]]},
    }
    return problem_from_mapping({**mapping, **changes})


def triangle(**changes: object) -> Problem:
    """Three responses on a simplex, theta = (1/3, 1/3): d = 2."""
    mapping: dict[str, object] = {
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 1,
        "epsilon": "1/5",
        "beta": 0,
        "step_size": "1/100",
        "theta": ["1/3", "1/3"],
        "family": "simplex",
        "prompts": [
            {"name": "q", "responses": ["a", "b", "c"], "rewards": [1, 0, 0], "reference": ["1/3", "1/3", "1/3"]},
        ],
        "draws": {"recorded": [[["a", "b"]]]},
    }
    return problem_from_mapping({**mapping, **changes})
