"""Numbers made of logarithms and exponentials that are exact, since what is not rational in them cancels."""

import time
from contextlib import suppress
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import TraceWriter, arithmetic_named, problem_from_mapping, run
from grpocheck.verifier import check
from grpocheck.verifier.check import Number, Verdict, number

TREE = {"vocabulary": ["a", "b", "."], "end": ".", "horizon": 2, "parameterisation": "masses"}
TREE |= {"forbidden": {"": ["."], "a": ["b"], "b": ["a"]}}  # type: ignore[dict-item]
RESPONSES = ("a a", "a .", "b b", "b .")


def exp(text: str) -> Number:
    return number(text).of("exp")


def ln(text: str) -> Number:
    return number(text).of("ln")


def half() -> Number:
    """1/2, as a quotient of sums that share no term."""
    return (exp("1") + ln("3")) / (number("2") * exp("1") + ln("3") * number("2"))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: half(), "1/2"),
        (lambda: exp("1") / (exp("1") + ln("3")) + ln("3") / (exp("1") + ln("3")), "1"),
        (lambda: half() * half() - half(), "-1/4"),
        (lambda: number("1") / (number("1") + number("1") / (half() + ln("7"))) - number("1")
            + number("1") / (number("1") + half() + ln("7")), "0"),  # x/(1+x) - 1 + 1/(1+x), x = 1/2 + ln 7
        (lambda: ln("2/3") + ln("3/2"), "0"),
        (lambda: (ln("2/3") * number("sqrt(2)") + number("1")) / (number("1") - number("sqrt(2)") * ln("3/2")), "1"),
        (lambda: (exp("1/3") + number("sqrt(2)")) / (number("sqrt(2)") * exp("1/3") + number("2")), "1/2*sqrt(2)"),
    ],
)  # fmt: skip
def test_what_cancels_is_seen_to_be_exact(made: Any, expected: str) -> None:
    assert (made() - number(expected)).sign() == 0
    assert (made() - number(expected) - number("1/" + "1" + "0" * 60)).sign() == -1


def test_a_sum_too_long_to_compute_with_is_still_written_out() -> None:
    # 60 exponentials are kept as one name; summed in the other order they are another name
    sizes = [f"1/{n}" for n in range(2, 62)]
    forth, back = number("0"), number("0")
    for one, other in zip(sizes, reversed(sizes), strict=True):
        forth, back = forth + exp(one), back + exp(other)
    assert forth.top != back.top  # the case that this is about
    assert (forth - back).sign() == 0
    assert (forth / back - number("1")).sign() == 0


@pytest.mark.parametrize("made", [lambda: half() - number("1/2"), lambda: ln("4") - ln("2") * number("2")])
def test_what_is_near_an_exact_number_is_not_taken_for_it(made: Any) -> None:
    tiny = number("1/" + "1" + "0" * 200)  # below what the first precision tells
    with pytest.raises(Verdict) as undecided:
        (made() + tiny).sign()
    assert undecided.value.args[0] == 3


def test_many_roots_take_little_time() -> None:
    # some thousand independent roots, each compared with all before it, took two hours for a megabyte
    numbers = list(range(2, 3002))
    before = time.process_time()
    whole = number(" + ".join(f"sqrt({n})" for n in numbers))
    assert time.process_time() - before < 20
    with localcontext(prec=120):
        assert whole.bounds[0] < sum(Decimal(n).sqrt() for n in numbers) < whole.bounds[1]
    some = number(" + ".join(f"sqrt({n})" for n in (2, 3, 5, 7, 11, 13, 17)))
    assert (some * some - some * some).sign() == 0
    with pytest.raises(Verdict, match="too long a product"):
        whole * whole
    assert number(f"sqrt({'4' * 19_999})").bounds[0] > 0
    with pytest.raises(Verdict):
        number(f"sqrt({'4' * 100_000})")


def test_long_radicands_take_little_time() -> None:
    # each product of two of these is looked at for a square: 25 of them took over a minute
    roots = number(" + ".join(f"sqrt({'7' * 2000}{n})" for n in range(10, 35)))
    assert len(roots.top) < 25  # some have one name
    before = time.process_time()
    with suppress(Verdict):
        roots * roots
    assert time.process_time() - before < 10


def test_masses_and_their_slopes_take_one_division(monkeypatch: pytest.MonkeyPatch) -> None:
    # the sum of the weights has as many derivatives as there are: divided by for each of 80 responses it took a minute
    divide, divisions = Number.__truediv__, []
    monkeypatch.setattr(Number, "__truediv__", lambda self, other: divisions.append(other) or divide(self, other))
    scores = [number(f"1/{n}") for n in range(2, 12)]
    for n, score in enumerate(scores):
        score.slope = {n: number("1")}
    masses = check.link(scores, 0)
    assert len(divisions) == 1
    with localcontext(prec=120):
        weights = [(Decimal(1) / n).exp() for n in range(2, 12)]
        first, second = weights[0] / sum(weights), weights[1] / sum(weights)
        slopes = (masses[0].slope[0], first * (1 - first)), (masses[0].slope[1], -first * second)
        for found, expected in ((masses[0], first), *slopes):
            assert found.bounds[0] < expected < found.bounds[1] < found.bounds[0] + Decimal("1e-70")


def test_functions_of_what_is_seen_to_be_exact_are_exact() -> None:
    nothing = half() + half() - number("1")
    assert (nothing.of("exp") - number("1")).top == {}
    assert (half() + half()).of("ln").top == {}


def test_a_long_quotient_is_not_taken_for_its_numerator() -> None:
    whole = number("0")
    for n in range(2, 34):  # as many as are still no name
        whole += exp(f"1/{n}")
    quotient = whole / number(f"1/1{6000 * '0'} + sqrt(2)")
    assert len(whole.top) > len(quotient.top) == 1  # the case that this is about
    assert check.expanded((quotient - whole).top)


def test_a_sum_that_would_take_too_long_is_undecided() -> None:
    # without denominators, 10 products of nine sums of ten terms each
    nothing = number("0")
    for n in range(10):
        whole = number("1")
        for m in range(2, 11):
            whole += exp(f"1/{10 * n + m}")
        nothing += number("1") / whole - number("2") / (whole + whole)
    with pytest.raises(Verdict, match="too long a sum"):
        nothing.sign()


def traced(path: Path, theta: list[str], reference: list[str], rewards: list[str], drawn: list[list[str]]) -> list[str]:
    """The lines of a run of two iterations; theta holds the masses of a, of a after a, and of b after b."""
    mapping = {"group_size": 2, "outer_iterations": 2, "inner_steps": 1, "epsilon": "1/2", "beta": "1"}
    mapping |= {"step_sizes": [["1/10"], ["1/20"]], "theta": theta, "family": "autoregressive", "generation": TREE}
    tables = (dict(zip(RESPONSES, values, strict=True)) for values in (rewards, reference))
    mapping |= {"prompts": [{"name": "q", **dict(zip(("rewards", "reference"), tables, strict=True))}]}
    mapping |= {"draws": {"recorded": [[group] for group in drawn]}}
    with TraceWriter(path) as writer:
        run(problem_from_mapping(mapping), arithmetic=arithmetic_named("enclosure"), observer=writer)
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def test_a_gradient_whose_divergence_has_no_part_in_it(tmp_path: Path) -> None:
    # After a, the reference is two to one and theta is; after b it is 5/12 to 1/3 and theta is 5/9 to 4/9: the same. So
    # the divergence moves the mass of a alone, and that becomes irrational. In the second iteration "b ." has advantage
    # 1 and "b b" -1, ratio 1 each: by the mass of b after b the gradient is -(1/(4/9) + 1/(5/9)) / 2.
    path = tmp_path / "trace.jsonl"
    theta, reference = ["2/3", "2/3", "5/9"], ["1/6", "1/12", "5/12", "1/3"]
    lines = traced(path, theta, reference, ["1/3", "1", "0", "1"], [["a a", "a a"], ["b .", "b b"]])
    expected = -(Fraction(9, 4) + Fraction(9, 5)) / 2
    (place,) = (n for n, line in enumerate(lines) if '"gradient", "t": 2' in line)
    assert lines[place].endswith(f'"0", "{expected}"]}}\n')
    assert check.check(str(path))[0] == 0
    wrong = expected + Fraction(1, 10**60)
    lines[place] = lines[place].replace(f'"{expected}"', f'"{wrong}"')
    path.write_text("".join(lines), encoding="utf-8")
    status, why = check.check(str(path))
    assert (status, why.partition(":")[0]) == (1, f"line {place + 1}")
