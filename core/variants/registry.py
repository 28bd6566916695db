"""The named methods, each as the composition of parts that it is.

Where a method leaves a number to its user (epsilon, beta, H) the problem's is taken. Names are those of section 1 and
section 3 of the specification, of the papers, and of trainers.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, total
from grpocheck.core.invalid import InvalidProblem
from grpocheck.core.values import known_keys
from grpocheck.core.variants.advantages import AdvantageRule, Baseline, Divisor
from grpocheck.core.variants.masks import Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm
from grpocheck.core.variants.ratios import Level, RatioRule
from grpocheck.core.variants.scores import CappedScore, ClippedWeight, GammaWeight, PlainScore
from grpocheck.core.variants.terms import Delta, DualClip, SoftGate, TwoSided, Unclipped, UpperCap
from grpocheck.core.variants.variant import Variant

CENTRED = AdvantageRule(Baseline.MEAN, Divisor.NONE)
LEAVE_ONE_OUT = AdvantageRule(Baseline.LEAVE_ONE_OUT, Divisor.NONE)
AS_GIVEN = AdvantageRule(Baseline.NONE, Divisor.NONE)
"""Rewards as they are: no baseline, no divisor."""
SEQUENCE = RatioRule(Level.SEQUENCE)
GEOMETRIC = RatioRule(Level.GEOMETRIC)
MAXIMUM_LENGTH = Normalisation(False, Per.MAXIMUM)
ALL_TOKENS = Normalisation(False, Per.ALL_TOKENS)
SUM = Normalisation(False, Per.NONE)

_DAPO = Variant(
    "dapo",
    term=TwoSided(high=Fraction(7, 25)),
    normalisation=ALL_TOKENS,
    source="DAPO, arXiv 2503.14476: clip-higher and token mean, over the batch as trainers have it",
)
_REINFORCE = Variant(
    "reinforce-mean",
    CENTRED,
    term=PlainScore(),
    normalisation=SUM,
    source="REINFORCE with the group's own mean as baseline",
)

_ENTRIES = (
    Variant("section-1", ratio=SEQUENCE, kl=KLTerm(Divergence.EXACT), source="section 1 of the specification, [000]"),
    Variant("grpo-token", kl=KLTerm(Divergence.K3), source="GRPO, DeepSeekMath, arXiv 2402.03300"),
    Variant("dr-grpo", CENTRED, normalisation=MAXIMUM_LENGTH, source="Dr. GRPO, arXiv 2503.20783"),
    Variant("bnpo", normalisation=ALL_TOKENS, source="token mean over the batch, TRL's loss_type bnpo"),
    _DAPO,
    replace(
        _DAPO,
        name="dapo-dynamic",
        selection=Selection.UNTIL_MIXED,
        source="DAPO, arXiv 2503.14476, with its dynamic sampling",
    ),
    Variant("gspo", ratio=GEOMETRIC, source="GSPO, arXiv 2507.18071"),
    Variant("cispo", term=ClippedWeight(), normalisation=ALL_TOKENS, source="CISPO, MiniMax-M1, arXiv 2506.13585"),
    Variant("sapo", term=SoftGate(), source="SAPO, arXiv 2511.20347"),
    Variant("luspo", ratio=GEOMETRIC, normalisation=SUM, source="LUSPO, arXiv 2602.05261: GSPO times the length"),
    Variant("vespo", ratio=SEQUENCE, term=GammaWeight(), normalisation=ALL_TOKENS, source="VESPO, arXiv 2602.10693"),
    Variant(
        "gdpo",
        AdvantageRule(Baseline.BATCH_MEAN, Divisor.BATCH_POPULATION, first=AdvantageRule()),
        source="GDPO, arXiv 2601.05242",
    ),
    Variant("dual-clip", term=DualClip(), normalisation=ALL_TOKENS, source="dual-clip PPO, arXiv 1912.09729; verl"),
    Variant("delta", term=Delta(), source="INTELLECT-2, arXiv 2505.07291; TRL's delta"),
    Variant(
        "tic-surrogate",
        ratio=SEQUENCE,
        term=UpperCap(),
        normalisation=Normalisation(True, Per.MAXIMUM),
        source="TIC-GRPO, [001], section 3: the capped objective is differentiated",
    ),
    Variant(
        "tic-score",
        ratio=SEQUENCE,
        term=CappedScore(),
        normalisation=MAXIMUM_LENGTH,
        source="TIC-GRPO, [001], section 3: the capped ratio is a detached weight",
    ),
    _REINFORCE,
    replace(
        _REINFORCE,
        name="reinforce-leave-one-out",
        advantage=LEAVE_ONE_OUT,
        source="RLOO, arXiv 2402.14740: the mean of the others as baseline",
    ),
    replace(
        _REINFORCE,
        name="reinforce-std",
        advantage=AdvantageRule(),
        source="REINFORCE with section 1's advantages",
    ),
    replace(_REINFORCE, name="reinforce-none", advantage=AS_GIVEN, source="REINFORCE without a baseline"),
    Variant(
        "importance-weighted",
        AS_GIVEN,
        SEQUENCE,
        Unclipped(),
        source="claim G1: the mean of rho R over draws of the old policy",
    ),
)

NAMED: Mapping[str, Variant] = {entry.name: entry for entry in _ENTRIES}
"""The variants by name, in the order of docs/methods.md."""

ALIASES: Mapping[str, str] = {"grpo": "grpo-token", "ppo": "grpo-token", "rloo": "reinforce-leave-one-out"}
"""What methods are called as well: GRPO as DeepSeekMath and trainers have it, with ratios of tokens."""


@total("any text can be folded")
@ensure(lambda result: result == result.strip().lower() and "_" not in result, "one way of writing a name")
def folded(name: str) -> str:
    """A name with the case, the hyphens and the one alias that the registry writes it with.

    >>> folded("Dr_GRPO"), folded("RLOO")
    ('dr-grpo', 'reinforce-leave-one-out')
    """
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    return ALIASES.get(plain, plain)


@total("a name that is none raises InvalidProblem")
@ensure(lambda name, result: result.name == folded(name), "the variant of this name")
def named(name: str) -> Variant:
    """The variant of a name, in whatever case and with whatever hyphens, or of an alias.

    For any other it raises InvalidProblem, with the names that have it among their words (tic is of two), or the
    nearest there is.

    >>> named("dr-grpo").source
    'Dr. GRPO, arXiv 2503.20783'
    """
    own = folded(name)
    if own not in NAMED:
        like = [known for known in NAMED if own in known.split("-")]
        known = f"{' or '.join(like)} (did you mean that?)" if like else known_keys(own, [*NAMED, *ALIASES])
        raise InvalidProblem("variant", name, known)
    return NAMED[own]
