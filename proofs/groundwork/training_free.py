"""W6: training-free runs, worked out by hand here, told, resumed, and held to the clauses of their oracles."""

import tomllib
from fractions import Fraction
from typing import Any

from grpocheck.core.advantage import mean
from grpocheck.core.arithmetic import EnclosureArithmetic
from grpocheck.core.draws import uniform_bits
from grpocheck.core.training_free.decoding import TokenLevel, decoded, entropy
from grpocheck.core.training_free.oracles import Supply
from grpocheck.core.training_free.patterns import Bank, Pattern
from grpocheck.core.training_free.procedure import run
from grpocheck.core.training_free.reading import task_from_mapping
from grpocheck.core.training_free.responses import Response, Shape
from grpocheck.core.training_free.reward import Weights, epistemic_reward, external_reward, reward
from grpocheck.core.training_free.stopping import Stop, stopping_reason
from grpocheck.core.training_free.whitening import sample_deviation, whitened
from grpocheck.core.training_free.writing import task_to_mapping, task_to_toml
from grpocheck.proofs.digits import context, number
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork
from grpocheck.proofs.groundwork.refusals import MISSING, changed, check_refusal
from grpocheck.proofs.groundwork.variants import near

F = Fraction
LISTED: dict[str, Any] = {
    "prompt": "one of three", "tests": ["t", "u"], "group_size": 2, "iterations": 3, "delta": "none", "kappa": "2/3",
    "failing": ["u", "t"],
    "weights": {"external": "1", "epistemic": "1/2", "passed": "1/3", "new": "1/4", "quality": "1/6"},
    "responses": [
        {"text": "x y", "mass": "1/4", "quality": "1", "passes": ["t"], "tokens": ["x", "y"]},
        {"text": "y z", "mass": "5/12", "quality": "1/2", "passes": [], "tokens": ["y", "z"]},
        {"text": "z", "mass": "1/3", "quality": "0", "passes": ["t", "u"], "tokens": ["z"]},
    ],
    "introspection": {"kind": "names-the-better", "confidence": "3/4"},
    "draws": {"recorded": [["y z", "x y"], ["x y", "x y"], ["y z", "z"]]},
    "bank": [{"description": "x is fine", "confidence": "2/3", "tokens": ["x"]}],
}  # fmt: skip
SPOKEN: dict[str, Any] = {
    "prompt": "two tokens", "tests": ["t"], "group_size": 3, "iterations": 2, "delta": "1/100", "kappa": "1",
    "failing": ["t"],
    "weights": {"external": "7/10", "epistemic": "3/10", "passed": "1/2", "new": "3/10", "quality": "1/5"},
    "tokens": {
        "horizon": 2, "end": ".", "separator": "-",
        "positions": [{"tokens": ["a", "b", "."], "masses": ["1/2", "1/4", "1/4"]},
            {"tokens": ["c", "d"], "masses": ["1/3", "2/3"]}],
        "after": [{"prefix": ["b"], "tokens": ["d"], "masses": ["1"]}],
    },
    "introspection": {"kind": "names-the-better", "confidence": "1"}, "draws": {"seed": 1},
}  # fmt: skip
ANSWERS = Supply(
    tests=lambda prompt, response, tests: [response.text == "a-d"],
    quality=lambda prompt, response: F(len(response.tokens), 4),
    settings={"which": "by hand"},
)


@groundwork("W6", scope="one run of three iterations by hand, and one token by token with draws of its own")
def training_free_runs_are_those_by_hand(expect: Expectations) -> None:
    """Distributions, rewards, advantages, patterns, bank, ledger and stop."""
    outcome = run(task_from_mapping(LISTED))
    first, second, third = outcome.iterations
    # w = 1 + 2/3 max(0, 2c - 1): 11/9 for c = 2/3, 4/3 for c = 3/4
    # x y at 1/4 * 11/9 = 11/36, y z at 15/36, z at 12/36: over 38/36
    expect.same("the first law", [mass for _, mass in first.distribution.law()], [F(11, 38), F(15, 38), F(12, 38)])
    expect.same("novel", [[m.novel for m in entry.members] for entry in outcome.iterations],
                [[True, True], [False, False], [False, True]])  # fmt: skip
    # y z: quality 1/2 alone: 1/12; x y: 1/3 * 1/2 + 1/4 * 1/2 + 1/6
    expect.same("external 1", [m.external for m in first.members], [F(1, 12), F(11, 24)])
    # t no longer fails, u does: 1/6 + 0 + 1/6 twice
    expect.same("external 2", [m.external for m in second.members], [F(1, 3), F(1, 3)])
    # z: 1/3 + 1/4 + 0
    expect.same("external 3", [m.external for m in third.members], [F(1, 12), F(7, 12)])
    expect.same("quality", [m.quality for m in first.members], [F(1, 2), 1])
    expect.same("rewards differ by", first.members[1].reward - first.members[0].reward, F(3, 8))
    expect.same("the third by the novelty too", third.members[1].reward - third.members[0].reward, F(1, 2) + F(1, 2))
    expect.same("the deviation", first.deviation**2, F(9, 128))
    expect.same("the best", first.best - first.members[1].reward, 0)
    expect.same("patterns 1", first.patterns, (Pattern("x y did better than y z", F(3, 4), ("x",)),))
    expect.same("patterns 2", second.patterns, ())
    expect.same("patterns 3: z has nothing of its own", third.patterns, ())
    # x y times 11/9 * 4/3 = 44/27: 44/108, 45/108, 36/108
    expect.same("the second law", [mass for _, mass in second.distribution.law()], [F(44, 125), F(45, 125), F(36, 125)])
    expect.same("the bank", [p.description for p in outcome.bank.patterns], ["x is fine", "x y did better than y z"])
    expect.same("the stop", (outcome.stop, outcome.seed), (Stop.SOLVED, None))
    expect.same("the ledger", outcome.ledger.to_mapping(), {
        "model_calls": 1, "iterations_started": 3, "generations": 6, "test_calls": 3, "quality_calls": 3,
        "introspections": 2})  # fmt: skip
    told = outcome.to_mapping()
    expect.same("the solution", (told["solution"], told["stop"], told["iterations"]), ("z", "all-tests-pass", 3))
    expect.same("the bounds", told["bounds"], {
        "iterations_started": 3, "generations": 6, "test_calls": 6, "quality_calls": 6,
        "introspections": 3})  # fmt: skip
    expect.same("the objective", [words for _, words in first.objective()], ["", "x y did better than y z"])
    arithmetic = EnclosureArithmetic()
    shares = [number(F(n, 38)) for n in (11, 15, 12)]
    near(expect, "the entropy", arithmetic, first.entropy, -sum(s * context.log(s) for s in shares))
    check_spoken(expect)
    shorter = {**LISTED, "iterations": 2, "draws": {"recorded": LISTED["draws"]["recorded"][:2]}}
    expect.same("the budget", run(task_from_mapping(shorter)).stop, Stop.BUDGET)
    expect.same("no solution", run(task_from_mapping(shorter)).solution, None)
    stalled = run(task_from_mapping({**LISTED, "delta": "1/100"}))
    expect.same("stalled", (stalled.stop, len(stalled.iterations)), (Stop.STALLED, 2))


def check_spoken(expect: Expectations) -> None:
    """A run token by token: draws by their bits, masses by the chain."""
    outcome = run(task_from_mapping(SPOKEN), ANSWERS)
    law = {response.text: mass for response, mass in outcome.iterations[0].distribution.law()}
    expect.same("the law", law, {"a-c": F(1, 6), "a-d": F(1, 3), "b-d": F(1, 4), "": F(1, 4)})
    expect.same("rows are asked once", outcome.ledger.model_calls, 3)
    for entry in outcome.iterations:
        rows: Any = entry.distribution
        for i, member in enumerate(entry.members, start=1):
            bits, tokens = uniform_bits(1, (entry.number, i)), ()
            word: tuple[str, ...] = tokens
            while len(word) < 2 and word[-1:] != (".",):
                row = rows.rows[word]
                below, width, place = F(0), F(1), None
                edges = [sum((m for _, m in row[:k]), F(0)) for k in range(len(row) + 1)]
                while place is None:
                    cells = [k for k in range(len(row)) if edges[k] <= below and below + width <= edges[k + 1]]
                    if cells:
                        place = cells[0]
                    else:
                        width = width / 2
                        below = below + width * next(bits)
                word = (*word, row[place][0])
            expect.same(f"draw {entry.number}, {i}", member.response.tokens, word)
    base = TokenLevel(
        Shape(2),
        {(): (("a", F(1, 2)), ("b", F(1, 2))), ("a",): (("c", F(1, 3)), ("d", F(2, 3))), ("b",): (("d", F(1)),)},
    )
    bank = Bank(F(1), (Pattern("d", F(1), ("d",)), Pattern("none", F(1), ()), Pattern("even", F(1, 2), ("c",))))
    found = {response.tokens: mass for response, mass in decoded(base, bank).law()}
    expect.same("re-weighted rows", found, {("a", "c"): F(1, 10), ("a", "d"): F(2, 5), ("b", "d"): F(1, 2)})
    arithmetic = EnclosureArithmetic()
    log = context.log
    near(expect, "an entropy by the chain", arithmetic, base.entropy(arithmetic), log(6) / 6 + log(3) / 3 + log(2) / 2)
    for response, supported in (
        (("a", "c"), True),
        (("b", "c"), False),
        (("a",), False),
        (("b", "d"), True),
        (("a", "c", "c"), False),
    ):
        if len(response) <= 2:
            expect.same(f"supports {response}", base.supports(Response(response, "".join(response))), supported)


@groundwork("W6", scope="the parts of the reward, whitening, factors, entropies and the order of the stopping rules")
def training_free_parts_are_those_by_hand(expect: Expectations) -> None:
    """Numbers worked out here."""
    arithmetic, default = EnclosureArithmetic(), Weights()
    passed = {"t1": True, "t2": False, "t3": True, "t4": False}
    expect.same("external", external_reward(passed, ("t2", "t3"), F(3, 4), default), F(1, 4) + F(3, 20) + F(3, 20))
    expect.same("nothing failed", external_reward({"t": True}, (), F(0), default), F(1, 2))
    expect.same("epistemic", (epistemic_reward(F(1, 3), True), epistemic_reward(F(1, 3), False)), (F(4, 3), F(1, 3)))
    expect.same("the reward", reward(F(1, 2), F(4, 3), default), F(3, 4))
    expect.same("the largest external one", default.most_external, 1)
    rewards = [F(0), F(3), F(6)]
    by = 3 + F(1, 10**8)
    expect.same("the mean", mean(rewards), 3)
    expect.same("the deviation", sample_deviation(rewards, arithmetic), 3)
    expect.same("whitened", whitened(rewards, F(3)), (-3 / by, 0, 3 / by))
    expect.same("equal rewards", whitened([F(2)] * 3, F(0)), (0, 0, 0))
    for confidence, kappa, factor in (
        ("0", 1, 1),
        ("1/2", 5, 1),
        ("51/100", 1, F(51, 50)),
        ("3/4", F(2, 3), F(4, 3)),
        ("1", 3, 4),
    ):
        expect.same(f"the factor of {confidence}", Pattern("p", F(confidence), ()).factor(F(kappa)), factor)
    bank = Bank(F(1), (Pattern("1", F(3, 4), ("a", "b")), Pattern("2", F(1), ("b",)), Pattern("3", F(1, 3), ("a",))))
    for word, factor in ((("a", "c"), F(3, 2)), (("a", "b"), F(3)), (("c",), F(1))):
        expect.same(f"the factor of {word}", bank.response_factor(Response(word, "")), factor)
    expect.same("of tokens", [bank.token_factor(t) for t in "abc"], [F(3, 2), 3, 1])
    near(
        expect,
        "an entropy",
        arithmetic,
        entropy((F(1, 4), F(3, 4)), arithmetic),
        context.log(4) - 3 * context.log(3) / 4,
    )
    expect.same("no entropy", entropy((F(1),), arithmetic), 0)
    shape = Shape(3, ".", " ")
    whole_words: list[tuple[tuple[str, ...], bool]] = [
        ((), False),
        (("a",), False),
        (("a", "b"), False),
        ((".",), True),
        (("a", "."), True),
        (("a",) * 3, True),
    ]
    for spelled, whole in whole_words:
        expect.same(f"{spelled} is whole", shape.is_whole(spelled), whole)
    expect.same("texts", [shape.response(w).text for w in (("a", "."), ("a", "b", "c"), (".",))], ["a", "a b c", ""])
    for solved, number_, budget, improvement, delta, reason in (
        (True, 1, 1, None, None, Stop.SOLVED), (True, 2, 3, F(0), F(1), Stop.SOLVED),
        (False, 3, 3, F(0), F(1), Stop.BUDGET),
        (False, 2, 3, F(1, 101), F(1, 100), Stop.STALLED), (False, 2, 3, F(1, 100), F(1, 100), None),
        (False, 1, 3, None, F(1), None),
        (False, 2, 3, F(-5), None, None), (False, 1, 1, None, F(1), Stop.BUDGET),
    ):  # fmt: skip
        found = stopping_reason(solved, number_, budget, improvement, delta, arithmetic)
        expect.same(f"{solved}, {number_} of {budget}, {improvement}, {delta}", found, reason)


TASKS: tuple[tuple[dict[str, Any], str, Any, str, str], ...] = (
    (LISTED, "prompt", "", "prompt", "a prompt that is not empty"),
    (LISTED, "prompt", 3, "prompt", "3: expected a text"),
    (LISTED, "tests", [], "tests", "at least one test"), (LISTED, "tests", ["t", "t"], "tests[1]", "each test once"),
    (LISTED, "failing", ["v"], "failing[0]", "a test of the task, once"),
    (LISTED, "failing", ["t", "t"], "failing[1]", "once"),
    (LISTED, "group_size", 1, "group_size", "between 2 and 10000000"),
    (LISTED, "iterations", 0, "iterations", "between 1 and"),
    (SPOKEN, "group_size", 5_000_001, "group_size", "at most 10000000 generations in all"),
    (LISTED, "kappa", 0, "kappa", "a number above 0"), (LISTED, "kappa", "-1", "kappa", "a number above 0"),
    (LISTED, "delta", "no", "delta", "'no': expected"), (LISTED, "weights/new", "-1", "weights.new", "at least 0"),
    (LISTED, "weights/old", 1, "weights.old", "expected"),
    (LISTED, "bank/0/confidence", "2", "bank[0].confidence", "between 0 and 1"),
    (LISTED, "bank/0/confidence", "-1", "bank[0].confidence", "between 0 and 1"),
    (LISTED, "bank/0/tokens", ["x", "x"], "bank[0].tokens", "each token once"),
    (LISTED, "bank/0/tokens", "x", "bank[0].tokens", "a list of tokens"),
    (LISTED, "bank/0/more", 1, "bank[0]", "a table with description"),
    (LISTED, "bank/0/description", 1, "bank[0].description", "a text"),
    (LISTED, "introspection/kind", "x", "introspection.kind", "names-the-better, embedded"),
    (LISTED, "introspection/confidence", "1/2", "introspection.confidence", "above 1/2"),
    (LISTED, "introspection/confidence", "5/4", "introspection.confidence", "at most 1"),
    (LISTED, "draws/seed", 1, "draws", "recorded or seed, not both"),
    (LISTED, "draws", {"seed": -1}, "draws.seed", "between 0"),
    (LISTED, "draws/recorded", [["x y", "z"]], "draws.recorded", "3 groups, one for each iteration"),
    (LISTED, "draws/recorded/1", ["x y"], "draws.recorded[1]", "2 responses, the group size"),
    (LISTED, "draws/recorded/1", ["x y", "w"], "draws.recorded[1][1]", "the text of a listed response"),
    (LISTED, "draws/recorded/1", ["x y", 3], "draws.recorded[1][1]", "3: expected a text"),
    (LISTED, "draws/recorded", 3, "draws.recorded", "a list [iteration][i]"),
    (LISTED, "responses/0/mass", "1/3", "responses", "masses above 0 that sum to exactly 1"),
    (LISTED, "responses", [], "responses", "masses above 0"),
    (LISTED, "responses/1/text", "x y", "responses[1].text", "each response once"),
    (LISTED, "responses/1/tokens", ["y", ""], "responses[1].tokens", "not empty"),
    (LISTED, "responses/1/passes", ["v"], "responses[1].passes[0]", "a test of the task"),
    (LISTED, "responses/1/quality", "2", "responses[1].quality", "between 0 and 1"),
    (LISTED, "responses/1/quality", "-1", "responses[1].quality", "between 0 and 1"),
    (LISTED, "responses/1", {"text": "y z", "mass": "5/12"}, "responses", "for every response, or for none"),
    (LISTED, "tokens", {"horizon": 1}, "tokens", "either [[responses]] or [tokens]"),
    (SPOKEN, "draws", {"recorded": [["a"]] * 2}, "draws.recorded", "responses listed in the task"),
    (SPOKEN, "tokens/horizon", 0, "tokens.horizon", "between 1 and 1000"),
    (SPOKEN, "tokens/end", "", "tokens.end", "a token that is not empty"),
    (SPOKEN, "tokens/separator", 3, "tokens.separator", "a text"),
    (SPOKEN, "tokens/positions", [{"tokens": ["a"]}], "tokens.positions", "2 rows, one a position"),
    (SPOKEN, "tokens/positions", [{"tokens": ["a"]}] * 3, "tokens.positions", "2 rows, one a position"),
    (SPOKEN, "tokens/positions", MISSING, "tokens.positions", "the key is missing"),
    (SPOKEN, "tokens/positions/1/tokens", ["c", ""], "tokens.positions[1].tokens", "not empty"),
    (SPOKEN, "tokens/positions/1/masses", ["1"], "tokens.positions[1].masses", "2 masses, one for each token"),
    (SPOKEN, "tokens/positions/1/masses", ["1/2", "1/3"], "tokens.positions[1].masses", "sum to exactly 1"),
    (SPOKEN, "tokens/after/0/prefix", "b", "tokens.after[0].prefix", "a list of tokens"),
    (SPOKEN, "tokens/after/0/prefix", [1], "tokens.after[0].prefix[0]", "a text"),
    (SPOKEN, "tokens/after", [SPOKEN["tokens"]["after"][0]] * 2, "tokens.after", "each prefix once"),
)  # fmt: skip


@groundwork("W6", scope="two tasks with one place changed at a time; both written and read again")
def tasks_are_read_and_refused(expect: Expectations) -> None:
    """A task is written as it was stated; what is none is refused by key."""
    for stated in (LISTED, SPOKEN):
        task = task_from_mapping(stated)
        written = task_to_mapping(task)
        expect.same("written", written, {**stated, **({"tokens": written["tokens"]} if stated is SPOKEN else {})})
        expect.same("read again", task_from_mapping(written), task)
        expect.same("as TOML", tomllib.loads(task_to_toml(task)), written)
    expect.same("the rows", written["tokens"], SPOKEN["tokens"])
    few = task_from_mapping({key: LISTED[key] for key in ("prompt", "group_size", "iterations", "tests")})
    expect.same(
        "defaults", (few.kappa, few.delta, few.failing, few.bank, few.model), (1, F(1, 100), ("t", "u"), (), None)
    )
    uniform = task_from_mapping(changed(SPOKEN, "tokens/positions/0", {"tokens": ["a", "b", "."]}))
    model: Any = uniform.model
    expect.same("uniform", [mass for _, mass in model.positions[0]], [F(1, 3)] * 3)
    bare = task_from_mapping({**SPOKEN, "tokens": {"horizon": 4}})
    expect.same("a shape alone", bare.model, Shape(4))
    for base, path, value, key, words in TASKS:
        check_refusal(expect, f"{path} = {value}", lambda: task_from_mapping(changed(base, path, value)), key, words)
    check_refusal(
        expect, "a seed", lambda: run(task_from_mapping(LISTED), seed=1), "draws.recorded", "no seed beside it"
    )
    for left, words in (("introspection", "an introspection"), ("responses", "base model")):
        part = {
            key: value
            for key, value in LISTED.items()
            if key not in (left, *(["draws"] if left == "responses" else []))
        }
        supply = Supply(tests=ANSWERS.tests, quality=ANSWERS.quality)
        if left == "introspection":
            check_refusal(expect, f"no {left}", lambda: run(task_from_mapping(part), supply), "introspection", words)
    check_refusal(expect, "no tests", lambda: run(task_from_mapping(SPOKEN)), "responses", "tests that pass")
    check_refusal(
        expect,
        "no quality",
        lambda: run(task_from_mapping(SPOKEN), Supply(tests=ANSWERS.tests)),
        "responses",
        "a quality",
    )
    both = Supply(distribution=lambda p: [], tests=ANSWERS.tests, quality=ANSWERS.quality)
    check_refusal(expect, "two levels", lambda: run(task_from_mapping(SPOKEN), both), "tokens", "token by token")
