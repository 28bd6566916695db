"""What a terminal is not given: commands to it, in the name of a file, a key of a log or a response.

A name stands on one line, so that everything in it that cannot be printed is an escape (``printable``). A whole text
keeps its lines (``without_commands``), and its escapes are those of JSON, since it may be JSON.
"""

import re
from pathlib import Path

COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tabs and line feeds, and what turns the direction of the text around it."""


class Drawn(str):
    """A text with colours, which are commands to a terminal: everything else is escaped in it already."""


def printable(name: str | Path) -> str:
    r"""A path, or another name, on one line: what cannot be printed is an escape, as Python writes it.

    >>> print(printable("a\x1b[31m\nb"), printable("läufe/a b.jsonl"))
    a\x1b[31m\nb läufe/a b.jsonl
    """
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in str(name))


def without_commands(text: str) -> str:
    r"""A text of any number of lines with its control characters as escapes; what is drawn is so already.

    >>> print(without_commands("a\x9b1m"))
    a\u009b1m
    """
    return text if isinstance(text, Drawn) else COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
