"""Properties for the page: the shelf of ready ones, and the check of one over a scope."""

from collections.abc import Mapping
from typing import Any

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.verifier.properties import SHELF, Scope, check, check_in_process
from grpocheck.verifier.studio.security import CHECK_SECONDS, MOST_PROPERTY


def checked(problem: Problem, request: Mapping[str, Any]) -> dict[str, Any]:
    """Check the property of a request over its scope. Raises PropertyError for a text that is none.

    A scope that goes through symbolic execution has a process of its own, since that changes its process. The others
    are answered at once in the lane's, and an operation that goes on past the budget ends with that.
    """
    stated, scope = request.get("property"), request.get("scope", Scope.RUN.value)
    if not isinstance(stated, str):
        raise InvalidProblem("property", stated, "the text of a property")
    if len(stated) > MOST_PROPERTY:
        raise InvalidProblem("property", stated, f"at most {MOST_PROPERTY} characters")
    if scope not in list(Scope):
        raise InvalidProblem("scope", scope, f"one of {', '.join(Scope)}")
    checker = check_in_process if scope == Scope.SHAPE else check
    return checker(stated, problem, scope, CHECK_SECONDS).to_mapping()


def shelf() -> list[dict[str, Any]]:
    """The ready properties, each with its problem, its scope, and the verdict that it is known to have."""
    return [
        {
            "name": entry.name,
            "claim": entry.claim,
            "says": entry.title,
            "property": entry.property,
            "problem": entry.problem_text,
            "scope": entry.scope.value,
            "verdict": entry.verdict.value,
            "reference": entry.reference,
        }
        for entry in SHELF.values()
    ]
