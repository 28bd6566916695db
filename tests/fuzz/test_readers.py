"""What a reader refuses before it has read it: files of a few kilobytes or megabytes that would fill the memory."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from grpocheck.core import InvalidProblem, replay
from grpocheck.core.trace_errors import TraceError
from grpocheck.core.training_free.trace import HEAD, resumed
from grpocheck.verifier.audit.readers import parquet
from grpocheck.verifier.audit.readers.lines import read_lines
from grpocheck.verifier.audit.settings import read_json
from grpocheck.verifier.disputes.public import read_cases, settle
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.files import read_whole, write_text
from grpocheck.verifier.studio.app import text_of

from tests.fuzz.tables import repeated, write

WIDE = b'{"event": "start", "schema": "grpocheck-trace/1", "x": [' + b"0," * 3_000_000 + b"0]}\n"
"""A line of six megabytes with three million numbers."""
READERS: dict[str, Callable[[Path], Any]] = {
    "replay": replay,
    "lines": lambda path: list(read_lines(path)),
    "settings": read_json,
    "cases": read_cases,
}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "wide.jsonl"
    path.write_bytes(WIDE)
    return path


@pytest.mark.parametrize("reader", READERS)
def test_more_values_than_fit_into_memory_are_refused(reader: str, wide: Path) -> None:
    with pytest.raises((TraceError, InvalidProblem, BadOption), match=r"more than|at most"):
        READERS[reader](wide)


def sparse(path: Path, size: int, begin: bytes = b"") -> Path:
    with path.open("wb") as file:
        file.write(begin)
        file.truncate(size)
    return path


def test_a_trace_that_is_gone_on_with_has_a_size(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="4294967296 bytes"):
        resumed(sparse(tmp_path / "trace.jsonl", 1 << 32, HEAD))


def test_the_studio_opens_no_file_that_never_ends(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (sparse(tmp_path / "sparse", 1 << 32), tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(BadOption, match=r"more than|no regular file"):
            text_of(path)


def test_what_is_read_whole_has_a_size(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abcd")
    assert read_whole(path, 4) == b"abcd"
    with pytest.raises(ValueError, match="more than 3 bytes"):
        read_whole(path, 3)


def test_a_table_is_unpacked_within_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "completions_00000.parquet"
    write(path, 100, repeated("x" * 1_000_000, 100))  # 100 MB of text
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(parquet, "MOST_BYTES", 1 << 26)
    with pytest.raises(InvalidProblem, match="content"):
        parquet.read_table(path)
    write(path, 100, repeated("x", 100))
    assert len(parquet.read_table(path).responses or ()) == 100


def test_a_table_has_a_largest_number_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "completions_00000.parquet"
    write(path, 1_000_001, repeated("c", 1_000_001))
    with pytest.raises(InvalidProblem, match="at most 1000000 in one file"):
        parquet.read_table(path)


@pytest.mark.parametrize("name", ["../x", "/x", "", ".x", "a\0", "a/b", [], "x" * 101])
def test_a_case_is_named_as_a_file_can_be(name: object) -> None:
    with pytest.raises(InvalidProblem, match="id"):
        settle({"id": name, "input": {"rewards": [1, 0]}, "right": {"mean": 0.5}})


def test_what_is_no_text_is_written_as_an_escape(tmp_path: Path) -> None:
    write_text(tmp_path / "page", "b\udcff: é")
    assert (tmp_path / "page").read_bytes() == b"b\\udcff: \xc3\xa9"


def test_half_a_character_is_refused_in_a_case(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"id": "a", "input": {}, "right": {"\ud800": 1}}), encoding="utf-8")
    with pytest.raises(BadOption, match="surrogates"):
        read_cases(path)
