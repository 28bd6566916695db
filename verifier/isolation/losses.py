"""A loss function in a process of its own, with a time limit for every call of it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from grpocheck.core.received import in_a_line
from grpocheck.core.violations import Clause, ClauseBroken, SupplyViolation
from grpocheck.verifier.conform.inputs import Case
from grpocheck.verifier.conform.targets import Answer, Target, loaded, target_of
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.isolation.link import MEGABYTES, MOST_SAID, SECONDS, Link, NotReady, started
from grpocheck.verifier.recompute.bounded import Array

ARRAYS = ("new", "old", "ref", "mask", "advantages", "rewards")
CALLED = ("arrays", "precision", "group_size")


def array_written(values: Array) -> list[Any]:
    """A float64 array: its shape and its bytes."""
    plain = np.ascontiguousarray(values, dtype="<f8")
    return [list(plain.shape), base64.b64encode(plain.tobytes()).decode("ascii")]


def array_read(stated: Any) -> Array:
    """The array that is stated. Raises ValueError or TypeError for what states none."""
    shape, data = stated
    return np.frombuffer(base64.b64decode(data, validate=True), dtype="<f8").reshape([int(size) for size in shape])


def answering(told: Mapping[str, Any]) -> tuple[Any, Callable[[Mapping[str, Any]], dict[str, Any]]]:
    """In the process: what the loss is, and its answers."""
    target = target_of(loaded(told["name"]), told["name"], *(told[key] for key in CALLED))
    fields = ("name", "kind", "precision", "wants_rewards", "takes_group_size", "group_size")

    def answer(message: Mapping[str, Any]) -> dict[str, Any]:
        given: dict[str, Any] = {key: array_read(message[key]) for key in ARRAYS}
        found = target.answer(Case("", "", group_size=message["group_size"], **given))
        gradient = None if found.gradient is None else array_written(found.gradient)
        return {"loss": float(found.loss).hex(), "gradient": gradient, "raised": found.raised}

    return {key: getattr(target, key) for key in fields}, answer


@dataclass(frozen=True)
class IsolatedTarget(Target):
    """A loss function in another process."""

    link: Link = field(kw_only=True)

    def answer(self, case: Case) -> Answer:
        """The value and the gradient on a case. Raises SupplyViolation where the process gives none, or not in time."""
        message = {key: array_written(getattr(case, key)) for key in ARRAYS} | {"group_size": case.group_size}
        call = f"{self.name} on the input {case.name!r} of shape {case.shape}"
        try:
            found = self.link.ask(message)
            raised = found["raised"]
            gradient = None if found["gradient"] is None else array_read(found["gradient"])
            if gradient is not None and gradient.shape != case.shape:
                raise ValueError
            loss = float.fromhex(found["loss"])
        except ClauseBroken as broken:
            raise SupplyViolation(broken.clause, call, str(broken)) from broken
        except (LookupError, TypeError, ValueError) as error:
            raise SupplyViolation(Clause.ANSWERS, call, "its process sent what is no answer") from error
        return Answer(loss, gradient, None if raised is None else in_a_line(str(raised), MOST_SAID))


@contextmanager
def isolated_loss(
    name: str, arrays: str, precision: str | None, group_size: int, seconds: float = SECONDS
) -> Iterator[Target]:
    """A loss function ``module:function``, imported and called in a process of its own only.

    A call has ``seconds``. Raises BadOption where there is no such function.
    """
    called = {"arrays": arrays, "precision": precision, "group_size": group_size}
    try:
        link, described = started("loss", name, seconds, MEGABYTES, **called)
    except NotReady as unfit:
        raise BadOption("TARGET", name, unfit.problem, unfit.expected) from unfit
    try:
        yield IsolatedTarget(
            function=unavailable,
            link=link,
            name=name,
            kind=str(described["kind"]),
            precision=str(described["precision"]),
            wants_rewards=described["wants_rewards"] is True,
            takes_group_size=described["takes_group_size"] is True,
            group_size=group_size,
        )
    finally:
        link.close()


def unavailable(*_: object) -> object:
    """What stands where the function would be: it is in another process."""
    raise RuntimeError("the function is in another process")
