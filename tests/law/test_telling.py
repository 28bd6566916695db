"""Rows of a law that are equal by symmetry, or differ far behind the point: told apart where that is certain."""

import json
from fractions import Fraction as F

from grpocheck.core.arithmetic import EnclosureArithmetic, parse_exact
from grpocheck.core.reading import problem_from_mapping
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.cli import app
from grpocheck.verifier.estimator.report import vector_text
from grpocheck.verifier.law.exact import exact_law
from grpocheck.verifier.law.telling import not_told_apart
from grpocheck.verifier.prime_logs import PrimeLogs
from typer.testing import CliRunner

UNEQUAL = F(1, 10**40)


def mirrored(theta):
    """Two responses of one reward beside a third: G = 2, one step, so a group moves theta if it mixes their rewards.

    By hand: three thetas (none moved, the first pulled, the second pulled), and two values of F, 0 and one of the
    pulled ones, since the first two responses can change places as long as their logits are equal.
    """
    return problem_from_mapping(
        {
            "group_size": 2,
            "outer_iterations": 1,
            "inner_steps": 1,
            "epsilon": "1/5",
            "beta": 0,
            "step_size": "1/20",
            "theta": [str(entry) for entry in theta],
            "family": "softmax",
            "prompts": [{"name": "q", "responses": ["a", "b", "c"], "rewards": [1, 1, 0], "reference": ["1/3"] * 3}],
        }
    )


SYMMETRIC, NEARLY = mirrored((0, 0, F(1, 2))), mirrored((0, UNEQUAL, F(1, 2)))


def law(tmp_path, problem, *options):
    path = tmp_path / "problem.toml"
    path.write_text(problem_to_toml(problem))
    done = CliRunner().invoke(app, ["law", str(path), *options])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_mirror_images_are_one_value(tmp_path):
    """The second and the third theta are each other's mirror image; F there is one number, written in two ways."""
    found = json.loads(law(tmp_path, SYMMETRIC, "--json"))
    assert len(found["parameters"]) == 3
    values = found["objective_after_the_last_applied_step"]
    rows = {"0" if row["value"] == "0" else "pulled": row for row in values}
    assert (len(rows), len(values)) == (2, 2)
    moved = [F(atom["probability"][0]) for atom in found["parameters"] if atom["theta"] != ["0", "0", "1/2"]]
    assert (len(moved), moved[0]) == (2, moved[1])
    assert abs(sum(moved) - F(rows["pulled"]["probability"][0])) < F(1, 10**30)
    assert found["told_apart"]["objective_after_the_last_applied_step"] == {
        "at_least": 2,
        "at_most": 2,
        "not_told_apart": [],
    }


def test_what_is_not_decided_is_said_to_people_and_to_programs(tmp_path):
    """At 64 bits, some 19 digits, values that differ in the 40th are neither two values nor one."""
    found = json.loads(law(tmp_path, NEARLY, "--json", "--max-bits", "64"))
    told = found["told_apart"]["objective_after_the_last_applied_step"]
    (group,) = told["not_told_apart"]
    assert (told["at_least"], told["at_most"], len(group["rows"])) == (2, 3, 2)
    assert {found["objective_after_the_last_applied_step"][row]["value"] == "0" for row in group["rows"]} == {False}
    assert 10 < group["agreeing_decimals"] < 40
    text = " ".join(law(tmp_path, NEARLY, "--max-bits", "64").split())
    assert (
        "at least 2 and at most 3 values of F: 2 rows, in 1 group, are equal as far as "
        f"{group['agreeing_decimals']} decimals decide"
    ) in text


def test_samples_are_counted_by_number_and_not_by_writing(tmp_path):
    found = json.loads(law(tmp_path, SYMMETRIC, "--samples", "20", "--seed", "1", "--json"))
    rows = found["objective_after_the_last_applied_step"]
    assert (len(found["parameters"]), len(rows)) == (3, 2)
    assert sum(row["runs"] for row in rows) == 20


def test_values_that_differ_in_the_40th_digit_are_three(tmp_path):
    """32 digits are written, which are the same in two rows: those are nevertheless certain to differ."""
    found = json.loads(law(tmp_path, NEARLY, "--json"))
    rows = [row["value"] for row in found["objective_after_the_last_applied_step"]]
    moved = [row for row in rows if row != "0"]
    assert (len(rows), moved[0]) == (3, moved[1])
    apart = {"at_least": 3, "at_most": 3, "not_told_apart": []}
    assert found["told_apart"] == {"parameters": apart, "objective_after_the_last_applied_step": apart}
    assert "told apart" not in law(tmp_path, NEARLY)


def test_enclosures_that_meet_say_neither_that_numbers_are_equal_nor_that_they_differ():
    """exp(1) exp(-1/3) and exp(2/3) of two tables are one number, and written twice; exp(2/3) + 10^-40 is another."""
    one, two = EnclosureArithmetic(), EnclosureArithmetic()
    low, same = one.exp(F(2, 3)), two.exp(F(2, 3))
    high = one.exp(F(2, 3)) + UNEQUAL
    (group,) = not_told_apart([(high,), (low,), (F(2),), (same,)])
    assert (group.rows, group.decimals > 140) == ((1, 3), True)
    # at 128 bits, 38 digits or so, the third one is not told apart from them either
    coarse = EnclosureArithmetic(max_bits=128)
    (group,) = not_told_apart([(coarse.exp(F(2, 3)) + UNEQUAL,), (low,), (F(2),), (same,)])
    assert group.rows == (0, 1, 3)
    assert 30 < group.decimals < 40


def test_one_coordinate_tells_vectors_apart_and_exact_numbers_are_told_apart_however_close():
    one, two = EnclosureArithmetic(), EnclosureArithmetic()
    same = one.exp(F(1)), two.exp(F(1))
    assert not_told_apart([(same[0], F(0)), (same[1], UNEQUAL)]) == []
    assert not_told_apart([(F(1),), (1 + F(1, 10**400),)]) == []
    assert not_told_apart([(parse_exact("sqrt(2)"),), (parse_exact("sqrt(2)") + F(1, 10**400),)]) == []
    (group,) = not_told_apart([(F(1), same[0]), (F(2), same[0]), (F(1), same[1])])
    assert group.rows == (0, 2)


def test_totals_do_not_depend_on_what_is_told_apart():
    """Both laws sum to exactly 1, and the expectations of F agree as far as their logits do."""
    means = []
    for problem in (SYMMETRIC, NEARLY):
        found = exact_law(problem, PrimeLogs(EnclosureArithmetic()))
        assert sum(atom.probability for atom in found.objectives) == 1
        means.append(sum(atom.probability * atom.value for atom in found.objectives))
    assert 0 < abs(means[0] - means[1]) < F(1, 10**38)


def test_numbers_that_begin_alike_are_not_said_to_be_one_number():
    """A vector of four, as estimator and law write it: one exact number four times, or four times the same digits."""
    third = ["0." + "3" * 32, "0." + "3" * 31 + "4"]
    assert vector_text(["1/3"] * 4) == "(1/3, 4 times)"
    assert vector_text([third] * 4) == "(0.3333333333333..., 4 numbers that begin so)"
