"""What a process of its own keeps apart: where the module runs, what it can read and write, and when it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction as F
from inspect import signature

import pytest
from grpocheck.core import Supply, SupplyViolation, TraceWriter, run
from grpocheck.core.arithmetic.choice import arithmetic_named
from grpocheck.core.violations import Clause
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.cli import app
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.isolation import link
from grpocheck.verifier.isolation.supply import isolated
from typer.testing import CliRunner

from tests.hostile import supplies
from tests.hostile.test_isolation import PATIENT, is_alive, is_zombie
from tests.hostile.test_table import problem

TOLD = """
import os
def note(what):
    with open("told", "a") as file:
        file.write(f"{what} {os.getpid()}\\n")
note("imported")
"""
SUPPLY = TOLD + """
from fractions import Fraction
from grpocheck.core import Supply
def reward(prompt, response):
    note("asked")
    return Fraction(response == "good")
supply = Supply(reward=reward)
"""
LOSS = TOLD + """
from tests.conform.losses import grpo
def loss(new, old, ref, advantages, mask):
    note("asked")
    return grpo(new, old, ref, advantages, mask)
"""
APART = {"here": (), "isolated": ("--isolate",)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a problem, in which commands are called."""
    (tmp_path / "problem.toml").write_text(problem_to_toml(problem()), encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), os.path.dirname(os.path.dirname(os.path.dirname(__file__))),
                                      *sys.path])  # fmt: skip
    monkeypatch.chdir(tmp_path)
    return tmp_path


def processes_of(folder, module, source, *arguments):
    """The processes in which a module was imported and asked, and whether this one has it."""
    (folder / f"{module}.py").write_text(source)
    (folder / "told").unlink(missing_ok=True)
    done = CliRunner().invoke(app, [*arguments])
    assert done.exit_code == 0, done.stderr
    lines = [line.split() for line in (folder / "told").read_text().splitlines()]
    assert [what for what, _ in lines].count("imported") == 1
    assert len(lines) > 1
    return {int(pid) for _, pid in lines}, sys.modules.pop(module, None) is not None


@pytest.mark.parametrize("name", APART)
def test_a_supply_runs_in_one_process_and_nowhere_else(folder, name):
    module = f"told_{name}"
    named = ["--supply", f"{module}:supply", *APART[name]]
    for command in (["run", "problem.toml", "--trace", "t.jsonl"], ["replay", "t.jsonl"]):
        (pid,), is_here = processes_of(folder, module, SUPPLY, *command, *named)
        assert ((pid == os.getpid()), is_here) == (name == "here", name == "here")


@pytest.mark.parametrize("name", ["here", "isolated"])
def test_a_loss_runs_in_one_process_and_nowhere_else(folder, name):
    pytest.importorskip("numpy")
    module = f"told_loss_{name}"
    (pid,), is_here = processes_of(
        folder, module, LOSS, "conform", f"{module}:loss", "--variant", "grpo", "--json", *APART[name]
    )
    assert ((pid == os.getpid()), is_here) == (name == "here", name == "here")


READING = """
import os
from fractions import Fraction
from grpocheck.core import Supply
def reward(prompt, response):
    if os.read(0, 100):
        raise ValueError("there is something to read")
    os.write(1, b"SPOILT")
    return Fraction(response == "good")
supply = Supply(reward=reward)
"""


@pytest.mark.slow
def test_it_reads_nothing_and_writes_to_stderr(folder):
    (folder / "reading.py").write_text(READING)
    command = [sys.executable, "-m", "grpocheck", "run", "problem.toml", "--json", "--supply", "reading:supply"]
    done = subprocess.run([*command, "--isolate"], input=b"words", capture_output=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "complete"), done.stderr
    assert b"SPOILT" in done.stderr
    assert subprocess.run(command, input=b"words", capture_output=True, check=False).returncode == 1


def test_a_file_that_is_open_here_is_not_open_in_a_fork(tmp_path):
    """The trace that is being written, above all."""
    with (tmp_path / "open").open("wb", buffering=0) as file:
        number = file.fileno()

        def reward(prompt, response):
            os.write(number, b"SPOILT")
            return F(1)

        refused = pytest.raises(SupplyViolation, match="Bad file descriptor")
        with isolated(Supply(reward=reward), seconds=PATIENT) as oracles, refused:
            run(problem(), oracles)
    assert (tmp_path / "open").read_bytes() == b""


NEVER_ENDING = """
import os, time
from grpocheck.core import Supply
def reward(prompt, response):
    with open("asked.new", "w") as file:
        file.write(str(os.getpid()))
    os.rename("asked.new", "asked")
    while True:
        time.sleep(1)
supply = Supply(reward=reward)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc to find processes in")
def test_it_ends_with_a_run_that_is_killed(folder):
    (folder / "never.py").write_text(NEVER_ENDING)
    command = [sys.executable, "-m", "grpocheck", "run", "problem.toml", "--supply", "never:supply"]
    process = subprocess.Popen([*command, "--call-limit", "3000"])
    end = time.monotonic() + PATIENT
    while not (folder / "asked").exists():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.02)
    pid = int((folder / "asked").read_text())
    assert pid != process.pid
    process.send_signal(signal.SIGKILL)
    process.wait()
    try:
        while is_alive(pid) and not is_zombie(pid):
            assert time.monotonic() < end, "it goes on"
            time.sleep(0.02)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_the_limits_are_those_that_are_stated(folder, monkeypatch):
    """docs/security.md: ten seconds for a call if nothing is said, one minute for the import, which ends it too."""
    assert (signature(isolated).parameters["seconds"].default, link.START_SECONDS) == (10, 60)
    (folder / "importing_for_ever.py").write_text("import time\nwhile True:\n    time.sleep(1)\n")
    monkeypatch.setattr(link, "START_SECONDS", 0.2)
    refused = pytest.raises(BadOption, match=r"gave no answer within 0\.2 s; its process was ended")
    with refused, isolated("importing_for_ever:supply", seconds=PATIENT):
        pass


def test_numbers_of_mpmath_are_refused():
    with isolated(supplies.whole, seconds=PATIENT) as oracles, pytest.raises(SupplyViolation) as caught:
        run(problem(), oracles, arithmetic=arithmetic_named("mp"))
    assert caught.value.clause is Clause.ANSWERS
    assert "numbers of this arithmetic: exact and enclosed ones can be sent" in str(caught.value)


ENDING = """
from grpocheck.core import Supply
from grpocheck.core.arithmetic.errors import UndecidedComparison
def interrupting(prompt, response):
    raise KeyboardInterrupt
def doubting(prompt, response):
    raise UndecidedComparison("a", "b", ("[0, 1]", "[0, 1]"), 64)
interrupting, doubting = Supply(reward=interrupting), Supply(reward=doubting)
"""


@pytest.mark.parametrize(("name", "status"), [("interrupting", 130), ("doubting", 3)])
def test_what_is_believed_is_no_verdict(folder, name, status):
    """Neither a yes nor a no; the trace is whole up to it."""
    (folder / "ending.py").write_text(ENDING)
    done = CliRunner().invoke(app, ["run", "problem.toml", "--trace", "t.jsonl", "--supply", f"ending:{name}"])
    assert (done.exit_code, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr
    events = [json.loads(line)["event"] for line in (folder / "t.jsonl").read_text().splitlines()]
    assert events[:4] == ["start", "outer-iteration", "draw", "draw"]
    assert "outcome" not in events


def test_no_run_reads_the_state_of_other_libraries(tmp_path):
    """A run with draws of a seed and numbers that are enclosed, and the same when an oracle changes all of it."""
    given = problem(beta="1/10", recorded=None)

    def spoiling(prompt, response):
        supplies.spoil_the_state()
        return F(response == "good")

    traces = []
    with supplies.state_kept():
        for name, reward in (("plain", lambda prompt, response: F(response == "good")), ("spoilt", spoiling)):
            with TraceWriter(tmp_path / name) as writer:
                found = run(given, Supply(reward=reward), seed=3, observer=writer)
            assert found.arithmetic.name == "enclosure"
            traces.append((tmp_path / name).read_bytes())
    assert traces[0] == traces[1]
