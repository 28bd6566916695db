"""Everything that is no problem: refused with the key, the value and what was expected, quickly."""

import os
import re
import subprocess
import sys
import time
from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.core.domains import OpenBox
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.core.problem import Problem
from grpocheck.core.prompt import Prompt
from grpocheck.core.reading import MOST_BYTES, problem_from_mapping, read_problem
from grpocheck.core.writing import problem_to_mapping

GOOD = """
group_size = 2
outer_iterations = 1
inner_steps = 2
epsilon = 0.2
beta = 0
step_size = 0.05
theta = [0.5]
family = "bernoulli"

[domain]
kind = "open-box"
lower = [0]
upper = [1]

[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [1, 0]
reference = [0.5, 0.5]

[draws]
recorded = [[["good", "bad"]]]
"""

SECOND_PROMPT = """
[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [1, 0]
reference = [0.5, 0.5]
"""

GENERATED = """
group_size = 2
outer_iterations = 1
inner_steps = 1
epsilon = 0.2
beta = 0
step_size = 0.05
theta = [0.5]
family = "autoregressive"

[generation]
vocabulary = ["a", "."]
end = "."
horizon = 1
parameterisation = "masses"

[[prompts]]
name = "q"
rewards = { "a" = 1, "." = 0 }
reference = { "a" = 0.5, "." = 0.5 }
"""


def refusal(path, document):
    path.write_bytes(document if isinstance(document, bytes) else document.encode("utf-8"))
    started = time.process_time()
    with pytest.raises(InvalidProblem) as error:
        read_problem(path)
    assert time.process_time() - started < 20
    message = str(error.value)
    assert len(message) < 1000
    assert message.startswith(error.value.key + ": ")
    assert ": expected " in message
    return error.value


def test_the_document_that_the_others_break_is_a_problem(tmp_path):
    path = tmp_path / "good.toml"
    path.write_text(GOOD, encoding="utf-8")
    problem = read_problem(path)
    assert problem.theta == (F(1, 2),)
    assert problem.epsilon == F(1, 5)
    assert problem.step_sizes == ((F(1, 20), F(1, 20)),)
    assert problem.domain == OpenBox((0,), (1,))
    path.write_text("\ufeff" + GENERATED.replace("\n", "\r\n"), encoding="utf-8")
    assert read_problem(path).prompts[0].responses == ("a", ".")


@pytest.mark.parametrize(
    ("old", "new", "key", "shows"),
    [
        ("reference = [0.5, 0.5]", "reference = [0.5, 0.49]", "prompts[0].reference", "99/100"),
        ("reference = [0.5, 0.5]", "reference = [1, 0]", "prompts[0].reference[1]", "0"),
        ("reference = [0.5, 0.5]", "reference = [1.5, -0.5]", "prompts[0].reference[1]", "-1/2"),
        ("reference = [0.5, 0.5]", "reference = [1]", "prompts[0].reference", "[1]"),
        ("reference = [0.5, 0.5]", "reference = [nan, 0.5]", "prompts[0].reference[0]", "nan"),
        ("reference = [0.5, 0.5]", 'reference = "half"', "prompts[0].reference", "'half'"),
        ("rewards = [1, 0]", "rewards = [inf, 0]", "prompts[0].rewards[0]", "inf"),
        ("rewards = [1, 0]", "rewards = [1, -nan]", "prompts[0].rewards[1]", "-nan"),
        ("rewards = [1, 0]", 'rewards = ["NaN", 0]', "prompts[0].rewards[0]", "'NaN'"),
        ("rewards = [1, 0]", "rewards = [1, true]", "prompts[0].rewards[1]", "True"),
        ("rewards = [1, 0]", "rewards = [1, 1e999999999]", "prompts[0].rewards[1]", "1e999999999"),
        ("rewards = [1, 0]", "rewards = [1, 1e-999999999]", "prompts[0].rewards[1]", "1e-999999999"),
        ("rewards = [1, 0]", "rewards = [1, 1e4001]", "prompts[0].rewards[1]", "1e4001"),
        ("rewards = [1, 0]", 'rewards = ["1/0", 0]', "prompts[0].rewards[0]", "'1/0'"),
        ("rewards = [1, 0]", 'rewards = ["1/3 ", 0]', "prompts[0].rewards[0]", "'1/3 '"),
        ("rewards = [1, 0]", 'rewards = ["", 0]', "prompts[0].rewards[0]", "''"),
        ("rewards = [1, 0]", 'rewards = ["٣", 0]', "prompts[0].rewards[0]", "'٣'"),
        ("rewards = [1, 0]", "rewards = [1979-05-27, 0]", "prompts[0].rewards[0]", "a date"),
        ("rewards = [1, 0]", "rewards = [1, 0, 0]", "prompts[0].rewards", "[1, 0, 0]"),
        ("rewards = [1, 0]", 'rewards = ["' + "9" * 10**6 + '", 0]', "prompts[0].rewards[0]", "999"),
        ("rewards = [1, 0]", "rewards = [0." + "9" * 10**6 + ", 0]", "prompts[0].rewards[0]", "0.999"),
        ("rewards = [1, 0]", "rewards = [0x" + "f" * 4000 + ", 0]", "prompts[0].rewards[0]", "bits"),
        ('responses = ["good", "bad"]', 'responses = ["good", "good"]', "prompts[0].responses[1]", "'good'"),
        ('responses = ["good", "bad"]', "responses = []", "prompts[0].responses", "[]"),
        ('responses = ["good", "bad"]', "responses = [1, 2]", "prompts[0].responses[0]", "1"),
        ('responses = ["good", "bad"]', 'responses = ["good", "bad", "ugly"]', "prompts[0].rewards", "[1, 0]"),
        ('responses = ["good", "bad"]', 'responses = ["a", "b"]\nresponse_set = ["a"]', "prompts[0].responses", "'b'"),
        ('name = "q"\n', "", "prompts[0].name", "the key is missing"),
        ('name = "q"', 'name = ""', "prompts[0].name", "''"),
        ('name = "q"', "name = 3.5", "prompts[0].name", "3.5"),
        ('name = "q"', 'name = "q"\nweight = 1', "prompts[0].weight", "1"),
        ("[draws]", SECOND_PROMPT + "\n[draws]", "prompts[1].name", "'q'"),
        ("[[prompts]]", "[prompts]", "prompts", "a table"),
        ("theta = [0.5]", "theta = [0]", "theta", "[0]"),
        ("theta = [0.5]", "theta = [1.5]", "theta", "[3/2]"),
        ("theta = [0.5]", "theta = [0.5, 0.5]", "theta", "[0.5, 0.5]"),
        ("theta = [0.5]", "theta = []", "theta", "[]"),
        ("theta = [0.5]", "theta = 0.5", "theta", "0.5"),
        ("theta = [0.5]", "theta = [[0.5]]", "theta[0]", "[0.5]"),
        ("lower = [0]", "lower = [0.5]", "theta", "[1/2]"),
        ("lower = [0]", "lower = [0, 0]", "domain.upper", "[1]"),
        ("epsilon = 0.2", "epsilon = 0", "epsilon", "0"),
        ("epsilon = 0.2", "epsilon = 1", "epsilon", "1"),
        ("epsilon = 0.2", "epsilon = -0.2", "epsilon", "-1/5"),
        ("epsilon = 0.2", "epsilon = nan", "epsilon", "nan"),
        ("epsilon = 0.2", "epsilom = 0.2", "epsilom", "0.2"),
        ("epsilon = 0.2", '"" = 0.2', '""', "0.2"),
        ('name = "q"', 'name = "q"\n"" = 1', 'prompts[0].""', "1"),
        ("beta = 0", "beta = -0.1", "beta", "-1/10"),
        ("beta = 0\n", "", "beta", "the key is missing"),
        ("group_size = 2", "group_size = 1", "group_size", "1"),
        ("group_size = 2", "group_size = 2.0", "group_size", "2.0"),
        ("group_size = 2", "group_size = true", "group_size", "True"),
        ("group_size = 2", 'group_size = "2"', "group_size", "'2'"),
        ("group_size = 2", "group_size = 1000000000000", "group_size", "1000000000000"),
        ("outer_iterations = 1", "outer_iterations = 0", "outer_iterations", "0"),
        ("outer_iterations = 1", "outer_iterations = 1000000000", "outer_iterations", "1000000000"),
        ("inner_steps = 2", "inner_steps = 0", "inner_steps", "0"),
        ("inner_steps = 2", "inner_steps = 1000000000", "outer_iterations", "1"),
        ("step_size = 0.05", "step_size = 0", "step_size", "0"),
        ("step_size = 0.05", "step_size = -0.05", "step_size", "-1/20"),
        ("step_size = 0.05", "step_sizes = [[0.05, -1]]", "step_sizes[0][1]", "-1"),
        ("step_size = 0.05", "step_sizes = [[0.05]]", "step_sizes[0]", "[0.05]"),
        ("step_size = 0.05", "step_sizes = [[0.05, 1], [1, 1]]", "step_sizes", "[[0.05, 1], [1, 1]]"),
        ("step_size = 0.05", "step_sizes = 0.05", "step_sizes", "0.05"),
        ("step_size = 0.05", "step_size = 1\nstep_sizes = [[1, 1]]", "step_size", "1"),
        ("step_size = 0.05\n", "", "step_size", "step_size"),
        ('family = "bernoulli"', 'family = "gaussian"', "family", "'gaussian'"),
        ('family = "bernoulli"', "family = 7", "family", "7"),
        ('family = "bernoulli"', 'family = "autoregressive"', "generation", "None"),
        ('family = "bernoulli"', 'family = "log-linear"', "prompts[0].features", "the key is missing"),
        ('family = "bernoulli"', 'family = "bernoulli"\ngeneration = {}', "generation", "a table"),
        ('family = "bernoulli"', 'family = "bernoulli"\ngroup-size = 3', "group-size", "3"),
        ('recorded = [[["good", "bad"]]]', 'recorded = [[["good", "ugly"]]]', "draws.recorded[0][0][1]", "'ugly'"),
        ('recorded = [[["good", "bad"]]]', 'recorded = [[["good"]]]', "draws.recorded[0][0]", "['good']"),
        ('recorded = [[["good", "bad"]]]', "recorded = [[]]", "draws.recorded[0]", "[]"),
        ('recorded = [[["good", "bad"]]]', "recorded = []", "draws.recorded", "[]"),
        ('recorded = [[["good", "bad"]]]', 'recorded = "good"', "draws.recorded", "'good'"),
        ('recorded = [[["good", "bad"]]]', "recorded = [[[1, 2]]]", "draws.recorded[0][0][0]", "1"),
        ('recorded = [[["good", "bad"]]]', "seed = -1", "draws.seed", "-1"),
        ('recorded = [[["good", "bad"]]]', "seed = 0.5", "draws.seed", "0.5"),
        ('recorded = [[["good", "bad"]]]', 'recorded = [[["good", "bad"]]]\nseed = 1', "draws", "'recorded', 'seed'"),
        ('recorded = [[["good", "bad"]]]', "sead = 1", "draws.sead", "1"),
    ],
)
def test_one_wrong_line(tmp_path, old, new, key, shows):
    assert GOOD.count(old) == 1
    error = refusal(tmp_path / "problem.toml", GOOD.replace(old, new))
    assert error.key == key
    assert shows in str(error).removeprefix(f"{key}: ").partition(": expected ")[0]


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('"a" = 1, "." = 0', '"a" = 1', "prompts[0].rewards.."),
        ('"a" = 1, "." = 0', '"a" = 1, "." = 0, "b" = 0', "prompts[0].rewards.b"),
        ('"a" = 1, "." = 0', '"a" = inf, "." = 0', 'prompts[0].rewards."a"'),
        ('rewards = { "a" = 1, "." = 0 }', "rewards = [1, 0]", "prompts[0].rewards"),
        ('name = "q"', 'name = "q"\nresponses = ["a", "."]', "prompts[0].responses"),
        ('"a" = 0.5, "." = 0.5', '"a" = 0.5, "." = 0.25', "prompts[0].reference"),
        ('parameterisation = "masses"', 'parameterisation = "mass"', "generation.parameterisation"),
        ('parameterisation = "masses"', 'parameterisation = "logits"', "theta"),
        ("horizon = 1", "horizon = 1\nforbiden = {}", "generation.forbiden"),
        ("horizon = 1", "horizon = 1\nforbidden = []", "generation.forbidden"),
        ("horizon = 1", 'horizon = 1\nforbidden = { "" = ["a", "."] }', 'generation.forbidden.""'),
        ("horizon = 1", 'horizon = 1\nforbidden = { "" = ["a"] }', "prompts[0].rewards.a"),
        ("horizon = 1", "horizon = 4000", "generation.horizon"),
    ],
)
def test_one_wrong_line_of_a_generated_problem(tmp_path, old, new, key):
    assert GENERATED.count(old) == 1
    assert refusal(tmp_path / "problem.toml", GENERATED.replace(old, new)).key == key


def test_a_misspelt_key_is_answered_with_the_right_one(tmp_path):
    assert "epsilon" in refusal(tmp_path / "problem.toml", GOOD.replace("epsilon", "epsylon")).expected


@pytest.mark.parametrize(
    "document",
    [
        "this is not TOML",
        "",
        b"\xff\xfe\x00",
        b"\x00" * 100,
        GOOD + "\nepsilon = 0.3 0.4",
        "theta = " + "[" * 100_000,
        "theta = " + "{a=" * 100_000,
        "theta = [" + "9" * 1_000_000 + "]",
        ".".join("a" * 500_000) + " = 1",
        "[" + ".".join("a" * 500_000) + "]",
        " . ".join(["'a'"] * 200_000) + " = 1",
        '"' * 1_000_000,
        "a" * 2_000_000,
        "-" * 2_000_000 + ".",
        "a = '''" + "\n" * 1_000_000,
        "\n".join(f"k{i} = 1" for i in range(20_000)),
        b"#" * (MOST_BYTES + 1),
        GOOD.replace("theta = [0.5]", "theta = [" + "1," * 400_000 + "]"),
        GOOD.replace("rewards = [1, 0]", "rewards = [" + "1," * 400_000 + "]"),
    ],
    ids=lambda document: repr(document[:24]),
)
def test_what_is_no_problem_file_at_all(tmp_path, document):
    refusal(tmp_path / "problem.toml", document)


def test_a_long_number_is_found_by_its_line(tmp_path):
    error = refusal(tmp_path / "problem.toml", GOOD.replace("rewards = [1,", "rewards = [" + "7" * 5000 + ","))
    assert error.key == f"line {GOOD.splitlines().index('rewards = [1, 0]') + 1}"
    assert "4000 digits" in error.expected


def test_bytes_that_are_no_utf8_are_found_by_their_line(tmp_path):
    assert "line 3" in refusal(tmp_path / "problem.toml", b"# one\n# two\n# \xe4\n").expected


def test_a_hundred_megabytes_are_not_read(tmp_path):
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(InvalidProblem, match=f"at most {MOST_BYTES} bytes, not of 100000000"):
        read_problem(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless file")
def test_an_endless_file_is_left_at_the_limit():
    with pytest.raises(InvalidProblem, match="at most"):
        read_problem("/dev/zero")


@pytest.mark.parametrize("name", ["missing.toml", ".", "nul\0name", "x" * 5000, "missing/problem.toml"])
def test_a_path_that_is_no_readable_file(tmp_path, name):
    with pytest.raises(InvalidProblem) as error:
        read_problem(tmp_path / name)
    assert error.value.key == "problem file"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission(tmp_path):
    path = tmp_path / "problem.toml"
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(InvalidProblem, match="ermission"):
        read_problem(path)


def python_problem(**changes):
    data = {
        "prompts": (Prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        "family": Bernoulli(),
        "theta": (F(1, 2),),
        "group_size": 2,
        "outer_iterations": 1,
        "inner_steps": 1,
        "epsilon": F(1, 5),
        "beta": F(0),
        "step_sizes": ((F(1, 20),),),
    }
    return Problem(**(data | changes))


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"theta": (0.5,)}, "theta[0]"),
        ({"epsilon": 0.2}, "epsilon"),
        ({"beta": float("nan")}, "beta"),
        ({"beta": False}, "beta"),
        ({"beta": None}, "beta"),
        ({"theta": "1/2"}, "theta"),
        ({"step_sizes": ((0.05,),)}, "step_sizes[0][0]"),
        ({"step_sizes": (F(1, 20),)}, "step_sizes[0]"),
        ({"group_size": F(2)}, "group_size"),
        ({"prompts": ()}, "prompts"),
        ({"prompts": None}, "prompts"),
        ({"prompts": ("q",)}, "prompts[0]"),
        ({"prompts": (Prompt(1, "q", ("a", "b"), (1, 0), ("1/2", "1/2")),)}, "prompts[0].position"),
        ({"family": "bernoulli"}, "family"),
        ({"family": Simplex((2, 2))}, "prompts"),
        ({"prompts": (Prompt(0, "q", ("a",), (1,), (1,)),), "family": Simplex((1,)), "theta": ()}, "family"),
        ({"family": Supplied(1)}, "domain"),
        ({"domain": "open"}, "domain"),
        ({"domain": OpenBox((0, 0), (1, 1))}, "domain"),
        ({"domain": OpenBox(("1/2",), (1,))}, "theta"),
        ({"seed": True}, "draws.seed"),
        ({"seed": 2**256}, "draws.seed"),
        ({"recorded": ((("good", "bad"), ("good", "bad")),)}, "draws.recorded[0]"),
    ],
)
def test_the_python_interface_refuses_the_same(changes, key):
    with pytest.raises(InvalidProblem) as error:
        python_problem(**changes)
    assert error.value.key == key


def test_a_float_is_answered_with_what_to_write():
    with pytest.raises(InvalidProblem, match=re.escape('write Fraction(1, 5) or "1/5"')):
        python_problem(epsilon=0.2)


def test_texts_and_integers_are_read_as_exact_numbers():
    problem = python_problem(epsilon="0.2", beta=1, step_sizes=[["5e-2"]])
    assert (problem.epsilon, problem.beta, problem.step_sizes) == (F(1, 5), F(1), ((F(1, 20),),))
    assert type(problem.beta) is F
    assert problem == python_problem(beta=F(1))


def test_a_lone_surrogate_is_no_text():
    with pytest.raises(InvalidProblem) as error:
        Prompt(0, "\ud800", ("a",), (0,), (1,))
    str(error.value).encode("utf-8")


def test_gradients_too_large_to_hold_are_refused():
    size = 4000
    prompt = Prompt(0, "q", tuple(map(str, range(size))), (0,) * size, (F(1, size),) * size)
    with pytest.raises(InvalidProblem, match="parameters x responses"):
        python_problem(prompts=(prompt,), family=Simplex((size,)), theta=(F(1, size),) * (size - 1))


def test_a_deep_mapping_is_refused():
    domain = {"kind": "whole-space", "dimension": 1}
    for _ in range(5000):
        domain = {"kind": "intersection", "parts": [domain]}
    with pytest.raises(InvalidProblem, match="list the parts"):
        problem_from_mapping({**problem_to_mapping(python_problem()), "domain": domain})


def test_shown_values_are_short():
    deep = []
    for _ in range(10_000):
        deep = [deep]
    for value in (deep, "x" * 10**6, 10**10000, F(1, 10**10000), {"k" * 10**6: 1}, [[1] * 9] * 9, object(), 1e308):
        assert len(shown(value)) < 500
    assert shown([F(1, 2), True, None, "a"]) == "[1/2, True, None, 'a']"


def test_an_error_can_be_sent_to_another_process(tmp_path):
    script = tmp_path / "sent.py"
    script.write_text(
        "import pickle\n"
        "from grpocheck.core.invalid import InvalidProblem\n"
        "error = pickle.loads(pickle.dumps(InvalidProblem('beta', -1, 'a number of at least 0')))\n"
        "assert str(error) == 'beta: -1: expected a number of at least 0', error\n"
        "assert (error.key, error.value) == ('beta', -1)\n"
    )
    subprocess.run([sys.executable, str(script)], check=True)
