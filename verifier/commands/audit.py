"""The command ``audit``: what was asked, read, checked and printed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grpocheck.verifier.audit.errors import needed
from grpocheck.verifier.failures import REFUTED, BadOption, emit, say
from grpocheck.verifier.files import check_folder, check_writable, write_text
from grpocheck.verifier.progress import progress_bar

NOTHING_KEPT = "grpocheck: nothing of this audit was kept; with --keep FOLDER the next one goes on from what is done"


@dataclass(frozen=True)
class AuditRequest:
    """What was asked of ``audit``."""

    paths: Sequence[Path]
    json: bool = False
    sarif: Path | None = None
    html: Path | None = None
    settings: Path | None = None
    jobs: int = 1
    ray: str | None = None
    keep: Path | None = None


def audit_command(request: AuditRequest) -> int:
    """Audit what is there, and print the report; 1 for a finding that is an error or a warning."""
    if not request.paths:
        raise BadOption("PATH", None, "none is given", "at least one file or folder (or --rules)")
    for library in ("numpy", "pyarrow"):
        needed(library)
    from grpocheck.verifier.audit.auditing import Piece, Work, audit
    from grpocheck.verifier.audit.crews import cluster, processes
    from grpocheck.verifier.audit.discovery import runs_of
    from grpocheck.verifier.audit.keeping import Kept, rules_digest
    from grpocheck.verifier.audit.page import page
    from grpocheck.verifier.audit.report import to_lines, to_mapping, to_sarif
    from grpocheck.verifier.audit.settings import read_settings
    from grpocheck.verifier.keeping import going_on

    for option, path, kind in (("--sarif", request.sarif, "a report in SARIF"), ("--html", request.html, "a page")):
        if path is not None:
            check_writable(option, path, kind, request.settings, *request.paths)
    if request.keep is not None:
        check_folder("--keep", request.keep)
    extra = read_settings(request.settings) if request.settings is not None else None
    runs = runs_of(request.paths, extra)
    crew = processes(request.jobs) if request.ray is None else cluster(request.ray)
    folder, rules = request.keep, "" if request.keep is None else rules_digest()

    def given(piece: Piece) -> Work:
        return piece if folder is None else Kept(piece, folder.resolve(), rules)

    try:
        with progress_bar("auditing", sum(run.files for run in runs)) as advance:
            report = audit(runs, crew, advance, given)
    except KeyboardInterrupt:
        say(NOTHING_KEPT if folder is None else going_on(folder))
        raise
    if request.sarif is not None:
        write_text(request.sarif, json.dumps(to_sarif(report), indent=2) + "\n")
    if request.html is not None:
        write_text(request.html, page(report))
    emit(json.dumps(to_mapping(report), indent=2) if request.json else "\n".join(to_lines(report)))
    return 0 if report.ok else REFUTED


def list_rules(as_json: bool) -> int:
    """Print the registry of rules."""
    from grpocheck.verifier.audit.rules import RULES

    if as_json:
        from grpocheck.verifier.audit.rules import mappings

        emit(json.dumps(mappings(), indent=2))
        return 0
    lines = []
    for rule in RULES.values():
        claim = f" [{rule.claim}]" if rule.claim else ""
        lines += [f"{rule.name} ({rule.severity}){claim}", f"    {rule.says}", f"    do: {rule.advice}"]
    emit("\n".join(lines))
    return 0
