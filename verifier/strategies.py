"""Hypothesis strategies for whole problems, supplies and traces, for other people's tests (needs hypothesis)."""

from grpocheck.proofs.strategies import mass_functions, problems, supplies, traces

__all__ = ["mass_functions", "problems", "supplies", "traces"]
