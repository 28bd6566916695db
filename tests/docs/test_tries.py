"""What the tutorial invites to try is so: the first invitations and the last, on the tutorial's own files."""

import re
from pathlib import Path

import pytest
from grpocheck.verifier.pages.console import BLOCK
from grpocheck.verifier.pages.transcript import spoken, workshop

HOUSE = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_what_the_tutorial_invites_to_try_is_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HOUSE)
    page = (HOUSE / "docs" / "tutorial.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\*Try\*", page, re.MULTILINE)) == 3
    files = {word: body for mark, word, _, body in BLOCK.findall(page) if mark == "file"}
    with workshop() as folder:
        spoken("grpocheck new --out mine.toml", folder)
        told, _ = spoken("sed 's/step_size = 0.05/step_size = 1/' mine.toml > far.toml; grpocheck run far.toml", folder)
        assert "is outside U" in told
        told, _ = spoken("sed 's/^beta = 0 /beta = 0.04 /' mine.toml > logs.toml; grpocheck run logs.toml", folder)
        assert re.search("^arithmetic .*enclosures", told, re.MULTILINE)
        (folder / "mended.py").write_text(files["losses.py"].replace("ddof=1", "ddof=0"), encoding="utf-8")
        told, status = spoken("grpocheck conform mended:loss", folder)
        assert status == 0
        assert re.match(r"mended:loss conforms to grpo-token \(|mended:loss is, on .*\n  grpo-token \(", told)
