"""The reference of the commands, from what the command line itself declares."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args

from grpocheck.verifier.cli import OVERVIEW, VERBS, Verb
from typer.models import ArgumentInfo, OptionInfo


def commands_page(remake: str) -> str:
    """The page: every command under its panel, in the order of the help."""
    about, _, statuses = OVERVIEW.partition("\b\n")
    pieces = ["# Commands", about.strip(), " ".join(statuses.split()), f"Made from the commands by `{remake}`."]
    panel = ""
    for verb in VERBS:
        if verb.panel != panel:
            panel = verb.panel
            pieces.append(f"## {panel}")
        pieces += command_entry(verb)
    return "\n\n".join(pieces) + "\n"


def command_entry(verb: Verb) -> Iterator[str]:
    """One command: how it is called, what it does, its arguments and options, examples, its exit statuses."""
    declared = [(name, *declaration(parameter)) for name, parameter in parameters_of(verb)]
    arguments = [shown_argument(name, info, default) for name, info, default in declared if is_argument(info)]
    yield f"### {verb.name}"
    yield f"    grpocheck {' '.join([verb.name, *arguments, '[OPTIONS]'])}"
    yield inspect.getdoc(verb.command) or ""
    rows = [row(name, info, default) for name, info, default in declared]
    if rows:
        yield "\n".join(["| | |", "|---|---|", *rows])
    yield "\n".join(f"    {example}" for example in verb.examples)
    yield f"Exit status: {verb.statuses}."


def parameters_of(verb: Verb) -> Iterator[tuple[str, inspect.Parameter]]:
    """The parameters of a command by name."""
    yield from inspect.signature(verb.command).parameters.items()


def declaration(parameter: inspect.Parameter) -> tuple[ArgumentInfo | OptionInfo, Any]:
    """What typer was told of a parameter, and its default."""
    (info,) = (each for each in get_args(parameter.annotation) if isinstance(each, ArgumentInfo | OptionInfo))
    return info, parameter.default


def is_argument(info: ArgumentInfo | OptionInfo) -> bool:
    """Whether it is told by its place and not by a name."""
    return isinstance(info, ArgumentInfo)


def shown_argument(name: str, info: ArgumentInfo | OptionInfo, default: Any) -> str:
    """An argument in the line that shows how a command is called."""
    word = str(info.metavar or name.upper())
    return word if default is inspect.Parameter.empty or word.startswith("[") else f"[{word}]"


def row(name: str, info: ArgumentInfo | OptionInfo, default: Any) -> str:
    """A row of the table: the option with its value, and what it says."""
    if is_argument(info):
        title = f"`{str(info.metavar or name.upper()).strip('[]').removesuffix('...').strip(']')}`"
    else:
        names = " / ".join(info.param_decls or (f"--{name.replace('_', '-')}",))
        title = f"`{names}{f' {info.metavar}' if info.metavar else ''}`"
    says = (info.help or "").replace("|", "\\|")
    plain = default not in (inspect.Parameter.empty, None, False, True)
    return f"| {title.replace('|', chr(92) + '|')} | {says}{f' Default: `{default}`.' if plain else ''} |"
