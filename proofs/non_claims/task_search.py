"""Search for the witnesses of N6 and N8 and compare with the stored files.

``python -m grpocheck.proofs.non_claims.task_search``; ``--write`` stores what is found. It prints what was found, and
how many smaller cases were looked at and excluded. Exit status 1 when a stored file differs.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from grpocheck.proofs.non_claims import n6, n8
from grpocheck.proofs.non_claims.files import store
from grpocheck.proofs.non_claims.task_files import TaskWitness, text_of

WITNESSES: tuple[TaskWitness, ...] = (*n6.WITNESSES, *n8.WITNESSES)


def find_witness(witness: TaskWitness, write: bool, say: Callable[[str], None]) -> bool:
    """Search for a witness, store it if asked to; whether the stored file is what was found."""
    found = witness.search()
    facts = witness.refute(found.task)
    say(f"  found; {found.cases} smaller cases excluded")
    if facts is None:
        say("  IT DOES NOT REFUTE IN CORE'S OWN RUNS")
        return False
    for fact in facts:
        say(f"  {fact}")
    text, path = text_of(witness, found, facts), Path(witness.path)
    if write:
        store(path, text)
    stored = path.is_file() and path.read_text(encoding="utf-8") == text
    say(f"  {path}: {'as stored' if stored else 'THE STORED FILE DIFFERS (--write stores what was found)'}")
    return stored


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """The command; the exit status."""
    entries = {witness.name: witness for witness in WITNESSES}
    parser = argparse.ArgumentParser(prog="python -m grpocheck.proofs.non_claims.task_search", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(entries)}; all if none is given")
    parser.add_argument("--write", action="store_true", help="store what is found")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in entries]
    if unknown:
        parser.error(f"{unknown[0]!r}: expected one of {', '.join(entries)}")
    failed = []
    for name in options.names or entries:
        say(name)
        failed += [] if find_witness(entries[name], options.write, say) else [name]
    say(f"{len(failed)} of {len(options.names or entries)} searches failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
