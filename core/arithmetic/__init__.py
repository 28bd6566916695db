"""The supplied arithmetic of section 1: exact numbers, certified enclosures, mpmath numbers."""

from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.mp import MpArithmetic
from grpocheck.core.arithmetic.notation import digits, exact_text, parse_exact
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.arithmetic.surd import Surd

__all__ = [
    "Arithmetic",
    "DigitBudgetExceeded",
    "EnclosureArithmetic",
    "ExactArithmetic",
    "MpArithmetic",
    "NotExact",
    "Real",
    "Scalar",
    "Surd",
    "UndecidedComparison",
    "digits",
    "enclose",
    "exact_text",
    "parse_exact",
]
