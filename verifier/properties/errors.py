"""What is wrong with a property, and where: one message that points at the column."""

MOST_SHOWN = 100
"""The characters of a property that a message shows at most."""


class PropertyError(ValueError):
    """A text that is no property, or a property that a problem has no answer to. ``column`` counts from 1."""

    def __init__(self, text: str, column: int, message: str) -> None:
        """The text of the property, the column where it goes wrong, and what was expected there."""
        super().__init__(f"property, column {column}: {message}\n{pointed(text, column)}")
        self.text = text
        self.column = column
        self.message = message


def plain(character: str) -> str:
    """A character as it can be shown on one line: itself where it is printable ASCII, else a dot of the same width."""
    return character if " " <= character <= "~" else "."


def pointed(text: str, column: int) -> str:
    """The text around a column on one line, and under it a caret at the column.

    >>> print(pointed("F_nxt >= F", 1))
        F_nxt >= F
        ^
    """
    start = 0 if len(text) <= MOST_SHOWN else max(0, min(column - 1 - MOST_SHOWN // 2, len(text) - MOST_SHOWN))
    shown = "".join(map(plain, text[start : start + MOST_SHOWN]))
    before = "..." if start else ""
    after = "..." if start + MOST_SHOWN < len(text) else ""
    return f"    {before}{shown}{after}\n    {' ' * (len(before) + column - 1 - start)}^"
