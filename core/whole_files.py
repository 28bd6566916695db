"""How files are written: whole or absent (Draft), or line by line with every line whole (Lines).

A draft stands beside its place until all of it is on the disk, and takes the place's name in one step: who reads the
place finds the old content or the new, whatever is killed when, and however many write it at a time. A symbolic link is
followed, the permissions of an older file are kept. A draft whose writer was killed is removed by the next one there.
Lines are for what has to be on the disk as it happens; they have one writer at a time.
"""

import errno
import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grpocheck.contracts.clauses import ensure, require, snapshot, total

SUFFIX = "partial"
LONGEST_STEM = 64
"""The most bytes of a file's name that its draft's has; a name may have 255, the draft's further ones included."""
IN_USE = "another process is writing it"


class CannotWrite(OSError):  # noqa: N818 - named for what it says
    """A file that cannot be written; ``filename`` is the one that was asked for, ``strerror`` what is in the way."""


@contextmanager
@require(lambda path: str(path) != "", "the file has a name")
@ensure(lambda result: iter(result) is result, "a block, within which an error is told of the file")
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Within the block an OSError becomes a CannotWrite that names the file that was asked for."""
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        raise CannotWrite(error.errno or 0, error.strerror or str(error), str(path)) from error


@require(lambda descriptor: descriptor >= 0, "an open file")
@snapshot(lambda descriptor: os.fstat(descriptor).st_ino, name="file")
@ensure(lambda descriptor, OLD: os.fstat(descriptor).st_ino == OLD.file, "the same file stays open")
def locked(descriptor: int) -> bool | None:
    """Hold an open file against other writers until it is closed; None where the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@require(lambda place: place.name != "", "a file has a name")
@ensure(lambda result: len(os.fsencode(result)) <= LONGEST_STEM, "it leaves room for the rest of a draft's name")
def stem_of(place: Path) -> str:
    """What the names of all drafts of a file begin with, after a dot."""
    return os.fsdecode(os.fsencode(place.name)[:LONGEST_STEM])


@require(lambda place: place.is_absolute(), "the folder is known")
@ensure(
    lambda place, result: all(name.startswith(f".{stem_of(place)}.") and name.endswith(SUFFIX) for name in result),
    "what is left of killed writers goes, and nothing else",
)
def remove_abandoned(place: Path) -> list[str]:
    """Remove the drafts of a file that nobody holds; returns their names."""
    removed = []
    pattern = re.compile(rf"\.{re.escape(stem_of(place))}\.[0-9a-f]{{8}}\.{SUFFIX}")
    with suppress(OSError):  # a folder that cannot be listed
        for name in os.listdir(place.parent):
            if pattern.fullmatch(name) is None:
                continue
            with suppress(OSError):  # another one that removes it
                descriptor = os.open(place.parent / name, os.O_WRONLY | os.O_CLOEXEC)
                try:
                    if locked(descriptor):
                        os.unlink(place.parent / name)
                        removed.append(name)
                finally:
                    os.close(descriptor)
    return removed


@ensure(lambda result: len(result) <= 2, "one for each stream that is open")
def streams() -> list[os.stat_result]:
    """The files that stdout and stderr go to."""
    found = []
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            found.append(os.fstat(descriptor))
    return found


@require(lambda path: str(path) != "", "the file has a name")
@ensure(lambda result: result is None or stat.S_ISREG(result.st_mode), "what is replaced is a regular file")
def replaceable(path: str | os.PathLike[str]) -> os.stat_result | None:
    """What stands where a file is to be written, links followed; raises OSError for what cannot be replaced."""
    folder = Path(os.path.realpath(path)).parent
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {str(folder)!r}") from None
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    if any(os.path.samestat(found, stream) for stream in streams()):
        raise OSError(errno.EINVAL, "it is what stdout or stderr goes to")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return found


class Draft:
    """A file in the making, beside its place: ``write`` it, then ``finish`` or ``abandon`` it."""

    @require(lambda path: str(path) != "", "the file has a name")
    @ensure(lambda self: self.beside.parent == self.place.parent, "in one folder, where a rename is one step")
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Begin; raises CannotWrite where a file cannot be written there."""
        self.path = Path(path)
        self.place = Path(os.path.realpath(path))
        with writing(path):
            older = replaceable(path)
            remove_abandoned(self.place)
            while True:
                self.beside = self.place.with_name(f".{stem_of(self.place)}.{secrets.token_hex(4)}.{SUFFIX}")
                descriptor = os.open(self.beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
                if locked(descriptor) is None or os.fstat(descriptor).st_nlink:
                    break
                os.close(descriptor)  # another writer took it for an abandoned one
            self.stream = os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")
            if older is not None:
                os.fchmod(descriptor, stat.S_IMODE(older.st_mode))

    @require(lambda self: not self.stream.closed, "the draft is open")
    @ensure(lambda self: not self.stream.closed, "the draft stays open, and goes on")
    def write(self, text: str) -> None:
        """Write more of it. Raises CannotWrite, after which it can only be abandoned."""
        with writing(self.path):
            self.stream.write(text)

    @require(lambda self: not self.stream.closed, "the draft is open")
    @ensure(lambda self: self.stream.closed and self.place.is_file(), "the whole file is at its place")
    def finish(self, new: bool = False) -> None:
        """Give it the name of its place; with ``new`` only if nothing has it. Raises CannotWrite; no draft is left."""
        with writing(self.path):
            try:
                self.stream.flush()
                os.fsync(self.stream.fileno())
                if new:
                    os.link(self.beside, self.place)
                else:
                    os.replace(self.beside, self.place)
            finally:
                self.abandon()
            sync_folder(self.place.parent)

    @total("a draft can be given up at any time, and again")
    @ensure(lambda self: self.stream.closed and not os.path.lexists(self.beside), "nothing is left beside the place")
    def abandon(self) -> None:
        """Remove the draft; what is at the place stays as it is."""
        self.beside.unlink(missing_ok=True)
        with suppress(OSError):  # what could not be written is not wanted any more
            self.stream.close()


@require(lambda folder: folder.is_dir(), "a folder")
@ensure(
    lambda folder, result: result is None or os.path.samestat(result, os.stat(folder)),
    "what is on the disk is the folder that has the name, and no other that had it",
)
def sync_folder(folder: Path) -> os.stat_result | None:
    """Have the names of a folder on the disk: the folder that was synced, None where the file system cannot promise it.

    After that the names outlast a power failure.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    return None


class Lines:
    """A file that grows by whole lines, each handed to the operating system at once; held against other writers."""

    @require(lambda path: str(path) != "", "the file has a name")
    @ensure(lambda self: self.descriptor >= 0, "the file is open, and held")
    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open it, or make an empty one; raises CannotWrite, also where another process writes it."""
        self.path = Path(path)
        with writing(path):
            replaceable(path)
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                held = locked(self.descriptor) is not False
                if not held or not os.path.samestat(os.stat(path), os.fstat(self.descriptor)):
                    raise OSError(errno.EBUSY, IN_USE)
            except BaseException:
                self.close()
                raise

    @property
    @require(lambda self: self.descriptor >= 0, "the file is open")
    @ensure(lambda result: result >= 0, "a number of bytes")
    def size(self) -> int:
        """The bytes that are in the file."""
        return os.fstat(self.descriptor).st_size

    @require(lambda self: self.descriptor >= 0, "the file is open")
    @ensure(lambda self, result: len(result) == self.size, "from the first byte to the last")
    def content(self) -> bytes:
        """All that is in the file."""
        with writing(self.path), os.fdopen(os.dup(self.descriptor), "rb") as stream:
            stream.seek(0)
            return stream.read()

    @require(lambda self, kept: 0 <= kept <= self.size, "no more is kept than there is")
    @ensure(lambda self, kept: self.size == kept, "the file ends there")
    def cut(self, kept: int) -> None:
        """Keep only the first ``kept`` bytes."""
        with writing(self.path):
            os.ftruncate(self.descriptor, kept)

    @require(lambda self, line: self.descriptor >= 0 and "\n" not in line, "one line at a time")
    @ensure(lambda self: os.pread(self.descriptor, 1, self.size - 1) == b"\n", "the file ends with a whole line")
    def write(self, line: str) -> None:
        """Write a line at the end; one that does not fit is taken away again. Raises CannotWrite."""
        rest = memoryview((line + "\n").encode("utf-8"))
        end = os.lseek(self.descriptor, 0, os.SEEK_END)
        with writing(self.path):
            try:
                while rest:
                    rest = rest[os.write(self.descriptor, rest) :]
            except BaseException:
                with suppress(OSError):  # it is no file any more that could be mended
                    os.ftruncate(self.descriptor, end)
                raise

    @total("a file can be closed again")
    @ensure(lambda self: self.descriptor == -1, "others may write the file")
    def close(self) -> None:
        """Let go of the file; what was written is the operating system's already."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)
