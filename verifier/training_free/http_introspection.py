"""The introspection that asks a language model, over an OpenAI-compatible HTTP endpoint.

Where it is and who asks comes from the environment: OPENAI_BASE_URL, OPENAI_MODEL and, where the endpoint wants one,
OPENAI_API_KEY. What a model says is not trusted: an answer that is not the JSON asked for is rejected with the reason,
the model is told that reason and asked again, as long as the attempts and the request budget last.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from unicodedata import category
from urllib.parse import urlsplit

from grpocheck.core import InvalidProblem
from grpocheck.core.arithmetic.enclosing import enclose
from grpocheck.core.training_free.oracles import Group
from grpocheck.core.training_free.patterns import Pattern, read_pattern
from grpocheck.core.values import DecimalLiteral
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.training_free.chat import ChatFailure, Endpoint

BASE_URL, MODEL, KEY = "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENAI_API_KEY"

ATTEMPTS = 4
"""Requests for one introspection, at most."""
SECONDS = 60.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
MOST_PATTERNS = 16
MOST_CHARACTERS = 500

SYSTEM = """You compare responses to one task. Each has a reward; find what sets the high-reward ones apart.
Answer with one JSON object and nothing else:
{"patterns": [{"description": "one sentence", "confidence": 0.8, "tokens": ["a token"]}]}
confidence is a number between 0 and 1: how reliably the pattern goes with a higher reward in this group.
tokens are those of the vocabulary that the pattern affects, each copied exactly. At most 16 patterns, perhaps none."""


class IntrospectionFailed(Exception):  # noqa: N818 - named for what it says
    """No usable answer within the attempts or the budget; the message gives the last reason."""


class Malformed(Exception):  # noqa: N818 - named for what it says
    """An answer that is not what was asked for, with the reason."""


@dataclass
class HttpIntrospection:
    """An introspection; ``requests`` counts what was sent, ``most_requests`` is the budget of a whole run."""

    endpoint: Endpoint
    most_requests: int
    sleep: Callable[[float], None] = time.sleep
    requests: int = field(default=0)

    def __call__(self, group: Group) -> list[Pattern]:
        """The patterns that the model finds in a group. Raises IntrospectionFailed."""
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question(group)}]
        reason = "nothing was asked"
        for attempt in range(ATTEMPTS):
            if self.requests >= self.most_requests:
                raise IntrospectionFailed(f"the budget of {self.most_requests} requests is used up; last: {reason}")
            self.requests += 1
            try:
                answer = self.endpoint.ask(messages)
            except ChatFailure as failure:
                reason = str(failure)
                if not failure.again:
                    break
                if attempt + 1 < ATTEMPTS:
                    self.sleep(min(LONGEST_PAUSE, max(failure.after, FIRST_PAUSE * 2**attempt)))
                continue
            try:
                return patterns_of(answer, group.vocabulary)
            except Malformed as malformed:
                reason = f"malformed answer: {malformed}"
                refusal = f"Rejected: {malformed}. Answer with the JSON object alone."
                rejected = [{"role": "assistant", "content": answer}, {"role": "user", "content": refusal}]
                messages = messages[:2] + rejected
        raise IntrospectionFailed(f"no usable answer: {reason}")


def patterns_of(answer: str, vocabulary: tuple[str, ...]) -> list[Pattern]:
    """The patterns in an answer, which may stand in a fenced block. Raises Malformed with the reason."""
    try:
        found: Any = json.loads(unfenced(answer), parse_float=DecimalLiteral, parse_constant=DecimalLiteral)
    except json.JSONDecodeError as error:
        raise Malformed(f"no JSON ({error})") from None
    except RecursionError:
        raise Malformed("no JSON that can be read: lists and objects nested too deep") from None
    except ValueError:
        digits = sys.get_int_max_str_digits()
        raise Malformed(f"no JSON that can be read: a whole number of more than {digits} digits") from None
    if not isinstance(found, Mapping) or set(found) != {"patterns"} or not isinstance(found["patterns"], list):
        raise Malformed('expected an object with the one key "patterns", a list')
    if len(found["patterns"]) > MOST_PATTERNS:
        raise Malformed(f"{len(found['patterns'])} patterns, expected at most {MOST_PATTERNS}")
    patterns = []
    for number, entry in enumerate(found["patterns"]):
        try:
            pattern = read_pattern(f"patterns[{number}]", entry)
        except InvalidProblem as error:
            raise Malformed(str(error)) from None
        if not 0 < len(pattern.description) <= MOST_CHARACTERS:
            raise Malformed(f"patterns[{number}].description: expected 1 to {MOST_CHARACTERS} characters")
        if any(category(character) == "Cc" for character in pattern.description):
            raise Malformed(f"patterns[{number}].description: expected one line without control characters")
        unknown = [token for token in pattern.tokens if token not in vocabulary]
        if unknown:
            raise Malformed(f"patterns[{number}].tokens: {unknown[0]!r} is no token of the vocabulary")
        patterns.append(pattern)
    return patterns


def unfenced(answer: str) -> str:
    """The inside of a block that an answer consists of, or the answer itself."""
    text = answer.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3]
    return text


def question(group: Group) -> str:
    """The group as a model is shown it; decimals are rounded, the run's own numbers stay exact."""
    responses = [
        {
            "response": member.response.text,
            "tokens": list(member.response.tokens),
            "passed": [test for test, passed in member.passed.items() if passed],
            "failed": [test for test, passed in member.passed.items() if not passed],
            "external_reward": decimal(member.external),
            "advantage": decimal(member.advantage),
        }
        for member in group.members
    ]
    shown = {"task": group.prompt, "vocabulary": list(group.vocabulary), "responses": responses}
    return json.dumps(shown, ensure_ascii=False, indent=1)


def decimal(value: Any) -> str:
    """Four digits of a number."""
    return enclose(value, 4)[0]


def from_environment(most_requests: int, environment: Mapping[str, str] = os.environ) -> HttpIntrospection:
    """The introspection that the environment describes. Raises BadOption naming what is missing or wrong."""
    base_url, model = environment.get(BASE_URL, ""), environment.get(MODEL, "")
    expected = "http:// or https:// with a host, such as http://localhost:8000/v1"
    try:
        parts = urlsplit(base_url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        sound = sound and all("!" <= character <= "~" for character in base_url)
    except ValueError:
        sound = False
    if not sound:
        problem = "it is no address" if base_url else "it is not set"
        raise BadOption(BASE_URL, base_url or None, problem, expected)
    if parts.username is not None or parts.query or parts.fragment:
        shown = f"{parts.scheme}://{parts.hostname}"
        raise BadOption(BASE_URL, shown, "it holds a user, a query or a fragment", expected)
    if not model:
        raise BadOption(MODEL, None, "it is not set", "the name of a model that the endpoint serves")
    key = environment.get(KEY) or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise BadOption(KEY, "…", "it holds characters that no header can carry", "printable ASCII")
    return HttpIntrospection(Endpoint(base_url, model, key, SECONDS), most_requests)
