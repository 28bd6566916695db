"""Change anything, share it, and have the file again."""

import pytest
from grpocheck.core import InvalidProblem, problem_from_mapping, problem_to_toml
from grpocheck.core.reading import parsed
from grpocheck.verifier.studio import editing

from tests.studio.problems import bernoulli, triangle


def test_a_change_is_the_same_problem_with_one_thing_changed() -> None:
    text = editing.changed(bernoulli(), {"epsilon": "0.25"})
    assert problem_from_mapping(parsed(text)) == bernoulli(epsilon="1/4")


def test_rewards_reference_theta_and_draws_can_be_changed() -> None:
    text = editing.changed(triangle(), {
        "rewards": [["2", "1", "0"]], "reference": [["1/2", "1/4", "1/4"]], "theta": ["0.2", "0.3"],
        "recorded": [[["c", "c"]]],
    })  # fmt: skip
    changed = problem_from_mapping(parsed(text))
    assert [str(reward) for reward in changed.prompts[0].rewards] == ["2", "1", "0"]
    assert [str(mass) for mass in changed.prompts[0].reference] == ["1/2", "1/4", "1/4"]
    assert [str(entry) for entry in changed.theta] == ["1/5", "3/10"]
    assert changed.recorded == ((("c", "c"),),)


def test_a_larger_group_is_filled_up_with_its_last_draw_and_a_smaller_one_is_cut() -> None:
    larger = problem_from_mapping(parsed(editing.changed(bernoulli(), {"group_size": 4})))
    assert larger.recorded == ((("good", "bad", "bad", "bad"),),)
    smaller = problem_from_mapping(parsed(editing.changed(larger, {"group_size": "2"})))
    assert smaller.recorded == ((("good", "bad"),),)


def test_more_iterations_and_steps_go_on_as_the_last_ones() -> None:
    mapping = parsed(problem_to_toml(bernoulli()))
    mapping.pop("step_size")
    mapping["step_sizes"] = [["1/20", "1/40"]]
    changed = editing.changed(problem_from_mapping(mapping), {"outer_iterations": 2, "inner_steps": 3})
    found = problem_from_mapping(parsed(changed))
    assert [[str(step) for step in row] for row in found.step_sizes] == [["1/20", "1/40", "1/40"]] * 2
    assert found.recorded == ((("good", "bad"),), (("good", "bad"),))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"epsilon": "1"}, "epsilon: 1: expected a number strictly between 0 and 1"),
        ({"epsilon": "__import__('os')"}, "epsilon"),
        ({"group_size": "1"}, "group_size: 1: expected an integer of at least 2"),
        ({"group_size": "many"}, "group_size: 'many': expected a count"),
        ({"theta": ["2"]}, "theta"),
        ({"theta": "2"}, "theta: '2': expected a list"),
        ({"rewards": [["1"]]}, "rewards[0]: ['1']: expected 2 numbers"),
        ({"recorded": [[["good", "worst"]]]}, "'worst'"),
        ({"recorded": [5]}, "recorded: 5: expected a list"),
        ({"recorded": [[[1, 2]]]}, "recorded: [1, 2]: expected a list of responses"),
        ({"seed": "-1"}, "seed"),
        ({"colour": "blue"}, "colour"),
    ],
)
def test_a_change_that_makes_no_problem_says_so(changes: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidProblem) as caught:
        editing.changed(bernoulli(), changes)
    assert said in str(caught.value)


def test_a_shared_problem_comes_back_as_it_was() -> None:
    text = problem_to_toml(bernoulli())
    shared = editing.packed(text)
    assert set(shared) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    assert editing.unpacked(shared) == text


def test_what_is_too_long_to_share_says_to_save_the_file() -> None:
    noise = "# " + "".join(str(7**i % 1000003) for i in range(9000))
    with pytest.raises(InvalidProblem, match="save the file"):
        editing.packed(noise)


def test_an_address_that_would_unpack_to_a_flood_is_refused() -> None:
    flood = editing.packed("#" * 5_000_000)
    assert len(flood) < editing.MOST_SHARED
    with pytest.raises(InvalidProblem, match="a whole problem file of at most"):
        editing.unpacked(flood)


@pytest.mark.parametrize("cut", ["", "abc", "%%%", "A" * 9000, None, 5])
def test_an_address_that_was_cut_says_so(cut: object) -> None:
    with pytest.raises(InvalidProblem, match="address"):
        editing.unpacked(cut)


def test_the_form_holds_what_the_file_states() -> None:
    form = editing.form(bernoulli())
    assert (form["group_size"], form["epsilon"], form["theta"], form["draws"]) == (2, "1/5", ["1/2"], "recorded")
    assert form["prompts"] == [
        {"name": "q", "responses": ["good", "bad"], "rewards": ["1", "0"], "reference": ["1/2", "1/2"]}
    ]
