"""The process of a supply: it finds the oracles, answers the calls that come, and ends with whoever started it.

Run as a module with the number of a socket that it inherits; or entered by a fork, with the supply at hand.
"""

import contextlib
import os
import resource
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any

from grpocheck.core import Supply
from grpocheck.core.arithmetic.choice import arithmetic_of
from grpocheck.core.arithmetic.errors import UndecidedComparison
from grpocheck.core.arithmetic.supply import Arithmetic
from grpocheck.core.counting import CountedArithmetic
from grpocheck.core.guard import WITHIN_A_POLICY
from grpocheck.core.ledger import Bounds, Ledger
from grpocheck.core.received import error_in_words
from grpocheck.proofs.lifeline import end_with
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.isolation.frames import Gone, receive, send
from grpocheck.verifier.isolation.memory import bound_addresses
from grpocheck.verifier.isolation.wire import NotSent, Wire
from grpocheck.verifier.supplied.loading import load_supply

LAST_DESCRIPTOR = 2**20


def keep_to_itself(megabytes: int | None) -> None:
    """Lead a session of one's own, print to stderr, read nothing, and take no more memory than is allowed."""
    end_with(os.getppid())
    with contextlib.suppress(OSError):
        os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes is not None:
        bound_addresses(megabytes * 2**20 + addresses())


def addresses() -> int:
    """The bytes of addresses that this process takes already; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:
            return int(told.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def close_all_but(number: int) -> None:
    """Close what was open where this process was forked from (a trace that is being written, say), and keep one."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    last = min(most, LAST_DESCRIPTOR) if most > 0 else LAST_DESCRIPTOR
    os.closerange(3, number)
    os.closerange(number + 1, last)


class Answering:
    """The answers of a supply to the calls of a run."""

    def __init__(self, supply: Supply) -> None:
        """Answer for these oracles."""
        self.supply = supply
        self.wire = Wire()
        self.arithmetics: dict[str, Arithmetic] = {}

    def names(self) -> list[str]:
        """The oracles that are supplied."""
        return [name for name, oracle in vars(self.supply).items() if oracle is not None]

    def answer(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """What comes of a call, as a message."""
        try:
            if call["arithmetic"] is not None:
                return self.answer_of_a_policy(call)
            arguments = [self.wire.read(argument) for argument in call["arguments"]]
            return {"answer": self.wire.written(getattr(self.supply, call["oracle"])(*arguments))}
        except UndecidedComparison as error:
            return {"undecided": [error.left, error.right, list(error.enclosures), error.bits]}
        except NotSent as error:
            return {"raised": f"its process cannot send or read {error}"}
        except BaseException as error:
            return {"raised": f"raised {error_in_words(error)}"}

    def answer_of_a_policy(self, call: Mapping[str, Any]) -> dict[str, Any]:
        """A policy's answer, with the counts of what it did with the arithmetic."""
        settings = call["arithmetic"]
        key = repr(sorted(settings.items()))
        if key not in self.arithmetics:
            self.arithmetics[key] = arithmetic_of(settings)
        self.wire.arithmetic = arithmetic = self.arithmetics[key]
        arguments = [self.wire.read(argument) for argument in call["arguments"]]
        ledger = Ledger(Bounds(1, 1), 1)
        found = getattr(self.supply.policy, call["method"])(*arguments, CountedArithmetic(arithmetic, ledger))
        return {"answer": self.wire.written(found), "counts": [getattr(ledger, name) for name in WITHIN_A_POLICY]}


def serve(end: socket.socket, answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Answer one call after another until nobody asks any more."""
    while True:
        try:
            send(end, answer(receive(end)))
        except Gone:
            return


def serve_supply(end: socket.socket, supply: Supply, megabytes: int | None) -> None:
    """The body of a forked process; never returns into what it was forked from."""
    try:
        keep_to_itself(megabytes)
        close_all_but(end.fileno())
        answering = Answering(supply)
        send(end, {"ready": answering.names()})
        serve(end, answering.answer)
    finally:
        os._exit(0)


def main() -> None:
    """The body of a process of its own: told where to find the supply, it says which oracles there are."""
    end = socket.socket(fileno=int(sys.argv[1]))
    told = receive(end)
    keep_to_itself(told["megabytes"])
    sys.path[:] = told["path"]
    try:
        ready, answer = SERVICES[told["service"]](told)
    except BadOption as option:
        send(end, {"bad": option.problem, "expected": option.expected})
    except BaseException as error:
        send(end, {"bad": f"raised {error_in_words(error)}"})
    else:
        send(end, {"ready": ready})
        serve(end, answer)
    os._exit(0)


Service = tuple[Any, Callable[[Mapping[str, Any]], dict[str, Any]]]


def of_a_supply(told: Mapping[str, Any]) -> Service:
    """A supply by its name."""
    answering = Answering(load_supply(told["name"]))
    return answering.names(), answering.answer


def of_a_loss(told: Mapping[str, Any]) -> Service:
    """A loss function by its name, and how it is called."""
    from grpocheck.verifier.isolation.losses import answering

    return answering(told)


SERVICES: Mapping[str, Callable[[Mapping[str, Any]], Service]] = {"supply": of_a_supply, "loss": of_a_loss}


if __name__ == "__main__":
    main()
