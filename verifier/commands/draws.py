"""The command ``draws``: whether the draws of traces have the policy's law."""

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import rational
from grpocheck.verifier.failures import REFUTED, UNDECIDED, BadOption, emit
from grpocheck.verifier.isolation.stdout import stdout_kept
from grpocheck.verifier.supplied.draw_law import SUSPICIONS, UNIT, LawTest, Verdict, law_of
from grpocheck.verifier.supplied.draws_seen import decimal_above, draws_of_traces
from grpocheck.verifier.supplied.loading import load_supply
from grpocheck.verifier.tables import drawn, table
from rich.console import RenderableType
from rich.text import Text

STATUSES = {Verdict.CONSISTENT: 0, Verdict.REJECTED: REFUTED, Verdict.NOT_ENOUGH: UNDECIDED}
IN_WORDS = {
    Verdict.CONSISTENT: "nothing in these draws speaks against the law of the frozen policy at this level",
    Verdict.REJECTED: "the draws do not have the law of the frozen policy, or are not independent",
    Verdict.NOT_ENOUGH: "so few draws tell nothing: each sequence of so many has a probability above alpha, so that "
    "no test of this level can reject any",
}


def read_alpha(option: str, stated: str) -> Fraction:
    """The error probability that was asked for. Raises BadOption for what is no number between 0 and 1."""
    expected = "an error probability between 0 and 1, such as 1e-6 or 1/20"
    try:
        alpha = rational(option, stated)
    except InvalidProblem as error:
        raise BadOption(option, stated, "it is no number", expected) from error
    if not 0 < alpha < 1:
        raise BadOption(option, stated, "it is no probability that an error can have", expected)
    return alpha


def judge_draws(traces: Sequence[Path], alpha: str, supply_name: str | None, as_json: bool) -> int:
    """Print the verdict on the draws of traces; 0 consistent, 1 rejected, 3 too few."""
    level = read_alpha("--alpha", alpha)
    if len({file_of(trace) for trace in traces}) != len(traces):
        raise BadOption("TRACE", ", ".join(map(str, traces)), "a trace is named twice", "different traces")
    with stdout_kept():
        supply = load_supply(supply_name) if supply_name is not None else None
        test = law_of(draws_of_traces(traces, supply), level)
    emit(json.dumps(mapping_of(test), indent=2) if as_json else drawn(parts_of(test)))
    return STATUSES[test.verdict]


def file_of(trace: Path) -> object:
    """The file itself, whatever the names are that it goes by; its path where there is none, which reading it says."""
    try:
        found = trace.stat()
    except (OSError, ValueError):
        return trace
    return found.st_dev, found.st_ino


def mapping_of(test: LawTest) -> dict[str, object]:
    """The verdict as JSON; the p-value is an upper bound."""
    return {
        "verdict": test.verdict.value,
        "alpha": str(test.alpha),
        "draws": test.draws,
        "rejected_after": test.rejected_after,
        "p_value_at_most": decimal_above(test.p_value),
        "suspicions": {name: str(Fraction(test.capital[name], UNIT).limit_denominator(10**6)) for name in SUSPICIONS},
        "claim": "G3",
    }


def parts_of(test: LawTest) -> list[RenderableType]:
    """The verdict for people."""
    rows = table("the draw is suspected of depending on", "evidence against the law, as a factor")
    for name in sorted(SUSPICIONS, key=lambda name: -test.capital[name]):
        rows.add_row(name, factor_in_words(test.capital[name]))
    seen = f"{test.draws} draws" + (", the last of which settled it" if test.rejected_after is not None else "")
    return [
        Text(f"{test.verdict.value}: {IN_WORDS[test.verdict]}", style="bold"),
        Text(f"{seen}; alpha {test.alpha}; p-value at most {decimal_above(test.p_value)} (claim G3)"),
        Text(""),
        rows,
    ]


def factor_in_words(capital: int) -> str:
    """A factor to three digits."""
    if capital >= UNIT:
        digits, place = capital // UNIT, 0
        while digits >= 1000:
            digits, place = digits // 10, place + 1
        return f"{digits}e{place}" if place else f"{digits}.{capital * 100 // UNIT % 100:02}"
    return "0" if capital == 0 else f"below {decimal_above(Fraction(capital, UNIT))}"
