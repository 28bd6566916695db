"""Coq itself, on a development of two small files: what is as recorded is held, and every departure is found."""

import shutil
from pathlib import Path

import pytest
from grpocheck.proofs import kernel
from grpocheck.proofs.cited import read_registry
from grpocheck.proofs.coq_session import missing_tools
from grpocheck.proofs.evidence import Budget, OutOfBudget, Verdict
from grpocheck.proofs.kernel import Record, finding_for, kernel_evidence, record_answers

needs_coq = pytest.mark.skipif(bool(missing_tools()), reason=f"not installed: {missing_tools()}; make proofs-setup")
takes_seconds = pytest.mark.slow

DOUBLES = """\
(** * Doubles *)
Definition double (n : nat) : nat := n + n.
Theorem double_is_even n : exists m, double n = 2 * m.
Proof. exists n. unfold double. simpl. rewrite <- plus_n_O. reflexivity. Qed.
"""
CHOICES = """\
(** * Choices: what rests on axioms, without the length of the real numbers *)
Require Import FunctionalExtensionality Classical.
From Grpo Require Import Doubles.
Theorem sum_is_double : (fun n => n + n) = double.
Proof. apply functional_extensionality. reflexivity. Qed.
Theorem excluded_middle (P : Prop) : P \\/ ~ P.
Proof. apply classic. Qed.
"""
MAKEFILE = """\
build: Makefile.coq
\t$(MAKE) -f Makefile.coq
Makefile.coq: _CoqProject
\tcoq_makefile -f _CoqProject -o $@
"""
REGISTRY = """\
[[theorem]]
name = "Doubles.double_is_even"
claims = ["C1"]
rests_on = "nothing"
[[theorem]]
name = "Choices.sum_is_double"
claims = ["E2", "B4"]
rests_on = "reals"
[[theorem]]
name = "Choices.excluded_middle"
claims = ["B4"]
rests_on = "reals and logarithm"
"""


class House:
    """A development with its registry, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.source, self.registry, self.builds = folder / "coq", folder / "theorems.toml", folder / "builds"
        self.source.mkdir()
        for name, text in {"Doubles.v": DOUBLES, "Choices.v": CHOICES, "Makefile": MAKEFILE, "driver.ml": ""}.items():
            (self.source / name).write_text(text, encoding="utf-8")
        (self.source / "_CoqProject").write_text("-Q . Grpo\nDoubles.v\nChoices.v\n", encoding="utf-8")
        self.registry.write_text(REGISTRY, encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        path = self.source / name if name.endswith(".v") else self.registry
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def records(self) -> dict[str, Record]:
        found = kernel_evidence(self.source, self.registry, self.builds)
        return {record.theorem.partition(".")[2]: record for record in found}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small development, recorded once and built."""
    folder = tmp_path_factory.mktemp("house")
    house = House(folder)
    record_answers(house.source, house.registry, house.builds)
    return folder


@pytest.fixture
def house(recorded: Path, tmp_path: Path) -> House:
    copy = tmp_path / "copy"
    shutil.copytree(recorded, copy, ignore=shutil.ignore_patterns(".lock"))
    house = House.__new__(House)
    house.source, house.registry, house.builds = copy / "coq", copy / "theorems.toml", copy / "builds"
    return house


@needs_coq
@takes_seconds
def test_what_is_as_recorded_is_held_with_its_axioms(house: House) -> None:
    records = house.records()
    assert [record.status for record in records.values()] == [Verdict.HELD] * 3
    assert records["double_is_even"].axioms == ()
    assert records["sum_is_double"].axioms == ("functional_extensionality_dep",)
    assert records["excluded_middle"].axioms == ("classic",)
    assert all(record.seconds > 0 for record in records.values())
    statement = read_registry(house.registry).theorems[0].statement
    assert statement == "forall n : nat, exists m : nat, double n = (2 * m)%nat"
    finding = finding_for("B4", list(records.values()))
    assert finding.verdict is Verdict.HELD
    assert finding.pieces == 2
    assert finding.detail == "Choices.sum_is_double, Choices.excluded_middle"


@needs_coq
@takes_seconds
@pytest.mark.parametrize(
    ("change", "theorem", "said"),
    [
        (("theorems.toml", "double n = (2 * m)", "double n = (3 * m)"), "double_is_even", "is recorded"),
        (("Doubles.v", "exists m, double n = 2 * m", "exists m, double n = m + m"), "double_is_even", "is recorded"),
        (("Choices.v", "sum_is_double", "sums_are_double"), "sum_is_double", "no such theorem"),
        (("theorems.toml", '"reals and logarithm"', '"reals"'), "excluded_middle", "rests on classic, beyond reals"),
        (("theorems.toml", '"reals"', '"nothing"'), "sum_is_double", "beyond nothing"),
    ],
)
def test_a_theorem_that_is_not_as_recorded_is_named(
    house: House, change: tuple[str, str, str], theorem: str, said: str
) -> None:
    house.change(*change)
    if "m + m" in change[2]:
        house.change("Doubles.v", "simpl. rewrite <- plus_n_O. ", "")
    records = house.records()
    assert {name: record.status for name, record in records.items() if name != theorem} == {
        name: Verdict.HELD for name in records if name != theorem
    }
    assert records[theorem].status is Verdict.REFUTED
    assert said in records[theorem].detail
    for claim in records[theorem].claims:
        finding = finding_for(claim, list(records.values()))
        assert finding.verdict is Verdict.UNDECIDED
        assert finding.broken


@needs_coq
@takes_seconds
@pytest.mark.parametrize(
    ("change", "said"),
    [
        # No command beyond those allowed, and still an axiom: a hypothesis outside of any section.
        (("Choices.v", "Theorem", "Hypothesis wish : 1 = 2.\nTheorem"), "coqchk: axiom Grpo.Choices.wish"),
        # An axiom that bears the name of one of the library's is none of them.
        (("Choices.v", "classic. Qed.", "classic. Qed.\nHypothesis classic : 1 = 2."), "axiom Grpo.Choices.classic"),
        (("Doubles.v", "n + n.", "let m := n in m + m."), "Doubles.double: not the definition that is recorded"),
        (("Doubles.v", "Theorem", "Definition triple (n : nat) := 3 * n.\nTheorem"), "triple: not the definition"),
        (("Doubles.v", "Theorem", "  Definition triple (n : nat) := 3 * n.\nTheorem"), "triple: not the definition"),
        (("Doubles.v", "rewrite <- plus_n_O. ", ""), "Coq refuses the development"),
        (("Choices.v", "reflexivity. Qed.", "reflexivity. Admitted."), "left unproved or unchecked: Choices.v"),
    ],
)
def test_what_spoils_the_whole_development_spoils_every_theorem(
    house: House, change: tuple[str, str, str], said: str
) -> None:
    house.change(*change)
    records = house.records()
    assert {record.status for record in records.values()} == {Verdict.REFUTED}
    assert all(said in record.detail for record in records.values())


@needs_coq
@takes_seconds
def test_a_theorem_that_says_something_else_in_the_same_words_is_named(house: House) -> None:
    text = (house.source / "Doubles.v").read_text(encoding="utf-8")
    other = (
        "Notation \"'double' n\" := (id (2 * n)) (at level 10, only printing).\n"
        "Theorem double_is_even n : exists m, id (2 * n) = 2 * m.\nProof. exists n. reflexivity. Qed.\n"
    )
    house.change("Doubles.v", text[text.index("Theorem") :], other)
    record = house.records()["double_is_even"]
    assert record.status is Verdict.REFUTED
    statement = "forall n : nat, exists m : nat, double n = (2 * m)%nat"
    assert record.detail == f"says in the same words something else than is recorded: {statement}"


@needs_coq
@takes_seconds
def test_a_check_without_time_is_undecided_and_not_held(house: House) -> None:
    house.change("Choices.v", "reflexivity. Qed.", "do 200000000 idtac. reflexivity. Qed.")
    with pytest.raises(OutOfBudget):
        kernel_evidence(house.source, house.registry, house.builds, Budget(2.0))


def test_without_coq_nothing_is_held(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(kernel, "missing_tools", lambda: ["coqc"])
    records = kernel_evidence()
    assert {record.status for record in records} == {Verdict.NOT_RUN}
    finding = finding_for("C1", records)
    assert finding.verdict is Verdict.NOT_RUN
    assert finding.enable == "make proofs-setup"
    assert finding.pieces == sum("C1" in record.claims for record in records)
    assert kernel.main([]) == 3
    assert "make proofs-setup" in capsys.readouterr().out
