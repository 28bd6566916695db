"""How a command that is typed wrongly is answered: on one line of stderr, as everything else that is wrong."""

import re
import sys
from typing import Any

import typer
from grpocheck.verifier.failures import BAD_INPUT, INTERRUPTED, say, stop_printing
from typer.core import TyperGroup

INVALID = re.compile(r"Invalid value for '(?P<name>[^']+)': (?P<what>.+)")

EXTRA = re.compile(r"extra argument\S* \((?P<word>[^ )]+)")

TYPED = "grpocheck.typed"
"""Where the words of the command line are kept, from the one on that should name a command."""

PARSING = re.compile(r", (?:unable to parse string as|got) an? .*")
"""What typer says beside the expectation of how it reads a value."""
OURS = {
    "Input should be a valid integer": "expected a whole number, such as 7",
    "Input should be a valid": "expected a",
    "Input should be": "expected",
}
"""Typer's words for what it expects, the longest first, and ours."""


class Commands(TyperGroup):
    """The commands; what typer refuses is one line, and not a box of several that leaves the value out."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Do what was asked and end the process; what could not be understood ends it with exit status 2."""
        if not options.get("standalone_mode", True):
            return super().main(*arguments, **options)
        try:
            status = super().main(*arguments, **{**options, "standalone_mode": False})
        except SystemExit as end:
            if not isinstance(end.__context__, BrokenPipeError):
                raise
            stop_printing()  # whoever read the help has gone away, which is no error
            status = 0
        except typer.Abort:  # how an interrupt comes that no command has begun to answer
            say("interrupted")
            status = INTERRUPTED
        except Exception as error:
            if not hasattr(error, "format_message"):  # what every refusal of typer has, whichever click it brings
                raise
            text = " ".join(error.format_message().split())
            if text:  # without one the help has been shown: nothing at all was asked for
                say(f"grpocheck: {refusal(error, text)}")
            status = BAD_INPUT
        sys.exit(status)

    def parse_args(self, context: Any, words: list[str]) -> list[str]:
        """Read the words; those by which other commands are asked for help or their version are understood too."""
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        return super().parse_args(context, ["--version"] if words == ["-V"] else words)

    def resolve_command(self, context: Any, words: list[str]) -> Any:
        """The command that is named; what was typed is kept, for what is said where there is none of that name."""
        context.meta[TYPED] = words
        return super().resolve_command(context, words)


def refusal(error: Any, text: str) -> str:
    """A refusal with the value, and with what is probably meant or where it is said how the command is called."""
    context = getattr(error, "ctx", None)
    found = INVALID.fullmatch(text)
    if found is not None:
        expected = PARSING.sub("", found["what"])
        for theirs, ours in OURS.items():
            expected = expected.replace(theirs, ours)
        text = ": ".join([found["name"], *value_of(error, expected), expected])
    if context is None:
        return text
    advice = meant(error, context, text) or f"{context.command_path} --help says what there is"
    return f"{text.removesuffix('.')}; {advice}"


def value_of(error: Any, what: str) -> list[str]:
    """The value that was refused, where typer knows it and did not show it."""
    errors = getattr(error.__cause__, "errors", None)
    value = errors()[0].get("input") if errors is not None else None
    return [] if value is None or repr(value) in what else [repr(value)]


def meant(error: Any, context: Any, text: str) -> str:
    """What was probably meant: an argument that has no name, or the option that code of one's own goes with."""
    called, option = context.command_path, getattr(error, "option_name", None)
    first, *others = context.meta.get(TYPED, [""])
    if text.startswith("No such command") and first.endswith((".toml", ".jsonl")):
        named = next((word for word in others if word in context.command.commands), None)
        usual = "run" if first.endswith(".toml") else "replay"
        return f"expected the command before the file: {called} {named or usual} {first}"
    if called.endswith(" prove") and "extra argument" in text:
        return f"put the property in quotes: {called} 'F_next >= F' PROBLEM"
    extra = EXTRA.search(text)
    if called.endswith(" claims") and extra is not None:
        return f"it lists all of them, and one is explained by {called.removesuffix('claims')}explain {extra['word']}"
    for parameter in context.command.params:
        word = str(parameter.metavar or parameter.name)
        if parameter.param_type_name == "argument" and option == f"--{parameter.name}":
            return f"expected {word} without a name before it: {called} {word}"
        if word == "MODULE:ATTRIBUTE" and "extra argument" in text and ":" in text:
            return f"expected {parameter.opts[0]} before it: {called} ... {parameter.opts[0]} {word}"
    return ""
