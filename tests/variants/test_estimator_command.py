"""The command estimator: groups and problems from files, output for programs and people, bad input."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.command_line.estimator import estimator_command
from grpocheck.verifier.commands.estimator import EstimatorRequest, estimator, estimator_mapping, table_of_variants
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.estimator.report import short
from grpocheck.verifier.failures import BadOption, guarded
from typer.testing import CliRunner

GROUP = """
epsilon = 0.2
[[groups]]
[[groups.responses]]
advantage = 1
ratios = [2, "1/2"]
[[groups.responses]]
advantage = -1
ratios = ["1/2"]
"""

PROBLEM = """
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0
step_size = 1
theta = ["1/2", "1/3"]
family = "simplex"
[[prompts]]
name = "q"
responses = ["a", "b", "c"]
rewards = [1, 0, 0]
reference = ["1/3", "1/3", "1/3"]
"""


@pytest.fixture
def group(tmp_path):
    path = tmp_path / "group.toml"
    path.write_text(GROUP)
    return path


@pytest.fixture
def problem(tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(PROBLEM)
    return path


def test_a_group_is_put_through_a_variant(group):
    (found,) = estimator_mapping(EstimatorRequest("grpo-token", group))["variants"]
    assert found["advantages"] == [["1", "-1"]]
    assert found["ratios"] == [[["2", "1/2"], ["1/2"]]]
    # min(2, 6/5) and min(1/2, 4/5), averaged; max(1/2, 4/5) times -1
    assert found["terms"] == [["17/20", "-4/5"]]
    assert found["objective"] == "1/40"
    assert found["ratio_slopes"] == [[["0", "1"], ["0"]]]
    # 1/2 of the mean over two responses, over two tokens, times the ratio
    assert found["log_mass_slopes"] == [[["0", "1/8"], ["0"]]]
    assert found["clipped_share"] == {"binding": "2/3", "inverted": "1/3", "range-only": "1"}


def test_two_variants_beside_each_other(group):
    request = EstimatorRequest("grpo-token", group, compare=("section-1",), compare_parts=("kl=none",))
    first, second = estimator_mapping(request)["variants"]
    assert first["terms"] == [["17/20", "-4/5"]]
    assert second["variant"] == "section-1 with kl=none"
    assert second["terms"] == [["1", "-4/5"]]


def test_a_problem_for_programs(problem, capsys):
    request = EstimatorRequest("reinforce-mean", problem, coordinates="logits", neighbours=False, json=True)
    assert estimator(request) == 0
    (found,) = json.loads(capsys.readouterr().out)["variants"]
    assert found["expected_gradient"] == ["1/8", "-1/12", "-1/24"]
    assert found["true_gradient"] == ["1/4", "-1/6", "-1/12"]
    assert found["bias"] == ["-1/8", "1/12", "1/24"]
    assert found["sentence"] == "biased by exactly (-1/8, 1/12, 1/24)"
    assert found["multiple_of_true_gradient"] == "1/2"
    assert found["cases"] == 6
    assert found["ordered_draws"] == 9
    assert "neighbours" not in found


def test_a_bias_of_which_only_digits_are_shown_is_not_called_exact(tmp_path, capsys):
    path = tmp_path / "softmax.toml"
    path.write_text(STARTERS["softmax"] + TAIL)
    assert estimator(EstimatorRequest("section-1", path, neighbours=False, json=True)) == 0
    (found,) = json.loads(capsys.readouterr().out)["variants"]
    shown = [f"{float(entry[0]):.9f}"[:-1] for entry in found["bias"]]
    first, *others = found["sentence"].removeprefix("biased by (").split(", ")
    assert first.startswith(shown[0])
    assert first.endswith("...")
    assert len(others) == 2
    assert others[-1].endswith("...) (certified digits)")
    assert "exactly" not in found["sentence"]


def test_a_problem_for_people(problem, capsys):
    request = EstimatorRequest("section-1", problem, compare=("reinforce-mean",), coordinates="logits")
    assert estimator(request) == 0
    printed = capsys.readouterr().out
    assert "section-1: unbiased on this problem: equal exactly" in printed
    assert "biased in general: the smallest problem found has 2 responses, G = 2, rewards (2, 0)" in printed
    assert "reinforce-mean: biased by exactly (-1/8, 1/12, 1/24)" in printed


def test_recorded_draws_are_shown_as_well(problem, capsys):
    problem.write_text(PROBLEM + '[draws]\nrecorded = [[["a", "c"]]]\n')
    request = EstimatorRequest("section-1", problem, ("advantage=mean",), coordinates="logits", neighbours=False)
    (found,) = estimator_mapping(request)["variants"]
    assert found["recorded"]["advantages"] == [["1/2", "-1/2"]]
    # (1/4) (score of a - score of c)
    assert found["recorded"]["gradient"] == ["1/4", "0", "-1/4"]
    assert estimator(request) == 0
    assert "on the recorded draws" in capsys.readouterr().out
    # another group size has other draws
    resized = EstimatorRequest("section-1", problem, group_size=3, neighbours=False)
    assert "recorded" not in estimator_mapping(resized)["variants"][0]


def test_a_plot_is_an_svg_of_both_quantities(problem, tmp_path):
    path = tmp_path / "plot.svg"
    request = EstimatorRequest("reinforce-mean", problem, compare=("reinforce-none",), plot=path, neighbours=False)
    assert estimator(request) == 0
    root = ElementTree.fromstring(path.read_text())
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 4
    assert all(len(line.get("points").split()) == 7 for line in lines)
    # the bias of the mean falls with G: further down on the page
    heights = [float(point.split(",")[1]) for point in lines[0].get("points").split()]
    assert heights == sorted(heights)
    # without a baseline there is none, at the foot
    assert len({point.split(",")[1] for point in lines[2].get("points").split()}) == 1


def test_too_many_cases_are_undecided_and_say_how_many(problem, capsys):
    assert estimator(EstimatorRequest("section-1", problem, group_size=8, cases=40, neighbours=False)) == 3
    assert "45 cases" in capsys.readouterr().err


def test_the_table_of_methods(capsys):
    assert table_of_variants() == 0
    printed = capsys.readouterr().out
    assert "tic-surrogate" in printed
    assert "upper-cap" in printed
    lines = [line.split() for line in printed.splitlines()]
    # a name that can be copied, the parts in one line where they are short, and the source in one
    assert ["reinforce-leave-one-out", "leave-one-out", "token", "score", "none", "none", "-"] in lines
    assert ["GSPO,", "arXiv", "2507.18071"] in [line[1:] for line in lines if line[:1] == ["gspo"]]
    assert ["gdpo", "batch-mean/", "token", "two-sided", "none", "own-length", "-"] in lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("groups = []", r"groups: \[\]: expected at least one group"),
        ("groups = [{ responses = [] }]", r"groups\[0\].responses: \[\]: expected at least one response"),
        ("groups = [{ responses = [{ ratios = [1] }] }]", "expected one of reward, rewards and advantage"),
        ("groups = [{ responses = [{ reward = 1, advantage = 1 }] }]", "expected one of reward, rewards and advantage"),
        ("groups = [{ responses = [{ reward = 1 }, { advantage = 1 }] }]", "expected rewards in every response"),
        ("groups = [{ responses = [{ rewards = [1] }, { rewards = [1, 2] }] }]", "as many in each"),
        ("groups = [{ responses = [{ reward = 1, ratios = [0] }] }]", "at least one ratio, each above 0"),
        ("groups = [{ responses = [{ reward = 1, ratios = [] }] }]", "at least one ratio, each above 0"),
        ("groups = [{ responses = [{ reward = 1, ratios = [1], tokens = [] }] }]", "ratios or tokens, not both"),
        ("groups = [{ responses = [{ reward = 1, tokens = [] }] }]", "at least one token"),
        ("groups = [{ responses = [{ reward = 1, tokens = [{ current = 1 }] }] }]", "the key is missing"),
        ("groups = [{ responses = [{ reward = 1, tokens = [{ current = 2, old = 1 }] }] }]", "a mass above 0"),
        ("groups = [{ responses = [{ reward = 1, tokens = [{ current = 1, old = 1, active = 0 }] }] }]", "true or"),
        ("epsilon = 1\ngroups = [{ responses = [{ reward = 1 }] }]", "epsilon: 1: expected a number strictly"),
        ("beta = -1\ngroups = [{ responses = [{ reward = 1 }] }]", "beta: -1: expected a number of at least 0"),
        ("maximum_length = 1\ngroups = [{ responses = [{ reward = 1, ratios = [1, 1] }] }]", "maximum_length: 1"),
        ('groups = [{ responses = [{ reward = "much" }] }]', r"groups\[0\].responses\[0\].reward: 'much'"),
    ],
)
def test_a_file_of_groups_that_is_none_is_refused(text, message, tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidProblem, match=message):
        estimator_mapping(EstimatorRequest("grpo-token", path))


def test_the_methods_are_listed_for_programs_too(capsys):
    assert table_of_variants(as_json=True) == 0
    listed = json.loads(capsys.readouterr().out)["methods"]
    (dr_grpo,) = [method for method in listed if method["method"] == "dr-grpo"]
    assert (dr_grpo["advantage"], dr_grpo["normalisation"]) == ("mean", "maximum-length")  # no deviation, no own length


def test_a_problem_in_the_place_of_a_method_is_told_as_such(problem):
    with pytest.raises(BadOption, match=f"VARIANT.*it is a file; .*grpocheck estimator section-1 {problem}"):
        estimator_mapping(EstimatorRequest(str(problem), None))
    with pytest.raises(BadOption, match=f"grpocheck estimator grpo-token {problem}"):
        estimator_mapping(EstimatorRequest(str(problem), Path("grpo-token")))


def test_bad_requests_are_refused(problem, tmp_path):
    with pytest.raises(BadOption, match="PROBLEM"):
        estimator_mapping(EstimatorRequest("grpo-token", None))
    with pytest.raises(InvalidProblem, match="variant: 'tic'"):
        estimator_mapping(EstimatorRequest("tic", problem))
    with pytest.raises(InvalidProblem, match="--at: 'x': expected an exact finite number"):
        estimator_mapping(EstimatorRequest("section-1", problem, at="x"))
    with pytest.raises(InvalidProblem, match="problem file"):
        estimator_mapping(EstimatorRequest("section-1", Path(tmp_path / "absent.toml")))
    with pytest.raises(BadOption, match="--plot"):
        estimator(EstimatorRequest("section-1", problem, plot=tmp_path / "no" / "plot.svg"))


@pytest.mark.parametrize(
    ("entry", "shown"),
    [
        ("1/2", "1/2"),
        (["0.12345678901234567890", "0.12345678901234567899"], "0.1234567890123..."),
        (["-0.12345678901234567890", "-0.12345678901234567889"], "-0.123456789012..."),
        (["1.23456789012345e-40", "1.23456789012346e-40"], "1.2345678901234... e-40"),
        (["-1e-50", "1e-50"], "[-1e-50, 1e-50]"),
        (None, "-"),
    ],
)
def test_numbers_in_tables_show_their_certain_digits(entry, shown):
    assert short(entry) == shown


def test_a_long_exact_number_is_shown_by_its_digits():
    # 1/3 + 0.2020305... + 0.1574591... + 0.1720052...
    assert short("1/3 + 1/7*sqrt(2) + 1/11*sqrt(3) + 1/13*sqrt(5)")[:8] == "0.864828"


@pytest.fixture
def command():
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command("estimator")(guarded(estimator_command))
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def test_the_command_line(command, problem, group):
    shown = command("reinforce-mean", problem, "--coordinates", "logits", "--no-neighbours", "--json")
    assert shown.exit_code == 0
    assert json.loads(shown.stdout)["variants"][0]["expected_gradient"] == ["1/8", "-1/12", "-1/24"]
    exchanged = command(
        "reinforce-mean", problem, "--with", "advantage=leave-one-out", "--with", "normalisation=own-length",
        "--compare", "dapo", "--compare-with", "selection=mean-over-kept", "--group-size", 3, "--no-neighbours",
        "--json",
    )  # fmt: skip
    first, second = json.loads(exchanged.stdout)["variants"]
    assert first["parts"]["advantage"] == "leave-one-out"
    assert first["group_size"] == second["group_size"] == 3
    assert second["parts"]["selection"] == "mean-over-kept"
    moved = command("importance-weighted", problem, "--at", "1/4,1/4", "--no-neighbours", "--json")
    assert json.loads(moved.stdout)["variants"][0]["true_objective"] == "1/4"
    assert "17/20" in command("grpo-token", group).stdout
    assert "tic-score" in command("--methods").stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "VARIANT"),
        (["section-2"], 2, "PROBLEM"),
        (["section-2", "PROBLEM"], 2, "variant: 'section-2': expected section-1"),
        (["section-1", "PROBLEM", "--with", "term=clip"], 2, "term: 'clip'"),
        (["section-1", "PROBLEM", "--compare-with", "term=delta"], 2, "'term=delta': there is no second"),
        (["section-1", "PROBLEM", "--coordinates", "polar"], 2, "coordinates: 'polar'"),
        (["section-1", "PROBLEM", "--at", "1,1"], 2, "a point of the open domain U"),
        (["section-1", "PROBLEM", "--cases", "2", "--no-neighbours"], 3, "6 cases"),
        (["section-1", "PROBLEM", "--arithmetic", "float"], 2, "--arithmetic: 'float'"),
        (["section-1", "PROBLEM", "--arithmetic", "mp", "--no-neighbours"], 3, ""),
        (["gspo", "PROBLEM", "--arithmetic", "exact", "--no-neighbours"], 0, ""),
    ],
)  # fmt: skip
def test_the_command_line_refuses_in_one_line(command, problem, words, status, message):
    shown = command(*[problem if word == "PROBLEM" else word for word in words])
    assert shown.exit_code == status
    assert message in shown.stderr
    assert "Traceback" not in shown.output


@pytest.mark.parametrize(
    ("beta", "parts", "said"), [("0.04", (), True), ("0", (), False), ("0.04", ("kl=exact",), False)]
)
def test_a_method_without_a_divergence_beside_an_objective_with_one_says_so(problem, beta, parts, said):
    """The mean of the others is no biased baseline; what differs is the gradient of -beta KL."""
    problem.write_text(re.sub(r"beta = \S+", f"beta = {beta}", PROBLEM))
    request = EstimatorRequest("rloo", problem, parts, coordinates="logits", neighbours=False)
    (found,) = estimator_mapping(request)["variants"]
    assert found["verdict"] == ("biased" if said else "unbiased")
    assert ("this method has no KL part" in found["sentence"]) is said


def test_several_methods_beside_the_first(problem):
    request = EstimatorRequest("section-1", problem, compare=("rloo", "dr_grpo"), neighbours=False)
    names = [found["variant"] for found in estimator_mapping(request)["variants"]]
    assert names == ["section-1", "reinforce-leave-one-out", "dr-grpo"]
    with pytest.raises(BadOption, match="several other methods"):
        estimator_mapping(replace(request, compare_parts=("kl=none",)))
