"""W3, C4, C1 to C3, G3: supplied oracles held to their clauses, calls counted, draws decided by their bits."""

import hashlib
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from pathlib import Path
from typing import Any

from grpocheck.contracts.clauses import resting
from grpocheck.core import (
    UNDEFINED_GRADIENT,
    Problem,
    Supply,
    TraceError,
    TraceMismatch,
    TraceWriter,
    problem_from_mapping,
    read_problem,
    replay,
    run,
)
from grpocheck.core.arithmetic import EnclosureArithmetic, ExactArithmetic, MpArithmetic, UndecidedComparison
from grpocheck.core.draws import SeededDraws, decided_position, uniform_bits
from grpocheck.core.violations import SupplyViolation
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.refusals import GOOD, changed
from grpocheck.proofs.groundwork.traces import EXAMPLES, lines_of, traced, write_lines
from grpocheck.proofs.shipped import examples


def scripted(answers: list[Any]) -> Callable[..., Any]:
    """An oracle that gives these answers in turn; an error among them is raised."""
    left = iter(answers)

    def oracle(*_arguments: Any) -> Any:
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return oracle


@groundwork(
    "W3",
    "C4",
    scope="supplied oracles that answer and that break each clause; replays without them",
    files=("examples/*.toml",),
)
def supplied_oracles_are_held_to_their_clauses(expect: Expectations) -> None:
    """Answers are read back from a trace; a broken clause ends the run with its name, its call and the ledger."""
    problem = problem_from_mapping(GOOD)
    half, exact = Fraction(1, 2), ExactArithmetic()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        for answers, status in (
            ([(Fraction(1, 3),), (Fraction(-1, 2),)], "complete"), ([[1], UNDEFINED_GRADIENT], "undefined-gradient"),
            ([(20,)], "invalid-update"),
        ):  # fmt: skip
            supply = Supply(
                draws=scripted(["bad", "good"]), reward=scripted([Fraction(2, 7), 3]), gradient=scripted(answers),
                domain=lambda theta: bool(0 < theta[0] < 1),
            )  # fmt: skip
            outcome = traced(problem, path, supply)
            expect.same(f"{answers}: the status", str(outcome.status), status)
            expect.same(f"{answers}: the source", outcome.draw_source, {"source": "supplied"})
            expect.same(
                f"{answers}: the oracles", lines_of(path)[0]["supplied"], ["draws", "reward", "domain", "gradient"]
            )
            expect.same(f"{answers}: replayed without them", replay(path).to_mapping(), outcome.to_mapping())
            group = outcome.iterations[0].frozen.groups[0]
            expect.same(f"{answers}: the draws", (group.positions, group.rewards), ((1, 0), (Fraction(2, 7), 3)))
        check_violations(expect, problem, path)
        theta = half + half * (exact.sqrt(Fraction(2)) - 1)
        outside = Supply(gradient=scripted([(1,), (1,)]), domain=lambda _theta: True)
        run(problem_from_mapping(changed(GOOD, "inner_steps", 1)), outside)
        expect.refused("a domain beyond the family's", SupplyViolation,
                       lambda: run(problem, Supply(gradient=scripted([(20,)]), domain=lambda _t: True)),
                       "answers True exactly on U")  # fmt: skip
        expect.refused(
            "theta_0 outside", ValueError, lambda: run(problem, Supply(domain=lambda _t: False)), "answers True"
        )
        irrational = run(problem, Supply(gradient=scripted([(theta,), (0,)])))
        expect.same("an irrational answer", "sqrt(2)" in str(irrational.to_mapping()["theta"]), True)
        same = Supply(gradient=scripted([(1,), (1,)]))
        traced(problem, path, same)
        lines = lines_of(path)
        place = next(n for n, line in enumerate(lines) if line["event"] == "gradient")
        write_lines(path, [*lines[:place], {**lines[place], "answer": ["x"]}, *lines[place + 1 :]])
        expect.refused(
            "an answer that is no number", TraceError, lambda: replay(path), f"line {place + 1}: 'x': expected an exact"
        )
        write_lines(path, [*lines[:place], *lines[place + 1 :]])
        expect.refused(
            "no answer",
            TraceMismatch,
            lambda: replay(path),
            f"line {place + 1}: event: 'membership': expected 'gradient'",
        )
        write_lines(
            path, [*lines[:place], {key: v for key, v in lines[place].items() if key != "answer"}, *lines[place + 1 :]]
        )
        expect.refused("an empty answer", TraceMismatch, lambda: replay(path), f"line {place + 1}: answer: None")
        given = Supply(gradient=scripted([(1,), (1,)]))
        write_lines(path, lines)
        expect.same("the supply again", str(replay(path, given).status), "complete")


def check_violations(expect: Expectations, problem: Problem, path: Path) -> None:
    """One supply for each clause that can be broken."""
    half = Fraction(1, 2)

    class Masses:
        """A policy with given answers."""

        def __init__(self, masses: Any, rows: Any) -> None:
            """What is answered."""
            self.answers = masses, rows

        def masses(self, *_arguments: Any) -> Any:
            """The given masses."""
            return self.answers[0]

        def mass_gradients(self, *_arguments: Any) -> Any:
            """The given rows."""
            return self.answers[1]

    good, rows = (half, half), ((1,), (-1,))
    broken: list[tuple[Supply, str, str]] = [
        (Supply(draws=scripted(["ugly"])), "draw 1 of prompt 'q' in outer iteration 1: answered 'ugly'",
            "draws: return supported"),
        (Supply(draws=scripted([3])), "answered 3, expected one of ['good', 'bad']", "draws: return supported"),
        (Supply(draws=scripted([KeyError("x")])), "raised KeyError: 'x'", "terminates with an answer"),
        (Supply(reward=scripted([0.5])), "answered the float 0.5, where Fraction('0.5') is", "finite scalars"),
        (Supply(reward=scripted([True])), "answered True of type bool", "rewards: are finite"),
        (Supply(reward=scripted(["1"])), "reward of response 'good' of prompt 'q': answered '1' of type str",
            "rewards: are finite"),
        (Supply(gradient=scripted([3])),
            "gradient attempt 1 of outer iteration 1: answered 3 of type int, not a tuple", "d numbers"),
        (Supply(gradient=scripted([(1, 2)])), "answered 2 entries, expected 1", "d numbers"),
        (Supply(gradient=scripted([("x",)])), "answered 'x' of type str", "finite scalars"),
        (Supply(domain=scripted([True, 1])), "answered 1", "answers True or False"),
        (Supply(domain=scripted([True, 0])), "answered 0", "answers True or False"),
        (Supply(policy=Masses((half,), rows)), "policy masses of prompt 'q': answered 1 entries, expected 2",
            "one for each response"),
        (Supply(policy=Masses((1, 0), rows)), "mass 0 of response 'bad', expected above 0", "positive on exactly"),
        (Supply(policy=Masses((half, Fraction(1, 3)), rows)), "masses with sum 5/6, expected 1", "sum to 1"),
        (Supply(policy=Masses(good, ((1,),))), "policy mass gradients of prompt 'q': answered [[1]], expected 2 rows",
            "one row of d"),
        (Supply(policy=Masses(good, 3)), "answered 3, expected 2 rows", "one row of d"),
        (Supply(policy=Masses(good, ((1,), (1, 1)))), "answered 2 entries, expected 1", "one row of d"),
        (Supply(policy=Masses(good, ((1,), (1,)))), "column 1 of 1 has sum 2, expected 0", "zero vector"),
    ]  # fmt: skip
    for supply, call, clause in broken:
        error = expect.refused(
            call,
            SupplyViolation,
            lambda: traced(problem, path, supply),
            call,
            "broken clause of the supply: ",
            clause,
        )
        ledger = getattr(error, "ledger", None)
        lines = lines_of(path)
        expect.same(f"{call}: the last line", (lines[-1]["event"], lines[-1]["error"], lines[-1]["message"]),
                    ("error", "SupplyViolation", str(error)))  # fmt: skip
        drawn = sum(line["event"] == "draw" for line in lines) + ("draw 1" in str(error))
        expect.same(f"{call}: the ledger so far", getattr(ledger, "draws", None), drawn)
    traced_error = scripted([UndecidedComparison("a", "b", ("c", "d"), 5)])
    expect.refused(
        "a limit of the arithmetic is passed on",
        UndecidedComparison,
        lambda: traced(problem, path, Supply(gradient=traced_error)),
    )
    expect.refused(
        "an error in a trace", TraceError, lambda: replay(path), "ended here with UndecidedComparison", "--supply"
    )
    again = Supply(gradient=scripted([UndecidedComparison("a", "b", ("c", "d"), 5)]))
    expect.refused("the same error again", UndecidedComparison, lambda: replay(path, again), "not decided at 5 bits")
    other = Supply(gradient=scripted([UndecidedComparison("a", "b", ("c", "d"), 6)]))
    expect.refused("another error", TraceMismatch, lambda: replay(path, other), "message: ")
    good_answers = Supply(gradient=scripted([(0,), (0,)]))
    expect.refused("no error", TraceMismatch, lambda: replay(path, good_answers), "event: 'error': expected 'gradient'")
    lists = Supply(policy=Masses([half, half], [[1], [-1]]), gradient=scripted([[0], (Fraction(0),)]))
    expect.same("lists do as well as tuples", str(run(problem, lists).status), "complete")
    expect.refused("no run, no trace", FileNotFoundError, lambda: never_run(path.with_name("none.jsonl")))


def never_run(path: Path) -> str:
    """A writer that is closed before a run begins."""
    with TraceWriter(path):
        pass
    if list(path.parent.glob("none*")):
        raise AssertionError("a file is left")
    return path.read_text()


class Told:
    """An arithmetic that counts what it is asked beside the conditions of contracts, around that of enclosures."""

    name = "told"

    def __init__(self) -> None:
        """Nothing asked yet."""
        self.exact = EnclosureArithmetic()
        self.asked: Counter[str] = Counter()

    def __getattr__(self, operation: str) -> Any:
        """The operation, counted."""
        answer = getattr(self.exact, operation)

        def told(*arguments: Any) -> Any:
            self.asked[operation] += not resting()
            return answer(*arguments)

        return told


@groundwork(
    "C1",
    "C2",
    "C3",
    "W3",
    scope="the example problems with an arithmetic that counts its calls",
    files=("examples/*.toml",),
)
def ledgers_count_the_calls(expect: Expectations) -> None:
    """Draws, attempts and membership calls are those of the claims; what the arithmetic was asked for is counted."""
    for name in EXAMPLES:
        problem = read_problem(examples() / f"{name}.toml")
        told: Any = Told()
        outcome = run(problem, Supply(draws=lambda m, p, t, i: p.responses[i % len(p.responses)]), arithmetic=told)
        ledger, status = outcome.ledger, str(outcome.status)
        drawn = len(outcome.iterations) * len(problem.prompts) * problem.group_size
        expect.same(f"{name}: draws", ledger.draws, drawn)
        expect.same(f"{name}: attempts", ledger.gradient_attempts, ledger.steps_applied + (status != "complete"))
        answered = ledger.gradient_attempts - (status == "undefined-gradient")
        expect.same(f"{name}: membership calls", ledger.membership_calls, answered)
        counted = {"square_roots": "sqrt", "logarithms": "log", "exponentials": "exp"}
        for entry, operation in counted.items():
            expect.same(f"{name}: {entry}", getattr(ledger, entry), told.asked[operation])
        # not counted: the comparisons that hold policy and domain to their clauses, one a mass and one an inequality
        natural = problem.family.natural_domain().inequalities(problem.theta)
        uncounted = ledger.mass_evaluations + ledger.steps_applied * len(natural)
        compared = sum(told.asked[operation] for operation in ("less", "equal", "minimum", "maximum"))
        expect.same(f"{name}: comparisons", ledger.comparisons, compared - uncounted)
        size = sum(len(prompt.responses) for prompt in problem.prompts)
        points = 1 + ledger.steps_applied
        expect.same(f"{name}: masses", ledger.mass_evaluations, size * points)
        bounds = ledger.bounds
        expect.same(f"{name}: the bounds", (bounds.draws, bounds.gradient_attempts), (
            problem.outer_iterations * len(problem.prompts) * problem.group_size,
            problem.outer_iterations * problem.inner_steps))  # fmt: skip
        expect.same(f"{name}: the names", list(ledger.to_mapping()), [
            "draws", "gradient_attempts", "membership_calls", "steps_applied", "outer_iterations_started",
            "reward_evaluations",
            "mass_evaluations", "square_roots", "logarithms", "exponentials", "comparisons"])  # fmt: skip


@groundwork(
    "G3", "W3", scope="bits of SHA-256 and the draws they decide, three prompts, two iterations, five arithmetics"
)
def draws_are_those_of_their_bits(expect: Expectations) -> None:
    """The bits by hashlib, the response by the cumulative masses below a number of 300 bits."""
    for seed, place in ((0, (1, 0, 1)), (7, (2, 1, 3)), (2**255, (1, 2, 12))):
        text = "/".join(map(str, (seed, *place)))
        expected = "".join(
            "".join(f"{byte:08b}" for byte in hashlib.sha256(f"{text}/{block}".encode()).digest()) for block in range(3)
        )
        bits = uniform_bits(seed, place)
        expect.same(f"bits of {text}", "".join(str(next(bits)) for _ in range(600)), expected[:600])
    masses = tuple(Fraction(k, 21) for k in (1, 5, 9, 6))
    arithmetics: list[Any] = [ExactArithmetic(), EnclosureArithmetic(), MpArithmetic(60)]
    base = problem_from_mapping(GOOD).prompts[0]
    share = (Fraction(1, 4),) * 4
    prompts = [
        replace(
            base, position=n, name=f"q{n}", responses=tuple("abcd"), rewards=share, reference=share, response_set=()
        )
        for n in range(3)
    ]
    for arithmetic in arithmetics:
        draws = SeededDraws(11, arithmetic)
        for prompt in prompts:
            for t in (1, 2):
                for i in range(1, 8):
                    word = hashlib.sha256(f"11/{t}/{prompt.position}/{i}/0".encode()).digest()
                    uniform = Fraction(int.from_bytes(word, "big"), 2**256)
                    position = sum(edge <= uniform for edge in accumulate(masses[:-1]))
                    given = tuple(arithmetic.number(mass) for mass in masses)
                    expect.same(f"{arithmetic.name}: draw {t}, {i}", draws(given, prompt, t, i), "abcd"[position])
    exact = ExactArithmetic()
    for law, bits_given, position, used in (
        ((1, 1), "0", 0, 1), ((1, 1), "1", 1, 1), ((1, 3), "00", 0, 2), ((1, 3), "01", 1, 2), ((1, 3), "1", 1, 1),
        ((3, 1), "0", 0, 1), ((3, 1), "11", 1, 2), ((1, 2, 1), "00", 0, 2), ((1, 2, 1), "01", 1, 2),
        ((1, 2, 1), "10", 1, 2),
        ((1, 2, 1), "11", 2, 2), ((1,), "", 0, 0), ((5, 3), "100", 0, 3), ((5, 3), "101", 1, 3),
    ):  # fmt: skip
        taken: list[str] = []

        def bits_of(word: str = bits_given, taken: list[str] = taken) -> Any:
            for bit in word:
                taken.append(bit)
                yield int(bit)

        found = decided_position([Fraction(part, sum(law)) for part in law], bits_of(), exact)
        expect.same(f"{law}: {bits_given}", (found, len(taken)), (position, used))
