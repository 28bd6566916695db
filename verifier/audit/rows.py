"""The audit of what a run logged in rows: tables, rollouts, groups, the trainer's log, and generation batches."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grpocheck.core.invalid import shown
from grpocheck.verifier.audit.beside import LogBesideTables
from grpocheck.verifier.audit.budget import expected_batches
from grpocheck.verifier.audit.findings import Finding, Findings, Where, counted
from grpocheck.verifier.audit.keys import take_line, take_settings
from grpocheck.verifier.audit.logs import LogAudit
from grpocheck.verifier.audit.lost import Batches
from grpocheck.verifier.audit.model import Call, Log, LogRow, Part, Run, Table
from grpocheck.verifier.audit.moments import fingerprint, mark
from grpocheck.verifier.audit.passes import Passes
from grpocheck.verifier.audit.readers.groups import read_groups, read_header
from grpocheck.verifier.audit.readers.lines import torn_line
from grpocheck.verifier.audit.readers.parquet import read_table
from grpocheck.verifier.audit.readers.recorded import read_generation, settings_beside
from grpocheck.verifier.audit.readers.rollouts import read_rollouts
from grpocheck.verifier.audit.readers.state import read_log, reward_names
from grpocheck.verifier.audit.rules import seen
from grpocheck.verifier.audit.settings import Settings
from grpocheck.verifier.audit.survey import Survey
from grpocheck.verifier.audit.tables import TablesAudit


@dataclass
class RowsResult:
    """What came out of the rows of a run."""

    findings: list[Finding] = field(default_factory=list)
    inferred: dict[str, Any] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    log: Log | None = None
    longest: int | None = None
    batches: dict[int, tuple[str, int]] = field(default_factory=dict)
    """The recorded generation batches of training by number: file and number of responses."""


def audit_rows(run: Run) -> RowsResult:
    """The audit of everything of a run but its recorded loss calls."""
    findings = Findings(run.name)
    result = RowsResult(settings=run.settings)
    take_settings(run.settings.values, Where(run.settings.source or run.name), findings)
    log = read_log(run.state) if run.state is not None else None
    own = Generations(run) if run.generations else None
    if own is not None:
        result.settings = result.settings.joined(own.settings)
    elif run.calls and run.calls[0].with_suffix(".json").is_file():
        result.settings = result.settings.joined(settings_beside(run.calls[0]))
    names = (own.names if own is not None else None) or (reward_names(log) if log is not None else ()) or None
    logs = [] if log is None else [log]
    if run.groups:
        logs += audit_groups(run, result, findings)
    tables = audit_tables(run, result, findings, log, names) if run.tables else None
    if run.rollouts:
        audit_rollouts(run, result, findings)
    for error in run.passed_over:
        found = f"{error.within}: {shown(error.value)}"
        findings.add(seen("file-passed-over", Where(error.path), error.expected, found))
    for path in (*(part.file for part in run.groups if part.lines.last is None), *run.rollouts):
        take_torn(path, findings)
    for each in logs:
        LogAudit(each, result.settings, findings).alone()
    if logs:
        result.log = logs[0]
        lengths = [row.numbers.get("completions/max_length", 0.0) for each in logs for row in each.rows]
        result.longest = int(max(filter(math.isfinite, lengths), default=0.0)) or None
    if own is not None:
        own.audit(tables, result, findings)
    elif tables is not None and not findings.has("batches-lost"):
        check_lost(run, tables, result, findings)
    result.findings = findings.all()
    return result


def audit_tables(
    run: Run, result: RowsResult, findings: Findings, log: Log | None, names: tuple[str, ...] | None
) -> TablesAudit:
    """TRL's tables: surveyed, then checked, then held against the log."""
    survey = Survey()
    steps: set[int] = set()
    evaluated = {row.step for row in log.rows if row.evaluates} if log is not None else set()
    left: set[bytes] = set()
    """The rows that evaluation left, which later tables may repeat."""
    for path in run.tables:
        table = read_table(path, names)
        steps.update(table.steps)
        seen_rows = fingerprint(table)
        if table.step in evaluated:
            left.add(seen_rows)
        elif seen_rows not in left:
            survey.take(table, log)
    audit = TablesAudit(run.name, result.settings, log, survey, findings)
    for path in run.tables:
        audit.take(read_table(path, names))
    column_lost = batches = False
    twice = {name for name in names or () if (names or ()).count(name) > 1}
    if log is not None:
        beside = LogBesideTables(log, result.settings, findings)
        recorded = bool(run.generations)
        column_lost, batches = beside.held(audit.kept, audit.chosen(), audit.overwritten, recorded, twice)
        if not batches:
            beside.take_absent(steps, len(run.tables))
    if names is not None and twice:
        column_lost = True
        for name in sorted(twice):
            if not findings.has("column-lost"):
                findings.add(
                    seen(
                        "column-lost",
                        Where(str(run.tables[0])),
                        f"a column for each of {names.count(name)} reward functions",
                        f"one column {name!r} for all of them: the last one's",
                        apart=name,
                    )
                )
    result.inferred.update(audit.finish(column_lost))
    return audit


def audit_rollouts(run: Run, result: RowsResult, findings: Findings) -> None:
    """Rows of verl's, whose groups are told by their prompts."""
    survey = Survey()
    survey.take(read_rollouts(run.rollouts[0]), None)
    audit = TablesAudit(run.name, result.settings, None, survey, findings)
    for path in run.rollouts:
        audit.take(read_rollouts(path))
    result.inferred.update(audit.finish(column_lost=False))


def audit_groups(run: Run, result: RowsResult, findings: Findings) -> list[Log]:
    """Our own format: batches, log rows and what calls say of batches, as they come; the log of each file."""
    rows: dict[str, list[LogRow]] = {}
    for part in run.groups:
        result.settings = result.settings.joined(read_header(part).settings)
    audit: TablesAudit | None = None
    passes, batches = Passes(), Batches()
    lines = Counter({part.file: 0 for part in run.groups if not part.lines.first})
    for part in run.groups:
        header = Where(str(part.file), part.lines.first)
        take_line("header", read_header(part).stated, header, findings)

        def told(kind: str, line: Mapping[str, Any], place: int, part: Part = part) -> None:
            if part.file in lines:
                lines[part.file] += 1
            take_line(kind, line, Where(str(part.file), place), findings)

        for item in read_groups(part, told):
            if isinstance(item, Table):
                if audit is None:
                    survey = Survey()
                    survey.take(item, None)
                    audit = TablesAudit(run.name, result.settings, None, survey, findings)
                audit.take(item)
                passes.hold(item, findings)
                batches.take(item)
            elif isinstance(item, LogRow):
                rows.setdefault(str(part.file), []).append(item)
            elif isinstance(item, Call):
                passes.take(item, findings)
    batches.finish(result.settings, findings)
    for path, count in lines.items():
        if count == 0:
            findings.add(seen("log-empty", Where(str(path)), "a line for each group under the header", "no line"))
    if audit is not None:
        result.inferred.update(audit.finish(column_lost=False))
    return [Log(file, tuple(of_file)) for file, of_file in rows.items()]


def take_torn(path: Path, findings: Findings) -> None:
    """A last line that was cut off, which the readers leave out."""
    torn = torn_line(path)
    if torn is not None:
        place, size = torn
        findings.add(seen("line-cut-off", Where(str(path), place), "a whole line", f"the first {size} bytes of one"))


class Generations:
    """The recorded generation batches of a run: their settings, and whether tables hold them."""

    def __init__(self, run: Run) -> None:
        """Read what is small of each."""
        self.run = run
        first = next(self.each(), None) or read_generation(run.generations[0])
        self.settings = first.settings
        self.names = first.table.names

    def audit(self, tables: TablesAudit | None, result: RowsResult, findings: Findings) -> None:
        """Count the batches, look for each in the tables, and check the advantages of those that no table holds."""
        lost_column = findings.has("column-lost")
        logged = (
            {} if tables is None else {kept.advantages_mark if lost_column else kept.mark: kept for kept in tables.kept}
        )
        held: set[bytes] = set()
        missing: list[tuple[int, str]] = []
        survey, others = Survey(), []
        for generation in self.each():
            result.batches.setdefault(generation.number, (generation.file, len(generation.table.rewards)))
            key = mark(generation.table, lost_column)
            if key in logged:
                held.add(key)
                if not lost_column:
                    continue
            elif tables is not None:
                missing.append((generation.number, generation.file))
            others.append(generation.file)
            survey.take(generation.table, None)
        if missing:
            findings.add(
                seen(
                    "batches-lost",
                    Where(missing[0][1]),
                    f"a table for each of {counted(len(result.batches), 'generation batch', 'generation batches')}",
                    f"{len(missing)} of them in no table",
                    distance=float(len(missing)),
                    far=counted(len(missing), "batch", "batches"),
                )
            )
        for key, kept in logged.items():
            if key not in held and tables is not None and kept.file not in tables.overwritten:
                findings.add(
                    seen("table-differs", Where(kept.file), "the rows of a recorded generation batch", "other rows")
                )
        if others:
            self.audit_rest(others, survey, result, findings)

    def audit_rest(self, files: list[str], survey: Survey, result: RowsResult, findings: Findings) -> None:
        """Check the batches that no table holds, in groups of the recorded size."""
        fresh = Findings(self.run.name)
        audit = TablesAudit(self.run.name, result.settings, None, survey, fresh)
        for file in files:
            audit.take(read_generation(Path(file)).table)
        inferred = audit.finish(column_lost=False)
        findings.extend(finding for finding in fresh.all() if finding.rule != "rows-logged-twice")
        if not result.inferred:
            result.inferred.update(inferred)
        elif not result.inferred.get("advantage_rule"):
            result.inferred.update({key: inferred[key] for key in inferred if key.startswith(("advantage", "reward"))})

    def each(self) -> Iterator[Any]:
        """The generation batches of training, of the first process each (it has every process's rows)."""
        for path in self.run.generations:
            generation = read_generation(path)
            if generation.rank == 0 and generation.mode == "train":
                yield generation


def check_lost(run: Run, tables: TablesAudit, result: RowsResult, findings: Findings) -> None:
    """Fewer distinct tables than the settings' generation batches."""
    expected = expected_batches(result.settings, result.log)
    distinct = len(tables.kept)
    if expected is not None and distinct < expected[0]:
        batches, steps = expected
        findings.add(
            seen(
                "batches-lost",
                Where(run.name),
                f"a table for each of {counted(batches, 'generation batch', 'generation batches')} in "
                + counted(steps, "step"),
                counted(distinct, "distinct table"),
                distance=float(batches - distinct),
                far=counted(batches - distinct, "batch", "batches"),
            )
        )
