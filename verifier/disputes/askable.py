"""The kinds of input, and for each the entries of the catalogue that can be asked of it."""

from dataclasses import dataclass

from grpocheck.verifier.disputes import catalogue as samples
from grpocheck.verifier.disputes import catalogue_groups as groups
from grpocheck.verifier.disputes import catalogue_logs as logs
from grpocheck.verifier.disputes import catalogue_losses as losses
from grpocheck.verifier.disputes import catalogue_policy as policies
from grpocheck.verifier.disputes import catalogue_sums as summed
from grpocheck.verifier.disputes import catalogue_tokens as tokens
from grpocheck.verifier.disputes import catalogue_whole as wholes
from grpocheck.verifier.disputes.aliases import SHOWN
from grpocheck.verifier.disputes.catalogue import Entries


@dataclass(frozen=True)
class Kind:
    """A kind of input: the names that it needs, in one of several ways, and what can be asked of it."""

    name: str
    needs: tuple[tuple[str, ...], ...]
    entries: Entries

    @property
    def needed(self) -> str:
        """What the input needs."""
        return " or ".join(" + ".join(SHOWN.get(name, name) for name in way) for way in self.needs)


KINDS = (
    Kind("sums over tokens", (("L",), ("A", "lengths")), summed.aggregated),
    Kind("windows of accumulated steps", (("parts", "accum"),), losses.windows),
    Kind("clipped terms", (("w", "A"),), samples.clipped),
    Kind("advantages of groups", (("R",),), samples.advantages),
    Kind("sampling at a temperature or truncated", (("pi", "T"), ("z", "T"), ("pi", "top_k"), ("pi", "top_p"),
                                                    ("z", "top_k"), ("z", "top_p")), policies.tempered),
    Kind("surrogates of stated draws", (("pi", "draws", "A"),), policies.recorded),
    Kind("rewards less a divergence", (("pi", "ref", "r", "beta"),), policies.penalised),
    Kind("rewards and an entropy", (("pi", "r", "entropy_coef"),), policies.with_entropy),
    Kind("expected gradients", (("pi", "r"),), policies.rewarded),
    Kind("weights of old samples", (("pi", "old"),), policies.weighed),
    Kind("divergences from an old policy", (("pi", "old"),), policies.drifted),
    Kind("divergences from a reference", (("pi", "ref"),), policies.divergent),
    Kind("estimates of a divergence by tokens", (("x",),), logs.estimated),
    Kind("ratios of log probabilities", (("new_logp", "old_logp"), ("new_logp", "sampler_logp"),
                                         ("old_logp", "sampler_logp")), logs.constant_ratios),
    Kind("numbers in a binary format", (("x",),), logs.rounded),
    Kind("masses in a binary format", (("pi", "dtype"),), logs.rounded_masses),
    Kind("entropies", (("pi",),), policies.entropic),
    Kind("groups of rewards 0 and 1", (("success", "G"),), logs.sampled_groups),
    Kind("rewards of several functions", (("R", "weights"),), losses.combined),
    Kind("rewards of lengths", (("lengths", "longest", "cache"),), losses.overlong),
    Kind("ratios of responses by log ratios", (("x",),), losses.geometric),
    Kind("losses of log probabilities", (("new_logp", "A"),), losses.scored),
    Kind("bounded ratios", (("w", "least", "most"), ("w", "cap")), losses.bounded),
    Kind("entropy bonuses", (("H",),), losses.bonus),
    Kind("losses with a divergence", (("base_loss", "beta", "x"),), losses.penalty),
    Kind("entropies of tokens", (("dists",),), losses.entropies),
    Kind("advantages of tokens", (("R", "lengths"),), tokens.by_token),
    Kind("weighted losses of tokens", (("L", "w", "least", "most"), ("L", "w", "cap"), ("A", "w", "least", "most"),
                                       ("A", "w", "cap")), tokens.rejected),
    Kind("logged ratios", (("w",),), tokens.metrics),
    Kind("effective numbers of weights", (("w",),), wholes.sample_sizes),
    Kind("counts of tokens", (("L",), ("mask",), ("lengths", "truncated")), wholes.counted),
    Kind("responses that a filter leaves", (("R", "truncated"), ("R", "mask")), groups.surviving),
    Kind("rewards reshaped", (("R", "shape"), ("R", "penalties"), ("R", "shaped"),
                              ("R", "lengths", "longest", "cache")), groups.of_reshaped),
    Kind("groups that a filter keeps", (("R",),), groups.filtered),
    Kind("slopes of weighted losses", (("w", "A"),), wholes.fixed_weights),
    Kind("losses of tokens within bounds, with a divergence", (("A", "w", "least", "most", "beta"),), wholes.dropped),
    Kind("divergences weighed by ratios", (("w", "x"),), wholes.corrected_divergence),
    Kind("clipped losses with a divergence", (("A", "x", "beta"), ("R", "x", "beta")), wholes.with_divergence),
    Kind("clipped losses of the tokens that count", (("w", "A", "mask"),), wholes.masked_terms),
    Kind("slopes of losses by log probabilities", (("new_logp", "A"),), wholes.scored_slopes),
    Kind("logged means of lists", (("A",), ("R",), ("lengths",), ("w",)), tokens.logged),
    Kind("ratios from a mean log ratio", (("x", "items"),), wholes.from_mean),
)  # fmt: skip


def kinds_in_words() -> str:
    """What inputs there are, each with the keys that it needs."""
    return "; ".join(f"{kind.name} ({kind.needed})" for kind in KINDS)
