"""Processes that do not outlive the one that started them, however that one ended."""

import os
import signal
import threading
import time
from contextlib import suppress

LOOKS = 0.5
"""Seconds between two looks at whether the parent lives."""


def end_with(parent: int) -> None:
    """End this process, and its group where it leads one, soon after a parent that was killed and could not end it."""
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    """Look whether the parent is still the parent."""
    while os.getppid() == parent:
        time.sleep(LOOKS)
    if os.getpgrp() == os.getpid():
        with suppress(ProcessLookupError):
            os.killpg(0, signal.SIGKILL)
    os._exit(1)
