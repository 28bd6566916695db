"""Pages that show commands: each is run again, in order, and shows what it prints now.

    python -m grpocheck.verifier.pages.console docs/tutorial.md README.md

rewrites the pages, where the folder examples is. What follows ``$ `` in a block fenced as console is a command; all
commands of a page run in one folder, which holds a copy of examples/. A block of another kind below ``<!-- file: NAME
-->`` is put there as a file first; a console block below ``<!-- not run: why -->`` stays as it is. An output that was
cut by hand ("... (7 more lines)") is cut again after as many lines.
"""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from grpocheck.verifier.failures import BAD_INPUT, say
from grpocheck.verifier.files import write_text
from grpocheck.verifier.pages.transcript import DURATION, masked, shortened, spoken, workshop

BLOCK = re.compile(r"(?:^<!-- (file|not run): (.*?) -->\n+)?^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CUT = re.compile(r"\.\.\. \((\d+) more lines\)")
PROMPT = "$ "

Speak = Callable[[str, Path], tuple[str, int]]
"""What runs a command line in a folder: what it prints, and its exit status."""


def commands_of(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown of it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith(PROMPT):
            found.append((line.removeprefix(PROMPT), []))
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(lines).rstrip("\n")) for command, lines in found]


def again(command: str, shown: str, folder: Path, speak: Speak) -> str:
    """What a command prints now, cut where what is shown was cut; what is shown, where only durations differ."""
    cut = CUT.search(shown)
    most = shown[: cut.start()].count("\n") if cut else None
    told = shortened(*speak(command, folder), most)
    return shown if DURATION.sub(masked, told) == DURATION.sub(masked, shown) else told


def rerun(page: str, folder: Path, speak: Speak = spoken) -> str:
    """A page whose commands were run in a folder, with what they print now."""

    def renewed(match: re.Match[str]) -> str:
        mark, word, language, body = match.groups()
        if mark == "file":
            (folder / word).write_text(body, encoding="utf-8")
        if mark is not None or language != "console":
            return match.group()
        told = [(command, again(command, shown, folder, speak)) for command, shown in commands_of(body)]
        lines = "\n\n".join(f"{PROMPT}{command}\n{output}".rstrip("\n") for command, output in told)
        return f"```console\n{lines}\n```"

    return BLOCK.sub(renewed, page)


def main(arguments: Sequence[str]) -> int:
    """Run the commands of every page that is named again, and rewrite it."""
    if not arguments or not Path("examples").is_dir():
        say("usage, where the folder examples is: python -m grpocheck.verifier.pages.console PAGE...")
        return BAD_INPUT
    for name in arguments:
        page = Path(name)
        with workshop() as folder:
            write_text(page, rerun(page.read_text(encoding="utf-8"), folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
