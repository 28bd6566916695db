"""The pytest plugin: a fixture that holds a loss function against a variant.

def test_loss(grpo_conformance):
    grpo_conformance.check(my_loss, variant="dr_grpo")

What it needs is imported when it is used: installing grpocheck costs other tests nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from grpocheck.verifier.conform.conforming import Conformance


class GrpoConformance:
    """What the fixture hands to a test."""

    def check(
        self,
        loss: Callable[..., Any],
        variant: str | None = None,
        *,
        parts: Sequence[str] = (),
        epsilon: Any = None,
        beta: Any = None,
        maximum_length: int | None = None,
        group_size: int = 4,
        arrays: str = "auto",
        precision: str | None = None,
        up_to_scale: bool = False,
        strict: bool = False,
    ) -> Conformance:
        """Fail the test unless the loss is the variant, with the smallest input on which it is not.

        ``loss`` is called with (new_logps, old_logps, ref_logps, advantages or rewards, mask). Without a
        variant it has to be one of those there are. ``strict`` lets inputs beyond the ordinary range count, too.
        Returns the report.
        """
        __tracebackhide__ = True
        from grpocheck.core.invalid import InvalidProblem
        from grpocheck.verifier.conform.conforming import conform
        from grpocheck.verifier.conform.report import lines_of
        from grpocheck.verifier.conform.targets import target_of
        from grpocheck.verifier.conform.wanted import numbers_of
        from grpocheck.verifier.failures import BadOption
        from grpocheck.verifier.recompute import BadSetting

        refused = ""
        try:
            target = target_of(loss, None, arrays, precision, group_size)
            numbers = numbers_of(epsilon, beta, maximum_length)
            found = conform(target, variant, parts, numbers, up_to_scale)
        except (BadOption, BadSetting, InvalidProblem) as error:
            refused = f"grpo_conformance.check: {error}"
        if refused:  # outside the handler: the test fails for one reason and shows no other
            pytest.fail(refused, pytrace=False)
        if found.verdict != "conforms" or (strict and found.limits):
            pytest.fail("\n".join(lines_of(found)), pytrace=False)
        return found


@pytest.fixture
def grpo_conformance() -> GrpoConformance:
    """Checks of loss functions against the objectives they should be."""
    return GrpoConformance()
