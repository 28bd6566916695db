"""Options that several commands have: said once, so that they read alike everywhere."""

from pathlib import Path
from typing import Annotated, Optional

import typer

Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
Supply = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation
    typer.Option(
        "--supply",
        metavar="MODULE:ATTRIBUTE",
        help="Your own oracles: a grpocheck.core.Supply, such as oracles:supply of oracles.py in this folder.",
    ),
]
Isolate = Annotated[bool, typer.Option("--isolate", help="Import and ask your code in a process of its own only.")]
CallLimit = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(
        "--call-limit", min=0.01, metavar="SECONDS", help="How long a call of it may take, such as 5; isolates it."
    ),
]
MaxBits = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option("--max-bits", min=1, metavar="N", help="The bits past which an enclosed comparison is undecided."),
]
Ray = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        "--ray", metavar="ADDRESS", help="Work as tasks of a Ray cluster; local starts one. Needs the extra ray."
    ),
]
Keep = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option("--keep", metavar="FOLDER", help="Keep what is done there; the same command goes on from it."),
]
"""What takes long keeps what it has done, each piece under a digest of what it depends on."""
