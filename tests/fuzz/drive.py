"""Coverage-guided fuzzing of one target: python -m tests.fuzz.drive TARGET --seconds 600

Starts from the examples and the kept corpus, mutates what reaches new code (atheris), and goes on after a fault: each
kind of fault (the error and the last place of ours that it passed) is kept once, as FOLDER/faults/KIND. Exit status 1
when there is one. Needs atheris.
"""

import argparse
import hashlib
import os
import shutil
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable
from multiprocessing.sharedctypes import RawValue
from pathlib import Path

CORPUS = Path(__file__).with_name("corpus")
HOUSE = Path(__file__).resolve().parents[2]
OURS = ("core", "verifier", "contracts", "proofs", "fuzz")
ENDED = (0, 130)
"""The engine's exit statuses for time that is over; any other is a process that did not last."""
SEEDS = {
    "problem": ("examples/*.toml", "examples/non_claims/*.toml", "examples/disputes/*.toml"),
    "property": ("examples/properties/*.txt",),
    "task": ("examples/training_free/*.toml",),
    "groups": ("examples/audit/*.jsonl",),
    "rollouts": ("examples/audit/*.jsonl",),
    "cases": ("examples/disputes/*.json",),
}


class TooLong(BaseException):
    """An input that takes longer than a target may."""


def overdue(number: int, frame: types.FrameType | None) -> None:
    """The alarm."""
    raise TooLong


def kind_of(error: BaseException) -> str:
    """The error and where it came from, as the name of a file."""
    places = [f for f in traceback.extract_tb(error.__traceback__) if any(f"/{room}/" in f.filename for room in OURS)]
    last = places[-1] if places else None
    where = f"{Path(last.filename).stem}-{last.name}-{last.lineno}" if last else "nowhere"
    return f"{type(error).__name__}-{where}"


def guarded(target: Callable[[bytes], None], seconds: float, faults: Path, end: float) -> Callable[[bytes], None]:
    """The target, with faults kept and the time watched."""

    def run(data: bytes) -> None:
        if time.monotonic() > end:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            target(data)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            path = faults / kind_of(error)
            if not path.exists():
                path.write_bytes(data)
                print(f"FAULT {path.name}: {str(error)[:200]}", flush=True)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    return run


def main() -> int:
    """Fuzz one target for a while."""
    parser = argparse.ArgumentParser(description="Fuzz one target.")
    parser.add_argument("target")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--folder", type=Path, default=HOUSE / "build" / "fuzz")
    chosen = parser.parse_args()
    import atheris

    with atheris.instrument_imports(include=["grpocheck"]):
        from tests.fuzz.targets import SECONDS, TARGETS

    folder = chosen.folder / chosen.target
    faults = folder / "faults"
    found = folder / "found"
    for path in (faults, found):
        path.mkdir(parents=True, exist_ok=True)
    for pattern in SEEDS.get(chosen.target, ()):
        for path in HOUSE.glob(pattern):
            shutil.copy(path, found / hashlib.sha256(path.read_bytes()).hexdigest()[:16])
    for path in (CORPUS / chosen.target).glob("*"):
        shutil.copy(path, found / path.name)
    signal.signal(signal.SIGALRM, overdue)
    end = time.monotonic() + chosen.seconds
    tried = RawValue("Q", 0)  # shared with the engine's process

    def counted(data: bytes) -> None:
        tried.value += 1
        TARGETS[chosen.target](data)

    run = guarded(counted, SECONDS, faults, end)
    options = [sys.argv[0], f"-max_total_time={int(chosen.seconds)}", "-rss_limit_mb=2048", "-max_len=20000"]
    atheris.Setup([*options, "-timeout=120", f"-artifact_prefix={faults}/", str(found)], run)
    child = os.fork()  # the engine ends its process when its time is over
    if child == 0:
        atheris.Fuzz()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    kept = sorted(path.name for path in faults.iterdir())
    if status not in ENDED:
        kept.append(f"the engine ended with {status}")
    inputs = len(list(found.iterdir()))
    said = f"{tried.value:,} inputs tried, {inputs} kept, {len(kept)} kinds of fault: {kept}"
    print(f"{chosen.target}: {chosen.seconds:g} s, {said}", flush=True)
    return 1 if kept else 0


if __name__ == "__main__":
    sys.exit(main())
