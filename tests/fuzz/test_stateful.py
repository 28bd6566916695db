"""Whole conversations: the repl, line after line, and a trace under an editor's hands, reading after reading."""

import io
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from grpocheck.verifier.check import check
from grpocheck.verifier.repl.session import Session
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.check.corruption import EVENTS, text_of
from tests.check.judging import replayed

HOUSE = Path(__file__).resolve().parents[2]
EXAMPLES = ("undefined_gradient", "two_paths", "zero_variance", "invalid_update")
RIGHT = ("autoregressive", "invalid_update", "two_paths", "undefined_gradient")
KEPT = [Path(__file__).parent / "corpus" / "trace" / name for name in RIGHT]
QUICK = settings(max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=list(HealthCheck))

WORDS = ("theta", "groups", "ledger", "problem", "names", "epsilon", "beta", "group_size", "theta[0]", "F", "rho", "B2")
VALUES = ("0", "1/5", "0.2", "-1", "nan", "[1/2]", "[", '"', "1e999999999", "9" * 5000, "é\ud800", "", "true", "\0")
COMMANDS = ("run", "step", "back", "show", "set", "unset", "explain", "help", "shelf", "?", "load", "open", "no such")


class Conversation(RuleBasedStateMachine):
    """Lines to the repl: each ends in an answer or in one line that begins with error."""

    def __init__(self) -> None:
        super().__init__()
        self.out = io.StringIO()
        self.session = Session(io.StringIO(), self.out)

    def say(self, line: str) -> str:
        """The answer to a line."""
        before = len(self.out.getvalue())
        self.session.failed = False
        self.session.onecmd(line)
        answer = self.out.getvalue()[before:]
        assert not self.session.failed or answer.count("error: ") == 1
        assert "Traceback" not in answer
        return answer

    @initialize(name=st.sampled_from(EXAMPLES))
    def load(self, name: str) -> None:
        """Begin with a problem."""
        assert "error" not in self.say(f"load {HOUSE / 'examples' / f'{name}.toml'}")

    @rule(
        command=st.sampled_from(COMMANDS),
        word=st.sampled_from(WORDS),
        value=st.sampled_from(VALUES) | st.text(max_size=8),
    )
    def talk(self, command: str, word: str, value: str) -> None:
        """Say something."""
        self.say(" ".join((command, word, value)).replace("\n", " "))

    @precondition(lambda self: self.session.walk is not None)
    @rule()
    def there_and_back(self) -> None:
        """A step and back again is where one was."""
        before = self.say("show theta")
        if not self.say("step").startswith(("error", "the run ends here")):
            self.say("back")
            assert self.say("show theta") == before


class Edited(RuleBasedStateMachine):
    """A trace that is edited again and again: reading it ends in a verdict, and never in two."""

    @initialize(place=st.integers(0, len(KEPT) - 1))
    def begin(self, place: int) -> None:
        """Begin with a trace that is kept."""
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "trace.jsonl"
        lines = KEPT[place].read_text(encoding="utf-8").splitlines()
        self.events: list[Any] = list(map(json.loads, lines))
        self.status = 0

    @rule(kind=st.sampled_from(sorted(EVENTS)), seed=st.integers(0, 2**32))
    def edit(self, kind: str, seed: int) -> None:
        """Corrupt it once more."""
        if self.events and all(self.events):
            EVENTS[kind][1](self.events, Random(seed))

    @invariant()
    def one_verdict(self) -> None:
        """The checker ends with its line and reason, and rejects nothing that replays."""
        if not hasattr(self, "path"):
            return
        self.path.write_text(text_of(self.events), encoding="utf-8")
        status, why = check(str(self.path))
        assert status in (0, 1, 2, 3)
        assert status == 0 or why.startswith("line ")
        assert not (status in (1, 2) and replayed(self.path))

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestConversation = Conversation.TestCase
TestConversation.settings = QUICK
TestEdited = Edited.TestCase
TestEdited.settings = QUICK
