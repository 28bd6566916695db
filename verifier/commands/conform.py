"""What ``conform`` does with what was asked: a function, or all the losses of a trainer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from grpocheck.verifier.failures import REFUTED, UNDECIDED, BadOption, emit, installed_with
from grpocheck.verifier.names import TRAINERS

if TYPE_CHECKING:
    from grpocheck.verifier.conform.conforming import Conformance
    from grpocheck.verifier.conform.targets import Target

EXTRAS = {"numpy": "audit", "torch": "trl"}
"""The extra that brings each library."""


@dataclass(frozen=True)
class ConformRequest:
    """What was asked of ``conform``."""

    target: str
    variant: str | None = None
    parts: tuple[str, ...] = ()
    epsilon: str | None = None
    beta: str | None = None
    maximum_length: int | None = None
    group_size: int = 4
    arrays: str = "auto"
    precision: str | None = None
    up_to_scale: bool = False
    site: Path | None = None
    json: bool = False
    isolate: bool = False
    call_limit: float | None = None


def conform_target(request: ConformRequest) -> int:
    """Print the verdict, or the verdicts on every loss of a trainer; 0, or 1 for a departure, or 3 undecided."""
    needs("numpy", request.target)
    from grpocheck.verifier.conform.conforming import DEPARTS, conform
    from grpocheck.verifier.conform.report import lines_of, mapping_of
    from grpocheck.verifier.conform.wanted import numbers_of
    from grpocheck.verifier.recompute import BadSetting

    if request.parts and request.variant is None:
        problem = "there is no variant to exchange a part of"
        raise BadOption("--with", ", ".join(request.parts), problem, "--variant NAME")
    numbers = numbers_of(request.epsilon, request.beta, request.maximum_length)
    adapter, _, chosen = request.target.partition(":")
    found: list[Conformance] = []
    if adapter in TRAINERS:
        if request.isolate or request.call_limit is not None:
            option = "--isolate" if request.isolate else "--call-limit"
            raise BadOption(option, request.target, "the target is a trainer's losses", "module:function")
        needs("torch", request.target)
        found += conformances(adapter, chosen, request)
    else:
        if request.site is not None:
            raise BadOption("--site", request.site, "the target is a function", "trl, verl or openrlhf")
        with function_under_test(request) as target:
            try:
                found.append(conform(target, request.variant, request.parts, numbers, request.up_to_scale))
            except BadSetting as error:
                raise BadOption("--variant", request.variant, str(error), "a variant of the loss's tensors") from error
    if request.json:
        mappings = [mapping_of(each) for each in found]
        emit(json.dumps(mappings if adapter in TRAINERS else mappings[0], indent=2))
    else:
        for each in found:
            emit("\n".join(lines_of(each)))
        if len(found) > 1:
            emit(_tally(each.verdict for each in found))
    verdicts = {each.verdict for each in found}
    return REFUTED if DEPARTS in verdicts else UNDECIDED if verdicts != {"conforms"} else 0


@contextmanager
def function_under_test(request: ConformRequest) -> Iterator[Target]:
    """The function that was asked about, in a process of its own where that is asked for.

    What it prints goes to stderr: stdout is the command's.
    """
    from grpocheck.verifier.conform.targets import loaded, target_of
    from grpocheck.verifier.isolation.link import SECONDS
    from grpocheck.verifier.isolation.losses import isolated_loss
    from grpocheck.verifier.isolation.stdout import stdout_kept

    called = (request.arrays, request.precision, request.group_size)
    if request.isolate or request.call_limit is not None:
        with isolated_loss(request.target, *called, request.call_limit or SECONDS) as target:
            yield target
    else:
        with stdout_kept():
            yield target_of(loaded(request.target), request.target, *called)


def conformances(adapter: str, chosen: str, request: ConformRequest) -> Iterator[Conformance]:
    """The verdict on every loss of a trainer whose name has a word; on what each is documented to be."""
    from grpocheck.verifier.conform.conforming import conform

    made = list(import_module(f"grpocheck.verifier.conform.adapters.{adapter}").adapted(request.site))
    kept = [each for each in made if chosen.lower() in each.target.name.lower()]
    if not kept:
        names = ", ".join(each.target.name for each in made)
        raise BadOption("TARGET", request.target, f"{adapter} has no such loss", f"a part of one of: {names}")
    for each in kept:
        yield conform(
            each.target,
            request.variant or each.variant,
            request.parts if request.variant else each.parts,
            each.numbers,
            request.up_to_scale,
        )


def needs(package: str, target: str) -> None:
    """Refuse to go on without a package that a target needs, with what installs it."""
    if find_spec(package) is None:
        raise BadOption("TARGET", target, f"{package} is not installed", installed_with(EXTRAS[package]))


def _tally(verdicts: Iterable[str]) -> str:
    """How many of each."""
    listed = list(verdicts)
    return ", ".join(f"{listed.count(word)} {word}" for word in dict.fromkeys(listed))
