"""The supply's clauses, and the error of a supply that breaks one.

A broken supply lies outside the model (claim C4): it is an error and no status. The run ends at the call that broke the
clause, with ledger and trace intact up to it.
"""

from enum import Enum

from grpocheck.contracts.clauses import ensure, require


class Clause(Enum):
    """What seed [000] supplies, clause by clause: the value names the operation, then what it promises."""

    ANSWERS = "every supplied operation terminates with an answer"
    NUMBER = "supplied numbers are finite scalars of the run's arithmetic"
    SAME_ANSWER = "supplied functions: give one answer to one question, however often it is asked"
    SURROUNDINGS = "supplied operations: leave the process as they found it"
    ARITHMETIC = "arithmetic: answers numbers with its own scalars, comparisons with True or False, texts with texts"
    DRAW_LAW = "draws: have the law of the frozen policy, independently of one another"
    DRAW_SUPPORTED = "draws: return supported responses"
    REWARD_FINITE = "rewards: are finite"
    MASSES_LENGTH = "policy masses: one for each response of the support"
    MASSES_POSITIVE = "policy masses: are positive on exactly the support, for every theta in U"
    MASSES_SUM = "policy masses: sum to 1"
    MASS_GRADIENTS_SHAPE = "policy mass gradients: one row of d entries for each response of the support"
    MASS_GRADIENTS_SUM = "policy mass gradients: sum to the zero vector, since the masses sum to 1"
    DOMAIN_BOOLEAN = "domain oracle: answers True or False"
    DOMAIN_WITHIN = "domain oracle: answers True exactly on U, where every response of the support has positive mass"
    GRADIENT_VALUE = "gradient oracle: returns the gradient of F_t at theta, and undefined where F_t has none"
    DOMAIN_VALUE = "domain oracle: answers True exactly on the U that the problem states"
    REWARD_VALUE = "rewards: are those that the problem states"
    MASSES_VALUE = "policy masses: are those of the family that the problem states"
    GRADIENT_SHAPE = "gradient oracle: returns d numbers, or undefined-gradient"


class ClauseBroken(Exception):  # noqa: N818 - what it says
    """Raised in place of an answer by what stands between a run and an oracle: the clause, and what was found.

    A run turns it into the SupplyViolation that names the call, too.
    """

    @require(lambda found: bool(found), "what was found is told")
    @ensure(lambda self, clause: self.clause is clause, "the clause is kept")
    def __init__(self, clause: "Clause", found: str) -> None:
        """Keep both."""
        super().__init__(found)
        self.clause = clause


class RunEnded(BaseException):
    """Raised by an oracle through which somebody watches a run, to end it there; no clause is broken.

    What is no Exception and not this one either (SystemExit, say) is a broken clause, as any exception is.
    """


class SupplyViolation(RuntimeError):  # noqa: N818 - a violated clause is the field's word
    """A supplied operation broke its clause. ``clause``, ``call`` (what was asked) and ``found`` say how.

    ``clause`` is a Clause, or one of core.training_free's own; ``ledger`` is the run's, as far as it came.
    """

    @require(lambda call: bool(call), "the violation names the call")
    @ensure(lambda self, clause: clause.value in str(self), "the message states the clause that was broken")
    def __init__(self, clause: Enum, call: str, found: str, ledger: object = None) -> None:
        """Name the clause, the call that broke it and what was found instead."""
        super().__init__(f"{call}: {found}: broken clause of the supply: {clause.value}")
        self.clause = clause
        self.call = call
        self.found = found
        self.ledger = ledger
