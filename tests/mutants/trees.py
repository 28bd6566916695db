"""Changed copies of the packages, and the fast tier run on them in a process of its own."""

import compileall
import json
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("contracts", "core", "proofs", "verifier")
WITHOUT = shutil.ignore_patterns("__pycache__", "*.vo*", "*.glob", "*.aux", "coq")


def plant(folder: Path) -> Path:
    """A copy of the packages under the name by which they are imported; its core may be changed."""
    shutil.copytree(ROOT / "package", folder / "grpocheck", ignore=WITHOUT)
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / "grpocheck" / room, ignore=WITHOUT)
    shutil.copytree(ROOT / "examples", folder / "examples", ignore=WITHOUT)
    compileall.compile_dir(folder, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    return folder / "grpocheck" / "core"


def change(core: Path, file: str, before: str, after: str, appended: str = "") -> None:
    """Replace a text that stands exactly once in a file."""
    path = core / file
    text = path.read_text(encoding="utf-8")
    if text.count(before) != 1:
        raise LookupError(f"{file}: {before!r} stands {text.count(before)} times: expected once")
    path.write_text(text.replace(before, after) + appended, encoding="utf-8")


def fast_tier(tree: Path, seconds: float, *names: str) -> dict[str, object] | None:
    """What of the named evidence killed the changed tree within the time, or None; in a process of its own."""
    script = Path(__file__).with_name("fast_tier.py")
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, str(script), *names],
            cwd=tree,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"evidence": "time", "claims": ["C4"], "says": "does not end"}
    if done.returncode not in (0, 1) or not done.stdout.strip():
        return {"evidence": "import", "claims": [], "says": done.stderr.strip()[-300:]}
    found: dict[str, object] | None = json.loads(done.stdout.strip().splitlines()[-1])
    return found
