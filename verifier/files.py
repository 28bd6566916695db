"""Where results go: checked before the work begins, and written whole or not at all (grpocheck.core.whole_files)."""

from pathlib import Path

from grpocheck.core.whole_files import CannotWrite, Draft
from grpocheck.verifier.failures import BadOption


def check_writable(option: str, path: Path) -> None:
    """Raise BadOption unless a file can be written at a path; leaves nothing behind."""
    try:
        Draft(path).abandon()
    except CannotWrite as error:
        raise BadOption(option, path, str(error.strerror), "a file that can be written") from error


def check_folder(option: str, folder: Path) -> None:
    """Make a folder unless it is there; raise BadOption where that is not possible or nothing can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadOption(option, folder, error.strerror or str(error), "a folder") from error
    check_writable(option, folder / "trial")


def write_text(path: Path, text: str, new: bool = False) -> None:
    """Write a file as a whole: readers see the old content or the new. CannotWrite also where ``new`` is not so."""
    draft = Draft(path)
    try:
        draft.write(text)
        draft.finish(new)
    finally:
        draft.abandon()
