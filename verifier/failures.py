"""From what went wrong to one message on stderr and an exit status, never a traceback.

0 it holds (of ``run``: any of the three statuses) · 1 refuted, violated or lost · 2 bad input · 3 undecided in the
budget · 130 interrupted.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import typer
from grpocheck.verifier.printing import without_commands

REFUTED, BAD_INPUT, UNDECIDED, INTERRUPTED = 1, 2, 3, 130
MOST_SHOWN = 1_500
"""Characters of a long message that are kept at either end of it."""

Arguments = ParamSpec("Arguments")


class BadOption(Exception):  # noqa: N818 - named for what it says
    """An option or argument that cannot be used: names it, shows its value, says what is wrong and what was expected.

    >>> print(BadOption("--jobs", "none", "it is no number", "a number of processes"))
    --jobs: 'none': it is no number; expected a number of processes
    >>> print(BadOption("--resume", None, "there is no trace to go on with", "--trace FILE with it"))
    --resume: there is no trace to go on with; expected --trace FILE with it
    """

    def __init__(self, option: str, value: object, problem: str, expected: str) -> None:
        """The option, the value as given (None: it has none), what is wrong with it, and what was expected."""
        shown = "" if value is None else f"{str(value)!r}: "
        super().__init__(f"{option}: {shown}{problem}; expected {expected}")
        self.problem = problem
        self.expected = expected


def installed_with(extra: str) -> str:
    """What is expected where a library of an extra is not there: how it is installed, the same way everywhere.

    From a clone: the package is on no index.
    """
    return f"it to be installed: pip install '.[{extra}]' in a clone of grpocheck"


def exit_status_of(error: Exception) -> int | None:
    """The exit status of an error that a person can act on; None for any other, which is a defect of grpocheck."""
    if isinstance(error, BadOption):
        return BAD_INPUT
    from grpocheck.contracts.claims import UnknownClaim
    from grpocheck.contracts.clauses import ContractViolation

    if isinstance(error, UnknownClaim | OSError | UnicodeDecodeError):
        return BAD_INPUT
    if isinstance(error, ContractViolation):
        return REFUTED
    from grpocheck.core import InvalidProblem, SupplyViolation, TraceError, TraceMismatch
    from grpocheck.core.arithmetic import DigitBudgetExceeded, NotExact, UndecidedComparison

    if isinstance(error, InvalidProblem | TraceError | NotExact):
        return BAD_INPUT
    if isinstance(error, SupplyViolation | TraceMismatch):
        return REFUTED
    if isinstance(error, UndecidedComparison | DigitBudgetExceeded):
        return UNDECIDED
    return None


def message_of(error: Exception) -> str:
    """What is said of an error that a person can act on."""
    if isinstance(error, OSError) and error.filename is not None:
        from grpocheck.core.whole_files import CannotWrite

        if isinstance(error, CannotWrite):
            return shorter(f"{str(error.filename)!r}: {error.strerror}; expected a file that can be written")
        from grpocheck.verifier.files import meant_file

        found = f"{str(error.filename)!r}: {error.strerror}; expected a file that can be read"
        return shorter(found + meant_file(Path(str(error.filename))))
    return shorter(str(error))


def shorter(text: str) -> str:
    """A message without the middle, where it repeats a value that would fill the screen."""
    return text if len(text) <= 2 * MOST_SHOWN else f"{text[:MOST_SHOWN]} … {text[-MOST_SHOWN:]}"


def say(text: str) -> None:
    """Say something on stderr, without commands to a terminal; where nothing can be said, go on without."""
    with suppress(OSError):
        print(without_commands(text), file=sys.stderr, flush=True)


def emit(text: str) -> None:
    """Print to stdout, without commands to a terminal in what was read; colours that were drawn are kept.

    A reader who went away (a closed pipe) is no error, the rest goes nowhere.

    Raises CannotWrite where stdout takes no more for another reason, such as a full disk.
    """
    try:
        print(without_commands(text), flush=True)
    except OSError as error:
        stop_printing()
        if isinstance(error, BrokenPipeError):
            return
        from grpocheck.core.whole_files import CannotWrite

        raise CannotWrite(error.errno, error.strerror, "stdout") from error


def stop_printing() -> None:
    """Have what is still to be printed go nowhere, so that the end of the process is not one more error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def check_settings() -> None:
    """Raise BadOption or InvalidProblem for a setting of the environment that says nothing, before it is followed."""
    setting = os.environ.get("GRPOCHECK_CONTRACTS") or "on"
    if setting.lower() not in ("on", "off"):
        raise BadOption("GRPOCHECK_CONTRACTS", setting, "it switches nothing", "on or off")
    library = os.environ.get("GRPOCHECK_ENCLOSURES")
    if library:
        from grpocheck.core.arithmetic.engine import named

        named(library)


def guarded(command: Callable[Arguments, int]) -> Callable[Arguments, None]:
    """A command that returns its exit status, as one that exits with it whatever happens."""

    @wraps(command)
    def exiting(*arguments: Arguments.args, **options: Arguments.kwargs) -> None:
        try:
            check_settings()
            status = command(*arguments, **options)
        except KeyboardInterrupt:
            say("interrupted")
            status = INTERRUPTED
        except typer.Exit:
            raise
        except Exception as error:
            known = exit_status_of(error)
            if known is None and os.environ.get("GRPOCHECK_TRACEBACK") == "on":
                raise
            if known is None:
                say(
                    f"grpocheck: a defect of grpocheck itself: {type(error).__name__}: {error}\n"
                    "GRPOCHECK_TRACEBACK=on shows where; please report it"
                )
            else:
                say(f"grpocheck: {message_of(error)}")
            status = REFUTED if known is None else known
        raise typer.Exit(status)

    return exiting
