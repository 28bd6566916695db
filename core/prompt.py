"""A prompt with all that is fixed about it before a run.

Seed [000]: prompts q_1..q_M in a fixed order; for each a finite truncated response set Y_q, an ordered support
B_q = (b_1, .., b_n) inside it, a finite reward function on B_q, and a reference mass function positive on exactly B_q.
"""

from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, total
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import count, distinct_texts, entries, rationals, text


@invariant(
    lambda self: len(self.responses) == len(self.rewards) == len(self.reference) >= 1,
    "one reward and one reference mass for each of the n >= 1 responses of the support",
)
@dataclass(frozen=True)
class Prompt:
    """One prompt q_l; an empty response set stands for the support itself.

    ``position`` is counted from 0, ``rewards`` are in reward units. Constructing one that is not a prompt raises
    InvalidProblem; numbers may be given as int, Fraction or text ("1/3").
    """

    position: int
    name: str
    responses: tuple[str, ...]
    rewards: tuple[Fraction, ...]
    reference: tuple[Fraction, ...]
    response_set: tuple[str, ...] = ()

    @ensure(lambda self: is_mass_function(self.reference), "the reference is positive on the support with sum 1")
    @ensure(lambda self: set(self.responses) <= set(self.response_set), "the support B_q lies inside Y_q")
    def __post_init__(self) -> None:
        """Read the numbers exactly and refuse what is no prompt."""
        key = f"prompts[{count('prompts.position', self.position, 0)}]"
        if not text(f"{key}.name", self.name):
            raise InvalidProblem(f"{key}.name", self.name, "a name that is not empty")
        responses = distinct_texts(f"{key}.responses", self.responses, "response")
        response_set = responses
        if self.response_set:
            response_set = distinct_texts(f"{key}.response_set", self.response_set, "response")
            missing = [response for response in responses if response not in set(response_set)]
            if missing:
                raise InvalidProblem(f"{key}.responses", missing[0], "a response of the truncated response set")
        if len(entries(f"{key}.rewards", self.rewards, "a list of numbers")) != len(responses):
            raise InvalidProblem(f"{key}.rewards", self.rewards, f"{len(responses)} rewards, one for each response")
        object.__setattr__(self, "responses", responses)
        object.__setattr__(self, "response_set", response_set)
        object.__setattr__(self, "rewards", rationals(f"{key}.rewards", self.rewards))
        object.__setattr__(self, "reference", mass_function(f"{key}.reference", self.reference, len(responses)))


@total("bad input raises InvalidProblem")
@ensure(lambda result: is_mass_function(result), "A3: the masses are positive with sum 1")
def mass_function(key: str, values: object, size: int) -> tuple[Fraction, ...]:
    """Positive masses that sum to exactly 1."""
    if len(entries(key, values, "a list of numbers")) != size:
        raise InvalidProblem(key, values, f"{size} masses, one for each response")
    masses = rationals(key, values)
    for i, mass in enumerate(masses):
        if mass <= 0:
            raise InvalidProblem(f"{key}[{i}]", mass, "a mass above 0")
    if sum(masses) != 1:
        raise InvalidProblem(key, sum(masses), "masses that sum to exactly 1")
    return masses
