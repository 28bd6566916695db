"""Which functions lack a contract, and which contracts say nothing.

The rule for core: every function, method, property and nested function carries a postcondition, and a precondition or
``@total("why")`` where it has parameters of its own. A class with an invariant gives its ``__init__`` and
``__post_init__`` the postcondition. Bodies that are only a docstring, ``...`` or ``pass`` (protocols) are exempt.
A contract is hollow when it is constant, mentions no argument, compares an expression with itself or restates a type.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grpocheck.contracts.claims import CORE, claims_named_in

Function = ast.FunctionDef | ast.AsyncFunctionDef

CONTRACTS = ("require", "ensure", "invariant")


@dataclass(frozen=True)
class Gap:
    """A function without a contract that it owes, or a contract that says nothing."""

    path: Path
    line: int
    name: str
    reason: str

    def __str__(self) -> str:
        """The gap as one line that an editor can jump to."""
        return f"{self.path}:{self.line} {self.name}: {self.reason}"


@dataclass(frozen=True)
class Coverage:
    """What was found in a folder: how many functions, which gaps, which functions are declared total."""

    functions: int
    covered: int
    gaps: tuple[Gap, ...]
    declared_total: tuple[str, ...]
    stated: Mapping[str, int] | None = None
    """How many contracts name each claim; under CORE, how many there are. None: not counted."""

    @property
    def complete(self) -> bool:
        """Whether there is at least one function and no gap."""
        return self.functions > 0 and not self.gaps


def contract_coverage(folder: Path) -> Coverage:
    """The contract coverage of every Python file under a folder."""
    functions = covered = 0
    gaps: list[Gap] = []
    declared_total: list[str] = []
    stated: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node, owner in definitions(tree, None):
            name = f"{owner.name}.{node.name}" if owner is not None else node.name
            for description in descriptions(node):
                stated.update((CORE, *claims_named_in(description)))
            if isinstance(node, ast.ClassDef):
                gaps.extend(Gap(path, line, name, reason) for line, reason in hollow_contracts(node))
                continue
            if is_stub(node):
                continue
            functions += 1
            if "total" in decorator_names(node):
                declared_total.append(f"{path}:{node.lineno} {name}")
            missing = missing_contracts(node, owner)
            hollow = list(hollow_contracts(node))
            covered += not missing and not hollow
            if missing:
                gaps.append(Gap(path, node.lineno, name, f"no {' and no '.join(missing)}"))
            gaps.extend(Gap(path, line, name, reason) for line, reason in hollow)
    return Coverage(functions, covered, tuple(gaps), tuple(declared_total), stated)


def definitions(
    node: ast.AST, owner: ast.ClassDef | None
) -> Iterator[tuple[Function | ast.ClassDef, ast.ClassDef | None]]:
    """Every function and class under a node, however deeply nested, each with the class that owns it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield child, owner
            yield from definitions(child, child)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, owner
            yield from definitions(child, None)
        else:
            yield from definitions(child, owner)


def missing_contracts(function: Function, owner: ast.ClassDef | None) -> list[str]:
    """Which of precondition and postcondition a function owes and does not have."""
    names = decorator_names(function)
    invariant = owner is not None and "invariant" in decorator_names(owner)
    constructor = function.name in ("__init__", "__post_init__")
    missing = []
    if own_parameters(function) and not names & {"require", "total"}:
        missing.append("precondition")
    if "ensure" not in names and not (constructor and invariant):
        missing.append("postcondition")
    return missing


def descriptions(node: Function | ast.ClassDef) -> Iterator[str]:
    """The description of each contract on a function or class, as far as it is a text; empty where it has none."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and last_name(decorator) in CONTRACTS:
            texts = [*decorator.args[1:2], *(k.value for k in decorator.keywords if k.arg == "description")]
            parts = [part for text in texts for part in (text.values if isinstance(text, ast.JoinedStr) else [text])]
            yield "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))


def decorator_names(node: Function | ast.ClassDef) -> set[str]:
    """The last names of the decorators: ``clauses.require(...)`` and ``require(...)`` are both ``require``."""
    return {last_name(decorator) for decorator in node.decorator_list}


def last_name(decorator: ast.expr) -> str:
    """The last name of a decorator expression, or nothing where it has none."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    if isinstance(target, ast.Attribute):
        return target.attr
    return target.id if isinstance(target, ast.Name) else ""


def own_parameters(function: Function) -> list[str]:
    """The parameters that a caller fills in, so neither self nor cls."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    starred = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [argument.arg for argument in [*named, *starred] if argument.arg not in ("self", "cls")]


def is_stub(function: Function) -> bool:
    """Whether the body is only a docstring, ``...`` or ``pass``."""
    return all(
        isinstance(line, ast.Pass) or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        for line in function.body
    )


def hollow_contracts(node: Function | ast.ClassDef) -> Iterator[tuple[int, str]]:
    """The line and the fault of every contract on a function or class that says nothing."""
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or last_name(decorator) not in CONTRACTS:
            continue
        conditions = decorator.args[:1] or [k.value for k in decorator.keywords if k.arg == "condition"]
        for condition in conditions:
            if isinstance(condition, ast.Lambda):
                reason = emptiness(condition)
                if reason is not None:
                    yield condition.lineno, f"hollow {last_name(decorator)}: {reason}"


def emptiness(condition: ast.Lambda) -> str | None:
    """Why a condition says nothing, or None where it may say something."""
    body = condition.body
    arguments = {argument.arg for argument in (*condition.args.args, *condition.args.kwonlyargs)}
    if isinstance(body, ast.Constant):
        return "it is constant"
    if not any(isinstance(part, ast.Name) and part.id in arguments for part in ast.walk(body)):
        return "it mentions no argument"
    if restates_type(body):
        return "it restates a type"
    if is_tautology(body):
        return "it is true of every value"
    return None


def restates_type(expression: ast.expr) -> bool:
    """Whether an expression is an isinstance test, membership in (True, False), or a conjunction of such."""
    if isinstance(expression, ast.BoolOp):
        return all(restates_type(value) for value in expression.values)
    if isinstance(expression, ast.Call):
        return isinstance(expression.func, ast.Name) and expression.func.id in ("isinstance", "callable")
    if isinstance(expression, ast.Compare) and isinstance(expression.ops[0], ast.In):
        choices = expression.comparators[0]
        if isinstance(choices, ast.Tuple | ast.List | ast.Set):
            return {ast.unparse(choice) for choice in choices.elts} == {"True", "False"}
    return False


def is_tautology(expression: ast.expr) -> bool:
    """Whether an expression is true by its form: ``x == x``, ``x <= x``, or an alternative that is a true constant."""
    if isinstance(expression, ast.BoolOp) and isinstance(expression.op, ast.Or):
        return any(isinstance(value, ast.Constant) and bool(value.value) for value in expression.values)
    return (
        isinstance(expression, ast.Compare)
        and len(expression.ops) == 1
        and isinstance(expression.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE)
        and ast.dump(expression.left) == ast.dump(expression.comparators[0])
    )
