"""The end of a command's process: threads that user code left running are named and not waited for."""

import os
import sys
import threading
from collections.abc import Callable

from grpocheck.verifier.failures import INTERRUPTED, say

POOL = "concurrent.futures.process"
"""Where the thread is from that looks after a pool of processes: it ends with what they were doing."""


def leaving_threads(command: Callable[[], object]) -> None:
    """Run a command that exits; where other threads would keep the process from its end, end it without them.

    Of one that was interrupted nothing is said: its own threads may be on their way out, and the user wants the end.
    """
    try:
        command()
    except SystemExit as end:
        main = threading.main_thread()
        left = [thread for thread in threading.enumerate() if thread is not main and not thread.daemon]
        if not left or not isinstance(end.code, int):
            raise
        named = [thread for thread in left if type(thread).__module__ != POOL]
        if named and end.code != INTERRUPTED:
            count = f"{len(named)} thread{'' if len(named) == 1 else 's'}"
            say(f"grpocheck: user code left {count} running, not waited for (--isolate ends what it starts)")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)
