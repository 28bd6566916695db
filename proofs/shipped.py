"""The examples, which some evidence is about: those of a clone of the project, or those that were installed."""

from pathlib import Path

FIRST = "undefined_gradient.toml"
"""A file by which the folder is known; another project's folder of that name is not ours."""


def examples() -> Path:
    """The folder of examples: that of the working folder, else the one beside the packages, installed or not."""
    here = Path("examples")
    return here if (here / FIRST).is_file() else Path(__file__).resolve().parent.parent / "examples"


def declared(pattern: str) -> list[Path]:
    """The files of a pattern that evidence declares, in order; examples are found wherever they are."""
    first, _, rest = pattern.partition("/")
    root, below = (examples(), rest) if first == "examples" else (Path(), pattern)
    return sorted(path for path in root.glob(below) if path.is_file())
