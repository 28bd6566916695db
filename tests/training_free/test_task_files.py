"""Task files: read exactly, written back the same, and what is none named by its key."""

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.core.reading import parsed
from grpocheck.core.training_free.oracles import NamesTheBetter
from grpocheck.core.training_free.reading import read_task, task_from_mapping
from grpocheck.core.training_free.responses import Response, ResponseTable, Shape, TokenTable
from grpocheck.core.training_free.reward import Weights
from grpocheck.core.training_free.writing import task_to_mapping, task_to_toml
from grpocheck.proofs.non_claims.files import FOLDER

ROOT = Path(__file__).parents[2]
SMALL = """
prompt = "a small one"
group_size = 3
iterations = 2
tests = ["t1", "t2"]

[[responses]]
text = "say a"
mass = 0.25
passes = ["t1"]
quality = 0.5

[[responses]]
text = "b"
mass = "3/4"
tokens = ["b", "longer token"]
"""


def small(**changes: Any) -> dict[str, Any]:
    mapping = parsed(SMALL)
    mapping["responses"][1] |= {"passes": [], "quality": 0}
    return {**mapping, **changes}


def test_a_small_file_is_read_with_the_defaults_of_the_paper() -> None:
    task = task_from_mapping(small())
    assert isinstance(task.model, ResponseTable)
    assert task.model.listed == (
        (Response(("say", "a"), "say a"), F(1, 4)),  # tokens split at white space where none are listed
        (Response(("b", "longer token"), "b"), F(3, 4)),
    )
    assert task.weights == Weights(F(7, 10), F(3, 10), F(1, 2), F(3, 10), F(1, 5))
    assert (task.kappa, task.delta, task.failing, task.bank) == (1, F(1, 100), ("t1", "t2"), ())
    assert task.answers is not None
    assert task.answers.passes == {"say a": ("t1",), "b": ()}
    assert task.answers.qualities == {"say a": F(1, 2), "b": F(0)}


def test_every_key_is_read_and_written_back() -> None:
    pattern = {"description": "one \"line\"\n and more", "confidence": "2/3", "tokens": ["a", "é"]}
    mapping = small(
        kappa="2/3", delta="none", failing=["t2"], weights={"epistemic": 0, "new": "1/7"}, bank=[pattern],
        introspection={"kind": "names-the-better", "confidence": "3/4"}, draws={"recorded": [["b", "b", "say a"]] * 2},
    )  # fmt: skip
    task = task_from_mapping(mapping)
    assert task.kappa == F(2, 3)
    assert task.delta is None
    assert task.failing == ("t2",)
    assert (task.weights.epistemic, task.weights.new, task.weights.external) == (0, F(1, 7), F(7, 10))
    assert task.introspection == NamesTheBetter(F(3, 4))
    assert task.bank[0].confidence == F(2, 3)
    assert task.recorded == (("b", "b", "say a"),) * 2
    assert task_from_mapping(parsed(task_to_toml(task))) == task
    assert task_from_mapping(task_to_mapping(task)) == task


def test_a_token_model_is_read_and_written_back() -> None:
    tokens = {
        "horizon": 2, "end": "<end>", "separator": " ",
        "positions": [{"tokens": ["a", "<end>"]}, {"tokens": ["a", "b", "c"]}],
        "after": [{"prefix": ["a"], "tokens": ["b", "<end>"], "masses": ["1/3", "2/3"]}],
    }  # fmt: skip
    mapping = {key: value for key, value in small(tokens=tokens).items() if key != "responses"}
    task = task_from_mapping(mapping)
    assert isinstance(task.model, TokenTable)
    assert task.model.positions[1] == (("a", F(1, 3)), ("b", F(1, 3)), ("c", F(1, 3)))  # uniform
    assert task.model.next_tokens("x", ("a",)) == (("b", F(1, 3)), ("<end>", F(2, 3)))
    assert task_from_mapping(parsed(task_to_toml(task))) == task
    bare = task_from_mapping({**mapping, "tokens": {"horizon": 3}})
    assert bare.model == Shape(3)
    assert task_from_mapping(parsed(task_to_toml(bare))) == bare


@pytest.mark.parametrize("path", sorted((ROOT / FOLDER).glob("n[68]*.toml")), ids=lambda path: path.stem)
def test_every_stored_witness_is_written_back(path: Path) -> None:
    task = read_task(path)
    assert task_to_toml(task) == path.read_text(encoding="utf-8").partition("\n\n")[2]


RESPONSE = {"text": "a", "mass": 1, "passes": [], "quality": 0}


@pytest.mark.parametrize(
    ("changes", "key", "expected"),
    [
        ({"prompt": ""}, "prompt", "not empty"),
        ({"prompt": 7}, "prompt", "a text"),
        ({"group_size": 1}, "group_size", "at least 2|between 2"),
        ({"group_size": 2.0}, "group_size", "an integer"),
        ({"iterations": 0}, "iterations", "between 1"),
        ({"group_size": 10**6, "iterations": 10**6}, "group_size", "generations in all"),
        ({"tests": []}, "tests", "at least one test"),
        ({"tests": ["t1", "t1"]}, "tests[1]", "each test once"),
        ({"failing": ["t3"]}, "failing[0]", "a test of the task"),
        ({"failing": ["t1", "t1"]}, "failing[1]", "each test once"),
        ({"kappa": 0}, "kappa", "above 0"),
        ({"kappa": 0.5}, "kappa", "in place of a float"),
        ({"delta": "small"}, "delta", "an exact finite number"),
        ({"weights": {"external": -1}}, "weights.external", "at least 0"),
        ({"weights": {"alpha": 1}}, "weights.alpha", "one of "),
        ({"groupsize": 2}, "groupsize", "group_size"),
        ({"introspection": {"kind": "oracle"}}, "introspection.kind", "names-the-better"),
        ({"introspection": {"kind": "names-the-better", "confidence": "1/2"}}, "introspection.confidence", "above 1/2"),
        ({"introspection": {"kind": "embedded", "confidence": "3/4"}}, "introspection.confidence", "no confidence"),
        ({"introspection": {"kind": "http", "confidence": "much"}}, "introspection.confidence", "no confidence"),
        ({"introspection": "embedded"}, "introspection", "a table"),
        ({"draws": {"recorded": [["b", "b", "b"]]}}, "draws.recorded", "2 groups"),
        ({"draws": {"recorded": [["b"], ["b"]]}}, "draws.recorded[0]", "3 responses"),
        ({"draws": {"recorded": [["b", "b", "c"], ["b", "b", "b"]]}}, "draws.recorded[0][2]", "a listed response"),
        ({"draws": {"recorded": [["b", "b", "b"]] * 2, "seed": 1}}, "draws", "not both"),
        ({"draws": {"seed": -1}}, "draws.seed", "between 0"),
        ({"responses": []}, "responses", "sum to exactly 1"),
        ({"responses": [{**RESPONSE, "mass": "1/2"}]}, "responses", "sum to exactly 1"),
        ({"responses": [{**RESPONSE, "mass": 2}, {**RESPONSE, "text": "b", "mass": -1}]}, "responses", "above 0"),
        ({"responses": [{**RESPONSE, "mass": "1/2"}] * 2}, "responses[1].text", "each response once"),
        ({"responses": [{**RESPONSE, "passes": ["t3"]}]}, "responses[0].passes[0]", "a test of the task"),
        ({"responses": [{**RESPONSE, "quality": 2}]}, "responses[0].quality", "between 0 and 1"),
        ({"responses": [{**RESPONSE, "tokens": [""]}]}, "responses[0].tokens", "not empty"),
        ({"bank": [{"description": "d", "confidence": 2, "tokens": []}]}, "bank[0].confidence", "between 0 and 1"),
        ({"bank": [{"description": "d", "confidence": 1}]}, "bank[0]", "tokens"),
        ({"tokens": {"horizon": 1}}, "tokens", "either"),
    ],
)
def test_what_is_no_task_is_named_by_its_key(changes: dict[str, Any], key: str, expected: str) -> None:
    with pytest.raises(InvalidProblem, match=expected) as caught:
        task_from_mapping(small(**changes))
    assert caught.value.key == key


@pytest.mark.parametrize(
    ("tokens", "key"),
    [
        ({}, "tokens.horizon"),
        ({"horizon": 0}, "tokens.horizon"),
        ({"horizon": 1, "end": ""}, "tokens.end"),
        ({"horizon": 2, "positions": [{"tokens": ["a"]}]}, "tokens.positions"),
        ({"horizon": 1, "positions": [{"tokens": []}]}, "tokens.positions[0].tokens"),
        ({"horizon": 1, "positions": [{"tokens": ["a", "b"], "masses": ["1/2"]}]}, "tokens.positions[0].masses"),
        ({"horizon": 1, "positions": [{"tokens": ["a"], "masses": ["1/2"]}]}, "tokens.positions[0].masses"),
        ({"horizon": 1, "after": [{"prefix": [], "tokens": ["a"]}]}, "tokens.positions"),
    ],
)
def test_a_token_model_that_is_none_is_named_by_its_key(tokens: dict[str, Any], key: str) -> None:
    mapping = {name: value for name, value in small(tokens=tokens).items() if name != "responses"}
    with pytest.raises(InvalidProblem) as caught:
        task_from_mapping(mapping)
    assert caught.value.key == key


def test_the_end_token_is_known_by_its_text() -> None:
    written = "".join(["<", "end", ">"])  # the same text, another object
    assert Shape(4, "<end>", " ").response(("a", written)).text == "a"
