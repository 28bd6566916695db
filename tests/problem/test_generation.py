"""Truncated response sets, in shortlex order, by hand and against every token sequence tried one by one."""

from fractions import Fraction as F
from itertools import product

import pytest
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.families.autoregressive import AutoregressiveMasses
from grpocheck.core.generation import Generation, generation_from_mapping
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.prompt import Prompt
from hypothesis import given, settings
from hypothesis import strategies as st

from .strategies import generations, mass_functions


def test_shortlex_order_by_hand():
    """The vocabulary's own order counts, not the alphabet's: b comes before a, and the end token between them."""
    generation = Generation(("b", ".", "a"), ".", 2)
    assert [" ".join(tokens) for tokens in generation.response_set] == [".", "b b", "b .", "b a", "a b", "a .", "a a"]
    assert generation.support == generation.response_set


def test_three_tokens_by_hand_with_forbidden_ones():
    generation = Generation(("a", "."), ".", 3, ((("a",), ("a",)), (("a", "a"), (".",))))
    assert [" ".join(tokens) for tokens in generation.response_set] == [".", "a .", "a a a", "a a ."]
    assert [" ".join(tokens) for tokens in generation.support] == [".", "a ."]
    assert generation.prefixes == ((), ("a",))


def test_only_an_end_token():
    generation = Generation((".",), ".", 1000)
    assert generation.response_set == generation.support == ((".",),)


def test_a_forbidden_prefix_that_is_no_text_is_refused_by_its_key():
    stated = {"vocabulary": ["a", "."], "end": ".", "horizon": 2, "parameterisation": "logits", "forbidden": {1: ["a"]}}
    with pytest.raises(InvalidProblem, match=r"^generation\.forbidden: a table with 1: expected a table"):
        generation_from_mapping(stated)


@given(generations())
@settings(max_examples=80, deadline=None)
def test_response_set_and_support_are_those_found_by_trying_every_sequence(generation):
    vocabulary, end, horizon = generation.vocabulary, generation.end, generation.horizon
    barred = dict(generation.forbidden)
    tried = [tokens for length in range(1, horizon + 1) for tokens in product(vocabulary, repeat=length)]
    whole = [t for t in tried if end not in t[:-1] and (t[-1] == end or len(t) == horizon)]
    allowed = [t for t in whole if all(token not in barred.get(t[:h], ()) for h, token in enumerate(t))]
    assert list(generation.response_set) == whole
    assert list(generation.support) == allowed
    assert generation.size() == len(whole)


@given(generations(), st.data())
@settings(max_examples=60, deadline=None)
def test_masses_sum_to_exactly_one_over_the_response_set(generation, data):
    family = AutoregressiveMasses(generation)
    size = len(family.support_keys)
    if family.dimension:
        asked = Prompt(0, "q", family.support_keys, (0,) * size, (F(1, size),) * size, family.response_keys)
        blocks = [len(generation.allowed(prefix)) for prefix in generation.prefixes]
        theta = [mass for block in blocks for mass in data.draw(mass_functions(block))[:-1]]
        masses = dict(zip(asked.responses, family.masses(theta, asked, ExactArithmetic()), strict=True))
        assert sum(masses.get(response, F(0)) for response in family.response_keys) == 1


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"vocabulary": ()}, "generation.vocabulary"),
        ({"vocabulary": "ab."}, "generation.vocabulary"),
        ({"vocabulary": ("a", "a", ".")}, "generation.vocabulary[1]"),
        ({"vocabulary": ("a b", ".")}, "generation.vocabulary[0]"),
        ({"vocabulary": ("a\t", ".")}, "generation.vocabulary[0]"),
        ({"vocabulary": ("", ".")}, "generation.vocabulary[0]"),
        ({"vocabulary": ("a", 1)}, "generation.vocabulary[1]"),
        ({"end": "!"}, "generation.end"),
        ({"end": None}, "generation.end"),
        ({"horizon": 0}, "generation.horizon"),
        ({"horizon": True}, "generation.horizon"),
        ({"horizon": 18}, "generation.horizon"),
        ({"horizon": 10**9}, "generation.horizon"),
        ({"vocabulary": ("a", "."), "horizon": 100_000}, "generation.horizon"),
        ({"vocabulary": (".",), "horizon": 10**30}, "generation.horizon"),
        ({"forbidden": (((), ("a", "b", ".")),)}, 'generation.forbidden.""'),
        ({"forbidden": ((("a",), ("x",)),)}, 'generation.forbidden."a"[0]'),
        ({"forbidden": ((("a",), ("a", "a")),)}, 'generation.forbidden."a"[1]'),
        ({"forbidden": ((("a",), 7),)}, 'generation.forbidden."a"'),
        ({"forbidden": ((("a", "b"), ("a",)),)}, "generation.forbidden"),
        ({"forbidden": (((".",), ("a",)),)}, "generation.forbidden"),
        ({"forbidden": ((("x",), ("a",)),)}, "generation.forbidden"),
        ({"forbidden": (((), ("a",)), ((), ("b",)))}, "generation.forbidden"),
        ({"forbidden": (7,)}, "generation.forbidden"),
    ],
)
def test_what_generates_nothing_or_too_much_is_refused(changes, key):
    with pytest.raises(InvalidProblem) as error:
        Generation(**({"vocabulary": ("a", "b", "."), "end": ".", "horizon": 2} | changes))
    assert error.value.key == key
