"""The registry: every claim and non-claim of the specification, once, with the evidence that it is known to have.

``requires`` is a ratchet: ``grpocheck verify`` fails when a claim has less evidence of a kind than stated here, so that
a contract, a harness, an invariant or a theorem that disappears is noticed. What could not run on a machine for want
of a program (Coq, say) is reported apart; it counts neither as held nor as lost.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """Kinds of evidence, from the weakest to the strongest; ``witness`` is the one kind that a non-claim has."""

    WITNESS = "witness"
    CONTRACT = "contract"
    PROPERTY = "property"
    ENUMERATION = "enumeration"
    SYMBOLIC = "symbolic"
    SMT = "smt"
    PROOF = "proof"

    @property
    def strength(self) -> int:
        """The place on the ladder; a larger number is stronger evidence."""
        return list(Kind).index(self)


@dataclass(frozen=True)
class Claim:
    """What must hold, its source, and how many pieces of evidence of which kind it is known to have."""

    id: str
    statement: str
    seed: str
    requires: Mapping[Kind, int]

    @property
    def promised(self) -> bool:
        """Whether this is a claim (A1 to G5, W1 to W6); False for a non-claim (N1 to N8), which has to be refuted."""
        return not self.id.startswith("N")


def needs(
    contract: int = 0,
    properties: int = 0,
    enumeration: int = 0,
    symbolic: int = 0,
    smt: int = 0,
    proof: int = 0,
    witness: int = 0,
) -> dict[Kind, int]:
    """The least number of held pieces of evidence of each kind; kinds with none are left out."""
    counts = {
        Kind.CONTRACT: contract,
        Kind.PROPERTY: properties,
        Kind.ENUMERATION: enumeration,
        Kind.SYMBOLIC: symbolic,
        Kind.SMT: smt,
        Kind.PROOF: proof,
        Kind.WITNESS: witness,
    }
    return {kind: count for kind, count in counts.items() if count}


LEMMA = "[000]"
TIC = "[001]"
LESSON = "[002]"
TRAINING_FREE = "[003]"

_ENTRIES = (
    Claim(
        "A1",
        "theta is in U at the start and after every applied step.",
        LEMMA,
        needs(contract=9, properties=4, enumeration=7, symbolic=1, smt=33, proof=4),
    ),
    Claim(
        "A2",
        "On a stop the returned parameter is exactly the last valid one.",
        LEMMA,
        needs(contract=4, properties=3, enumeration=7, symbolic=1, smt=17, proof=4),
    ),
    Claim(
        "A3",
        "On U every response of the support has positive mass, every other response mass 0, and the masses sum to 1.",
        LEMMA,
        needs(contract=19, properties=2, enumeration=8, symbolic=6, proof=2),
    ),
    Claim(
        "B1",
        "The standard deviation of a group is >= 0, and 0 exactly when all rewards of the group are equal.",
        LEMMA,
        needs(contract=5, properties=1, enumeration=7, symbolic=6, smt=45, proof=2),
    ),
    Claim(
        "B2",
        "Where the deviation is > 0 the advantages sum to 0, the mean of their squares is 1 and abs(A) <= sqrt(G-1); "
        "where it is 0 every advantage is 0.",
        LEMMA,
        needs(contract=3, properties=2, enumeration=7, symbolic=14, smt=58, proof=4),
    ),
    Claim(
        "B3",
        "Every importance ratio is finite and > 0; at the first inner step of an outer iteration every ratio is 1.",
        LEMMA,
        needs(contract=5, properties=1, enumeration=1, symbolic=5, proof=4),
    ),
    Claim(
        "B4",
        "The KL penalty is finite and >= 0, and 0 exactly when the two pmfs are equal.",
        LEMMA,
        needs(contract=3, properties=2, enumeration=1, symbolic=7, proof=3),
    ),
    Claim(
        "B5",
        "The objective is finite on U: abs(F_t) <= sqrt(G-1) max(1+epsilon, 1/(least old mass drawn)) "
        "+ beta log(1/(least reference mass)).",
        LEMMA,
        needs(contract=1, properties=1, enumeration=7, symbolic=2, proof=2),
    ),
    Claim(
        "C1",
        "Draws = M*G*(outer iterations started); exactly T*M*G on status complete; never more.",
        LEMMA,
        needs(contract=11, properties=4, enumeration=7, symbolic=1, smt=65, proof=6),
    ),
    Claim(
        "C2",
        "Gradient attempts <= T*K, and = steps applied + (1 if stopped).",
        LEMMA,
        needs(contract=8, properties=4, enumeration=7, symbolic=1, smt=65, proof=4),
    ),
    Claim(
        "C3",
        "Membership calls <= gradient attempts, and = attempts that returned a gradient.",
        LEMMA,
        needs(contract=5, properties=4, enumeration=7, symbolic=1, smt=49, proof=3),
    ),
    Claim(
        "C4",
        "The procedure terminates, in one of exactly three statuses: complete, undefined-gradient, invalid-update.",
        LEMMA,
        needs(contract=5, properties=4, enumeration=7, symbolic=1, smt=59, proof=4),
    ),
    Claim(
        "D1",
        "Responses, rewards, advantages and old masses do not change during the K inner steps.",
        LEMMA,
        needs(contract=6, properties=2, enumeration=7, symbolic=1, smt=17, proof=3),
    ),
    Claim(
        "D2",
        "The reference never changes during a run.",
        LEMMA,
        needs(contract=4, properties=2, enumeration=7, symbolic=1, smt=17, proof=1),
    ),
    Claim(
        "E1",
        "A > 0: term = min(rho, 1+epsilon) A. A < 0: term = max(rho, 1-epsilon) A. A = 0: term = 0.",
        LEMMA,
        needs(contract=2, properties=2, enumeration=1, symbolic=9, smt=5, proof=3),
    ),
    Claim(
        "E2",
        "term <= rho A, always.",
        LEMMA,
        needs(contract=3, properties=1, enumeration=1, symbolic=2, smt=1, proof=1),
    ),
    Claim(
        "F1",
        "Minima never cancel: a finite sum of min(f_i, g_i) of functions differentiable at x is differentiable at x "
        "exactly when f_i and g_i have the same gradient at every i with f_i(x) = g_i(x).",
        LEMMA,
        needs(properties=1, enumeration=1, proof=3),
    ),
    Claim(
        "F2",
        "F_t is differentiable at theta exactly when no drawn response with A != 0 has rho on its active bound "
        "(1+epsilon for A > 0, 1-epsilon for A < 0) and grad rho != 0; the gradient is then the sum over the "
        "responses with rho A < bound A, minus beta times the gradient of the KL penalty.",
        LEMMA,
        needs(contract=3, properties=2, enumeration=7, symbolic=8, proof=6),
    ),
    Claim(
        "G1",
        "Change of measure: sum_y pi_old(y) rho(y) f(y) = sum_y pi_theta(y) f(y).",
        LEMMA,
        needs(contract=1, properties=1, enumeration=1, symbolic=2, proof=1),
    ),
    Claim(
        "G2",
        "The truncated response masses sum to 1.",
        LEMMA,
        needs(contract=2, properties=1, enumeration=1, symbolic=2, proof=3),
    ),
    Claim(
        "G3",
        "The draws have exactly the law of the frozen policy, independently.",
        LEMMA,
        needs(contract=7, properties=2, enumeration=1, proof=8),
    ),
    Claim(
        "G4",
        "The KL of a product is the chain-rule sum, with prefixes weighted by the current policy.",
        LESSON,
        needs(properties=1, symbolic=1, proof=2),
    ),
    Claim(
        "G5",
        "The sequence ratio is the product of the token ratios.",
        LESSON,
        needs(properties=1, enumeration=1, symbolic=1, proof=1),
    ),
    Claim("N1", "F_t never falls over an applied step.", LEMMA, needs(witness=2)),
    Claim(
        "N2",
        "The true objective E[R] (minus beta KL) never falls over an outer iteration, not even in expectation over "
        "the draws.",
        LEMMA,
        needs(witness=2),
    ),
    Claim("N3", "The expected gradient of the group objective is the true policy gradient.", LEMMA, needs(witness=3)),
    Claim(
        "N4",
        "(a) Clipping keeps every ratio inside [1-epsilon, 1+epsilon]; (b) it bounds the KL of one applied step.",
        LESSON,
        needs(witness=4),
    ),
    Claim("N5", "(a) A single log ratio, (b) the sample KL of a group, is nonnegative.", LESSON, needs(witness=2)),
    Claim(
        "N6",
        "The expected best reward of a group never falls from one iteration to the next.",
        TRAINING_FREE,
        needs(witness=3),
    ),
    Claim("N7", "The iterates converge, or approach a stationary point.", LEMMA, needs(witness=1)),
    Claim(
        "N8",
        "Whitening with the sample deviation plus 1e-8 gives unit variance whatever the reward scale.",
        TRAINING_FREE,
        needs(witness=2),
    ),
)

CLAIMS: Mapping[str, Claim] = {entry.id: entry for entry in _ENTRIES if entry.promised}
NON_CLAIMS: Mapping[str, Claim] = {entry.id: entry for entry in _ENTRIES if not entry.promised}
REGISTRY: Mapping[str, Claim] = {**CLAIMS, **NON_CLAIMS}

GROUNDWORK: Mapping[str, Claim] = {
    entry.id: entry
    for entry in (
        Claim(
            "W1",
            "Numbers: what is computed, compared and written is the number that 80 digits give.",
            LEMMA,
            needs(properties=11),
        ),
        Claim(
            "W2",
            "Problems: a problem file is read as what it states and written back the same; what is no problem is "
            "refused, by key.",
            LEMMA,
            needs(properties=7),
        ),
        Claim(
            "W3",
            "Traces: a run is told call by call, replays from its trace, and a line that was changed is noticed.",
            LEMMA,
            needs(properties=5),
        ),
        Claim(
            "W4",
            "Variants: the value and the slopes of every composition of parts are those of its formula.",
            LESSON,
            needs(properties=7),
        ),
        Claim(
            "W5",
            "TIC-GRPO: moments on the class I_H, of a batch and of responses that end, are those of all responses.",
            TIC,
            needs(properties=3),
        ),
        Claim(
            "W6",
            "Training-free runs: what is generated, rewarded, kept and told is as the definition says; traces resume.",
            TRAINING_FREE,
            needs(properties=4),
        ),
    )
}
"""What the claims rest on, and none of them says: checked in every verification, and listed apart."""

CORE = "core"
"""What stands for all of core where contracts are counted."""

STATED: Mapping[str, int] = {
    "A1": 9, "A2": 4, "A3": 40,
    "B1": 8, "B2": 9, "B3": 21, "B4": 7, "B5": 1,
    "C1": 13, "C2": 9, "C3": 5, "C4": 6,
    "D1": 9, "D2": 5,
    "E1": 5, "E2": 3,
    "F1": 1, "F2": 9,
    "G1": 2, "G2": 4, "G3": 9, "G5": 4,
    "N5": 2,
    CORE: 1427,
}  # fmt: skip
"""How many contracts of core name each claim, and under CORE how many there are: fewer are a loss."""

_LABEL = re.compile(r"((?:[A-GNW]\d)(?:, [A-GNW]\d)*): ")


def claims_named_in(description: str | None) -> tuple[str, ...]:
    """The identifiers that a contract's description starts with: ``"B1, B2: ..."`` gives ``("B1", "B2")``."""
    label = _LABEL.match(description or "")
    return tuple(label.group(1).split(", ")) if label else ()


class UnknownClaim(LookupError):  # noqa: N818 - named for what it says
    """An identifier that no claim of the registry has."""


def claim(identifier: str) -> Claim:
    """The entry with an identifier; UnknownClaim names the ones there are."""
    known = {**REGISTRY, **GROUNDWORK}
    entry = known.get(identifier)
    if entry is None:
        raise UnknownClaim(f"claim: {identifier!r}: expected one of {', '.join(known)}")
    return entry


def select(identifiers: Iterable[str]) -> list[Claim]:
    """The entries with the given identifiers in the registry's order, or all of them when none is given.

    Raises UnknownClaim for an identifier that is none.
    """
    wanted = {claim(identifier).id for identifier in identifiers}
    entries = (*REGISTRY.values(), *GROUNDWORK.values())
    return [entry for entry in entries if not wanted or entry.id in wanted]
