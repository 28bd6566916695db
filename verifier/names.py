"""Names that people type at the command line, known without loading what they name: completion has to be quick.

A test holds each list equal to what it stands for.
"""

COURSE = (
    "supplied-oracles",
    "budget",
    "zero-variance",
    "clip-by-sign",
    "token-vs-trajectory",
    "kl-directions",
    "single-sample-log-ratio",
    "kl-chain-rule",
    "tilted-optimum",
    "return-with-kl",
    "roles",
    "ten-by-ten",
    "bias-of-the-group",
    "tic",
    "training-free",
)
"""The lessons, in the order in which a newcomer reads them."""

STARTERS = ("bernoulli", "simplex", "softmax", "log-linear", "autoregressive")
"""The families that ``new`` writes a problem file of."""

VARIANTS = (
    "section-1",
    "grpo-token",
    "dr-grpo",
    "bnpo",
    "dapo",
    "dapo-dynamic",
    "gspo",
    "cispo",
    "sapo",
    "luspo",
    "vespo",
    "gdpo",
    "dual-clip",
    "delta",
    "tic-surrogate",
    "tic-score",
    "reinforce-mean",
    "reinforce-leave-one-out",
    "reinforce-std",
    "reinforce-none",
    "importance-weighted",
)
"""The named methods of ``estimator`` and ``conform``, in the order of their registry."""

PARTS = {
    "advantage": ("none", "mean", "leave-one-out", "batch-mean", "mean/population", "mean/sample",
                  "batch-mean/batch-population", "batch-mean/batch-sample"),
    "ratio": ("token", "sequence", "geometric-mean"),
    "term": ("two-sided", "upper-cap", "dual-clip", "delta", "unclipped", "soft-gate", "score", "capped-score",
             "clipped-weight", "gamma-weight"),
    "kl": ("none", "exact", "k1", "k2", "k3", "k3-reversed"),
    "normalisation": ("none", "maximum-length", "group-tokens", "all-tokens", "own-length"),
    "off-policy-mask": ("none",),
    "entropy-mask": ("none",),
    "entropy-bonus": ("none",),
    "selection": ("all", "mean-over-kept", "until-mixed"),
}  # fmt: skip
"""The parts of a method, and the words that ``--with`` exchanges each for; a number is typed."""

SHELF = (
    *("A1", "A3", "B1", "B2", "B3", "B4", "B5", "C1", "C2", "C3", "C4", "E1", "E2", "G1"),
    *("N1", "N2", "N4a", "N4b", "N5a", "N5b", "N7"),
)
"""The ready properties of ``prove`` whose names are one word."""

SCOPES = ("run", "draws", "shape")
"""What a property is judged on."""

ARITHMETICS = ("auto", "exact", "enclosure", "mp")
"""What numbers a run is made of."""

TRAINERS = ("trl", "verl", "openrlhf")
"""Packages whose losses ``conform`` takes by name."""
