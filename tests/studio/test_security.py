"""Who may ask, and how much: over real connections to a real server."""

import http.client
import json
from collections.abc import Iterator

import pytest
from grpocheck.core import problem_to_toml
from grpocheck.verifier.studio.security import MOST_BODY, Refusal, check_request
from grpocheck.verifier.studio.server import Studio

from tests.studio.problems import bernoulli


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    server = Studio(0, None, "", "verify.json")
    server.serve_in_background()
    yield server
    server.close()


def asked(studio: Studio, question: str, body: object, **headers: str) -> tuple[int, dict[str, object]]:
    """The status and the answer to a question, with headers of a page of this studio unless others are given."""
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=60)
    own = {"Origin": f"http://127.0.0.1:{studio.port}", "Content-Type": "application/json"}
    kept = {name.replace("_", "-"): value for name, value in headers.items()}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", f"/ask/{question}", content, {**own, **kept})
    reply = connection.getresponse()
    found = reply.status, json.loads(reply.read())
    connection.close()
    return found


def test_it_listens_on_this_machine_alone(studio: Studio) -> None:
    assert studio.server_address[0] == "127.0.0.1"


def test_the_page_says_what_it_may_load(studio: Studio) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=10)
    connection.request("GET", "/")
    reply = connection.getresponse()
    assert reply.status == 200
    policy = reply.getheader("Content-Security-Policy") or ""
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "grpocheck studio" in reply.read().decode()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
    ],
)
def test_a_request_of_another_page_is_refused(studio: Studio, headers: dict[str, str], status: int) -> None:
    found, answer = asked(studio, "opening", {}, **headers)
    assert found == status
    assert answer["error"]["kind"] == "refused"  # type: ignore[index]


def test_the_port_of_http_itself_may_be_left_out() -> None:
    """Browsers leave it out; no other port may be."""
    headers = {"host": "127.0.0.1", "origin": "http://127.0.0.1", "content-type": "application/json"}
    check_request("POST", headers, 80)
    with pytest.raises(Refusal, match="Host"):
        check_request("POST", headers, 8080)
    with pytest.raises(Refusal, match="Origin"):
        check_request("POST", {**headers, "origin": "http://127.0.0.1:8080"}, 80)


def test_a_question_without_an_origin_is_refused() -> None:
    with pytest.raises(Refusal) as caught:
        check_request("POST", {"host": "127.0.0.1:80", "content-type": "application/json"}, 80)
    assert caught.value.status == 403


@pytest.mark.parametrize("size", [MOST_BODY + 1, 20 * MOST_BODY])
def test_a_body_beyond_the_limit_is_refused_and_its_sender_learns_why(studio: Studio, size: int) -> None:
    """A connection that is closed while its body is on the way takes the answer with it."""
    found, answer = asked(studio, "run", b" " * size)
    assert found == 413
    assert str(MOST_BODY) in answer["error"]["message"]  # type: ignore[index]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"[" * 100_000, b'"text"', b"\xff"])
def test_what_is_no_question_is_refused(studio: Studio, body: bytes) -> None:
    assert asked(studio, "run", body)[0] == 400


def test_no_depth_of_nesting_is_left_without_an_answer(studio: Studio, capfd: pytest.CaptureFixture[str]) -> None:
    """What is just read at one depth of the stack may be too deep to be passed on at another."""
    found = {asked(studio, "run", b'{"text":' + b"[" * d + b"]" * d + b"}")[0] for d in range(900, 1000, 2)}
    assert found == {200, 400}
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/studio.html/..", "/%2e%2e/x", "/static/studio.js", "/ask/run"])
def test_no_path_is_a_file_but_those_of_the_page(studio: Studio, path: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=10)
    connection.request("GET", path)
    assert connection.getresponse().status == 404


def test_an_example_is_a_name_and_never_a_path(studio: Studio) -> None:
    status, answer = asked(studio, "example", {"name": "../pyproject"})
    assert status == 200
    assert answer["error"]["kind"] == "problem"  # type: ignore[index]


def test_a_question_that_there_is_not_is_named(studio: Studio) -> None:
    answer = asked(studio, "__import__", {})[1]
    assert answer["error"]["kind"] == "question"  # type: ignore[index]


def test_half_a_letter_is_no_problem_and_no_defect(studio: Studio) -> None:
    answer = asked(studio, "share", {"text": "# \ud800\n" + problem_to_toml(bernoulli())})[1]
    assert answer["error"]["kind"] == "problem"  # type: ignore[index]
    assert "without lone surrogates" in answer["error"]["message"]  # type: ignore[index]


def test_a_problem_that_is_none_is_an_error_that_names_its_key(studio: Studio) -> None:
    answer = asked(studio, "run", {"text": "group_size = 1"})[1]
    assert answer["error"]["kind"] == "problem"  # type: ignore[index]
    assert answer["error"]["key"]  # type: ignore[index]
