"""The process that checks one postcondition: ``python -m grpocheck.proofs.symbolic.worker MODULE FUNCTION N SECONDS``.

One process each, because importing CrossHair switches icontract off, and because nothing may be carried from one check
to the next. N counts the function's postconditions from the top, from 0; the finding is printed as one line of JSON.
The process has to be started with contracts off: those of core would run again at every call inside a harness.
"""

import contextlib
import importlib
import json
import os
import sys
import time
import traceback
from dataclasses import asdict, replace
from operator import attrgetter

import crosshair.core_and_libs
from grpocheck.contracts import clauses
from grpocheck.proofs.lifeline import end_with
from grpocheck.proofs.symbolic.exploration import explore
from grpocheck.proofs.symbolic.harness import fault, postconditions_of
from grpocheck.proofs.symbolic.received import let_symbolic_numbers_in
from grpocheck.proofs.symbolic.verdicts import Finding, Verdict


def finding(module: str, name: str, position: int, seconds: float) -> Finding:
    """Check one postcondition."""
    if "grpocheck" not in crosshair.core_and_libs.installed_plugins:
        return Finding(Verdict.ERROR, "the model of exact reals is not registered: install the distribution")
    if clauses.ENABLED:
        return Finding(Verdict.ERROR, f"contracts are on: start the process with {clauses.SWITCH}=off")
    function = attrgetter(name)(importlib.import_module(module))
    found = fault(function)
    if found is not None:
        return Finding(Verdict.ERROR, found)
    let_symbolic_numbers_in()
    packages = ("grpocheck", module.partition(".")[0])
    return explore(function, postconditions_of(function)[position], packages, seconds)


def main(module: str, name: str, position: str, seconds: str) -> None:
    """Print the finding; CrossHair's own output goes to the error stream."""
    started = time.process_time()
    with contextlib.redirect_stdout(sys.stderr):
        try:
            found = finding(module, name, int(position), float(seconds))
        except Exception as error:
            traceback.print_exc()
            found = Finding(Verdict.ERROR, f"the check failed: {type(error).__name__}: {error}")
    print(json.dumps(asdict(replace(found, seconds=time.process_time() - started))))


if __name__ == "__main__":
    end_with(os.getppid())
    main(*sys.argv[1:])
