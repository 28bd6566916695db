"""The problems that the studio offers: those of the examples, and its own.

Names are those of a list made here; no path of a request is ever opened.
"""

from importlib import resources

from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import file_text, parsed
from grpocheck.core.values import known_keys
from grpocheck.proofs.shipped import examples

FOLDERS = (examples(), examples() / "non_claims")
FIRST = "undefined_gradient"
"""The example that a studio without a problem opens with."""
OWN = "grpocheck.verifier.studio"


def texts() -> dict[str, str]:
    """The problem files by name, the first one first; files that are no problems of the studio are left out."""
    found: dict[str, str] = {}
    for entry in sorted(resources.files(OWN).joinpath("static").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            found[entry.name.removesuffix(".toml")] = entry.read_text(encoding="utf-8")
    for folder in FOLDERS:
        for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
            text = file_text(path)
            if runs_here(text):
                found[path.stem] = text
    return dict(sorted(found.items(), key=lambda item: (item[0] != FIRST, item[0].startswith("n"), item[0])))


def runs_here(text: str) -> bool:
    """Whether a file states a problem with built-in masses; others in such a folder (groups, tasks) do not."""
    try:
        return parsed(text).get("family") not in (None, "supplied")
    except InvalidProblem:
        return False


def text_of(name: str) -> str:
    """The file of a name; InvalidProblem, with the nearest there is, for any other."""
    known = texts()
    if name not in known:
        raise InvalidProblem("example", name, known_keys(name, list(known)))
    return known[name]
