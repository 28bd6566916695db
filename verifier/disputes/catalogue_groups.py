"""What can be disputed about which groups and responses count: filters, those cut off, rewards that are reshaped.

As in disputes.catalogue an entry is a formula with its words, and of a quantity the first entry is the definition's.
"""

import re
from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, divisors, entry, groups_of, scaled
from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.inputs import nesting
from grpocheck.verifier.disputes.roles import numbers_in

Body = tuple[str, str]


def bodies(own: str, everything: str, names: Names) -> list[Body]:
    """Advantages of the rewards ``own`` of a group: less their mean, over a deviation or not."""
    first = [(f"mean {word}", body) for divisor in divisors(own, everything, names)[:2]
             for word, body in scaled(f"({own} - mean({own}))", divisor, names)]  # fmt: skip
    return [*first, ("mean unscaled dr-grpo", f"({own} - mean({own}))"),
            ("leave-one-out unscaled", f"({own} - others({own}))")]  # fmt: skip


def of_groups(values: str, groups: str) -> str:
    """Other numbers of the responses in the groups of the rewards."""
    return re.sub(r"\bR\b", values, groups)


def surviving(names: Names) -> Iterator[Entry]:
    """Advantages of the responses that a filter leaves: of the groups as they were, or of what is left cut off anew."""
    rewards = names["R"]
    flags = "(1 - truncated)" if "truncated" in names else "mask"
    if None in flat(rewards) or "weights" in names or nesting(rewards) != 1:
        return
    if len(flat(names.get("truncated", names.get("mask")))) != len(rewards):
        return
    groups = groups_of(names)
    left, places = f"only(flat({groups}), {flags})", f"only(range(len(flat({groups}))), {flags})"
    anew = f"parted({left}, G)" if "G" in names else f"[{left}]"
    within = f"[only(g, f) for g, f in zip({groups}, {of_groups(flags, groups)})]"
    yield entry("surviving places", places)
    yield entry("surviving reward", left)
    yield entry("surviving total", f"len({left})")
    yield entry("group", f"len({groups})")
    yield entry("group strided", f"len({anew})")
    for words, body in bodies("g", f"flat({groups})", names):
        whole = f"flat([{body} for g in {groups}])"
        yield entry(f"advantages surviving {words}", f"only({whole}, {flags})")
        yield entry(f"advantages surviving masked {words}", f"{whole} * {flags}")
        yield entry(f"advantages surviving strided {words}", f"flat([{body} for g in {anew}])")
        yield entry(f"advantages surviving excluded {words}", f"flat([{body} for g in {within}])")


RAMP = "clip((longest - cache - lengths) / cache, 0 - 1, 0)"


def reshaped(names: Names) -> list[Body]:
    """What rewards are after a factor, a penalty or a penalty for their length, each with its words."""
    found = []
    if "shape" in names:
        found.append(("multiplied", "(R * shape)"))
    if "penalties" in names:
        below = all(number <= 0 for number in numbers_in(names["penalties"]))
        found.append(("penalised", f"(R {'+' if below else '-'} penalties)"))
    if {"lengths", "longest", "cache"} <= names.keys():
        found.append(("ramp", f"(R + {'pf * ' if 'pf' in names else ''}{RAMP})"))
    if "shaped" in names:
        found.append(("stated", "shaped"))
    return found


def of_reshaped(names: Names) -> Iterator[Entry]:
    """Advantages of rewards that were reshaped: less their own mean, or less that of what they were before."""
    if None in flat(names["R"]) or "weights" in names:
        return
    before = groups_of(names)
    for word, shaped in reshaped(names):
        after = of_groups(shaped, before)
        yield entry(f"reward shaped {word}", f"flat({shaped})")
        yield entry(f"baseline shaped mean {word}", f"[mean(g) for g in {after}]")
        yield entry(f"baseline shaped mean {word} early", f"[mean(h) for h in {before}]")
        yield entry(f"std population shaped {word}", f"[std(g) for g in {after}]")
        yield entry(f"std sample shaped {word}", f"[std(g, 1) for g in {after}]")
        for words, body in bodies("g", f"flat({after})", names):
            yield entry(f"advantages shaped {word} {words}", f"flat([{body} for g in {after}])")
            yield entry(f"advantages shaped {word} {words} absent", f"flat([{body} for g in {before}])")
            spread = body.replace("mean(g)", "mean(h)").replace("others(g)", "others(h)")
            pairs = f"zip({after}, {before})"
            yield entry(f"advantages shaped {word} {words} early", f"flat([{spread} for g, h in {pairs}])")


def filtered(names: Names) -> Iterator[Entry]:
    """Which groups a filter keeps that asks for a deviation: by what is right, by the reward, or reshaped."""
    if None in flat(names["R"]) or "weights" in names:
        return
    groups = groups_of(names)
    metrics = [("", groups)]
    if "metric" in names:
        metrics.insert(0, ("by-metric", re.sub(r"\bR\b", "metric", groups)))
    metrics += [("phantom", of_groups(shaped, groups)) for _, shaped in reshaped(names)]
    for word, found in metrics:
        kept = f"[max(g) > min(g) for g in {found}]"
        yield entry(f"kept group filter {word}", kept)
        yield entry(f"kept group filter total {word}", f"sum({kept})")
        yield entry(f"zero-variance mean-over-kept group filter {word}", f"[1 - k for k in {kept}]")
        yield entry(f"zero-variance mean-over-kept group filter total {word}", f"len({kept}) - sum({kept})")
        yield entry(f"std sample filter {word}", f"[std(g, 1) for g in {found}]")
        yield entry(f"std population filter {word}", f"[std(g) for g in {found}]")
        for words, body in bodies("g", f"flat({found})", names):
            yield entry(f"advantages filter {word} {words}", f"flat([{body} for g in {found}])")
    for word, test in (("solve-all", "min(g) > 0"), ("solve-none", "max(g) <= 0")):
        flags = f"[{test} for g in {groups}]"
        yield entry(f"zero-variance mean-over-kept group filter {word}", flags)
        yield entry(f"zero-variance mean-over-kept group filter total {word}", f"sum({flags})")
    yield entry("kept group filter absent", f"[0 * len(g) + 1 for g in {groups}]")
    yield entry("kept group filter total absent", f"len({groups})")
    some = f"[max(g) > 0 for g in {groups}]"
    yield entry("kept group filter above", some)
    yield entry("kept group filter total above", f"sum({some})")
