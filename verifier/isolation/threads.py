"""The end of a command's process: threads that user code left running are named and not waited for."""

import os
import sys
import threading
from collections.abc import Callable

from grpocheck.verifier.failures import say


def leaving_threads(command: Callable[[], object]) -> None:
    """Run a command that exits; where other threads would keep the process from its end, end it without them."""
    try:
        command()
    except SystemExit as end:
        main = threading.main_thread()
        left = [thread for thread in threading.enumerate() if thread is not main and not thread.daemon]
        if not left or not isinstance(end.code, int):
            raise
        say(f"grpocheck: user code left {len(left)} threads running, which are not waited for (--isolate ends them)")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)
