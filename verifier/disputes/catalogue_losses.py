"""What can be disputed about a trainer's losses and rewards beside clipped terms: penalties, bonuses, windows, weights.

As in disputes.catalogue an entry is a formula with its words, and of a quantity the first entry is the definition's.
"""

from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, entry
from grpocheck.verifier.disputes.formulas import Definition, flat
from grpocheck.verifier.disputes.inputs import nesting


def overlong(names: Names) -> Iterator[Entry]:
    """Rewards of a length: 0 up to ``longest - cache``, then falling to -1 at ``longest``, and -1 beyond (DAPO)."""
    ways = (
        ("ramp", "clip((longest - cache - lengths) / cache, 0 - 1, 0)"),
        ("ramp early", "clip((cache - lengths) / (longest - cache), 0 - 1, 0)"),
        ("ramp unclipped", "min((longest - cache - lengths) / cache, 0)"),
        ("ramp whole", "clip((longest - cache - lengths) / longest, 0 - 1, 0)"),
        ("step", "0 - (lengths > longest)"),
        ("step early", "0 - (lengths > longest - cache)"),
        ("step reached", "0 - (lengths >= longest)"),
        ("absent", "0 * lengths"),
    )
    yield entry("ramp-start", "longest - cache")
    yield entry("ramp-start early", "cache")
    yield entry("ramp-start reached", "longest")
    for words, ramp in ways:
        penalty = f"pf * ({ramp})" if "pf" in names else ramp
        if "R" in names:
            yield entry(f"reward shaped penalised {words}", f"flat(R) + {penalty}")
            yield entry(f"reward shaped inverted {words}", f"flat(R) - {penalty}")
        yield entry(f"reward length kl {words}", penalty)  # the name "penalty" alone is read as kl
        yield entry(f"reward length inverted {words}", f"0 - {penalty}")


def bonus(names: Names) -> Iterator[Entry]:
    """A loss with an entropy bonus, which a higher entropy lowers, and with its sign turned."""
    kept = [("mean", "mean(flat([H]))")]
    if "mask" in names:
        kept = [("mean", "sum(flat(H) * flat(mask)) / sum(flat(mask))"), ("mean unmasked", "mean(flat(H))")]
    for words, entropy in [*kept, ("total", "sum(flat([H]))")]:
        if {"base_loss", "entropy_coef"} <= names.keys():
            yield entry(f"loss entropy true {words}", f"base_loss - entropy_coef * {entropy}")
            yield entry(f"loss entropy inverted {words}", f"base_loss + entropy_coef * {entropy}")
        yield entry(f"entropy {words}", entropy)
    if {"base_loss", "entropy_coef"} <= names.keys():
        yield entry("loss without-entropy", "base_loss")


def penalty(names: Names) -> Iterator[Entry]:
    """A loss with a penalty for the divergence, which a larger one raises, and with its sign turned."""
    held = [("token-mean mean", "mean(flat([x]))"), ("token-sum", "sum(flat([x]))")]
    if "mask" in names:
        held.insert(0, ("token-mean mean masked", "sum(flat(x) * flat(mask)) / sum(flat(mask))"))
    for words, divergence in held:
        yield entry(f"loss total kl true {words}", f"base_loss + beta * {divergence}")
        yield entry(f"loss total kl inverted {words}", f"base_loss - beta * {divergence}")
    yield entry("loss total without-kl", "base_loss")


def entropies(names: Names) -> Iterator[Entry]:
    """Entropies of the distributions of tokens, averaged over those that count."""
    each = "[0 - sum([where(m == 0, 0, m * log(m)) for m in d]) for d in dists]"
    if "mask" in names:
        yield entry("entropy mean", f"sum({each} * flat(mask)) / sum(flat(mask))")
    yield entry("entropy mean unmasked", f"mean({each})")
    yield entry("entropy total", f"sum({each})")
    yield entry("entropy each", each)
    if "mask" in names:
        yield entry("entropy total masked", f"sum({each} * flat(mask))")
        yield entry("entropy mean all-counted", f"sum({each} * flat(mask)) / len(flat(mask))")


def windows(names: Names) -> Iterator[Entry]:
    """Token means of an optimiser's step, of the micro-batches that it gathers, and of more than those."""
    first, everything = "flat(parts[range(accum)])", "flat(parts)"
    steps = "parted(parts, accum)"
    yield entry("loss first token-mean", f"sum({first}) / len({first})")
    yield entry("loss first token-mean all-counted", f"sum({first}) / len({everything})")
    yield entry("loss first micro token-mean", "mean([mean(flat(b)) for b in parts[range(accum)]])")
    yield entry("loss first micro total", "sum([mean(flat(b)) for b in parts[range(accum)]])")
    yield entry("loss each token-mean", f"[sum(flat(s)) / len(flat(s)) for s in {steps}]")
    yield entry("loss each token-mean all-counted", f"[sum(flat(s)) / len({everything}) for s in {steps}]")


def combined(names: Names) -> Iterator[Entry]:
    """One reward of several functions: the weighted sum of those that score, and of none where none does."""
    if not ("weights" in names and nesting(names["R"]) == 2):
        return
    columns = "[[f[j] for f in {rows}] for j in range(len(R[0]))]"
    ways = (
        ("weighted", "weights * R", ""),
        ("unweighted", "R", ""),
        ("weighted normalised-weights", "weights * R", " / sum(weights)"),
    )
    for words, rows, divisor in ways:
        scored = columns.format(rows=f"({rows})")
        if None in flat(names["R"]):
            yield entry(f"reward combined {words} excluded", f"[sum_present(c){divisor} for c in {scored}]")
            yield entry(f"reward combined {words} zero", f"[sum(filled(c, 0)){divisor} for c in {scored}]")
            yield entry(f"reward combined {words} propagated", f"[sum(c){divisor} for c in {scored}]")
        else:
            yield entry(f"reward combined {words}", f"[sum(c){divisor} for c in {scored}]")


def geometric(names: Names) -> Iterator[Entry]:
    """Ratios of a response from the log ratios of its tokens: geometric mean, product, clipped before it (GMPO)."""
    if isinstance(names["x"], Definition):
        return  # of a reference: no ratio of the policy that sampled
    one = nesting(names["x"]) == 1
    rows = "[x]" if one else "x"
    counts = [("", "[sum(v) / len(v) for v in {x}]"), ("sequence", "[sum(v) for v in {x}]")]
    if "mask" in names:
        masks = "mask" if nesting(names["mask"]) == 2 else "[mask]"
        kept = f"[sum(v * m) for v, m in zip({{x}}, {masks})]"
        sizes = f"[sum(m) for m in {masks}]"
        unmasked = [(f"{words} unmasked".strip(), text) for words, text in counts]
        counts = [("", f"({kept} / {sizes})"), ("sequence", kept), *unmasked]
        counts.append(("all-counted", f"({kept} / [len(m) for m in {masks}])"))
    held = []
    if "A" in names and {"low", "high"} <= names.keys():
        advantages = "A" if isinstance(names["A"], list) else f"(A + 0 * range(len({rows})))"
        signs = f"zip({rows}, {advantages})"
        held.append(("log two-sided", f"[where(a > 0, min(v, high), max(v, 0 - low)) for v, a in {signs}]"))
        ratio_bounds = f"[where(a > 0, min(v, log(1 + high)), max(v, log(1 - low))) for v, a in {signs}]"
        held.append(("log two-sided early", ratio_bounds))
        held.append(("log clip-only", f"clip({rows}, 0 - low, high)"))
    for clipping, logs in [*held, ("unclipped" if held else "", rows)]:
        for words, text in counts:
            level = "" if "sequence" in words else "geometric"
            yield entry(f"ratio {level} {words} {clipping}", f"exp({text.format(x=logs)})")
            if "A" in names:
                yield entry(f"objective {level} {words} {clipping}", f"exp({text.format(x=logs)}) * A")


def scored(names: Names) -> Iterator[Entry]:
    """Losses whose log probability carries the gradient: -A log pi, with a detached weight (CISPO) or without."""
    nested = nesting(names["new_logp"]) == 2
    weights = [("", "1")]
    ratio = "w" if "w" in names and not isinstance(names["w"], Definition) else ""
    if "old_logp" in names or "sampler_logp" in names:
        below = "old_logp" if "old_logp" in names else "sampler_logp"
        ratio = f"exp(new_logp - {below})"
    if ratio:
        weights = [("untruncated", ratio), ("unweighted", "1")]
        if "high" in names:
            bounded = f"min({ratio}, 1 + high)"
            weights.insert(0, ("truncated", bounded))
            if "low" in names:
                both = ("truncated two-sided", f"clip({ratio}, 1 - low, 1 + high)")
                weights.insert(int(isinstance(names["low"], Definition)), both)
        if "cap" in names:
            weights.insert(0, ("truncated", f"min({ratio}, cap)"))
    for words, weight in weights:
        ways = [(f"{words} detached scored", f"({weight} * A * new_logp)")]
        if words:
            ways.append((words, f"({weight} * A)"))
        for way, term in ways:
            yield entry(f"loss token {way}", f"flat(0 - {term})")
            if nested:
                yield entry(f"loss {way} token-sum", f"0 - mean([sum(v) for v in {term}])")
                yield entry(f"loss {way} sequence-mean", f"0 - mean([mean(v) for v in {term}])")
            yield entry(f"loss {way} token-mean", f"0 - mean(flat({term}))")
            yield entry(f"loss {way} total", f"0 - sum(flat({term}))")
            yield entry(f"loss inverted {way} token-mean", f"mean(flat({term}))")
            yield entry(f"loss inverted {way} total", f"sum(flat({term}))")
    if nested:
        for words, take in (("total token-sum", "sum"), ("sequence-mean", "mean")):
            yield entry(f"logprob sequence {words}", f"[{take}(v) for v in new_logp]")


def bounded(names: Names) -> Iterator[Entry]:
    """Weights of tokens, or of answers, whose ratio leaves its bounds: none (IcePop), or the bound."""
    levels = [("token", "w")]
    if any(isinstance(names.get(key), list) and nesting(names[key]) == 2 for key in ("w", "x", "new_logp")):
        levels += [("sequence", "[prod(v) for v in w]"), ("geometric", "[prod(v) ** (1 / len(v)) for v in w]")]
    bounds = {"cap": "({0} > cap)", "least most": "(({0} < least) + ({0} > most))"}
    for level, ratio in levels:
        if "cap" in names:
            yield entry(f"weight ratio truncated {level}", f"flat(min({ratio}, cap))")
        for needed, test in bounds.items():
            if not set(needed.split()) <= names.keys():
                continue
            outside = test.format(ratio)
            yield entry(f"weight ratio masked {level}", f"flat(where({outside}, 0, {ratio}))")
            yield entry(f"weight ratio masked kept {level}", f"flat(1 - {outside})")
            yield entry(f"weight ratio masked kept everywhere {level}", f"flat(0 * {ratio} + 1)")
            yield entry(f"fraction masked {level}", f"mean(flat({outside}))")
            yield entry(f"kept masked total {level}", f"sum(flat(1 - {outside}))")
            yield entry(f"kept over-all total {level}", f"len(flat({ratio}))")
        if {"least", "most"} <= names.keys():
            yield entry(f"weight ratio truncated clip-only {level}", f"flat(clip({ratio}, least, most))")
            yield entry(f"weight ratio masked high {level}", f"flat(where({ratio} > most, 0, {ratio}))")
            yield entry(f"weight ratio truncated high {level}", f"flat(min({ratio}, most))")
        yield entry(f"weight ratio untruncated without-bounds {level}", f"flat({ratio})")
