"""The command ``check``: a trace, derived once more by the checker that stands alone."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from grpocheck.verifier import check
from grpocheck.verifier.completing import traces
from grpocheck.verifier.failures import emit


def check_command(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace written by run --trace.", autocompletion=traces)
    ],
) -> int:
    """Check a trace with none of the code that made it: every draw, number, decision and count is derived once more.

    The checker is one file on the standard library, verifier/check.py, and runs here as a program of its own.
    """
    command = [sys.executable, "-I", "-S", check.__file__, str(trace)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    emit((done.stdout or done.stderr).rstrip())
    return done.returncode
