"""Files that a reader could choke on, and a worker that gives them to one command: python -m tests.fuzz.hostile COMMAND

The worker prints a JSON line for each file: exit status, what was printed, and seconds; at the end the most memory.
"""

import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "run": (("run", "FILE"), ("toml",)),
    "law": (("law", "FILE"), ("toml",)),
    "estimator": (("estimator", "grpo-token", "FILE"), ("toml",)),
    "prove": (("prove", "F_next >= F", "FILE"), ("toml",)),
    "training-free": (("training-free", "FILE"), ("toml",)),
    "replay": (("replay", "FILE"), ("jsonl",)),
    "check": (("check", "FILE"), ("jsonl",)),
    "diff": (("diff", "FILE", "FILE"), ("jsonl",)),
    "audit": (("audit", "FILE"), ("jsonl", "parquet", "npz", "json")),
    "audit --settings": (("audit", "GOOD", "--settings", "FILE"), ("json",)),
    "dispute": (("dispute", "FILE"), ("json",)),
    "draws": (("draws", "FILE"), ("jsonl",)),
    "repl": (("repl", "FILE"), ("toml",)),
    "training-free --resume": (("training-free", "TASK", "--resume", "--trace", "FILE"), ("jsonl",)),
}
"""Each command that reads a file, with the endings that it reads."""

DEEP, DIGITS = 1_000_000, 1_000_000
TASK = Path(__file__).resolve().parents[2] / "examples" / "training_free" / "fizzbuzz.toml"

TABLES: dict[str, bytes] = {
    "lists": b"a = " + b"[" * DEEP,
    "closed lists": b"a = " + b"[" * DEEP + b"]" * DEEP,
    "tables": b"a = " + b"{a=" * DEEP,
    "dots": b"a" + b".a" * DEEP + b" = 1\n",
    "digits": b"epsilon = " + b"7" * DIGITS,
    "text of digits": b'epsilon = "' + b"7" * DIGITS + b'"',
    "exponent": b"epsilon = 1e999999999\n",
    "nan": b"epsilon = nan\n",
    "surrogate": b'family = "\\ud800"\n',
    "wide": b"theta = [" + b"{}," * 1_300_000 + b"]\n",
}
LINES: dict[str, bytes] = {
    "lists": b"[" * DEEP + b"\n",
    "closed lists": b"[" * DEEP + b"]" * DEEP + b"\n",
    "tables": b'{"event":' * DEEP + b"\n",
    "twice": b'{"event": "start", "event": "start"}\n',
    "digits": b'{"event": "start", "t": ' + b"7" * DIGITS + b"}\n",
    "text of digits": b'{"event": "' + b"7" * DIGITS + b'"}\n',
    "exponent": b'{"event": "start", "t": 1e999999999}\n',
    "nan": b'{"event": NaN, "step": Infinity}\n',
    "surrogate": b'{"event": "\\ud800"}\n',
    "scalar": b"1\n",
    "null": b"null\n",
    "wide": b'{"event": "start", "schema": "grpocheck-trace/1", "problem": [' + b'{"":0},' * 8_000_000 + b"0]}\n",
}
ANY: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n" * 100,
    "junk": bytes(range(256)) * 40,
    "nul": b"\0" * 5000,
    "utf16": '\ufeff{"event": "start"}\n'.encode("utf-16"),
    "mark": b"\xef\xbb\xbf{}\n",
    "one line": b"x" * 30_000_000,
}
"""What stands in a file: in one of tables (TOML), in one of lines (everything else), in any."""

GOOD = (
    '{"format": "grpocheck-groups", "version": 1}\n'
    '{"kind": "group", "step": 1, "prompt": "q", "rewards": [0, 1], "advantages": [-1, 1]}\n'
)
"""A log in which all is right: A = (R - 1/2) / (1/2)."""


def bomb(path: Path) -> None:
    """A small archive of a gigabyte of zeros."""
    packed = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
    with packed as archive, archive.open("a.npy", "w", force_zip64=True) as member:
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (134217728,), }"
        member.write(b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117) + b"\n")
        for _ in range(1024):
            member.write(bytes(1 << 20))


def files(folder: Path, ending: str) -> list[tuple[str, Path]]:
    """The hostile files of one ending, made in a folder."""
    made = []
    for name, content in (ANY | (TABLES if ending == "toml" else LINES)).items():
        path = folder / f"{name.replace(' ', '_')}.{ending}"
        path.write_bytes(content)
        made.append((name, path))
    os.mkfifo(folder / f"pipe.{ending}")
    (folder / f"folder.{ending}").mkdir()
    (folder / f"zero.{ending}").symlink_to("/dev/zero")
    (folder / f"loop.{ending}").symlink_to(folder / f"loop.{ending}")
    (folder / f"nowhere.{ending}").symlink_to(folder / "none")
    with (folder / f"sparse.{ending}").open("wb") as file:
        file.truncate(1 << 32)
    odd = ("pipe", "folder", "zero", "loop", "nowhere", "sparse", "none")
    made += [(name, folder / f"{name}.{ending}") for name in odd]
    for name in ("-dash", "new\nline", "b\udcff\udcfe", "e\u0301", "\u202e", "\x1b[2J\x9b", "a" * 200):
        path = folder / f"{name}.{ending}"
        path.write_bytes(b"{}\n" if ending != "toml" else b"")
        made.append((f"named {name!a}", path))
    made.append(("long name", folder / ("a" * 300 + f".{ending}")))
    if ending == "npz":
        bomb(folder / "bomb.npz")
        made.append(("bomb", folder / "bomb.npz"))
    if ending == "parquet":
        subprocess.run([sys.executable, "-m", "tests.fuzz.tables", str(folder)], check=True)  # in memory of its own
        made += [(f"table {path.stem}", path) for path in sorted(folder.glob("completions_*"))]
    return made


def work(command: str, folder: Path) -> None:
    """Give every hostile file to a command, in this process."""
    from grpocheck.verifier.cli import main

    arguments, endings = COMMANDS[command]
    good = folder / "good.jsonl"
    good.write_text(GOOD, encoding="utf-8")
    for ending in endings:
        room = folder / ("calls" if ending == "npz" else ending)  # arrays are read from the folders of a recording
        room.mkdir()
        for name, path in files(room, ending):
            said: dict[str, Any] = {"file": f"{name} ({ending})"}
            words = {"FILE": str(path), "GOOD": str(good), "TASK": str(TASK)}
            sys.argv = ["grpocheck", *(words.get(word, word) for word in arguments)]
            out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
            begun = time.monotonic()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    main()
                    said["status"] = 0
                except SystemExit as end:
                    said["status"] = end.code
                except BaseException as error:
                    said["status"] = f"{type(error).__name__}: {error}"[:200]
            said["seconds"] = time.monotonic() - begun
            said["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for key, stream in (("out", out), ("err", err)):
                stream.flush()
                said[key] = stream.buffer.getvalue().decode("utf-8", "backslashreplace")[:3000]  # type: ignore[attr-defined]
            print(json.dumps(said), flush=True)
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps({"most": max(usage)}), flush=True)


if __name__ == "__main__":
    work(sys.argv[1], Path(sys.argv[2]))
