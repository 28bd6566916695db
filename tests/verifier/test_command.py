"""The command as a person meets it: real processes, exit statuses, stdout and stderr."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from grpocheck.verifier.cli import main
from grpocheck.verifier.outcomes import both_ends, in_cell

COMMAND = [sys.executable, "-m", "grpocheck"]
PATIENT = 300.0
"""Seconds that nothing here takes, on any machine."""

# examples/undefined_gradient.toml: from theta 1/2 the gradient is 2, the step 1/20 lands on 3/5, a kink.
KINK = """\
group_size = 2
outer_iterations = 1
inner_steps = 2
epsilon = 0.2
beta = 0
step_size = 0.05
theta = [0.5]
family = "bernoulli"
[domain]
kind = "open-box"
lower = [0]
upper = [1]
[[prompts]]
name = "q"
responses = ["good", "bad"]
rewards = [1, 0]
reference = [0.5, 0.5]
[draws]
recorded = [[["good", "bad"]]]
"""


@pytest.fixture
def kink(tmp_path: Path) -> Path:
    (tmp_path / "kink.toml").write_text(KINK)
    return tmp_path


def grpocheck(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}
    )


def in_this_process(
    folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> subprocess.CompletedProcess[str]:
    """The same without the start of a process."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["grpocheck", *arguments])
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(SystemExit) as ended:
        main()
    captured = capsys.readouterr()
    assert isinstance(ended.value.code, int)
    return subprocess.CompletedProcess(arguments, ended.value.code, captured.out, captured.err)


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """Exit status 2, nothing on stdout, every word on stderr, no traceback."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_the_design_problem_as_json(kink: Path) -> None:
    done = grpocheck(kink, "run", "kink.toml", "--json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert (found["status"], found["theta"], found["arithmetic"]) == ("undefined-gradient", ["3/5"], "exact")
    ledger = found["ledger"]
    assert (ledger["draws"], ledger["gradient_attempts"]) == (2, 2)
    assert (ledger["membership_calls"], ledger["steps_applied"]) == (1, 1)
    assert found["bounds"] == {"draws": 2, "gradient_attempts": 2}
    # F after the step: (min(6/5, 6/5) * 1 + min(-4/5, -4/5)) / 2 = 1/5
    assert [step["objective"] for step in found["steps"]] == ["1/5"]


def test_a_larger_step_leaves_the_domain(kink: Path) -> None:
    (kink / "far.toml").write_text(KINK.replace("step_size = 0.05", "step_size = 1"))
    found = json.loads(grpocheck(kink, "run", "far.toml", "--json").stdout)
    assert (found["status"], found["theta"]) == ("invalid-update", ["1/2"])
    ledger = found["ledger"]
    assert (ledger["gradient_attempts"], ledger["membership_calls"], ledger["steps_applied"]) == (1, 1, 0)


def test_people_read_why_it_stopped_and_where(kink: Path) -> None:
    shown = grpocheck(kink, "run", "kink.toml").stdout
    assert "undefined-gradient: stopped at outer iteration 1, inner step 2" in shown
    assert "draw 1 of prompt 'q', 'good': ratio 6/5, advantage 1" in shown
    assert "theta = 3/5" in shown
    assert "contracts   on" in shown
    far = KINK.replace("step_size = 0.05", "step_size = 1")
    (kink / "far.toml").write_text(far)
    # 1/2 + 1 * 2 = 5/2
    assert "the proposal 5/2 is outside U" in " ".join(grpocheck(kink, "run", "far.toml").stdout.split())


def test_people_see_what_was_drawn(kink: Path) -> None:
    shown = grpocheck(kink, "run", "kink.toml").stdout.splitlines()
    place = next(i for i, line in enumerate(shown) if line.startswith("t   prompt"))
    assert [line.split() for line in shown[place + 2 : place + 4]] == [
        ["1", "q", "good", "1", "1", "1"],
        ["1", "q", "bad", "1", "0", "-1"],
    ]


def test_an_enclosure_in_a_table_is_short_and_holds_the_number() -> None:
    assert in_cell(["0.84707268046691846135", "0.84707268046691846136"]) == "[0.8470726804, 0.8470726805]"
    assert in_cell(["-1.23456789012e-40", "-1.23456789011e-40"]) == "[-1.234567891e-40, -1.23456789e-40]"
    assert in_cell(["0.5", "0.5"]) == "[0.5, 0.5]"
    assert in_cell("1/3") == "1/3"
    rows = list(range(25))
    assert both_ends(rows[:24]) == rows[:24]
    assert both_ends(rows) == [*rows[:12], None, *rows[13:]]


def test_contracts_off_is_said(kink: Path) -> None:
    assert "GRPOCHECK_CONTRACTS=off" in grpocheck(kink, "run", "kink.toml", GRPOCHECK_CONTRACTS="off").stdout
    found = json.loads(grpocheck(kink, "run", "kink.toml", "--json", GRPOCHECK_CONTRACTS="off").stdout)
    assert found["contracts"] == "off"


def test_mp_is_labelled(kink: Path) -> None:
    done = grpocheck(kink, "run", "kink.toml", "--arithmetic", "mp", "--digits", "25")
    assert done.returncode == 0
    assert "NOT certified" in done.stdout
    assert "equality contracts are not evaluated" in " ".join(done.stdout.split())


def test_a_trace_replays_and_a_changed_one_does_not(kink: Path) -> None:
    assert grpocheck(kink, "run", "kink.toml", "--trace", "t.jsonl").returncode == 0
    assert grpocheck(kink, "replay", "t.jsonl").returncode == 0
    text = (kink / "t.jsonl").read_text()
    (kink / "changed.jsonl").write_text(text.replace('"3/5"', '"3/4"'))
    done = grpocheck(kink, "replay", "changed.jsonl")
    assert done.returncode == 1
    assert "3/4" in done.stderr
    assert "Traceback" not in done.stderr
    (kink / "cut.jsonl").write_text(text[: len(text) // 2])
    refused(grpocheck(kink, "replay", "cut.jsonl"), "cut.jsonl", "cut")


def test_the_same_seed_gives_the_same_run(kink: Path) -> None:
    (kink / "seeded.toml").write_text(KINK.partition("[draws]")[0])
    first = grpocheck(kink, "run", "seeded.toml", "--json", "--seed", "7").stdout
    assert first == grpocheck(kink, "run", "seeded.toml", "--json", "--seed", "7").stdout
    assert json.loads(first)["draws"]["seed"] == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "missing.toml"], ["'missing.toml'", "expected"]),
        (["run", "."], ["directory", "expected"]),
        (["run", "kink.toml", "--supply", "nowhere:supply"], ["--supply", "'nowhere:supply'", "No module named"]),
        (["run", "kink.toml", "--supply", "raises:supply"], ["--supply", "ValueError: at import"]),
        (["run", "kink.toml", "--supply", "leaves:supply"], ["--supply", "SystemExit"]),
        (["run", "kink.toml", "--supply", "plain:nothing"], ["--supply", "has no attribute 'nothing'"]),
        (["run", "kink.toml", "--supply", "plain:number"], ["--supply", "it is a int", "Supply"]),
        (["run", "kink.toml", "--supply", "plain"], ["--supply", "MODULE:ATTRIBUTE"]),
        (["run", "kink.toml", "--trace", "no/where.jsonl"], ["--trace", "'no/where.jsonl'", "no folder"]),
        (["run", "kink.toml", "--trace", "."], ["--trace", "it is a folder"]),
        (["run", "kink.toml", "--trace", "/dev/null"], ["--trace", "no regular file"]),
        (["run", "kink.toml", "--arithmetic", "float"], ["--arithmetic", "'float'", "auto, exact, enclosure, mp"]),
        (["run", "kink.toml", "--arithmetic", "exact", "--digits", "9"], ["--digits", "no effect"]),
        (["run", "kink.toml", "--seed", "-1"], ["--seed"]),
        (["run", "kink.toml", "--max-bits", "0"], ["--max-bits"]),
        (["run"], ["PROBLEM"]),
        (["walk"], ["walk"]),
        (["replay", "missing.jsonl"], ["missing.jsonl", "expected"]),
        (["replay", "kink.toml"], ["kink.toml", "line 1", "expected"]),
        (["verify", "Z9"], ["claim", "'Z9'", "expected one of A1"]),
        (["verify", "--json", "no/where.json"], ["--json", "no folder"]),
        (["verify", "--cache", "kink.toml"], ["--cache", "'kink.toml'", "expected a folder"]),
        (["explain", "nonsense"], ["'nonsense'", "expected one of A1"]),
    ],
)
def test_bad_input_is_refused_by_name(
    kink: Path,
    arguments: list[str],
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (kink / "raises.py").write_text("raise ValueError('at import')\n")
    (kink / "leaves.py").write_text("raise SystemExit(0)\n")
    (kink / "plain.py").write_text("number = 3\n")
    refused(in_this_process(kink, arguments, monkeypatch, capsys), *words)


def test_an_unwritable_trace_is_noticed_before_the_run(kink: Path) -> None:
    (kink / "told.py").write_text(
        "from grpocheck.core import Supply\n"
        "def draws(masses, prompt, outer_iteration, draw):\n"
        "    open('asked', 'w').close()\n"
        "    return 'good'\n"
        "supply = Supply(draws=draws)\n"
    )
    refused(grpocheck(kink, "run", "kink.toml", "--supply", "told:supply", "--trace", "no/t.jsonl"), "--trace")
    assert not (kink / "asked").exists()
    assert grpocheck(kink, "run", "kink.toml", "--supply", "told:supply").returncode == 0
    assert (kink / "asked").exists()


def test_a_broken_supply_ends_with_status_1_and_leaves_the_trace(kink: Path) -> None:
    (kink / "broken.py").write_text(
        "from grpocheck.core import Supply\nsupply = Supply(domain=lambda theta: theta[0] == 0.5 or 'yes')\n"
    )
    done = grpocheck(kink, "run", "kink.toml", "--supply", "broken:supply", "--trace", "t.jsonl")
    assert done.returncode == 1
    assert "domain oracle" in done.stderr
    assert "Traceback" not in done.stderr
    kinds = [json.loads(line)["event"] for line in (kink / "t.jsonl").read_text().splitlines()]
    assert kinds[0] == "start"
    assert kinds.count("draw") == 2
    assert kinds[-1] == "error"


def test_a_closed_pipe_is_no_error(kink: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "claims"], cwd=kink, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 0


def test_help_is_quick_and_teaches(kink: Path) -> None:
    grpocheck(kink, "--help")
    times = []
    for _ in range(3):
        began = os.times()
        done = grpocheck(kink, "--help")
        ended = os.times()
        times.append(ended.children_user + ended.children_system - began.children_user - began.children_system)
    assert done.returncode == 0
    for word in ("run", "replay", "verify", "claims", "explain", "Exit status", "grpocheck explain undefined-gradient"):
        assert word in done.stdout
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "grpocheck", "--help"], capture_output=True, text=True, cwd=kink
    ).stderr
    for heavy in ("icontract", "mpmath", "z3", "grpocheck.core"):
        assert f" {heavy}\n" not in loaded
    assert 0 < min(times) < 1.0  # 0.2 s of the processor, however busy the machine is


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("undefined-gradient", "no total derivative"),
        ("B2", "the advantages sum to 0"),
        ("n7", "not promised"),
        ("SupplyViolation", "broke its clause"),
        ("symbolic", "CrossHair"),
        ("not-run", "Never"),
    ],
)
def test_explain(
    kink: Path, word: str, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done = in_this_process(kink, ["explain", word], monkeypatch, capsys)
    assert done.returncode == 0
    assert says in " ".join(done.stdout.split())
    mapping = json.loads(in_this_process(kink, ["explain", word, "--json"], monkeypatch, capsys).stdout)
    assert says in f"{mapping['meaning']} {mapping['sort']}"


def test_explaining_a_claim_shows_the_contracts_that_state_it(kink: Path) -> None:
    contracts = json.loads(grpocheck(kink, "explain", "B2", "--json").stdout)["contracts"]
    assert any(line.startswith("grpocheck.core.advantage.") for line in contracts)


def test_claims_lists_every_claim_of_the_specification(kink: Path) -> None:
    entries = json.loads(grpocheck(kink, "claims", "--json").stdout)
    # docs/specification.md section 2: 23 claims, 8 non-claims
    assert [entry["promised"] for entry in entries].count(True) == 23
    assert [entry["id"] for entry in entries if not entry["promised"]] == [f"N{i}" for i in range(1, 9)]


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks processes up in /proc")
def test_an_interrupt_ends_with_130_and_leaves_no_process(kink: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "verify", "A1", "--fresh", "--jobs", "2"],
        cwd=kink,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + PATIENT
    while len(processes_in(kink)) < 3:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENT)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    deadline = time.monotonic() + PATIENT
    while left := processes_in(kink):
        assert time.monotonic() < deadline, left
        time.sleep(0.2)


def processes_in(folder: Path) -> list[str]:
    """The processes whose working folder this is (Linux)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").resolve() == folder.resolve():
                found.append(entry.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("setting", ["maybe", "OF", "0"])
def test_a_setting_that_switches_no_contracts_is_bad_input(tmp_path: Path, setting: str) -> None:
    done = grpocheck(tmp_path, "explain", "A1", GRPOCHECK_CONTRACTS=setting)
    assert done.returncode == 2
    assert done.stderr == f"grpocheck: GRPOCHECK_CONTRACTS: '{setting}': it switches nothing; expected on or off\n"


def test_a_library_of_enclosures_that_there_is_not_is_bad_input_and_no_broken_clause(tmp_path: Path) -> None:
    (tmp_path / "kink.toml").write_text(KINK, encoding="utf-8")
    done = grpocheck(tmp_path, "run", "kink.toml", GRPOCHECK_ENCLOSURES="arb")
    assert done.returncode == 2
    assert done.stderr == "grpocheck: GRPOCHECK_ENCLOSURES: 'arb': expected mpmath or flint\n"


@pytest.mark.parametrize(("setting", "contracts"), [("", "on"), ("On", "on"), ("OFF", "off")])
def test_a_setting_is_read_in_capitals_too_and_an_empty_one_is_none(
    tmp_path: Path, setting: str, contracts: str
) -> None:
    (tmp_path / "kink.toml").write_text(KINK, encoding="utf-8")
    done = grpocheck(tmp_path, "run", "kink.toml", "--json", GRPOCHECK_CONTRACTS=setting)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["contracts"] == contracts
