"""``python -m tests.packaging.pinned requirements``: oldest.txt and dev.lock, made again from pyproject.toml.

uv finds the versions: ``pip install uv`` first. What changed is then to be tried: ``pytest -m slow tests/packaging``.
"""

import os
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
MAKER = "python -m tests.packaging.pinned requirements"
OLDEST = ["dev", "fast", "audit"]
LOCKED = ["dev", "fast", "mutants", "fuzz"]
COMPILE = ["pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
FILES = {
    "oldest.txt": (
        f"""\
# The oldest versions that are tested: of each dependency, and of the extras {", ".join(OLDEST)},
# its lower bound in pyproject.toml. For Python 3.11. Made by: {MAKER}
""",
        ["--resolution", "lowest-direct", *(f"--extra={extra}" for extra in OLDEST)],
    ),
    "dev.lock": (
        f"""\
# The development environment (extras {", ".join(LOCKED)}), every version with the hashes of its files:
#     pip install --require-hashes -r requirements/dev.lock && pip install --no-deps --editable .
# (setuptools has to be there). Python 3.11 to 3.13, markers say which is for whom. Made by:
#     {MAKER}
""",
        ["--universal", "--generate-hashes", *(f"--extra={extra}" for extra in LOCKED)],
    ),
}


def compiled(options: list[str]) -> str:
    """The versions that uv finds for the lowest Python of pyproject.toml."""
    done = subprocess.run(
        [sys.executable, "-m", "uv", *COMPILE, "--python-version", "3.11", *options, "pyproject.toml"],
        cwd=HOUSE, capture_output=True, text=True, check=False, env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
    )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"{done.stderr}uv pip compile failed; expected uv to be installed: pip install uv")
    return done.stdout


def main(folder: Path) -> None:
    """Write both files."""
    for name, (head, options) in FILES.items():
        (folder / name).write_text(head + compiled(options), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
