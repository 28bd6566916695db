"""From paths to runs: which files there are, of which format, and which belong to one run."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from pathlib import Path

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.model import Run
from grpocheck.verifier.audit.readers import groups, lines, rollouts
from grpocheck.verifier.audit.settings import Settings, read_json, read_settings

DEEPEST = 4
SETTINGS_FILES = ("run.json", "grpo_config.json", "training_args.json", "args.json")
EXPECTED = (
    "TRL's completions (*.parquet) or trainer_state.json, a recorded run (calls/*.npz, gens/*.npz), "
    "verl's rollout_data_dir or grpocheck-groups (*.jsonl)"
)


def runs_of(paths: Sequence[Path], extra: Settings | None = None) -> list[Run]:
    """The runs under paths, in their order; ``extra`` are settings that somebody gave beside them.

    Raises Unreadable for a path that holds nothing that can be audited.
    """
    members: dict[Path, dict[Path, None]] = {}
    for path in paths:
        found = list(audited(path))
        if not found:
            raise Unreadable(path, "contents", sorted(each.name for each in path.iterdir())[:4], EXPECTED)
        for home, file in found:
            members.setdefault(home, {})[file] = None
    named = {path for path in paths if path.is_file()}
    return [
        run for home, files in members.items() for run in parted(run_of(home, list(files), extra or Settings(), named))
    ]


def parted(run: Run) -> list[Run]:
    """A run, or several of them where the JSON Lines of one folder have different headers: each is a run of its own.

    The files of one recording by several processes have one header.
    """
    headers: dict[str, list[Path]] = {}
    for file in run.groups:
        header = groups.read_header(file)
        said = repr((sorted(header.settings.values.items()), header.functions, header.dtype))
        headers.setdefault(said, []).append(file)
    if len(headers) < 2:
        return [run]
    rest = replace(run, groups=())
    alone = Run("", (), None, run.settings, (), (), (), ())
    own = [replace(alone, name=str(files[0]), groups=tuple(files)) for files in headers.values()]
    return [*([rest] if rest.files or rest.passed_over else []), *own]


def audited(path: Path, depth: int = 0) -> Iterable[tuple[Path, Path]]:
    """Every file under a path that can be audited, with the folder of the run that it is of."""
    if not path.exists():
        raise FileNotFoundError(2, "No such file or directory", str(path))
    if path.is_file():
        if not is_audited(path):
            raise Unreadable(path, "format", path.suffix or path.name, EXPECTED)
        yield home_of(path), path
    elif path.is_dir():
        for entry in sorted(path.iterdir()):
            if entry.is_dir() and depth < DEEPEST and not entry.name.startswith("."):
                yield from audited(entry, depth + 1)
            elif entry.is_file() and is_audited(entry):
                yield home_of(entry), entry
    else:
        raise Unreadable(path, "kind", "neither a file nor a folder", EXPECTED)


def is_audited(path: Path) -> bool:
    """Whether the name of a file is one that is read."""
    return path.suffix in (".parquet", ".jsonl", ".npz") or path.name == "trainer_state.json"


def home_of(file: Path) -> Path:
    """The folder of the run that a file is of: TRL's and the recorder's subfolders are of their parent's."""
    folder = file.parent
    inside = folder.name in ("completions", "calls", "gens") or folder.name.startswith("checkpoint-")
    return folder.parent if inside else folder


def run_of(home: Path, files: Sequence[Path], extra: Settings, named: Set[Path] = frozenset()) -> Run:
    """The files of one run, sorted by format.

    JSON Lines of other programs are passed over beside others, unless they are ``named``; Unreadable is raised then.
    """
    passed_over: list[Path] = []
    kinds: dict[str, list[Path]] = {"table": [], "gen": [], "call": [], "groups": [], "rollouts": [], "state": []}
    for file in files:
        kind = kind_of(file)
        if kind is None and file in named:
            raise foreign(file)
        (passed_over if kind is None else kinds[kind]).append(file)
    if len(passed_over) == len(files):
        raise foreign(files[0])
    settings = extra
    for name in SETTINGS_FILES:
        if (home / name).is_file():
            settings = settings.joined(read_settings(home / name))
    return Run(
        str(home),
        tuple(sorted(kinds["table"])),
        latest(kinds["state"]),
        settings,
        tuple(sorted(kinds["gen"])),
        tuple(sorted(kinds["call"])),
        tuple(sorted(kinds["groups"])),
        tuple(sorted(kinds["rollouts"], key=lambda file: (len(file.stem), file.stem))),
        tuple(sorted(passed_over)),
    )


def kind_of(file: Path) -> str | None:
    """Which reader a file is for; None for JSON Lines of other programs."""
    if file.name == "trainer_state.json":
        return "state"
    if file.suffix == ".parquet":
        return "table"
    if file.suffix == ".npz":
        return "gen" if file.name.startswith("gen") else "call"
    first = lines.first_line(file)
    if first is None:
        raise Unreadable(file, "content", "no lines", "JSON Lines of verl's rollout_data_dir or grpocheck-groups")
    if groups.is_header(first):
        return "groups"
    if rollouts.is_rollout(first):
        return "rollouts"
    return None


def foreign(file: Path) -> Unreadable:
    """What is wrong with JSON Lines that no reader here is for."""
    expected = '{"format": "grpocheck-groups", "version": 1}, or verl\'s keys input, output and score'
    return Unreadable(file, "line 1", lines.first_line(file), expected)


def latest(states: Sequence[Path]) -> Path | None:
    """The trainer_state.json with the longest log: checkpoints keep earlier ones."""
    if len(states) < 2:
        return states[0] if states else None

    def length(path: Path) -> int:
        found = read_json(path)
        history = found.get("log_history") if isinstance(found, dict) else None
        return len(history) if isinstance(history, list) else -1

    return max(states, key=length)
