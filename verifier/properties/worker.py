"""The process of a check: ``python -m grpocheck.verifier.properties.worker``.

It reads a request as JSON and answers with lines of JSON: that it has started, how far it is, and at last the result,
or why there is none. Its memory is bounded, and so is its time: it ends even where who asked is gone.
"""

import json
import math
import os
import resource
import sys
import time
from typing import IO, Any

from grpocheck.contracts.clauses import ContractViolation
from grpocheck.proofs.lifeline import end_with
from grpocheck.verifier.isolation.memory import bound_addresses
from grpocheck.verifier.properties.engine import check, prepared
from grpocheck.verifier.properties.process import GRACE, ended
from grpocheck.verifier.properties.runs import read_text

MOST_MEMORY = 4 * 2**30
"""Bytes that a check may take, where the system allows no fewer."""
TELLING = 0.1
"""Seconds between two reports of how far it is."""


def memory() -> int:
    """The bytes that this process may take."""
    return resource.getrlimit(resource.RLIMIT_AS)[0]


def say(message: dict[str, Any], stream: IO[str]) -> None:
    """Print a line of JSON."""
    print(json.dumps(message), file=stream, flush=True)


def answered(request: dict[str, Any], stream: IO[str]) -> dict[str, Any]:
    """The last message of a check."""
    last = [0.0]

    def progress(done: int, total: int) -> None:
        if time.monotonic() - last[0] > TELLING or done == total > 0:
            last[0] = time.monotonic()
            say({"progress": [done, total]}, stream)

    try:
        problem = read_text(request["problem"])
        result = check(request["property"], problem, request["scope"], request["budget"], progress)
    except ContractViolation as violation:
        return {"violation": str(violation)}
    except MemoryError:
        found, within = prepared(request["property"], problem, request["scope"])
        return {"result": ended(found, within, f"more than {memory()} bytes of memory", 0.0).to_mapping()}
    except Exception as error:
        return {"failure": f"{type(error).__name__}: {error}"}
    return {"result": result.to_mapping()}


def bound_time(budget: float) -> None:
    """Let the system end this process some time after its budget, should nobody be left to do so."""
    least, most = resource.getrlimit(resource.RLIMIT_CPU)
    seconds = math.ceil(time.process_time() + budget + GRACE) + 1
    if least == resource.RLIM_INFINITY or seconds < least:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, most))


def main() -> None:
    """Read a request, check, and answer; what else is printed on the way goes to the error stream."""
    stream, sys.stdout = sys.stdout, sys.stderr
    bound_addresses(MOST_MEMORY)
    say({"started": True}, stream)
    request = json.loads(sys.stdin.read())
    bound_time(request["budget"])
    say(answered(request, stream), stream)


if __name__ == "__main__":
    end_with(os.getppid())
    main()
