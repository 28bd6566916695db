"""Words that tell quantities, and what has to be said, apart."""

from grpocheck.verifier.disputes.catalogue import Entry
from grpocheck.verifier.disputes.words import words_of

QUANTITIES = frozenset(
    words_of(
        "advantages gradient objective loss slope fraction variance std baseline factor bias ratio kl "
        "mass kept logprob effective optimal each normaliser entropy"
    ).words
    | {"self-normalised", "second-moment", "without-gradient", "ramp-start", "tokens-counted", "responses-counted"}
)
"""Words for what a number is, beside those for how it is had."""
VAGUE = frozenset({"objective", "mass"})
"""Words for quantities that do not tell one from another of the same kind."""
SPECIFIC = QUANTITIES | {"k1", "k2", "k3", "absolute", "reversed", "clamped", "truncated", "masked", "unweighted"}
SPECIFIC |= {"strided", "best-only", "misset", "broadcast", "over-all", "without-kl"}
SPECIFIC |= {"surviving", "filter", "shaped", "phantom", "leaked", "solve-all", "solve-none", "logged"}
SPECIFIC |= {"without-entropy", "in-one", "twice", "without-bounds"}
"""Words that a name has to say: without them the simpler entry is meant."""

FAULTS = frozenset(
    words_of("micro unmasked all-counted inverted swapped optimistic reversed unclipped everywhere twice raw").words
    | {"divided", "repeated", "before-product", "early", "whole", "propagated", "divided-logprob", "unsigned"}
    | {"step", "absent", "padded", "above", "strided", "broadcast", "misset", "leaked", "phantom"}
)
"""Words of conventions that no definition has: no right number is theirs where the definition's is called wrong."""
OMITTED = frozenset({"without-kl", "without-entropy"})
"""Words of what leaves out a term whose coefficient the input states."""


def is_of(entry: Entry, said: frozenset[str]) -> bool:
    """Whether an entry can be what a name says: of its quantity; a slope only where the name says one."""
    named = said & QUANTITIES
    return not named or (bool(entry.words & named) and ("slope" in named or "slope" not in entry.words))
