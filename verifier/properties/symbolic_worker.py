"""The process of a symbolic check: ``python -m grpocheck.verifier.properties.symbolic_worker``.

It loads CrossHair's model of exact reals, reads a request as JSON, explores one harness after the other, and prints
for each a line of JSON. It ends at the first that is not confirmed.
"""

import contextlib
import json
import os
import sys
import time
import traceback
from dataclasses import asdict
from typing import IO, Any

from grpocheck.contracts import clauses
from grpocheck.proofs.lifeline import end_with
from grpocheck.proofs.symbolic import worker  # noqa: F401 - loads CrossHair with the plugin, before all else
from grpocheck.proofs.symbolic.exploration import explore
from grpocheck.proofs.symbolic.harness import postconditions_of
from grpocheck.proofs.symbolic.received import let_symbolic_numbers_in
from grpocheck.proofs.symbolic.values import unfit_argument
from grpocheck.proofs.symbolic.verdicts import Finding, Verdict
from grpocheck.verifier.properties.checking import parse
from grpocheck.verifier.properties.runs import read_text
from grpocheck.verifier.properties.symbolic_model import harness_of, parts


def findings(request: dict[str, Any], stream: IO[str]) -> None:
    """Explore the harnesses of a request, each with its share of what is left of the budget."""
    stated, problem = parse(request["property"]), read_text(request["problem"])
    every = parts(stated, problem)
    let_symbolic_numbers_in()
    end = time.process_time() + request["budget"]
    for number, part in enumerate(every):
        share = (end - time.process_time()) / (len(every) - number)
        function = harness_of(stated, problem, part)
        fault = unfit_argument(function)
        if fault is not None:
            raise TypeError(f"harness of {part}: {fault}")
        found = Finding(Verdict.UNDECIDED, "the budget is spent")
        if share > 0:
            found = explore(function, postconditions_of(function)[0], ("grpocheck",), share)
        print(json.dumps({**asdict(found), "number": number, "of": len(every)}), file=stream, flush=True)
        if found.verdict is not Verdict.CONFIRMED:
            return


def main() -> None:
    """Answer one request; CrossHair's own output goes to the error stream."""
    stream = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        try:
            if clauses.ENABLED:
                raise RuntimeError(f"contracts are on: start the process with {clauses.SWITCH}=off")
            findings(json.loads(sys.stdin.read()), stream)
        except Exception as error:
            traceback.print_exc()
            failed = Finding(Verdict.ERROR, f"the check failed: {type(error).__name__}: {error}")
            print(json.dumps({**asdict(failed), "number": 0, "of": 0}), file=stream, flush=True)


if __name__ == "__main__":
    end_with(os.getppid())
    main()
