"""A trainer's own code, read from the files of its installed distribution and run without the rest of it.

Trainers import engines and accelerators that a loss does not need. The definitions that are named are compiled from the
file as it stands, with its line numbers, and nothing else of it runs.
"""

from __future__ import annotations
import __future__

import ast
import copy
import importlib.metadata
import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from grpocheck.verifier.failures import BadOption

KEPT_DECORATORS = ("staticmethod", "classmethod", "property", "torch.no_grad()")
"""Those that change what a definition computes; others profile, register, deprecate or compile it."""


class NotThere(Exception):  # noqa: N818 - named for what it says
    """A definition that this version of a trainer does not have."""


def package_folder(package: str, site: Path | None) -> tuple[Path, str]:
    """The folder of an installed package and its version; raises BadOption where it is not installed."""
    expected = f"a folder that has it, or: pip install {package}"
    if site is not None:
        folder = site / package
        if not folder.is_dir():
            raise BadOption("--site", site, f"it has no {package}", expected)
        there = importlib.metadata.distributions(path=[str(site)])
        versions = {found.metadata["Name"].lower(): found.version for found in there}
        return folder, versions.get(package, "of unknown version")
    try:
        spec = importlib.util.find_spec(package)
        version = importlib.metadata.version(package)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        spec = None
    if spec is None or spec.submodule_search_locations is None:
        raise BadOption("TARGET", package, "it is not installed", expected)
    return Path(next(iter(spec.submodule_search_locations))), version


def definitions(file: Path) -> dict[str, ast.stmt]:
    """The functions and classes of a file by name; an empty mapping for a file that is not there."""
    if not file.is_file():
        return {}
    tree = ast.parse(file.read_text(encoding="utf-8"), filename=str(file))
    return {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }


def extracted(
    file: Path, names: Sequence[str], given: Mapping[str, Any], methods: Mapping[str, Sequence[str]] | None = None
) -> SimpleNamespace:
    """Definitions of a file, run among ``given`` names; of a class in ``methods`` only those methods, without bases.

    Raises NotThere for a name that the file does not define.
    """
    found = definitions(file)
    body: list[ast.stmt] = []
    for name in names:
        if name not in found:
            raise NotThere(f"{file.name} defines no {name}")
        node = found[name]
        if isinstance(node, ast.ClassDef) and methods is not None and name in methods:
            node = _with_methods(node, methods[name])
        body.append(_plain(node))
    module = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
    scope: dict[str, Any] = dict(given)
    code = compile(module, str(file), "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    exec(code, scope)  # the trainer's own definitions are what is under test
    return SimpleNamespace(**{name: scope[name] for name in names}, scope=scope)


def _with_methods(node: ast.ClassDef, names: Sequence[str]) -> ast.ClassDef:
    """A class of some of its methods, with object for its base."""
    kept = [_plain(each) for each in node.body if isinstance(each, ast.FunctionDef) and each.name in names]
    if not kept:
        raise NotThere(f"{node.name} has none of {', '.join(names)}")
    made = copy.copy(node)
    made.bases, made.keywords, made.body = [], [], list(kept)
    return made


def _plain(node: ast.stmt) -> ast.stmt:
    """A definition with the decorators alone that are part of what it computes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        node.decorator_list = [
            each for each in node.decorator_list if ast.unparse(each) in KEPT_DECORATORS
        ]
        if isinstance(node, ast.ClassDef):
            node.body = [_plain(each) for each in node.body]
    return node
