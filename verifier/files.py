"""Files that are whole or absent: written beside their place and renamed into it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class UnwritablePath(Exception):  # noqa: N818 - named for what it says
    """A path that was asked for as output and cannot be written."""

    def __init__(self, option: str, path: Path, reason: str) -> None:
        """The option that named the path, the path, and why it cannot be written."""
        super().__init__(f"{option}: {str(path)!r}: {reason}; expected a file that can be written")


def check_writable(option: str, path: Path) -> None:
    """Raise UnwritablePath unless a file can be written at a path; leaves nothing behind."""
    if path.is_dir():
        raise UnwritablePath(option, path, "it is a folder")
    if not path.parent.is_dir():
        raise UnwritablePath(option, path, f"there is no folder {str(path.parent)!r}")
    try:
        handle, trial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UnwritablePath(option, path, error.strerror or str(error)) from error
    os.close(handle)
    os.unlink(trial)


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to ``path`` when the block ends and removed when it fails."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole: readers see the old content or the new."""
    with written_beside(path) as beside:
        beside.write_text(text, encoding="utf-8")


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
