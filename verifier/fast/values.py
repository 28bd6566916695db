"""What an evaluation gives: F_t and its gradient, with bounds."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Certified:
    """F_t and its gradient at theta, each within a bound of the exact one.

    ``gradient`` has a row for each prompt (the coordinates of its logits); ``gradient_error`` bounds every entry.
    ``scale`` is the sum of the absolute terms of F_t (which itself can be 0), ``largest`` the largest absolute entry of
    the gradient: what the errors are read beside. ``method`` is float64; CertifiedBalls is the same for balls, whose
    numbers are Fractions.
    """

    objective: Any
    objective_error: Any
    gradient: Any
    gradient_error: Any
    scale: Any
    largest: Any
    method: str

    def reaches(self, digits: int) -> bool:
        """Whether both errors are at most 10^-digits of what they are read beside."""
        share = 10.0**-digits
        return bool(self.objective_error <= share * self.scale and self.gradient_error <= share * self.largest)
