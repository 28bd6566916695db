"""Stdout kept for the command while user code runs in its process: what that prints goes to stderr."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stdout_kept() -> Iterator[None]:
    """Lead Python's stdout, and the process's, to stderr inside the block; both are as before afterwards."""
    before = sys.stdout
    before.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        with suppress(Exception):  # what user code left in its place
            sys.stdout.flush()
        sys.stdout = before
        os.dup2(kept, 1)
        os.close(kept)
