"""Files that are no TOML, or settings of something else: said where, and where to go with them."""

import pytest
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import problem_from_mapping, read_problem


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ('group_size = 2\nfamily = "softmax\ntheta = [0]\n', "line 2", "'family = \"softmax': expected TOML (Illegal"),
        ("group_size = 2\ngroup_size = 3\n", "line 2", "'group_size = 3': expected TOML (Cannot overwrite a value"),
        ('{"event": "start"}\n', "problem file", "begins as JSON does (a trace is for grpocheck replay"),
        ("theta = [0", "problem file", "'theta = [0': expected TOML ("),
    ],
)
def test_what_is_no_toml_is_said_at_its_line(text, key, words, tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(text)
    with pytest.raises(InvalidProblem) as error:
        read_problem(path)
    assert error.value.key == key
    assert words in str(error.value)


@pytest.mark.parametrize("key", ["epsilon_high", "loss_type"])
def test_a_setting_of_trainers_is_answered_with_where_it_belongs(key):
    with pytest.raises(InvalidProblem, match="grpocheck estimator"):
        problem_from_mapping({key: 0.28})
