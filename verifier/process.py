"""The process that a command is: what is settled about its streams and signals before it begins."""

import os
import signal
import sys
from types import FrameType

from grpocheck.verifier.failures import BAD_INPUT, say

ENDING = ("SIGTERM", "SIGHUP")


def prepare() -> None:
    """Make a command's process fit for what may come.

    A closed stream's number would be given to the next file that is opened, and what is said would end up in there. A
    character that the output's encoding lacks is written as an escape. To be terminated, or to lose the terminal, is to
    be interrupted: drafts are removed and children ended, with exit status 130.
    """
    closed = [number for number in (0, 1, 2) if not is_open(number)]
    for number in closed:
        os.dup2(os.open(os.devnull, os.O_RDWR), number, inheritable=True)
    if 2 in closed:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as the process lives
    if 1 in closed:
        say("grpocheck: stdout is closed; expected somewhere for the result (>/dev/null where nobody wants it)")
        sys.exit(BAD_INPUT)
    if 0 in closed:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    for name in ENDING:
        number = getattr(signal, name)
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, as_interrupt)


def is_open(number: int) -> bool:
    """Whether a file descriptor is open."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def as_interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End as on Ctrl-C."""
    raise KeyboardInterrupt
