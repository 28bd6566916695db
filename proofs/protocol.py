"""The protocol alone: core's run under every script of oracle answers, and runs with a penalty beside a third reading.

The scripted oracles say whatever the script says: the domain oracle admits or refuses each proposal, the gradient
oracle gives one of two vectors or says undefined. What a run has to do then follows from the script alone, and is
written out here from the specification: walk the answers up to the first stop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from grpocheck.contracts.claims import Kind
from grpocheck.core import UNDEFINED_GRADIENT, Outcome, Prompt, Supply, problem_from_mapping, run
from grpocheck.core.frozen import FrozenIteration
from grpocheck.core.oracles import Undefined
from grpocheck.proofs.digits import Reading, enclosed
from grpocheck.proofs.digits import number as rounded
from grpocheck.proofs.evidence import Budget, Finding, evidence, held, refuted

Answer = tuple[Fraction, bool] | None
"""What an inner step is told: a gradient and whether the proposal is in U; None for an undefined gradient."""

SLOPES = (Fraction(1), Fraction(-2))
STEP, START = Fraction(1, 4), Fraction(1, 2)
REWARDS = {"a": Fraction(0), "b": Fraction(1, 3), "c": Fraction(-1)}


@dataclass(frozen=True)
class Script:
    """The answers of a run of T outer iterations of K steps for M prompts with G draws, up to its stop."""

    outer: int
    inner: int
    prompts: int
    group: int
    answers: tuple[Answer, ...]

    @property
    def status(self) -> str:
        """The status that the last answer makes."""
        if self.answers[-1] is None:
            return "undefined-gradient"
        return "complete" if self.answers[-1][1] else "invalid-update"

    def path(self) -> list[Fraction]:
        """theta_0 and the parameter after each applied step."""
        path = [START]
        for answer in self.answers:
            if answer is not None and answer[1]:
                path.append(path[-1] + STEP * answer[0])
        return path

    def problem(self) -> dict[str, object]:
        """The problem that the script answers for."""
        prompts = [
            {"name": f"q{i}", "responses": list(REWARDS), "rewards": list(map(str, REWARDS.values())),
             "reference": ["1/4", "1/4", "1/2"]}
            for i in range(self.prompts)
        ]  # fmt: skip
        return {
            "group_size": self.group, "outer_iterations": self.outer, "inner_steps": self.inner, "epsilon": "1/5",
            "beta": 0, "step_size": str(STEP), "theta": [str(START)], "family": "supplied", "prompts": prompts,
            "domain": {"kind": "open-box", "lower": ["-100"], "upper": ["100"]},
        }  # fmt: skip


def scripts(outer: int, inner: int, prompts: int, group: int) -> Iterator[Script]:
    """Every script: applied steps up to a stop of either kind, or up to the end."""
    applied = [(slope, True) for slope in SLOPES]
    stops: list[Answer] = [None, *((slope, False) for slope in SLOPES)]
    for steps in range(outer * inner + 1):
        for before in product(applied, repeat=steps):
            if steps == outer * inner:
                yield Script(outer, inner, prompts, group, before)
            else:
                yield from (Script(outer, inner, prompts, group, (*before, stop)) for stop in stops)


@dataclass
class Oracles:
    """Oracles that answer from a script, and note what they are asked and shown."""

    script: Script
    asked: list[tuple[Fraction, ...]] = field(default_factory=list)
    proposals: list[tuple[Fraction, ...]] = field(default_factory=list)
    frozen: list[object] = field(default_factory=list)
    drawn: int = 0

    def masses(self, theta: Sequence[Fraction], prompt: Prompt, arithmetic: object) -> list[Fraction]:
        """A policy that does not move."""
        return [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]

    def mass_gradients(self, theta: Sequence[Fraction], prompt: Prompt, arithmetic: object) -> list[list[Fraction]]:
        """Nor has it slopes: the gradient oracle is the script's."""
        return [[Fraction(0)]] * len(REWARDS)

    def draw(self, masses: object, prompt: Prompt, outer_iteration: int, draw: int) -> str:
        """Responses in turn, from another one on in each outer iteration."""
        self.drawn += 1
        return prompt.responses[(outer_iteration + prompt.position + draw * draw) % len(REWARDS)]

    def gradient(self, frozen: FrozenIteration, theta: Sequence[Fraction]) -> list[Fraction] | Undefined:
        """The script's next gradient."""
        answer = self.script.answers[len(self.asked)]
        self.asked.append(tuple(theta))
        data = [(group.positions, group.rewards, group.advantages, group.old_masses) for group in frozen.groups]
        self.frozen.append((frozen.theta_old, data, [group.prompt.reference for group in frozen.groups]))
        return UNDEFINED_GRADIENT if answer is None else [answer[0]]

    def domain(self, theta: Sequence[Fraction]) -> bool:
        """The script's answer for a proposal; theta_0, asked about before the run, is inside."""
        if not self.asked:
            return True
        self.proposals.append(tuple(theta))
        answer = self.script.answers[len(self.asked) - 1]
        return answer is not None and answer[1]


def broken_claims(script: Script, oracles: Oracles, outcome: Outcome) -> list[str]:
    """The claims that a run under a script breaks."""
    path, attempts, ledger = script.path(), len(script.answers), outcome.ledger
    started = -(-attempts // script.inner)
    applied = [step.theta for iteration in outcome.iterations for step in iteration.steps if step.is_member]
    given = [answer for answer in script.answers if answer is not None]
    places = list(zip(path, script.answers, strict=False))
    shown = [oracles.frozen[k] for k in range(attempts)]
    same = [shown[k] == shown[k - k % script.inner] for k in range(attempts)]
    fixed = [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)]
    held_of = {
        "A1": applied == [(theta,) for theta in path[1:]]
        and oracles.proposals == [(theta + STEP * answer[0],) for theta, answer in places if answer is not None],
        "A2": outcome.theta == (path[-1],),
        "C1": ledger.draws == oracles.drawn == script.prompts * script.group * started
        and (script.status != "complete" or started == script.outer),
        "C2": ledger.gradient_attempts == len(oracles.asked) == attempts <= script.outer * script.inner
        and attempts == len(applied) + (script.status != "complete"),
        "C3": ledger.membership_calls == len(oracles.proposals) == len(given) <= attempts,
        "C4": str(outcome.status) == script.status and len(outcome.iterations) == started,
        "D1": all(same) and all(data[0] == (path[k - k % script.inner],) for k, data in enumerate(shown)),  # type: ignore[index]
        "D2": all(list(reference) == fixed for data in shown for reference in data[2]),  # type: ignore[index]
    }
    return [claim for claim, holds in held_of.items() if not holds]


SCRIPTED = ("A1", "A2", "C1", "C2", "C3", "C4", "D1", "D2")


@evidence(
    *SCRIPTED,
    kind=Kind.ENUMERATION,
    scope="the protocol alone: every script of oracle answers, two gradients, T and K up to 3, M and G up to 2 and 3",
    seconds=200,
    contracts=False,
)
def every_script_of_answers(budget: Budget) -> dict[str, Finding]:
    """A run does what the script of its oracles' answers says, whatever that is."""
    listed = [
        script
        for outer, inner in product(range(1, 4), repeat=2)
        for prompts, group in ((1, 2), (2, 3))
        for script in scripts(outer, inner, prompts, group)
    ]
    failures: dict[str, str] = {}
    for done, script in enumerate(listed, start=1):
        budget.step(done, len(listed))
        oracles = Oracles(script)
        supply = Supply(policy=oracles, draws=oracles.draw, gradient=oracles.gradient, domain=oracles.domain)
        try:
            outcome = run(problem_from_mapping(script.problem()), supply, one_answer=False)
        except Exception as error:  # these oracles keep their clauses, so an error instead of a status refutes C4
            failures |= dict.fromkeys(SCRIPTED, f"{script}: core raises {type(error).__name__}: {error}")
            break
        for claim in broken_claims(script, oracles, outcome):
            failures.setdefault(claim, f"{script}: core gives {outcome.to_mapping()}")
    return {
        claim: refuted(failures[claim], scripts=len(listed)) if claim in failures else held(scripts=len(listed))
        for claim in SCRIPTED
    }


def penalised_problems() -> Iterator[dict[str, object]]:
    """M = 1, n = 2, G = 2: masses, references and rewards of a small grid, every draw, two epsilons, three betas."""
    for mass, base, rewards, drawn, epsilon, beta, step in product(
        (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2), Fraction(5, 6)),
        (Fraction(1, 3), Fraction(1, 2)),
        ((0, 1), (1, 0), ("1/2", "1/2")),
        ("aa", "ab", "bb"),
        ("1/5", "1/2"),
        ("1/25", "1", "3"),
        ("1/20", "1/2"),
    ):
        yield {
            "group_size": 2, "outer_iterations": 1, "inner_steps": 2, "epsilon": epsilon, "beta": beta,
            "step_size": step, "theta": [str(mass)], "family": "simplex", "draws": {"recorded": [[list(drawn)]]},
            "prompts": [{"name": "q", "responses": ["a", "b"], "rewards": list(rewards),
                         "reference": [str(base), str(1 - base)]}],
        }  # fmt: skip


@evidence(
    "A1", "A2", "B4", "B5", "C2", "C3", "C4", "F2",
    kind=Kind.ENUMERATION,
    scope="whole runs with a penalty: n = 2, G = 2, K = 2, beta 1/25, 1 and 3, to 1e-25 of 80 digits",
    seconds=200,
    contracts=False,
)  # fmt: skip
def penalised_runs(budget: Budget) -> Finding:
    """Where logarithms come in: status, calls, theta and F after each step, enclosed by core and read to 80 digits."""
    listed, slack = list(penalised_problems()), rounded(Fraction(1, 10**25))
    for done, stated in enumerate(listed, start=1):
        budget.step(done, len(listed))
        problem = problem_from_mapping(stated)
        told, wanted = run(problem).to_mapping(), Reading(problem).run()
        ledger = told["ledger"]
        calls = (ledger["gradient_attempts"], ledger["membership_calls"], ledger["steps_applied"])
        same = (told["status"], *calls) == (
            wanted.status, wanted.attempts, wanted.memberships, len(wanted.objectives)
        )  # fmt: skip
        values = [*told["theta"], *(step["objective"] for step in told["steps"])]
        same = same and all(map(enclosed, values, [*wanted.theta, *wanted.objectives], [slack] * len(values)))
        if not same:
            return refuted(f"{stated}: core gives {told}, 80 digits give {wanted}", runs=done)
    return held(runs=len(listed))
