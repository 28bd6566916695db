"""What the shell offers while a command is typed. Quick: nothing of core is loaded for it.

Each function is one completion as typer calls it: it gets the word so far and gives whole words. An empty list leaves
the word to the shell, which then offers every file.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from grpocheck.verifier.names import ARITHMETICS, COURSE, PARTS, SCOPES, SHELF, STARTERS, TRAINERS, VARIANTS

PLAIN = re.compile(r"[\w./@%+,-]+", re.ASCII)
"""Names that no shell has to quote; where there are others, the shell completes by itself."""


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """The names that begin with what was typed, in their order."""
    return [name for name in names if name.startswith(incomplete)]


def files(incomplete: str, suffix: str) -> list[str]:
    """The files of a suffix and the folders that begin with what was typed; a folder that is alone, with what is in it.

    A folder is shown with its content, since a shell ends a word that is the only one.
    """
    found = listed(incomplete, suffix)
    if len(found) == 1 and found[0].endswith("/"):
        found = listed(found[0], suffix) or found
    return found if all(PLAIN.fullmatch(name) for name in found) else []


def listed(incomplete: str, suffix: str) -> list[str]:
    """The files of a suffix and the folders of one folder that begin with what was typed; hidden ones only if asked."""
    folder, start = os.path.split(incomplete)
    try:
        entries = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    return [
        os.path.join(folder, entry.name) + ("/" if entry.is_dir() else "")
        for entry in entries
        if entry.name.startswith(start)
        and (start.startswith(".") or not entry.name.startswith("."))
        and (entry.is_dir() or entry.suffix == suffix)
    ]


def problems(incomplete: str) -> list[str]:
    """Problem and task files."""
    return files(incomplete, ".toml")


def traces(incomplete: str) -> list[str]:
    """Traces and recordings."""
    return files(incomplete, ".jsonl")


def arithmetics(incomplete: str) -> list[str]:
    """The arithmetics by name."""
    return beginning(incomplete, ARITHMETICS)


def families(incomplete: str) -> list[str]:
    """The families that a problem file can be begun with."""
    return beginning(incomplete, STARTERS)


def lessons(incomplete: str) -> list[str]:
    """The lessons."""
    return beginning(incomplete, COURSE)


def variants(incomplete: str) -> list[str]:
    """The named methods."""
    return beginning(incomplete, VARIANTS)


def exchanges(incomplete: str) -> list[str]:
    """The parts of a method, each with the words that it can be exchanged for."""
    return beginning(incomplete, (f"{part}={word}" for part, words in PARTS.items() for word in words))


def scopes(incomplete: str) -> list[str]:
    """What a property is judged on."""
    return beginning(incomplete, SCOPES)


def ready_properties(incomplete: str) -> list[str]:
    """The properties on the shelf."""
    return beginning(incomplete, SHELF)


def targets(incomplete: str) -> list[str]:
    """Trainers whose losses are known; a function of one's own is typed."""
    return beginning(incomplete, TRAINERS)


def claims(incomplete: str) -> list[str]:
    """Claims and non-claims."""
    from grpocheck.contracts.claims import REGISTRY

    return beginning(incomplete, REGISTRY)


def words(incomplete: str) -> list[str]:
    """Everything that is explained: claims, groundwork, the glossary, the rules of the audit."""
    from grpocheck.contracts.claims import GROUNDWORK, REGISTRY
    from grpocheck.verifier.audit.rules import RULES
    from grpocheck.verifier.glossary import ENTRIES

    return beginning(incomplete, (*REGISTRY, *GROUNDWORK, *(entry.word for entry in ENTRIES), *RULES, *VARIANTS))
