"""Stretches of a law that are kept in a folder, so that a law which was stopped goes on from what is done.

A stretch is kept under a digest of all that it depends on: the problem but for its draws, the arithmetic, whether
contracts were checked, this version of grpocheck and of what it computes with, and which combinations or runs it is.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core.problem import Problem
from grpocheck.core.writing import problem_to_mapping
from grpocheck.verifier.evidence.digest import digest
from grpocheck.verifier.failures import say
from grpocheck.verifier.keeping import Keep, digest_of

MODULES = ("grpocheck.verifier.law.exact", "grpocheck.verifier.law.samples")


class KeptStretches:
    """The stretches of one law in a folder."""

    def __init__(self, folder: Path, problem: Problem, arithmetic: str, max_bits: int | None) -> None:
        """Of the law of a problem, in an arithmetic; raises BadOption where nothing can be kept in the folder."""
        self.keep = Keep(folder)
        self.folder = folder
        stated = {key: value for key, value in problem_to_mapping(problem).items() if key != "draws"}
        self.law = digest_of(
            digest("law", MODULES), json.dumps(stated, sort_keys=True), arithmetic, str(max_bits), str(ENABLED)
        )

    def found(self, what: str, parts: Sequence[range]) -> list[Mapping[str, Any] | None]:
        """What is kept of each part, None where nothing is; how many there are is said on stderr."""
        entries = [self.keep.get(self.key(what, part)) for part in parts]
        there = [entry for entry in entries if entry is not None]
        if there:
            say(f"grpocheck: {what}: {len(there)} of {len(parts)} stretches are taken from {str(self.folder)!r}")
        return entries

    def put(self, what: str, part: range, found: Mapping[str, Any]) -> None:
        """Keep what was found. Raises CannotWrite."""
        self.keep.put(self.key(what, part), found)

    def key(self, what: str, part: range) -> str:
        """The digest of all that a stretch depends on."""
        return digest_of(self.law, what, f"{part.start} to {part.stop}")
