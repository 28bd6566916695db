"""W2: what is no problem, refused by key and with words."""

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any

from grpocheck.core import Problem, Prompt, problem_from_mapping
from grpocheck.core.domains import Intersection, OpenBox, WholeSpace, domain_from_mapping
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.log_linear import LogLinear
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.families.softmax import Softmax
from grpocheck.core.families.supplied import Supplied
from grpocheck.core.generation import Generation
from grpocheck.core.invalid import InvalidProblem, shown
from grpocheck.proofs.groundwork.expectations import Expectations, groundwork

# What is given here is often of the wrong type, on purpose.
make_box: Any = OpenBox
make_prompt: Any = Prompt
make_generation: Any = Generation
make_intersection: Any = Intersection

GOOD: dict[str, Any] = {
    "group_size": 2, "outer_iterations": 1, "inner_steps": 2, "epsilon": "1/5", "beta": 0, "step_size": "1/20",
    "theta": ["1/2"], "family": "bernoulli", "domain": {"kind": "open-box", "lower": [0], "upper": [1]},
    "prompts": [{"name": "q", "responses": ["good", "bad"], "rewards": [1, 0], "reference": ["1/2", "1/2"]}],
    "draws": {"recorded": [[["good", "bad"]]]},
}  # fmt: skip
GENERATED: dict[str, Any] = {
    **{
        key: GOOD[key]
        for key in ("group_size", "outer_iterations", "inner_steps", "epsilon", "beta", "step_size", "theta")
    },
    "family": "autoregressive",
    "generation": {"vocabulary": ["a", "."], "end": ".", "horizon": 1, "parameterisation": "masses"},
    "prompts": [{"name": "q", "rewards": {"a": 1, ".": 0}, "reference": {"a": "1/2", ".": "1/2"}}],
}
MISSING = object()


def changed(base: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The table with one place changed; MISSING takes it away."""
    copied: Any = deepcopy(base)
    place: Any = copied
    *before, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    for part in before:
        place = place[part]
    if value is MISSING:
        del place[last]
    else:
        place[last] = value
    return copied  # type: ignore[no-any-return]


Q = "prompts/0"
WRONG: tuple[tuple[str, Any, str, str], ...] = (
    (f"{Q}/reference", ["1/2", "0.49"], "prompts[0].reference", "99/100: expected masses that sum to exactly 1"),
    (f"{Q}/reference", [1, 0], "prompts[0].reference[1]", "0: expected a mass above 0"),
    (f"{Q}/reference", ["3/2", "-1/2"], "prompts[0].reference[1]", "-1/2: expected a mass above 0"),
    (f"{Q}/reference", [1], "prompts[0].reference", "[1]: expected 2 masses"),
    (f"{Q}/reference", ["1/3"] * 3, "prompts[0].reference", "expected 2 masses"),
    (f"{Q}/reference", "half", "prompts[0].reference", "'half': expected a list of numbers"),
    (f"{Q}/rewards", [1, True], "prompts[0].rewards[1]", "True: expected an exact finite number"),
    (f"{Q}/rewards", [0.5, 0], "prompts[0].rewards[0]", "0.5: expected an exact number in place of a float"),
    (f"{Q}/rewards", [1, None], "prompts[0].rewards[1]", "None: expected an exact finite number"),
    (f"{Q}/rewards", [1, 0, 0], "prompts[0].rewards", "[1, 0, 0]: expected 2 rewards"),
    (f"{Q}/rewards", ["1/0", 0], "prompts[0].rewards[0]", "'1/0': expected a denominator that is not 0"),
    (f"{Q}/rewards", [MISSING, 0], "prompts[0].rewards[0]", "a object: expected an exact"),
    (f"{Q}/responses", ["good", "good"], "prompts[0].responses[1]", "'good': expected each response once"),
    (f"{Q}/responses", [], "prompts[0].responses", "[]: expected at least one response"),
    (f"{Q}/responses", [1, 2], "prompts[0].responses[0]", "1: expected a text"),
    (f"{Q}/responses", "good", "prompts[0].responses", "'good': expected a list of responses"),
    (f"{Q}/response_set", ["good"], "prompts[0].responses", "'bad': expected a response of the truncated"),
    (f"{Q}/response_set", ["good", "good"], "prompts[0].response_set[1]", "each response once"),
    (f"{Q}/name", MISSING, "prompts[0].name", "expected a value: the key is missing"),
    (f"{Q}/name", "", "prompts[0].name", "'': expected a name that is not empty"),
    (f"{Q}/name", 3, "prompts[0].name", "3: expected a text"),
    (f"{Q}/name", "\ud800", "prompts[0].name", "expected a text without lone surrogates"),
    (f"{Q}/weight", 1, "prompts[0].weight", "1: expected "),
    (f"{Q}/features", [[1], [0]], "prompts[0].features", "expected "),
    ("prompts", {}, "prompts", "a table with no keys: expected a list of prompts"),
    ("prompts", [], "prompts", "[]: expected at least one prompt"),
    ("prompts", [7], "prompts[0]", "7: expected a table"),
    ("prompts", [GOOD["prompts"][0]] * 2, "prompts[1].name", "'q': expected each prompt once"),
    ("theta", [0], "theta", "[0]: expected a point of the open domain U, where 0 < 0 has to hold"),
    ("theta", [1], "theta", "where 1 < 1 has to hold"),
    ("theta", ["3/2"], "theta", "where 3/2 < 1 has to hold: every mass is above 0 there (0 < theta < 1)"),
    ("theta", ["1/2", "1/2"], "theta", "expected 1 number, the parameters of the bernoulli family, not 2"),
    ("theta", [], "theta", "not 0"),
    ("theta", "1/2", "theta", "'1/2': expected a list of numbers"),
    ("theta", [["1/2"]], "theta[0]", "['1/2']: expected"),
    ("domain/lower", ["1/2"], "theta", "where 1/2 < 1/2 has to hold"),
    ("domain/lower", [0, 0], "domain.upper", "[1]: expected 2 bounds"),
    ("domain/lower", [1], "domain.upper[0]", "1: expected a bound above domain.lower[0] = 1"),
    ("domain/lower", [], "domain.lower", "[]: expected at least one bound"),
    ("domain/lower", ["inf"], "domain.lower[0]", "'inf': expected"),
    ("domain/upper", ["-inf"], "domain.upper[0]", "'-inf': expected"),
    ("domain/lower", 0, "domain.lower", "0: expected a list of bounds"),
    ("domain/kind", "closed-box", "domain.kind", "'closed-box': expected open-box (did you mean that?)"),
    ("domain/kind", ["open-box"], "domain.kind", "expected one of"),
    ("domain/radius", 1, "domain.radius", "1: expected "),
    ("domain/upper", MISSING, "domain.upper", "the key is missing"),
    ("domain/kind", MISSING, "domain.kind", "the key is missing"),
    ("domain", [], "domain", "[]: expected a table"),
    ("epsilon", 0, "epsilon", "0: expected a number strictly between 0 and 1"),
    ("epsilon", 1, "epsilon", "1: expected a number strictly between 0 and 1"),
    ("epsilon", "-1/5", "epsilon", "-1/5: expected a number strictly"),
    ("epsilom", 1, "epsilom", "1: expected a known key: epsilon (did you mean that?)"),
    ("beta", "-1/10", "beta", "-1/10: expected a number of at least 0"),
    ("beta", MISSING, "beta", "expected a value: the key is missing"),
    ("group_size", 1, "group_size", "1: expected an integer of at least 2"),
    ("group_size", True, "group_size", "True: expected an integer"),
    ("group_size", "2", "group_size", "'2': expected an integer"),
    ("group_size", Fraction(2), "group_size", "2: expected an integer"),
    ("group_size", 10**7 + 1, "group_size", "expected at most 10000000 draws in all"),
    ("outer_iterations", 0, "outer_iterations", "0: expected an integer of at least 1"),
    ("outer_iterations", 500_001, "outer_iterations", "expected at most 1000000 inner steps in all"),
    ("inner_steps", 0, "inner_steps", "0: expected an integer of at least 1"),
    ("step_size", 0, "step_size", "0: expected a step size above 0"),
    ("step_size", MISSING, "step_size", "the key is missing, and step_sizes is too"),
    ("step_sizes", [[1, 1]], "step_size", "expected step_size or step_sizes, not both"),
    ("family", "gaussian", "family", "'gaussian': expected one of bernoulli, simplex"),
    ("family", "Bernouli", "family", "'Bernouli': expected bernoulli (did you mean that?)"),
    ("family", "LOG-LINEAR", "family", "'LOG-LINEAR': expected log-linear (did you mean that?)"),
    ("family", 7, "family", "7: expected one of"),
    ("family", "autoregressive", "generation", "None: expected a table: the family is autoregressive"),
    ("family", "log-linear", "prompts[0].features", "the key is missing"),
    ("generation", {}, "generation", "no such table: the family is bernoulli"),
    ("draws/recorded", [[["good", "ugly"]]], "draws.recorded[0][0][1]",
        "'ugly': expected a response in the support of q"),
    ("draws/recorded", [[["good"]]], "draws.recorded[0][0]", "['good']: expected 2 responses, the group size"),
    ("draws/recorded", [[["good", "bad"]] * 2], "draws.recorded[0]", "expected 1 lists, one for each prompt"),
    ("draws/recorded", [[["good", "bad"]]] * 2, "draws.recorded", "expected 1 lists, one for each outer"),
    ("draws/recorded", [], "draws.recorded", "[]: expected 1 lists"),
    ("draws/recorded", "good", "draws.recorded", "'good': expected a list"),
    ("draws/recorded", [[[1, 2]]], "draws.recorded[0][0][0]", "1: expected a text"),
    ("draws", {"seed": -1}, "draws.seed", "-1: expected an integer between 0 and 2^256 - 1"),
    ("draws", {"seed": 2**256}, "draws.seed", "expected an integer between 0"),
    ("draws", {"seed": "1"}, "draws.seed", "'1': expected an integer between 0 and 2^256 - 1, without quotation marks"),
    ("draws/seed", 1, "draws", "expected recorded or seed, not both"),
    ("draws", {"sead": 1}, "draws.sead", "1: expected a known key: seed (did you mean that?)"),
)  # fmt: skip
"""A place of the good problem, what is put there, the key that is named and the words."""

WRONG_GENERATED: tuple[tuple[str, Any, str, str], ...] = (
    (f"{Q}/rewards", {"a": 1}, "prompts[0].rewards..", "the key is missing"),
    (f"{Q}/rewards", {"a": 1, ".": 0, "b": 0}, "prompts[0].rewards.b", "0: expected a known key: one of a, ."),
    (f"{Q}/rewards", [1, 0], "prompts[0].rewards", "[1, 0]: expected a table"),
    (f"{Q}/rewards", {"a": None, ".": 0}, 'prompts[0].rewards."a"', "None: expected"),
    (f"{Q}/reference", {"a": "1/2", ".": "1/4"}, "prompts[0].reference", "3/4: expected masses that sum"),
    (f"{Q}/reference", {"a": "1/2", ".": []}, 'prompts[0].reference."."', "[]: expected"),
    (f"{Q}/responses", ["a", "."], "prompts[0].responses", "expected a known key: one of name, rewards, reference"),
    ("generation/parameterisation", "mass", "generation.parameterisation", "'mass': expected masses (did you mean"),
    ("generation/parameterisation", "x", "generation.parameterisation", "'x': expected one of logits, masses"),
    ("generation/parameterisation", "logits", "theta", "expected 2 numbers, the parameters of the autoregressive"),
    ("generation/forbiden", {}, "generation.forbiden", "forbidden (did you mean that?)"),
    ("generation/forbidden", [], "generation.forbidden", "[]: expected a table"),
    ("generation/forbidden", {"": ["a", "."]}, 'generation.forbidden.""', "expected a token that stays allowed"),
    ("generation/forbidden", {"": ["b"]}, 'generation.forbidden.""[0]', "'b': expected a token of the vocabulary"),
    ("generation/forbidden", {"": "a"}, 'generation.forbidden.""', "'a': expected a list of tokens"),
    ("generation/forbidden", {"": ["a", "a"]}, 'generation.forbidden.""[1]', "'a': expected each token once"),
    ("generation/forbidden", {"a": ["a"]}, "generation.forbidden", "'a': expected a prefix shorter than the horizon 1"),
    ("generation/forbidden", {".": ["a"]}, "generation.forbidden", "'.': expected a prefix of tokens"),
    ("generation/forbidden", {"c": ["a"]}, "generation.forbidden", "'c': expected a prefix of tokens"),
    ("generation/forbidden", {"": [], " ": []}, "generation.forbidden", "'': expected each prefix once"),
    ("generation/vocabulary", ["a", "a", "."], "generation.vocabulary[1]", "each token once"),
    ("generation/vocabulary", ["a b", "."], "generation.vocabulary[0]", "'a b': expected a token that is not empty"),
    ("generation/vocabulary", ["", "."], "generation.vocabulary[0]", "'': expected a token that is not empty"),
    ("generation/vocabulary", [], "generation.vocabulary", "at least one token"),
    ("generation/end", "!", "generation.end", "'!': expected a token of the vocabulary"),
    ("generation/end", None, "generation.end", "None: expected a token of the vocabulary"),
    ("generation/horizon", 0, "generation.horizon", "0: expected an integer between 1 and 2000000"),
    ("generation/horizon", 2000, "generation.horizon", "at most 2000000 tokens to generate in all responses"),
    ("generation/vocabulary", MISSING, "generation.vocabulary", "the key is missing"),
    ("generation", 3, "generation", "3: expected a table"),
    (Q, 3, "prompts[0]", "3: expected a table"),
)  # fmt: skip


def check_refusal(expect: Expectations, what: str, call: Callable[[], object], key: str, words: str) -> None:
    """A call is refused with a key, and a message that begins with it and holds some words."""
    error = expect.refused(what, InvalidProblem, call, words)
    expect.same(f"{what}: the key", getattr(error, "key", None), key)
    expect.true(f"{what}: the message {error}", str(error).startswith(f"{key}: ") and ": expected " in str(error))


@groundwork("W2", scope="a good problem with one place changed at a time, and parts that are none: about 180 refusals")
def one_wrong_place_is_refused_by_its_key(expect: Expectations) -> None:
    """Every refusal names the key of the place, shows the value and says what was expected."""
    for base, wrong in ((GOOD, WRONG), (GENERATED, WRONG_GENERATED)):
        problem_from_mapping(base)
        for path, value, key, words in wrong:
            what = f"{path} = {shown(value)}"
            check_refusal(
                expect, what, lambda: problem_from_mapping(changed(base, path, value)), key, words
            )
    for key, rows, place in (
        ("[0][1]", [["1/20", -1]], "step_sizes[0][1]"), ("[0][0]", [[0, 1]], "step_sizes[0][0]"),
        ("[0]", [["1/20"]], "step_sizes[0]"), ("", [[1, 1], [1, 1]], "step_sizes"), ("", "1/20", "step_sizes"),
        ("[0]", [1], "step_sizes[0]"), ("[0]", [[1, 1, 1]], "step_sizes[0]"), ("", [], "step_sizes"),
    ):  # fmt: skip
        stated = changed(changed(GOOD, "step_size", MISSING), "step_sizes", rows)
        check_refusal(expect, f"step_sizes{key} of {rows}", lambda: problem_from_mapping(stated), place, "expected")
    check_domains(expect)
    check_families(expect)


def check_domains(expect: Expectations) -> None:
    """Domains that are none."""
    ball: dict[str, Any] = {"kind": "open-ball", "centre": [0], "radius": 1}
    half: dict[str, Any] = {"kind": "half-spaces", "normals": [[1, 0], [0, 1]], "offsets": [1, 1]}
    for stated, key, words in (
        ({**ball, "kind": "open_ball"}, "domain.kind", "'open_ball': expected open-ball (did you mean that?)"),
        ({**ball, "kind": "sphere"}, "domain.kind", "'sphere': expected one of whole-space, open-box, open-ball"),
        ({**ball, "radius": 0}, "domain.radius", "0: expected a radius above 0"),
        ({**ball, "radius": -1}, "domain.radius", "expected a radius above 0"),
        ({**ball, "centre": []}, "domain.centre", "[]: expected at least one coordinate"),
        ({**ball, "centre": ["x"]}, "domain.centre[0]", "'x': expected"),
        ({**half, "normals": []}, "domain.normals", "[]: expected at least one normal"),
        ({**half, "offsets": [1]}, "domain.offsets", "[1]: expected 2 offsets"),
        ({**half, "normals": [[1, 0], [1]]}, "domain.normals[1]", "[1]: expected 2 coordinates"),
        ({**half, "normals": [[0, 0], [1, 0]]}, "domain.normals[0]", "expected a normal that is not the zero vector"),
        ({**half, "normals": [[1, 0], 3]}, "domain.normals[1]", "3: expected a list of numbers"),
        ({**half, "normals": 3}, "domain.normals", "3: expected a list of normals"),
        ({"kind": "whole-space", "dimension": 0}, "domain.dimension", "0: expected an integer of at least 1"),
        ({"kind": "open-simplices", "sizes": [0]}, "domain.sizes", "[0]: expected at least one coordinate"),
        ({"kind": "open-simplices", "sizes": []}, "domain.sizes", "[]: expected at least one coordinate"),
        ({"kind": "open-simplices", "sizes": [1, -1]}, "domain.sizes[1]", "-1: expected an integer of at least 0"),
        ({"kind": "intersection", "parts": []}, "domain.parts", "[]: expected a nonempty list of domains"),
        ({"kind": "intersection", "parts": 3}, "domain.parts", "3: expected a list of domains"),
        ({"kind": "intersection", "parts": [ball, {**ball, "radius": 0}]}, "domain.parts[1].radius", "radius above 0"),
        ({"kind": "intersection", "parts": [ball, {"kind": "whole-space", "dimension": 2}]}, "domain.parts[1]",
         "2: expected a domain of dimension 1"),
        ({"kind": "intersection", "parts": [{"kind": "intersection", "parts": [ball]}]}, "domain.parts[0].kind",
         "list the parts"),
    ):  # fmt: skip
        check_refusal(expect, f"{stated}", lambda: domain_from_mapping(stated), key, words)
    nested = make_intersection((make_intersection((WholeSpace(1), WholeSpace(1))), make_box((0,), (1,))))
    expect.same("an intersection in one is flat", len(nested.parts), 3)
    check_refusal(expect, "parts", lambda: make_intersection(("x",)), "domain.parts", "a nonempty list")


def python_problem(**changes: Any) -> Problem:
    """A problem by way of the Python interface."""
    data: dict[str, Any] = {
        "prompts": (make_prompt(0, "q", ("good", "bad"), (1, 0), ("1/2", "1/2")),),
        "family": Bernoulli(), "theta": (Fraction(1, 2),), "group_size": 2, "outer_iterations": 1, "inner_steps": 1,
        "epsilon": "0.2", "beta": 1, "step_sizes": [["5e-2"]],
    }  # fmt: skip
    return Problem(**(data | changes))


def prompt_of(size: int, place: int = 0, name: str = "q") -> Prompt:
    """A prompt with that many responses."""
    share = (Fraction(1, size),) * size
    prompt: Prompt = make_prompt(place, name, tuple(map(str, range(size))), (Fraction(0),) * size, share)
    return prompt


def check_families(expect: Expectations) -> None:
    """Families and prompts that do not go together, by the Python interface."""
    good = python_problem()
    expect.same("a supplied family promises no exact masses", Supplied(1).exact, False)
    expect.same("texts and integers are exact", (good.epsilon, good.beta, good.step_sizes),
                (Fraction(1, 5), Fraction(1), ((Fraction(1, 20),),)))  # fmt: skip
    generated = problem_from_mapping(GENERATED)
    rows = ((Fraction(1),), (Fraction(0),))
    for changes, key, words in (
        ({"theta": (0.5,)}, "theta[0]", "in place of a float"),
        ({"epsilon": 0.2}, "epsilon", 'write Fraction(1, 5) or "1/5"'),
        ({"beta": None}, "beta", "None"), ({"prompts": None}, "prompts", "a list of prompts"),
        ({"prompts": ("q",)}, "prompts[0]", "a prompt"),
        ({"prompts": (prompt_of(2, 1),)}, "prompts[0].position", "1: expected 0, its place in the list"),
        ({"prompts": (prompt_of(3),)}, "prompts[0].responses", "two responses: the family is bernoulli"),
        ({"prompts": (prompt_of(1),)}, "prompts[0].responses", "two responses"),
        ({"family": "bernoulli"}, "family", "a policy family"),
        ({"family": Simplex((2, 2))}, "prompts", "'1 prompts': expected 2"),
        ({"family": Simplex((3,)), "theta": (1, 1)}, "prompts[0].responses", "3 responses, as the family has"),
        ({"family": Softmax((1,)), "theta": (1,)}, "prompts[0].responses", "1 responses, as the family has"),
        ({"prompts": (prompt_of(1),), "family": Simplex((1,)), "theta": ()}, "family", "at least one parameter"),
        ({"family": LogLinear((rows, rows))}, "prompts", "'1 prompts': expected 2, as there are features for"),
        ({"family": LogLinear((rows[:1],))}, "prompts[0].features", "2 rows, one for each response"),
        ({"family": generated.family}, "prompts[0].responses", "the generated support in shortlex order"),
        ({"family": Supplied(1)}, "domain", "a stated domain: the family is supplied"),
        ({"family": Supplied(2), "domain": WholeSpace(2)}, "theta", "2 numbers"),
        ({"domain": "open"}, "domain", "an open domain"),
        ({"domain": WholeSpace(2)}, "domain", "dimension 2': expected dimension 1"),
        ({"domain": make_box(("1/2",), (1,))}, "theta", "1/2 < 1/2"),
        ({"seed": True}, "draws.seed", "True"),
        ({"recorded": ((("good", "bad"), ("good", "bad")),)}, "draws.recorded[0]", "1 lists"),
    ):  # fmt: skip
        check_refusal(expect, f"{changes}", lambda: python_problem(**changes), key, words)
    other_set = make_prompt(0, "q", ("a", "."), (1, 0), ("1/2", "1/2"), ("a", ".", "b"))
    check_refusal(expect, "another response set", lambda: python_problem(prompts=(other_set,), family=generated.family),
                  "prompts[0].response_set", "the generated response set")  # fmt: skip
    for call, key, words in (
        (lambda: Simplex(()), "family.sizes", "at least one size"),
        (lambda: Softmax((0,)), "family.sizes[0]", "at least 1"),
        (lambda: LogLinear(()), "features", "at least one prompt"),
        (lambda: LogLinear(((),)), "prompts[0].features", "at least one row"),
        (lambda: LogLinear((((),),)), "prompts[0].features", "at least one row"),
        (lambda: LogLinear((rows, ((Fraction(1), Fraction(2)),))), "prompts[1].features[0]",
            "1 features, as prompts[0].features[0]"),
        (lambda: LogLinear((((Fraction(1),), (Fraction(1), Fraction(2))),)), "prompts[0].features[1]", "1 features"),
        (lambda: make_prompt(-1, "q", ("a",), (1,), (1,)), "prompts.position", "-1"),
        (lambda: make_generation(("a", "."), ".", 1, (3,)), "generation.forbidden",
            "3: expected a pair"),
        (lambda: make_generation(("a", "."), ".", 1, (((), ("a",), 1),)), "generation.forbidden",
            "expected a pair"),
    ):  # fmt: skip
        check_refusal(expect, words, call, key, words)
