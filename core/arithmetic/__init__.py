"""The supplied arithmetic of section 1: exact numbers, certified enclosures, mpmath numbers."""

from grpocheck.core.arithmetic.errors import DigitBudgetExceeded, NotExact, UndecidedComparison
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.notation import digits, exact_text, parse_exact
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.arithmetic.surd import Surd

__all__ = [
    "Arithmetic",
    "DigitBudgetExceeded",
    "ExactArithmetic",
    "NotExact",
    "Scalar",
    "Surd",
    "UndecidedComparison",
    "digits",
    "exact_text",
    "parse_exact",
]
