"""Certified values of F_t and its gradient at the speed of floating point: a filter, and balls where it cannot decide.

    from grpocheck.core import read_problem
    from grpocheck.verifier.fast import Evaluator, batch_of

    evaluator = Evaluator(batch_of(read_problem("problem.toml")))
    value = evaluator.at(theta, digits=12)      # theta: one list of logits for each prompt
    value.objective, value.objective_error      # abs(F_t(theta) - objective) <= objective_error

docs/fast.md has the error analysis, what it trusts, and how that trust is tested.
"""

from grpocheck.verifier.fast.batch import Batch, batch_of
from grpocheck.verifier.fast.evaluator import Evaluator
from grpocheck.verifier.fast.values import Certified

__all__ = ["Batch", "Certified", "Evaluator", "batch_of"]
