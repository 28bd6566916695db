"""A variant: one objective as a composition of parts, each defined once."""

from dataclasses import dataclass, field
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant
from grpocheck.core.variants.advantages import AdvantageRule
from grpocheck.core.variants.checks import check
from grpocheck.core.variants.masks import EntropyMask, OffPolicyMask, Selection
from grpocheck.core.variants.normalisation import Normalisation, Per
from grpocheck.core.variants.penalties import Divergence, KLTerm, Place, Weight
from grpocheck.core.variants.ratios import RatioRule
from grpocheck.core.variants.terms import Surrogate, Term, TwoSided


@invariant(lambda self: bool(self.name), "a variant has a name")
@invariant(lambda self: self.entropy_bonus >= 0, "an entropy bonus is added")
@dataclass(frozen=True)
class Variant:
    """F = sum of weight * term over kept tokens - beta * KL term + entropy_bonus * mean entropy of the tokens."""

    name: str
    advantage: AdvantageRule = field(default_factory=AdvantageRule)
    ratio: RatioRule = field(default_factory=RatioRule)
    term: Term = field(default_factory=TwoSided)
    kl: KLTerm = field(default_factory=KLTerm)
    normalisation: Normalisation = field(default_factory=Normalisation)
    off_policy_mask: OffPolicyMask | None = None
    entropy_mask: EntropyMask | None = None
    entropy_bonus: Fraction = Fraction(0)
    selection: Selection = Selection.ALL
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse a variant without a name, and a bonus that is a penalty."""
        check("variant", self.name, bool(self.name), "a name")
        check("entropy-bonus", self.entropy_bonus, self.entropy_bonus >= 0, "a number of at least 0")

    @property
    @ensure(lambda self, result: result or self.selection is not Selection.MEAN_OVER_KEPT, "a mean over kept groups")
    @ensure(lambda self, result: result or not self.advantage.couples_groups, "advantages of the batch")
    def couples_groups(self) -> bool:
        """Whether what a group contributes depends on the other groups."""
        return (
            self.advantage.couples_groups
            or self.normalisation.per is Per.ALL_TOKENS
            or self.entropy_mask is not None
            or bool(self.entropy_bonus)
            or self.selection is Selection.MEAN_OVER_KEPT
        )

    @property
    @ensure(lambda self, result: result or self.entropy_bonus == 0, "a bonus on entropies needs them")
    def needs_entropies(self) -> bool:
        """Whether the entropies of the tokens are asked for."""
        return self.entropy_mask is not None or bool(self.entropy_bonus)

    @property
    @ensure(
        lambda self, result: not result or isinstance(self.term, Surrogate), "a detached weight has no objective"
    )
    def has_objective(self) -> bool:
        """Whether the variant is the gradient of a function that is worth evaluating: nothing in it is detached."""
        weight_is_detached = self.kl.place is Place.LOSS and self.kl.weight is Weight.DETACHED
        return isinstance(self.term, Surrogate) and not (
            weight_is_detached and self.kl.divergence is not Divergence.NONE
        )
