"""Every input worth keeping goes through its target again: the seeds, and each kind of fault that was found."""

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).with_name("corpus")
KEPT = sorted(path for folder in CORPUS.iterdir() for path in folder.iterdir())


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_kept_input_ends_in_an_answer_or_an_error_for_people(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


def test_every_target_has_a_corpus() -> None:
    assert {path.parent.name for path in KEPT} == set(TARGETS)


def test_a_target_sees_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    import tests.fuzz.targets as targets

    def broken(text: str) -> None:
        raise KeyError(text)

    monkeypatch.setattr(targets, "parse", broken)
    with pytest.raises(KeyError):
        TARGETS["property"](b"F_next >= F")
