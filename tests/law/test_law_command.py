"""The command law: output for programs and people, what is too large, samples, bad input, interruption."""

import json
import os
import signal
import subprocess
import sys
from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.cli import app
from grpocheck.verifier.commands.law import NOTHING_KEPT
from grpocheck.verifier.law.exact import MOST_CASES
from grpocheck.verifier.law.report import json_text
from typer.testing import CliRunner

from tests.law.ordered import Case
from tests.law.test_law import CASES, SOFTMAX

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def called(*arguments):
    return CliRunner().invoke(app, ["law", *map(str, arguments)])


@pytest.fixture
def statuses(tmp_path):
    return written(tmp_path, CASES["all three statuses"])


def written(folder, case):
    path = folder / "problem.toml"
    path.write_text(problem_to_toml(problem_from_mapping(case.mapping())))
    return path


def test_json_has_the_whole_law(statuses):
    done = called(statuses, "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 0
    assert found["kind"] == "law"
    assert found["statuses"] == {"complete": "1/4", "undefined-gradient": "1/2", "invalid-update": "1/4"}
    assert (found["probabilities_sum_to"], found["contracts"]) == ("1", "on")
    assert (found["cases"], found["ordered_draws"], found["ordered_draws_count"]) == (9, "2^4", 16)
    assert {tuple(atom["theta"]): atom["probability"] for atom in found["parameters"]} == {
        ("1/2",): "1/2",
        ("3/5",): "1/2",
    }
    values = {entry["value"]: entry["probability"] for entry in found["objective_after_the_last_applied_step"]}
    assert values == {"1/10": "1/2", "0": "1/4", None: "1/4"}
    assert found["expected_first_gradient"] == {"gradient": ["1"], "single_prompt_cases": 6}
    assert found["true_objective"] == {"at_theta_0": "1/2", "expected_at_the_returned_theta": "11/20"}
    assert (found["expected_calls"]["draws"], found["expected_calls"]["gradient_attempts"]) == ("4", "7/4")


def test_exact_arithmetic_gives_the_same_law_and_refuses_what_it_cannot_hold(statuses, tmp_path):
    by_default = called(statuses, "--json")
    assert called(statuses, "--json", "--arithmetic", "exact").stdout == by_default.stdout
    softmax = tmp_path / "softmax.toml"
    softmax.write_text(problem_to_toml(problem_from_mapping(SOFTMAX)))
    done = called(softmax, "--arithmetic", "exact")
    assert done.exit_code == 2
    assert "--arithmetic enclosure" in done.stderr
    undecided = called(softmax, "--max-bits", 1)
    assert (undecided.exit_code, undecided.stdout) == (3, "")


def test_people_read_the_ordered_count_beside_the_cases(statuses):
    done = called(statuses)
    assert "exact: 9 cases up to the order of the draws, for 2^4 = 16 ordered draws" in done.stdout
    assert "undefined-gradient   1/2" in done.stdout
    assert "none: no step was applied" in done.stdout


def test_long_laws_are_cut_for_people_and_whole_for_programs(tmp_path):
    path = written(tmp_path, Case("simplex", ((4, 2, 1, 0),), (F(1, 4),) * 3, 2, 2, 1, F(1, 50)))
    shown = called(path).stdout
    everything = json.loads(called(path, "--json").stdout)
    more = len(everything["parameters"])
    assert more > 12
    assert f"and {more - 12} more (--json lists all {more})" in shown
    assert everything["ordered_draws"] == "4^4"
    probabilities = [F(atom["probability"]) for atom in everything["parameters"]]
    assert probabilities == sorted(probabilities, reverse=True)


def test_too_large_is_undecided_and_says_how_large(statuses):
    done = called(statuses, "--max-cases", 8, "--json")
    assert done.exit_code == 3
    assert "9 cases up to the order of the draws, standing for 2^4 = 16 ordered draws" in done.stderr
    assert json.loads(done.stdout) == {
        "kind": "too-large",
        "cases": "9",
        "limit": 8,
        "ordered_draws": "2^4",
        "ordered_draws_count": 16,
    }


def test_the_limit_that_stands_lets_27225_pairs_through_and_no_more_than_30000(tmp_path):
    case = Case("simplex", ((1, 0, 0, 1, 0), (3, 1, 0, 0)), (F(1, 5),) * 4 + (F(1, 4),) * 3, 8, 1, 1, F(1, 100))
    done = called(written(tmp_path, case))
    assert done.exit_code == 3
    assert "81675 cases" in done.stderr
    assert "more than --max-cases 30000" in done.stderr
    assert "5^8 * 4^8 = 25600000000 ordered draws" in done.stderr
    assert f"{MOST_CASES} if not said" in " ".join(called("--help").stdout.replace("│", " ").split())


def test_an_enormous_enumeration_is_refused_at_once(tmp_path):
    case = Case("simplex", (tuple(range(700)),), (F(1, 700),) * 699, 5000, 1, 1, F(1, 10**6))
    done = called(written(tmp_path, case), "--json")
    assert done.exit_code == 3
    assert "more than 10^210 cases up to the order of the draws, standing for 700^5000 ordered draws" in done.stderr
    assert json.loads(done.stdout)["ordered_draws_count"] is None


def test_samples_say_that_they_are(statuses):
    done = called(statuses, "--samples", 20, "--seed", 3, "--confidence", "0.9", "--max-cases", 6)
    assert done.exit_code == 0
    assert "SAMPLED, not enumerated: 20 exact runs, seeds 3 to 22" in done.stdout
    assert "with confidence 9/10 each" in done.stdout
    assert "from 6 groups of one prompt: (1)" in done.stdout
    found = json.loads(called(statuses, "--samples", 20, "--seed", 3, "--json", "--max-cases", 5).stdout)
    assert (found["kind"], found["seeds"], found["confidence"]) == ("sampled-law", [3, 22], "99/100")
    assert sum(status["runs"] for status in found["statuses"].values()) == 20
    assert found["expected_first_gradient"] is None
    for status in found["statuses"].values():
        assert F(status["interval"][0]) <= F(status["share"]) <= F(status["interval"][1])


def test_a_fresh_seed_is_told(statuses):
    found = json.loads(called(statuses, "--samples", 3, "--json").stdout)
    first, last = found["seeds"]
    again = json.loads(called(statuses, "--samples", 3, "--json", "--seed", first).stdout)
    assert last == first + 2
    assert again == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", 1], "--seed: '1': no effect on an enumeration; expected --samples N with it"),
        (["--confidence", "0.9"], "--confidence: '0.9': no effect on an enumeration"),
        (["--samples", 2, "--confidence", "1"], "--confidence: '1': it is no confidence"),
        (["--samples", 2, "--confidence", "much"], "--confidence"),
        (["--arithmetic", "mp"], "--arithmetic: 'mp': no law is made of numbers without certified error"),
        (["--arithmetic", "exact", "--max-bits", 64], "--max-bits: '64': no effect with --arithmetic exact"),
    ],
)
def test_options_that_cannot_be_used(statuses, options, message):
    done = called(statuses, *options)
    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_problems(tmp_path):
    done = called(tmp_path / "absent.toml")
    assert done.exit_code == 2
    assert "No such file or directory" in done.stderr
    done = called(EXAMPLES / "supplied_family.toml")
    assert done.exit_code == 2
    assert "a built-in family" in done.stderr


@pytest.mark.parametrize("value", [{"a": [1, None, True, {}, [], 'q"\n\u00e9'], "b": {"c": [["1/2"]]}}, [], {}, "s", 3])
def test_its_json_is_that_of_json(value):
    assert json_text(value) == json.dumps(value, indent=2, ensure_ascii=False)


def test_an_interruption_is_one(tmp_path):
    case = Case("simplex", ((1, 0, 0, 1), (3, 1, 0, 0)), (F(1, 4),) * 6, 8, 1, 1, F(1, 100))
    arguments = [sys.executable, "-m", "grpocheck", "law", str(written(tmp_path, case))]
    started = subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True, env={**os.environ})
    assert started.stderr is not None
    first = started.stderr.readline()
    started.send_signal(signal.SIGINT)
    _, rest = started.communicate(timeout=120)
    assert "GRPOCHECK_CONTRACTS=off leaves them out" in first
    assert rest.splitlines() == [NOTHING_KEPT, "interrupted"]
    assert started.returncode == 130


@pytest.mark.slow
def test_27225_pairs_are_enumerated(tmp_path):
    """n = 4, G = 8, M = 2: 27,225 pairs of count vectors for 4^16 ordered draws."""
    case = Case("simplex", ((1, 0, 0, 1), (3, 1, 0, 0)), (F(1, 4),) * 6, 8, 1, 1, F(1, 100))
    arguments = [sys.executable, "-m", "grpocheck", "law", str(written(tmp_path, case)), "--json"]
    environment = {**os.environ, "GRPOCHECK_CONTRACTS": "off"}
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    found = json.loads(done.stdout)
    assert (found["cases"], found["ordered_draws"], found["contracts"]) == (27225, "4^16", "off")
    assert found["ordered_draws_count"] == 4**16
    assert (found["probabilities_sum_to"], found["expected_first_gradient"]["single_prompt_cases"]) == ("1", 330)
    assert sum(F(atom["probability"]) for atom in found["parameters"]) == 1
