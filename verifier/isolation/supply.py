"""``isolated``: the oracles of a supply, each call of them answered by another process within a time limit."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from grpocheck.core import Supply
from grpocheck.core.arithmetic.choice import settings_of
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.reals import Real
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.counting import CountedArithmetic
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.guard import WITHIN_A_POLICY
from grpocheck.core.prompt import Prompt
from grpocheck.core.received import in_a_line
from grpocheck.core.violations import Clause, ClauseBroken
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.isolation.child import serve_supply
from grpocheck.verifier.isolation.link import MEGABYTES, MOST_SAID, SECONDS, Link, NotReady, forked, started
from grpocheck.verifier.isolation.wire import NotSent, Wire, read_count

ORACLES = ("draws", "reward", "policy", "domain", "gradient")
EXPECTED = "oracles other than the arithmetic, whose numbers would have to live in two processes"


@contextmanager
def isolated(
    supply: Supply | str, *, seconds: float = SECONDS, megabytes: int | None = MEGABYTES
) -> Iterator[Supply]:
    """A supply whose oracles run in one process of their own, which ends with the block.

    A text ``module:attribute`` is imported there and nowhere else; a Supply at hand is taken along by a fork. A call
    that gives no answer within ``seconds``, or a process that ends, breaks the clause of every supplied operation: the
    run ends with SupplyViolation. ``megabytes`` bounds the addresses of the process; what it prints goes to stderr.
    Raises BadOption where there is no such supply, and for a supplied arithmetic.

    >>> from grpocheck.core import Supply, read_problem, run
    >>> problem = read_problem("examples/undefined_gradient.toml")
    >>> with isolated(Supply(domain=lambda theta: theta[0] < 1), seconds=5) as supply:
    ...     print(run(problem, supply).status)
    undefined-gradient
    """
    try:
        if isinstance(supply, str):
            link, names = started("supply", supply, seconds, megabytes)
        else:
            given = supply
            link, names = forked(lambda end: serve_supply(end, given, megabytes), seconds)
    except NotReady as unfit:
        raise BadOption("--supply", supply, unfit.problem, unfit.expected) from unfit
    try:
        if isinstance(names, list) and "arithmetic" in names:
            raise BadOption("--isolate", ", ".join(map(str, names)), "it supplies an arithmetic", EXPECTED)
        if not isinstance(names, list) or not all(name in ORACLES for name in names):
            raise BadOption("--supply", supply, "its process sent what are no names of oracles", "oracles")
        yield standing_in(link, names)
    finally:
        link.close()


def standing_in(link: Link, names: Sequence[str]) -> Supply:
    """What stands in for the oracles of a process."""
    caller = Caller(link, Wire())
    plain: dict[str, Any] = {
        "draws": lambda masses, prompt, t, i: caller.ask("draws", None, masses, prompt, t, i),
        "reward": lambda prompt, response: caller.ask("reward", None, prompt, response),
        "domain": lambda theta: caller.ask("domain", None, theta),
        "gradient": lambda frozen, theta: caller.ask("gradient", None, frozen, theta),
    }
    policy = IsolatedPolicy(caller) if "policy" in names else None
    return Supply(policy=policy, **{name: plain[name] for name in names if name != "policy"})


@dataclass(frozen=True)
class IsolatedPolicy:
    """A policy in another process."""

    caller: "Caller"

    def masses(self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic) -> Sequence[Scalar]:
        """The masses that it answers."""
        masses: Sequence[Scalar] = self.caller.ask("policy", "masses", theta, prompt, arithmetic=arithmetic)
        return masses

    def mass_gradients(
        self, theta: Sequence[Scalar], prompt: Prompt, arithmetic: Arithmetic
    ) -> Sequence[Sequence[Scalar]]:
        """The mass gradients that it answers."""
        rows: Sequence[Sequence[Scalar]] = self.caller.ask(
            "policy", "mass_gradients", theta, prompt, arithmetic=arithmetic
        )
        return rows


@dataclass
class Caller:
    """Asks the oracles of a process."""

    link: Link
    wire: Wire

    def ask(self, oracle: str, method: str | None, *arguments: object, arithmetic: Arithmetic | None = None) -> Any:
        """The answer of an oracle. Raises ClauseBroken for what is none, and UndecidedComparison where it did."""
        lent = arithmetic.supplied if isinstance(arithmetic, CountedArithmetic) else arithmetic
        if lent is not None:
            self.wire.arithmetic = lent
        elif (table := table_in(arguments)) is not None:
            self.wire.arithmetic = EnclosureArithmetic(max_bits=table.max_bits)
            self.wire.arithmetic.table = table
        try:
            call = {
                "oracle": oracle,
                "method": method,
                "arguments": [self.wire.written(argument) for argument in arguments],
                "arithmetic": None if lent is None else settings_of(lent),
            }
            if mentions_other(call["arguments"]):
                raise NotSent("numbers of this arithmetic: exact and enclosed ones can be sent")
            answer = self.link.ask(call)
            self.wire.until = time.monotonic() + self.link.seconds
            if "answer" in answer:
                if isinstance(arithmetic, CountedArithmetic):
                    for name, count in zip(WITHIN_A_POLICY, answer.get("counts", ()), strict=False):
                        setattr(arithmetic.ledger, name, getattr(arithmetic.ledger, name) + read_count(count))
                return self.wire.read(answer["answer"])
            if "undecided" in answer:
                left, right, (lower, upper), bits = answer["undecided"]
                raise UndecidedComparison(str(left), str(right), (str(lower), str(upper)), max(1, read_count(bits)))
        except (NotSent, TypeError, ValueError) as error:
            self.link.close()
            raise ClauseBroken(Clause.ANSWERS, f"its process cannot be sent, or sent, {error}") from error
        raise ClauseBroken(Clause.ANSWERS, in_a_line(str(answer.get("raised", "sent no answer")), MOST_SAID))


def table_in(value: object) -> Any:
    """The table of an enclosed number among arguments; None where there is none."""
    if isinstance(value, Real):
        return value.table
    if isinstance(value, FrozenIteration):
        return table_in(value.theta_old)
    found = [table_in(entry) for entry in value] if isinstance(value, tuple) else []
    return next((table for table in found if table is not None), None)


def mentions_other(written: Any) -> bool:
    """Whether a written value holds one that has no writing."""
    if isinstance(written, dict):
        return any(mentions_other(part) for part in written.values())
    return isinstance(written, list) and (
        (len(written) == 2 and written[0] == "other") or any(mentions_other(part) for part in written)
    )
