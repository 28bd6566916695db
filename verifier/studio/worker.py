"""The process of a lane: reads questions, one JSON line each, and writes an answer for each."""

import json
import os
import signal
import sys
from types import FrameType
from typing import NoReturn

from grpocheck.proofs.lifeline import end_with
from grpocheck.verifier.isolation.memory import bound_addresses

MOST_MEMORY = 3 * 2**30
"""Bytes of address space that an answer may take: what would fill the machine fails instead."""


def leave(number: int, frame: FrameType | None) -> NoReturn:
    """Unwind, so that a check that runs in a process of its own is ended on the way out."""
    raise SystemExit(128 + number)


def main() -> None:
    """Answer until the questions end. What anything prints goes to stderr: stdout holds answers alone."""
    bound_addresses(MOST_MEMORY)
    signal.signal(signal.SIGTERM, leave)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    from grpocheck.verifier.studio.answers import answer

    for line in sys.stdin.buffer:
        asked = json.loads(line)
        answers.write(json.dumps(answer(asked["question"], asked["request"]), ensure_ascii=True) + "\n")
        answers.flush()


if __name__ == "__main__":
    end_with(os.getppid())
    main()
