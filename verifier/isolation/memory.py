"""A limit on the memory of a process, where the system has such limits."""

from contextlib import suppress


def bound_addresses(most: int) -> None:
    """Let this process take at most so many bytes of addresses, and never more than it was allowed before.

    A stricter limit that the process began with (ulimit -v) stays. Where the system has no such limit there is none.
    """
    try:
        import resource
    except ImportError:
        return
    with suppress(ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        allowed = [limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_AS, (min(allowed), hard))
