"""Values of formulas that are looked for: what takes long is done only where it can be what is stated."""

from fractions import Fraction

import pytest
from grpocheck.verifier.disputes.values import Values, supplied

SLOPES = "derivative(sum(x * x), x)"


@pytest.mark.parametrize(("stated", "can"), [("6", False), (["2", "4"], False), (["2", "4", "6"], True)])
def test_slopes_are_counted_before_they_are_computed(stated: object, can: bool) -> None:
    """By three numbers there are three slopes, here 2x: a number, or two, are looked for elsewhere."""
    values = Values({"x": [Fraction(1), Fraction(2), Fraction(3)]}, supplied())
    assert values.has_count(stated, SLOPES, None) is values.may_be(stated, SLOPES, None) is can
    assert ((SLOPES, None) in values.rough) is can
