"""The outcome of a run for people: why it stopped and where, its calls against their bounds, its steps."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from grpocheck.core import Outcome, Problem, Status, Supply
from grpocheck.core.arithmetic.enclosing import decimal
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.gradient import kinked_draws
from grpocheck.verifier.tables import abbreviated, drawn, table
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

MOST_ROWS = 24
"""Steps, or drawn responses, listed in full; of more the first and the last ones are."""
DIGITS_IN_TABLES = 10
"""Significant digits of an enclosure in a table; the parameter above and --json have all of them."""

CALLS = (
    ("draws", "response draws"),
    ("gradient_attempts", "gradient attempts"),
    ("membership_calls", "membership calls"),
    ("steps_applied", "steps applied"),
    ("outer_iterations_started", "outer iterations started"),
    ("reward_evaluations", "reward evaluations"),
    ("mass_evaluations", "mass evaluations"),
    ("square_roots", "square roots"),
    ("logarithms", "logarithms"),
    ("exponentials", "exponentials"),
    ("comparisons", "comparisons"),
)

BOUNDED_BY = {"membership_calls": "gradient_attempts", "steps_applied": "gradient_attempts"}
"""C2, C3: neither exceeds the gradient attempts, and so T*K bounds both."""

ARITHMETIC_IN_WORDS = {
    "exact": "exact: rationals and square roots, every comparison decided",
    "enclosure": "certified enclosures: every comparison decided by intervals that hold the number",
    "mp": "mpmath numbers, NOT certified: comparisons are rounded, equality contracts are not evaluated",
}


@dataclass(frozen=True)
class View:
    """What is shown: an outcome under a title, the supply that it came from, and whether contracts were checked."""

    outcome: Outcome
    title: str
    supply: Supply
    contracts: bool
    supplied: Sequence[str] = ()
    """The oracles whose answers were taken from a supply, or from what a trace recorded of one."""
    problem: Problem | None = None
    """The problem, where it is at hand: then the draws that make a kink are named."""


def outcome_tables(view: View) -> str:
    """The whole view, as text."""
    return drawn(outcome_parts(view))


def outcome_parts(view: View) -> Iterator[RenderableType]:
    """Headline, parameter, how it was computed, ledger, steps."""
    outcome, contracts = view.outcome, view.contracts
    mapping = outcome.to_mapping()
    yield Text(view.title, style="bold")
    yield Text(f"{outcome.status}: {status_in_words(view)}")
    for line in kinks(view):
        yield Text(f"  {line}")
    yield Text("")
    for name, entry in zip(parameter_names(len(mapping["theta"])), mapping["theta"], strict=True):
        yield Text(f"{name} = {in_text(entry)}")
    yield Text(f"arithmetic  {ARITHMETIC_IN_WORDS.get(mapping['arithmetic'], mapping['arithmetic'])}")
    yield Text(f"draws       {draws_in_words(mapping['draws'])}")
    if view.supplied:
        yield Text(f"supplied    {', '.join(view.supplied)}: taken as answered, not computed from the problem")
    yield Text(f"contracts   {'on' if contracts else 'off (GRPOCHECK_CONTRACTS=off): nothing was checked on the way'}")
    yield Text("")
    ledger = table("oracle calls", "made", "at most", right=("made", "at most"))
    for key, label in CALLS:
        if mapping["ledger"].get(key) or key in mapping["bounds"]:
            bound = mapping["bounds"].get(BOUNDED_BY.get(key, key), "")
            ledger.add_row(label, str(mapping["ledger"][key]), str(bound))
    yield ledger
    yield Text("")
    yield drawn_table(outcome)
    steps = mapping["steps"]
    if steps:
        yield Text("")
        listing = table("t", "k", "theta after the step", "objective F_t", right=("t", "k"))
        for step in both_ends(steps):
            if step is None:
                listing.add_row("...", "...", f"{len(steps) - MOST_ROWS} more steps", "")
            else:
                theta = ", ".join(in_cell(entry) for entry in step["theta"])
                listing.add_row(str(step["t"]), str(step["k"]), theta, in_cell(step["objective"]))
        yield listing


def drawn_table(outcome: Outcome) -> Table:
    """What was drawn: the responses of each group in the order of the support, how often, what each was worth."""
    found = [
        (iteration.frozen.outer_iteration, group, position)
        for iteration in outcome.iterations
        for group in iteration.frozen.groups
        for position in sorted(set(group.positions))
    ]
    text = outcome.arithmetic.text
    listing = table("t", "prompt", "drawn response", "times", "reward", "advantage", right=("t", "times"))
    for row in both_ends(found):
        if row is None:
            listing.add_row("...", "...", f"{len(found) - MOST_ROWS} more", "", "", "")
            continue
        t, group, position = row
        i = group.positions.index(position)
        response, times = group.prompt.responses[position], group.positions.count(position)
        values = (in_cell(text(value)) for value in (group.rewards[i], group.advantages[i]))
        listing.add_row(str(t), abbreviated(group.prompt.name), abbreviated(response), str(times), *values)
    return listing


Row = TypeVar("Row")


def both_ends(rows: Sequence[Row]) -> Sequence[Row | None]:
    """The rows that are listed; None in the place of those that are not."""
    half = MOST_ROWS // 2
    return rows if len(rows) <= MOST_ROWS else [*rows[:half], None, *rows[-half:]]


def in_cell(entry: str | list[str]) -> str:
    """A number in a table: an enclosure is widened to decimals that can be read, and holds the number still."""
    if isinstance(entry, list):
        lower, upper = map(Fraction, entry)
        entry = [decimal(lower, DIGITS_IN_TABLES, upward=False), decimal(upper, DIGITS_IN_TABLES, upward=True)]
    return in_text(entry, 40)


def parameter_names(dimension: int) -> list[str]:
    """theta, or theta_1 ... theta_d."""
    return ["theta"] if dimension == 1 else [f"theta_{i}" for i in range(1, dimension + 1)]


def in_text(entry: str | list[str], most: int = 100) -> str:
    """A number of the outcome format: an exact text, or an enclosure as [lower, upper]."""
    if isinstance(entry, list):
        return f"[{', '.join(abbreviated(end, most) for end in entry)}]"
    return abbreviated(entry, most)


def draws_in_words(source: dict[str, object]) -> str:
    """Where the draws came from, and how to have the same again."""
    if source["source"] == "seed":
        return f"seed {source['seed']} ({source['generator']}); --seed {source['seed']} gives the same again"
    return {"recorded": "recorded in the problem", "supplied": "by the supplied oracle"}[str(source["source"])]


def status_in_words(view: View) -> str:
    """Why the run ended, and where."""
    outcome = view.outcome
    last = outcome.iterations[-1]
    where = f"outer iteration {last.frozen.outer_iteration}, inner step {last.steps[-1].number}"
    if outcome.status is Status.COMPLETE:
        return "all outer iterations ran, every step was applied"
    if outcome.status is Status.INVALID_UPDATE:
        proposal = ", ".join(in_text(outcome.arithmetic.text(entry)) for entry in last.steps[-1].proposal or ())
        return f"stopped at {where}: the proposal {proposal} is outside U; theta is the last valid parameter"
    if view.supply.gradient is not None:
        reason = "the supplied gradient oracle answered undefined"
    else:
        reason = "a drawn response of nonzero advantage sits on its active bound, and F_t has a kink there (F2)"
    return f"stopped at {where}: {reason}; theta is the last valid parameter"


def kinks(view: View) -> Iterator[str]:
    """The draws whose ratio sits on its active bound, where the run stopped for them and the problem is at hand."""
    outcome, problem = view.outcome, view.problem
    if outcome.status is not Status.UNDEFINED_GRADIENT or problem is None or view.supply != Supply():
        return
    frozen, text = outcome.iterations[-1].frozen, outcome.arithmetic.text
    assert not isinstance(problem.family, Supplied)
    for group in frozen.groups:
        masses = problem.family.masses(outcome.theta, group.prompt, outcome.arithmetic)
        slopes = problem.family.mass_gradients(outcome.theta, group.prompt, outcome.arithmetic)
        for i in kinked_draws(group, masses, slopes, frozen.epsilon, outcome.arithmetic):
            response = group.prompt.responses[group.positions[i]]
            ratio = in_text(text(masses[group.positions[i]] / group.old_masses[i]))
            advantage = in_text(text(group.advantages[i]))
            yield f"draw {i + 1} of prompt {group.prompt.name!r}, {response!r}: ratio {ratio}, advantage {advantage}"
