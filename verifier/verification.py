"""The command ``verify``: the ladder with its progress, its report as a file, and its tables."""

import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from grpocheck.contracts.claims import select
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence.gathering import Rows, Settings, verdicts_of
from grpocheck.verifier.evidence.ladder import verify
from grpocheck.verifier.evidence.page import page
from grpocheck.verifier.evidence.summary import summary
from grpocheck.verifier.failures import emit, say
from grpocheck.verifier.files import check_writable, write_text
from grpocheck.verifier.keeping import going_on


class Quiet:
    """A watcher for output that nobody looks at: one line on stderr for each piece of evidence."""

    def planned(self, pieces: int) -> None:
        """Say nothing before the first finding."""

    def progressed(self, name: str, done: int, total: int) -> None:
        """Say nothing between start and finish."""

    def finished(self, rows: Rows) -> None:
        """Say what was found."""
        for name, row in {row.name: row for row in rows.values()}.items():
            origin = "from the cache" if row.cached else f"{row.seconds:.1f} s"
            say(f"{row.kind}  {name.removeprefix('grpocheck.')}: {verdicts_of(rows)} ({origin})")


def verify_claims(
    identifiers: Sequence[str],
    jobs: int | None,
    seconds: float | None,
    json_path: Path,
    html_path: Path | None,
    cache_folder: Path | None,
    ray: str | None = None,
) -> int:
    """Verify, write the report, print it; the exit status of the report.

    With ``ray`` the pieces are tasks of the cluster at that address; what is done is in the cache when it is stopped.
    """
    claims = select(identifiers)
    to_stdout = str(json_path) == "-"
    if not to_stdout:
        check_writable("--json", json_path, "a report of the evidence")
    if html_path is not None:
        check_writable("--html", html_path, "a page")
    cache = Cache(cache_folder)
    with ExitStack() as stack:
        executor: Executor | None = None
        if ray is not None:
            from grpocheck.verifier.executors import RayExecutor

            executor = stack.enter_context(RayExecutor(ray))
        settings = Settings(jobs or os.cpu_count() or 1, seconds, cache, executor=executor)
        try:
            if sys.stderr.isatty():
                from grpocheck.verifier.evidence.bars import Bars

                with Bars() as bars:
                    report = verify(claims, settings, bars)
            else:
                report = verify(claims, settings, Quiet())
        except KeyboardInterrupt:
            if cache_folder is not None:
                say(going_on(cache_folder))
            raise
    text = json.dumps(report.to_mapping(), indent=2, ensure_ascii=False) + "\n"
    if not to_stdout:
        write_text(json_path, text)
    if html_path is not None:
        write_text(html_path, page(report))
    emit(text.rstrip() if to_stdout else summary(report, json_path))
    return report.exit_status
