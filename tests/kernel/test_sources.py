"""What can be held of the proofs without Coq: names, headers, forbidden words, and how Coq's answers are read."""

import re
import shutil
from pathlib import Path

import pytest
from grpocheck.contracts.claims import CLAIMS
from grpocheck.proofs import kernel
from grpocheck.proofs.cited import BadRegistry, digest_of_definition, read_registry, statement_in, write_registry
from grpocheck.proofs.coq_session import (
    SOURCES,
    CoqFailure,
    axioms_in,
    content_digest,
    defined_names,
    forbidden_words,
    one_line,
    read_summary,
    sources,
    split_answers,
    without_comments,
)
from grpocheck.proofs.evidence import Verdict, find
from grpocheck.proofs.kernel import kernel_evidence, of_the_library
from grpocheck.proofs.shipped import declared

FILES = [path for path in sources(SOURCES) if path.suffix == ".v"]
NAMED = re.compile(r"^\s*(?:Theorem|Corollary|Lemma|Definition|Fixpoint|Record|Inductive|Notation)\s+\"?(\w+)", re.M)


def names_in(path: Path) -> set[str]:
    text = path.read_text(encoding="utf-8")
    fields = re.findall(r"^\s*(\w+) :(?!=)", text, re.M)
    return {*NAMED.findall(text), *fields}


def header_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("*)")[0]


def planted(folder: Path, file: str, text: str) -> Path:
    copy = folder / "coq"
    shutil.copytree(SOURCES, copy, ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*", "extracted", "Makefile.coq*"))
    with (copy / file).open("a", encoding="utf-8") as source:
        source.write(text)
    return copy


def test_every_file_of_the_folder_is_built() -> None:
    assert {path.name for path in FILES} == {path.name for path in SOURCES.glob("*.v")}


@pytest.mark.parametrize("evidence", ["kernel:kernel_checked_theorems", "extraction.evidence:draws_follow_the_model"])
def test_what_is_kept_of_a_check_depends_on_every_file_that_is_built(
    evidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the proofs that are checked are those beside the modules, wherever that is
    found = {path for pattern in find(f"grpocheck.proofs.{evidence}").files for path in declared(pattern)}
    assert found >= {path.resolve() for path in sources(SOURCES)}


def test_every_claim_has_a_theorem_and_every_theorem_stands_in_its_file() -> None:
    registry = read_registry()
    assert {claim for theorem in registry.theorems for claim in theorem.claims} >= set(CLAIMS)
    for theorem in registry.theorems:
        module, _, name = theorem.name.partition(".")
        text = without_comments((SOURCES / f"{module}.v").read_text(encoding="utf-8"))
        assert re.search(rf"^(?:Theorem|Corollary)\s+{name}\b", text, re.M), theorem.name
        assert theorem.statement.strip(), theorem.name


def test_every_definition_is_recorded() -> None:
    assert set(read_registry().definitions) == {f"{module}.{name}" for module, name in defined_names(SOURCES)}


def test_what_concerns_the_protocol_alone_rests_on_nothing() -> None:
    protocol = [theorem for theorem in read_registry().theorems if theorem.module in ("Budgets", "Admissibility")]
    assert len(protocol) >= 15
    assert {theorem.rests_on for theorem in protocol} == {"nothing"}
    for file in ("Procedure.v", "Budgets.v", "Admissibility.v"):
        assert "Reals" not in without_comments((SOURCES / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_header_lists_main_results_that_stand_in_the_file(path: Path) -> None:
    header = header_of(path)
    assert re.search(r"Main (?:results|definitions)", header)
    entries = re.findall(r"^ +- ((?:\[\w+\](?:, )?)+)", header, re.M) or [header.partition("Main definitions")[2]]
    listed = [name for entry in entries for name in re.findall(r"\[(\w+)\]", entry)]
    everywhere = set().union(*(names_in(other) for other in FILES))
    assert listed
    assert set(listed) <= everywhere
    assert len(set(listed) & names_in(path)) * 2 > len(set(listed))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files_are_short_and_lines_too(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 400
    assert [line for line in lines if len(line) > 120] == []


def test_nothing_is_left_unproved() -> None:
    assert forbidden_words(SOURCES) == []


@pytest.mark.parametrize(
    "text",
    [
        "\nLemma planted : 1 = 2.\nProof. Admitted.\n",
        "\nAxiom planted : 1 = 2.\n",
        "\nParameter planted : nat.\n",
        "\nUnset Guard Checking.\n",
        "\nLemma planted : 1 = 2.\nProof. admit. Abort.\n",
        "\n(* harmless *) Conjecture planted : 1 = 2.\n",
        '\nNotation planted := "(*"%string.\nAxiom unseen : 1 = 2.\nNotation end_of_it := "*)"%string.\n',
        "\nLemma planted : True.\nProof.\n- exact I.\nAdmitted.\n",
        "\nExample planted := 1.\n",
        "\n#[global] Definition planted := 1.\n",
        "\nModule Planted. Definition least := 1. End Planted.\n",
        '\nExtract Constant planted => "1".\n',
    ],
)
def test_a_planted_hole_is_found_before_coq_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setattr(kernel, "missing_tools", lambda: [])  # whether or not it is installed
    copy = planted(tmp_path, "FiniteSums.v", text)
    assert forbidden_words(copy) != []
    records = kernel_evidence(copy, builds=tmp_path / "builds")
    assert {record.status for record in records} == {Verdict.REFUTED}
    assert not (tmp_path / "builds").exists()


def test_words_in_comments_are_no_holes(tmp_path: Path) -> None:
    copy = planted(tmp_path, "FiniteSums.v", "\n(* an Axiom (* nested Admitted *) admit *)\n")
    assert forbidden_words(copy) == []
    assert content_digest(copy) != content_digest(SOURCES)


def test_the_flag_that_removes_universes_is_found(tmp_path: Path) -> None:
    copy = planted(tmp_path, "_CoqProject", "-arg -type-in-type\n")
    assert forbidden_words(copy) == ["_CoqProject: -type-in-type"]


def test_answers_of_print_assumptions_are_read() -> None:
    assert axioms_in("Closed under the global context") == ()
    answer = (
        "Axioms:\nClassicalDedekindReals.sig_not_dec : forall P : Prop, {~ ~ P} + {~ P}\n"
        "ClassicalDedekindReals.sig_forall_dec\n  : forall P : nat -> Prop, (forall n : nat, {P n} + {~ P n}) ->\n"
        "    {n : nat | ~ P n} + {forall n : nat, P n}\nplanted : 1 = 2"
    )
    assert axioms_in(answer) == ("planted", "sig_forall_dec", "sig_not_dec")


def test_the_summary_of_coqchk_is_read() -> None:
    def summary(theory: str, axioms: str, positivity: str) -> str:
        return (
            f"\nCONTEXT SUMMARY\n===============\n\n* Theory: {theory}\n  \n* Axioms:{axioms}\n  \n"
            "* Constants/Inductives relying on type-in-type: <none>\n  \n"
            f"* Inductives whose positivity is assumed:{positivity}\n"
        )

    clean = read_summary(summary("Set is predicative", " <none>", " <none>"))
    assert clean.axioms == ()
    assert clean.unchecked == ()
    found = read_summary(summary("Set is impredicative", "\n    Grpo.A.planted\n    Coq.B.classic", "\n    Grpo.A.bad"))
    assert found.axioms == ("Grpo.A.planted", "Coq.B.classic")
    assert found.unchecked == (
        "Theory: Set is impredicative",
        "Inductives whose positivity is assumed: Grpo.A.bad",
    )
    with pytest.raises(CoqFailure):
        read_summary("Fatal error")


@pytest.mark.parametrize(
    ("axiom", "allowed"),
    [
        ("Coq.Logic.Classical_Prop.classic", True),
        ("Stdlib.Reals.ClassicalDedekindReals.sig_not_dec", True),
        ("Grpo.NonClaims.classic", False),
        ("Grpo.Logic.Classical_Prop.classic", False),
        ("Coq.Logic.Epsilon.epsilon_statement", False),
    ],
)
def test_an_axiom_is_known_by_its_whole_name(axiom: str, allowed: bool) -> None:
    assert of_the_library(axiom) == allowed


def test_a_definition_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    text = "\nSection A. Definition one := 1.\n  Fixpoint two (n : nat) : nat := n. (* Definition three *) End A.\n"
    found = [name for module, name in defined_names(planted(tmp_path, "FiniteSums.v", text)) if module == "FiniteSums"]
    assert found == ["sum_over", "average", "dependent_pairs", "one", "two"]


def test_answers_are_told_apart_by_their_marks() -> None:
    answers = dict(split_answers("noise\n@@ A.b\n@b\n     : forall n : nat,\n       n = n\n@@ c\nd\n"))
    assert answers == {"A.b": "@b\n     : forall n : nat,\n       n = n", "c": "d"}
    assert statement_in(answers["A.b"]) == "forall n : nat,\nn = n"


def test_a_digest_does_not_depend_on_lines_or_implicit_arguments() -> None:
    one = digest_of_definition("f = fun n : nat =>\n  n + 1\n     : nat -> nat\n\nArguments f n%nat_scope")
    other = digest_of_definition("f = fun n : nat => n + 1 : nat -> nat")
    assert one == other
    assert one != digest_of_definition("f = fun n : nat => n + 2 : nat -> nat")


def test_a_registry_is_written_as_it_was_read(tmp_path: Path) -> None:
    written = tmp_path / "theorems.toml"
    write_registry(read_registry(), written)
    assert read_registry(written) == read_registry()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[theorem]]\nname = "A.b"\nclaims = []\nrests_on = "hope"\n', "rests_on: 'hope': expected one of nothing"),
        ("[definitions]\n", "expected at least one"),
        ('[[theorem]]\nname = "A.b"\nclaims = ["Z9"]\nrests_on = "reals"\n', "'Z9'"),
    ],
)
def test_a_registry_that_means_nothing_is_refused(tmp_path: Path, text: str, said: str) -> None:
    written = tmp_path / "theorems.toml"
    written.write_text(text, encoding="utf-8")
    with pytest.raises((BadRegistry, LookupError), match=re.escape(said)):
        read_registry(written)


def test_the_lemma_names_theorems_that_are_cited_and_every_claim() -> None:
    text = (SOURCES.parent / "lemma.md").read_text(encoding="utf-8")
    cited = {theorem.name: theorem.claims for theorem in read_registry().theorems}
    named = re.findall(r"`([A-Z]\w+\.[a-z]\w+)`", text.partition("## Setting")[2])
    assert set(named) <= set(cited)
    assert {claim for name in named for claim in cited[name]} >= set(CLAIMS)
    assert [claim for claim in CLAIMS if not re.search(rf"\b{claim}\b", text)] == []


def test_the_readme_lists_every_file() -> None:
    text = (SOURCES.parent / "README.md").read_text(encoding="utf-8")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {name for line in table for name in re.findall(r"`(\w+)`", line.split("|")[1])} >= {p.stem for p in FILES}


def test_a_message_is_never_empty_where_only_make_speaks() -> None:
    assert one_line("COQC A.v\nmake[1]: *** [A.vo] Terminated\n") == "COQC A.v make[1]: *** [A.vo] Terminated"
    assert one_line("COQC A.v\nError: no.\nmake: *** [all] Error 1\n") == "Error: no."
