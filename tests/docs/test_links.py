"""Every link of a page leads somewhere, and the index has every page."""

import re
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
DOCS = HOUSE / "docs"
PAGES = [HOUSE / "README.md", HOUSE / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HOUSE)))
def test_what_a_page_links_to_is_there(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    targets = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_index_has_every_page_once() -> None:
    listed = re.findall(r"\]\(([^)]+)\)", (DOCS / "README.md").read_text(encoding="utf-8"))
    assert len(set(listed)) == len(listed)
    there = {path.name for path in DOCS.glob("*.md")} | {path.name for path in DOCS.glob("*.schema.json")}
    assert there - {"README.md"} <= set(listed)
