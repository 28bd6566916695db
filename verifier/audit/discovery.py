"""From paths to runs: which files there are, of which format, and which belong to one run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grpocheck.verifier.audit.errors import Unreadable
from grpocheck.verifier.audit.kinds import is_audited, kind_of
from grpocheck.verifier.audit.model import Part, Run
from grpocheck.verifier.audit.readers import groups
from grpocheck.verifier.audit.settings import Settings, read_json, read_settings

DEEPEST = 4
SETTINGS_FILES = ("run.json", "grpo_config.json", "training_args.json", "args.json")
EXPECTED = (
    "TRL's completions (*.parquet) or trainer_state.json, a recorded run (calls/*.npz, gens/*.npz), "
    "verl's rollout_data_dir or grpocheck-groups (*.jsonl)"
)


def runs_of(paths: Sequence[Path], extra: Settings | None = None) -> list[Run]:
    """The runs under paths, in their order; ``extra`` are settings that somebody gave beside them.

    Files of other programs in a folder are passed over. Raises Unreadable for a path under which nothing else is.
    """
    members: dict[Path, dict[Path, str]] = {}
    others: dict[Path, dict[Path, Unreadable]] = {}
    for path in paths:
        found = [(home, file, kind_of(file)) for home, file in audited(path)]
        if not found:
            raise Unreadable(path, "contents", sorted(each.name for each in path.iterdir())[:4], EXPECTED)
        own = [(home, file, kind) for home, file, kind in found if isinstance(kind, str)]
        foreign = [(home, file, kind) for home, file, kind in found if not isinstance(kind, str)]
        if not own:
            raise foreign[0][2]
        for home, file, kind in own:
            members.setdefault(home, {})[file] = kind
        for home, file, error in foreign:
            beside = next((each for each in (home, *home.parents) if each in members), own[0][0])
            others.setdefault(beside, {})[file] = error
    given = extra or Settings()
    return [
        run
        for home, files in members.items()
        for run in parted(run_of(home, files, given, tuple(others.get(home, {}).values())))
    ]


def parted(run: Run) -> list[Run]:
    """A run, or several of them where JSON Lines of one folder have different headers: each is a run of its own.

    The files of one recording by several processes have one header. One that was gone on with has several, in the
    middle of it too: the parts under one header are one run.
    """
    headers: dict[str, list[Part]] = {}
    for part in run.groups:
        header = groups.read_header(part)
        said = repr((sorted(header.settings.values.items()), header.functions, header.dtype))
        headers.setdefault(said, []).append(part)
    if len(headers) < 2:
        return [run]
    rest = replace(run, groups=())
    alone = Run("", settings=run.settings)
    own = [replace(alone, name=name_of(parts[0]), groups=tuple(parts)) for parts in headers.values()]
    return [*([rest] if rest.files or rest.passed_over else []), *own]


def name_of(part: Part) -> str:
    """What a run is called that begins with this part."""
    return str(part.file) if part.lines.first == 0 else f"{part.file} from line {part.lines.first + 1}"


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
        raise Unreadable(path, "kind", "neither a file nor a folder", f"its content in a file: {EXPECTED}")


def home_of(file: Path) -> Path:
    """The folder of the run that a file is of: TRL's and the recorder's subfolders are of their parent's."""
    folder = file.parent
    inside = folder.name in ("completions", "calls", "gens") or folder.name.startswith("checkpoint-")
    return folder.parent if inside else folder


def run_of(home: Path, files: Mapping[Path, str], extra: Settings, passed_over: tuple[Unreadable, ...]) -> Run:
    """The files of one run, each with its kind, sorted by it; a recording of one file has the file's name."""

    def of(kind: str) -> list[Path]:
        return sorted(file for file, its in files.items() if its == kind)

    settings = extra
    for name in SETTINGS_FILES:
        if (home / name).is_file():
            settings = settings.joined(read_settings(home / name))
    alone = next(iter(files)) if set(files.values()) == {"groups"} and len(files) == 1 else home
    return Run(
        str(alone),
        tuple(of("table")),
        latest(of("state")),
        settings,
        tuple(of("gen")),
        tuple(of("call")),
        tuple(part for file in of("groups") for part in groups.parts_of(file)),
        tuple(sorted(of("rollouts"), key=lambda file: (len(file.stem), file.stem))),
        passed_over,
    )


def latest(states: Sequence[Path]) -> Path | None:
    """The trainer_state.json with the longest log: checkpoints keep earlier ones."""
    if len(states) < 2:
        return states[0] if states else None

    def length(path: Path) -> int:
        found = read_json(path)
        history = found.get("log_history") if isinstance(found, dict) else None
        return len(history) if isinstance(history, list) else -1

    return max(states, key=length)
