"""A digest of everything that a piece of evidence depends on, under which its finding is kept.

The digest covers the sources of the module that declares the evidence and of every grpocheck module that it imports,
transitively and lazily (a module named in a string counts as imported), the files that it declares, Python and the
versions of the packages that decide, and of Coq where a module asks it.
"""

import ast
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from grpocheck.proofs.shipped import declared
from grpocheck.verifier.keeping import digest_of

DECIDING_PACKAGES = ("icontract", "mpmath", "crosshair-tool", "z3-solver", "hypothesis", "python-flint")
ASKS_COQ = "grpocheck.proofs.coq_session"
"""What depends on this module depends on the Coq that is installed."""

# The registry states and requires; it decides no finding, so that raising a requirement keeps what was found.
WITHOUT_INFLUENCE = ("grpocheck.contracts.claims",)


# Their strings list all evidence, which depends on them and not the other way round.
LISTS = ("grpocheck.proofs.evidence", "grpocheck.proofs.symbolic.harness")


@cache
def source_of(module: str) -> Path | None:
    """The file of a module, None where there is no such module.

    Below the rooms of grpocheck it is looked up by path: importing a parent package would run it, and the one of
    CrossHair's model switches contracts off.
    """
    name, *below = module.split(".")
    if below:
        name, below = f"{name}.{below[0]}", below[1:]
    try:
        spec = importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None
    if spec is None or not below:
        return Path(spec.origin) if spec is not None and spec.origin is not None else None
    for folder in spec.submodule_search_locations or ():
        for path in (Path(folder, *below).with_suffix(".py"), Path(folder, *below, "__init__.py")):
            if path.is_file():
                return path
    return None


@cache
def imported_by(module: str) -> frozenset[str]:
    """The grpocheck modules that a module names in an import or in a string."""
    path = source_of(module)
    if path is None:
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and module not in LISTS:
            names.add(node.value.partition(":")[0])
    return frozenset(
        name
        for name in names
        if name.startswith("grpocheck.") and name.replace(".", "").isidentifier() and source_of(name) is not None
    )


def closure(modules: Iterable[str]) -> list[str]:
    """The modules and all grpocheck modules that they import, their parent packages included, sorted."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module in seen or module in WITHOUT_INFLUENCE:
            continue
        seen.add(module)
        parent = module.rpartition(".")[0]
        waiting.extend(imported_by(module) | ({parent} if parent else set()))
    return sorted(seen)


@cache
def versions() -> tuple[str, ...]:
    """Python and the packages that decide, each with its version; a package that is absent is listed as such."""
    lines = [f"python {sys.version.split()[0]}"]
    for package in DECIDING_PACKAGES:
        try:
            lines.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            lines.append(f"{package} absent")
    return tuple(lines)


@cache
def coq() -> str:
    """The Coq that is installed, in its own words."""
    path = shutil.which("coqc")
    if path is None:
        return "coqc absent"
    return subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout


def digest(label: str, modules: Iterable[str], patterns: Iterable[str] = ()) -> str:
    """SHA-256 over a label, the sources of the modules' closure, the files of the patterns, and the versions."""
    parts: list[str | bytes] = ["label", label]
    for line in versions():
        parts += ["version", line]
    together = closure(modules)
    if ASKS_COQ in together:
        parts += ["version", coq()]
    for module in together:
        path = source_of(module)
        if path is not None:
            parts += [module, path.read_bytes()]
    for pattern in patterns:
        for path in declared(pattern):
            parts += [str(path), path.read_bytes()]
    return digest_of(*parts)
