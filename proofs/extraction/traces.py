"""A recorded trace beside the model: with the recorded answers, does the extracted procedure take the same steps?

The model is given the answers that the trace records, by the position of the call. The calls that it makes, their
order, what is proposed and applied, the status, the counts and the parameter that it ends with each have to stand in
the trace. Where a number is not rational, vectors are numbered and the numbers stand for them: then the arithmetic of
the update is not compared, but still which parameter is used where.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from grpocheck.core.trace import read_trace
from grpocheck.proofs.extraction.model import ask_model, word, words
from grpocheck.proofs.extraction.runs import LEDGER, Script, Step

MOST_CALLS = 1_000_000
"""Draws and inner steps of a plan that the model is asked about at most."""

LONGEST_END = 400
RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[1-9][0-9]{0,3999})?")

FIELDS: Mapping[str, tuple[str, ...]] = {
    "start": ("schema", "problem", "draws", "supplied", "theta", "arithmetic"),
    "outer-iteration": ("t", "theta_old"),
    "draw": ("t", "prompt", "i", "response"),
    "reward": ("t", "prompt", "i", "reward"),
    "group": ("t", "prompt", "mean", "deviation", "advantages", "old_masses"),
    "arithmetic": ("name", "reason"),
    "gradient": ("t", "k", "theta", "answer"),
    "membership": ("t", "k", "proposal", "answer"),
    "apply": ("t", "k", "theta", "objective"),
    "stop": ("t", "k", "status"),
    "outcome": ("status", "theta", "arithmetic", "arithmetic_reason", "draws", "ledger", "bounds", "steps"),
}
"""The events of a trace and their fields."""

VECTORS = ("theta_old", "theta", "proposal", "answer")

Interval = tuple[Fraction, Fraction]
Entry = list[Any]


class NotComparable(Exception):  # noqa: N818 - named for what it says
    """A trace that the model cannot be asked about; the message says why."""


@dataclass(frozen=True)
class Opinion:
    """How many events of a trace the model has too, the first line that it has not and why; and whether numbers
    were compared (or vectors by what stands for them)."""

    events: int
    line: int | None = None
    reason: str = ""
    numbers: bool = True


def interval(entry: Any) -> Interval | str:
    """The ends of an enclosure, or the text of anything else."""
    ends = entry if isinstance(entry, list) and len(entry) == 2 else ()
    if ends and all(isinstance(end, str) and len(end) < LONGEST_END and not end.strip("-.e0123456789") for end in ends):
        return Fraction(ends[0]), Fraction(ends[1])
    return json.dumps(entry)


def overlap(left: Interval | str, right: Interval | str) -> bool:
    """Whether two entries may be the same number."""
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    return left[0] <= right[1] and right[0] <= left[1]


class Numbering:
    """Numbers that stand for vectors: vectors that may be the same get the same one."""

    def __init__(self) -> None:
        """No vector is known yet."""
        self.known: list[list[Interval | str]] = []

    def __call__(self, vector: Any) -> Fraction:
        """The number of a vector: that of the latest one that it may be, else a new one."""
        entries = [interval(entry) for entry in vector]
        for place in range(len(self.known) - 1, -1, -1):
            if len(entries) == len(self.known[place]) and all(map(overlap, entries, self.known[place])):
                return Fraction(place)
        self.known.append(entries)
        return Fraction(len(self.known) - 1)


def exact(entry: Any) -> Fraction | None:
    """The rational that an entry states; None for any other, and for the decimals of mp, which are rounded."""
    return Fraction(entry) if isinstance(entry, str) and RATIONAL.fullmatch(entry) else None


class Recorded:
    """The protocol part of a trace: its events, each with its line, and its answers by the position of the call."""

    def __init__(self, path: Path) -> None:
        """Read a trace. Raises TraceError for no whole one, NotComparable for what the model knows nothing of."""
        self.lines = list(read_trace(path))
        start = self.lines[0][1]
        if any(fields["event"] == "error" for _, fields in self.lines):
            raise NotComparable("the run ended in an error, which is no status of the procedure")
        try:
            self.read_header(start["problem"], start["supplied"])
            self.rational = all(None not in map(exact, vector) for vector in self.vectors())
            self.number = Numbering()
            self.number_of_reward = Numbering()
            self.theta = self.vector(start["problem"]["theta"] if self.rational else start["theta"])
            self.answers()
            self.events = [(line, self.event(fields)) for line, fields in self.lines]
        except (ArithmeticError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise NotComparable(f"no run that the model could be given: {type(error).__name__}: {error}") from error

    def read_header(self, problem: Any, supplied: Any) -> None:
        """The plan: prompts, supports, rewards, T, G, K and the step sizes."""
        self.outer, self.inner = problem["outer_iterations"], problem["inner_steps"]
        self.size = problem["group_size"]
        self.positions = {prompt["name"]: place for place, prompt in enumerate(problem["prompts"])}
        self.supports = [list(prompt.get("responses", prompt["rewards"])) for prompt in problem["prompts"]]
        self.rewards: dict[tuple[int, int], Fraction] = {}
        self.own_rewards = "reward" not in supplied
        for place, (prompt, support) in enumerate(zip(problem["prompts"], self.supports, strict=True)):
            keys = support if isinstance(prompt["rewards"], dict) else range(len(support))
            self.rewards |= {(place, y): Fraction(prompt["rewards"][key]) for y, key in enumerate(keys)}
        rows = problem.get("step_sizes") or [[problem["step_size"]] * self.inner] * self.outer
        self.step_sizes = [list(map(Fraction, row)) for row in rows]
        if self.outer * (len(self.supports) * self.size + self.inner) > MOST_CALLS:
            raise NotComparable(f"more than {MOST_CALLS} calls in its plan")

    def vectors(self) -> list[Any]:
        """Every vector of the trace, and every reward as one."""
        found = [fields[key] for _, fields in self.lines for key in VECTORS if isinstance(fields.get(key), list)]
        return found + [[fields.get("reward")] for _, fields in self.lines if fields["event"] == "reward"]

    def vector(self, said: Any) -> tuple[Fraction, ...]:
        """A vector as the model has it: itself, or the number that stands for it."""
        if self.rational:
            return tuple(exact(entry) or Fraction(0) for entry in said)
        return (self.number(said),)

    def reward(self, said: Any) -> Fraction:
        """A reward as the model has it."""
        return exact(said) or Fraction(0) if self.rational else self.number_of_reward([said])

    def answers(self) -> None:
        """The recorded answers by the position of their call; the first one where a position comes twice."""
        self.drawn: dict[Any, int] = {}
        self.gradients: dict[Any, tuple[Fraction, ...] | None] = {}
        self.members: dict[Any, bool] = {}
        given: dict[tuple[int, int], Fraction] = {}
        asked: dict[Any, Any] = {}
        for _, fields in self.lines:
            call = json.dumps([fields.get(key) for key in ("t", "k", "prompt", "i")])
            place = self.positions.get(fields.get("prompt"), -1)
            if fields["event"] == "draw" and place >= 0 and fields["response"] in self.supports[place]:
                self.drawn.setdefault(call, self.supports[place].index(fields["response"]))
            elif fields["event"] == "reward" and call in self.drawn:
                given.setdefault((place, self.drawn[call]), self.reward(fields["reward"]))
            elif fields["event"] == "gradient":
                asked.setdefault(call, self.vector(fields["theta"]))
                answer = fields["answer"] if isinstance(fields["answer"], list) else None
                stated = self.vector(answer) if answer is not None and self.rational else (Fraction(0),)
                self.gradients.setdefault(call, None if answer is None else stated)
            elif fields["event"] == "membership":
                self.members.setdefault(call, fields["answer"] is True)
                if not self.rational and self.gradients.get(call) is not None:
                    self.gradients[call] = (self.vector(fields["proposal"])[0] - asked[call][0],)
        if not (self.rational and self.own_rewards):
            self.rewards |= given

    def script(self) -> Script:
        """The plan and the answers, as the model is given them."""
        outer, inner, supports = range(1, self.outer + 1), range(1, self.inner + 1), list(enumerate(self.supports))
        return Script(
            group_size=self.size,
            theta=self.theta,
            rewards=tuple(tuple(self.rewards[q, y] for y in range(len(support))) for q, support in supports),
            references=tuple(tuple(Fraction(1, len(support)) for _ in support) for support in self.supports),
            draws=tuple(
                tuple(
                    tuple(self.drawn.get(json.dumps([t, None, name, i]), 0) for i in range(1, self.size + 1))
                    for name in self.positions
                )
                for t in outer
            ),
            steps=tuple(tuple(self.step(t, k) for k in inner) for t in outer),
        )

    def step(self, t: int, k: int) -> Step:
        """The answers at (t, k)."""
        call = json.dumps([t, k, None, None])
        gradient = self.gradients.get(call)
        fits = gradient is not None and len(gradient) == len(self.theta)
        size = self.step_sizes[t - 1][k - 1] if self.rational else Fraction(1)
        return Step(size, gradient if fits else None, self.members.get(call, False))

    def event(self, fields: Mapping[str, Any]) -> Entry:
        """An event in the form in which the model prints its own; empty for one that the model has not."""
        kind = fields["event"]
        if kind not in FIELDS or set(fields) != {"event", *FIELDS[kind]}:
            return ["other fields", kind, sorted(fields)]
        form: Callable[[Mapping[str, Any]], Entry] = getattr(self, f"_{kind.replace('-', '_')}")
        return form(fields)

    def _prompt(self, fields: Mapping[str, Any]) -> Any:
        return self.positions.get(fields["prompt"], fields["prompt"])

    def _start(self, fields: Mapping[str, Any]) -> Entry:
        return ["start", words(self.vector(fields["theta"]))]

    def _outer_iteration(self, fields: Mapping[str, Any]) -> Entry:
        return ["started", fields["t"], words(self.vector(fields["theta_old"]))]

    def _draw(self, fields: Mapping[str, Any]) -> Entry:
        place, response = self._prompt(fields), fields["response"]
        known = isinstance(place, int) and response in self.supports[place]
        return ["drew", fields["t"], place, fields["i"], self.supports[place].index(response) if known else response]

    def _reward(self, fields: Mapping[str, Any]) -> Entry:
        return ["rewarded", fields["t"], self._prompt(fields), fields["i"], word(self.reward(fields["reward"]))]

    def _group(self, fields: Mapping[str, Any]) -> Entry:
        return ["group", fields["t"], self._prompt(fields)]

    def _arithmetic(self, fields: Mapping[str, Any]) -> Entry:
        return []

    def _gradient(self, fields: Mapping[str, Any]) -> Entry:
        undefined = not isinstance(fields["answer"], list)
        return ["asked_gradient", fields["t"], fields["k"], words(self.vector(fields["theta"])), undefined]

    def _membership(self, fields: Mapping[str, Any]) -> Entry:
        proposal = words(self.vector(fields["proposal"]))
        return ["asked_membership", fields["t"], fields["k"], proposal, fields["answer"]]

    def _apply(self, fields: Mapping[str, Any]) -> Entry:
        return ["applied", fields["t"], fields["k"], words(self.vector(fields["theta"]))]

    def _stop(self, fields: Mapping[str, Any]) -> Entry:
        return ["stop", fields["t"], fields["k"], fields["status"]]

    def _outcome(self, fields: Mapping[str, Any]) -> Entry:
        counts = {name: fields["ledger"].get(name) for name in LEDGER}
        return ["outcome", fields["status"], words(self.vector(fields["theta"])), counts, fields["bounds"]]

    def expected(self, answer: Mapping[str, Any]) -> list[Entry]:
        """The events that the model's own run has, from the start to the outcome."""
        expected: list[Entry] = [["start", words(self.theta)]]
        for kind, *rest in answer["trace"]:
            if kind == "asked_gradient":
                t, k, _, theta, gradient = rest
                expected.append([kind, t, k, theta, gradient is None])
                continue
            expected.append([kind, *rest])
            if kind == "rewarded" and rest[2] == self.size:
                expected.append(["group", *rest[:2]])
        if answer["status"] != "complete":
            expected.append(["stop", *expected[-1][1:3], answer["status"]])
        counts = {name: sum(entry[0] == event for entry in expected) for name, event in LEDGER.items()}
        draws = self.outer * len(self.supports) * self.size
        bounds = {"draws": draws, "gradient_attempts": self.outer * self.inner}
        return [*expected, ["outcome", answer["status"], answer["theta"], counts, bounds]]


def opinion(path: Path, folder: Path, seconds: float) -> Opinion:
    """What the model that was built in a folder finds about a trace.

    Raises TraceError for no whole trace, NotComparable, and ModelFailure where the model's program fails.
    """
    recorded = Recorded(path)
    (answer,) = ask_model(folder, [recorded.script().line()], seconds)
    return compared(recorded, recorded.expected(answer))


def compared(recorded: Recorded, expected: list[Entry]) -> Opinion:
    """The first event of a trace that is not the model's, if there is one."""
    found = [(line, event) for line, event in recorded.events if event]
    for done, ((line, ours), theirs) in enumerate(zip(found, expected, strict=False)):
        if json.dumps(ours, sort_keys=True) != json.dumps(theirs, sort_keys=True):
            return Opinion(done, line, f"{shown(ours)}: the model has {shown(theirs)}", recorded.rational)
    if len(found) != len(expected):
        line = found[len(expected)][0] if len(found) > len(expected) else recorded.lines[-1][0]
        reason = f"{len(found)} events: the model has {len(expected)}"
        return Opinion(min(len(found), len(expected)), line, reason, recorded.rational)
    return Opinion(len(found), numbers=recorded.rational)


def shown(event: Entry) -> str:
    """An event in one short line."""
    text = json.dumps(event)
    return text if len(text) <= 120 else text[:117] + "..."
