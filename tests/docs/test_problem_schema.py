"""The schema of problem files: it is the reader's tables, and refuses and takes what the reader does."""

import json
import tomllib
from pathlib import Path

import pytest
from grpocheck.core import InvalidProblem
from grpocheck.core.reading import parsed, problem_from_mapping
from grpocheck.verifier.commands.new import STARTERS, TAIL
from grpocheck.verifier.pages.problem_schema import schema

from tests.vectors.schemas import faults

HOUSE = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((HOUSE / "docs" / "problem.schema.json").read_text(encoding="utf-8"))
EXAMPLES = sorted(
    path for path in (HOUSE / "examples").rglob("*.toml") if "family" in tomllib.loads(path.read_text(encoding="utf-8"))
)
DOMAINS = (
    'kind = "open-box"\nlower = [0]\nupper = ["inf"]',
    'kind = "open-ball"\ncentre = ["1/2"]\nradius = 0.25',
    'kind = "half-spaces"\nnormals = [[1]]\noffsets = [0.75]',
    'kind = "whole-space"\ndimension = 1',
    'kind = "open-simplices"\nsizes = [1, 0]',
    'kind = "intersection"\nparts = [{ kind = "open-box", lower = [0], upper = [1] }]',
)
# What stands in the bernoulli starter, and what is no problem any more when it stands there instead.
WRONG = (
    ("group_size = 4", "group_size = 1"),
    ("group_size = 4", "group_size = true"),
    ("inner_steps = 2", "inner_step = 2"),
    ("epsilon = 0.2", 'epsilon = "a fifth"'),
    ("epsilon = 0.2", 'epsilon = "1/"'),
    ("step_size = 0.05", ""),
    ('family = "bernoulli"', 'family = "gaussian"'),
    ("theta = [0.5]", "theta = 0.5"),
    ("rewards = [1, 0]", "rewards = [1, true]"),
    ('responses = ["good", "bad"]', "responses = [1, 2]"),
    ("seed = 7", "seed = -7"),
    ("seed = 7", 'seed = 7\n[domain]\nkind = "open-box"\nlower = [0]'),
    ("seed = 7", 'seed = 7\n[domain]\nkind = "open-cube"'),
)


def complaints(text: str) -> list[str]:
    return faults(tomllib.loads(text), SCHEMA, SCHEMA)


def test_the_committed_schema_is_made_from_the_reader() -> None:
    assert schema() == SCHEMA, "python -m grpocheck.verifier.pages.problem_schema docs/problem.schema.json"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_fits(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("family", STARTERS)
def test_every_starter_fits(family: str) -> None:
    assert complaints(STARTERS[family] + TAIL) == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_kind_of_domain_fits_and_is_read(domain: str) -> None:
    text = f"{STARTERS['bernoulli']}\n[domain]\n{domain}\n"
    assert complaints(text) == []
    problem_from_mapping(parsed(text))


def test_a_prefix_after_which_nothing_is_forbidden_fits_and_is_read() -> None:
    text = STARTERS["autoregressive"].replace("horizon = 2", 'horizon = 2\nforbidden = { "a" = [] }')
    assert complaints(text) == []
    problem_from_mapping(parsed(text))


@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_what_does_not_fit_the_reader_refuses_too(right: str, wrong: str) -> None:
    text = STARTERS["bernoulli"] + TAIL
    assert right in text
    text = text.replace(right, wrong)
    assert complaints(text) != []
    with pytest.raises(InvalidProblem):
        problem_from_mapping(parsed(text))
