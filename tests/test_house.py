"""Habits of the whole house, held by walking its files."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from grpocheck.contracts.claims import GROUNDWORK, REGISTRY, STATED, Kind, claims_named_in
from grpocheck.contracts.coverage import contract_coverage
from grpocheck.contracts.observation import clauses_of
from grpocheck.proofs.evidence import MODULES, discover
from grpocheck.proofs.symbolic.harness import all_harnesses

HOUSE = Path(__file__).resolve().parent.parent
ROOMS = ("contracts", "core", "proofs", "verifier", "package")
MOST_LINES = 400

# Who may import whom: verifier -> proofs -> core -> contracts.
BELOW = {
    "contracts": {"contracts"},
    "core": {"core", "contracts"},
    "proofs": {"proofs", "core", "contracts"},
    "verifier": {"verifier", "proofs", "core", "contracts"},
    "package": {"verifier"},
}
# Importing CrossHair switches icontract off in the process, so only these may do it.
MAY_IMPORT_CROSSHAIR = ("contracts/exact_reals/", "proofs/symbolic/")


def sources(*rooms: str) -> list[Path]:
    return sorted(path for room in rooms for path in (HOUSE / room).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, f"{path}:{node.lineno}: an import by dots"
            assert not node.level, f"{path}:{node.lineno}: an import by dots"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_function_of_core_carries_its_contracts() -> None:
    coverage = contract_coverage(HOUSE / "core")
    assert [str(gap) for gap in coverage.gaps] == []
    assert coverage.covered == coverage.functions > 100


def test_the_registry_counts_the_contracts_of_core() -> None:
    """As many as are stated, so that each one that is deleted later is missed; a new one is to be counted."""
    assert dict(sorted((contract_coverage(HOUSE / "core").stated or {}).items())) == dict(sorted(STATED.items()))


def test_no_file_is_long() -> None:
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sources(*ROOMS, "tests")}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_everything_public_says_what_it_is(room: str) -> None:
    silent = []
    for path in sources(room):
        tree = tree_of(path)
        nodes: list[ast.Module | ast.ClassDef | ast.FunctionDef] = [tree]
        classes = [
            node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
        ]
        nodes += classes
        nodes += [
            node
            for owner in (tree, *classes)
            for node in owner.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        ]
        silent += [f"{path}:{getattr(node, 'name', 'module')}" for node in nodes if not ast.get_docstring(node)]
    assert silent == []


def test_there_is_no_float_in_core() -> None:
    floats = [
        f"{path}:{node.lineno}"
        for path in sources("core")
        for node in ast.walk(tree_of(path))
        if (isinstance(node, ast.Constant)
        and isinstance(node.value, float | complex))
        or (isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("float", "complex"))
    ]
    assert floats == []


def test_contracts_name_claims_that_exist() -> None:
    """A description that begins like a claim's identifier names one of the registry."""
    like_a_claim = re.compile(r"[A-Z]\d+(?:, [A-Z]\d+)*:")
    unknown = []
    seen = 0
    for clause, _ in clauses_of("grpocheck.core"):
        label = like_a_claim.match(clause.description)
        if label is not None:
            seen += 1
            named = label.group(0)[:-1].split(", ")
            if tuple(named) != clause.claims or not set(named) <= set(REGISTRY):
                unknown.append(f"{clause.subject}: {clause.description}")
    assert unknown == []
    assert seen > 50


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    wrong = []
    for path in sources(room):
        for name in imports(path):
            head, _, rest = name.partition(".")
            if head == "grpocheck" and rest not in ("", "__version__") and rest.split(".")[0] not in BELOW[room]:
                wrong.append(f"{path} imports {name}")
    assert wrong == []


def test_only_symbolic_work_imports_crosshair() -> None:
    found = [
        f"{path} imports {name}"
        for path in sources(*ROOMS)
        if not str(path.relative_to(HOUSE)).startswith(MAY_IMPORT_CROSSHAIR)
        for name in imports(path)
        if name.split(".")[0] == "crosshair"
    ]
    assert found == []


def test_the_command_and_its_evidence_do_not_load_crosshair() -> None:
    code = (
        "import sys, grpocheck.verifier.verification, grpocheck.verifier.commands.run\n"
        "import grpocheck.proofs.evidence as evidence\n"
        "from grpocheck.proofs.symbolic.harness import all_harnesses\n"
        "from grpocheck.verifier.evidence.symbolic import key_of\n"
        "evidence.discover()\n"
        "keys = [key_of(entry, text) for entry in all_harnesses() for text in entry.postconditions]\n"
        "assert len(set(keys)) == len(keys) > 0\n"
        "print([name for name in sys.modules if name.startswith('crosshair')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=HOUSE)
    assert done.stdout.strip() == "[]"


def test_every_evidence_module_is_listed() -> None:
    """A module that declares evidence and is not in MODULES would never run."""
    declaring = {
        ".".join(("grpocheck", *path.relative_to(HOUSE).with_suffix("").parts))
        for path in sources("proofs")
        if re.search(r"^@(?:evidence|groundwork)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert declaring == set(MODULES)
    assert {entry.module for entry in discover()} == set(MODULES)


def test_the_registry_requires_no_more_than_is_declared() -> None:
    """What is required and not even declared would be lost in every verification."""
    harnesses = Counter(
        claim for entry in all_harnesses() for text in entry.postconditions for claim in claims_named_in(text)
    )
    declared = Counter((claim, entry.kind) for entry in discover() for claim in entry.claims)
    for claim in (*REGISTRY.values(), *GROUNDWORK.values()):
        assert claim.requires.get(Kind.SYMBOLIC, 0) <= harnesses[claim.id], claim.id
        for kind in set(claim.requires) - {Kind.SYMBOLIC}:
            assert declared[claim.id, kind] >= 1, (claim.id, kind)


def test_every_package_is_installed() -> None:
    """A folder that pyproject.toml does not list works here and is missing from a wheel."""
    with (HOUSE / "pyproject.toml").open("rb") as stream:
        listed = set(tomllib.load(stream)["tool"]["setuptools"]["packages"])
    there = {
        ".".join(("grpocheck", *path.parent.relative_to(HOUSE).parts))
        for room in ROOMS
        for path in (HOUSE / room).rglob("__init__.py")
    }
    files_alone = {
        ".".join(("grpocheck", *path.relative_to(HOUSE).parts))
        for path in (*HOUSE.glob("examples/**/"), HOUSE / "proofs" / "coq", HOUSE / "verifier" / "studio" / "static")
        if path.name != "__pycache__"
    }
    assert listed == {name.replace("grpocheck.package", "grpocheck") for name in there} | files_alone


def test_every_name_of_a_module_is_used() -> None:
    """By another module, its own, a string that names it (an entry point, a lesson) or a decorator that takes it."""
    trees = {path: tree_of(path) for path in sources(*ROOMS, "benchmarks")}
    imported, elsewhere, loads = set(), {"__all__"}, Counter[tuple[Path, str]]()
    for path, tree in trees.items():
        prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings name much
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                imported |= {(node.module, alias.name) for alias in node.names}
            elif isinstance(node, ast.Attribute):
                elsewhere.add(node.attr)
            elif isinstance(node, ast.Name):
                loads[path, node.id] += isinstance(node.ctx, ast.Load)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
                elsewhere |= set(re.findall(r"\w+", node.value))
    unused = []
    for path in sources(*ROOMS):
        module = ".".join(("grpocheck", *path.relative_to(HOUSE).with_suffix("").parts)).removesuffix(".__init__")
        for node in trees[path].body:
            names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
            if isinstance(node, ast.Assign):
                names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                names = [node.target.id]
            for name in names:
                if getattr(node, "decorator_list", []) or (module, name) in imported or name in elsewhere:
                    continue
                itself = sum(isinstance(each, ast.Name) and each.id == name for each in ast.walk(node))
                if loads[path, name] <= itself - isinstance(node, ast.Assign | ast.AnnAssign):
                    unused.append(f"{path}:{node.lineno} {name}")
    assert unused == []


def test_nothing_is_left_unfinished() -> None:
    marks = re.compile(r"\b(?:TODO|FIXME|XXX)\b|raise NotImplementedError\b")
    found = [
        f"{path}:{number}"
        for path in sources(*ROOMS)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if marks.search(line)
    ]
    assert found == []
