"""Search for every witness and compare with the stored files: ``python -m grpocheck.proofs.non_claims.search``.

Names choose some of the searches; ``--write`` stores what is found. It prints what was found, and how many smaller
cases were run and excluded. Exit status 1 when a stored file differs, when a witness is not found, and when a search
that must find nothing finds something. With GRPOCHECK_CONTRACTS=off it takes minutes, with contracts on hours.
"""

import argparse
from collections.abc import Callable, Sequence

from grpocheck.contracts.clauses import ENABLED
from grpocheck.core import Problem
from grpocheck.proofs.non_claims.files import ORDER, excluded_line, path_of, smallness, store, text_of
from grpocheck.proofs.non_claims.searcher import search
from grpocheck.proofs.non_claims.witnesses import IMPOSSIBLE, WITNESSES, Impossible, Witness

Say = Callable[[str], None]


def found_text(witness: Witness, say: Say) -> str | None:
    """The text of a witness's file as it is found; None where nothing is."""
    if isinstance(witness.source, Problem):
        say("  given, as a member of a family")
        problem, refutation, lines = witness.source, witness.refute(witness.source), list[str]()
    else:
        done = search(witness.refute, witness.source, lambda entry: say(f"  excluded {excluded_line(entry)}"))
        if done.found is None:
            say(f"  NOTHING FOUND in {done.cases} cases")
            return None
        problem, refutation = done.found.problem, done.found.refutation
        lines = smallness(done.found, done, witness.source)
        say(f"  found {done.found.shape}, height {done.found.height}; {done.cases} smaller cases excluded")
    if refutation is None:
        say("  IT DOES NOT REFUTE")
        return None
    for fact in refutation.facts:
        say(f"  {fact}")
    return text_of(witness, problem, refutation, lines)


def find_witness(witness: Witness, write: bool, say: Say) -> bool:
    """Search for a witness, store it if asked to; whether the stored file is what was found."""
    text = found_text(witness, say)
    if text is None:
        return False
    path = path_of(witness)
    if write:
        store(path, text)
    stored = path.is_file() and path.read_text(encoding="utf-8") == text
    say(f"  {path}: {'as stored' if stored else 'THE STORED FILE DIFFERS (--write stores what was found)'}")
    return stored


def find_nothing(impossible: Impossible, say: Say) -> bool:
    """Search for what cannot be; whether nothing was found."""
    done = search(impossible.refute, impossible.grid, lambda entry: say(f"  excluded {excluded_line(entry)}"))
    if done.found is not None:
        say(f"  FOUND WHAT CANNOT BE: {done.found.refutation.facts}")
        return False
    say(f"  nothing found in {done.cases} cases, standing for {done.stands_for}; as it must be:")
    say(f"  {impossible.why}")
    return True


def main(arguments: Sequence[str] | None = None, say: Say = print) -> int:
    """The command; the exit status."""
    every: list[Witness | Impossible] = [*WITNESSES, *IMPOSSIBLE]
    entries = {entry.name: entry for entry in every}
    parser = argparse.ArgumentParser(prog="python -m grpocheck.proofs.non_claims.search", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(entries)}; all if none is given")
    parser.add_argument("--write", action="store_true", help="store what is found")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in entries]
    if unknown:
        parser.error(f"{unknown[0]!r}: expected one of {', '.join(entries)}")
    if ENABLED:
        say("contracts are on, and most of the time goes there; GRPOCHECK_CONTRACTS=off searches the same cases")
    say(ORDER)
    failed = []
    for name in options.names or entries:
        entry = entries[name]
        say(name)
        fine = find_witness(entry, options.write, say) if isinstance(entry, Witness) else find_nothing(entry, say)
        failed += [] if fine else [name]
    say(f"{len(failed)} of {len(options.names or entries)} searches failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
