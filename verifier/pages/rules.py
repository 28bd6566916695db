"""The table of rules in the page about audits, from their registry.

    python -m grpocheck.verifier.pages.rules docs/audit.md

writes it again in its place: the lines from its heading on that are rows of a table.
"""

import sys
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import Path

from grpocheck.verifier.audit.rules import RULES
from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text

HEADING = ("| rule | severity | claim | what is found | reads |", "|---|---|---|---|---|")


def table() -> list[str]:
    """The lines of the table."""
    return [
        *HEADING,
        *(
            f"| `{rule.name}` | {rule.severity.value} | {rule.claim or ''} | {rule.says} | {rule.reads} |"
            for rule in RULES.values()
        ),
    ]


def with_table(page: str) -> str:
    """A page with the table made again; raises ValueError for one that has none."""
    lines = page.split("\n")
    if HEADING[0] not in lines:
        raise ValueError(f"no table of rules: expected a line {HEADING[0]}")
    first = lines.index(HEADING[0])
    rest = dropwhile(lambda line: line.startswith("|"), lines[first:])
    return "\n".join([*lines[:first], *table(), *rest])


def main(arguments: Sequence[str]) -> int:
    """Write the table into the page that is given."""
    if len(arguments) != 1:
        say("usage: python -m grpocheck.verifier.pages.rules PAGE")
        return BAD_INPUT
    path = Path(arguments[0])
    write_text(path, with_table(path.read_text(encoding="utf-8")))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
