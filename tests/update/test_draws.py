"""Exact draws: the law is the policy's, no more bits are taken than needed, and the generator is the one it says."""

import hashlib
from collections import Counter
from fractions import Fraction as F
from itertools import islice, product

from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.draws import SeededDraws, decided_position, uniform_bits
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.problem import Problem
from grpocheck.core.procedure import run
from grpocheck.core.prompt import Prompt
from hypothesis import given
from hypothesis import strategies as st

EXACT = ExactArithmetic()


class Bits:
    """A given word of bits that says how many were taken."""

    def __init__(self, word):
        self.word = list(word)
        self.taken = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.taken == len(self.word):
            raise RuntimeError("more bits")
        self.taken += 1
        return self.word[self.taken - 1]


def test_the_law_is_the_masses_exactly():
    """Over all words of 8 bits: weight 2^-taken for each decided prefix; what is undecided bounds the error."""
    masses = [F(1, 3), F(1, 2), F(1, 6)]
    law, seen, undecided = Counter(), set(), F(0)
    for word in product((0, 1), repeat=8):
        bits = Bits(word)
        try:
            position = decided_position(masses, bits, EXACT)
        except RuntimeError:
            undecided += F(1, 2**8)
            continue
        prefix = word[: bits.taken]
        if prefix not in seen:
            seen.add(prefix)
            law[position] += F(1, 2**bits.taken)
    assert undecided == F(2, 2**8)  # one cell around each of the edges 1/3 and 5/6
    for position, mass in enumerate(masses):
        assert law[position] <= mass <= law[position] + undecided


def test_dyadic_edges_need_no_further_bits():
    masses = [F(1, 4), F(1, 4), F(1, 2)]
    words = {(0, 0): 0, (0, 1): 1, (1,): 2}
    for word, position in words.items():
        bits = Bits(word)
        assert decided_position(masses, bits, EXACT) == position
        assert bits.taken == len(word)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=5), st.integers(0, 2**16 - 1))
def test_the_number_lies_in_the_cell_of_its_position(weights, number):
    masses = [F(w, sum(weights)) for w in weights]
    word = [number >> shift & 1 for shift in range(15, -1, -1)]
    bits = Bits(word)
    try:
        position = decided_position(masses, bits, EXACT)
    except RuntimeError:
        # undecided after 16 bits: an edge lies strictly inside the cell of the word
        edges = [sum(masses[:j]) for j in range(1, len(masses))]
        assert any(F(number, 2**16) < edge < F(number + 1, 2**16) for edge in edges)
        return
    value = F(int("".join(map(str, word[: bits.taken])) or "0", 2), 2**bits.taken)
    assert sum(masses[:position]) <= value
    assert value + F(1, 2**bits.taken) <= sum(masses[: position + 1])


def test_one_response_needs_no_bits():
    assert decided_position([F(1)], Bits(()), EXACT) == 0


def test_the_generator_is_sha256_in_counter_mode():
    digest = hashlib.sha256(b"7/1/0/2/0").digest() + hashlib.sha256(b"7/1/0/2/1").digest()
    expected = [int(bit) for byte in digest for bit in f"{byte:08b}"]
    assert list(islice(uniform_bits(7, (1, 0, 2)), 512)) == expected


def test_every_draw_of_a_run_is_that_of_its_own_bits():
    """Masses 1/2 and 1/2, and equal rewards that leave them: the first bit of SHA-256 over its place decides a draw."""
    prompts = tuple(Prompt(place, f"q{place}", ("a", "b"), (0, 0), ("1/2", "1/2")) for place in range(3))
    problem = Problem(prompts, Bernoulli(), ("1/2",), 4, 3, 1, "1/5", 0, ((1,),) * 3)
    drawn = [[group.positions for group in started.frozen.groups] for started in run(problem, seed=7).iterations]
    assert drawn == [
        [
            tuple(hashlib.sha256(f"7/{t}/{place}/{i}/0".encode()).digest()[0] >> 7 for i in range(1, 5))
            for place in range(3)
        ]
        for t in range(1, 4)
    ]
    assert len({positions for groups in drawn for positions in groups}) > 4


def test_a_seed_that_is_given_goes_before_the_problems_own_draws():
    def source(given=None, **own):
        prompts = (Prompt(0, "q", ("a", "b"), (1, 0), ("1/2", "1/2")),)
        return run(Problem(prompts, Bernoulli(), ("1/2",), 2, 1, 1, "1/5", 0, ((F(1, 50),),), **own), seed=given)

    record = ((("a", "b"),),)
    assert [source(recorded=record).draw_source["source"], source(3, recorded=record).draw_source["seed"]] == [
        "recorded", 3,
    ]  # fmt: skip
    assert [source(seed=5).draw_source["seed"], source(3, seed=5).draw_source["seed"]] == [5, 3]
    fresh, other = source(), source()
    assert fresh.draw_source["seed"] != other.draw_source["seed"]  # but once in 2^32 times
    assert source(fresh.draw_source["seed"]).to_mapping() == fresh.to_mapping()


def test_the_same_seed_draws_the_same_in_every_arithmetic():
    prompt = Prompt(0, "q", ("a", "b", "c"), (0, 0, 0), ("1/3", "1/3", "1/3"))
    enclosure = EnclosureArithmetic()
    root = enclosure.exp(F(1, 2)) / (enclosure.exp(F(1, 2)) + 2)  # 0.4518...
    enclosed = [root, (1 - root) / 2, (1 - root) / 2]
    close = [F(45186276, 10**8), F(27406862, 10**8), F(27406862, 10**8)]
    for number in range(1, 40):
        by_enclosure = SeededDraws(5, enclosure)(enclosed, prompt, 1, number)
        assert by_enclosure == SeededDraws(5, EXACT)(close, prompt, 1, number)


def test_frequencies_of_a_seed_are_those_of_the_law():
    prompt = Prompt(0, "q", ("a", "b"), (0, 0), ("1/4", "3/4"))
    draws = [SeededDraws(11, EXACT)((F(1, 4), F(3, 4)), prompt, 1, i) for i in range(1, 2001)]
    # 500 +- 4.9 standard deviations of sqrt(2000 * 3/16) = 19.4
    assert abs(draws.count("a") - 500) < 95
