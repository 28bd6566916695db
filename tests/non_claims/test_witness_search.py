"""The searcher: its grids are whole, what it leaves out by symmetry changes nothing, and it can find nothing."""

import os
import random
import subprocess
import sys
from fractions import Fraction as F
from itertools import product
from pathlib import Path

import pytest
from grpocheck.proofs.non_claims.grid import Grid, Kind, problem_of
from grpocheck.proofs.non_claims.refutations import objective_falls, return_falls, theta_cycles
from grpocheck.proofs.non_claims.search import find_nothing, find_witness, main
from grpocheck.proofs.non_claims.searcher import search
from grpocheck.proofs.non_claims.shapes import SMALLEST, Shape, height, mass_functions, shapes
from grpocheck.proofs.non_claims.truth import Stopped, law
from grpocheck.proofs.non_claims.witnesses import ONE_PROMPT, Impossible, Witness, one_prompt_two_responses

ROOT = Path(__file__).parents[2]
FEW_STEPS = (F(1, 16), F(1, 4), F(1, 2))


def test_shapes_in_their_order():
    assert [tuple(shape) for shape in shapes(8)] == [
        (1, 2, 2, 1, 1),
        (2, 2, 2, 1, 1),
        (1, 3, 2, 1, 1),
        (1, 2, 3, 1, 1),
        (1, 2, 2, 2, 1),
        (1, 2, 2, 1, 2),
    ]
    # stars and bars: five counts with 2 units to spare at size 9
    assert len([shape for shape in shapes(9) if shape.size == 9]) == 15


def test_heights_and_masses():
    assert height([F(0), F(1), F(-2, 3)]) == 1 + 2 + 5
    assert mass_functions(2, 4) == tuple((p, 1 - p) for p in (F(1, 4), F(1, 3), F(1, 2), F(2, 3), F(3, 4)))
    assert len(mass_functions(3, 6)) == 1 + 3 + 6 + 10 - 1  # over 3, 4, 5, 6; 2/6 is 1/3 again


@pytest.mark.parametrize(
    ("shape", "count"),
    [
        # 5 masses x (3 rewards with least 0 x 4 ordered draws)^M, times 2 epsilons
        (Shape(1, 2, 2, 1, 1), 5 * 12 * 2),
        (Shape(2, 2, 2, 1, 1), 5 * 12**2 * 2),
        (Shape(3, 2, 2, 1, 1), 5 * 12**3 * 2),
        (Shape(2, 2, 2, 1, 2), 5 * (3 * 4 * 4) ** 2 * 2),
        (Shape(1, 2, 3, 1, 1), 5 * (3 * 8) * 2),
        # 4 masses x 7 rewards with least 0 x 9 ordered draws
        (Shape(1, 3, 2, 1, 1), 4 * 7 * 9 * 2),
        (Shape(2, 3, 2, 1, 1), (4 * 7 * 9) ** 2 * 2),
    ],
)
def test_the_cases_stand_for_every_ordered_problem_of_the_grid(shape, count):
    cases = Grid(9, step_sizes=FEW_STEPS[:1], epsilons=(F(1, 4), F(1, 2))).cases(shape)
    assert sum(case.stands_for for case in cases) == count
    assert len(set(cases)) == len(cases)
    assert [case.height for case in cases] == sorted(case.height for case in cases)


def test_the_height_is_that_of_the_numbers_of_the_file():
    shape = Shape(2, 2, 2, 1, 1)
    case = Grid(8, step_sizes=FEW_STEPS).cases(shape)[-1]
    problem = problem_of(case, shape)
    per_prompt = [number for prompt in problem.prompts for number in (*prompt.rewards, *prompt.reference)]
    steps = problem.step_sizes[0]
    assert case.height == height([*problem.theta, *per_prompt, problem.epsilon, problem.beta, *steps])


def variants(case):
    """The same case with the draws of its groups turned round, its prompts turned round, its responses exchanged."""
    turned = tuple(kind._replace(draws=tuple(group[::-1] for group in kind.draws)) for kind in case.prompts)
    yield case._replace(prompts=turned)
    yield case._replace(prompts=case.prompts[::-1])
    mirrored = tuple(
        Kind(
            kind.masses[::-1],
            kind.rewards[::-1],
            kind.reference[::-1],
            tuple(tuple(1 - position for position in group) for group in kind.draws),
        )
        for kind in case.prompts
    )
    yield case._replace(theta=(1 - case.theta[0],), prompts=mirrored)


def verdict(refute, problem):
    try:
        return refute(problem) is not None
    except Stopped:
        return "stopped"


def test_symmetric_problems_have_one_verdict():
    chosen = random.Random(3)
    seen = set()
    for refute, shape in [
        (objective_falls, Shape(3, 2, 2, 1, 1)),
        (return_falls, Shape(2, 2, 2, 1, 1)),
        (theta_cycles, Shape(2, 2, 2, 1, 2)),
    ]:
        grid = Grid(9, rewards=(F(0), F(1), F(2)), step_sizes=(F(3, 8), F(1, 2)), epsilons=(F(1, 2),), masses=4)
        cases = [case for case in grid.cases(shape) if case.theta[0] == F(1, 4)]
        refuting = [case for case in chosen.sample(cases, 30) if verdict(refute, problem_of(case, shape)) is True]
        for case in (*chosen.sample(cases, 8), *refuting[:3]):
            first = verdict(refute, problem_of(case, shape))
            seen.add(first)
            assert [verdict(refute, problem_of(other, shape)) for other in variants(case)] == [first] * 3
    assert seen == {True, False, "stopped"}


def test_the_law_is_that_of_the_ordered_draws():
    shape = Shape(1, 3, 2, 1, 1)
    grid = Grid(8, drawn=False, step_sizes=(F(1, 32),), epsilons=(F(1, 2),))
    case = next(case for case in grid.cases(shape) if case.theta == (F(1, 4), F(1, 2)))
    problem = problem_of(case, shape)
    masses = {"a": F(1, 4), "b": F(1, 2), "c": F(1, 4)}
    ordered = {}
    for first, second in product("abc", repeat=2):
        key = frozenset((first, second))
        ordered[key] = ordered.get(key, 0) + masses[first] * masses[second]
    found = {}
    for probability, outcome in law(problem):
        (group,) = outcome.iterations[0].frozen.groups
        found[frozenset("abc"[position] for position in group.positions)] = probability
    assert found == ordered
    assert sum(found.values()) == 1


def test_the_impossible_is_not_found_and_the_searcher_says_why():
    grid = Grid(8, admits=one_prompt_two_responses, step_sizes=FEW_STEPS[::2], epsilons=(F(1, 4),), masses=3)
    done = search(objective_falls, grid)
    assert done.found is None
    assert [entry.shape for entry in done.excluded] == [
        SMALLEST,
        Shape(1, 2, 3, 1, 1),
        Shape(1, 2, 2, 2, 1),
        Shape(1, 2, 2, 1, 2),
    ]
    assert all(entry.whole and entry.stopped < entry.cases for entry in done.excluded)
    said = []
    assert find_nothing(Impossible("n1", objective_falls, grid, ONE_PROMPT), said.append)
    assert f"  nothing found in {done.cases} cases, standing for {done.stands_for}; as it must be:" in said
    assert f"  {ONE_PROMPT}" in said


def test_what_cannot_be_and_is_found_fails():
    said = []
    with_penalty = Grid(7, betas=(F(1),), epsilons=(F(1, 2),))
    assert not find_nothing(Impossible("n1", objective_falls, with_penalty, ONE_PROMPT), said.append)
    assert any("FOUND WHAT CANNOT BE" in line for line in said)


def test_a_witness_that_is_not_found_fails():
    said = []
    grid = Grid(7, step_sizes=(F(1, 16),), epsilons=(F(1, 2),), masses=3)
    assert not find_witness(Witness("n1", "N1", ("",), objective_falls, grid), False, said.append)
    assert any("NOTHING FOUND" in line for line in said)


QUICK = ("n1_penalty_overshoots", "n5a_log_ratio_negative", "n5b_sample_divergence_negative")


def test_the_search_finds_what_is_stored(monkeypatch):
    monkeypatch.chdir(ROOT)
    said = []
    assert main([*QUICK, "n4b_divergence_above_10_nats"], said.append) == 0
    assert sum("as stored" in line for line in said) == 4
    assert "0 of 4 searches failed: none" in said


def test_a_stored_file_that_is_not_the_smallest_is_told(tmp_path, monkeypatch):
    folder = tmp_path / "examples" / "non_claims"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    said = []
    assert main([QUICK[0]], said.append) == 1
    assert main([QUICK[0], "--write"], said.append) == 0
    stored = folder / f"{QUICK[0]}.toml"
    assert stored.read_text("utf-8") == (ROOT / "examples/non_claims" / stored.name).read_text("utf-8")
    stored.write_text(stored.read_text("utf-8").replace('theta = ["1/3"]', 'theta = ["1/4"]'), "utf-8")
    assert main([QUICK[0]], said.append) == 1
    assert sum("THE STORED FILE DIFFERS" in line for line in said) == 2


def test_an_unknown_name_is_refused(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["n9"])
    assert stop.value.code == 2
    assert "'n9': expected one of n1_objective_falls" in capsys.readouterr().err


@pytest.mark.slow
def test_every_search_reproduces_its_stored_file():
    done = subprocess.run(
        [sys.executable, "-m", "grpocheck.proofs.non_claims.search"],
        cwd=ROOT,
        env={**os.environ, "GRPOCHECK_CONTRACTS": "off"},
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("as stored") == 14
    assert done.stdout.count("nothing found in") == 1
