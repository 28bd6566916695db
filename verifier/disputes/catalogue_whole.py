"""What can be disputed about losses as a whole: a divergence beside clipped terms, dropped tokens, what is held fixed.

As in disputes.catalogue an entry is a formula with its words, and of a quantity the first entry is the definition's.
"""

import re
from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, divisors, entry, groups_of, scaled, terms
from grpocheck.verifier.disputes.catalogue_logs import ESTIMATES
from grpocheck.verifier.disputes.formulas import Definition, flat
from grpocheck.verifier.disputes.inputs import nesting

Pair = tuple[str, str]
ORDER = ("k3", "k1", "k2", "k2 twice", "k3 reversed", "absolute", "k1 reversed")
"""Estimates as losses have them: k3 before the others."""
MOST_SLOPES, MOST_TOKENS = 24, 64
"""Of so many tokens at most slopes are looked at, and losses as a whole: a dispute is small."""


def is_nested(names: Names, *keys: str) -> bool:
    """Whether the first of the keys that is there, and no definition, has a row for each response."""
    found = (names[key] for key in keys if key in names and not isinstance(names[key], Definition))
    return nesting(next(found, 0)) == 2


def advantages_of(names: Names) -> list[Pair]:
    """The advantages that are stated, or those of the rewards."""
    if "A" in names:
        return [("", "A")]
    groups = groups_of(names)
    found = [
        pair for divisor in divisors("g", f"flat({groups})", names)[:2]
        for pair in scaled("(g - mean(g))", divisor, names)
    ]  # fmt: skip
    return [(words, f"flat([{body} for g in {groups}])") for words, body in [*found, ("unscaled", "(g - mean(g))")]]


def averaged(term: str, nested: bool, names: Names) -> list[Pair]:
    """The ways in which terms of tokens become one number."""
    if "mask" in names:
        found = [("token-mean", f"sum(flat({term}) * flat(mask)) / sum(flat(mask))")]
        rows = f"[sum(t * m) / sum(m) for t, m in zip({term}, mask)]"
        return [*found, *([("sequence-mean grpo", f"mean({rows})")] if nested else [])]
    found = [("token-mean", f"mean(flat({term}))"), ("total token-sum", f"sum(flat({term}))")]
    if nested:
        found.insert(0, ("sequence-mean grpo", f"mean([mean(t) for t in {term}])"))
        found.append(("token-sum", f"mean([sum(t) for t in {term}])"))
        if "longest" in names:
            found.append(("constant dr-grpo", f"sum(flat({term})) / (len({term}) * longest)"))
    return found


def with_divergence(names: Names) -> Iterator[Entry]:
    """Losses of a clipped term and beta times a divergence from the reference, and their slopes by log probabilities.

    The divergence does not depend on the advantage: in a group without a signal it is all that is left.
    """
    if None in flat(names.get("R", 0)) or "weights" in names or names.get("w") == "exp(x)":
        return
    nested = is_nested(names, "new_logp", "x", "w")
    ratio = "w" if "w" in names else "exp(new_logp - sg(new_logp))" if "new_logp" in names else "(0 * x + 1)"
    size = max(len(flat(names.get(key, 0))) for key in ("new_logp", "x", "w"))
    slopes = ("new_logp" in names and "w" not in names) or str(names.get("w", "")).startswith("exp(new_logp")
    slopes = slopes and size <= MOST_SLOPES
    if size > MOST_TOKENS:
        return
    for advantage_words, advantage in advantages_of(names):
        clipped = [(word, term) for word, term in terms(names, ratio) if word in ("two-sided asymmetric single",
                   "dual two-sided", "unclipped", "delta two-sided")]  # fmt: skip
        for clip_words, term in clipped:
            whole = re.sub(r"\bA\b", advantage, f"({term})")
            for kind in ORDER:
                penalty = f"beta * {ESTIMATES[kind].format(x='x')}"
                ways = [("kl", f"({whole} - {penalty})"), ("kl inverted", f"({whole} + {penalty})")]
                ways += [("kl early", f"(0 * {whole} - {penalty})")] * (kind == "k3")
                for kl_words, objective in ways:
                    words = f"{kl_words} {kind} {advantage_words} {clip_words}"
                    yield from losses(words, objective, nested, slopes, names)
            yield from losses(f"kl without-kl {advantage_words} {clip_words}", whole, nested, slopes, names)


def scored_slopes(names: Names) -> Iterator[Entry]:
    """Slopes of the clipped loss by log probabilities: of each token, and of the means over tokens and responses."""
    on_policy = "w" not in names or str(names["w"]).startswith("exp(new_logp")
    if isinstance(names["new_logp"], Definition) or not on_policy or len(flat(names["new_logp"])) > MOST_SLOPES:
        return
    nested = is_nested(names, "new_logp")
    for words, term in clippings(names, "w" if "w" in names else "exp(new_logp - sg(new_logp))"):
        for mean_words, value in averaged(term, nested, names):
            yield entry(f"loss gradient logprob {words} {mean_words}", f"derivative(0 - {value}, new_logp)")
            yield entry(f"gradient logprob {words} {mean_words}", f"derivative({value}, new_logp)")


def losses(words: str, objective: str, nested: bool, slopes: bool, names: Names) -> Iterator[Entry]:
    """The loss of an objective of tokens, in every mean, the objective, and the slopes of the loss."""
    for mean_words, value in averaged(objective, nested, names):
        yield entry(f"loss {words} {mean_words}", f"0 - {value}")
        yield entry(f"objective {words} {mean_words}", value)
        if slopes:
            yield entry(f"loss gradient logprob {words} {mean_words}", f"derivative(0 - {value}, new_logp)")


def dropped(names: Names) -> Iterator[Entry]:
    """Losses of the tokens whose ratio is within bounds, and of a divergence that is theirs, or all tokens'."""
    log_ratio = "x" if "x" in names else "log(w)"
    mask = "flat(mask)" if "mask" in names else "(0 * flat(w) + 1)"
    inside = f"((1 - (flat(w) < least)) * (1 - (flat(w) > most)) * {mask})"
    yield entry("kept masked mask", inside)
    yield entry("kept masked mask total", f"sum({inside})")
    squares = [("squared-log", f"({log_ratio})**2")]
    for kind, estimate in [*squares, *((kind, ESTIMATES[kind].format(x=log_ratio)) for kind in ORDER)]:
        for words, there in (("", inside), ("leaked", mask), ("without-kl", f"(0 * {mask})")):
            total = f"(sum({inside} * flat(0 - A * w)) + beta * sum({there} * flat({estimate})))"
            kl = "kl" if words == "without-kl" else f"kl {kind}"
            yield entry(f"loss masked total token-sum {kl} {words}", total)
            yield entry(f"loss masked excluded token-mean {kl} {words}", f"{total} / sum({inside})")
            yield entry(f"loss masked over-all token-mean {kl} {words}", f"{total} / sum({mask})")


def corrected_divergence(names: Names) -> Iterator[Entry]:
    """Estimates of a divergence weighed by ratios of tokens, or by one ratio of the response on all of its tokens."""
    if isinstance(names["w"], Definition) and names["w"] == "exp(x)":
        return
    nested = is_nested(names, "w", "new_logp", "pi", "x")
    rows = "w" if nested else "[w]"
    spread = [("broadcast geometric", f"[prod(v) ** (1 / len(v)) for v in {rows}]"),
              ("broadcast sequence", f"[prod(v) for v in {rows}]"),
              ("broadcast mean", f"[mean(v) for v in {rows}]")]  # fmt: skip
    weights = [("token", "w"), *((words, text if nested else f"({text})[0]") for words, text in spread)]
    yield entry("ratio weight token", "flat(w)")
    for words, text in weights[1:]:
        yield entry(f"ratio weight {words}", f"flat({text})")
    for kind in ORDER:
        estimate = ESTIMATES[kind].format(x="x")
        for words, weight in [*weights, ("unweighted token", "(0 * w + 1)"), ("reversed token", "(1 / w)")]:
            value = f"({weight} * {estimate})"
            start = f"kl weighted {kind} {words}"
            yield entry(f"{start} each", f"flat({value})")
            for mean_words, mean in averaged(value, nested, names):
                yield entry(f"{start} {'' if 'total' in mean_words else 'mean'} {mean_words}", mean)
            if "mask" in names:
                yield entry(f"{start} total token-sum", f"sum(flat({value}) * flat(mask))")


def fixed_weights(names: Names) -> Iterator[Entry]:
    """Slopes of a token's loss by its log probability: of a weight held fixed, and of one that is differentiated."""
    size = max(len(flat(names.get(key, 0))) for key in ("new_logp", "x", "w"))
    if size > MOST_SLOPES:
        return
    weights = [("untruncated", "w")]
    if "cap" in names:
        weights.insert(0, ("truncated", "min(w, cap)"))
    if "high" in names:
        weights.insert(0, ("truncated", "min(w, 1 + high)"))
        if "low" in names and not isinstance(names["low"], Definition):
            weights.insert(0, ("truncated two-sided", "clip(w, 1 - low, 1 + high)"))
    for words, weight in weights:
        slope = f"(flat(w) * derivative(sum(flat({weight} * A)), w))"
        for way, found in (("detached scored", f"flat({weight} * A)"), ("propagated", slope)):
            for mean_words, divisor in (("each", ""), ("token-mean", " / len(flat(w))")):
                yield entry(f"loss gradient logprob {way} {words} {mean_words}", f"(0 - {found}){divisor}")
                yield entry(f"gradient logprob {way} {words} {mean_words}", f"{found}{divisor}")
            yield from without_slope(f"{way} {words}", found)
    for words, term in terms(names, "w"):
        yield from without_slope(words, f"derivative(sum(flat({term})), w)")


def without_slope(words: str, slopes: str) -> Iterator[Entry]:
    """How many tokens have a slope of 0, which, and what share of them."""
    flags = f"({slopes} == 0)"
    yield entry(f"without-gradient token total {words}", f"sum({flags})")
    yield entry(f"without-gradient token each {words}", flags)
    yield entry(f"without-gradient token mean {words}", f"mean({flags})")


def clippings(names: Names, ratio: str) -> list[Pair]:
    """The terms of a ratio that most losses have: clipped as declared, on one side, always, or not."""
    found = terms(names, ratio)
    return [found[0], *(pair for pair in found[1:] if pair[0] in ("before-product", "clip-only", "unclipped"))]


def masked_terms(names: Names) -> Iterator[Entry]:
    """Losses of the tokens that count, each with its ratio, or with one for each response; and slopes by log ratios."""
    plain = names["w"] == "exp(x)" and not isinstance(names.get("x"), Definition)
    if len(flat(names["mask"])) > MOST_TOKENS:
        return
    log_ratio = "x" if plain else "log(w)"
    nested = is_nested(names, "x" if plain else "w", "new_logp")
    if nesting(names["mask"]) != 1 + nested:
        return
    ways = [("", log_ratio)]
    if nested:
        ways.append(("leaked", f"[v - mean({log_ratio}) for v in {log_ratio}]"))
        yield from masked_sequences(names, ways, plain and len(flat(names["mask"])) <= MOST_SLOPES)
    for words, found in ways:
        for word, term in clippings(names, f"exp({found})" if plain or words else "w"):
            for mean_words, value in averaged(term, nested, names):
                few = len(flat(names["mask"])) <= MOST_SLOPES
                yield from sloped(f"token {words} {word} {mean_words}", value, plain and few)


def masked_sequences(names: Names, ways: list[Pair], plain: bool) -> Iterator[Entry]:
    """Losses of one ratio for each response: of its tokens that count, of all, or divided by the number of all."""
    counts = "[sum(m) for m in mask]"
    levels = []
    for words, log_ratio in ways:
        kept = f"[sum(v * m) for v, m in zip({log_ratio}, mask)]"
        levels += [(f"geometric {words}", f"exp({kept} / {counts})"), (f"sequence {words}", f"exp({kept})")]
    log_ratio = ways[0][1]
    whole = f"[sum(v) for v in {log_ratio}]"
    padded = f"[sum(v * m) / len(m) for v, m in zip({log_ratio}, mask)]"
    levels += [("geometric unmasked", f"exp({whole} / [len(v) for v in {log_ratio}])"),
               ("sequence unmasked", f"exp({whole})"), ("geometric all-counted", f"exp({padded})")]  # fmt: skip
    for words, ratio in levels:
        yield entry(f"ratio sequence {words}", ratio)
        for word, term in clippings(names, ratio):
            yield entry(f"objective {words} {word}", term)
            yield from sloped(f"{words} {word} sequence-mean", f"mean({term})", plain)
            repeated = f"sum({term} * {counts}) / sum({counts})"
            yield from sloped(f"{words} {word} broadcast token-mean", repeated, plain)


def sloped(words: str, value: str, plain: bool) -> Iterator[Entry]:
    """A loss, and by stated log ratios its slopes: by the masked ones they are 0 where the mask comes first."""
    yield entry(f"loss {words}", f"0 - {value}")
    yield entry(f"objective {words}", value)
    if plain:
        slopes = f"derivative(0 - {value}, x)"
        yield entry(f"loss gradient log {words}", slopes)
        yield entry(f"loss gradient log masked {words}", f"only({slopes}, 1 - flat(mask))")


def sample_sizes(names: Names) -> Iterator[Entry]:
    """Effective numbers of weights, (sum w)^2 / sum w^2, and what share they are of all: whole, and by responses."""
    if isinstance(names["w"], str) and names["w"] == "exp(x)":
        return
    nested = is_nested(names, "w", "new_logp")
    count = "len(flat(w))"
    weights = "flat(w)"
    if "mask" in names:
        weights, count = "(flat(w) * flat(mask))", "sum(flat(mask))"
    whole = f"sum({weights})**2 / sum({weights}**2)"
    rows = "[sum(v)**2 / sum(v**2) / len(v) for v in w]"
    if nested and "mask" not in names:
        yield entry("effective ratio fraction sequence-mean mean", f"mean({rows})")
        yield entry("effective ratio fraction sequence sample", rows)
        yield entry("effective sequence sample total", "[sum(v)**2 / sum(v**2) for v in w]")
        yield entry("effective sequence-mean mean total", "mean([sum(v)**2 / sum(v**2) for v in w])")
        if "G" in names:
            yield entry("effective ratio fraction misset", f"sum({rows}) / G")
        yield entry("effective ratio fraction broadcast", f"sum({rows})")
    yield entry("effective ratio fraction token", f"{whole} / {count}")
    yield entry("effective total token", whole)
    yield entry("effective ratio fraction second-moment", f"1 / mean({weights}**2)")
    if "mask" in names:
        yield entry("effective ratio fraction token unmasked", "sum(flat(w))**2 / sum(flat(w)**2) / len(flat(w))")
        yield entry("effective total token unmasked", "sum(flat(w))**2 / sum(flat(w)**2)")


def counted(names: Names) -> Iterator[Entry]:
    """How many tokens, and how many responses, a sum is divided by: those that count, or all."""
    if "mask" in names:
        rows = "mask" if nesting(names["mask"]) == 2 else "[mask]"
        counts, every = f"[sum(m) for m in {rows}]", f"[len(m) for m in {rows}]"
    else:
        losses_ = "L" if nesting(names.get("L")) > 1 else "[L]"
        counts = every = f"[len(l) for l in {losses_}]" if "L" in names else "lengths"
        if nesting(names.get("L")) == 3:
            counts = every = "[len(l) for l in join(L)]"
    if "truncated" in names:
        yield entry("tokens-counted excluded", f"sum((1 - truncated) * {counts})")
        yield entry("tokens-counted all-counted", f"sum({counts})")
        yield entry("responses-counted excluded", "sum(1 - truncated)")
        yield entry("responses-counted all-counted", "len(truncated)")
    yield entry("tokens-counted", f"sum({counts})")
    yield entry("tokens-counted all-counted", f"sum({every})")
    yield entry("tokens-counted padded", f"len({every}) * max({every})")
    yield entry("tokens-counted each", counts)
    yield entry("responses-counted", f"len({counts})")
    if "micro_size" in names:
        yield entry("tokens-counted micro", f"[sum(b) for b in parted({counts}, micro_size)]")


def from_mean(names: Names) -> Iterator[Entry]:
    """Ratios of a response whose mean log ratio and number of tokens are stated: product, geometric mean."""
    if nesting(names["x"]) or isinstance(names["x"], Definition):
        return
    yield entry("ratio weight sequence", "exp(x * items)")
    yield entry("ratio weight geometric", "exp(x)")
    if "cap" in names:
        yield entry("ratio weight truncated sequence", "min(exp(x * items), cap)")
        yield entry("ratio weight masked sequence", "where(exp(x * items) > cap, 0, exp(x * items))")
        yield entry("fraction masked sequence", "0 + (exp(x * items) > cap)")
