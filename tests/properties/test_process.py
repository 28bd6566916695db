"""A check in a process of its own: the same answer, and an end whatever the property does."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from grpocheck.contracts.clauses import ContractViolation
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.reading import read_problem
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.properties import CheckFailed, PropertyError, Result, Verdict, check, check_in_process, process
from grpocheck.verifier.properties.verdicts import result_from_mapping

from tests.properties.problems import kink

ENDLESS = f"1 / ({' + '.join(f'sqrt(theta + {i})' for i in range(2, 24))}) > 0"
"""One over a sum of 22 roots: its exact denominator is a product of up to 2^22 conjugates."""


def checks_of(parent: int) -> list[int]:
    """The processes of checks that a process has started and that still run."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            started_by = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            command = (folder / "cmdline").read_text()
        except OSError:
            continue
        if started_by == parent and process.WORKER in command:
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize("text", ["F_next > F", "F_next < F", "F / 0 > 1", "status = complete"])
def test_the_answer_is_that_of_a_check_here(text: str) -> None:
    expected = check(text, kink())
    assert replace(check_in_process(text, kink()), seconds=expected.seconds) == expected


def test_a_result_goes_through_a_mapping_unchanged() -> None:
    found = check("ratio < 1 + epsilon", kink())
    assert isinstance(found, Result)
    assert result_from_mapping(found.to_mapping()) == found


def busy_for(check: int) -> float:
    """The seconds that a process has computed."""
    fields = Path(f"/proc/{check}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_property_that_would_run_for_ever_ends_with_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STARTING", 300.0)  # the machine may be busy
    result = check_in_process(ENDLESS, kink(), budget=1)
    assert (result.verdict, result.reason) == (Verdict.UNDECIDED, "the budget of 1 s is spent")
    assert checks_of(os.getpid()) == []


def test_a_check_is_cancelled_at_the_first_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "STARTING", 300.0)
    answers: list[bool] = []

    def cancelled() -> bool:
        answers.append(any(busy_for(check) > 2 for check in checks_of(os.getpid())))  # in the middle of its work
        return answers[-1]

    result = check_in_process(ENDLESS, kink(), budget=600, cancelled=cancelled)
    assert (result.verdict, result.reason) == (Verdict.UNDECIDED, "cancelled")
    assert answers.count(True) == 1
    assert checks_of(os.getpid()) == []


def test_a_check_that_tells_its_progress_all_the_time_is_cancelled_and_ended_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "talkative.py").write_text("while True: print('{\"progress\": [0, 0]}', flush=True)\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(process, "WORKER", "talkative")
    told: list[int] = []

    def progress(done: int, total: int) -> None:
        told.append(done)

    result = check_in_process("F >= 0", kink(), budget=600, progress=progress, cancelled=lambda: len(told) >= 50)
    assert (result.verdict, result.reason) == (Verdict.UNDECIDED, "cancelled")
    monkeypatch.setattr(process, "STARTING", 0.5)
    assert check_in_process("F >= 0", kink(), budget=0.1, progress=progress).reason == "it did not start in time"


def test_a_check_ends_soon_after_its_budget_where_nobody_is_left_to_end_it() -> None:
    request = {"property": ENDLESS, "problem": problem_to_toml(kink()), "scope": "run", "budget": 0.2}
    alone = subprocess.run(
        [sys.executable, "-m", process.WORKER], input=json.dumps(request), stdout=subprocess.PIPE, text=True,
        timeout=300,
    )  # fmt: skip
    assert alone.returncode == -signal.SIGXCPU
    assert json.loads(alone.stdout.splitlines()[0]) == {"started": True}


def test_bad_input_is_refused_before_a_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "WORKER", "there.is.no.such.module")
    with pytest.raises(PropertyError):
        check_in_process("F >", kink())
    with pytest.raises(PropertyError):
        check_in_process("theta[2] > 0", kink())
    with pytest.raises(InvalidProblem, match="a built-in family"):
        check_in_process("F > 0", read_problem("examples/supplied_family.toml"))
    with pytest.raises(CheckFailed, match="without an answer"):
        check_in_process("F > 0", kink())


def test_a_violated_contract_in_the_process_is_one_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "planted.py").write_text(
        "from grpocheck.contracts.clauses import ContractViolation\n"
        "from grpocheck.verifier.properties import runs, worker\n"
        "def broken(*arguments, **options):\n"
        "    raise ContractViolation('A1: planted')\n"
        "runs.run = broken\n"
        "worker.main()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(process, "WORKER", "planted")
    with pytest.raises(ContractViolation, match="A1: planted"):
        check_in_process("F >= 0", kink())


def test_an_interrupt_ends_the_command_and_its_check() -> None:
    main = "from grpocheck.verifier.cli import main; main()"
    arguments = ["prove", ENDLESS, "examples/undefined_gradient.toml", "--budget", "600"]
    command = subprocess.Popen([sys.executable, "-c", main, *arguments], stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 300  # the machine may be busy
    while not (checks := checks_of(command.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    command.send_signal(signal.SIGINT)
    _, said = command.communicate(timeout=300)
    assert (command.returncode, said) == (130, "interrupted\n")
    assert len(checks) == 1
    gone = Path(f"/proc/{checks[0]}")
    while gone.exists() and time.monotonic() < deadline:  # whoever adopts it still has to reap it
        time.sleep(0.05)
    assert not gone.exists()
