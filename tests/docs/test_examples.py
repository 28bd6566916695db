"""The examples in docstrings print what they show.

A checked function is not seen by doctest where it stands (it is a wrapper of another module's), so that the docstrings
are taken from the source.
"""

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
ROOMS = ("contracts", "core", "proofs", "verifier")


def shown_in(path: Path) -> list[tuple[str, str, int]]:
    """The docstrings with an example in a file: of what, the text, and its line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text and ">>> " in text:
                found.append((getattr(node, "name", "module"), text, getattr(node, "lineno", 1)))
    return found


FILES = {
    str(path.relative_to(HOUSE)): shown
    for room in ROOMS
    for path in sorted((HOUSE / room).rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8") and (shown := shown_in(path))
}


@pytest.mark.parametrize("name", FILES)
def test_the_examples_of_a_file_print_what_they_show(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOUSE)
    module = import_module("grpocheck." + name.removesuffix(".py").replace("/", "."))
    runner = doctest.DocTestRunner()
    said: list[str] = []
    for what, text, line in FILES[name]:
        example = doctest.DocTestParser().get_doctest(text, dict(vars(module)), what, name, line)
        assert example.examples
        runner.run(example, out=said.append)
    assert runner.failures == 0, "".join(said)


def test_the_functions_that_people_use_most_have_an_example() -> None:
    shown = {f"{name.removesuffix('.py')}:{what}" for name, examples in FILES.items() for what, _, _ in examples}
    assert {
        "core/procedure:run", "core/reading:read_problem", "core/writing:problem_to_toml",
        "core/advantage:mean", "core/advantage:population_standard_deviation", "core/advantage:group_advantages",
        "core/ratio:importance_ratio", "core/ratio:clip", "core/ratio:clipped_term", "core/divergence:kl_divergence",
        "core/arithmetic/choice:arithmetic_named", "core/arithmetic/notation:parse_exact",
        "core/arithmetic/notation:exact_text", "core/variants/registry:named", "core/variants/words:with_parts",
        "core/variants/formulas:formula", "core/oracles:Supply", "verifier/properties/engine:check",
        "verifier/law/exact:exact_law", "verifier/estimator/exact:estimate", "verifier/recompute/formulas:recompute",
        "verifier/conform/conforming:conform", "verifier/isolation/supply:isolated",
        "verifier/supplied/cross_examination:cross_examined", "verifier/supplied/draw_law:law_of",
        "verifier/prime_logs:PrimeLogs",
    } <= shown  # fmt: skip
