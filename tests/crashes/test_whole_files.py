"""A writer that is killed between any two of its steps leaves the old file or the new one, and nothing that stays."""

import errno
import os
import resource
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from grpocheck.core import whole_files
from grpocheck.core.whole_files import CannotWrite, Draft, Lines
from grpocheck.verifier.files import write_text

OLD, NEW = "old\n", "new\n" * 5000


def in_a_child(body: Callable[[], object]) -> int:
    """The wait status of a forked child that runs the body."""
    child = os.fork()
    if child == 0:
        try:
            body()
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


def killing(module: object, name: str, after: bool) -> Callable[[], None]:
    """A body that writes, and is killed at its first call of a function: before it, or after."""

    def body() -> None:
        real = getattr(module, name)

        def deadly(*arguments: object, **options: object) -> object:
            if after:
                real(*arguments, **options)
            os.kill(os.getpid(), signal.SIGKILL)

        setattr(module, name, deadly)
        write_text(Path("file"), NEW)

    return body


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_killed_at_any_step(step: str, after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text(OLD)
    assert os.WTERMSIG(in_a_child(killing(whole_files.os, step, after))) == signal.SIGKILL
    assert Path("file").read_text() == (NEW if (step, after) == ("replace", True) else OLD)
    write_text(Path("file"), "newer\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "newer\n"}


def test_drafts_of_the_living_and_other_files_stay(tmp_path: Path) -> None:
    living = Draft(tmp_path / "file")
    others = [tmp_path / name for name in (".file.partial", ".file.0123abcd.part", ".fil.0123abcd.partial")]
    for other in others:
        other.write_text("mine")
    write_text(tmp_path / "file", OLD)
    living.write(NEW)
    living.finish()
    assert (tmp_path / "file").read_text() == NEW
    assert sorted(tmp_path.iterdir()) == sorted([*others, tmp_path / "file"])


@contextmanager
def full_after(most: int) -> Iterator[None]:
    """No file grows past so many bytes while the block runs."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)


@pytest.mark.parametrize("most", [0, 10, 9000])
def test_a_disk_that_is_full_is_named_and_the_old_file_stays(most: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(OLD)
    with full_after(most), pytest.raises(CannotWrite) as refused:
        write_text(path, NEW)
    assert (refused.value.filename, refused.value.errno) == (str(path), errno.EFBIG)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"file": OLD}


def test_a_line_that_does_not_fit_is_taken_away_again(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "file")
    lines.write("first")
    with full_after(10), pytest.raises(CannotWrite):
        lines.write("the second is longer")
    assert (tmp_path / "file").read_bytes() == b"first\n"
    lines.write("third")
    assert lines.content() == b"first\nthird\n"
    lines.close()


def test_lines_have_one_writer_until_it_is_dead(tmp_path: Path) -> None:
    path = tmp_path / "file"
    first = Lines(path)
    with pytest.raises(CannotWrite, match="another process is writing it"):
        Lines(path)
    first.write("one")
    first.close()

    def writes_and_dies() -> None:
        Lines(path).write("two")
        os.kill(os.getpid(), signal.SIGKILL)

    assert os.WTERMSIG(in_a_child(writes_and_dies)) == signal.SIGKILL
    third = Lines(path)
    assert third.content() == b"one\ntwo\n"
    third.close()


def test_a_file_that_was_removed_meanwhile_is_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run that ends before it begins removes its file; what is written to that one would be lost."""
    real = os.open

    def removed(path: str, *rest: int) -> int:
        descriptor = real(path, *rest)
        os.unlink(path)
        os.close(real(path, os.O_CREAT | os.O_WRONLY))
        return descriptor

    monkeypatch.setattr(whole_files.os, "open", removed)
    with pytest.raises(CannotWrite, match="another process"):
        Lines(tmp_path / "file")


def test_links_are_followed_and_permissions_kept(tmp_path: Path) -> None:
    target, link = tmp_path / "kept" / "target", tmp_path / "link"
    target.parent.mkdir()
    target.write_text(OLD)
    target.chmod(0o640)
    link.symlink_to("kept/target")
    write_text(link, NEW)
    assert link.is_symlink()
    assert target.read_text() == NEW
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    before = os.umask(0o027)
    write_text(tmp_path / "fresh", NEW)
    os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CannotWrite, match="symbolic links"):
        write_text(tmp_path / "loop", NEW)
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_what_is_new_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_text(path, OLD, new=True)
    with pytest.raises(CannotWrite, match="exists"):
        write_text(path, NEW, new=True)
    assert {each.name: each.read_text() for each in tmp_path.iterdir()} == {"file": OLD}


@pytest.mark.parametrize("name", ["e" * 255, "ä" * 127, "\N{GRINNING FACE}" * 63, "a b\n'\"*?[", "\udcff\udcfe"])
def test_any_name_that_a_file_may_have(name: str, tmp_path: Path) -> None:
    for text in (OLD, NEW):
        write_text(tmp_path / name, text)
        assert (tmp_path / name).read_text() == text
    assert len(os.listdir(tmp_path)) == 1


def test_many_at_once_leave_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    children = []
    for letter in "abcdefgh":
        child = os.fork()
        if child == 0:
            status = 1
            try:
                for _ in range(5):
                    write_text(path, letter * 20_000)
                status = 0
            finally:
                os._exit(status)
        children.append(child)
    seen, statuses = set(), []
    while children:
        if path.exists():
            seen.add(path.read_text())
        done, status = os.waitpid(children[0], os.WNOHANG)
        if done:
            statuses.append(os.waitstatus_to_exitcode(status))
            children.pop(0)
    seen.add(path.read_text())
    assert statuses == [0] * 8  # nobody was refused
    assert all(len(text) == 20_000 and len(set(text)) == 1 for text in seen)
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
