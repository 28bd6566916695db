"""The audit of a run's logged batches: their rows, how they group, by which rule they got their advantages."""

import hashlib
from typing import Any

import numpy as np
from grpocheck.verifier.audit.candidates import Contest, candidates_of, declared_rule, dict_by_rule, name_of
from grpocheck.verifier.audit.findings import Findings, Where, counted
from grpocheck.verifier.audit.group_sizes import GroupSizes
from grpocheck.verifier.audit.grouping import seats_as_named, seats_of_size
from grpocheck.verifier.audit.infinite import HUGE
from grpocheck.verifier.audit.lone import all_zero
from grpocheck.verifier.audit.model import Log, Table
from grpocheck.verifier.audit.moments import Moments, drawn_once, fingerprint, moments
from grpocheck.verifier.audit.readers.parquet import step_of_name
from grpocheck.verifier.audit.readings import Reading
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings
from grpocheck.verifier.audit.survey import Survey

MOST_REMEMBERED = 100_000
MOST_NAMED = 6
OF_TOTALS = (
    "advantage-rule",
    "zero-variance-advantage",
    "float-mean-residue",
    "residue-is-the-signal",
    "reward-float-loss",
    "epsilon-dominates",
)
"""Rules that need every reward of a response."""
OF_ADVANTAGES = ("advantage-rule", "advantage-rule-declared", "zero-variance-advantage", "float-mean-residue")


class TablesAudit:
    """The audit of batches, one after another; finish() gives what was inferred."""

    def __init__(self, run: str, settings: Settings, log: Log | None, survey: Survey, findings: Findings) -> None:
        """Ready for the first table."""
        self.run, self.settings, self.log, self.findings = run, settings, log, findings
        declared = declared_rule(settings)
        self.readings = []
        self.weight_source = ""
        self.names = survey.names
        for size in survey.sizes(settings.count("num_generations")):
            weights, self.weight_source = survey.weights(settings, size)
            candidates = candidates_of(declared, weights, self.weight_source == "settings")
            self.readings.append(Reading(size, Contest(candidates), Findings(run)))
        self.sizes = GroupSizes(settings.count("num_generations"))
        self.fingerprints: dict[bytes, Where] = {}
        self.before: bytes | None = None
        self.written_over: set[bytes] = set()
        self.repeats = 0
        self.first_repeat: Where | None = None
        self.kept: list[Moments] = []
        self.tables = self.rows = 0
        self.in_lines = False
        self.ranges: dict[str, tuple[float, float]] = {}
        self.rewards_of: dict[bytes, tuple[Any, str]] = {}
        self.all_zero = True
        self.overwritten: set[str] = set()
        evaluated = {row.step for row in log.rows if row.evaluates} if log is not None else set()
        trained = {row.step for row in log.rows if not row.evaluates} if log is not None else set()
        self.evaluated, self.trained = evaluated, trained

    def take(self, table: Table) -> None:
        """Check one batch."""
        self.tables += 1
        self.in_lines = table.seats is not None
        self.take_steps(table)
        if self.is_evaluation(table) or self.is_repeat(table):
            return
        self.rows += len(table.rewards)
        if table.advantages is None and not table.by_text:  # verl's rollouts have none, which docs/audit.md says
            self.take_no_advantages(table)
        if table.advantages is not None and not table.names:
            self.take_no_rewards(table)
        self.take_numbers(table)
        self.take_functions(table)
        self.kept.append(moments(table))
        self.sizes.take(table)
        if len(table.names) != len(self.names):
            self.take_other_functions(table)
            return
        if table.names != self.names and set(table.names) == set(self.names):
            table = table.with_names(self.names)  # the same functions in another order: weights go by it
        for reading in self.readings:
            reading.take(
                table, seats_as_named(table) if reading.size is None and table.groups else self.cut(table, reading)
            )

    def take_other_functions(self, table: Table) -> None:
        """A batch of more or fewer reward functions than the others: their weights say nothing of its rewards."""
        self.findings.add(
            seen(
                "column-lost",
                table.group_at(0),
                f"the reward functions of the other batches: {', '.join(self.names) or 'none'}",
                f"{', '.join(table.names) or 'none'}; not checked: {', '.join(OF_ADVANTAGES)}",
                what="a batch with another number of reward functions than the others",
                apart="functions",
            )
        )

    def take_weights(self) -> None:
        """Weights that settings declare for another number of reward functions than were logged."""
        declared = self.settings.weights
        if declared is not None and self.names and len(declared) != len(self.names):
            self.findings.add(
                seen(
                    "column-lost",
                    Where(self.run),
                    f"a weight for each of {counted(len(self.names), 'reward function')}: {', '.join(self.names)}",
                    f"reward_weights = {list(declared)}; weights were taken from {self.weight_source}",
                    what="declared weights of another number of reward functions than were logged",
                    apart="weights",
                )
            )

    def take_no_rewards(self, table: Table) -> None:
        """Advantages of which no reward is logged."""
        self.findings.add(
            seen(
                "column-lost",
                table.group_at(0),
                "a column of floats for each reward function",
                f"none beside the advantages; not checked: {', '.join(OF_ADVANTAGES)}",
                what="advantages without any reward that they could follow from",
                apart="none",
            )
        )

    def take_no_advantages(self, table: Table) -> None:
        """A batch in which not every group has advantages."""
        self.findings.add(
            seen(
                "advantages-not-logged",
                table.group_at(0),
                "an advantage for every response of its batch",
                "none, or not for every response; not checked: " + ", ".join(OF_ADVANTAGES),
            )
        )

    def cut(self, table: Table, reading: Reading) -> Any:
        """The groups of a table under a reading; one group of all rows where nothing tells them apart."""
        return seats_of_size(table, reading.size or max(1, len(table.rewards)))

    def take_steps(self, table: Table) -> None:
        """The steps in a table and in the name of its file."""
        named = step_of_name(table.file)
        if len(table.steps) > 1 or (named is not None and table.steps and table.steps != (named,)):
            expected = "one step" if named is None else f"step {named} in every row"
            self.findings.add(
                seen("table-step", table.group_at(0), expected, f"steps {list(table.steps)[:MOST_NAMED]}")
            )

    def is_repeat(self, table: Table) -> bool:
        """Whether the rows are those of an earlier table of this run, which evaluation may have written."""
        mark = fingerprint(table)
        if mark in self.written_over:
            self.take_overwritten(table, "rows that evaluation left behind, and no batch of training's since")
            return True
        before, self.before = self.before, mark
        if mark in self.fingerprints:
            self.repeats += 1
            self.first_repeat = self.first_repeat or table.group_at(0)
            if before != mark and step_of_name(table.file) is not None and drawn_once(table):
                self.take_return(table, self.fingerprints[mark])
            return True
        self.fingerprints[mark] = table.group_at(0)
        return False

    def take_return(self, table: Table, first: Where) -> None:
        """A table of TRL's with rows of a batch after which another was drawn: TRL keeps the rows of the last alone."""
        self.findings.add(
            seen(
                "table-step",
                table.group_at(0),
                "rows of the batch of the table before, or of a new one",
                f"those of {first.file} again, with others between",
                what="a table that goes back to an earlier batch: it, or one before it, is of another step",
                apart="back",
            )
        )

    def is_evaluation(self, table: Table) -> bool:
        """Whether evaluation wrote the table: instead of training's, which is then lost, or at a step of its own."""
        if table.step is None or table.step not in self.evaluated:
            return False
        self.written_over.add(fingerprint(table))
        if table.step in self.trained:
            self.take_overwritten(table, "what evaluation left: it writes the same file after training does")
        return True

    def take_overwritten(self, table: Table, found: str) -> None:
        """A table of a training step with rows of evaluation."""
        self.overwritten.add(table.file)
        self.findings.add(
            seen(
                "rows-overwritten",
                table.group_at(0),
                f"the rows that step {table.step} trained on",
                found,
                distance=float(len(table.rewards)),
            )
        )

    def take_numbers(self, table: Table) -> None:
        """Rewards and advantages that are no finite numbers."""

        def where(row: Any) -> Where:
            return table.where(int(row))

        lost = np.isinf(table.rewards)
        if table.stated_nan is not None:
            lost |= table.stated_nan
        for row, function in zip(*np.nonzero(lost), strict=True):
            value = float(table.rewards[row, function])
            self.findings.add(
                seen(
                    "reward-not-finite",
                    where(row),
                    "a finite reward",
                    f"{value} from {table.names[function]}",
                    distance=1.0,
                    far="infinitely far",
                )
            )
        gone = np.isnan(table.rewards)
        scored = ~gone.all(axis=1) if table.rewards.shape[1] else np.zeros(len(table.rewards), dtype=bool)
        for row in np.nonzero(gone.any(axis=1) & scored)[0]:
            silent = [name for name, missing in zip(table.names, gone[row], strict=True) if missing]
            self.findings.add(
                seen("reward-missing", where(row), "a number from every function", f"nan from {', '.join(silent)}")
            )
        if table.advantages is None:
            return
        self.all_zero &= bool((table.advantages == 0).all())
        large = bool((np.isfinite(table.rewards) & (np.abs(table.rewards) >= HUGE)).any())  # such are their differences
        for row in np.nonzero(~(np.isfinite(table.advantages) if large else np.abs(table.advantages) < HUGE))[0]:
            value = float(table.advantages[row])
            worth = "nan" if value != value else f"{value:.6g}"
            self.findings.add(
                seen(
                    "advantage-not-finite",
                    where(row),
                    "a finite advantage",
                    worth + (": the largest float, for infinity" if np.isfinite(value) else ""),
                    distance=abs(value),
                    far="infinitely far",
                )
            )

    def take_functions(self, table: Table) -> None:
        """The range of each reward function, and whether the same response got the same rewards."""
        for index, name in enumerate(table.names):
            column = table.rewards[:, index]
            column = column[~np.isnan(column)]
            if len(column):
                low, high = self.ranges.get(name, (np.inf, -np.inf))
                self.ranges[name] = (min(low, float(column.min())), max(high, float(column.max())))
        if table.prompts is None or table.responses is None or len(self.rewards_of) > MOST_REMEMBERED:
            return
        for row, (prompt, response) in enumerate(zip(table.prompts, table.responses, strict=True)):
            extra = [column[row] for column in table.extra.values()]
            key = hashlib.blake2b("\0".join([prompt, response, *extra]).encode("utf-8", "replace"), digest_size=12)
            rewards = tuple(str(value) for value in table.rewards[row].tolist())
            first, place = self.rewards_of.setdefault(key.digest(), (rewards, str(table.where(row))))
            if first != rewards:
                self.findings.add(
                    seen(
                        "reward-not-function",
                        table.where(row),
                        f"rewards {', '.join(first)} as at {place}",
                        f"{', '.join(rewards)} for the same prompt and response {response[:40]!r}",
                    )
                )

    def finish(self, column_lost: bool) -> dict[str, Any]:
        """Say what all batches together show, and what was inferred; a lost column makes advantages uncheckable."""
        if not self.tables:
            return {}
        for name, (low, high) in self.ranges.items():
            if low == high and self.rows >= 8:
                self.findings.add(
                    seen("reward-constant", Where(self.run), f"{name} to vary", f"{low:.9g} everywhere", apart=name)
                )
        if self.first_repeat is not None:
            distinct = len(self.kept)
            self.findings.add(
                seen(
                    "rows-logged-twice",
                    self.first_repeat,
                    f"{counted(distinct, 'table')}, one for each batch of rows",
                    f"{self.tables} tables, of which {counted(self.repeats, 'repeats', 'repeat')} an earlier one",
                    distance=float(self.repeats),
                )
            )
        self.sizes.finish(self.findings)
        chosen = self.chosen(column_lost)
        if self.all_zero and any(one.checked for one in chosen.contest.survivors):
            self.findings.add(all_zero(Where(self.run), chosen.groups, chosen.equal, chosen.alone))
        chosen.finish(self.run)
        hidden = OF_TOTALS if column_lost else ()
        self.findings.extend(finding for finding in chosen.findings.all() if finding.rule not in hidden)
        if not column_lost:
            self.take_declared(chosen)
            self.take_weights()
        return self.inferred(chosen, column_lost)

    def chosen(self, column_lost: bool = False) -> Reading:
        """The reading under which a rule stands, then the one with whole groups, then with larger ones.

        Advantages that are 0 everywhere, or whose rewards are lost, tell no reading from another.
        """
        stand = [one for one in self.readings if one.contest.tells]
        sharpest = max((one.contest.sharpest for one in stand), default=0)
        telling = not column_lost and not self.all_zero
        return min(
            self.readings,
            key=lambda one: (
                telling and one not in stand,
                telling and one.contest.level > 0,
                telling and 2 * one.contest.sharpest < sharpest,
                one.ragged,
                -(one.size or 0),
            ),
        )

    def take_declared(self, chosen: Reading) -> None:
        """The declared rule, where it fell and another stands."""
        if not chosen.contest.stands:
            return
        for candidate, (table, seats), departure in chosen.contest.fallen:
            self.findings.add(
                seen(
                    "advantage-rule-declared",
                    table.where(int(seats.rows[departure.group, departure.place])),
                    f"{departure.expected:.9g} ({candidate.name})",
                    f"{departure.logged:.9g}, as by: {chosen.best.name}"
                    + ("" if chosen.best.weights == candidate.weights else f" with weights {chosen.best.weighed}"),
                    distance=abs(departure.logged - departure.expected),
                    far=f"{abs(departure.logged - departure.expected):.3g}",
                )
            )

    def inferred(self, chosen: Reading, column_lost: bool) -> dict[str, Any]:
        """What was taken from the settings or inferred, and what fits equally."""
        sharpest = chosen.contest.sharpest
        stand = [one for one in self.readings if one.contest.stands and not one.contest.failed]
        standing = [one for one in stand if 2 * one.contest.sharpest >= sharpest]
        untold = chosen.alone and self.all_zero
        fitting = [] if untold else chosen.contest.fitting
        declared = declared_rule(self.settings)
        found: dict[str, Any] = {
            "generation_batches" if self.in_lines else "tables": self.tables,
            "distinct_batches": len(self.kept),
            "responses": self.rows,
            "group_size": chosen.size,
            "group_size_from": (
                "the log"
                if chosen.size is None
                else "settings"
                if self.settings.count("num_generations") == chosen.size
                else "stretches of equal prompts and the advantages"
            ),
            "groups": chosen.groups,
            "groups_of_equal_rewards": chosen.equal,
            "advantage_rule": [name_of(one.rule) for one in dict_by_rule(fitting)][:MOST_NAMED],
            "advantage_rule_from": "settings and rows" if declared is not None else "rows",
            "reward_weights": None if column_lost else list(chosen.best.weights),
            "reward_weights_from": self.weight_source,
        }
        unchecked = [one for one in chosen.contest.survivors if one.declared and one.stands and not one.checked]
        if unchecked and self.rows and (chosen.contest.stands or not chosen.best.departures):
            found["advantage_rule"] = [unchecked[0].name]
            found["advantage_rule_from"] = "settings alone: float error leaves open what the rows say"
        if not found["advantage_rule"]:
            logged = any(one.checked or one.departures for one in chosen.contest.survivors)
            found["advantage_rule_from"] = "nothing: " + (
                "no known rule fits" if logged else "no advantages that can be tried"
            )
        if chosen.contest.level and fitting:
            found["advantage_rule_from"] += f", but for {counted(chosen.contest.level, 'response')} of equal rewards"
        if untold:
            found["advantage_rule"] = []
            found["advantage_rule_from"] = "nothing: groups have one response, which by any mean of its group has 0"
        if chosen.lawless:
            found["advantage_rule"] = []
            found["advantage_rule_from"] = "nothing: no known rule gives numbers beside an infinite reward"
        if column_lost:
            found["advantage_rule"] = []
            found["advantage_rule_from"] = "nothing: a reward column is lost"
        others = [reading.size for reading in standing if reading is not chosen and fitting]
        if others:
            found["group_size_fits_equally"] = others
        if len(found["advantage_rule"]) > 1:
            found["advantage_rule_undecided"] = f"{len(fitting)} rules fit every row within float error"
        return found
