"""Results that a command keeps in a folder, each under a digest of what it depends on, so that a rerun goes on.

An entry is written whole or not at all, and says its own key and a checksum: one that was cut, mixed up or damaged on
the disk counts as none, and its work is done again.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from grpocheck.verifier.files import check_folder, write_text

OPTION = "--keep"


class Keep:
    """A folder of results; without a folder it keeps nothing."""

    def __init__(self, folder: Path | None, option: str = OPTION) -> None:
        """The results in a folder, which is made; raises BadOption where nothing can be written there."""
        self.folder = folder
        if folder is not None:
            check_folder(option, folder)

    def get(self, key: str) -> Any:
        """What was kept under a key, as JSON gives it; None where nothing whole is there."""
        if self.folder is None or not self.place(key).is_file():
            return None
        try:
            entry = json.loads(self.place(key).read_text(encoding="utf-8"))
            text = entry["content"]
            whole = entry["key"] == key and entry["sha256"] == checksum(text)
            return json.loads(text) if whole else None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None

    def put(self, key: str, content: Any) -> None:
        """Keep what JSON can hold under a key. Raises CannotWrite."""
        if self.folder is not None:
            text = json.dumps(content)
            entry = {"key": key, "sha256": checksum(text), "content": text}
            write_text(self.place(key), json.dumps(entry) + "\n")

    def place(self, key: str) -> Path:
        """The file of a key."""
        assert self.folder is not None
        return self.folder / f"{key}.json"


def going_on(folder: Path) -> str:
    """How to go on with what was interrupted."""
    return f"grpocheck: what is done is kept in {str(folder)!r}: the same command goes on from there"


def checksum(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(*parts: str | bytes) -> str:
    """A key: the SHA-256 of some parts, each with its length, so that none runs into the next."""
    total = hashlib.sha256()
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(content).to_bytes(8, "big"))
        total.update(content)
    return total.hexdigest()
