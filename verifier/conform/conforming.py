"""Which variant a loss function is, or where it departs from the one that it should be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from grpocheck.core.variants.normalisation import Per
from grpocheck.verifier.conform.checking import (
    Constants,
    Found,
    against,
    constants_of,
    expected,
    found_on,
    is_deterministic,
)
from grpocheck.verifier.conform.exact import by_core
from grpocheck.verifier.conform.inputs import Case, edge_cases, in_format, ordinary_cases
from grpocheck.verifier.conform.measuring import measure, near, probe_case
from grpocheck.verifier.conform.mistakes import hints
from grpocheck.verifier.conform.shrinking import smallest
from grpocheck.verifier.conform.targets import Answer, Target
from grpocheck.verifier.conform.wanted import (
    PENALTIES,
    Measured,
    Numbers,
    Wanted,
    every_variant,
    variant_called,
    with_penalty,
)
from grpocheck.verifier.progress import progress_bar
from grpocheck.verifier.recompute.comparing import Departure

FIRST_LOOK = 6
"""How many inputs every variant is tried on; those that depart from the fewest are tried on all."""

CONFORMS, DEPARTS, UNDECIDED = "conforms", "departs", "undecided"


@dataclass(frozen=True)
class Witness:
    """An input on which a target departs, made as small as it gets; ``core`` is the definition's own value there."""

    case: Case
    found: Answer
    departures: tuple[Departure, ...]
    core: tuple[float, list[list[float]]] | None = None
    raised: str | None = None


@dataclass(frozen=True)
class Matched:
    """A variant that the target is, on every ordinary input, up to the constants."""

    wanted: Wanted
    constants: Constants


@dataclass(frozen=True)
class Conformance:
    """The verdict on a target.

    ``matches`` are the variants that it is, all of them where several coincide. ``nearest`` is the demanded variant, or
    the one that it departs from on the fewest inputs, and ``witness`` where it departs from it. ``limits`` are
    departures from the first match beyond the ordinary range. ``notes`` say what else a reader has to know, and
    ``instead`` are the variants that a target is which is not the demanded one; ``departing`` counts the ordinary
    inputs on which it departs from the nearest.
    """

    target: str
    verdict: str
    demanded: str | None
    matches: tuple[Matched, ...]
    nearest: Matched | None
    witness: Witness | None
    limits: tuple[Witness, ...]
    measured: Measured | None
    inputs: int
    notes: tuple[str, ...] = field(default=())
    instead: tuple[Matched, ...] = field(default=())
    departing: int = 0


def conform(
    target: Target,
    variant: str | None = None,
    parts: Sequence[str] = (),
    numbers: Numbers | None = None,
    up_to_scale: bool = False,
) -> Conformance:
    """Hold a target against a demanded variant, or against all of them.

    Value and gradient by the log-probabilities are compared on small [responses, positions] tensors, within the bound
    of the target's float format. ``numbers`` are the clip width and beta to be assumed; a constant factor is a
    departure unless ``up_to_scale``. Raises InvalidProblem for a name that is no variant.

    >>> import numpy as np
    >>> from grpocheck.verifier.conform.targets import target_of
    >>> def loss(new, old, ref, advantages, mask):
    ...     ratio, a = np.exp(new - old), advantages[:, None]
    ...     term = np.minimum(ratio * a, np.clip(ratio, 0.8, 1.2) * a)
    ...     return -np.mean((term * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1))
    >>> conform(target_of(loss), "grpo").verdict
    'conforms'
    """
    numbers = numbers or Numbers()
    cases = list(_cases(target, ordinary_cases))
    if not is_deterministic(target, cases[-1]):
        return Conformance(
            target.name, UNDECIDED, variant, (), None, None, (), None, 1,
            ("two calls on one input gave two answers: it is no function of its input",),
        )  # fmt: skip
    answers = [target.answer(case) for case in cases]
    if variant is not None:
        chosen = with_penalty(variant_called(variant, parts), numbers.beta)
        verdict = _demanded(target, Wanted(chosen, numbers), variant, cases, answers, up_to_scale)
        if verdict.verdict == DEPARTS:
            others = _recognised(target, numbers, cases, answers)
            return replace(verdict, instead=others.matches, notes=(*verdict.notes, *_hints(verdict, others)))
        return verdict
    return _recognised(target, numbers, cases, answers)


def _hints(verdict: Conformance, others: Conformance) -> Iterator[str]:
    """What is known of a target that is not the demanded variant, nor any other."""
    if others.verdict != DEPARTS or any("--up-to-scale" in note for note in verdict.notes):
        return
    yield from (note for note in others.notes if note not in verdict.notes)
    nearest = others.nearest
    if nearest is not None and verdict.nearest is not None and 2 * others.departing <= verdict.departing:
        yield (
            f"nearest to it, of the variants that are known, is {nearest.wanted.variant.name}: it departs from that on "
            f"{others.departing} of {others.inputs} inputs, and from the demanded one on {verdict.departing}"
        )


def _cases(target: Target, source: object) -> list[Case]:
    """The inputs for a target; groups of its own size where it makes advantages of rewards."""
    made = source(target.group_size if target.wants_rewards else 4)  # type: ignore[operator]
    fixed = target.wants_rewards and not target.takes_group_size
    return [case for case in made if not fixed or case.group_size == target.group_size]


def _slope(answer: Answer) -> tuple[str, ...]:
    """What is said of a target that follows no variant on policy; nothing of one that gave no value there."""
    return () if answer.raised is not None else ("on policy, where every variant has a slope, it has none",)


@dataclass(frozen=True)
class _Trial:
    """A variant on every ordinary input."""

    matched: Matched
    found: tuple[Found, ...]

    @property
    def wrong(self) -> int:
        """On how many inputs the target departs."""
        return sum(each.departs for each in self.found)

    @property
    def open(self) -> bool:
        """Whether an input is left undecided."""
        return any(each.undecided for each in self.found)


def _tried(
    target: Target,
    wanted: Wanted,
    cases: Sequence[Case],
    answers: Sequence[Answer],
    constants: Constants | None = None,
    most: int | None = None,
) -> _Trial | None:
    """A variant on every ordinary input, with the constants of the unit input.

    None where it has no slope there, and where the target departs on more than ``most`` inputs.
    """
    constants = constants or constants_of(target, wanted)
    if constants is None:
        return None
    found: list[Found] = []
    wrong = 0
    for case, answer in zip(cases, answers, strict=True):
        found.append(against(answer, expected(target, wanted, case), constants))
        wrong += found[-1].departs
        if most is not None and wrong > most:
            return None
    return _Trial(Matched(wanted, constants), tuple(found))


def _readings(target: Target, wanted: Wanted) -> list[Wanted]:
    """A variant over the maximum length, where that is not said: the width of each batch, or the number it shows."""
    if wanted.variant.normalisation.per is not Per.MAXIMUM or wanted.numbers.maximum_length is not None:
        return [wanted]
    readings = [wanted]
    constants = constants_of(target, wanted)
    if constants is not None and constants.scale != 0:
        length = abs(1 / constants.scale)
        if length.denominator == 1 and length > 1:
            readings.insert(0, replace(wanted, numbers=replace(wanted.numbers, maximum_length=int(length))))
    return readings


def _demanded(
    target: Target,
    wanted: Wanted,
    name: str,
    cases: Sequence[Case],
    answers: Sequence[Answer],
    up_to_scale: bool,
) -> Conformance:
    """The verdict on a target that should be a variant."""
    trials = []
    for reading in _readings(target, wanted):
        constants = None if up_to_scale else Constants()
        trial = _tried(target, reading, cases, answers, constants)
        if trial is not None:
            trials.append(trial)
    notes: list[str] = []
    if not trials:
        probe = probe_case(0.0, 1, target.group_size, target.wants_rewards)
        answer = target.answer(probe)
        found = found_on(target, wanted, Constants(), probe)
        witness = Witness(probe, answer, found.departures, raised=found.raised)
        return Conformance(
            target.name, DEPARTS, name, (), Matched(wanted, Constants()), witness, (), None, len(cases), _slope(answer)
        )
    best = min(trials, key=lambda trial: trial.wrong)
    if best.wrong and not up_to_scale:
        scaled = [_tried(target, reading, cases, answers) for reading in _readings(target, wanted)]
        fitting = [trial for trial in scaled if trial is not None and not trial.wrong]
        if fitting:
            constants = fitting[0].matched.constants
            notes.append(f"it is {constants_text(constants)} this variant: --up-to-scale accepts that")
    return _verdict(target, name, best, cases, None, notes)


def _recognised(
    target: Target, numbers: Numbers, cases: Sequence[Case], answers: Sequence[Answer]
) -> Conformance:
    """The verdict on a target that may be any variant."""
    measured = measure(target)
    notes: list[str] = []
    first = cases[1]
    moved = target.answer(replace(first, ref=first.ref + 0.25))
    uses_reference = moved.loss != answers[1].loss or _differ(moved, answers[1])
    penalties = [word for word in PENALTIES if word != "none"] if uses_reference else ["none"]
    trials: list[_Trial] = []
    readings: list[Wanted] = []
    for candidate in every_variant(measured, numbers, penalties, target.wants_rewards):
        wanted = candidate
        if uses_reference:
            beta = _measured_beta(target, candidate, first, answers[1])
            if beta is None:
                continue
            wanted = replace(candidate, numbers=replace(numbers, beta=beta))
        readings += _readings(target, wanted)
    fewest = FIRST_LOOK
    looks: list[_Trial] = []
    with progress_bar(f"{target.name}: which variant", len(readings)) as advance:
        for reading in readings:
            look = _tried(target, reading, cases[:FIRST_LOOK], answers[:FIRST_LOOK], most=fewest)
            advance(1)
            if look is not None:
                fewest = min(fewest, look.wrong)
                looks.append(look)
        for look in looks:
            if look.wrong == fewest:
                trial = _tried(target, look.matched.wanted, cases, answers, look.matched.constants)
                if trial is not None:
                    trials.append(trial)
    if not trials:
        probe = probe_case(0.0, 1, target.group_size, target.wants_rewards)
        answer = target.answer(probe)
        notes.extend(_slope(answer))
        return Conformance(
            target.name, DEPARTS, None, (), None, Witness(probe, answer, (), raised=answer.raised), (), measured,
            len(cases), tuple(notes),
        )  # fmt: skip
    fitting = [trial for trial in trials if not trial.wrong]
    exact = [trial for trial in fitting if trial.matched.constants == Constants()]
    chosen = exact or fitting
    settled = [trial for trial in chosen if not trial.open]
    best = (settled or chosen or [min(trials, key=lambda trial: trial.wrong)])[0]
    if best.wrong:
        notes += hints(target, measured, cases, answers)
    verdict = _verdict(target, None, best, cases, measured, notes)
    return replace(verdict, matches=tuple(trial.matched for trial in settled))


def _differ(one: Answer, other: Answer) -> bool:
    """Whether two gradients differ."""
    if one.gradient is None or other.gradient is None:
        return False
    return bool((one.gradient != other.gradient).any())


def _measured_beta(target: Target, candidate: Wanted, case: Case, answer: Answer) -> Fraction | None:
    """beta, from what moving the reference does to the loss; None where the target shows none."""
    away = replace(case, ref=case.ref + 0.25)
    shown = target.answer(away).loss - answer.loss
    unit = replace(candidate, numbers=replace(candidate.numbers, beta=Fraction(1)))
    per = expected(target, unit, away).loss - expected(target, unit, case).loss
    constants = constants_of(target, replace(candidate, numbers=replace(candidate.numbers, beta=Fraction(0))))
    if constants is None or constants.scale == 0 or per == 0:
        return None
    beta = near(shown / per / float(constants.scale), 2e-4)
    return beta if 0 < beta < 1000 else None


def _verdict(
    target: Target,
    name: str | None,
    best: _Trial,
    cases: Sequence[Case],
    measured: Measured | None,
    notes: list[str],
) -> Conformance:
    """The verdict that a trial makes, with its smallest witness and its limits."""
    matched = best.matched
    if best.wrong:
        place = next(index for index, found in enumerate(best.found) if found.departs)
        witness = witness_of(target, matched, cases[place])
        return Conformance(
            target.name, DEPARTS, name, (), matched, witness, (), measured, len(cases), tuple(notes),
            departing=best.wrong,
        )  # fmt: skip
    if best.open:
        notes.append("some numbers lie beyond the rounding of the straight evaluation, by less than 8 times")
    limits = []
    for case in _cases(target, edge_cases):
        found = found_on(target, matched.wanted, matched.constants, case)
        if found.departs:
            limits.append(Witness(case, target.answer(case), found.departures, raised=found.raised))
    silent = sum(target.answer(case).gradient is None for case in cases) if target.kind == "numpy" else 0
    if silent:
        where = "" if silent == len(cases) else f"on {silent} of {len(cases)} inputs "
        notes.append(f"{where}it gives no gradient of their shape: values were compared, at moved inputs, too")
    return Conformance(
        target.name,
        UNDECIDED if best.open else CONFORMS,
        name,
        () if best.open else (matched,),
        matched,
        None,
        tuple(limits),
        measured,
        len(cases),
        tuple(notes),
    )


def witness_of(target: Target, matched: Matched, case: Case) -> Witness:
    """The smallest input near a case on which the target departs from the variant."""

    def departs(tried: Case) -> bool:
        return tried.is_ordinary and found_on(target, matched.wanted, matched.constants, tried).departs

    least = smallest(in_format(case, target.precision), departs, target.wants_rewards)
    if not target.wants_rewards:
        least = replace(least, rewards=least.advantages)
    found = found_on(target, matched.wanted, matched.constants, least)
    return Witness(
        least,
        target.answer(least),
        found.departures,
        by_core(matched.wanted, matched.constants, least, target.wants_rewards),
        found.raised,
    )


def constants_text(constants: Constants) -> str:
    """The constants in words, as what stands before the variant's loss."""
    offset = "" if constants.offset == 0 else f"{constants.offset} more than "
    if constants.scale == -1:
        return f"{offset}minus (the objective and not the loss of)"
    return f"{offset}{constants.scale} times"
