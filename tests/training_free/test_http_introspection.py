"""The introspection over HTTP, against a server that fails in every way that servers do."""

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest
from grpocheck.core import SupplyViolation
from grpocheck.core.training_free.oracles import Group, Supply
from grpocheck.core.training_free.patterns import Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.training_free.chat import MOST_BYTES, Endpoint
from grpocheck.verifier.training_free.http_introspection import (
    ATTEMPTS,
    HttpIntrospection,
    IntrospectionFailed,
    from_environment,
)

from tests.training_free.endpoint import (
    Answer,
    Server,
    cut_short,
    drips,
    endpoint,
    finds,
    raw,
    resets,
    says,
    silent,
)
from tests.training_free.tasks import three_responses

Y = {"description": "y does better", "confidence": 0.8, "tokens": ["y"]}
EXPECTED = [Pattern("y does better", F(4, 5), ("y",))]


@pytest.fixture
def group() -> Group:
    """The group (y, z) of the small task."""
    seen: list[Group] = []

    def look(shown: Group) -> list[Pattern]:
        seen.append(shown)
        return []

    run(three_responses(weights={"external": 1, "epistemic": 0}), Supply(introspection=look))
    return seen[0]


def asking(server: Server, seconds: float = 5.0, most: int = 100) -> tuple[HttpIntrospection, list[float]]:
    """An introspection at a server, and the pauses that it takes in place of sleeping."""
    pauses: list[float] = []
    return HttpIntrospection(Endpoint(server.url, "a-model", "secret", seconds), most, pauses.append), pauses


def test_the_protocol_as_it_is_spoken(group: Group) -> None:
    with endpoint(finds(Y)) as server:
        introspection, pauses = asking(server)
        assert introspection(group) == EXPECTED
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["Authorization"] == "Bearer secret"
    assert asked.body["model"] == "a-model"
    system, user = asked.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    shown = json.loads(user["content"])
    assert shown["vocabulary"] == ["x", "y", "z"]
    assert [entry["response"] for entry in shown["responses"]] == ["y", "z"]
    assert [entry["external_reward"] for entry in shown["responses"]] == ["0.1", "0"]
    assert shown["responses"][0]["advantage"].startswith("0.70")  # 1/sqrt 2, two draws
    assert pauses == []


def test_a_confidence_is_the_exact_number_that_was_written(group: Group) -> None:
    with endpoint(finds({**Y, "confidence": 0.1})) as server:
        assert asking(server)[0](group)[0].confidence == F(1, 10)


def test_a_fenced_block_is_opened(group: Group) -> None:
    with endpoint(says("```json\n" + json.dumps({"patterns": [Y]}) + "\n```")) as server:
        assert asking(server)[0](group) == EXPECTED


@pytest.mark.parametrize(
    "failing",
    [raw(500, b"oops"), raw(503, b""), raw(429, b""), resets, cut_short, raw(200, b"<html>"), raw(200, b"{}"), says(7)],
)
def test_what_may_pass_is_tried_again(group: Group, failing: Answer) -> None:
    with endpoint(failing, failing, finds(Y)) as server:
        introspection, pauses = asking(server)
        assert introspection(group) == EXPECTED
    assert len(server.asked) == introspection.requests == 3
    assert pauses == [0.5, 1.0]  # doubling


def test_the_pause_that_the_server_asks_for_is_kept_up_to_a_limit(group: Group) -> None:
    busy = [raw(429, b"", Retry_After=seconds) for seconds in ("7", "9999", "never")]
    with endpoint(*busy, finds(Y)) as server:
        introspection, pauses = asking(server)
        introspection(group)
    assert pauses == [7.0, 30.0, 2.0]


@pytest.mark.parametrize(("failing", "reason"), [
    (raw(401, b""), "HTTP status 401"),
    (raw(404, b""), "HTTP status 404"),
    (raw(302, b"", Location="http://127.0.0.1:1/"), "HTTP status 302"),  # the key goes nowhere else
    (raw(200, b" " * (MOST_BYTES + 1)), f"more than {MOST_BYTES} bytes"),
])  # fmt: skip
def test_what_cannot_pass_is_not_tried_again(group: Group, failing: Answer, reason: str) -> None:
    with endpoint(failing) as server, pytest.raises(IntrospectionFailed, match=reason):
        asking(server)[0](group)
    assert len(server.asked) == 1


@pytest.mark.parametrize("failing", [silent, drips])
def test_a_request_ends_at_its_deadline_however_slowly_the_server_sends(group: Group, failing: Answer) -> None:
    with endpoint(failing, *[finds(Y)] * (ATTEMPTS - 1)) as server:  # on a busy machine more than one may be late
        introspection, pauses = asking(server, seconds=0.6)
        assert introspection(group) == EXPECTED
    assert pauses[0] == 0.5
    with endpoint(*[failing] * ATTEMPTS) as server, pytest.raises(IntrospectionFailed, match=r"within 0\.3 s"):
        asking(server, seconds=0.3)[0](group)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("not JSON", "no JSON"),
        ("[" * 100_000, "no JSON that can be read: lists and objects nested too deep"),
        ('{"patterns": [' + "7" * 100_000 + "]}", "no JSON that can be read: a whole number of more than 4300 digits"),
        ("[]", "patterns"),
        ('{"patterns": {}}', "a list"),
        ('{"patterns": [], "more": 1}', "one key"),
        (json.dumps({"patterns": [Y] * 17}), "at most 16"),
        (json.dumps({"patterns": [{"description": "d", "confidence": 0.8}]}), "description, confidence, tokens"),
        (json.dumps({"patterns": [{**Y, "confidence": 1.5}]}), "between 0 and 1"),
        (json.dumps({"patterns": [{**Y, "confidence": True}]}), "exact finite number"),
        ('{"patterns": [{"description": "d", "confidence": NaN, "tokens": []}]}', "exact finite number"),
        ('{"patterns": [{"description": "d", "confidence": 1e999999999, "tokens": []}]}', "digits"),
        (json.dumps({"patterns": [{**Y, "tokens": ["y", "y"]}]}), "each token once"),
        (json.dumps({"patterns": [{**Y, "tokens": ["w"]}]}), "'w' is no token of the vocabulary"),
        (json.dumps({"patterns": [{**Y, "tokens": "y"}]}), "a list of tokens"),
        (json.dumps({"patterns": [{**Y, "description": ""}]}), "1 to 500 characters"),
        (json.dumps({"patterns": [{**Y, "description": "\x1b[2J"}]}), "without control characters"),
        (json.dumps({"patterns": [{**Y, "description": "two\nlines"}]}), "without control characters"),
    ],
)
def test_a_malformed_answer_is_rejected_with_the_reason(group: Group, content: str, reason: str) -> None:
    with endpoint(says(content), finds(Y)) as server:
        assert asking(server)[0](group) == EXPECTED
    said = server.asked[1].body["messages"]
    assert [entry["role"] for entry in said] == ["system", "user", "assistant", "user"]
    assert said[2]["content"] == content
    assert said[3]["content"].startswith("Rejected: ")
    assert reason in said[3]["content"]
    with endpoint(*[says(content)] * ATTEMPTS) as server, pytest.raises(IntrospectionFailed) as caught:
        asking(server)[0](group)
    assert reason in str(caught.value)
    assert len(server.asked) == ATTEMPTS


def test_the_request_budget_of_a_run_is_respected(group: Group) -> None:
    with endpoint(raw(500, b""), raw(500, b""), finds(Y)) as server:
        introspection, _ = asking(server, most=2)
        with pytest.raises(IntrospectionFailed, match="budget of 2 requests is used up; last: HTTP status 500"):
            introspection(group)
        with pytest.raises(IntrospectionFailed, match="budget of 2 requests"):
            introspection(group)
    assert len(server.asked) == 2


def test_nobody_listening(group: Group) -> None:
    with endpoint() as server:
        closed = replace(asking(server)[0].endpoint)
    introspection = HttpIntrospection(closed, 10, lambda seconds: None)
    with pytest.raises(IntrospectionFailed, match="ConnectionRefusedError"):
        introspection(group)


def test_a_failure_ends_the_run_naming_the_clause() -> None:
    with endpoint(raw(401, b"")) as server:
        introspection, _ = asking(server)
        with pytest.raises(SupplyViolation, match=r"HTTP status 401.*terminates with an answer"):
            run(three_responses(), Supply(introspection=introspection))


def test_a_whole_run_keeps_to_k_introspections() -> None:
    found: Callable[..., Any] = finds
    with endpoint(found(Y), found()) as server:
        introspection, _ = asking(server)
        task = three_responses(draws={"recorded": [["y", "z"], ["x", "z"]]})
        outcome = run(task, Supply(introspection=introspection))
    assert outcome.ledger.introspections == len(server.asked) == 2
    assert outcome.bank.patterns == tuple(EXPECTED)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({}, "OPENAI_BASE_URL: it is not set"),
        ({"OPENAI_BASE_URL": "localhost:8000"}, "no address"),
        ({"OPENAI_BASE_URL": "ftp://host/"}, "no address"),
        ({"OPENAI_BASE_URL": "http://host:99999/"}, "no address"),
        ({"OPENAI_BASE_URL": "http://host/a folder"}, "no address"),
        ({"OPENAI_BASE_URL": "http://host/é"}, "no address"),
        ({"OPENAI_BASE_URL": "http://host/v1\n"}, "no address"),
        ({"OPENAI_BASE_URL": "http://me:secret@host/v1"}, "a user"),
        ({"OPENAI_BASE_URL": "http://host/v1"}, "OPENAI_MODEL: it is not set"),
        ({"OPENAI_BASE_URL": "http://host/v1", "OPENAI_MODEL": "m", "OPENAI_API_KEY": "a\nb"}, "no header"),
    ],
)
def test_what_the_environment_lacks_is_named_and_no_secret_shown(environment: dict[str, str], message: str) -> None:
    with pytest.raises(BadOption, match=message) as caught:
        from_environment(10, environment)
    assert "secret" not in str(caught.value)
    assert "a\nb" not in str(caught.value)


def test_the_environment_is_read() -> None:
    found = from_environment(7, {"OPENAI_BASE_URL": "https://host/v1", "OPENAI_MODEL": "m", "OPENAI_API_KEY": "k"})
    assert found.endpoint == Endpoint("https://host/v1", "m", "k", 60.0)
    assert found.most_requests == 7
