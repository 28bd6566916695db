"""The test of the draws' law: its false alarms by enumeration and over seeds, its power, its values by hand."""

import json
import math
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import mpmath
import pytest
from grpocheck.core import Prompt, Supply, SupplyViolation, TraceWriter, run
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.draws import decided_position, uniform_bits
from grpocheck.core.families.bernoulli import Bernoulli
from grpocheck.core.families.simplex import Simplex
from grpocheck.core.violations import Clause
from grpocheck.core.writing import problem_to_toml
from grpocheck.verifier.cli import app
from grpocheck.verifier.failures import BadOption
from grpocheck.verifier.supplied.draw_law import SUSPICIONS, UNIT, WHOLE, LawTest, Verdict, law_of
from grpocheck.verifier.supplied.draws_seen import DrawsUnderTest, decimal_above, draw_of, draws_of_traces, mass_bounds
from typer.testing import CliRunner

from tests.hostile.supplies import favouring
from tests.hostile.test_table import problem

FREQUENCY, PLACE, BEFORE, ITERATION, PROMPT = SUSPICIONS[:5]
COLD, WARM = SUSPICIONS[5:]


def sequence(positions, masses, group=4, prompts=("q",)):
    """Draws in the order of a run: groups of every prompt, outer iteration after outer iteration."""
    for n, position in enumerate(positions):
        groups, number = divmod(n, group)
        iteration, place = divmod(groups, len(prompts))
        yield draw_of(prompts[place], iteration + 1, number + 1, position, masses)


def seeded(seed, count, masses):
    """Lawful draws: the first response whose cumulative mass exceeds a uniform number of SHA-256 bits."""
    return [decided_position(masses, uniform_bits(seed, (n,)), ExactArithmetic()) for n in range(count)]


def test_the_evidence_of_one_response_only_is_laplaces():
    # masses 1/2, always the first: the n-th factor is (n+1)/(n/2+1), the product of N of them 2^N/(N+1)
    test = law_of(sequence([0] * 12, [F(1, 2), F(1, 2)]), F(1, 10**9))
    assert abs(F(test.capital[FREQUENCY], UNIT) / F(2**12, 13) - 1) < F(1, 10**6)


def test_the_evidence_of_a_temperature_is_a_likelihood_ratio_of_square_roots():
    # masses 9/25 and 16/25, their roots 3/5 and 4/5: the factor of the second is (4/5) / (27/125 + 64/125) = 100/91
    test = law_of(sequence([1, 1], [F(9, 25), F(16, 25)]))
    assert abs(F(test.capital[COLD], UNIT) / F(100, 91) ** 2 - 1) < F(1, 10**6)


MASSES = [F(1, 3), F(1, 6), F(1, 2)]


def test_the_martingales_have_expectation_one_and_reach_far_as_seldom_as_stated():
    """All 3^6 sequences with their probabilities: no expectation is above 1, and Ville's bound holds."""
    expected = dict.fromkeys(SUSPICIONS, F(0))
    alarm = F(0)
    alpha = F(1, 4)
    for positions in product(range(3), repeat=6):
        chance = F(1)
        for position in positions:
            chance *= MASSES[position]
        test = LawTest(alpha)
        for draw in sequence(positions, MASSES, group=2):
            test.see(draw)
        for name in SUSPICIONS:
            expected[name] += chance * F(test.capital[name], UNIT)
        alarm += chance * (test.rejected_after is not None)
    for name in SUSPICIONS:
        assert 1 - F(1, 10**6) <= expected[name] <= 1, name
    assert 0 < alarm <= alpha


def test_lawful_draws_are_rejected_no_more_often_than_stated():
    alpha, seeds = F(1, 5), 80
    tests = [law_of(sequence(seeded(seed, 60, MASSES), MASSES), alpha) for seed in range(seeds)]
    # Binomial(80, 1/5) is above 32 with probability below 10^-4
    assert sum(test.verdict is Verdict.REJECTED for test in tests) <= 32


HALVES = [F(1, 2), F(1, 2)]
UNLAWFUL = {
    "the first response always": ([0] * 60, HALVES, ("q",), FREQUENCY),
    "a wrong frequency": ([n % 5 == 0 for n in range(300)], HALVES, ("q",), None),
    "in turn": ([n % 2 for n in range(60)], HALVES, ("q",), None),
    "what was drawn before, again": (
        [p for p in seeded(3, 40, HALVES) for _ in range(4)], HALVES, ("q",), BEFORE
    ),
    "the same group in every iteration": (seeded(4, 4, HALVES) * 20, HALVES, ("q",), None),
    "the same draws for every prompt": (
        [p for group in range(30) for p in seeded(group, 4, HALVES) * 2], HALVES, ("q", "r"), PROMPT
    ),
}  # fmt: skip


@pytest.mark.parametrize(("positions", "masses", "prompts", "suspicion"), UNLAWFUL.values(), ids=UNLAWFUL)
def test_unlawful_draws_are_rejected(positions, masses, prompts, suspicion):
    test = law_of(sequence(map(int, positions), masses, prompts=prompts))
    assert test.verdict is Verdict.REJECTED
    assert suspicion in (None, test.suspicion)


def test_what_depends_on_its_place_in_the_group_is_named_so():
    """Of four draws the first two are good with 9/10, the others with 1/10: good with 1/2 in all, and independent."""
    positions = [seeded((n,), 1, [F(9, 10), F(1, 10)] if n % 4 < 2 else [F(1, 10), F(9, 10)])[0] for n in range(160)]
    test = law_of(sequence(positions, HALVES))
    assert (test.verdict, test.suspicion) == (Verdict.REJECTED, PLACE)


def test_what_depends_on_the_iteration_before_is_named_so():
    """Each draw is the other one of the same draw an iteration before: every place has both as often."""
    first = seeded(4, 8, HALVES)
    positions = [position if iteration % 2 else 1 - position for iteration in range(20) for position in first]
    test = law_of(sequence(positions, HALVES, group=8))
    assert (test.verdict, test.suspicion) == (Verdict.REJECTED, ITERATION)


@pytest.mark.parametrize(("power", "suspicion"), [(2, COLD), (0, WARM)])
def test_a_temperature_is_seen_across_prompts_that_are_drawn_from_once(power, suspicion):
    weights = [mass**power for mass in MASSES]
    tilted = [weight / sum(weights) for weight in weights]
    prompts = tuple(f"q{n}" for n in range(300))
    test = law_of(sequence(seeded(1, 600, tilted), MASSES, group=2, prompts=prompts))
    assert (test.verdict, test.suspicion) == (Verdict.REJECTED, suspicion)


def test_too_few_draws_are_no_consistent_ones():
    # 2^-19 > 10^-6 >= 2^-20: with 19 draws no test of this level can ever reject
    lawful = seeded(0, 20, HALVES)
    assert law_of(sequence(lawful[:19], HALVES)).verdict is Verdict.NOT_ENOUGH
    assert law_of(sequence(lawful, HALVES)).verdict is Verdict.CONSISTENT


def test_bounds_of_masses_hold_them():
    assert mass_bounds(F(1, 2)) == (WHOLE // 2, WHOLE // 2)
    assert mass_bounds(F(1, 3)) == (WHOLE // 3, WHOLE // 3 + 1)
    root = ExactArithmetic().sqrt(F(1, 2))
    exponential = EnclosureArithmetic().exp(F(-1))
    with mpmath.workprec(200):
        for number, value in ((root, mpmath.sqrt(mpmath.mpf(1) / 2)), (exponential, mpmath.exp(-1))):
            lower, upper = mass_bounds(number)
            assert lower <= value * WHOLE <= upper <= lower + 1
    with pytest.raises(TypeError, match="mpf"):
        mass_bounds(mpmath.mpf(1) / 2)


def test_a_probability_is_written_rounded_up():
    assert [decimal_above(F(1, 3)), decimal_above(F(1, 10**6)), decimal_above(F(1))] == ["0.34", "1.0e-6", "1"]


MANY = {"group_size": 12, "outer_iterations": 3, "inner_steps": 1, "step_sizes": (("1/10000",),) * 3, "recorded": None}


def test_a_run_ends_where_supplied_draws_are_rejected():
    test = LawTest(F(1, 10**3))
    with pytest.raises(SupplyViolation) as caught:
        run(problem(**MANY), Supply(draws=DrawsUnderTest(favouring.draws, test)))
    assert caught.value.clause is Clause.DRAW_LAW
    assert f"{test.draws} draws are rejected at 1/1000" in str(caught.value)
    assert caught.value.ledger.draws == test.draws < 36


def test_an_answer_that_is_no_response_keeps_its_own_clause():
    with pytest.raises(SupplyViolation) as caught:
        run(problem(**MANY), Supply(draws=DrawsUnderTest(lambda *_: "ugly", LawTest())))
    assert caught.value.clause is Clause.DRAW_SUPPORTED


def written(folder, name, given, **options):
    path = folder / name
    with TraceWriter(path) as writer:
        run(given, observer=writer, **options)
    return str(path)


def told(*arguments):
    result = CliRunner().invoke(app, ["draws", *arguments, "--json"])
    return result.exit_code, json.loads(result.stdout) if result.stdout else result.stderr


def test_the_command_judges_traces(tmp_path):
    lawful = [written(tmp_path, f"{seed}.jsonl", problem(**MANY), seed=seed) for seed in (1, 2)]
    status, found = told(*lawful)
    assert (status, found["verdict"], found["draws"]) == (0, "consistent", 72)
    few = written(tmp_path, "few.jsonl", problem())
    assert told(few)[0] == 3
    biased = problem(**MANY | {"recorded": (((*["good"] * 11, "bad"),),) * 3})
    status, found = told(written(tmp_path, "biased.jsonl", biased), "--alpha", "1/1000")
    assert (status, found["verdict"]) == (1, "rejected")
    assert found["rejected_after"] < 36
    status, said = told(lawful[0], written(tmp_path, "again.jsonl", problem(**MANY), seed=1))
    assert (status, "seed 1 is that of" in said) == (2, True)
    assert told(lawful[0], "--alpha", "2")[0] == 2
    assert told(lawful[0], "--alpha", "x")[0] == 2
    assert told(lawful[0], lawful[0])[0] == 2


def test_the_masses_of_a_trace_are_derived_and_not_read(tmp_path):
    """Draws that are 11 of 12 good pass as draws of 11/12, if the trace is believed that says so."""
    biased = problem(**MANY | {"recorded": (((*["good"] * 11, "bad"),),) * 3})
    path = Path(written(tmp_path, "biased.jsonl", biased))
    before = path.read_text()
    path.write_text(before.replace('"old_masses": ["1/2"', '"old_masses": ["11/12"'))
    assert path.read_text() != before
    status, said = told(str(path))
    assert (status, "old_masses" in said) == (1, True)


@pytest.mark.parametrize(
    ("supply", "alpha", "status", "said"),
    [
        ("favouring", "1/1000", 1, "draws are rejected at 1/1000"),
        ("favouring", "1e-12", 0, ""),  # of 36 fair draws each sequence has 2^-36, which is above it
        ("honest", "1/1000", 2, "no draws are supplied to be tested"),
        ("favouring", "2", 2, "no probability that an error can have"),
    ],
)
def test_the_command_tests_supplied_draws(tmp_path, monkeypatch, supply, alpha, status, said):
    monkeypatch.chdir(Path(__file__).parent.parent.parent)
    (tmp_path / "problem.toml").write_text(problem_to_toml(problem(**MANY)), encoding="utf-8")
    named = ["--supply", f"tests.hostile.supplies:{supply}", "--draw-law", alpha]
    done = CliRunner().invoke(app, ["run", str(tmp_path / "problem.toml"), "--json", *named])
    assert (done.exit_code, said in done.stderr) == (status, True)
    assert bool(done.stdout) is (status == 0)


def test_two_prompts_are_told_apart(tmp_path):
    prompts = tuple(Prompt(i, name, ("good", "bad"), (1, 0), ("1/2", "1/2")) for i, name in enumerate("qr"))
    given = problem(**MANY | {"prompts": prompts, "family": Bernoulli()})
    assert told(written(tmp_path, "two.jsonl", given, seed=5))[1]["verdict"] == "consistent"


def test_two_problems_may_have_a_prompt_of_one_name(tmp_path):
    three = (Prompt(0, "q", ("good", "bad", "odd"), (1, 0, 0), ("1/3",) * 3),)
    other = problem(**MANY | {"prompts": three, "family": Simplex((3,)), "theta": ("1/3", "1/3")})
    traces = [written(tmp_path, "two.jsonl", problem(**MANY), seed=1), written(tmp_path, "three.jsonl", other, seed=2)]
    status, found = told(*traces)
    assert (status, found["draws"]) == (0, 72)
    assert told(*reversed(traces))[0] == 0


def test_draws_are_not_counted_twice(tmp_path):
    trace = Path(written(tmp_path, "once.jsonl", problem(**MANY), seed=1))
    with pytest.raises(BadOption, match="its draws are no new ones"):
        list(draws_of_traces([trace, trace]))


@pytest.mark.slow
def test_lawful_draws_are_rejected_no_more_often_than_stated_over_many_seeds():
    alpha, seeds = F(1, 20), 1000
    tests = [law_of(sequence(seeded(seed, 100, MASSES), MASSES), alpha) for seed in range(seeds)]
    # Binomial(1000, 1/20) is above 80 with probability below 10^-4
    assert sum(test.verdict is Verdict.REJECTED for test in tests) <= 80


@pytest.mark.slow
@pytest.mark.parametrize("bias", [F(3, 4), F(3, 5)])
def test_a_biased_coin_is_rejected_after_about_as_many_draws_as_its_divergence_says(bias):
    """n KL(bias || 1/2) = log(7/alpha) + (log n)/2: the evidence, less what the mixture and learning cost."""
    expected = 100.0
    divergence = float(bias) * math.log(2 * bias) + float(1 - bias) * math.log(2 * (1 - bias))
    for _ in range(50):
        expected = (math.log(7 * 10**6) + math.log(expected) / 2) / divergence
    after = [law_of(sequence(seeded(s, 4000, [bias, 1 - bias]), HALVES)).rejected_after for s in range(15)]
    assert expected / 2 < sorted(after)[7] < expected * 2


def test_one_trace_is_not_counted_under_two_names(tmp_path):
    """Draws of a record have no seed that would tell them from new ones: counted twice, they say twice as much."""
    recorded = problem(**MANY | {"recorded": ((("good",) * 12,),) * 3})
    trace = Path(written(tmp_path, "once.jsonl", recorded))
    for name, linked in (("symbolic.jsonl", Path.symlink_to), ("hard.jsonl", Path.hardlink_to)):
        linked(tmp_path / name, trace)
        status, said = told(str(trace), str(tmp_path / name))
        assert (status, "a trace is named twice" in said) == (2, True)
    assert told(str(trace), str(tmp_path / ".." / tmp_path.name / "once.jsonl"))[0] == 2
