"""The ladder as a whole: what runs, what comes from the cache, what is missing from an installation."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from grpocheck.contracts.claims import CLAIMS, Claim, Kind, select
from grpocheck.contracts.coverage import Coverage, Gap
from grpocheck.proofs import evidence
from grpocheck.proofs.evidence import Need, Verdict
from grpocheck.proofs.symbolic.verdicts import Counterexample, Result
from grpocheck.proofs.symbolic.verdicts import Verdict as SymbolicVerdict
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence import ladder, symbolic
from grpocheck.verifier.evidence.gathering import Rows, Settings
from grpocheck.verifier.evidence.ladder import verify
from grpocheck.verifier.evidence.report import Report
from grpocheck.verifier.evidence.symbolic import finding_of


class Noted:
    """A watcher that keeps what it is told."""

    def __init__(self) -> None:
        self.pieces = 0
        self.steps: list[tuple[str, int, int]] = []
        self.rows: list[Rows] = []

    def planned(self, pieces: int) -> None:
        self.pieces += pieces

    def progressed(self, name: str, done: int, total: int) -> None:
        self.steps.append((name, done, total))

    def finished(self, rows: Rows) -> None:
        self.rows.append(rows)


@pytest.fixture(autouse=True)
def no_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit statuses here are those of the evidence, whatever state core is in."""
    monkeypatch.setattr(ladder, "core_coverage", lambda: Coverage(1, 1, (), ()))


def test_a_gap_in_core_fails_the_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    gap = Gap(Path("core/x.py"), 1, "f", "no postcondition")
    monkeypatch.setattr(ladder, "core_coverage", lambda: Coverage(1, 0, (gap,), ()))
    assert verified(None, "N1")[0].exit_status == 1


def verified(folder: Path | None, *claims: str, modules: tuple[str, ...] = ("planted",)) -> tuple[Report, Noted]:
    noted = Noted()
    settings = Settings(2, 60, Cache(folder), modules)
    wanted = [Claim(claim.id, claim.statement, claim.seed, {}) for claim in select(claims)]
    return verify(wanted, settings, noted), noted


def test_only_what_speaks_of_the_claims_runs(tmp_path: Path) -> None:
    report, noted = verified(None, "E1", "E2")
    ran = {row.name for entry in report.claims for row in entry.rows}
    assert ran == {"planted:holds", "planted:refutes_one_of_two"}
    assert noted.pieces == len(noted.rows) == 2
    assert noted.steps == [("planted:holds", 2, 2)]
    assert [(entry.claim.id, entry.verdict) for entry in report.claims] == [
        ("E1", Verdict.REFUTED),
        ("E2", Verdict.HELD),
    ]
    assert report.exit_status == 1


def test_the_second_time_comes_from_the_cache_and_says_so(tmp_path: Path) -> None:
    first, _ = verified(tmp_path, "E2", "G1")
    second, _ = verified(tmp_path, "E2", "G1")
    cached = {row.name: row.cached for entry in second.claims for row in entry.rows}
    # what was undecided is tried again
    assert cached == {
        "planted:holds": True,
        "planted:refutes_one_of_two": True,
        "planted:undecided_in_the_budget": False,
    }
    assert not any(row.cached for entry in first.claims for row in entry.rows)
    assert second.to_mapping()["claims"][0]["evidence"][0]["cached"] is True

CHANGING = """\
from grpocheck.contracts.claims import Kind
from grpocheck.proofs.evidence import Budget, Finding, evidence, held


@evidence("E2", kind=Kind.ENUMERATION, scope="one case")
def holds(budget: Budget) -> Finding:
    budget.step(1, 1)
    return held(cases=1)
"""


def test_what_was_found_while_its_source_was_changed_is_kept_under_no_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "changed_meanwhile.py"
    source.write_text(CHANGING)
    monkeypatch.syspath_prepend(tmp_path)

    class Changing(Noted):
        def progressed(self, name: str, done: int, total: int) -> None:
            source.write_text(CHANGING + "# as it was read by whom?\n")

    settings = Settings(1, 60, Cache(tmp_path / "kept"), ("changed_meanwhile",))
    wanted = [Claim(claim.id, claim.statement, claim.seed, {}) for claim in select(["E2"])]
    for watcher, cached in ((Changing(), False), (Noted(), False), (Noted(), True)):
        source.write_text(CHANGING)
        report = verify(wanted, settings, watcher)
        assert [row.cached for row in report.claims[0].rows] == [cached]
        assert report.claims[0].verdict is Verdict.HELD


def test_what_cannot_run_here_is_named_with_what_enables_it() -> None:
    report, _ = verified(None, "F1")
    assert report.not_run == [
        {
            "what": "planted:needs_another_program",
            "why": "there is no prover",
            "enable": "make proofs-setup",
        }
    ]
    (claim,) = report.claims
    assert claim.verdict == Verdict.NOT_RUN
    assert not claim.succeeds


def test_a_non_claim_is_refuted_by_its_witness() -> None:
    report, _ = verified(None, "N1")
    assert report.claims[0].succeeds
    assert report.exit_status == 0


def test_evidence_whose_package_is_missing_is_not_run_and_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(evidence.NEEDS, "planted", Need("no_such_package", Kind.PROPERTY, "pip install it"))
    required = {"E2": CLAIMS["E2"]}
    monkeypatch.setattr(evidence, "REGISTRY", {"E2": with_requirement(required["E2"])})
    noted = Noted()
    report = verify([with_requirement(required["E2"])], Settings(1, 60, Cache(None), ("planted",)), noted)
    assert report.not_run == [
        {"what": "planted", "why": "no_such_package is not installed", "enable": "pip install it"}
    ]
    assert report.losses == []
    assert report.exit_status == 0


def with_requirement(claim: Claim) -> Claim:
    return Claim(claim.id, claim.statement, claim.seed, {Kind.PROPERTY: 2})


@pytest.mark.parametrize(
    ("verdict", "expected", "broken"),
    [
        (SymbolicVerdict.CONFIRMED, Verdict.HELD, False),
        (SymbolicVerdict.REFUTED, Verdict.REFUTED, False),
        (SymbolicVerdict.UNDECIDED, Verdict.UNDECIDED, False),
        (SymbolicVerdict.NEVER_HELD, Verdict.UNDECIDED, True),
        (SymbolicVerdict.ERROR, Verdict.UNDECIDED, True),
    ],
)
def test_only_a_symbolic_confirmation_is_held(verdict: SymbolicVerdict, expected: Verdict, broken: bool) -> None:
    counterexample = Counterexample({"rho": "2"}, "3") if verdict is SymbolicVerdict.REFUTED else None
    found = finding_of(Result("m:f", "E2: ...", "any", verdict, "why", 1.0, 4, counterexample))
    assert (found.verdict, found.broken) == (expected, broken)
    assert ("rho = 2: 3" in found.detail) == (verdict is SymbolicVerdict.REFUTED)


def test_a_refutation_without_a_replayed_counterexample_is_not_believed() -> None:
    found = finding_of(Result("m:f", "E2: ...", "any", SymbolicVerdict.REFUTED, "spurious", 1.0, 4, None))
    assert (found.verdict, found.broken) == (Verdict.UNDECIDED, True)


@pytest.mark.parametrize(("keys", "kept"), [(["now", "now"], True), (["then", "now"], False)])
def test_a_confirmation_is_kept_while_its_sources_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: list[str], kept: bool
) -> None:
    entry = SimpleNamespace(name="planted.one", postconditions=("E2: is 0",), size="one", module="planted")
    result = Result(entry.name, "E2: is 0", "one", SymbolicVerdict.CONFIRMED, "", 1.0, 3, callees=("another",))
    monkeypatch.setattr(symbolic, "check", lambda *_: [result])
    told = iter(keys)
    monkeypatch.setattr(symbolic, "key_of", lambda *_: next(told))
    (rows,) = symbolic.symbolic_rows([entry], Settings(1, 60, Cache(tmp_path), ("planted",)), Noted())  # type: ignore[list-item]
    assert rows["E2"].finding.verdict is Verdict.HELD
    assert (Cache(tmp_path).get(keys[0]) is not None) is kept
    assert (Cache(tmp_path).get("now") is not None) is kept
