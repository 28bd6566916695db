"""The procedure: at most K iterations of generate, reward, compare and append, with every oracle call counted.

Seed [003], "Multi-Iteration Refinement". The four steps of an iteration come first, then the three stopping rules in
their order, so the last group's patterns are in the bank that a run leaves. The introspection is not asked about a
group whose rewards are all equal: there is no high and no low to compare.
"""

import secrets
from dataclasses import dataclass, field
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, require, total
from grpocheck.contracts.comparisons import decided_sign, equal
from grpocheck.contracts.training_free import are_whitened, continues, is_largest
from grpocheck.core.arithmetic.decimals import rational_text
from grpocheck.core.arithmetic.enclosure import EnclosureArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.draws import GENERATOR, uniform_bits
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.procedure import FRESH_SEED_BITS
from grpocheck.core.training_free.decoding import Decoded, ResponseLevel, decoded
from grpocheck.core.training_free.guard import Guard
from grpocheck.core.training_free.ledger import Bounds, Ledger
from grpocheck.core.training_free.oracles import Group, Member, Supply
from grpocheck.core.training_free.outcome import Iteration, Outcome
from grpocheck.core.training_free.patterns import Bank
from grpocheck.core.training_free.responses import Response, ResponseTable, Shape, Tokens, TokenTable
from grpocheck.core.training_free.reward import epistemic_reward, external_reward, reward
from grpocheck.core.training_free.stopping import Stop, stopping_reason
from grpocheck.core.training_free.task import Task
from grpocheck.core.training_free.trace import SCHEMA, Kind, Record
from grpocheck.core.training_free.whitening import STABILISER, sample_deviation, whitened
from grpocheck.core.training_free.writing import task_to_mapping


@dataclass
class History:
    """What the reward of a response depends on beside the response: what was generated, and which tests still fail."""

    seen: set[Response] = field(default_factory=set)
    failing: tuple[str, ...] = ()

    @require(lambda self, members: all(member.response in self.seen for member in members), "they were generated")
    @ensure(lambda self, members: not any(m.passed[t] for m in members for t in self.failing), "what passed once")
    def after(self, members: tuple[Member, ...]) -> None:
        """Let a whole group count as earlier: a test that one of its responses passes is no longer failing."""
        self.failing = tuple(test for test in self.failing if not any(member.passed[test] for member in members))

    @total("any response may be generated")
    @ensure(lambda self, response: response in self.seen, "seen from now on")
    def is_novel(self, response: Response) -> bool:
        """Whether a response is generated for the first time; later it is not."""
        novel = response not in self.seen
        self.seen.add(response)
        return novel


@total("a missing oracle raises InvalidProblem")
@ensure(lambda task, result: result.ledger.bounds.generations == task.iterations * task.group_size, "at most K*G")
def guarded(task: Task, supply: Supply, record: Record) -> Guard:
    """The oracles of a run behind their guard: supplied, else the task's. Raises InvalidProblem without one."""
    tests, quality = supply.tests, supply.quality
    if task.answers is not None:
        tests, quality = tests or task.answers.tests, quality or task.answers.quality
    introspection = supply.introspection or task.introspection
    if tests is None:
        raise InvalidProblem("responses", None, "tests that pass for each response, or a supply with a test runner")
    if quality is None:
        raise InvalidProblem("responses", None, "a quality for each response, or a supply with one")
    if introspection is None:
        raise InvalidProblem("introspection", None, "an introspection, of the task or supplied")
    model = task.model
    distribution, next_tokens = supply.distribution, supply.next_tokens
    if distribution is None and next_tokens is None:
        distribution = model.distribution if isinstance(model, ResponseTable) else None
        next_tokens = model.next_tokens if isinstance(model, TokenTable) else None
    shape = model.shape if isinstance(model, TokenTable) else model if isinstance(model, Shape) else None
    if (next_tokens is None) != (shape is None) or (next_tokens is None) == (distribution is None):
        raise InvalidProblem("tokens", None, "a base model token by token with a shape, or one over whole responses")
    ledger = Ledger(Bounds(task.iterations, task.group_size))
    return Guard(task, ledger, record, distribution, next_tokens, shape, tests, quality, introspection)


@require(lambda iteration, number: iteration >= 1 and number >= 1, "iterations and responses are counted from 1")
@require(lambda task, seed: seed is not None or task.recorded is not None, "draws have a source")
@ensure(lambda distribution, result: distribution.supports(result), "a response of positive mass")
def drawn(task: Task, seed: int | None, distribution: Decoded, iteration: int, number: int) -> Response:
    """One draw: off the task's record, or from the seed with exactly the distribution's law."""
    if task.recorded is not None and isinstance(distribution, ResponseLevel):
        spoken = task.recorded[iteration - 1][number - 1]
        return next(response for response in distribution.responses if response.text == spoken)
    assert seed is not None
    return distribution.draw(uniform_bits(seed, (iteration, number)))


@require(lambda task, number: 1 <= number <= task.iterations, "iterations are counted from 1 to K")
@require(lambda guard, number: guard.ledger.iterations_started == number - 1, "in their order")
@ensure(lambda guard, number, task: guard.ledger.generations == number * task.group_size, "G generations an iteration")
@ensure(lambda result: are_whitened([m.advantage for m in result.members], result.deviation, STABILISER), "whitened")
@ensure(lambda result: is_largest(result.best, [m.reward for m in result.members]), "the best reward of the group")
@ensure(
    lambda result: result.patterns == () or decided_sign(result.deviation) != 0, "equal rewards: nothing to compare"
)
def iteration_of(
    task: Task, guard: Guard, distribution: Decoded, history: History, arithmetic: Arithmetic, number: int,
    seed: int | None,
) -> Iteration:
    """Steps 1 to 3 of an iteration: a group, its rewards and advantages, and the patterns that comparing it gives."""
    guard.ledger.count("iterations_started")
    entropy = distribution.entropy(arithmetic)
    guard.record.tell(Kind.ITERATION, t=number, entropy=entropy_text(distribution), failing=list(history.failing))
    assessed = []
    for place in range(1, task.group_size + 1):
        guard.ledger.count("generations")
        response = drawn(task, seed, distribution, number, place)
        novel = history.is_novel(response)
        told = {"tokens": list(response.tokens), "text": response.text, "novel": novel}
        guard.record.tell(Kind.RESPONSE, t=number, i=place, **told)
        passed, quality = guard.assessed(response, number, place)
        external = external_reward(passed, history.failing, quality, task.weights)
        assessed.append((response, passed, quality, external, novel))
    rewards = [
        reward(external, epistemic_reward(entropy, novel), task.weights) for *_, external, novel in assessed
    ]
    deviation = sample_deviation(rewards, arithmetic)
    advantages = whitened(rewards, deviation)
    members = tuple(
        Member(*facts, worth, advantage) for facts, worth, advantage in zip(assessed, rewards, advantages, strict=True)
    )
    guard.record.tell(
        Kind.GROUP,
        t=number,
        external=[rational_text(member.external) for member in members],
        deviation=arithmetic.text(deviation),
        advantages=[arithmetic.text(advantage) for advantage in advantages],
    )
    history.after(members)
    differ = not arithmetic.equal(deviation, arithmetic.number(Fraction(0)))
    group = Group(task.prompt, number, members, vocabulary_of(distribution), arithmetic)
    patterns = guard.introspected(group) if differ else ()
    return Iteration(number, distribution, entropy, members, deviation, largest(rewards, arithmetic), patterns)


@require(lambda rewards: len(rewards) >= 2, "a group has at least two rewards")
@ensure(lambda rewards, result: is_largest(result, rewards), "no reward is above it")
def largest(rewards: list[Scalar], arithmetic: Arithmetic) -> Scalar:
    """The best reward of a group."""
    best = rewards[0]
    for other in rewards[1:]:
        best = arithmetic.maximum(best, other)
    return best


@total("every distribution has tokens, or responses without any")
@ensure(lambda result: len(set(result)) == len(result), "each token once")
def vocabulary_of(distribution: Decoded) -> Tokens:
    """The tokens that occur in responses of positive mass, in the order of the base model."""
    if isinstance(distribution, ResponseLevel):
        return tuple(dict.fromkeys(token for response in distribution.responses for token in response.tokens))
    return tuple(dict.fromkeys(token for row in distribution.rows.values() for token, _ in row))


@total("every distribution has an entropy")
@ensure(lambda result: Fraction(result if isinstance(result, str) else result[1]) >= 0, "an entropy is at least 0")
def entropy_text(distribution: Decoded) -> str | list[str]:
    """The entropy as a trace writes it; its bounds depend on nothing that was compared before."""
    fresh = EnclosureArithmetic()
    return fresh.text(distribution.entropy(fresh))


@require(lambda seed: seed is None or seed >= 0, "a seed is a nonnegative integer")
@ensure(lambda task, seed, result: task.recorded is None or seed is not None or result is None, "a record needs none")
def chosen_seed(task: Task, seed: int | None) -> int | None:
    """The given seed, else none for recorded draws, else the task's, else a fresh one."""
    if seed is not None:
        return seed
    if task.recorded is not None:
        return None
    return secrets.randbits(FRESH_SEED_BITS) if task.seed is None else task.seed


@require(lambda seed: seed is None or seed >= 0, "a seed is a nonnegative integer")
@ensure(lambda result: result.stop in Stop, "a run ends for one of exactly three reasons")
@ensure(lambda task, result: result.ledger.generations <= task.iterations * task.group_size, "at most K*G generations")
@ensure(lambda task, result: result.ledger.introspections <= task.iterations, "at most K introspections")
@ensure(
    lambda result: result.ledger.generations == len(result.iterations) * result.task.group_size,
    "G generations for each iteration",
)
@ensure(lambda task, result: continues(result.bank.patterns, task.bank), "the bank is append-only")
@ensure(
    lambda task, result: len(result.bank.patterns)
    == len(task.bank) + sum(len(iteration.patterns) for iteration in result.iterations),
    "every pattern that was found is in the bank",
)
@ensure(
    lambda result: all(equal(sum(mass for _, mass in entry.distribution.law()), 1) for entry in result.iterations[:1]),
    "response masses sum to 1",
)
def run(task: Task, supply: Supply | None = None, *, seed: int | None = None, record: Record | None = None) -> Outcome:
    """Run a task to its stop.

    ``supply`` replaces the task's oracles; ``seed`` goes before the task's own draws; ``record`` is the trace that is
    written or resumed. Raises SupplyViolation when an oracle breaks its clause, UndecidedComparison where an
    improvement is not told from delta, InvalidProblem where an oracle is missing, TraceMismatch where a resumed trace
    is not this run's, TraceError where it goes on after the outcome.
    """
    supply, record = supply or Supply(), record or Record()
    arithmetic = EnclosureArithmetic()
    guard = guarded(task, supply, record)
    if seed is not None and task.recorded is not None:
        raise InvalidProblem("draws.recorded", task.recorded, "no seed beside it")
    seed = chosen_seed(task, seed)
    draws = {"source": "recorded"} if seed is None else {"source": "seed", "seed": seed, "generator": GENERATOR}
    supplied = dict(sorted(supply.settings.items()))
    record.tell(Kind.START, schema=SCHEMA, task=task_to_mapping(task), draws=draws, supplied=supplied)
    base = guard.base_model()
    bank, history, iterations = Bank(task.kappa, task.bank), History(failing=task.failing), list[Iteration]()
    stop: Stop | None = None
    while stop is None:
        number = len(iterations) + 1
        iterations.append(iteration_of(task, guard, decoded(base, bank), history, arithmetic, number, seed))
        bank = bank.extended(iterations[-1].patterns)
        improvement = iterations[-1].best - iterations[-2].best if number > 1 else None
        solved = iterations[-1].solved
        stop = stopping_reason(solved, number, task.iterations, improvement, task.delta, arithmetic)
        record.tell(Kind.STOP, t=number, bank=len(bank.patterns), reason=None if stop is None else stop.value)
    outcome = Outcome(task, stop, tuple(iterations), bank, guard.ledger, seed, arithmetic)
    record.tell(Kind.OUTCOME, **outcome.to_mapping())
    record.end()
    return outcome
