"""Words that tell quantities, and what has to be said, apart."""

from grpocheck.verifier.disputes.words import words_of

QUANTITIES = frozenset(
    words_of(
        "advantages gradient objective loss slope fraction variance std baseline factor bias ratio kl "
        "mass kept logprob effective optimal each normaliser entropy"
    ).words
    | {"self-normalised", "second-moment"}
)
"""Words for what a number is, beside those for how it is had."""
SPECIFIC = QUANTITIES | {"k1", "k2", "k3", "absolute", "reversed", "clamped", "truncated", "masked", "unweighted"}
SPECIFIC |= {"without-kl", "without-entropy", "in-one"}
"""Words that a name has to say: without them the simpler entry is meant."""

FAULTS = frozenset(
    "micro unmasked all-counted divided repeated inverted swapped before-product optimistic reversed early whole "
    "propagated divided-logprob unsigned unclipped everywhere twice step absent padded above raw".split()
)
"""Words of conventions that no definition has: a number of theirs is no right one where the definition's is the wrong."""
