"""Files that are whole or absent: written beside their place and renamed into it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grpocheck.verifier.failures import BadOption


def check_writable(option: str, path: Path) -> None:
    """Raise BadOption unless a file can be written at a path; leaves nothing behind."""
    expected = "a file that can be written"
    if path.is_dir():
        raise BadOption(option, path, "it is a folder", expected)
    if path.exists() and not path.is_file():
        raise BadOption(option, path, "it is no regular file", expected)
    if not path.parent.is_dir():
        raise BadOption(option, path, f"there is no folder {str(path.parent)!r}", expected)
    try:
        handle, trial = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
    except OSError as error:
        raise BadOption(option, path, error.strerror or str(error), expected) from error
    os.close(handle)
    os.unlink(trial)


def check_folder(option: str, folder: Path) -> None:
    """Make a folder unless it is there; raise BadOption where that is not possible or nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(option, folder, error.strerror or str(error), "a folder") from error
    check_writable(option, folder / "trial")


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """A temporary path in the same folder, renamed to ``path`` when the block ends and removed when it fails."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
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
