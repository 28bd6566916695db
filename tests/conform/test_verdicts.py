"""Right losses are recognised, mistaken ones depart, and the input shown is as small as the mistake allows."""

import re
import sys
from fractions import Fraction as F
from types import ModuleType

import numpy as np
import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.conform.conforming import conform
from grpocheck.verifier.conform.inputs import unit_case
from grpocheck.verifier.conform.report import lines_of
from grpocheck.verifier.conform.targets import target_of
from grpocheck.verifier.conform.wanted import numbers_of
from grpocheck.verifier.failures import BadOption

from tests.conform import losses


def verdict(loss, variant=None, **options):
    numbers = numbers_of(options.pop("epsilon", None), options.pop("beta", None), options.pop("maximum_length", None))
    return conform(target_of(loss), variant, numbers=numbers, **options)


RECOGNISED = {
    "grpo": ({"grpo-token", "gdpo"}, F(1), F(0)),
    "objective": ({"grpo-token", "gdpo"}, F(-1), F(0)),
    "five_times_too_small": ({"grpo-token", "gdpo"}, F(1, 5), F(0)),
    "with_an_offset": ({"grpo-token", "gdpo"}, F(1), F(3, 4)),
    "dapo": ({"bnpo", "dapo"}, F(1), F(0)),
    "dr_grpo": ({"dr-grpo"}, F(1), F(0)),
    "gspo": ({"gspo"}, F(1), F(0)),
    "cispo": ({"cispo"}, F(1), F(0)),
    "with_k3": ({"grpo-token", "gdpo with kl=k3"}, F(1), F(0)),
    "with_k1": ({"grpo-token with kl=k1", "gdpo with kl=k1"}, F(1), F(0)),
    "of_rewards": ({"grpo-token with advantage=mean/sample,epsilon=1/10000"}, F(1), F(0)),
}
LONG = ("of_rewards", "with_k1")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name
                                  for name in RECOGNISED])  # fmt: skip
def test_a_right_loss_is_recognised_with_its_constants(name):
    names, scale, offset = RECOGNISED[name]
    found = verdict(getattr(losses, name))
    assert found.verdict == "conforms"
    assert {matched.wanted.variant.name for matched in found.matches} == names
    assert {(matched.constants.scale, matched.constants.offset) for matched in found.matches} == {(scale, offset)}


@pytest.mark.slow
def test_numbers_are_measured():
    found = verdict(losses.dapo)
    assert (found.measured.low, found.measured.high) == (F(1, 5), F(7, 25))
    assert verdict(losses.dr_grpo).matches[0].wanted.numbers.maximum_length == 14
    assert verdict(losses.with_k3).matches[0].wanted.numbers.beta == F(1, 25)
    assert verdict(losses.cispo).measured.weight_cap == 5


MISTAKES = {
    "clip_on_both_sides": (1, 1),
    "minimum_before_the_product": (1, 1),
    "maximum_for_minimum": (1, 1),
    "ratio_upside_down": (1, 1),
    "mask_ignored": (1, 2),
    "mean_of_means_with_padding": (1, 2),
    "dapo": (1, 1),
    "dr_grpo": (1, 1),
    "gspo": (1, 2),
    "cispo": (1, 1),
    "with_k1": (1, 1),
    "objective": (1, 1),
    "five_times_too_small": (1, 1),
    "with_an_offset": (1, 1),
}
"""Each against GRPO, with the shape of the smallest input on which the two differ."""


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_departs_on_the_smallest_input(name):
    found = verdict(getattr(losses, name), "grpo")
    assert found.verdict == "departs"
    case = found.witness.case
    assert case.shape == MISTAKES[name]
    assert found.witness.departures
    right, gradient = losses.grpo(case.new, case.old, case.ref, case.advantages, case.mask)
    loss, slopes = found.witness.core  # the definition's own numbers, in enclosures
    assert loss == pytest.approx(right, rel=1e-12)
    assert np.array(slopes) == pytest.approx(gradient, rel=1e-12)
    assert np.isin(case.advantages, (0.0, 1.0, -1.0)).all()


def test_the_witness_of_a_clip_on_both_sides_is_on_the_side_that_does_not_count():
    case = verdict(losses.clip_on_both_sides, "grpo").witness.case
    ratio = np.exp(case.new - case.old)[0, 0]
    assert (case.advantages[0] > 0 and ratio < 0.8) or (case.advantages[0] < 0 and ratio > 1.2)


@pytest.mark.parametrize(
    ("name", "said"),
    [  # 1/(1 + 1/5) = 5/6 and 1/(1 - 1/5) = 5/4 are where old/new leaves [4/5, 6/5]
        ("maximum_for_minimum", "for A > 0 below 4/5; for A < 0 above 6/5 .*where the definition takes the min"),
        ("maximum_of_values", "for A > 0 below 4/5; for A < 0 above 6/5 .*where the definition takes the min"),
        ("clip_on_both_sides", "A > 0 below 4/5 and above 6/5; for A < 0 below 4/5 and above 6/5 .*without the min"),
        ("minimum_before_the_product", "for A > 0 above 6/5; for A < 0 above 6/5 .*before the product with A"),
        ("ratio_upside_down", "for A > 0 below 5/6; for A < 0 above 5/4 .*upside down"),
        ("mask_ignored", "the mask is not applied"),
    ],
)
def test_a_mistake_that_people_make_is_named(name, said):
    found = verdict(getattr(losses, name), None if name == "maximum_of_values" else "grpo")
    assert (found.verdict, found.instead) == ("departs", ())
    assert re.search(said, found.notes[0])


@pytest.mark.parametrize("name", ["dapo", "objective", "detached_ratio"])
def test_a_loss_that_is_another_one_or_holds_nothing_astray_gets_no_hint(name):
    notes = verdict(getattr(losses, name), "grpo").notes
    assert not any("the ratio is held" in note or "the mask" in note for note in notes)


def test_the_nearest_variant_is_named_where_it_is_much_nearer():
    """DAPO but for an offset on batches of eight responses of six tokens, of which the inputs have one."""

    def nearly_dapo(new, old, ref, advantages, mask):
        loss, gradient = losses.dapo(new, old, ref, advantages, mask)
        return loss + (1e-3 if len(new) == 8 and new.shape[1] == 6 else 0.0), gradient

    found = verdict(nearly_dapo, "grpo")
    (note,) = [note for note in found.notes if note.startswith("nearest to it")]
    assert re.search(r"is (bnpo|dapo): it departs from that on 1 of \d+ inputs, and from the demanded one on ", note)


def through_a_module(new, old, ref, advantages, mask):
    return losses.dapo(new, old, ref, advantages, mask)


def test_a_loss_of_numpy_is_one_where_torch_is_imported_too(monkeypatch):
    """losses.dapo speaks of numpy; that another module has imported torch says nothing of it."""
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    assert target_of(through_a_module).kind == "numpy"
    assert target_of(lambda *arrays: through_a_module(*arrays)).kind == "numpy"


def test_a_loss_without_a_return_is_told_so():
    found = verdict(lambda new, old, ref, advantages, mask: None, "grpo")
    assert found.verdict == "departs"
    assert "it returned None: expected one number" in found.witness.raised
    assert not any("slope" in note for note in found.notes)


def test_an_error_in_a_loss_is_told_with_the_line_of_the_loss():
    def helped(new, old, ref, advantages, mask):
        return np.reshape(new, (7, 7, 7))  # numpy raises, in lines of its own

    raised = verdict(lambda *arrays: helped(*arrays), "grpo").witness.raised
    line = helped.__code__.co_firstlineno + 1
    assert raised.startswith("ValueError: cannot reshape")
    assert raised.endswith(f" (at {__file__}:{line})")


def test_a_scale_is_named_and_accepted_on_request():
    strict = verdict(losses.five_times_too_small, "grpo")
    assert strict.verdict == "departs"
    assert any("1/5 times" in note for note in strict.notes)
    assert verdict(losses.five_times_too_small, "grpo", up_to_scale=True).verdict == "conforms"
    assert verdict(losses.mask_ignored, "grpo", up_to_scale=True).verdict == "departs"


def test_nothing_to_scale_is_a_departure():
    found = verdict(losses.detached_ratio, "grpo", up_to_scale=True)
    assert found.verdict == "departs"
    assert any(("no" in note and "slope" in note) or "has none" in note for note in found.notes)
    assert verdict(losses.detached_ratio, "grpo").verdict == "departs"
    assert verdict(losses.detached_ratio).verdict == "departs"


def test_values_alone_are_compared_where_there_is_no_gradient():
    found = verdict(losses.values_only)
    assert found.verdict == "conforms"
    assert "grpo-token" in {matched.wanted.variant.name for matched in found.matches}
    assert any("no gradient" in note for note in found.notes)
    assert verdict(losses.values_only, "dapo").verdict == "departs"


@pytest.mark.parametrize(
    ("altered", "said"),
    [
        (lambda loss, gradient: (str(loss), gradient), "ValueError: a loss of str"),
        (lambda loss, gradient: (loss + 0j, gradient), "ValueError: a loss of complex128: expected real numbers"),
        (lambda loss, gradient: (loss, gradient + 3j), "ValueError: a gradient of complex128: expected real numbers"),
        (lambda loss, gradient: (loss, gradient.astype(str)), "ValueError: a gradient of str"),
    ],
    ids=["text", "complex loss", "complex gradient", "texts"],
)
def test_what_only_converts_to_the_right_numbers_is_none_of_them(altered, said):
    """The imaginary part was left out, and a text read as what it spells."""
    answer = target_of(lambda *given: altered(*losses.grpo(*given)), arrays="numpy").answer(unit_case())
    assert answer.raised.startswith(said)


def test_a_gradient_of_another_shape_is_told_as_none():
    """Of one position the flat gradient has the shape; elsewhere it is wrong, and not looked at."""

    def flat_where_wide(new, *rest):
        loss, gradient = losses.grpo(new, *rest)
        return (loss, gradient) if new.shape[1] == 1 else (loss, -7 * gradient.ravel())

    (note,) = verdict(flat_where_wide, "grpo").notes
    assert re.fullmatch("on ([0-9]+) of ([0-9]+) inputs it gives no gradient of their shape: values were .*", note)
    (note,) = verdict(lambda *given: losses.grpo(*given)[0], "grpo").notes
    assert note.startswith("it gives no gradient of their shape")
    assert not verdict(losses.grpo, "grpo").notes


@pytest.mark.slow
def test_a_rule_for_advantages_is_part_of_a_loss_of_rewards():
    right = verdict(losses.of_rewards, "grpo", parts=["advantage=mean/sample,epsilon=1/10000"])
    assert right.verdict == "conforms"
    wrong = verdict(losses.of_rewards, "grpo")
    assert wrong.verdict == "departs"
    assert wrong.witness.case.shape[0] == 4
    missing_epsilon = verdict(losses.of_rewards, "grpo", parts=["advantage=mean/sample"])
    assert missing_epsilon.verdict == "departs"


@pytest.mark.slow
def test_a_variant_that_fits_is_named_beside_one_that_rounding_leaves_open():
    """In float32 an epsilon of 1e-6 is near enough to none for that to stay open; with it every number fits."""
    target = target_of(losses.of_rewards_with_a_small_epsilon, precision="float32")
    assert conform(target, "grpo").verdict == "undecided"
    found = conform(target)
    assert found.verdict == "conforms"
    assert "grpo-token with advantage=mean/population,epsilon=1/1000000" in {
        matched.wanted.variant.name for matched in found.matches
    }


def test_an_undecided_loss_is_told_against_what():
    target = target_of(losses.of_rewards_with_a_small_epsilon, precision="float32")
    assert "against grpo-token" in "\n".join(lines_of(conform(target, "grpo")))


def test_a_callable_of_other_parameters_is_no_loss():
    with pytest.raises(BadOption, match=r"takes \(new, old, advantages, mask\).*expected a callable on"):
        target_of(losses.without_a_reference)


def test_what_is_raised_is_a_departure_that_says_so():
    found = verdict(losses.raises_on_short_ones, "grpo")
    assert found.verdict == "departs"
    assert re.fullmatch(r"ValueError: one token \(at .*losses\.py:\d+\)", found.witness.raised)
    assert found.witness.case.shape[1] == 1


def test_rounding_beyond_the_straight_evaluation_is_undecided():
    found = verdict(losses.a_little_off, "grpo")
    assert found.verdict == "undecided"
    assert verdict(losses.a_little_off, "grpo", up_to_scale=True).verdict == "undecided"


def test_a_formula_that_is_a_little_wrong_is_wrong():
    found = verdict(losses.one_part_in_ten_billion_off, "grpo")
    assert found.verdict == "departs"
    assert {each.quantity for each in found.witness.departures} == {"gradient"}


def test_what_is_no_function_of_its_input_is_undecided():
    found = verdict(losses.remembers, "grpo")
    assert found.verdict == "undecided"
    assert "two calls" in found.notes[0]


def test_limits_are_beside_the_verdict():
    """0 times NaN in padding is NaN: this loss lets it through, and that does not change what it is."""
    found = verdict(losses.grpo, "grpo")
    assert found.verdict == "conforms"
    assert "nan-in-padding-new" in {limit.case.name for limit in found.limits}


def test_names_that_are_none():
    with pytest.raises(InvalidProblem, match=r"grpo-token .did you mean"):
        verdict(losses.grpo, "grpo-tokens")
    with pytest.raises(InvalidProblem, match="epsilon"):
        numbers_of(epsilon=2)
