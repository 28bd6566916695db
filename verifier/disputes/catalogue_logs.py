"""What can be disputed about log probabilities of tokens: ratios, estimates of a divergence, binary formats."""

from collections.abc import Iterator
from itertools import product

from grpocheck.verifier.disputes.catalogue import Entry, Names, entry
from grpocheck.verifier.disputes.formulas import Definition
from grpocheck.verifier.disputes.inputs import nesting

ESTIMATES = {
    "k1": "{x}",
    "k2": "({x})**2 / 2",
    "k2 twice": "(({x})**2)",
    "k3": "(exp(0 - ({x})) - 1 + ({x}))",
    "k3 reversed": "(exp({x}) - 1 - ({x}))",
    "absolute": "abs({x})",
    "k1 reversed": "(0 - ({x}))",
}
"""Estimates of KL(pi || ref) in nats from x, the log ratio log(pi / ref) of what was drawn."""


def depth(names: Names, *keys: str) -> int:
    """How deep the lists are nested under the first of the keys that is there and no definition."""
    return next((nesting(names[key]) for key in keys if key in names and not isinstance(names[key], Definition)), 0)


def estimated(names: Names) -> Iterator[Entry]:
    """Estimates of a divergence from log ratios of sampled tokens: each, summed, averaged, clamped, in the reward."""
    nested = depth(names, "x", "new_logp", "ref_logp") == 2
    if "clamp" in names:
        outside = "(abs(x) > clamp)"
        if "mask" in names:
            yield entry("fraction clamped", f"sum(flat({outside}) * flat(mask)) / sum(flat(mask))")
            yield entry("fraction clamped unmasked above", f"sum(flat({outside})) / sum(flat(mask))")
        yield entry("fraction clamped unmasked", f"mean(flat({outside}))")
    every = " unmasked" if "mask" in names else ""
    ratios = [("unclamped", "x")]
    if "clamp" in names:
        ratios.append(("clamped log", "clip(x, 0 - clamp, clamp)"))
    for (held, ratio), (word, text) in product(ratios, ESTIMATES.items()):
        value = text.format(x=ratio)
        words = f"kl {word} {held}"
        if "beta" in names and "R" in names:
            yield from shaped(words, value, nested)
        yield entry(f"{words} token", f"flat({value})")
        if "clamp" in names:
            yield entry(f"{words} token clamped", f"flat(clip({value}, 0 - clamp, clamp))")
        if "mask" in names:
            yield entry(f"{words} token-mean mean", f"sum(flat({value}) * flat(mask)) / sum(flat(mask))")
            yield entry(f"{words} total token-sum", f"sum(flat({value}) * flat(mask))")
            yield entry(f"{words} token-mean mean all-counted", f"sum(flat({value}) * flat(mask)) / len(flat(mask))")
        yield entry(f"{words} token-mean mean{every}", f"mean(flat({value}))")
        yield entry(f"{words} total token-sum{every}", f"sum(flat({value}))")
        if not isinstance(names["x"], Definition):
            yield entry(f"{words} gradient logprob", f"derivative(sum(flat({value})), x)")
        elif isinstance(names.get("new_logp"), list):
            slopes = f"derivative(sum(flat({value})), new_logp)"
            yield entry(f"{words} gradient logprob", slopes)
            yield entry(f"{words} gradient logprob token-mean mean", f"{slopes} / len(flat(new_logp))")
        if nested and nesting(names.get("mask")) == 2:
            rows = f"[sum(v * m) for v, m in zip({value}, mask)]"
            yield entry(f"{words} sequence total token-sum", rows)
            yield entry(f"{words} sequence-mean mean", f"mean({rows} / [sum(m) for m in mask])")
            yield entry(f"{words} token-sum", f"mean({rows})")
        if nested:
            yield entry(f"{words} sequence total token-sum{every}", f"[sum(v) for v in {value}]")
            yield entry(f"{words} sequence sequence-mean mean{every}", f"[mean(v) for v in {value}]")
            yield entry(f"{words} sequence-mean mean{every}", f"mean([mean(v) for v in {value}])")
            yield entry(f"{words} token-sum{every}", f"mean([sum(v) for v in {value}])")


def shaped(words: str, value: str, nested: bool) -> Iterator[Entry]:
    """Rewards less beta times a divergence: of the whole response, or token by token with what follows."""
    penalties, rewards = (f"({value})", "R") if nested else (f"[{value}]", "flat([R])")
    pairs = f"zip({rewards}, 0 - beta * {penalties})"
    summed, averaged = f"[r + sum(v) for r, v in {pairs}]", f"[r + mean(v) for r, v in {pairs}]"
    yield entry(f"reward in-reward sequence total token-sum {words}", summed)
    yield entry(f"reward in-reward sequence sequence-mean mean {words}", averaged)
    yield entry(f"reward in-reward twice sequence total token-sum {words}", f"[r + 2 * sum(v) for r, v in {pairs}]")
    yield entry(f"reward in-reward token to-go {words}", f"flat([r + to_go(v) for r, v in {pairs}])")
    yield entry(f"reward in-reward token immediate {words}", f"flat([r + v for r, v in {pairs}])")
    last = f"flat([v + r * (range(len(v)) == len(v) - 1) for r, v in {pairs}])"
    yield entry(f"reward in-reward token last {words}", last)
    whole = f"flat([(r + sum(v)) * (range(len(v)) == len(v) - 1) for r, v in {pairs}])"
    yield entry(f"reward in-reward token last total {words}", whole)
    yield entry(f"reward in-reward token total {words}", f"flat([0 * v + r + sum(v) for r, v in {pairs}])")
    if words == "kl k1 unclamped":
        yield entry(f"reward in-reward token immediate {words} without-kl", f"flat([0 * v + r for r, v in {pairs}])")
        yield entry(f"reward in-reward sequence total token-sum {words} without-kl", f"flat({rewards})")
    if nested:
        for base, take in (("mean", "mean"), ("leave-one-out", "others")):
            for level, whole in (("total", summed), ("sequence-mean", averaged)):
                yield entry(f"advantages before {base} {level} {words}", f"{whole} - {take}({whole})")
                yield entry(f"advantages after {base} {level} {words}", f"{whole} - {take}(R)")


def log_ratios(names: Names) -> Iterator[Entry]:
    """Importance ratios from log probabilities: of which policies, at which level, truncated or masked."""
    known = [name for name in ("new_logp", "old_logp", "sampler_logp", "ref_logp") if name in names]
    word = {"new_logp": "", "old_logp": "in-old", "sampler_logp": "in-sampler", "ref_logp": "in-reference"}
    if "ref_logp" not in names and {"new_logp", "old_logp"} <= names.keys():
        for word_of, text in ESTIMATES.items():
            yield entry(f"kl {word_of} in-old token-mean", f"mean(flat({text.format(x='(old_logp - new_logp)')}))")
            if word_of in ("k1", "k3"):
                turned = text.format(x="(new_logp - old_logp)")
                yield entry(f"kl {word_of} reversed token-mean", f"mean(flat({turned}))")
    for above, below in product(known, known):
        if above == below:
            continue
        words = f"{word[above]} {word[below]}"
        difference = f"({above} - {below})"
        yield entry(f"logprob {words}", f"flat([{difference}])")
        if depth(names, above) == 2:
            yield entry(f"log mean sequence-mean {words}", f"[mean(v) for v in {difference}]")
            yield entry(f"log mean total token-sum {words}", f"[sum(v) for v in {difference}]")
        levels = [("token", f"exp({difference})")]
        if depth(names, above) == 2:
            levels.append(("sequence", f"[exp(sum(v)) for v in {difference}]"))
            levels.append(("geometric", f"[exp(mean(v)) for v in {difference}]"))
        elif depth(names, above) == 1:
            levels.append(("sequence", f"exp(sum({difference}))"))
            levels.append(("geometric", f"exp(mean({difference}))"))
        for level, ratio in levels:
            yield entry(f"ratio weight untruncated {level} {words}", f"flat({ratio})")
            if "cap" in names:
                yield entry(f"ratio weight truncated {level} {words}", f"flat(min({ratio}, cap))")
                yield entry(f"ratio weight masked {level} {words}", f"flat(where({ratio} > cap, 0, {ratio}))")
                clipped = f"flat(clip({ratio}, 1 / cap, cap))"
                yield entry(f"ratio weight two-sided truncated {level} {words}", clipped)
            if "dtype" in names:
                yield entry(f"ratio exactly {level} {words}", f"flat({ratio})")
                yield entry(f"ratio {{dtype}} {level} {words}", f"flat(in_format(dtype, {ratio}))")
                for what, ends in (("both", (above, below)), ("last", (below,)), ("first", (above,))):
                    rounded = ratio
                    for end in ends:
                        rounded = rounded.replace(end, f"in_format(dtype, {end})")
                    yield entry(f"ratio {{dtype}} logprob {what} {level} {words}", f"flat({rounded})")


def constant_ratios(names: Names) -> Iterator[Entry]:
    """Ratios of 1: what they are where a policy stands above and below the line."""
    yield from log_ratios(names)
    if "new_logp" in names:
        yield entry("ratio detached raw", "flat(0 * new_logp + 1)")


def rounded(names: Names) -> Iterator[Entry]:
    """Exponentials and estimates of log ratios in a binary format, in the order in which they are written."""
    functions = {
        "ratio exp": "exp(x)",
        "ratio reversed": "exp(0 - x)",
        "kl k3 naive": "exp(0 - x) - 1 + x",
        "kl k3 reversed naive": "exp(x) - 1 - x",
        "kl k2": "x**2 / 2",
        "logprob": "x",
        "mass": "exp(x)",
        "in-one total token-sum": "sum(flat(x))",
        "in-one token-mean mean": "mean(flat(x))",
    }
    if "mask" in names:
        functions["ratio masked multiplied"] = "exp(x) * mask"
        functions["ratio masked guarded"] = "where(mask == 0, 0, exp(x))"
    if "clamp" in names:
        functions["ratio clamped log"] = "exp(clip(x, 0 - clamp, clamp))"
        functions["kl k3 clamped log"] = "exp(clip(0 - x, 0 - clamp, clamp)) - 1 - clip(0 - x, 0 - clamp, clamp)"
    for words, formula in functions.items():
        yield entry(f"{words} exactly true", f"flat([{formula}])")
        for name in ("dtype", "'float32'", "'bfloat16'", "'float16'", "'float64'"):
            if name == "dtype" and "dtype" not in names:
                continue
            label = name.strip("'") if name != "dtype" else "{dtype}"
            yield entry(f"{words} {label}", f"flat([in_format({name}, {formula})])")


def rounded_masses(names: Names) -> Iterator[Entry]:
    """Masses and their logarithms in a binary format."""
    for words, formula in (("mass", "pi"), ("logprob", "log(pi)"), ("total mass", "sum(pi)")):
        yield entry(f"{words} exactly", f"flat([{formula}])")
        yield entry(f"{words} {{dtype}}", f"flat([in_format(dtype, {formula})])")
    yield entry("logprob {dtype} inside", "flat([log(in_format(dtype, pi))])")
    yield entry("total mass token-sum exactly true", "sum(pi)")
    yield entry("total mass token-sum {dtype} inside", "sum(in_format(dtype, pi))")


def sampled_groups(names: Names) -> Iterator[Entry]:
    """Groups of rewards 0 and 1: how often they are mixed, and how a deviation weighs questions."""
    mixed = "[1 - p**G - (1 - p)**G for p in success]"
    yield entry("kept", mixed)
    yield entry("kept fraction mass", mixed)
    yield entry("kept absent", "[0 * p + 1 for p in success]")
    yield entry("expected kept total groups", f"[1 / m for m in {mixed}]")
    yield entry("std population", "[sqrt(p * (1 - p)) for p in success]")
    yield entry("weight std scaled population", "[1 / sqrt(p * (1 - p)) for p in success]")
    yield entry("variance", "[p * (1 - p) for p in success]")
    group = "[1, 0][y]"
    for words, difference in (("mean", "std({g})**2"), ("leave-one-out", "std({g})**2 * G / (G - 1)")):
        ways = [("unscaled dr-grpo true", difference)]
        for word, deviation in (("population", "std({g})"), ("sample", "std({g}, 1)")):
            divided = f"({difference}) / ({deviation} + eps_std)"
            if not names.get("eps_std"):
                divided = f"where(std({{g}}) == 0, 0, ({difference}) / {deviation})"
            ways.insert(len(ways) - 1 if names.get("ddof") != 1 else 0, (f"scaled grpo {word}", divided))
        for way, body in ways:
            drawn = f"expected_unordered([p, 1 - p], G, {body.format(g=group)})"
            yield entry(f"factor gradient {words} {way}", f"[{drawn} / (p * (1 - p)) for p in success]")
    for base, factor in (("mean", "(G - 1) / G"), ("leave-one-out", "1")):
        yield entry(f"factor fixed true {base}", f"[{factor} / len(success) for p in success]")
        yield entry(f"factor backfill {base}", f"[{factor} / len(success) / m for m in {mixed}]")
        if len(names["success"]) == 2:
            other = f"{mixed}[[1, 0]]"
            yield entry(f"factor mean-over-kept {base}", f"[{factor} * (1 - m / 2) for m in {other}]")
    yield entry("kept weight self-normalised", f"[m / sum({mixed}) for m in {mixed}]")
