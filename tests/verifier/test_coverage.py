"""Contract coverage: each kind of gap and of hollow contract is found, and nothing that says something is flagged."""

from pathlib import Path

import pytest
from grpocheck.contracts.coverage import contract_coverage

BOTH = '@require(lambda x: x > 0, "x")\n@ensure(lambda result: result > 0, "r")\n'


def coverage_of(folder: Path, source: str) -> tuple[int, int, list[tuple[str, str]]]:
    (folder / "module.py").write_text(source)
    found = contract_coverage(folder)
    return found.functions, found.covered, [(gap.name, gap.reason) for gap in found.gaps]


@pytest.mark.parametrize(
    ("source", "gaps"),
    [
        (f"{BOTH}def f(x):\n    return x\n", []),
        ("def f(x):\n    return x\n", [("f", "no precondition and no postcondition")]),
        ('@ensure(lambda result: result > 0, "r")\ndef f(x):\n    return x\n', [("f", "no precondition")]),
        ('@require(lambda x: x > 0, "r")\ndef f(x):\n    return x\n', [("f", "no postcondition")]),
        ('@ensure(lambda result: result > 0, "r")\ndef f():\n    return 1\n', []),
        ('@ensure(lambda result: result > 0, "r")\ndef f(*, x):\n    return 1\n', [("f", "no precondition")]),
        ('@ensure(lambda result: result > 0, "r")\ndef f(**x):\n    return 1\n', [("f", "no precondition")]),
        ('@total("why")\n@clauses.ensure(lambda result: result > 0, "r")\ndef f(x):\n    return 1\n', []),
        ("class C:\n    @property\n    def f(self):\n        return 1\n", [("C.f", "no postcondition")]),
        (f"{BOTH}def f(x):\n    def g():\n        return x\n    return g\n", [("g", "no postcondition")]),
        (f"{BOTH}def f(x):\n    if x:\n        def g():\n            return x\n", [("g", "no postcondition")]),
        ("class P(Protocol):\n    def f(self, x):\n        '''A stub.'''\n        ...\n", []),
        (
            '@invariant(lambda self: self.x > 0, "i")\nclass C:\n    @total("why")\n'
            "    def __init__(self, x):\n        self.x = x\n",
            [],
        ),
        ("class C:\n    def __init__(self):\n        self.x = 1\n", [("C.__init__", "no postcondition")]),
    ],
)
def test_gaps(tmp_path: Path, source: str, gaps: list[tuple[str, str]]) -> None:
    assert coverage_of(tmp_path, source)[2] == gaps


@pytest.mark.parametrize(
    ("condition", "reason"),
    [
        ("lambda result: True", "it is constant"),
        ("lambda: 1 < 2", "it mentions no argument"),
        ("lambda result: LIMIT > 0", "it mentions no argument"),
        ("lambda result: isinstance(result, int)", "it restates a type"),
        ("lambda result: isinstance(result, int) and callable(result)", "it restates a type"),
        ("lambda result: result in (True, False)", "it restates a type"),
        ("lambda result: result == result", "it is true of every value"),
        ("lambda result: result > 0 or True", "it is true of every value"),
    ],
)
def test_hollow_contracts(tmp_path: Path, condition: str, reason: str) -> None:
    source = f'@ensure({condition}, "r")\ndef f():\n    return 1\n'
    assert coverage_of(tmp_path, source) == (1, 0, [("f", f"hollow ensure: {reason}")])


@pytest.mark.parametrize(
    "condition",
    [
        "lambda result: result in (1, 2)",
        "lambda x, result: result == x",
        "lambda result: isinstance(result, int) and result > 0",
        "lambda x, result: result <= x or x == 0",
        "is_mass_function",
    ],
)
def test_contracts_that_say_something(tmp_path: Path, condition: str) -> None:
    source = f'@total("why")\n@ensure({condition}, "r")\ndef f(x):\n    return 1\n'
    assert coverage_of(tmp_path, source) == (1, 1, [])


def test_hollow_invariants_are_found(tmp_path: Path) -> None:
    assert coverage_of(tmp_path, '@invariant(lambda self: True, "i")\nclass C:\n    x = 1\n')[2] == [
        ("C", "hollow invariant: it is constant")
    ]


def test_an_empty_folder_is_not_complete(tmp_path: Path) -> None:
    assert not contract_coverage(tmp_path).complete


def test_declared_total_functions_are_listed(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text('@total("why")\n@ensure(lambda result: result > 0, "r")\ndef f(x):\n    return 1\n')
    found = contract_coverage(tmp_path)
    assert found.complete
    assert found.declared_total == (f"{tmp_path / 'm.py'}:3 f",)
