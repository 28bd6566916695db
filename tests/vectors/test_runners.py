"""The runners: both pass, both find mistakes and say which, and the corner cases catch what they are there for."""

import json
import operator
import shutil
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest

from tests.vectors.test_vectors import RUNNER, runner

SCRIPT = RUNNER.with_suffix(".mjs")
NODE = shutil.which("node")

PYTHON = [sys.executable, "-I", "-S", str(RUNNER)]  # without site-packages: nothing of ours can be imported
RUNNERS = [
    pytest.param(PYTHON, id="python"),
    pytest.param(
        [NODE or "node", str(SCRIPT)], id="node", marks=pytest.mark.skipif(NODE is None, reason="Node is not installed")
    ),
]


def ran(command, *arguments):
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("command", RUNNERS)
def test_the_float_implementation_passes(command, file):
    done = ran(command, file)
    assert (done.returncode, done.stdout, done.stderr) == (0, "286 passed, 0 failed\n", "")


@pytest.mark.parametrize("command", RUNNERS)
def test_a_sample_deviation_is_found_and_named(command, file):
    done = ran(command, file, "--fault", "sample-std")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert (
        "FAIL pair / section-1: advantages[0][0]: got 0.707106781187, expected 1 "
        "(off by sqrt((G-1)/G): a sample deviation in place of the population's?)"
    ) in lines
    assert "G = 2: the population deviation of 1 and 0 is 1/2 and A = 1, -1" in done.stdout
    # methods without a deviation are not concerned, and groups without variance show nothing
    assert not [line for line in lines if "/ dr-grpo" in line or "zero-variance-thirds /" in line]


@pytest.mark.parametrize("command", RUNNERS)
def test_one_method_alone(command, file):
    done = ran(command, file, "--variant", "cispo")
    assert (done.returncode, done.stdout) == (0, "14 passed, 0 failed\n")


def test_both_runners_say_the_same(file):
    if NODE is None:
        pytest.skip("Node is not installed")
    outputs = [ran(command, file, "--fault", "sample-std").stdout for command in (PYTHON, [NODE, SCRIPT])]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("FAIL") > 100


@pytest.mark.parametrize("command", RUNNERS)
def test_bad_input(command, file, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"schema": "grpocheck-vectors/9", "variants": [], "cases": []}))
    for arguments, message in (
        ((tmp_path / "absent.json",), "absent.json"),
        ((other,), "grpocheck-vectors/9, expected grpocheck-vectors/1"),
        ((file, "--variant", "gpro"), "no variant gpro"),
        ((file, "--fault", "laziness"), "laziness"),
        ((), "vectors"),
    ):
        done = ran(command, *arguments)
        assert done.returncode == 2, arguments
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert "    at " not in done.stderr


def failures(module, document):
    """The cases in which a runner's implementation fails."""
    return {case["id"] for case, _, wrong in module.outcomes(document, None, None) if wrong}


def no_check_for_equal_rewards(module):
    def deviation(values, rule, fault):
        centre = module.mean(values)
        return module.math.sqrt(module.mean([(value - centre) ** 2 for value in values]))

    module.deviation = deviation
    # term by term, as most languages add: from Python 3.12 on, sum makes up for what it rounds off
    module.sum = lambda values: reduce(operator.add, values, 0)


def mean_of_squares(module):
    def deviation(values, rule, fault):
        return max(0, module.mean([value * value for value in values]) - module.mean(values) ** 2) ** 0.5

    module.deviation = deviation


def products_of_masses(module):
    def log_ratios(tokens, level):
        active = [token for token in tokens if token["active"]]
        products = [
            module.math.prod(module.number(token[name]) for token in active) for name in ("current", "old")
        ]
        if level == "token" or not active:
            return kept(tokens, level)
        whole = module.math.log(products[0] / products[1]) if products[1] else module.math.nan
        whole /= len(active) if level == "geometric-mean" else 1
        return [whole if token["active"] else None for token in tokens]

    kept, module.log_ratios = module.log_ratios, log_ratios


def padding_counts(module):
    def response_weights(variant, batch):
        groups = [
            {"responses": [{"tokens": [{"active": True} for _ in r["tokens"]]} for r in group["responses"]]}
            for group in batch["groups"]
        ]
        return kept(variant, {**batch, "groups": groups})

    kept, module.response_weights = module.response_weights, response_weights


def missing_is_zero(module):
    def advantages(variant, groups, fault):
        filled = [
            {"responses": [{"rewards": [reward or "0" for reward in r["rewards"]]} for r in group["responses"]]}
            for group in groups
        ]
        return kept(variant, filled, fault)

    kept, module.advantages = module.advantages, advantages


def clip_before_the_product(module):
    """min(max(r, 1 - low), 1 + high) A: caps what the minimum of the two products leaves free where A < 0."""

    def bounds(term, positive, epsilon):
        lower, upper = kept(term, positive, epsilon)
        if term["kind"] != "two-sided":
            return lower, upper
        return kept(term, False, epsilon)[0], kept(term, True, epsilon)[1]

    kept, module.bounds = module.bounds, bounds


def plain_sum_of_p_log_ratio(module):
    def divergence(given):
        found = kept(given)
        logs = module.log_masses(given["given_as"], given["current"])
        total = sum(module.exp(log) * ratio for log, ratio in zip(logs, found["k1"], strict=True))
        return {**found, "kl": total}

    kept, module.divergence = module.divergence, divergence


def exponentials_of_logits_as_they_are(module):
    def log_masses(given_as, entries):
        if given_as == "masses":
            return kept(given_as, entries)
        weights = [module.exp(module.number(entry)) for entry in entries]
        whole = sum(weights) or module.math.nan
        shares = [weight / whole for weight in weights]
        return [module.math.log(share) if share > 0 else module.math.nan for share in shares]

    kept, module.log_masses = module.log_masses, log_masses


@pytest.mark.parametrize(
    ("fault", "caught_by"),
    [
        (no_check_for_equal_rewards, {"zero-variance-thirds", "zero-variance-tenths"}),
        (mean_of_squares, {"large-offset"}),
        (products_of_masses, {"underflow"}),
        (padding_counts, {"masked-tokens"}),
        (missing_is_zero, {"missing-reward"}),
        (clip_before_the_product, {"negative-advantages", "boundary-ratios"}),
        (plain_sum_of_p_log_ratio, {"masses-of-1e-30"}),
        (exponentials_of_logits_as_they_are, {"logits-of-10000", "large-equal-logits"}),
    ],
    ids=lambda part: part.__name__ if callable(part) else "",
)
def test_corner_cases_break_what_they_are_for(document, fault, caught_by):
    module = runner()
    assert failures(module, document) == set()
    fault(module)
    assert caught_by <= failures(module, document)


def test_the_runners_are_small_and_stand_alone():
    for path in (RUNNER, SCRIPT):
        text = Path(path).read_text(encoding="utf-8")
        assert len(text.splitlines()) < 400
        imported = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
        assert set(imported) <= {
            "import argparse",
            "import json",
            "import math",
            "import sys",
            'import { readFileSync } from "node:fs";',
        }


EVALUATED = {
    ".py": "got = evaluate(variants[name], case[\"input\"], fault)\n",
    ".mjs": "got = evaluate(variants.get(name), theCase.input, fault);\n",
}
SPOILT = {
    "no advantages": {
        ".py": "got.pop('advantages')",
        ".mjs": "delete got.advantages;",
    },
    "a group too few": {
        ".py": "got['advantages'].pop()",
        ".mjs": "got.advantages.pop();",
    },
    "a response without a number": {
        ".py": "got['advantages'][0][0] = None",
        ".mjs": "got.advantages[0][0] = null;",
    },
    "no number at a kink": {
        ".py": "got['gradient'] = [[[None if isinstance(w, dict) else g for w, g in zip(a, b)] for a, b in zip(c, d)] "
        "for c, d in zip(want.get('gradient', []), got['gradient'])]",
        ".mjs": "got.gradient = (want.gradient ?? []).map((c, g) => c.map((a, i) => a.map((w, h) => "
        "w?.between ? null : got.gradient[g][i][h])));",
    },
}


@pytest.mark.parametrize("command", RUNNERS)
@pytest.mark.parametrize("spoilt", SPOILT.values(), ids=SPOILT)
def test_what_has_not_the_shape_is_a_failure_and_no_crash(command, spoilt, file, tmp_path):
    source = Path(command[-1])
    text, line = source.read_text(encoding="utf-8"), EVALUATED[source.suffix]
    assert line in text
    spaces = " " * 20 if source.suffix == ".py" else ""
    own = tmp_path / source.name
    own.write_text(text.replace(line, f"{line}{spaces}{spoilt[source.suffix]}\n"), encoding="utf-8")
    done = ran([*command[:-1], str(own)], file, "--variant", "section-1")
    assert (done.returncode, done.stderr) == (1, "")
    assert "FAIL boundary-ratios / section-1: " in done.stdout
