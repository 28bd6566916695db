"""What can be disputed about how numbers of responses reach their tokens, and of what rejected tokens leave behind.

As in disputes.catalogue an entry is a formula with its words, and of a quantity the first entry is the definition's.
"""

import re
from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, divisors, entry, groups_of, scaled
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.inputs import nesting
from grpocheck.verifier.disputes.labels import OTHERWISE


def by_token(names: Names) -> Iterator[Entry]:
    """Advantages of tokens: that of the response on each, discounted from the last one back, or on the last only."""
    if None in flat(names["R"]) or "weights" in names or nesting(names["lengths"]) != 1:
        return
    groups, order = groups_of(names), "[order]" if "order" in names else ""
    for base, baseline in (("mean", "mean(g)"), ("leave-one-out", "others(g)"), ("no-baseline", "0 * g")):
        bodies = [("unscaled dr-grpo", f"(g - {baseline})")]
        for divisor in divisors("g", f"flat({groups})", names)[:2]:
            bodies += list(scaled(f"(g - {baseline})", divisor, names))
        for words, body in bodies if base == "leave-one-out" else [*bodies[1:], bodies[0]]:
            pairs = f"zip(flat([{body} for g in {groups}]){order}, lengths)"
            start = f"advantages token {base} {words}"
            yield entry(start, f"flat([0 * range(n) + a for a, n in {pairs}])")
            if "gamma" in names:
                yield entry(f"{start} to-go", f"flat([a * gamma ** (n - 1 - range(n)) for a, n in {pairs}])")
                yield entry(f"{start} to-go reversed", f"flat([a * gamma ** range(n) for a, n in {pairs}])")
            yield entry(f"{start} last", f"flat([a * (range(n) == n - 1) for a, n in {pairs}])")
            yield entry(f"{start} sequence-mean", f"flat([(0 * range(n) + a) / n for a, n in {pairs}])")


def rejected(names: Names) -> Iterator[Entry]:
    """Weighted losses where tokens are rejected: whether those still count below the line, or are bounded instead.

    IcePop divides by all tokens, a rejection that is a mask by those that are kept; only a name or a word tells which.
    """
    outside = {"least most": "((w < least) + (w > most))", "cap": "(w > cap)"}
    held = {"least most": "clip(w, least, most)", "cap": "min(w, cap)"}
    way = "least most" if {"least", "most"} <= names.keys() else "cap" if "cap" in names else None
    if way is None:
        return
    term = "L" if "L" in names else "A"
    mask = "flat(mask)" if "mask" in names else "(0 * flat(w) + 1)"
    kept = f"flat(1 - {outside[way]}) * {mask}"
    total = f"sum({kept} * flat(w * {term}))"
    bounded = f"sum({mask} * flat({held[way]} * {term})) / sum({mask})"
    ways = (
        ("masked excluded token-mean", f"{total} / sum({kept})"),
        ("masked over-all token-mean", f"{total} / sum({mask})"),
        ("masked total token-sum", total),
        ("truncated token-mean", bounded),
        ("untruncated token-mean", f"sum({mask} * flat(w * {term})) / sum({mask})"),
        ("unweighted excluded token-mean", f"sum({kept} * flat(0 * w + {term})) / sum({kept})"),
        ("unweighted over-all token-mean", f"sum({kept} * flat(0 * w + {term})) / sum({mask})"),
    )
    for words, formula in ways:
        if term == "A":
            yield entry(f"objective weight {words}", formula)
            yield entry(f"loss weight {words}", f"0 - {formula}")
        else:
            yield entry(f"loss objective weight {words}", formula)


def metrics(names: Names) -> Iterator[Entry]:
    """What a log says of ratios alone: their mean over what is valid, and that of a column spread over the batch."""
    if names.keys() & {"A", "L", "least", "most", "cap"}:
        return
    whole = "flat(w)"
    kept = f"sum({whole} * flat(mask)) / sum(flat(mask))" if "mask" in names else f"mean({whole})"
    yield entry("ratio mean token-mean", kept)
    yield entry("ratio mean broadcast", f"sum({whole})")
    if isinstance(names["w"], list) and nesting(names["w"]) == 2:
        rows = "[sum(v * m) / sum(m) for v, m in zip(w, mask)]" if "mask" in names else "[mean(v) for v in w]"
        yield entry("ratio mean sequence-mean", f"mean({rows})")
    if "mask" in names:
        yield entry("ratio mean token-mean unmasked", f"mean({whole})")
        yield entry("ratio mean token-mean all-counted", f"sum({whole} * flat(mask)) / len({whole})")
        yield entry("ratio mean token-mean unmasked above", f"sum({whole}) / sum(flat(mask))")
    yield entry("ratio maximum-baseline", f"max({whole})")
    yield entry("ratio floored", f"min({whole})")


LOGGED = {"A": "advantages", "R": "reward", "lengths": "length", "w": "weight ratio", "H": "entropy"}
"""What a log has of a list, by the list's name; means of losses are sums over tokens."""


def logged(names: Names) -> Iterator[Entry]:
    """Means, deviations and extremes of a list, over what counts: its masked entries, its responses that ended."""
    for name, words in LOGGED.items():
        if not isinstance(names.get(name), list) or None in flat(names[name]):
            continue
        whole, size = f"flat({name})", len(flat(names[name]))
        cut_off = len(flat(names.get("truncated", 0))) == size
        ways = [("", whole)]
        flags = "flat(mask)" if len(flat(names.get("mask", 0))) == size else ""
        if flags:
            ways = [("", f"only({whole}, {flags})"), ("unmasked", whole), ("all-counted", f"({whole} * {flags})")]
        for word, values in ways:
            yield entry(f"{words} logged mean {word}", f"mean({values})")
            yield entry(f"{words} logged std population {word}", f"std({values})")
            yield entry(f"{words} logged std sample {word}", f"std({values}, 1)")
            yield entry(f"{words} logged maximum-baseline optimistic {word}", f"max({values})")
            yield entry(f"{words} logged floored two-sided {word}", f"min({values})")
        if cut_off:
            yield entry(f"{words} logged mean terminated", f"mean(only({whole}, 1 - truncated))")
            yield entry(f"{words} logged maximum-baseline terminated", f"max(only({whole}, 1 - truncated))")
            yield entry(f"{words} logged mean truncated", f"mean(only({whole}, truncated))")


def misset(entries: Iterator[Entry], names: Names) -> Iterator[Entry]:
    """The entries, and each again with what the input states a second time in the place of the first."""
    others = [name for name in names if name.endswith(OTHERWISE)]
    for found in entries:
        yield found
        for other in others:
            there = rf"\b{other.removesuffix(OTHERWISE)}\b"
            if re.search(there, found.formula):
                yield Entry(found.words | {"misset"}, re.sub(there, other, found.formula), found.kind)
