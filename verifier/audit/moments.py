"""What is kept of a table: means to hold a log against, and marks to know its rows by."""

import hashlib
from dataclasses import dataclass

import numpy as np
from grpocheck.verifier.audit.model import Floats, Table


@dataclass(frozen=True)
class Moments:
    """What is kept of a table to hold the log against: the mean of each reward function, and how float32 may err."""

    file: str
    step: int | None
    rows: int
    names: tuple[str, ...]
    means: Floats
    errors: Floats
    mark: bytes
    """Of the rewards and advantages, whatever file they are in; ``advantages_mark`` of the advantages alone."""
    advantages_mark: bytes
    whole: bool = True
    """Whether every function gave every response a reward, so that means of sums are sums of means."""


def fingerprint(table: Table) -> bytes:
    """A mark that rows of equal content share."""
    mark = hashlib.blake2b(digest_size=16)
    for column in (table.prompts or (), table.responses or (), *table.extra.values()):
        mark.update(hashlib.blake2b("\0".join(column).encode("utf-8", "replace"), digest_size=16).digest())
    mark.update(np.ascontiguousarray(table.rewards).tobytes())
    mark.update(b"" if table.advantages is None else np.ascontiguousarray(table.advantages).tobytes())
    if table.responses is None:
        mark.update(repr((table.step, list(table.rows or ())[:1])).encode())
    return mark.digest()


DRAWN_ONCE = 60
"""Characters of responses from which on a batch is not drawn twice by chance; one of eight words may well be."""


def drawn_once(table: Table) -> bool:
    """Whether rows of equal content are those of one batch: their responses are long, and not all advantages 0."""
    return sum(map(len, table.responses or ())) >= DRAWN_ONCE and bool(np.any(table.advantages))


def moments(table: Table) -> Moments:
    """What is kept of a table."""
    there = ~np.isnan(table.rewards)
    count = np.maximum(there.sum(axis=0), 1)
    with np.errstate(invalid="ignore", over="ignore"):
        means = np.where(there, table.rewards, 0.0).sum(axis=0) / count
        size = np.abs(np.where(there, table.rewards, 0.0)).sum(axis=0) / count
    means = np.where(there.any(axis=0), means, np.nan)
    return Moments(
        table.file,
        table.step,
        len(table.rewards),
        table.names,
        means,
        size * (count + 2) * table.unit_roundoff,
        mark(table, advantages_only=False),
        mark(table, advantages_only=True),
        bool(there.all()),
    )


def mark(table: Table, advantages_only: bool) -> bytes:
    """A mark of the rewards and advantages of a batch, whatever file it is in."""
    digest = hashlib.blake2b(digest_size=16)
    for column in (table.advantages,) if advantages_only else (table.advantages, table.rewards):
        if column is not None:
            plain = np.where(np.isnan(column), np.nan, column + 0.0)
            digest.update(np.ascontiguousarray(plain, dtype=np.float64).tobytes())
    return digest.digest()
