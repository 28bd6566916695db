"""The reference is what the source says now, and public names say what a caller has to know."""

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from grpocheck.contracts.observation import clauses_of
from grpocheck.verifier.pages.public import PAGES, Public, listed_names, public_of, tree_of
from grpocheck.verifier.pages.reference import REMAKE, allowances, escaped, main, raised_here, reference

HOUSE = Path(__file__).resolve().parents[2]
FOLDER = HOUSE / "docs" / "reference"


def everything_public() -> Iterator[Public]:
    for page in PAGES:
        for source in page.sources:
            yield from public_of(source)


def names_of(error: str) -> set[str]:
    """An error by its name, or by that of a wider one of Python's own, such as OSError."""
    wider = {each.__name__ for each in getattr(builtins, error, object).__mro__}
    return {error} | wider - {"object", "Exception", "BaseException"}


def functions_of(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions and methods that may be called from outside; what is nested in a function is its own matter."""
    if isinstance(tree, ast.FunctionDef):
        if not tree.name.startswith("_") or tree.name == "__call__":
            yield tree
        return
    for node in ast.iter_child_nodes(tree):
        yield from functions_of(node)


def test_the_committed_pages_are_made_from_the_source_as_it_is() -> None:
    made = reference()
    assert {path.name for path in FOLDER.iterdir()} == set(made)
    stale = [name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert stale == [], REMAKE


def test_an_earlier_page_goes_and_a_foreign_one_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gone.md").write_text(f"of an earlier version, made by `{REMAKE}`")
    (tmp_path / "mine.md").write_text("a page of one's own")
    assert main([str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"mine.md", *reference()}
    assert main([]) == 2
    assert "FOLDER" in capsys.readouterr().err


def test_every_contract_that_icontract_evaluates_is_on_the_page_of_the_definition() -> None:
    """Read off the decorators by icontract, not off the source."""
    page = (FOLDER / "definition.md").read_text(encoding="utf-8")
    modules = {f"grpocheck.{source}" for page in PAGES if page.name == "definition" for source in page.sources}
    for module in modules:
        import_module(module)
    described = [
        clause.description
        for clause, _ in clauses_of("grpocheck.core")
        if clause.subject.rpartition(".")[0] in modules
    ]
    assert len(described) > 40
    assert [text for text in described if f"- {escaped(text)}" not in page] == []


def test_what_is_public_is_what_is_exported() -> None:
    listed = listed_names(tree_of("core"))
    assert listed == list(import_module("grpocheck.core").__all__)
    for public in everything_public():
        assert hasattr(import_module(f"grpocheck.{public.module}"), public.name), public


def test_every_public_name_says_what_it_is() -> None:
    silent = []
    for public in everything_public():
        if isinstance(public.node, ast.FunctionDef | ast.ClassDef):
            members = [public.node, *(node for node in functions_of(public.node) if node in public.node.body)]
            silent += [f"{public.module}.{node.name}" for node in members if not ast.get_docstring(node)]
        elif not public.below:
            silent.append(f"{public.module}.{public.name}")
    assert silent == []


def test_who_raises_an_error_by_name_names_it_in_its_words() -> None:
    """All of core, and of what else is public."""
    trees: dict[str, ast.AST] = {
        str(path.relative_to(HOUSE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((HOUSE / "core").rglob("*.py"))
    }
    trees |= {f"{public.module}.{public.name}": public.node for public in everything_public()}
    unsaid = [
        f"{place}: {node.name} raises {error}"
        for place, tree in trees.items()
        for node in functions_of(tree)
        for error in raised_here(node)
        if not any(name in " ".join([ast.get_docstring(node) or "", *allowances(node)]) for name in names_of(error))
    ]
    assert unsaid == []


def test_the_definition_names_its_source_in_every_module() -> None:
    """The text that a module restates: a seed and a section, or a claim."""
    for page in PAGES:
        if page.name == "definition":
            for source in page.sources:
                docstring = inspect.getdoc(import_module(f"grpocheck.{source}")) or ""
                assert re.search(r"[Ss]eed \[00\d\]|\b[A-G]\d\b", docstring), source
