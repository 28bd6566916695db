"""How much is in a JSON text, told before it is read: a short text can make values of thirty times its size."""

from grpocheck.contracts.clauses import ensure, total

MOST_VALUES = 3_000_000
"""The most keys and values of a line, or of a file that is read whole: with up to 150 bytes each, half a GiB."""


@total("any bytes may be counted")
@ensure(lambda content, result: 1 <= result <= len(content) + 1, "a value, and one more for each mark at the most")
def values_at_most(content: bytes) -> int:
    """No fewer keys and values than these are in a JSON text: each but the first stands behind one of [ { , and :."""
    return 1 + sum(map(content.count, b"[{,:"))
