"""The sixteen public disputes: our number is the right one, the fault's variant gives the wrong one."""

import json
from copy import deepcopy
from fractions import Fraction as F
from pathlib import Path

import pytest
from grpocheck.core.arithmetic import parse_exact
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.kinds_kl import KINDS
from grpocheck.verifier.disputes.public import file_name, is_enclosure, main, methods_page, page, settle
from mpmath import mp, mpf

CASES = json.loads((Path(__file__).parent.parent / "data" / "cases.json").read_text(encoding="utf-8"))
BY_ID = {case["id"]: case for case in CASES}


@pytest.fixture(scope="module")
def disputes():
    return {case["id"]: settle(case) for case in CASES}


def test_there_are_sixteen():
    assert len(CASES) == len(BY_ID) == 16
    assert all(known.fits(case["input"]) for case, known in zip(CASES, KINDS.values(), strict=True))


def test_a_case_is_of_its_kind_by_its_keys_and_not_by_its_id(disputes):
    for identifier in ("C06", "C10", "C21"):
        other = settle({**BY_ID[identifier], "id": "any"})
        assert other.commands == disputes[identifier].commands != ()


def numbers_of(values, prefix=""):
    """The names of everything that a case states as numbers."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from numbers_of(value, f"{prefix}{key}.")
        elif key not in ("convention", "rule", "claim", "equals", "closed_form", "k3_equals"):
            yield prefix + key


@pytest.mark.parametrize("identifier", BY_ID)
def test_every_number_of_a_case_comes_out(disputes, identifier):
    case = BY_ID[identifier]
    stated = {(side, name) for side in ("right", "wrong") for name in numbers_of(case[side])}
    lines = disputes[identifier].lines
    assert {(line.side, line.name) for line in lines if line.side != "also"} == stated
    for line in lines:
        assert line.agrees, (line.side, line.name, line.stated, line.found)


@pytest.mark.parametrize("identifier", BY_ID)
def test_rational_values_are_equal_exactly(disputes, identifier):
    def rationals(stated, found):
        if isinstance(stated, list):
            return [pair for a, b in zip(stated, found, strict=True) for pair in rationals(a, b)]
        return [(F(stated), parse_exact(found))] if isinstance(stated, str) else []

    pairs = [pair for line in disputes[identifier].lines for pair in rationals(line.stated, line.found)]
    assert all(a == b for a, b in pairs)


def found(dispute, side, name):
    return next(line.found for line in dispute.lines if (line.side, line.name) == (side, name))


def close(entry, expected):
    """An exact number, or both ends of an enclosure, to 1e-40."""
    ends = entry if is_enclosure(entry) else [entry]
    return all(abs((mpf(F(end).numerator) / F(end).denominator) - expected) < mpf(10) ** -40 for end in ends)


def gradient_by_logits(p, coefficient):
    """sum_y p_y c_y grad log p(y) by logits."""
    whole = sum(m * c for m, c in zip(p, coefficient, strict=True))
    return [m * (c - whole) for m, c in zip(p, coefficient, strict=True)]


def test_the_gradients_of_the_estimates_come_out_to_forty_digits(disputes):
    mp.dps = 60
    pi, ref, old = ([mpf(F(x).numerator) / F(x).denominator for x in BY_ID["C19"]["input"][key]]
                    for key in ("pi", "ref", "old"))
    logs = [mp.log(p / q) for p, q in zip(pi, ref, strict=True)]
    divergence = gradient_by_logits(pi, logs)
    # of a single k2 the gradient is l grad log pi; its mean under the old policy by logits: old_j l_j - pi_j sum old l
    mean = sum(m * l for m, l in zip(old, logs, strict=True))  # noqa: E741
    stale_k2 = [o * l - p * mean for o, l, p in zip(old, logs, pi, strict=True)]  # noqa: E741
    expected = {
        ("right", "grad_reverse_KL"): divergence,
        ("right", "on_policy_k2"): divergence,
        ("right", "off_policy_weighted_k2"): divergence,
        ("wrong", "off_policy_k2"): stale_k2,
    }
    for (side, name), vector in expected.items():
        assert all(close(a, b) for a, b in zip(found(disputes["C19"], side, name), vector, strict=True))


def test_the_other_irrational_values_come_out_to_forty_digits(disputes):
    mp.dps = 60
    log2 = mp.log(2)
    assert close(found(disputes["C21"], "right", "E_k3"), log2 / 4)
    assert close(found(disputes["C21"], "wrong", "E_reversed"), mpf(3) / 8 - log2 / 4)
    p = mpf(999) / 1000
    divergence = p * mp.log(2 * p) + (1 - p) * mp.log(2 * (1 - p))
    assert close(found(disputes["C27"], "right", "KL"), divergence)
    assert close(found(disputes["C27"], "right", "E_k3_unclamped"), divergence)
    clamped = p * (1 / (2 * p) - 1 + mp.log(2 * p)) + 10 * (1 - p)
    assert close(found(disputes["C27"], "wrong", "E_k3_clamped"), clamped)
    # C22: p (1 - p) (1 - beta log(pi_0/ref_0) + beta log(pi_1/ref_1)) = 2/9 (1 - log 2)
    assert close(found(disputes["C22"], "right", "expected_gradient_both"), mpf(2) / 9 * (1 - log2))
    for order, advantage in (("before", 1 - log2), ("after", 1 - log2 / 2)):
        assert close(found(disputes["C22"], "wrong", f"advantages_on_draw_0_1.{order}")[0], advantage)


def test_c06_is_exact(disputes):
    assert found(disputes["C06"], "wrong", "mean_centred_G2") == ["1/8", "-1/12", "-1/24"]
    assert found(disputes["C06"], "right", "leave_one_out_G2") == ["1/4", "-1/6", "-1/12"]


# other cases of the same kinds, their values worked out by hand
OTHERS = [
    # sample deviation of 2, 0: sqrt 2; population 1
    ("sample-or-population", {"G": 2, "rewards": [2, 0], "eps_std": 0},
     {"right": {"advantages": ["1/2*sqrt(2)", "-1/2*sqrt(2)"]}, "wrong": {"advantages": ["1", "-1"]}}),
    # centred at G = 3: two thirds; twice the size, five sixths; gradient of p (1 - p) = 2/9 times 2
    ("self-including-baseline", {"p": ["1/3", "2/3"], "r": ["2", "0"], "G": 3},
     {"right": {"true_gradient": ["4/9", "-4/9"], "leave_one_out_G3": ["4/9", "-4/9"]},
      "wrong": {"mean_centred_G3": ["8/27", "-8/27"], "mean_centred_G6": ["10/27", "-10/27"]}}),
    ("minimum-before-product", {"eps": "1/10", "A": 2, "ratios": ["1/2", "2"]},
     {"right": {"surrogate": ["1", "11/5"], "d_dr": ["2", "0"]}, "wrong": {"surrogate": ["1", "11/5"],
                                                                         "d_dr": ["2", "0"]}}),
    ("clip-fraction", {"eps": "3/10", "tokens": [{"r": "6/5", "A": 1}, {"r": "1/2", "A": -1}]},
     {"right": {"binding_fraction": "1/2"}, "wrong": {"inverted_test": "0", "range_only_test": "1/2"}}),
    # three tokens, mu 1/3 and pi 1/2: (1/2)^3; the geometric mean weighs (1, 1, 1) by 3/2 instead of 27/8
    ("product-or-geometric-mean",
     {"T": 3, "token_alphabet": 2, "mu": "iid P(1)=1/3", "pi": "iid P(1)=1/2", "reward": "1 on (1,1,1), else 0"},
     {"right": {"E_pi_r": "1/8", "product_weight": "1/8", "E_mu_w": "1"},
      "wrong": {"geometric_mean_weight": "1/18", "E_mu_w": (2 / 3 * 0.75 ** (1 / 3) + 1 / 3 * 1.5 ** (1 / 3)) ** 3}}),
    # lengths 1 and 4, G = 3, one right answer of 1/2: true gradient 1/4; by own length (1/8)(1 + 1/4)
    ("length-bias", {"p": ["1/2", "1/2"], "r": ["1", "0"], "lengths": [1, 4], "G": 3},
     {"right": {"true_gradient": ["1/4", "-1/4"], "constant_divisor_4": ["1/16", "-1/16"]},
      "wrong": {"per_response_mean": ["5/32", "-5/32"]}}),
    # G = 2: centred 1/2 of the gradient, over 2 questions 1/4; mixed with probability 1/2 and 3/8
    ("resampling", {"questions": ["Bernoulli 1/2", "Bernoulli 1/4"], "r": [1, 0], "G": 2, "batch": 2},
     {"right": {"fixed_divisor": ["1/4", "1/4"], "ratio_hard_to_easy": "1"},
      "wrong": {"mean_over_kept": ["13/32", "3/8"], "ratio": "13/12", "backfill": ["1/2", "2/3"],
                "ratio_backfill": "3/4"}}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "given", "values"), OTHERS, ids=[kind for kind, *_ in OTHERS])
def test_other_cases_of_the_same_kinds(kind, given, values):
    dispute = settle({"id": "other", "kind": kind, "input": given, **values})
    for line in dispute.lines:
        assert line.agrees, (line.side, line.name, line.stated, line.found)


def test_a_number_that_no_command_gives_is_refused_of_a_kind_that_is_named():
    case = {**deepcopy(BY_ID["C16"]), "kind": "which-ratio"}
    case["right"]["geometric_mean"] = ["1", "11/10"]
    with pytest.raises(InvalidProblem, match=r"C16\.right\.geometric_mean"):
        settle(case)
    given = {**BY_ID["C14"]["input"], "draws": [0, 0]}
    with pytest.raises(InvalidProblem, match="one advantage for each response"):
        settle({**BY_ID["C14"], "kind": "ratio-always-one", "input": given})
    with pytest.raises(InvalidProblem, match="which-ratio"):
        settle({**BY_ID["C14"], "kind": "which-ratios"})


def test_a_number_that_is_not_the_cases_is_reported():
    case = deepcopy(BY_ID["C06"])
    case["right"]["leave_one_out_G2"] = ["1/8", "-1/12", "-1/25"]
    dispute = settle({**case, "kind": "self-including-baseline"})
    assert not dispute.settled
    assert "1/4, -1/6, -1/12 **differs**" in page([dispute], "examples/disputes")
    assert "1/4, -1/6, -1/12 **differs**" in page([settle(case)], "examples/disputes")


@pytest.mark.parametrize("stated", [None, [None, None], ["-4/5", None], "nan", {"a": 1}, ["-4/5", "-5", "0"]])
def test_a_null_is_not_whatever_the_command_gives(stated):
    case = deepcopy(BY_ID["C10"])
    case["right"]["surrogate"] = stated
    assert not settle(case).settled


def test_the_committed_page_and_files_are_what_the_run_gives(disputes):
    house = Path(__file__).parent.parent.parent
    settled = list(disputes.values())
    assert (house / "docs" / "disputes.md").read_text(encoding="utf-8") == page(settled, "examples/disputes")
    assert (house / "docs" / "methods.md").read_text(encoding="utf-8") == methods_page()
    for dispute in settled:
        for name, text in dispute.files.items():
            path = house / "examples" / "disputes" / file_name(dispute.case, name)
            assert path.read_text(encoding="utf-8") == text


def test_the_command_writes_them_and_refuses_what_are_no_cases(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cases.json").write_text(json.dumps([BY_ID["C16"], BY_ID["C12"]]))
    assert main(["--cases", "cases.json"]) == 0
    assert "C16 settled" in capsys.readouterr().out
    assert "17/20, 11/10" in (tmp_path / "docs" / "disputes.md").read_text()
    assert "tic-surrogate" in (tmp_path / "docs" / "methods.md").read_text()
    assert sorted(path.name for path in (tmp_path / "examples" / "disputes").iterdir()) == [
        "C12-group.toml",
        "C16-group.toml",
    ]
    (tmp_path / "cases.json").write_text(json.dumps([{**BY_ID["C16"], "right": {"token_level": ["1", "2"]}}]))
    assert main(["--cases", "cases.json"]) == 1
    (tmp_path / "cases.json").write_text(json.dumps([{**BY_ID["C16"], "kind": "which"}]))
    assert main(["--cases", "cases.json"]) == 2
    assert main(["--cases", "absent.json"]) == 2
    assert "absent.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("stated", "word"),
    [(2e-10, "settled"), (2.1e-10, "differs"), (2e-10 + 1e-16, "settled"), (2e-10 - 2e-13, "differs")],
)
def test_a_small_float_is_compared_by_its_own_size(stated, word):
    """A third of 1e-10 + 2e-10 + 3e-10 is 2e-10: what is off by 2e-13 is off in the third digit."""
    case = {"id": "any", "input": {"losses": [[1e-10, 2e-10], [3e-10]]}, "right": {"token_mean": stated}}
    assert settle(case).word == word
