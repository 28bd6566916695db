"""The tour's pictures: each one that is shown is there, none is left over, and all together are small."""

import re
from pathlib import Path

HOUSE = Path(__file__).resolve().parent.parent.parent
MOST_BYTES = 1_500_000


def test_the_tour_shows_what_there_is() -> None:
    text = (HOUSE / "docs" / "tour.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\((tour/[a-z]+\.webp)\)", text)
    kept = sorted((HOUSE / "docs" / "tour").glob("*.webp"))
    assert sorted(f"tour/{path.name}" for path in kept) == sorted(shown)
    assert len(shown) == len(set(shown)) >= 8
    assert sum(path.stat().st_size for path in kept) < MOST_BYTES
    assert all(path.read_bytes()[8:12] == b"WEBP" for path in kept)
