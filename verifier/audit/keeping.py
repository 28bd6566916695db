"""Pieces of an audit that are kept in a folder, so that an audit which was stopped goes on from what is done.

A piece is kept under a digest of all that it depends on: the bytes that it reads, where they were found, the settings
that were given, the rules in their version, and the libraries that read. So a file that has changed is audited afresh.
"""

import hashlib
import importlib.metadata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grpocheck.verifier.audit.auditing import Piece, Result
from grpocheck.verifier.audit.frozen import Frozen
from grpocheck.verifier.audit.model import Lines
from grpocheck.verifier.audit.packing import packed, unpacked
from grpocheck.verifier.audit.readers.recorded import read_beside
from grpocheck.verifier.evidence.digest import digest
from grpocheck.verifier.keeping import Keep, digest_of

READERS = ("numpy", "pyarrow")
AT_ONCE = 1 << 20


def rules_digest() -> str:
    """A digest of the rules and of whatever else decides what is found in a file."""
    read_by = [f"{name} {importlib.metadata.version(name)}" for name in READERS]
    return digest(", ".join(read_by), ["grpocheck.verifier.audit.auditing"])


@dataclass(frozen=True)
class Kept:
    """A piece of work that is taken from a folder where it is done already, and kept there when it is."""

    piece: Piece
    folder: Path
    rules: str

    @property
    def files(self) -> int:
        """How many files have been read when it is done."""
        return self.piece.files

    def done(self) -> Result:
        """Look it up, or do it and keep it, unless what it reads has changed meanwhile."""
        keep, key = Keep(self.folder), self.key()
        with suppress(LookupError, TypeError, ValueError):  # nothing is there, or what is there no audit has kept
            found = unpacked(keep.get(key))
            if isinstance(found, Result):
                return found
        result = self.piece.done()
        if self.key() == key:
            keep.put(key, packed(result))
        return result

    def key(self) -> str:
        """The digest of all that the result depends on."""
        return digest_of(self.rules, *stated(self.piece), *contents(self.piece))


def stated(piece: Piece) -> Iterator[str]:
    """What is said of a piece, beside the files that it reads."""
    run = piece.run
    if piece.lines is not None:
        part, lines = piece.lines
        yield from ("lines", run.name, str(part.file), repr((lines, part.session, piece.identifies)))
    elif piece.calls is not None:
        yield from ("calls", run.name, repr((piece.identifies, piece.adapts)))
    else:
        yield from ("rows", repr(run), *map(str, run.passed_over))


def contents(piece: Piece) -> Iterator[str]:
    """Each file that a piece reads and the digest of what is in it; of lines, of the header's and of theirs."""
    if piece.lines is not None:
        part, lines = piece.lines
        with part.file.open("rb") as file:
            file.seek(part.lines.begin)
            yield repr(file.readline(AT_ONCE))
        yield checksum(part.file, lines)
        return
    for path in dict.fromkeys(files_of(piece)):
        yield from (str(path), checksum(path))


def files_of(piece: Piece) -> Iterator[Path]:
    """The files that a piece of rows or of recorded calls reads; of generation batches those that its calls are of."""
    run = piece.run
    if piece.calls is not None:
        frozen = Frozen(run.generations)
        for path in piece.calls:
            drawn = frozen.path_of(read_beside(path))
            yield from (path, path.with_suffix(".json"))
            yield from () if drawn is None else (drawn, drawn.with_suffix(".json"))
        return
    yield from (*run.tables, *(part.file for part in run.groups), *run.rollouts)
    yield from () if run.state is None else (run.state,)
    for path in run.generations:
        yield from (path, path.with_suffix(".json"))
    yield from (path.with_suffix(".json") for path in run.calls[:1] if path.with_suffix(".json").is_file())


def checksum(path: Path, lines: Lines | None = None) -> str:
    """The SHA-256 of a file, or of some lines of it."""
    total, left = hashlib.sha256(), None if lines is None or lines.end is None else lines.end - lines.begin
    with path.open("rb") as file:
        file.seek(0 if lines is None else lines.begin)
        while piece := file.read(AT_ONCE if left is None else min(AT_ONCE, left)):
            total.update(piece)
            left = None if left is None else left - len(piece)
    return total.hexdigest()
