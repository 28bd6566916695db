"""W2: the last number that is not refused yet, and the first that is; files; values as they are shown."""

import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from grpocheck.core import problem_from_mapping, read_problem
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.generation import Generation
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.core.problem import check_budget
from grpocheck.core.reading import MOST_BYTES, parsed
from grpocheck.core.values import DecimalLiteral, count, rational, rational_text, table
from grpocheck.core.writing import problem_to_mapping
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.refusals import GOOD, MISSING, changed, check_refusal, prompt_of, python_problem

DIGITS = 4000


@groundwork(
    "W2", scope="numbers of 4000 and 4001 digits, budgets, horizons, gradients at their limits and one beyond"
)
def limits_are_where_they_are_said_to_be(expect: Expectations) -> None:
    """The last number, count, text and size that is allowed, and the first that is not."""
    nines = "9" * DIGITS
    for text in (
        nines,
        f"1/{nines}",
        f"-{nines}/7",
        f"0.{nines[: DIGITS - 1]}",
        "1e3999",
        "1e-3999",
        f"0.0{'0' * 3900}1",
        "00001e5",
    ):
        expect.same(f"{text[:9]}...", rational("x", text), Fraction(text))
        expect.same(f"{text[:9]}..., written", rational("x", rational_text(Fraction(text))), Fraction(text))
    for text in (nines + "9", f"1/{nines}9", f"{nines}9/7", "1e4000", "1e-4000", f"0.{nines}", "1" + "0" * DIGITS,
                 "1e999999999", "1e-99999999", "1e8001", "-1e4000", "0." + "0" * 9000 + "1", "1" * 9000):  # fmt: skip
        check_refusal(
            expect,
            f"{text[:9]}... of {len(text)}",
            lambda: rational("x", text),
            "x",
            "a number of at most 4000 digits",
        )
    expect.same("0e8000 is 0", rational("x", "0e8000"), 0)
    for value, result in (
        (10**DIGITS - 1, True),
        (10**DIGITS, False),
        (-(10**DIGITS) + 1, True),
        (-(10**DIGITS), False),
    ):
        if result:
            expect.same("an int of 4000 digits", rational("x", value), value)
        else:
            check_refusal(expect, "an int of 4001 digits", lambda: rational("x", value), "x", "at most 4000 digits")
            expect.refused("written", InvalidProblem, lambda: rational_text(Fraction(value)), "at most 4000 digits")
            expect.refused(
                "written below", InvalidProblem, lambda: rational_text(Fraction(1, value)), "at most 4000"
            )
            beyond = Fraction(1, 7 * value)
            expect.refused("far below", InvalidProblem, lambda: rational_text(beyond), "number: a number of", "bits")
    literals = {"0.2": Fraction(1, 5), "1_000.5": Fraction(2001, 2), ".5": Fraction(1, 2), "5.": Fraction(5),
        "-1e-2": Fraction(-1, 100),
                "+1/3": Fraction(1, 3), "2E2": Fraction(200), "1e+2": Fraction(100)}  # fmt: skip
    for text, number in literals.items():
        expect.same(f"the literal {text}", rational("x", DecimalLiteral(text)), number)
    for text in ("", ".", "e5", "1/3 ", "1/-3", "nan", "inf", "٣", "1__", "0x1", "--1", "1_0"):
        check_refusal(expect, repr(text), lambda: rational("x", text), "x", "an exact finite number")
    for value, least, most in ((2, 2, None), (3, 2, 3), (0, 0, 0)):
        expect.same("a count", count("x", value, least, most), value)
    for value, least, most, words in (
        (1, 2, None, "at least 2"),
        (4, 2, 3, "between 2 and 3"),
        (-1, 0, 5, "between 0 and 5"),
    ):
        check_refusal(expect, f"the count {value}", lambda: count("x", value, least, most), "x", words)
    budget = changed(changed(GOOD, "draws", MISSING), "group_size", 10**7)
    expect.same("the largest group", problem_from_mapping(budget).group_size, 10**7)
    expect.same("the most inner steps", check_budget(2, 1, 2, 500_000), None)
    check_refusal(expect, "one more", lambda: check_budget(1, 1, 2, 10**6 + 1), "outer_iterations", "1000000 inner")
    check_size_of_generation(expect)
    large = python_problem(prompts=(prompt_of(3162),), family=Softmax((3162,)), theta=(0,) * 3162)
    expect.same("3162 squared entries", large.dimension, 3162)
    check_refusal(expect, "3163 squared",
        lambda: python_problem(prompts=(prompt_of(3163),), family=Softmax((3163,)), theta=(0,) * 3163),
                  "theta", "parameters x responses of at most 10000000, not 3163 numbers")  # fmt: skip


def check_size_of_generation(expect: Expectations) -> None:
    """The largest horizons that are listed: 200000 responses, 2000000 tokens."""
    # horizon H of one word: H + 1 responses, 1 + 2 + ... + H + H tokens; of two: 2^H - 1 + 2^H responses
    expect.same("horizon 1997", Generation(("a", "."), ".", 1997).size(), 1998)
    expect.same("horizon 14 of two words", Generation(("a", "b", "."), ".", 14).size(), 2**15 - 1)
    many = tuple(f"w{n}" for n in range(447))
    # of n words to horizon 2: 1 + n + n^2 responses, 199363 for n = 446 and 200257 for n = 447
    expect.same("446 words", Generation((*many[1:], "."), ".", 2).size(), 199_363)
    for call, words in (
        (lambda: Generation(("a", "."), ".", 1999), "2000000 tokens"),
        (lambda: Generation((*many, "."), ".", 2), "200000 responses"),
        (lambda: Generation(("a", "b", "."), ".", 16), "2000000 tokens"),
    ):  # fmt: skip
        check_refusal(expect, words, call, "generation.horizon", words)


@groundwork(
    "W2", scope="files that are none, that are too large, that are no UTF-8 and no TOML; values as they are shown"
)
def files_and_values_are_shown_shortly(expect: Expectations) -> None:
    """What is said of a file, by line where there is one, and how values of any size are shown."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.toml"

        def read(content: bytes) -> Callable[[], object]:
            path.write_bytes(content)
            return lambda: read_problem(path)

        check_refusal(expect, "a folder", lambda: read_problem(folder), "problem file", "a file: this is a directory")
        check_refusal(expect, "no file", lambda: read_problem(Path(folder) / "no"), "problem file", "No such file")
        check_refusal(
            expect, "a name with nul", lambda: read_problem("a\0b"), "problem file", "a file that can be read ("
        )
        check_refusal(expect, "bytes", read(b"# one\n# two\n# \xe4\n"), "problem file", "line 3 holds other bytes")
        check_refusal(expect, "bytes at once", read(b"\xff"), "problem file", "line 1 holds other bytes")
        check_refusal(
            expect,
            "too large",
            read(b"#" * (MOST_BYTES + 1)),
            "problem file",
            f"at most 4000000 bytes, not of {MOST_BYTES + 1}",
        )
        check_refusal(expect, "large enough", read(b"#" * MOST_BYTES), "group_size", "the key is missing")
        check_refusal(
            expect, "no TOML", read(b"\n\n  this is not TOML\n"), "line 3", "'this is not TOML': expected TOML ("
        )
        check_refusal(expect, "a trace", read(b'{"event": "start"}\n'), "problem file", "grpocheck replay and check")
        check_refusal(expect, "deep", read(b"a = " + b"[" * 100_000), "problem file", "a few levels deep")
        check_refusal(
            expect, "endless", lambda: read_problem("/dev/zero"), "problem file", "a file of at most 4000000 bytes"
        )
    long = "9" * (DIGITS + 301)
    for document, key, words in (
        (f"a = 1\nb = {long}\n", "line 2", f"numbers of at most {DIGITS} digits"),
        ("a = 1\n" + ".".join("a" * 65) + " = 1\n", "line 2", "a key of a few parts"),
        ("\n\n[" + " . ".join(["'a b'"] * 70) + "]\n", "line 3", "a key of a few parts"),
    ):
        check_refusal(expect, document[:9], lambda: parsed(document), key, words)
    expect.same("64 parts", len(parsed(".".join("a" * 64) + " = 1\n")), 1)
    numbers = {10**39: str(10**39), 10**40 - 1: "9" * 40, 10**40: "a number of 133 bits",
        Fraction(1, 10**40): "a number of 133 bits",
               Fraction(-1, 3): "-1/3", -(10**41): "a number of 137 bits", 2**200: "a number of 201 bits"}  # fmt: skip
    for number, text in numbers.items():
        expect.same(f"{number}", shown(number), text)
    for value, text in (
        ("x" * 60, repr("x" * 60)), ("x" * 61, repr("x" * 60 + "…")), (None, "None"), (True, "True"), (0.5, "0.5"),
        ([], "[]"),
        ([1, 2, 3, 4], "[1, 2, 3, 4]"), ([1, 2, 3, 4, 5], "[1, 2, 3, 4, …]"), ([[[1]]], "[[[…]]]"), ([[[]]], "[[[]]]"),
        ({}, "a table with no keys"), ({"a": 1, "b": 2}, "a table with 'a', 'b'"),
        (dict.fromkeys("abcde"), "a table with 'a', 'b', 'c', 'd', …"),
        (dict.fromkeys("abcd"), "a table with 'a', 'b', 'c', 'd'"),
        (DecimalLiteral("1e5"), "1e5"), (DecimalLiteral("1" * 70), "1" * 60 + "…"), (object(), "a object"),
        ((1, "a"), "[1, 'a']"),
        ({(1,): 2}, "a table with […]"), ([{"a": 1}], "[a table with 'a']"),
    ):  # fmt: skip
        expect.same(f"{text}", shown(value), text)
    known = [f"key{n}" for n in range(16)]
    few = expect.refused(
        "an unknown key", InvalidProblem, lambda: table("t", {"zzz": 1}, known), "one of key0, key1"
    )
    expect.true("all 16 are listed", "key15" in str(few) and "in all" not in str(few))
    many = [f"key{n}" for n in range(17)]
    expect.refused("of 17 keys", InvalidProblem, lambda: table("t", {"zzz": 1}, many), "key15, … (17 in all)")
    expect.refused("a key that is no text", InvalidProblem, lambda: table("", {1: 1}, many), "the problem: ", "a table")
    expect.refused("a long key", InvalidProblem, lambda: table("", {"z" * 70: 1}, many), "z" * 60 + "…: 1")
    expect.same("a problem written", problem_to_mapping(problem_from_mapping(GOOD))["theta"], ["1/2"])
