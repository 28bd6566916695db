"""Every way in which a piece of evidence can end is told apart, and none of the bad ones is held."""

import signal
import subprocess
import sys
from threading import Event, Thread, get_ident

import pytest
from grpocheck.proofs.evidence import Budget, Evidence, Finding, OutOfBudget, Verdict, evidence, find, held
from grpocheck.verifier import workers
from grpocheck.verifier.workers import interrupts_delayed, run_evidence


def run(name: str, seconds: float = 60) -> dict[str, Finding]:
    (outcome,) = [outcome for _, outcome in run_evidence([(find(f"planted:{name}"), seconds)], 1, ignore)]
    return outcome.findings


def ignore(_name: str, _done: int, _total: int) -> None:
    """Nobody watches."""


def test_held_with_its_counts() -> None:
    assert run("holds") == {"E2": Finding(Verdict.HELD, counts={"cases": 2})}


def test_progress_is_reported_before_the_finding() -> None:
    heard: list[tuple[str, int, int]] = []
    list(run_evidence([(find("planted:holds"), 60)], 1, lambda name, *far: heard.append((name, *far))))
    assert heard == [("planted:holds", 2, 2)]


def test_claims_of_one_check_may_differ() -> None:
    findings = run("refutes_one_of_two")
    assert findings["E1"].verdict == Verdict.REFUTED
    assert findings["E1"].detail == "rho = 2, A = 1"
    assert findings["E2"].verdict == Verdict.HELD


def test_a_check_that_raises_is_broken_and_says_how() -> None:
    finding = run("raises")["B1"]
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, True)
    assert "ZeroDivisionError: by hand" in finding.detail


def test_a_process_that_dies_is_broken() -> None:
    finding = run("exits")["B3"]
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, True)
    assert "exit status 9" in finding.detail


def test_a_check_that_ignores_its_budget_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "GRACE", 1.0)
    finding = run("never_ends", 2)["B4"]
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, False)
    assert "out of its budget" in finding.detail


def test_a_check_that_looks_at_its_budget_stops_by_itself() -> None:
    finding = run("steps_for_ever", 0.2)["B5"]
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, False)
    assert "in 0.2 s" in finding.detail


def test_a_violated_contract_refutes_the_claim_that_it_names_and_no_other() -> None:
    findings = run("violates_a_contract")
    assert findings["B2"].verdict == Verdict.REFUTED
    assert "advantages sum to 0" in findings["B2"].detail
    assert findings["B1"].verdict == Verdict.UNDECIDED


def test_contracts_are_on_in_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPOCHECK_CONTRACTS", "off")
    assert run("violates_a_contract")["B2"].verdict == Verdict.REFUTED


def test_a_module_that_cannot_be_imported_is_broken() -> None:
    entry = find("planted:holds")
    gone = Evidence("no_such_module:check", ("E2",), entry.kind, "one case", 60, (), True, entry.check)
    ((_, outcome),) = run_evidence([(gone, 60)], 1, ignore)
    assert outcome.findings["E2"].broken
    assert "no_such_module" in outcome.findings["E2"].detail


def test_held_must_count_something() -> None:
    with pytest.raises(ValueError, match="counts"):
        held()
    with pytest.raises(ValueError, match="counts"):
        held(cases=0)


def test_evidence_for_a_claim_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(LookupError, match="'Z9': expected one of A1, A2"):
        evidence("Z9", kind=find("planted:holds").kind, scope="none")


def test_a_finding_for_an_undeclared_claim_is_an_error() -> None:
    with pytest.raises(ValueError, match="C1"):
        find("planted:holds").findings({"C1": held(cases=1)})


def test_a_budget_that_is_over_stops_the_check() -> None:
    with pytest.raises(OutOfBudget, match="3 of 9 cases"):
        Budget(0).step(3, 9)


def test_an_interrupt_that_another_thread_takes_waits_as_well() -> None:
    """A process that is half started would complain of what it was not sent."""
    begun, started = Event(), list[int]()
    thread = Thread(target=lambda: (begun.wait(), signal.pthread_kill(get_ident(), signal.SIGINT)))
    thread.start()  # before, so that no signal is blocked in it

    def starting() -> None:
        with interrupts_delayed():
            begun.set()
            thread.join()
            started.append(sum(range(1000)))

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            starting()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert started == [499500]


BLOCKED = """
import multiprocessing, signal
from grpocheck.verifier.workers import interrupts_delayed

if __name__ == "__main__":
    with interrupts_delayed():
        process = multiprocessing.get_context("spawn").Process(target=abs, args=(1,))
        process.start()
        print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
    process.join()
"""


def test_an_interrupt_waits_while_the_first_process_is_started() -> None:
    """In a process of its own, since multiprocessing starts its tracker once, and unblocks the signal by that."""
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
