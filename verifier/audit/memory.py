"""A limit of memory for what a reader of somebody else's makes of a file, whatever the file says of its own size."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def memory_within(most: int) -> Iterator[None]:
    """Within the block the process may take so many bytes more than it has; beyond them allocations fail.

    Python raises MemoryError then, Arrow an exception of its own. Where the system has no such limit there is none.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    except (ImportError, OSError):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = pages * resource.getpagesize() + most
    limit = min([wanted, *(stated for stated in (soft, hard) if stated != resource.RLIM_INFINITY)])
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
