"""grpocheck: the finite-budget group-relative policy update, executable, exact and contract-checked."""

__version__ = "0.1.0"
