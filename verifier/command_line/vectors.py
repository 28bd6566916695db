"""``grpocheck vectors`` as typer sees it; what it runs is imported only when it runs."""

from pathlib import Path
from typing import Annotated

import typer


def vectors_command(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Where the vectors go (JSON).")],
    json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> int:
    """Write test vectors for implementers: inputs, and exact or fifty-digit outputs of every variant.

    docs/vectors.md says what they mean; examples/vectors has a runner in Python and one in JavaScript that need
    nothing else.
    """
    from grpocheck.verifier.commands.vectors import write_vectors

    return write_vectors(out, json)
