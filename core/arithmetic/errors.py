"""What an arithmetic raises when it cannot answer: never a rounded yes."""

from grpocheck.contracts.clauses import ensure, require


class NotExact(ArithmeticError):  # noqa: N818 - what happened, in the words of the definition
    """The value is no rational and no sum of square roots of rationals; enclosures hold it."""


class DigitBudgetExceeded(ArithmeticError):  # noqa: N818 - what happened, in the words of the definition
    """An exact number or its reciprocal needs ``digits`` digits, more than the ``budget``."""

    @require(lambda digits, budget: digits > budget > 0, "the budget is exceeded")
    @ensure(lambda self, budget: f"{budget}" in str(self), "the message names the budget")
    def __init__(self, digits: int, budget: int) -> None:
        """Record by how much the budget was exceeded."""
        super().__init__(
            f"exact numbers need about {digits} digits (the number or its reciprocal), more than the budget of "
            f"{budget}: raise --max-digits, or choose --arithmetic enclosure"
        )
        self.digits = digits
        self.budget = budget


class UndecidedComparison(ArithmeticError):  # noqa: N818 - the field's word
    """Two expressions whose enclosures still meet at the stated precision: equal or very close, and not decided."""

    @require(lambda bits: bits > 0, "a precision was tried")
    @ensure(lambda self, left, right: left in str(self) and right in str(self), "the message names both expressions")
    def __init__(self, left: str, right: str, enclosures: tuple[str, str], bits: int) -> None:
        """Name the two expressions, what is known of each, and the precision that did not suffice."""
        super().__init__(
            f"not decided at {bits} bits: {left} against {right}; the first is in {enclosures[0]}, the second in "
            f"{enclosures[1]}"
        )
        self.left = left
        self.right = right
        self.enclosures = enclosures
        self.bits = bits
