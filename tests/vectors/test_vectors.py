"""The test vectors: numbers by hand and by another reading at 80 digits, the schema, the page about them."""

import copy
import importlib.util
import json
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace

import pytest
from grpocheck.core.arithmetic import parse_exact
from grpocheck.core.variants.registry import NAMED
from grpocheck.verifier.vectors.numbers import fifty_digits, vector_number
from mpmath.ctx_mp import MPContext

from tests.vectors.schemas import faults

HOUSE = Path(__file__).resolve().parents[2]
RUNNER = HOUSE / "examples" / "vectors" / "run_vectors.py"
SCHEMA = json.loads((HOUSE / "docs" / "vectors.schema.json").read_text(encoding="utf-8"))


def runner():
    """The Python runner as a module of its own."""
    spec = importlib.util.spec_from_file_location("run_vectors_under_test", RUNNER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def case(document, name):
    (found,) = [entry for entry in document["cases"] if entry["id"] == name]
    return found


def test_numbers_are_exact_or_fifty_digits():
    """Constants as they are printed in tables."""
    assert vector_number(F(-3, 5)) == "-3/5"
    assert vector_number(7) == "7"
    assert fifty_digits(parse_exact("sqrt(2)")) == "1.4142135623730950488016887242096980785696718753769e+0"
    assert fifty_digits(-parse_exact("1/100*sqrt(3)")) == "-1.7320508075688772935274463415058723669428052538104e-2"
    seventh = vector_number(F(10**60, 7 * 10**60 + 7))
    assert seventh == "1.4285714285714285714285714285714285714285714285714e-1"
    # a half of the last digit goes to the even one, and what is above it up
    assert fifty_digits(F(10**50 + 5, 10**50)) == "1.0000000000000000000000000000000000000000000000000e+0"
    assert fifty_digits(F(10**51 + 51, 10**51)) == "1.0000000000000000000000000000000000000000000000001e+0"


def test_every_named_method_that_is_a_function_of_a_batch_is_there(document):
    assert [variant["name"] for variant in document["variants"]] == [name for name in NAMED if name != "dapo-dynamic"]


def test_inputs_are_given_exactly(document):
    def texts(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list):
            for entry in value.values() if isinstance(value, dict) else value:
                yield from texts(entry)

    for entry in document["cases"]:
        given = set(texts(entry["input"])) - {"masses", "logits"}
        assert {text for text in given if str(F(text)) != text} == set()


def test_the_pair_by_hand(document):
    """Rewards 1 and 0, and 5 and -3: A = 1 and -1 in both; (3/10)/(1/4) = 6/5, and (1/5)/(2/5) = 1/2."""
    expected = case(document, "pair")["expected"]["section-1"]
    assert expected["advantages"] == [["1", "-1"], ["1", "-1"]]
    # sequence ratios: 1 * 6/5 | 1/2 || 6/5 * 5/4 * 1 | 6/5 * 1/2
    assert expected["ratios"] == [[["6/5", "6/5"], ["1/2"]], [["3/2", "3/2", "3/2"], ["3/5", "3/5"]]]
    # min(r, 6/5) and -max(r, 4/5)
    assert expected["terms"] == [["6/5", "-4/5"], ["6/5", "-4/5"]]
    assert F(expected["objective"]) == F(1, 5) - F(1, 25) * F(1, 7)
    kink = {"between": ["0", "3/10"]}
    assert expected["gradient"] == [[[kink, kink], ["0"]], [["0", "0", "0"], ["0", "0"]]]


def test_boundary_ratios_by_hand(document):
    """Fourteen responses of one token, A = 1 for the first seven: 1/14 of r A inside, 0 outside, either on a bound."""
    expected = case(document, "boundary-ratios")["expected"]
    ratios = ["6/5", "4/5", "32/25", "3/2", "3", "5", "1"]
    assert [row[0] for row in expected["section-1"]["ratios"][0]] == ratios * 2
    slopes = [row[0] for row in expected["section-1"]["gradient"][0]]
    assert slopes[0] == {"between": ["0", "3/35"]}
    assert slopes[8] == {"between": ["-2/35", "0"]}
    assert slopes[1:8] == ["2/35", "0", "0", "0", "0", "1/14", "-3/35"]
    assert [F(slope) for slope in slopes[9:]] == [-F(r) / 14 for r in ratios[2:]]
    dapo, dual, delta = (
        [row[0] for row in expected[name]["gradient"][0]] for name in ("dapo", "dual-clip", "delta")
    )
    assert dapo[2] == {"between": ["0", str(F(32, 25) / 14)]}
    assert dual[11] == {"between": [str(F(-3, 14)), "0"]}
    assert delta[10] == {"between": [str(F(-3, 28)), "0"]}


def test_corners_by_hand(document):
    for name, group in (("zero-variance-thirds", 0), ("zero-variance-tenths", 0)):
        for variant, expected in case(document, name)["expected"].items():
            raw = variant in ("reinforce-none", "importance-weighted")
            batch = variant == "gdpo"
            if not raw and not batch:
                assert set(expected["advantages"][group]) == {"0"}, (name, variant)
    assert all(e == {"error": "missing-reward"} for e in case(document, "missing-reward")["expected"].values())
    underflow = case(document, "underflow")["expected"]
    assert underflow["gspo"]["ratios"][0] == [["11/10"] * 12, ["10/11"] * 12]
    assert F(underflow["section-1"]["ratios"][0][0][0]) == F(11, 10) ** 12
    masked = case(document, "masked-tokens")["expected"]["grpo-token"]
    assert masked["ratios"][0][2] == [None, None]
    assert masked["terms"][0][2] == "0"
    assert masked["gradient"][0][1] == ["0", masked["gradient"][0][1][1], "0"]
    logits = case(document, "logits-of-10000")["expected"]
    assert logits["log_masses"][1:] == [f"-{n}.{'0' * 49}e+4" for n in (1, 2)]
    lesson = case(document, "masses")["expected"]["kl"]
    assert abs(F(lesson) - F("0.192745")) < F(1, 10**6)


def test_all_fifty_digits_by_another_reading(document):
    """The float implementation of the runner, run in numbers of 80 digits, gives every output to 1e-48."""
    context = MPContext()
    context.dps = 80
    module = runner()

    def number(text):
        numerator, _, denominator = text.partition("/")
        return context.mpf(numerator) / context.mpf(denominator or 1)

    module.number = number
    module.math = SimpleNamespace(log=context.log, exp=context.exp, sqrt=context.sqrt, inf=context.inf)
    compared = 0

    def same(want, got):
        nonlocal compared
        if isinstance(want, list):
            assert len(want) == len(got)
            for one, other in zip(want, got, strict=True):
                same(one, other)
        elif isinstance(want, dict):
            lower, upper = map(number, want["between"])
            assert lower - context.mpf(10) ** -48 <= got <= upper + context.mpf(10) ** -48
        elif want is None:
            assert got is None
        else:
            compared += 1
            wanted = number(want)
            assert abs(got - wanted) <= context.mpf(10) ** -48 * max(abs(wanted), 1)

    variants = {variant["name"]: variant for variant in document["variants"]}
    for entry in document["cases"]:
        if entry["kind"] == "divergence":
            got = module.divergence(entry["input"])
            for key, want in entry["expected"].items():
                same(want, got[key])
            continue
        for name, want in entry["expected"].items():
            if "error" in want:
                with pytest.raises(module.MissingReward):
                    module.evaluate(variants[name], entry["input"])
                continue
            got = module.evaluate(variants[name], entry["input"])
            for key, value in want.items():
                same(value, got[key])
    assert compared > 5000


def test_the_file_is_what_its_schema_says(document):
    assert faults(document, SCHEMA, SCHEMA) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("schema",), "grpocheck-vectors/2"),
        (("cases", 0, "expected", "gspo", "objective"), 0.5),
        (("cases", 0, "expected", "gspo", "objective"), "0.5"),
        (("cases", 0, "input", "groups", 0, "responses", 0, "tokens", 0, "current"), "1.5e-3"),
        (("variants", 0, "advantage", "baseline"), "median"),
        (("cases", 0, "extra"), 1),
    ],
)
def test_the_schema_refuses_what_is_not_so(document, path, value):
    broken = copy.deepcopy(document)
    place = broken
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    assert faults(broken, SCHEMA, SCHEMA) != []


def test_the_page_lists_the_cases(document):
    page = (HOUSE / "docs" / "vectors.md").read_text(encoding="utf-8")
    kinds = ("objective", "divergence")
    listed = [line for line in page.splitlines() if line.startswith("| `") and line.split(" | ")[1] in kinds]
    rows = [f"| `{entry['id']}` | {entry['kind']} | {entry['about']} |" for entry in document["cases"]]
    assert listed == rows
    assert "FAIL pair / section-1: advantages[0][0]: got 0.707106781187, expected 1" in page
