"""The session: one command a line, from a terminal with history and completion, or from a pipe."""

import cmd
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from grpocheck.core.arithmetic import DigitBudgetExceeded, UndecidedComparison
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.problem import Problem
from grpocheck.core.reading import KEYS, read_problem
from grpocheck.core.values import known_keys
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.commands.claims import explain
from grpocheck.verifier.commands.prove import shelved_named, verdict_lines
from grpocheck.verifier.failures import BAD_INPUT, BadOption, message_of
from grpocheck.verifier.files import check_place, problem_at, write_text
from grpocheck.verifier.printing import printable, without_commands
from grpocheck.verifier.properties import SHELF, CheckFailed, PropertyError, Scope, check_in_process
from grpocheck.verifier.properties.quantities import QUANTITIES, Level, known_names
from grpocheck.verifier.properties.runs import read_text
from grpocheck.verifier.repl.changing import SHORT, changed, without
from grpocheck.verifier.repl.walk import Walk, summary, walked

VIEWS = ("theta", "groups", "ledger", "problem", "names")
BUDGET = 60.0
MOST_HISTORY = 1000
KNOWN = (BadOption, CheckFailed, DigitBudgetExceeded, InvalidProblem, OSError, PropertyError, UndecidedComparison,
         UnicodeError)  # fmt: skip
"""What a person can act on: said on one line, and the session goes on."""

ENDS = ("q", "exit", "exit()", "quit()")
"""What ends a session beside quit."""

ELSEWHERE = {"n": "step", "next": "step"}
"""What other programs that are walked through call a command of this one."""

SAVED_BY_HAND = "it is there, has more in it than a saved problem, and would be lost"


def is_as_written(path: Path) -> bool:
    """Whether a file is just what writing the problem in it gives: no comments, nothing of another kind."""
    try:
        return problem_to_toml(read_problem(path)) == path.read_text(encoding="utf-8")
    except (InvalidProblem, UnicodeDecodeError):
        return False


class Session(cmd.Cmd):
    """Commands on a problem and its run."""

    prompt = "grpocheck> "
    intro = "help lists the commands, help COMMAND says what one does; quit ends the session"

    def __init__(self, stdin: IO[str] | None = None, stdout: IO[str] | None = None) -> None:
        """A session without a problem; without a terminal there is no prompt and no intro."""
        super().__init__(stdin=stdin, stdout=stdout)
        self.problem: Problem | None = None
        self.walk: Walk | None = None
        self.counterexample: str | None = None
        self.failed = False
        self.at_terminal = stdin is None and sys.stdin.isatty()
        if not self.at_terminal:
            self.use_rawinput = False
            self.prompt, self.intro = "", ""

    def say(self, text: str) -> None:
        """Print, without commands to a terminal in what was read."""
        print(without_commands(text), file=self.stdout, flush=True)

    def refuse(self, message: str) -> None:
        """Say on one line what was wrong."""
        self.failed = True
        self.say(f"error: {' '.join(message.split())}")

    def onecmd(self, line: str) -> bool:
        """Run one line; what a person can act on is one line, too, and Ctrl-C ends the command alone."""
        try:
            return line.strip() in ENDS or bool(super().onecmd(line))
        except PropertyError as error:
            self.refuse(f"property, column {error.column}: {error.message}")
        except KNOWN as error:
            self.refuse(message_of(error))
        except KeyboardInterrupt:
            self.refuse("interrupted")
        return False

    def emptyline(self) -> bool:
        """An empty line does nothing."""
        return False

    def default(self, line: str) -> None:
        """A line that is no command."""
        if line.lstrip().startswith("#"):
            return
        word = line.split()[0]
        meant = f"{ELSEWHERE[word]} (did you mean that?)" if word in ELSEWHERE else known_keys(word, self.commands())
        raise BadOption("command", word[:40], "there is no such command", meant)

    def do_help(self, line: str) -> None:
        """help [COMMAND]: the commands, or what one does."""
        name = line.strip()
        if name and name not in self.commands():
            raise BadOption("help", name[:40], "there is no such command", known_keys(name, self.commands()))
        super().do_help(name)

    def commands(self) -> list[str]:
        """The commands."""
        return sorted(name.removeprefix("do_") for name in self.get_names() if name.startswith("do_"))

    def get_names(self) -> list[str]:
        """What help and completion know of: all but the end of the input."""
        return [name for name in super().get_names() if name != "do_EOF"]

    def current(self) -> Problem:
        """The problem, once there is one."""
        if self.problem is None:
            raise BadOption("problem", None, "none is loaded", "load FILE first, or shelf NAME")
        return self.problem

    def walking(self) -> Walk:
        """The run of the problem, made when it is first walked."""
        if self.walk is None:
            self.walk = walked(self.current())
            self.problem = self.walk.problem
        return self.walk

    def take(self, problem: Problem) -> None:
        """Go on with a problem."""
        self.problem, self.walk = problem, None

    def do_load(self, line: str) -> None:
        """load FILE: read a problem file."""
        if not line.strip():
            raise BadOption("load", None, "no file is named", "load FILE")
        self.take(problem_at(Path(line.strip())))
        self.say(f"loaded {line.strip()}: {shape(self.current())}")

    def do_run(self, line: str) -> None:
        """run: run the problem to its end and say how it ended."""
        walk = self.walking()
        walk.place = len(walk.attempts)
        self.say(summary(walk))

    def do_step(self, line: str) -> None:
        """step [N]: go N inner steps forward, 1 if not said."""
        self.moved(count(line), "the run ends here")

    def do_back(self, line: str) -> None:
        """back [N]: go N inner steps back, 1 if not said."""
        self.moved(-count(line), "the run begins here")

    def moved(self, by: int, end: str) -> None:
        """Move along the run and say where that is."""
        walk = self.walking()
        inside = walk.move(by)
        self.say(walk.here() if inside else f"{end}: {walk.here()}")

    def do_show(self, line: str) -> None:
        """show theta|groups|ledger|problem|names, or a name such as ratio: what there is where the walk stands."""
        views: dict[str, Callable[[], Iterator[str]]] = {
            "theta": lambda: iter([self.walking().theta()]),
            "groups": lambda: self.walking().groups(),
            "ledger": lambda: self.walking().ledger(),
            "problem": lambda: iter(problem_to_toml(self.current()).splitlines()),
            "names": lambda: (f"{entry.name}: {entry.meaning}" for entry in QUANTITIES.values()),
        }
        name = line.strip() or "groups"
        if name in QUANTITIES and QUANTITIES[name].level is Level.STEP:
            raise BadOption("show", name, "it belongs to a step", "step, and then the name of the parameter there")
        view = views.get(name, (lambda: self.walking().quantity(name)) if name in QUANTITIES else None)
        if view is None:
            near = get_close_matches(name[:40], shown_names(), n=1)
            others = f"one of {', '.join(VIEWS)}, or a name that show names lists, such as ratio"
            expected = f"{near[0]} (did you mean that?)" if near else others
            raise BadOption("show", name[:40], "there is nothing of that name to show", expected)
        for shown in view():
            self.say(shown)

    def do_set(self, line: str) -> None:
        """set KEY VALUE: change anything, as in set epsilon 0.3, set prompts[1].rewards [1, 0], set draws.seed 7."""
        key, _, value = line.strip().partition(" ")
        if not value.strip():
            raise BadOption("set", line.strip(), "a key and a value are needed", "such as set epsilon 0.3")
        problem, also = changed(self.current(), key, value.strip())
        self.take(problem)
        self.say(f"{key} = {value.strip()}" + (f" ({also})" if also else ""))

    def do_unset(self, line: str) -> None:
        """unset domain|draws: leave a table of the problem out."""
        self.take(without(self.current(), line.strip()))
        self.say(f"without {line.strip()}")

    def do_prove(self, line: str) -> None:
        """prove [--scope run|draws|shape] [--budget SECONDS] PROPERTY: whether it holds, or that of a shelved name."""
        scope, budget, text = options(line)
        shelved = shelved_named(text)
        result = check_in_process(shelved.property if shelved else text, self.walking().problem, scope, budget)
        for shown in verdict_lines(result):
            self.say(shown)
        if result.counterexample is not None:
            self.counterexample = result.counterexample
            self.say("  open      goes on with the counterexample")

    def do_open(self, line: str) -> None:
        """open: go on with the problem of the last counterexample."""
        if self.counterexample is None:
            raise BadOption("open", None, "there is no counterexample", "a refuted property first: prove ...")
        self.take(read_text(self.counterexample))
        self.say(f"opened the counterexample: {shape(self.current())}")

    def do_shelf(self, line: str) -> None:
        """shelf [NAME]: the ready properties, or one of them with its problem, which is loaded."""
        name = line.strip()
        if not name:
            for entry in SHELF.values():
                self.say(f"{entry.name}: {entry.title} ({entry.verdict}, {entry.scope})")
            return
        if name not in SHELF:
            raise BadOption("shelf", name, "there is none of that name", f"one of {', '.join(SHELF)}")
        self.take(SHELF[name].problem)
        self.say(f"{name}: {SHELF[name].property}")
        self.say(f"its problem is loaded: {shape(self.current())}; prove --scope {SHELF[name].scope} {name}")

    def do_explain(self, line: str) -> None:
        """explain WORD: what a claim, status or verdict means."""
        explain(line.strip(), as_json=False)

    def do_save(self, line: str) -> None:
        """save FILE: write the problem, with the seed of its run if it has been run."""
        if not line.strip():
            raise BadOption("save", None, "no file is named", "save FILE")
        path, problem = Path(line.strip()), self.current()
        if path.is_file() and not is_as_written(path):
            raise BadOption("save", path, SAVED_BY_HAND, "another file")
        check_place("save", path)
        write_text(path, problem_to_toml(problem))
        self.say(f"saved {printable(path)}")

    def do_quit(self, line: str) -> bool:
        """quit: end the session."""
        return True

    def do_EOF(self, line: str) -> bool:  # noqa: N802 - the name that cmd calls at the end of the input
        """The end of the input ends the session."""
        if self.at_terminal:
            self.say("")
        return True

    def completenames(self, text: str, *ignored: object) -> list[str]:
        """The commands that begin with a text."""
        return [name for name in self.commands() if name.startswith(text)]

    def complete_show(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """What can be shown."""
        return [name for name in shown_names() if name.startswith(text)]

    def complete_set(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """The keys of a problem."""
        return [key for key in (*SHORT, *KEYS) if key.startswith(text)]

    def complete_prove(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """The names of the language, the shelf and the scopes."""
        if line[:begin].rstrip().endswith("--scope"):
            return [scope for scope in Scope if scope.startswith(text)]
        return [name for name in (*known_names(), *SHELF) if name.startswith(text)]

    def complete_shelf(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """The names on the shelf."""
        return [name for name in SHELF if name.startswith(text)]

    def complete_load(self, text: str, line: str, begin: int, end: int) -> list[str]:
        """Files and folders."""
        written = line.partition(" ")[2]
        cut = len(written) - len(text)
        folder, name = os.path.split(written)
        found = sorted(path for path in Path(folder).iterdir() if path.name.startswith(name))
        return [f"{path}{'/' if path.is_dir() else ''}"[cut:] for path in found]

    complete_save = complete_load


def shown_names() -> list[str]:
    """What show takes: the views, and the quantities that do not belong to a step."""
    known = [name for name, entry in QUANTITIES.items() if entry.level is not Level.STEP and name not in VIEWS]
    return [*VIEWS, *known]


def count(line: str) -> int:
    """How many steps."""
    text = line.strip() or "1"
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise BadOption("step", text[:40], "it is no count", "a number of steps such as 3")
    return int(text)


def shape(problem: Problem) -> str:
    """The shape of a problem on one line."""
    return (
        f"M = {len(problem.prompts)}, G = {problem.group_size}, T = {problem.outer_iterations}, "
        f"K = {problem.inner_steps}, {problem.family.name}"
    )


def options(line: str) -> tuple[str, float, str]:
    """The scope, the budget and the property of a line."""
    scope, budget, rest = str(Scope.RUN), BUDGET, line.strip()
    while rest.startswith("--"):
        option, _, after = rest.partition(" ")
        value, _, rest = after.strip().partition(" ")
        if option == "--scope" and value in list(Scope):
            scope = value
        elif option == "--budget":
            budget = seconds(value)
        else:
            raise BadOption(option, value, "it is no such option", f"--scope {'|'.join(Scope)} or --budget SECONDS")
        rest = rest.strip()
    return scope, budget, rest


def seconds(text: str) -> float:
    """A budget."""
    with suppress(ValueError):
        if 0.1 <= float(text) <= 86_400:
            return float(text)
    raise BadOption("--budget", text, "it is no budget", "seconds from 0.1 to 86400")


def history_file() -> Path:
    """Where the lines of a session are kept for the next one."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "grpocheck" / "history"


@contextmanager
def history() -> Iterator[None]:
    """Within the block the lines typed are remembered, those of earlier sessions with them."""
    try:
        import readline
    except ImportError:
        yield
        return
    path = history_file()
    with suppress(OSError):
        readline.read_history_file(path)
    readline.set_completer_delims(" ()[],+-*/^<>=:")
    try:
        yield
    finally:
        readline.set_history_length(MOST_HISTORY)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)


def repl(problem: Path | None) -> int:
    """A session on the standard streams; 0, or 2 where a line from a pipe was refused."""
    session = Session(None if sys.stdin.isatty() else sys.stdin)
    if problem is not None:
        session.onecmd(f"load {problem}")
    if session.at_terminal:
        with history():
            while True:
                try:
                    session.cmdloop()
                    break
                except KeyboardInterrupt:
                    session.say("^C; quit ends the session")
                    session.intro = ""
        return 0
    session.cmdloop()
    return BAD_INPUT if session.failed else 0
