"""A stored witness counts only while its own file shows what its header states."""

import shutil

import pytest
from grpocheck.contracts.claims import CLAIMS, NON_CLAIMS, Kind
from grpocheck.core import read_problem, run
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.proofs.evidence import Budget, Verdict, discover
from grpocheck.proofs.non_claims.evidence import replayed
from grpocheck.proofs.non_claims.files import FOLDER
from grpocheck.proofs.non_claims.refutations import divergence_exceeds
from grpocheck.proofs.non_claims.task_search import WITNESSES as TASK_WITNESSES
from grpocheck.proofs.non_claims.witnesses import WITNESSES, step_to_the_edge, witnesses_against
from test_witnesses_by_hand import FOLDER as STORED

COUNTS = {"N1": 2, "N2": 2, "N3": 3, "N4": 4, "N5": 2, "N7": 1}


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A folder of witness files to spoil, with the working folder above it."""
    shutil.copytree(STORED, tmp_path / FOLDER)
    monkeypatch.chdir(tmp_path)
    return tmp_path / FOLDER


def spoil(folder, name, old, new):
    path = folder / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("claim", COUNTS)
def test_every_stored_witness_still_refutes(copy, claim):
    finding = replayed(claim, Budget(60))
    assert (finding.verdict, finding.broken) == (Verdict.REFUTED, False)
    assert finding.pieces == finding.counts["witnesses"] == COUNTS[claim]
    for witness in witnesses_against(claim):
        assert f"grpocheck run examples/non_claims/{witness.name}.toml" in finding.detail


def test_the_evidence_speaks_of_the_non_claims_that_have_witnesses_and_of_no_claim():
    entries = discover(("grpocheck.proofs.non_claims.evidence",))
    assert sorted(identifier for entry in entries for identifier in entry.claims) == sorted(COUNTS)
    assert {entry.kind for entry in entries} == {Kind.WITNESS}
    assert not any(set(entry.claims) & set(CLAIMS) for entry in entries)
    assert set(NON_CLAIMS) - set(COUNTS) == {"N6", "N8"}


def test_there_is_one_file_for_each_witness():
    names = [witness.name for witness in (*WITNESSES, *TASK_WITNESSES)]
    assert sorted(path.stem for path in STORED.glob("*.toml")) == sorted(names)


@pytest.mark.parametrize(
    ("claim", "name", "old", "new", "complaint"),
    [
        # a step so short that no ratio reaches its bound
        ("N1", "n1_objective_falls", 'step_size = "1/2"', 'step_size = "1/16"', "no longer refutes N1"),
        # equal gaps: the votes and the rewards agree
        ("N2", "n2_expected_return_falls", 'rewards = ["3", "0"]', 'rewards = ["1", "0"]', "no longer refutes N2"),
        # rewards 0 and 1 at G = 2: unbiased
        ("N3", "n3_reward_scale", 'rewards = ["1/2", "0"]', 'rewards = ["1", "0"]', "no longer refutes N3"),
        # a step out of the domain
        ("N4", "n4a_ratio_outside", 'step_size = "1/4"', 'step_size = "1"', "invalid-update: it no longer refutes N4"),
        # theta at the reference: log 1 = 0
        ("N5", "n5a_log_ratio_negative", 'theta = ["1/3"]', 'theta = ["1/2"]', "no longer refutes N5"),
        # other step: theta does not come back
        ("N7", "n7_cycle", 'step_size = "3/8"', 'step_size = "1/4"', "no longer refutes N7"),
        # still a witness, but not with the numbers that the header states
        ("N1", "n1_objective_falls", 'epsilon = "1/2"', 'epsilon = "1/4"', "states something else"),
        # the header alone
        ("N7", "n7_cycle", "theta: 1/4 -> 3/4 -> 1/4", "theta: 1/4 -> 2/3 -> 1/4", "states something else"),
        # no problem at all
        ("N2", "n2_return_falls", 'theta = ["1/3"]', 'theta = ["4/3"]', "theta"),
    ],
)
def test_a_spoilt_witness_is_lost(copy, claim, name, old, new, complaint):
    spoil(copy, name, old, new)
    finding = replayed(claim, Budget(60))
    assert (finding.verdict, finding.broken) == (Verdict.UNDECIDED, True)
    assert complaint in finding.detail


def test_a_missing_witness_is_lost(copy):
    (copy / "n7_cycle.toml").unlink()
    finding = replayed("N7", Budget(60))
    assert finding.broken
    assert "n7_cycle.toml" in finding.detail


def test_without_the_folder_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert replayed("N7", Budget(60)).verdict == Verdict.NOT_RUN


@pytest.mark.parametrize("bound", [1, 3, 50])
def test_the_family_goes_above_its_bound_and_no_further_than_it_says(bound):
    # KL is between B log 3 and B log 3 + 1/2, since delta < 1/2: above B, and below 2 B + 1
    problem = step_to_the_edge(bound)
    assert divergence_exceeds(bound)(problem) is not None
    assert divergence_exceeds(2 * bound + 1)(problem) is None


def test_every_witness_runs_in_enclosures_too():
    for witness in WITNESSES:
        problem = read_problem(STORED / f"{witness.name}.toml")
        seed = None if problem.recorded else 1
        assert run(problem, arithmetic=EnclosureArithmetic(), seed=seed).status == "complete"
