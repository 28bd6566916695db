"""The session from a pipe and at a pseudo terminal: a run walked by hand, anything changed, properties proved."""

import os
import pty
import select
import subprocess
import sys
import time
from contextlib import suppress
from fractions import Fraction as F
from io import StringIO
from pathlib import Path

import pytest
from grpocheck.core.reading import read_problem
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.repl.changing import changed, places, value_of
from grpocheck.verifier.repl.session import Session

from tests.properties.problems import bernoulli, simplex

COMMAND = [sys.executable, "-c", "from grpocheck.verifier.cli import main; main()", "repl"]
KINK = "examples/undefined_gradient.toml"


def typed(*lines: str, problem: str | None = KINK) -> tuple[int, list[str]]:
    """A session fed from a pipe: its exit status and what it printed."""
    done = subprocess.run(
        [*COMMAND, *([problem] if problem else [])], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_a_run_is_walked_forward_and_back() -> None:
    """The kink by hand: gradient 2, theta 1/2 + 2/20 = 3/5 with F = 1/5, and no gradient there."""
    status, said = typed("step", "show groups", "step", "step", "back 2", "show theta", "back", "run")
    assert status == 0
    assert said == [
        f"loaded {KINK}: M = 1, G = 2, T = 1, K = 2, bernoulli",
        "t = 1, k = 1: gradient 2, theta = 3/5, F = 1/5",
        "t = 1: F = 1/5",
        "prompt q: mean reward 1/2, deviation 1/2",
        "  1 good: reward 1, advantage 1, ratio 6/5, term 6/5, gradient on the bound of the clip",
        "  2 bad: reward 0, advantage -1, ratio 4/5, term -4/5, gradient on the bound of the clip",
        "t = 1, k = 2: no gradient at theta = 3/5; the run is undefined-gradient",
        "the run ends here: t = 1, k = 2: no gradient at theta = 3/5; the run is undefined-gradient",
        "at the start: theta = 1/2; 2 attempts ahead",
        "theta = 1/2",
        "the run begins here: at the start: theta = 1/2; 2 attempts ahead",
        "undefined-gradient at t = 1, k = 2: theta = 3/5; draws 2 of 2, attempts 2 of 2, steps 1",
    ]


def test_the_ledger_stands_beside_its_bounds() -> None:
    status, said = typed("show ledger")
    assert status == 0
    assert said[1:5] == ["draws 2 of 2", "gradient_attempts 2 of 2", "membership_calls 1", "steps_applied 1"]


def test_a_change_is_seen_at_once_and_saved(tmp_path: Path) -> None:
    """With epsilon = 3/10 the second step goes on from 3/5: gradient 2 again, since A / old mass does not change."""
    path = tmp_path / "saved.toml"
    status, said = typed("set epsilon 0.3", "run", "prove theta_next > theta", f"save {path}")
    assert status == 0
    assert said[1:3] == ["epsilon = 0.3", "complete: theta = 7/10; draws 2 of 2, attempts 2 of 2, steps 2"]
    assert said[3] == "holds (by evaluation): theta_next > theta"
    saved = read_problem(path)
    assert (saved.epsilon, saved.recorded) == (F(3, 10), ((("good", "bad"),),))


def test_a_counterexample_is_opened() -> None:
    status, said = typed("prove --scope draws --budget 60 deviation > 0", "open", "show groups", "prove deviation > 0")
    assert status == 0
    assert said[1] == "refuted (by enumeration): all prompts: deviation > 0"
    assert "  value     deviation[1] = 0" in said
    assert any(line.startswith("  1 good: reward 1, advantage 0") for line in said)
    assert any(line.startswith("  2 good: reward 1, advantage 0, ratio 1, term 0, gradient dead") for line in said)
    assert said.count("refuted (by evaluation): all prompts: deviation > 0") == 1


def test_the_shelf_brings_its_problem() -> None:
    status, said = typed("shelf", "shelf N7", "prove N7", problem=None)
    assert status == 0
    assert "N7: a parameter that was left does not come back (refuted, run)" in said
    assert "refuted (by evaluation): theta_next = theta_0 implies theta = theta_0" in said


def test_a_name_of_the_language_is_shown_where_the_walk_stands() -> None:
    """At theta = 3/5, from 1/2: ratios 6/5 and 4/5, masses 3/5 and 2/5; at theta = 1/2 all is at the reference."""
    names = ("ratio", "advantage", "mass", "F", "k", "draws")
    status, said = typed("show kl", "step", *(f"show {name}" for name in names))
    assert status == 0
    assert said[1:3] == ["kl = 0", "kl[1] = 0"]
    assert said[4:] == [
        "ratio[1,1] = 6/5 (good)",
        "ratio[1,2] = 4/5 (bad)",
        "advantage[1,1] = 1 (good)",
        "advantage[1,2] = -1 (bad)",
        "mass[1,1] = 3/5 (good)",
        "mass[1,2] = 2/5 (bad)",
        "F = 1/5",
        "k = 1",
        "draws = 2",
    ]


ERRORS = {
    "bogus": "there is no such command; expected one of back, explain",
    "laod x.toml": "expected load (did you mean that?)",
    "help nosuch": "help: 'nosuch': there is no such command; expected one of",
    "load nothing.toml": "expected a file that can be read",
    "show colours": "one of theta, groups, ledger, problem, names, or a name that show names lists",
    "show F_next": "it belongs to a step",
    "set epsilon": "a key and a value are needed",
    "set epsilon 2": "strictly between 0 and 1",
    "set epsilon import os": "an exact finite number",
    "set colour 3": "there is no such key",
    "set prompts[2].rewards [1, 0]": "a list of 1, counted from 1",
    "set theta[0] 1/2": "counted from 1",
    "set .. 3": "it names no value",
    "step often": "it is no count",
    "prove": "an empty property",
    "prove F_nxt >= F": "column 1: there is no 'F_nxt'; did you mean F_next?",
    "prove F.x > 0": "no attributes",
    "prove --scope all F > 0": "--scope run|draws|shape",
    "prove --budget soon F > 0": "seconds from 0.1 to 86400",
    "open": "there is no counterexample",
    "shelf X1": "there is none of that name",
    "explain nonsense": "it is not in the glossary",
    "unset epsilon": "domain or draws",
    "save no/such/folder/file": "there is no folder",
}


@pytest.mark.parametrize("word", ["q", "exit", "quit"])
def test_a_session_ends_at_any_word_for_it(word: str) -> None:
    said = StringIO()
    session = Session(StringIO(f"help quit\n{word}\nbogus\n"), said)
    session.cmdloop()
    assert said.getvalue() == "quit: end the session.\n"
    assert not session.failed


def test_every_error_is_one_line_and_the_session_goes_on() -> None:
    status, said = typed(*ERRORS, "show theta")
    assert status == 2
    assert len(said) == 1 + len(ERRORS) + 1
    for line, (typed_line, expected) in zip(said[1:-1], ERRORS.items(), strict=True):
        assert line.startswith("error: "), typed_line
        assert expected in line, typed_line
    assert said[-1] == "theta = 1/2"


def test_without_a_problem_there_is_nothing_to_walk() -> None:
    status, said = typed("run", "set epsilon 0.3", "# a remark", "", "help", problem=None)
    assert status == 2
    assert [line.startswith("error: problem: none is loaded") for line in said[:2]] == [True, True]
    assert "prove" in " ".join(said)
    assert "EOF" not in " ".join(said)


def test_a_fresh_seed_stays_for_the_session() -> None:
    status, said = typed("unset draws", "run", "run", "show problem")
    assert status == 0
    assert said[2] == said[3]
    assert any(line.startswith("seed = ") for line in said)


CHANGES = {
    ("epsilon", "1/3"): lambda problem: problem.epsilon == F(1, 3),
    ("beta", "0.1"): lambda problem: problem.beta == F(1, 10),
    ("theta", "0.4"): lambda problem: problem.theta == (F(2, 5),),
    ("theta[1]", "2/5"): lambda problem: problem.theta == (F(2, 5),),
    ("eta", "1/7"): lambda problem: problem.step_sizes == ((F(1, 7),),),
    ("K", "3"): lambda problem: problem.step_sizes == ((F(1, 20),) * 3,),
    ("step_sizes", "[[1/3]]"): lambda problem: problem.step_sizes == ((F(1, 3),),),
    ("prompts[1].rewards", "[1/3, -2]"): lambda problem: problem.prompts[0].rewards == (F(1, 3), -2),
    ("prompts[1].rewards[2]", "-2"): lambda problem: problem.prompts[0].rewards == (1, -2),
    ("prompts[1].name", "another name"): lambda problem: problem.prompts[0].name == "another name",
    ("draws.seed", "7"): lambda problem: (problem.seed, problem.recorded) == (7, None),
    ("draws.recorded", '[[["bad", "bad"]]]'): lambda problem: problem.recorded == ((("bad", "bad"),),),
    ("G", "5"): lambda problem: (problem.group_size, problem.seed) == (5, 0),
    ("domain", '{kind = "open-box", lower = [1/4], upper = [1]}'): lambda problem: problem.domain is not None,
}


@pytest.mark.parametrize("change", CHANGES)
def test_anything_can_be_changed(change: tuple[str, str]) -> None:
    problem, _ = changed(bernoulli(), *change)
    assert CHANGES[change](problem)


def test_step_sizes_of_their_own_give_way_to_new_counts() -> None:
    stepped, _ = changed(bernoulli(inner_steps=2), "step_sizes", "[[1/3, 1/4]]")
    longer, also = changed(stepped, "inner_steps", "3")
    assert longer.step_sizes == ((F(1, 3),) * 3,)
    assert also == "step_size 1/3 for every step"


def test_paths_and_values_are_read_by_rules_of_their_own() -> None:
    assert places("prompts[2].rewards[1]") == ["prompts", 2, "rewards", 1]
    assert value_of("x", '["1/2", 1/3, "a/b"]') == ["1/2", "1/3", "a/b"]
    for hostile in ("__class__", "theta.__class__", "a" * 100, "theta[[1]]", "theta[1"):
        with pytest.raises(BadOption):
            places(hostile) and changed(simplex(), hostile, "1")
    for hostile in ("[1", "1\nx = 2", "9" * 5000):
        with pytest.raises(BadOption):
            value_of("epsilon", hostile)


def test_completion_knows_the_words() -> None:
    session = Session(stdin=sys.stdin, stdout=sys.stdout)
    assert "prove" in session.completenames("pr")
    assert session.complete_show("gr", "show gr", 5, 7) == ["groups"]
    assert "epsilon" in session.complete_set("eps", "set eps", 4, 7)
    assert {"F", "F_next"} <= set(session.complete_prove("F", "prove F", 6, 7))
    assert session.complete_prove("d", "prove --scope d", 14, 15) == ["draws"]
    assert "undefined_gradient.toml" in session.complete_load("undef", "load examples/undef", 14, 19)


def test_at_a_terminal_there_is_a_prompt_and_a_history(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "TERM": "dumb"}
    child = subprocess.Popen([*COMMAND, KINK], stdin=slave, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    seen, waiting = b"", [b"show theta\n", b"quit\n"]
    end = time.monotonic() + 300  # the machine may be busy
    while child.poll() is None and time.monotonic() < end:
        if select.select([master], [], [], 0.2)[0]:
            with suppress(OSError):  # how a pseudo terminal says that the other end is closed
                seen += os.read(master, 1024)
        if waiting and seen.endswith(b"grpocheck> "):
            os.write(master, waiting.pop(0))
    assert child.wait(30) == 0
    os.close(master)
    assert b"help lists the commands" in seen
    assert b"theta = 1/2" in seen
    kept = (tmp_path / "grpocheck" / "history").read_text()
    assert "show theta" in kept
