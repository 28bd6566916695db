"""Traces: whole or refused, replayed line by line, and different in the line that was touched."""

import json
from fractions import Fraction as F

import pytest
from grpocheck.core import (
    InvalidProblem,
    NotExact,
    Supply,
    SupplyViolation,
    TraceError,
    TraceMismatch,
    TraceWriter,
    arithmetic_named,
    read_trace,
    replay,
    run,
)
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.oracles import UNDEFINED_GRADIENT
from grpocheck.core.training_free.trace import SCHEMA as TRAINING_FREE
from grpocheck.verifier.strategies import problems
from hypothesis import HealthCheck, given, settings

from .test_run import Hill, hill_problem, two_responses


def traced(path, problem, supply=None, **options):
    with TraceWriter(path) as writer:
        return run(problem, supply, observer=writer, **options)


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.jsonl"


def test_a_trace_tells_the_run_in_order(path):
    traced(path, two_responses())
    told = [json.loads(line)["event"] for line in lines(path)]
    assert told == [
        *("start", "outer-iteration", "draw", "draw", "reward", "reward", "group"),
        *("gradient", "membership", "apply", "gradient", "stop", "outcome"),
    ]
    start, outcome = json.loads(lines(path)[0]), json.loads(lines(path)[-1])
    assert start["schema"] == "grpocheck-trace/1"
    assert start["problem"]["epsilon"] == "1/5"
    assert (outcome["status"], outcome["theta"]) == ("undefined-gradient", ["3/5"])
    assert json.loads(lines(path)[10])["answer"] == "undefined-gradient"


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(problem=problems())
def test_every_run_replays_to_its_outcome(path, problem):
    outcome = traced(path, problem)
    assert replay(path).to_mapping() == outcome.to_mapping()
    path.unlink()


@pytest.mark.parametrize("name", ["auto", "exact", "enclosure", "mp"])
def test_seeded_draws_replay_from_the_seed(path, name):
    problem = two_responses(recorded=None)
    outcome = traced(path, problem, seed=9, arithmetic=arithmetic_named(name))
    assert json.loads(lines(path)[0])["draws"] == {"source": "seed", "seed": 9, "generator": "sha256-counter/1"}
    assert replay(path).to_mapping() == outcome.to_mapping()


def test_supplied_answers_are_read_off_the_trace(path):
    answers = iter([(F(1, 2),), UNDEFINED_GRADIENT])
    supply = Supply(
        gradient=lambda frozen, theta: next(answers),
        draws=lambda masses, prompt, t, i: prompt.responses[i % 2],
        reward=lambda prompt, response: F(len(response), 7),
        domain=lambda theta: 0 < theta[0] < 1,
    )
    outcome = traced(path, two_responses(recorded=None), supply)
    assert json.loads(lines(path)[0])["supplied"] == ["draws", "reward", "domain", "gradient"]
    assert replay(path).to_mapping() == outcome.to_mapping()


def test_an_enclosed_answer_of_a_supply_cannot_be_read_back(path):
    traced(path, two_responses(recorded=None), Supply(gradient=lambda frozen, theta: (F(1, 2),)), seed=3)
    path.write_text(path.read_text(encoding="utf-8").replace('"answer": ["1/2"]', '"answer": [["0.4", "0.6"]]'))
    with pytest.raises(TraceError, match=r"\['0.4', '0.6'\]: expected an exact number, or the supply again"):
        replay(path)


def test_a_supplied_policy_is_asked_again(path):
    outcome = traced(path, hill_problem(), Supply(policy=Hill()))
    with pytest.raises(TraceError, match=r"policy.*--supply"):
        replay(path)
    assert replay(path, Supply(policy=Hill())).to_mapping() == outcome.to_mapping()


class Own(ExactArithmetic):
    """An arithmetic of a user, of a name that is none of ours."""

    name = "my-own"


@pytest.mark.parametrize("own", [Own, ExactArithmetic])
def test_a_supplied_arithmetic_is_asked_again(path, own):
    outcome = traced(path, two_responses(), Supply(arithmetic=own()))
    assert (outcome.arithmetic.name, json.loads(lines(path)[0])["supplied"]) == (own.name, ["arithmetic"])
    with pytest.raises(TraceError, match=r"arithmetic.*--supply"):
        replay(path)
    assert replay(path, Supply(arithmetic=own())).to_mapping() == outcome.to_mapping()


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (2, "theta_old", ["1/3"]),
        (3, "response", "bad"),
        (5, "reward", "2"),
        (7, "advantages", ["1", "-2"]),
        (7, "deviation", "1"),
        (8, "answer", ["3"]),
        (9, "proposal", ["2/3"]),
        (9, "answer", False),
        (9, "answer", 1),
        (10, "objective", "1/7"),
        (12, "status", "invalid-update"),
        (13, "theta", ["1/2"]),
        (13, "status", "complete"),
    ],
)
def test_a_touched_field_is_found_in_its_line(path, line, key, value):
    traced(path, two_responses())
    told = lines(path)
    fields = json.loads(told[line - 1])
    assert json.dumps(fields[key]) != json.dumps(value)
    told[line - 1] = json.dumps(fields | {key: value})
    path.write_text("\n".join(told) + "\n", encoding="utf-8")
    with pytest.raises(TraceMismatch, match=key) as caught:
        replay(path)
    assert caught.value.line == line


def test_dropped_repeated_and_swapped_lines_are_found(path):
    traced(path, two_responses())
    told = lines(path)
    swapped = [*told[:4], told[5], told[4], *told[6:]]
    for changed in ([*told[:4], *told[5:]], [*told[:5], *told[4:]], swapped, [*told, told[2]]):
        path.write_text("\n".join(changed) + "\n", encoding="utf-8")
        with pytest.raises(TraceMismatch):
            replay(path)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda text: text[:-20], "line 13: the line is cut"),
        (lambda text: text[: text.rindex("\n", 0, -1) + 1], "the trace is cut after stop"),
        (lambda text: "", "the file is empty: expected a trace"),
        (lambda text: "# a run\n\ngroup_size = 2\n", "line 1: '# a run': expected a trace; this begins as TOML does"),
        (lambda text: "group_size = 2", "line 1: 'group_size = 2': expected a trace; this begins .* for grpocheck run"),
        (lambda text: "[domain]\n", "expected a trace; this begins as TOML does"),
        (
            lambda text: f'{{"event": "start", "schema": "{TRAINING_FREE}"}}\n',
            "expected 'grpocheck-trace/1' .this one is read by grpocheck training-free TASK --trace FILE --resume",
        ),
        (lambda text: "hello\n", "line 1"),
        (lambda text: "[1]\n", "expected a JSON object with an event"),
        (lambda text: '{"event": "start", "schema": "other/9"}\n', "schema: 'other/9'"),
        (lambda text: "[" * 100_000 + "\n", "line 1"),
        (lambda text: '{"event": "start", "x": ' + "9" * 10_000 + "}\n", "line 1"),
        (lambda text: '{"event": "start", "schema": "grpocheck-trace/1"}\n', "expected the start event"),
        (lambda text: text.replace('"1/2"', '"1/0"'), "line 1"),
        (lambda text: text.replace('"event": "start"', '"event": "draw"', 1), "line 1: event: 'draw': expected"),
        (lambda text: text.replace('"epsilon": "1/5"', '"epsilon": "7"'), "epsilon"),
        (lambda text: text.replace('"max_bits": 8192', '"digits": 30'), "said twice"),
        (lambda text: text.replace(', "max_bits": 8192', ""), "a table with 'name', 'digits', 'max_digits'"),
        (lambda text: text.replace('"name": "auto"', '"name": "exact"'), "expected the settings name, max_digits"),
        (lambda text: text.replace('"source": "recorded"', '"source": "seed", "seed": -1'), "draws.seed: -1: expected"),
        (lambda text: text.replace('"source": "recorded"', '"source": "seed", "seed": true'), "draws.seed: True"),
    ],
)
def test_what_is_no_whole_trace_is_refused(path, spoil, message):
    traced(path, two_responses())
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(TraceError, match=message):
        replay(path)


def test_bytes_that_are_no_text_and_missing_files_are_refused(path):
    with pytest.raises(TraceError, match="readable trace"):
        list(read_trace(path))
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(TraceError, match="UTF-8"):
        list(read_trace(path))


def test_a_broken_supply_leaves_the_trace_up_to_its_call(path):
    with pytest.raises(SupplyViolation):
        traced(path, two_responses(), Supply(gradient=lambda *_: (F(1), F(2))))
    told = [json.loads(line) for line in lines(path)]
    assert [fields["event"] for fields in told][-2:] == ["group", "error"]
    assert told[-1]["error"] == "SupplyViolation"
    assert "gradient oracle: returns d numbers" in told[-1]["message"]
    with pytest.raises(TraceError, match="recorded run ended here with SupplyViolation"):
        replay(path)
    with pytest.raises(SupplyViolation):
        replay(path, Supply(gradient=lambda *_: (F(1), F(2))))


def test_another_ending_than_the_run_comes_to_is_found(path):
    """With a penalty the objective needs a logarithm, which exact arithmetic does not have."""
    with pytest.raises(NotExact):
        traced(path, two_responses(beta=1, theta=(F(1, 3),)), arithmetic=arithmetic_named("exact"))
    with pytest.raises(NotExact):
        replay(path)
    told = lines(path)
    ending = json.loads(told[-1])
    path.write_text("\n".join([*told[:-1], json.dumps(ending | {"message": "log(2) is not exact"})]) + "\n", "utf-8")
    with pytest.raises(TraceMismatch, match=r"message: 'log\(2\) is not exact': expected 'log\("):
        replay(path)


@pytest.mark.parametrize(
    ("line", "key", "value", "error", "found"),
    [
        (3, "response", "nope", TraceMismatch, r"answered 'nope', expected one of \['good', 'bad'\]"),
        (3, "response", 3, TraceMismatch, r"in an error event: the run ends here: draw 1 of prompt 'q' .* answered 3,"),
        (8, "answer", ["1", "2"], TraceError, "line 8: .'1', '2'.: expected 'undefined-gradient', or a list of 1"),
        (8, "answer", "12", TraceError, "line 8: '12': expected 'undefined-gradient', or a list of 1 exact numbers"),
        (8, "answer", [None], TraceError, "line 8: None: expected an exact number"),
        (9, "answer", 1, TraceError, "line 9: 1: expected true or false"),
    ],
)
def test_an_answer_that_no_oracle_gave_is_told_with_its_value(path, line, key, value, error, found):
    supply = Supply(
        gradient=lambda frozen, theta: (F(0),),
        draws=lambda masses, prompt, t, i: prompt.responses[0],
        domain=lambda theta: True,
    )
    traced(path, two_responses(recorded=None), supply)
    told = lines(path)
    assert key in json.loads(told[line - 1])
    told[line - 1] = json.dumps(json.loads(told[line - 1]) | {key: value})
    path.write_text("\n".join(told) + "\n", encoding="utf-8")
    with pytest.raises(error, match=found):
        replay(path)


def test_no_trace_is_left_of_a_run_that_did_not_begin(path):
    with pytest.raises(InvalidProblem):
        traced(path, hill_problem())
    assert list(path.parent.iterdir()) == []
