"""The command ``studio``: serve the page until it is interrupted."""

import signal
import threading
import webbrowser
from pathlib import Path
from types import FrameType

from grpocheck.verifier.failures import BadOption, emit, say
from grpocheck.verifier.files import read_whole
from grpocheck.verifier.studio.security import MOST_PROBLEM
from grpocheck.verifier.studio.server import Studio


def serve(problem: Path | None, port: int, browser: bool, report: Path) -> int:
    """Serve the page and open it; 0 when it is ended, BadOption for a problem or a port that cannot be used."""
    text = None if problem is None else text_of(problem)
    try:
        studio = Studio(port, text, "" if problem is None else problem.stem, str(report))
    except OSError as error:
        expected = "a free port, or 0 for any"
        raise BadOption("--port", port, error.strerror or str(error), expected) from error
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, end)
    studio.serve_in_background()
    emit(f"grpocheck studio: {studio.address}")
    say("Ctrl+C ends it")
    if browser:
        webbrowser.open(studio.address)
    try:
        while not ended.wait(3600):
            pass
    except KeyboardInterrupt:
        say("")
    finally:
        studio.close()
    return 0


def text_of(problem: Path) -> str:
    """The text of a problem file, which the page then reads as it reads any other."""
    try:
        text = read_whole(problem).decode("utf-8-sig")
    except ValueError as error:
        raise BadOption("PROBLEM", problem, str(error), "a problem file in UTF-8") from error
    if len(text) > MOST_PROBLEM:
        raise BadOption("PROBLEM", problem, f"{len(text)} characters", f"at most {MOST_PROBLEM} for the studio")
    return text
