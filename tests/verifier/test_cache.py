"""A finding is taken from the cache only while everything that it depends on is unchanged."""

from pathlib import Path

import pytest
from grpocheck.proofs.evidence import Finding, held, refuted, undecided
from grpocheck.verifier.cache import Cache
from grpocheck.verifier.evidence import digest as digest_module
from grpocheck.verifier.evidence.digest import closure, digest
from grpocheck.verifier.workers import Outcome


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three modules: one imports the second within a function, nobody imports the third."""
    files = {
        "grpocheck.fake_a": "def f():\n    from grpocheck import fake_b\n",
        "grpocheck.fake_b": "X = 1\n",
        "grpocheck.fake_c": "X = 1\n",
        "grpocheck.fake_by_name": "NAME = 'grpocheck.fake_c:check'\n",
    }
    for name, source in files.items():
        (tmp_path / f"{name}.py").write_text(source)
    real = digest_module.source_of

    def source_of(module: str) -> Path | None:
        return tmp_path / f"{module}.py" if module in files else real(module)

    monkeypatch.setattr(digest_module, "source_of", source_of)
    digest_module.imported_by.cache_clear()
    yield tmp_path
    digest_module.imported_by.cache_clear()


def test_lazy_imports_and_names_in_strings_count(package: Path) -> None:
    assert closure(["grpocheck.fake_a"]) == ["grpocheck", "grpocheck.fake_a", "grpocheck.fake_b"]
    assert "grpocheck.fake_c" in closure(["grpocheck.fake_by_name"])


def test_core_is_in_the_closure_of_what_imports_it() -> None:
    modules = closure(["grpocheck.core.objective"])
    assert {"grpocheck.core.ratio", "grpocheck.core.divergence", "grpocheck.contracts.clauses"} <= set(modules)
    assert "grpocheck.contracts.claims" not in modules


def test_evidence_does_not_depend_on_other_evidence() -> None:
    modules = closure(["grpocheck.proofs.enumeration"])
    assert "grpocheck.proofs.reference" in modules
    assert not {"grpocheck.proofs.properties", "grpocheck.proofs.smt.checks", "grpocheck.proofs.kernel"} & set(modules)
    assert "grpocheck.proofs.symbolic.harnesses.term" not in closure(["grpocheck.proofs.symbolic.harnesses.families"])


def test_a_change_in_an_imported_module_changes_the_digest(package: Path) -> None:
    before = digest("check", ["grpocheck.fake_a"])
    (package / "grpocheck.fake_c.py").write_text("X = 2\n")
    assert digest("check", ["grpocheck.fake_a"]) == before
    (package / "grpocheck.fake_b.py").write_text("X = 2\n")
    assert digest("check", ["grpocheck.fake_a"]) != before


def test_label_versions_and_files_change_the_digest(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(package)
    before = digest("check", ["grpocheck.fake_b"], ["*.toml"])
    assert digest("other", ["grpocheck.fake_b"], ["*.toml"]) != before
    (package / "example.toml").write_text("x = 1")
    with_file = digest("check", ["grpocheck.fake_b"], ["*.toml"])
    assert with_file != before
    monkeypatch.setattr(digest_module, "versions", lambda: ("python 9",))
    assert digest("check", ["grpocheck.fake_b"], ["*.toml"]) != with_file


def test_only_what_asks_coq_depends_on_which_one_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = {"kernel": ["grpocheck.proofs.kernel"], "examples": ["grpocheck.proofs.examples"]}
    monkeypatch.setattr(digest_module, "coq", lambda: "version 8.16.1")
    before = {name: digest(name, names) for name, names in modules.items()}
    monkeypatch.setattr(digest_module, "coq", lambda: "version 8.20.0")
    after = {name: digest(name, names) for name, names in modules.items()}
    assert (before["kernel"] != after["kernel"], before["examples"] == after["examples"]) == (True, True)


def test_what_was_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    outcome = Outcome({"A1": held(pieces=3, cases=7), "C1": refuted("draws = 5", cases=2)}, 1.5)
    Cache(tmp_path / "new").put("key", outcome)
    assert Cache(tmp_path / "new").get("key") == outcome
    assert Cache(tmp_path / "new").get("other") is None


def test_a_finding_of_something_else_or_one_that_was_changed_on_the_disk_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("key", Outcome({"A1": refuted("draws = 5", cases=2)}, 1.5))
    whole = (tmp_path / "key.json").read_text()
    (tmp_path / "other.json").write_text(whole)
    assert cache.get("other") is None
    (tmp_path / "key.json").write_text(whole.replace("refuted", "held"))
    assert "held" in (tmp_path / "key.json").read_text()
    assert cache.get("key") is None


@pytest.mark.parametrize("open_finding", [undecided("slow"), Finding(undecided("x").verdict, broken=True)])
def test_undecided_findings_are_not_kept(tmp_path: Path, open_finding: Finding) -> None:
    Cache(tmp_path).put("key", Outcome({"A1": held(cases=1), "C1": open_finding}, 1.0))
    assert Cache(tmp_path).get("key") is None


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"findings": {"A1": {"verdict": "fine"}}, "seconds": 1}'])
def test_a_damaged_file_is_no_finding(tmp_path: Path, content: str) -> None:
    (tmp_path / "key.json").write_text(content)
    assert Cache(tmp_path).get("key") is None
