"""What a run stands on in its process, as one value: compared before and after every call of a supplied oracle.

Only what the run itself depends on is here. The state of random, decimal and mpmath's own contexts is not: the run
reads none of them (draws are bits of SHA-256, precision is handed to every function of mpmath.libmp).
"""

import os
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

from grpocheck.contracts.clauses import ensure, require


@dataclass(frozen=True)
class Surroundings:
    """The process, as far as a run depends on it; the working directory is None where it is gone."""

    recursion_limit: int
    digits_of_integer_texts: int
    working_directory: str | None
    interrupt_handler: object

    @require(lambda before: before.recursion_limit > 0, "an earlier state of a process")
    @ensure(lambda self, before, result: result is not None or self.recursion_limit == before.recursion_limit, "told")
    def changed_since(self, before: "Surroundings") -> str | None:
        """What differs from an earlier state, in words; None where nothing does."""
        if self.recursion_limit != before.recursion_limit:
            return f"changed the recursion limit from {before.recursion_limit} to {self.recursion_limit}"
        if self.digits_of_integer_texts != before.digits_of_integer_texts:
            return f"changed the most digits of an integer's text to {self.digits_of_integer_texts}"
        if self.working_directory != before.working_directory:
            return "changed or removed the working directory"
        if self.interrupt_handler is not before.interrupt_handler:
            return "changed what an interrupt does"
        return None

    @ensure(lambda self: sys.getrecursionlimit() == self.recursion_limit, "the process recurses as deep as before")
    def restore(self) -> None:
        """Put the process back into this state; a working directory that was removed stays removed."""
        sys.setrecursionlimit(self.recursion_limit)
        sys.set_int_max_str_digits(self.digits_of_integer_texts)
        if self.working_directory is not None:
            with suppress(OSError):
                os.chdir(self.working_directory)
        if threading.current_thread() is threading.main_thread() and self.interrupt_handler is not None:
            signal.signal(signal.SIGINT, self.interrupt_handler)  # type: ignore[arg-type]


@require(lambda recursion_limit: recursion_limit is None or recursion_limit > 0, "a limit is positive")
@ensure(lambda recursion_limit, result: recursion_limit in (None, result.recursion_limit), "the limit that was seen")
def surroundings(recursion_limit: int | None = None) -> Surroundings:
    """The state of the process now; with a recursion limit that was seen a moment ago."""
    folder: str | None = None
    with suppress(OSError):
        folder = os.getcwd()
    limit = sys.getrecursionlimit() if recursion_limit is None else recursion_limit
    return Surroundings(limit, sys.get_int_max_str_digits(), folder, signal.getsignal(signal.SIGINT))
