"""Properties of the update, stated by the user, parsed with a grammar of their own, and checked over a scope.

    from grpocheck.core import read_problem
    from grpocheck.verifier.properties import check

    result = check("F_next >= F", read_problem("examples/two_paths.toml"), scope="draws")
    print(result.verdict, result.counterexample)

docs/properties.md has the grammar, the names, the scopes, and what each verdict means.
"""

from grpocheck.verifier.properties.checking import Property, parse
from grpocheck.verifier.properties.child import CheckFailed
from grpocheck.verifier.properties.engine import check
from grpocheck.verifier.properties.errors import PropertyError
from grpocheck.verifier.properties.process import check_in_process
from grpocheck.verifier.properties.shelf import SHELF, Shelved
from grpocheck.verifier.properties.verdicts import Place, Result, Scope, Verdict

__all__ = [
    "SHELF",
    "CheckFailed",
    "Place",
    "Property",
    "PropertyError",
    "Result",
    "Scope",
    "Shelved",
    "Verdict",
    "check",
    "check_in_process",
    "parse",
]
