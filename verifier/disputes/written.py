"""Numbers as people write them in texts: ln 2, (1/2) ln 2, e^-0.5, sqrt 3, 5%, 3/2 - ln 2, with signs of any kind.

A text is first taken as a formula, as it stands; what is written here is what else can be one number. Where two
readings are possible, as of ln 3/2, it is none.
"""

import re
from typing import Any

from grpocheck.core.arithmetic import Arithmetic
from grpocheck.core.invalid import InvalidProblem
from grpocheck.verifier.disputes.formulas import evaluator

SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\u00d7": "*", "\u00b7": "*", "\u22c5": "*", "\u00f7": "/",
                       "\u00b2": "^2", "\u00b3": "^3"})  # fmt: skip
NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
ONE = rf"(?:{NUMBER}|\([^()]*\))"
FUNCTION = r"(?:log|exp|sqrt)"
PERCENT = re.compile(rf"([+-]?{NUMBER})\s*%")
AMBIGUOUS = re.compile(rf"{FUNCTION}\s*{NUMBER}\s*(/|\^|\*\*)")
LONGEST = 200


def formula_of(text: str) -> str | None:
    """A text as a formula in the notation of formulas; None where it has two readings, or is no short text."""
    written = text.strip().translate(SIGNS)
    if not written or len(written) > LONGEST:
        return None
    if match := PERCENT.fullmatch(written):
        return f"({match[1]}) / 100"
    if re.search(r"log[0-9]", written):
        return None  # to the base 2, or of 2
    written = re.sub("\u221a", " sqrt ", written)
    written = re.sub(r"(?<![A-Za-z_])ln(?![A-Za-z_])", "log", written)
    if re.search(rf"(?<![A-Za-z_0-9.])e\s*(?:\^|\*\*)\s*[+-]?{NUMBER}\s*/", written):
        return None
    written = re.sub(rf"(?<![A-Za-z_])e\s*(?:\^|\*\*)\s*({ONE}|[+-]\s*{NUMBER})", r"exp(\1)", written)
    if AMBIGUOUS.search(written):
        return None
    written = re.sub(rf"(?<![A-Za-z_])({FUNCTION})\s*({NUMBER})", r"\1(\2)", written)
    if not re.search(FUNCTION, written):
        return written
    written = re.sub(rf"(?<![A-Za-z_0-9.])({NUMBER})\s*(?={FUNCTION}|\()", r"\1*", written)
    return re.sub(rf"\)\s*(?={FUNCTION}|\(|[0-9])", ")*", written)


def number_in(text: str, arithmetic: Arithmetic) -> Any:
    """The number, or the list of numbers, that a text states; raises InvalidProblem for a text that states none."""
    try:
        return evaluator({}, arithmetic).evaluate(text)
    except InvalidProblem:
        formula = formula_of(text)
        if formula is None:
            raise
        return evaluator({}, arithmetic).evaluate(formula)
