"""What can be disputed about sums over tokens: by what they are divided, and over what they are taken first.

As in disputes.catalogue an entry is a formula with its words, and of a quantity the first entry is the definition's.
"""

from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, entry
from grpocheck.verifier.disputes.inputs import nesting


def aggregated(names: Names) -> Iterator[Entry]:
    """Sums of token losses over responses, micro-batches and ranks, and the weight that each token gets."""
    losses = "L" if "L" in names else "repeat(A, lengths)"
    deep = nesting(names.get("L", 0)) == 3
    responses = f"join({losses})" if deep else f"[{losses}]" if nesting(names.get("L", [[]])) == 1 else losses
    batches = losses if deep else f"parted({losses}, micro_size)" if "micro_size" in names else None
    for word, formula in sums(names, responses, batches):
        if "L" in names:
            yield entry(f"loss objective {word}", formula)
            yield entry(f"weight gradient {word}", f"derivative({formula}, L)")
            yield entry(f"loss objective negated {word}", f"0 - {formula}")
        else:
            yield entry(f"objective {word}", formula)
            yield entry(f"loss negated {word}", f"0 - {formula}")
            yield entry(f"loss objective unsigned {word}", formula)
        if "accum" in names:
            yield entry(f"loss objective divided {word}", f"{formula} / accum")
            yield entry(f"loss objective repeated {word}", f"{formula} * accum")


def sums(names: Names, responses: str, batches: str | None) -> Iterator[tuple[str, str]]:
    """The ways in which token losses become one number."""
    masks = "[mask]" if nesting(names.get("mask")) == 1 else "mask"
    if {"mask", "mask_after"} <= names.keys():
        after = "[mask_after]" if nesting(names["mask_after"]) == 1 else "mask_after"
        pairs = f"zip({responses}, {masks}, {after})"
        left, before = f"[sum(l * m * n) for l, m, n in {pairs}]", f"[sum(m) for m in {masks}]"
        yield "token-mean excluded", f"sum({left}) / sum(flat(mask * mask_after))"
        yield "token-mean all-counted", f"sum({left}) / sum({before})"
        yield "sequence-mean all-counted", f"mean({left} / {before})"
    if "mask" in names:
        pairs = f"zip({responses}, {masks})"
        kept, counts = f"[sum(l * m) for l, m in {pairs}]", f"[sum(m) for m in {masks}]"
    else:
        kept, counts = f"[sum(l) for l in {responses}]", f"[len(l) for l in {responses}]"
    number = f"len({responses})"
    if "truncated" in names:
        kept = f"(1 - truncated) * {kept}"
        left = f"((1 - truncated) * {counts})"
        yield "token-mean excluded", f"sum({kept}) / sum({left})"
        yield "sequence-mean excluded", f"sum({kept} / {counts}) / sum(1 - truncated)"
        yield "token-mean all-counted", f"sum({kept}) / sum({counts})"
        yield "sequence-mean all-counted", f"sum({kept} / {counts}) / {number}"
    yield "token-mean", f"sum({kept}) / sum({counts})"
    yield "sequence-mean sample grpo", f"sum({kept} / {counts}) / {number}"
    yield "token-sum luspo", f"sum({kept}) / {number}"
    yield "token-sum total", f"sum({kept})"
    if "mask" in names:
        padded = f"[len(l) for l in {responses}]"
        yield "token-mean all-counted", f"sum({kept}) / sum({padded})"
        yield "sequence-mean all-counted", f"sum({kept} / {padded}) / {number}"
        yield "token-mean unmasked", f"sum(flat({responses})) / sum({padded})"
        yield "token-mean unmasked above", f"sum(flat({responses})) / sum({counts})"
        yield "sequence-mean unmasked above", f"mean([sum(l) for l in {responses}] / {counts})"
    longest = "longest" if "longest" in names else f"max({counts})"
    yield "constant fixed dr-grpo", f"sum({kept}) / ({number} * {longest})"
    if "longest" in names:
        yield "constant padded", f"sum({kept}) / ({number} * max({counts}))"
        yield "constant total", f"sum({kept}) / {longest}"
    if batches:
        yield "micro token-mean", f"mean([sum(flat(b)) / len(flat(b)) for b in {batches}])"
        yield "micro total token-mean", f"sum([sum(flat(b)) / len(flat(b)) for b in {batches}])"
        yield "micro sequence-mean", f"mean([mean([mean(l) for l in b]) for b in {batches}])"
        yield "micro total sequence-mean", f"sum([mean([mean(l) for l in b]) for b in {batches}])"
        yield "micro token-sum", f"mean([sum(flat(b)) for b in {batches}])"
        weighed = f"sum([len(b) * sum(flat(b)) / len(flat(b)) for b in {batches}])"
        yield "micro token-mean weighted", f"{weighed} / {number}"
        if "longest" in names:
            yield "micro constant", f"mean([sum(flat(b)) / (len(b) * longest) for b in {batches}])"
            yield "micro total constant", f"sum([sum(flat(b)) / (len(b) * longest) for b in {batches}])"
    elif "mask" not in names:
        yield "micro token-mean", f"mean([mean(l) for l in {responses}])"
        yield "micro total token-mean", f"sum([mean(l) for l in {responses}])"
