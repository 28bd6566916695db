"""The reference, made from the docstrings, the signatures and the contracts as they stand in the source.

    python -m grpocheck.verifier.pages.reference docs/reference

writes a page for each part of the public API (public.py says what is public) and one for the commands. Nothing is
imported of what is described, so that the pages do not depend on what is installed.
"""

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grpocheck.contracts.coverage import last_name
from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import check_folder, write_text
from grpocheck.verifier.pages.commands import commands_page
from grpocheck.verifier.pages.public import PAGES, Page, Public, names_of, public_of, text_of

REMAKE = "python -m grpocheck.verifier.pages.reference docs/reference"
HEADINGS = {"require": "Requires", "ensure": "Ensures", "invariant": "Always"}
MOST_CONDITION = 110
"""A condition is shown beside its description up to this many characters; longer ones are read in the source."""

ERROR = re.compile(
    r"\b(?:\w+Error|InvalidProblem|SupplyViolation|TraceMismatch|UndecidedComparison|DigitBudgetExceeded|NotExact"
    r"|TooLarge|TooManyCases|UnknownClaim|BadSetting|BadOption|CheckFailed|CannotRecord|NotATrainer)\b"
)
"""The names of errors as docstrings have them."""

WIDTH = 118
SHORT = 96


def contracts(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The contracts of a function or class: for each kind a heading, then each description with its condition."""
    found: dict[str, list[str]] = {heading: [] for heading in HEADINGS.values()}
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call):
            continue
        kind = last_name(decorator)
        if kind == "total":
            found["Requires"].append(f"nothing: {plain_text(decorator.args[0])}")
        elif kind in HEADINGS:
            condition = decorator.args[0]
            described = plain_text(decorator.args[1]) if len(decorator.args) > 1 else ""
            found[HEADINGS[kind]].append(with_condition(described, condition))
    for heading, lines in found.items():
        if lines:
            yield f"*{heading}*\n\n" + "\n".join(f"- {line}" for line in lines)
    errors = raised(node)
    if errors:
        yield f"*Raises* {', '.join(f'`{name}`' for name in errors)}"


def raised(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The errors of a function: those that it raises itself, and those that its words name."""
    if isinstance(node, ast.ClassDef):
        return []
    named = [name for text in (ast.get_docstring(node) or "", *allowances(node)) for name in ERROR.findall(text)]
    return list(dict.fromkeys([*raised_here(node), *named]))


def raised_here(node: ast.FunctionDef) -> list[str]:
    """The errors that the body of a function raises by name."""
    calls = [
        each.exc.func
        for each in ast.walk(node)
        if isinstance(each, ast.Raise) and isinstance(each.exc, ast.Call) and isinstance(each.exc.func, ast.Name)
    ]
    return list(dict.fromkeys(call.id for call in calls))


def allowances(node: ast.FunctionDef) -> list[str]:
    """Why a function accepts every argument, where it says so."""
    return [
        plain_text(decorator.args[0])
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and last_name(decorator) == "total"
    ]


def with_condition(described: str, condition: ast.expr) -> str:
    """A description and, where it is short, the condition itself."""
    text = ast.unparse(condition.body) if isinstance(condition, ast.Lambda) else ast.unparse(condition)
    shown = f"`{text}`" if len(text) <= MOST_CONDITION else ""
    return ": ".join(filter(None, [escaped(described), shown]))


def plain_text(node: ast.expr) -> str:
    """The text of a description; of one that is put together, its source."""
    return str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)


def escaped(text: str) -> str:
    """A text in which no character is taken for Markdown's."""
    return re.sub(r"([*_<|])", r"\\\1", text)


def signature(name: str, node: ast.FunctionDef, keep_self: bool = False) -> str:
    """A function as it is called: over several lines where one is too long."""
    arguments = node.args
    if not keep_self and arguments.args and arguments.args[0].arg in ("self", "cls"):
        positional = ast.arguments(
            arguments.posonlyargs, arguments.args[1:], arguments.vararg, arguments.kwonlyargs,
            arguments.kw_defaults, arguments.kwarg, arguments.defaults,
        )  # fmt: skip
    else:
        positional = arguments
    returns = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    line = f"{name}({ast.unparse(positional)}){returns}"
    return line if len(line) <= SHORT else "\n".join(textwrap.wrap(line, SHORT, subsequent_indent="    "))


def docstring(node: ast.FunctionDef | ast.ClassDef | ast.Module) -> str:
    """A docstring as Markdown: its examples fenced, its indented lines as they are."""
    text = ast.get_docstring(node) or ""
    return re.sub(
        r"(?:^ *>>> .*\n?)(?:^(?! *$).*\n?)*",
        lambda example: f"```pycon\n{textwrap.dedent(example.group()).rstrip()}\n```\n",
        text,
        flags=re.MULTILINE,
    ).rstrip()


def is_property(node: ast.FunctionDef) -> bool:
    """Whether a method is read like a field."""
    return any(last_name(decorator) in ("property", "cached_property") for decorator in node.decorator_list)


def members(node: ast.ClassDef) -> Iterator[str]:
    """The fields, members and public methods of a class."""
    fields = []
    for place, statement in enumerate(node.body):
        below = text_of(node.body[place + 1]) if place + 1 < len(node.body) else None
        for name in names_of(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else []:
            if not name.startswith("_"):
                fields.append(f"- `{ast.unparse(statement)}`" + (f": {unwrapped(below)}" if below else ""))
    if fields:
        yield "\n".join(fields)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef) and (
            not statement.name.startswith("_") or statement.name == "__call__"
        ):
            title = statement.name if is_property(statement) else signature(statement.name, statement)
            yield f"#### `{unwrapped(title)}`"
            yield from filter(None, [docstring(statement), *contracts(statement)])


def unwrapped(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def entry(public: Public) -> Iterator[str]:
    """One public name: how it is called, what it says of itself, its contracts, and where it stands."""
    node = public.node
    yield f"### {escaped(public.name)}"
    if isinstance(node, ast.FunctionDef):
        yield f"```python\n{signature(public.name, node)}\n```"
        yield docstring(node)
        yield from contracts(node)
    elif isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        yield f"`class {public.name}{f'({bases})' if bases else ''}`"
        yield docstring(node)
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                yield f"```python\n{signature(public.name, method)}\n```"
        yield from contracts(node)
        yield from members(node)
    else:
        text = ast.unparse(node)
        yield f"```python\n{text if len(text) <= WIDTH else text[:WIDTH] + '...'}\n```"
        yield public.below or ""
    yield f"[{public.path.as_posix()}](../../{public.path.as_posix()}), `grpocheck.{public.module}`"


def page_text(page: Page) -> str:
    """A page of the reference."""
    pieces = [f"# {page.title}", page.about, f"Made from the source by `{REMAKE}`."]
    for source in page.sources:
        for public in public_of(source):
            pieces += entry(public)
    return "\n\n".join(filter(None, pieces)) + "\n"


def index_text(pages: Sequence[Page]) -> str:
    """The index of the reference: the pages, each with the names on it."""
    made = f"Made from docstrings, signatures and contracts by `{REMAKE}`."
    lines = ["# Reference", made, "- [Commands](commands.md)"]
    for page in pages:
        names = ", ".join(f"`{public.name}`" for source in page.sources for public in public_of(source))
        lines.append(textwrap.fill(f"- [{page.title}]({page.name}.md): {names}", WIDTH, subsequent_indent="  "))
    lines += [
        "*Requires* and *Ensures* are contracts: they are evaluated when the function is called, unless "
        "`GRPOCHECK_CONTRACTS=off` is set. A description begins with the claim of "
        "[the specification](../specification.md) that it states.",
    ]
    return "\n\n".join([lines[0], lines[1], textwrap.fill(lines[-1], WIDTH), "\n".join(lines[2:-1])]) + "\n"


def reference() -> Mapping[str, str]:
    """Every page by the name of its file."""
    made = {f"{page.name}.md": page_text(page) for page in PAGES}
    return {"README.md": index_text(PAGES), "commands.md": commands_page(REMAKE), **made}


def main(arguments: Sequence[str]) -> int:
    """Write the pages into the folder that is given, and take away pages that were made there and are none any more."""
    if len(arguments) != 1:
        say(f"usage: {inspect.cleandoc(REMAKE).replace('docs/reference', 'FOLDER')}")
        return BAD_INPUT
    folder = Path(arguments[0])
    check_folder("FOLDER", folder)
    pages = reference()
    for name, text in pages.items():
        write_text(folder / name, text)
    for other in set(folder.glob("*.md")) - {folder / name for name in pages}:
        if REMAKE in other.read_text(encoding="utf-8", errors="replace"):
            other.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
