"""Runs in which a fault was planted: a copy of a recorded run with a few numbers, rows or files changed."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from grpocheck.verifier.audit.auditing import Audit, audit
from grpocheck.verifier.audit.discovery import runs_of
from grpocheck.verifier.audit.findings import Finding


def copied(run: Path, to: Path) -> Path:
    shutil.copytree(run, to / run.name)
    return to / run.name


def tables_of(run: Path) -> list[Path]:
    return sorted((run / "completions").iterdir())


def edit_table(path: Path, edit: Callable[[dict[str, list[Any]]], None]) -> None:
    found = pq.read_table(path)
    columns = found.to_pydict()
    edit(columns)
    schema = found.schema if set(columns) == set(found.column_names) else None
    pq.write_table(pa.table(columns, schema=schema), path)


def edit_log(run: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    edit_json(run / "trainer_state.json", edit)


def edit_json(path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    found = json.loads(path.read_text())
    edit(found)
    path.write_text(json.dumps(found))


def edit_arrays(path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    edit(arrays)
    np.savez(path, **arrays)


def audited(*paths: Path) -> Audit:
    return audit(runs_of(list(paths)))


def by_rule(report: Audit) -> dict[str, Finding]:
    return {finding.rule: finding for finding in report.findings}
