"""The test runner of coding tasks, and the quality of code: what a task file's [runner] table states."""

import ast
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grpocheck.core import InvalidProblem
from grpocheck.core.training_free.responses import Response
from grpocheck.core.values import count, rational, table, text
from grpocheck.verifier.training_free.sandbox import Limits, run_harness

LONGEST_SECONDS = 60
MOST_MEGABYTES = 4096
LINE = 88
LINES = 10

BRANCHES = (
    ast.If, ast.IfExp, ast.For, ast.While, ast.ExceptHandler, ast.comprehension, ast.BoolOp, ast.Assert, ast.match_case,
)  # fmt: skip


@dataclass(frozen=True)
class PythonTests:
    """A test runner: the response is Python code, and each test is code that runs after it and raises to fail."""

    code: Mapping[str, str]
    limits: Limits

    def __call__(self, prompt: str, response: Response, tests: tuple[str, ...]) -> list[bool]:
        """Which tests pass, each in a process of its own."""
        words = [secrets.token_hex(16) for _ in tests]
        job = {
            "response": response.text,
            "tests": [self.code[test] for test in tests],
            "words": words,
            "seconds": self.limits.seconds,
            "megabytes": self.limits.megabytes,
        }
        printed = run_harness(json.dumps(job), len(tests), self.limits)
        return [outcome is True for outcome in json.loads(printed)]


def python_quality(prompt: str, response: Response) -> Fraction:
    """A third each for cyclomatic complexity (1 over it), lines (10 over their number, at most 1) and style.

    Style is the share of lines without trailing blanks and no longer than 88 characters. What is no Python has 0.
    """
    try:
        tree = ast.parse(response.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Fraction(0)
    complexity = 1 + sum(isinstance(node, BRANCHES) for node in ast.walk(tree))
    lines = response.text.splitlines() or [""]
    sound = sum(line == line.rstrip() and len(line) <= LINE for line in lines)
    parts = (Fraction(1, complexity), min(Fraction(1), Fraction(LINES, len(lines))), Fraction(sound, len(lines)))
    return sum(parts, start=Fraction(0)) / len(parts)


def read_runner(stated: object, tests: tuple[str, ...]) -> PythonTests:
    """The [runner] of a task file: seconds, megabytes, and code for each test. Raises InvalidProblem."""
    fields: Mapping[str, Any] = table("runner", stated, ("seconds", "megabytes", "tests"), ("tests",))
    code: Mapping[str, Any] = table("runner.tests", fields["tests"], tests, tests)
    seconds = rational("runner.seconds", fields.get("seconds", 2))
    if not 0 < seconds <= LONGEST_SECONDS:
        raise InvalidProblem("runner.seconds", seconds, f"a number above 0 and at most {LONGEST_SECONDS}")
    megabytes = count("runner.megabytes", fields.get("megabytes", 256), 32, MOST_MEGABYTES)
    for test in tests:
        source = text(f"runner.tests.{test}", code[test])
        try:
            compile(source, "test", "exec")
        except (SyntaxError, ValueError) as error:
            raise InvalidProblem(f"runner.tests.{test}", source, f"Python code ({error})") from None
        except (RecursionError, MemoryError):
            raise InvalidProblem(f"runner.tests.{test}", source, "Python code that is not nested so deep") from None
    return PythonTests({test: code[test] for test in tests}, Limits(float(seconds), megabytes))
