"""What runs the tests of a response: a script for a Python of its own, which forks once for each test.

Each test's process has limits on processor time, memory and files, a network namespace of its own where the system
allows one to be made, and an audit hook that refuses sockets, other processes and files to write. A test passes when
the response and then the test run to their ends; the process says so with a word that is new for every test. That keeps
mistakes in; it is no wall against code that is written to break out.
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass

HARNESS = r"""
import json, os, resource, select, signal, sys, time

job = json.loads(sys.stdin.read())
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
REFUSED = ("socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.", "ctypes.",
           "os.kill", "signal.pthread_kill", "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "shutil.")

def writes(path, mode, flags):
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or bool(set(mode or "") & set("wax+"))

def isolate():
    try:
        import ctypes
        ctypes.CDLL(None, use_errno=True).unshare(NEW_USER | NEW_NETWORK)
    except (ImportError, OSError, AttributeError):
        pass
    seconds = max(1, int(job["seconds"] + 0.999))
    for limit, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, job["megabytes"] * 2**20),
                        (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(limit, (most, most))
    def hook(event, arguments):
        if event.startswith(REFUSED) or (event == "open" and writes(*arguments)):
            raise PermissionError(event)
    sys.addaudithook(hook)

def attempt(test, say, word):
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    signal.alarm(int(job["seconds"]) + 2)
    isolate()
    names = {"__name__": "response"}
    exec(compile(job["response"], "response", "exec"), names)
    exec(compile(test, "test", "exec"), names)
    os.write(say, word.encode())

def outcome(test, word):
    hear, say = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            attempt(test, say, word)
        finally:
            os._exit(0)
    os.close(say)
    heard, end = b"", time.monotonic() + job["seconds"]
    while len(heard) <= len(word):
        ready, _, _ = select.select([hear], [], [], max(0.0, end - time.monotonic()))
        piece = os.read(hear, 4096) if ready else b""
        if not piece:
            break
        heard += piece
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(hear)
    return heard == word.encode()

results = [outcome(test, word) for test, word in zip(job["tests"], job["words"])]
print(json.dumps(results))
"""


@dataclass(frozen=True)
class Limits:
    """What a test may use: seconds of time, megabytes of memory."""

    seconds: float = 2.0
    megabytes: int = 256


def run_harness(job: str, tests: int, limits: Limits) -> str:
    """What the harness prints for a job. Raises RuntimeError or TimeoutExpired where it does not end well itself."""
    command = [sys.executable, "-I", "-S", "-c", HARNESS]
    with tempfile.TemporaryDirectory() as empty:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=empty,
            env={"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0"},
            start_new_session=True,
        )
        try:
            printed, said = process.communicate(job, timeout=tests * (limits.seconds + 1) + 10)
        finally:
            if process.poll() is None:
                process.kill()
                process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"the harness of the tests failed: {said.strip().splitlines()[-1:]}")
    return printed
