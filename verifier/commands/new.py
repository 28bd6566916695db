"""The command ``new``: a problem file to begin with, one for each family, with a word on every key."""

from pathlib import Path

from grpocheck.core.reading import parsed, problem_from_mapping
from grpocheck.verifier.failures import BadOption, emit
from grpocheck.verifier.files import check_place, write_text
from grpocheck.verifier.printing import printable

HEAD = """\
# A finite-budget group-relative update. Numbers are exact: 0.2 is 1/5, and a text may hold a fraction: "1/3".

group_size = 4                     # G responses drawn for each prompt and outer iteration
outer_iterations = 2               # T: theta is frozen, groups are drawn, then up to K steps are made
inner_steps = 2                    # K guarded gradient steps
epsilon = 0.2                      # the clip range is [1 - epsilon, 1 + epsilon]
beta = 0{beta}                           # weight of the penalty KL(pi_theta || pi_ref), reward units per nat
step_size = 0.05                   # or step_sizes = [[...K numbers...], ...T rows...]
"""

LISTED = """
[[prompts]]
name = "question"
responses = [{responses}]{pad}# the ordered support; every other response has mass 0
rewards = [{rewards}]
reference = [{reference}]
"""

TAIL = """
[draws]
seed = 7                           # or recorded = [[["good", ...G...], ...prompts...], ...T...]; neither: a fresh seed
"""

THREE = {"responses": '"good", "fair", "bad"', "rewards": "1, 0.5, 0", "reference": "0.25, 0.25, 0.5", "pad": "  "}
TWO = {"responses": '"good", "bad"', "rewards": "1, 0", "reference": "0.5, 0.5", "pad": "          "}

STARTERS = {
    "bernoulli": HEAD.format(beta="")
    + 'family = "bernoulli"               # two responses for each prompt, of mass theta and 1 - theta\ntheta = [0.5]\n'
    + LISTED.format(**TWO),
    "simplex": HEAD.format(beta="")
    + 'family = "simplex"                 # theta holds the masses, of all but the last response of each prompt\n'
    + "theta = [0.25, 0.25]\n"
    + LISTED.format(**THREE),
    "softmax": HEAD.format(beta=".04")
    + 'family = "softmax"                 # theta holds one logit for each response, prompt after prompt\n'
    + "theta = [0, 0, 0.5]\n"
    + LISTED.format(**THREE),
    "log-linear": HEAD.format(beta=".04")
    + 'family = "log-linear"              # mass proportional to exp(theta . features)\ntheta = [0, 0.5]\n'
    + LISTED.format(**THREE)
    + "features = [[1, 0], [0, 1], [-1, 0]]\n",
    "autoregressive": HEAD.format(beta="")
    + 'family = "autoregressive"          # responses are generated token by token\n'
    + "theta = [0.5, 0.5]                 # the mass of every token allowed after a prefix, but for the last one\n"
    + """
[generation]
vocabulary = ["a", "."]
end = "."
horizon = 2
parameterisation = "masses"        # or "logits", one for each token and prefix

[[prompts]]
name = "spell"
rewards = { "." = 0, "a a" = 0.5, "a ." = 1 }
reference = { "." = 0.5, "a a" = 0.25, "a ." = 0.25 }
""",
}


def new_problem(family: str, out: Path | None) -> int:
    """Print the starter of a family, or write it to a file that is not there yet."""
    if family not in STARTERS:
        place = f"; a file has --out before it: grpocheck new --out {family}" if family.endswith(".toml") else ""
        raise BadOption("FAMILY", family, "no such family", "one of " + ", ".join(STARTERS) + place)
    text = STARTERS[family] + TAIL
    problem_from_mapping(parsed(text))
    if out is None:
        emit(text.rstrip())
        return 0
    if out.exists():
        raise BadOption("--out", out, "it is there already", "a file that is not there yet")
    check_place("--out", out)
    write_text(out, text, new=True)
    place = printable(out)
    emit(f"{place}: a {family} problem; run it: grpocheck run {place}")
    return 0
