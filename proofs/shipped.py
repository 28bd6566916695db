"""The files that evidence is about: the examples of a clone, or those that were installed; and the proofs."""

from pathlib import Path

FIRST = "undefined_gradient.toml"
"""A file by which the folder is known; another project's folder of that name is not ours."""

PROOFS = Path(__file__).resolve().parent


def examples() -> Path:
    """The folder of examples: that of the working folder, else the one beside the packages, installed or not."""
    here = Path("examples")
    return here if (here / FIRST).is_file() else Path(__file__).resolve().parent.parent / "examples"


def declared(pattern: str) -> list[Path]:
    """The files of a pattern that evidence declares, in order; examples are found wherever they are, and of the proofs
    those beside this file, which are the ones that are checked."""
    first, _, rest = pattern.partition("/")
    roots = {"examples": examples(), "proofs": PROOFS}
    root, below = (roots[first], rest) if first in roots else (Path(), pattern)
    return sorted(path for path in root.glob(below) if path.is_file())
