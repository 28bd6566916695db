"""What can be disputed about samples: advantages of groups, clipped terms of tokens, sums over tokens.

An entry is a formula with the words that say what it is; of entries that a name fits, the first is the definition's.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grpocheck.verifier.disputes.formulas import flat
from grpocheck.verifier.disputes.inputs import nesting

Names = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A quantity under a convention: the words for both, and its formula."""

    words: frozenset[str]
    formula: str
    kind: str = ""


Entries = Callable[[Names], Iterator[Entry]]


def entry(words: str, formula: str) -> Entry:
    """An entry from its words in one text."""
    return Entry(frozenset(words.split()), formula)


def groups_of(names: Names) -> str:
    """The groups of the rewards as a list of lists."""
    rewards = names["R"]
    if not isinstance(rewards, list):
        return "[[R]]"
    if nesting(rewards) == 2:
        return "R"
    size = names.get("G")
    return "[R]" if size is None or size >= len(rewards) or len(rewards) % int(size) else "parted(R, G)"


def stride_of(names: Names) -> str:
    """Groups of the declared size cut off row by row, where the prompts' own groups are others; empty where not."""
    if "G" not in names or nesting(names["R"]) != 2 or "weights" in names:
        return ""
    if "order" not in names and all(len(group) == names["G"] for group in names["R"]):
        return ""
    return f"parted({'rows' if 'rows' in names else 'flat(R)'}, G)"


def advantages(names: Names) -> Iterator[Entry]:
    """Advantages, their baselines and deviations: over which rewards, by which divisor, with epsilon where."""
    groups = groups_of(names)
    everything = f"flat({groups})"
    order, strided = "[order]" if "order" in names else "", stride_of(names)
    if "weights" in names and nesting(names["R"]) == 2:
        yield from of_several_rewards(names)
        return
    holes = None in flat(names["R"])
    readings = [("", "g", "g")]
    if holes:
        readings = [("excluded", "g", "present(g)"), ("zero", "filled(g, 0)", "filled(g, 0)")]
        everything = f"present({everything})"
    if groups == "[R]" and len(flat(names["R"])) == 1:
        yield entry("advantages group grpo guarded mean population sample scaled", "0 * R")
        yield entry("advantages group single absent", "R / (1 + eps_std)" if "eps_std" in names else "R")
    if not holes:
        yield entry("fraction zero-variance group", f"mean([max(g) == min(g) for g in {groups}])")
        yield entry("fraction zero-variance group solve-all", f"mean([min(g) > 0 for g in {groups}])")
        yield entry("fraction zero-variance group solve-none", f"mean([max(g) <= 0 for g in {groups}])")
        yield entry("fraction zero-variance batch", f"0 + (max({everything}) == min({everything}))")
        yield entry("fraction kept group", f"mean([max(g) > min(g) for g in {groups}])")
        yield entry("reward mean batch", f"mean({everything})")
        mixed = f"[max(g) > min(g) for g in {groups}]"
        yield entry("reward mean kept", f"sum([mean(g) for g in {groups}] * {mixed}) / sum({mixed})")
    for reading, own, there in readings:
        for base, baseline in baselines(own, there, everything, names):
            difference = f"({own} - {baseline})"
            bodies = [
                (f"{base} {words}", body)
                for divisor in divisors(there, everything, names)
                for words, body in scaled(difference, divisor, names)
            ]
            plain = (f"{base} unscaled dr-grpo", difference)
            for words, body in [plain, *bodies] if base == "leave-one-out" else [*bodies, plain]:
                whole = f"filled({body}, 0)" if reading == "excluded" else body
                yield entry(f"advantages {reading} {words}", f"flat([{whole} for g in {groups}]){order}")
                if strided and base in ("mean", "leave-one-out"):
                    yield entry(f"advantages strided {reading} {words}", f"flat([{whole} for g in {strided}])")
            yield entry(f"baseline {reading} {base}", f"[{baseline} for g in {groups}]")
        for word, formula in divisors(there, everything, names):
            yield entry(f"std {reading} {word}", f"[{formula} for g in {groups}]")
    if not holes:
        first = next(scaled("(g - mean(g))", divisors("g", everything, names)[0], names))[1]
        again = f"[({first}) for g in {groups}]"
        if "top_k" in names:
            yield from best_of_several(groups, order)
        for left, other in (("excluded", "0"), ("all-counted", "v")):
            best = f"[where(v == max(g), v - max(o), {other}) for v, o in zip(g, without(g))]"
            yield entry(f"advantages best-only unscaled {left}", f"flat([{best} for g in {groups}]){order}")
        for lost, word in ((0, "population"), (1, "sample")):
            whole = f"(flat({again}) - mean(flat({again}))) / std(flat({again}), {lost})"
            yield entry(f"advantages twice batch {word}", whole)
        yield entry("advantages total", f"[sum({first}) for g in {groups}]")
        if "dtype" in names:
            for word, body in scaled("(g - mean(g))", divisors("g", everything, names)[0], names):
                rounded = f"flat([in_format(dtype, {body}) for g in {groups}])"
                yield entry(f"advantages {{dtype}} mean {word}", rounded)


def best_of_several(groups: str, order: str) -> Iterator[Entry]:
    """The best of k responses of a group: its mean over every choice of them, and what each response adds to it.

    The fault takes the k as drawn again and again from the group (1 less the chance of k failures).
    """
    credit = "best_of(g, top_k) - (len(g) - top_k) / len(g) * best_of(o, min(top_k, len(o)))"
    credits = f"[[{credit} for o in without(g)] for g in {groups}]"
    yield entry("expected best-only reward true", f"[best_of(g, top_k) for g in {groups}]")
    yield entry("expected best-only reward repeated", f"[1 - (1 - mean(g)) ** top_k for g in {groups}]")
    yield entry("expected best-only reward mean", f"[mean(g) for g in {groups}]")
    yield entry("advantages best-only mean unscaled", f"flat([c - mean(c) for c in {credits}]){order}")
    yield entry("advantages best-only no-baseline", f"flat({credits}){order}")


def baselines(own: str, there: str, everything: str, names: Names) -> list[tuple[str, str]]:
    """Baselines of a group ``own`` of which the rewards ``there`` count."""
    found = [("mean", f"mean({there})"), ("no-baseline", f"0 * {own}")]
    if own == there:
        found.insert(1, ("leave-one-out", f"others({there})"))
        if nesting(names["R"]) == 2 and any(len(group) == 1 for group in names["R"]):
            found.append(("no-baseline single", f"where(len({there}) == 1, 0, mean({there})) + 0 * {own}"))
    elif there == f"present({own})":
        rest = f"(sum({there}) - {own})"
        alone = f"where(len({there}) == 1, {own}, {rest} / max(len({there}) - 1, 1))"
        found.insert(1, ("leave-one-out", alone))
        found.insert(2, ("leave-one-out all-counted", f"{rest} / max(len({own}) - 1, 1)"))
    if "baseline" in names:
        found.insert(0, ("constant-baseline", "baseline"))
    return [*found, ("batch-baseline", f"mean({everything})"), ("maximum-baseline", f"max({there})")]


def divisors(there: str, everything: str, names: Names) -> list[tuple[str, str]]:
    """Deviations: the group's before the batch's, and of each the declared one, by n or by n - 1, first."""
    both = [("population", ""), ("sample", ", 1")]
    if names.get("ddof") == 1:
        both.reverse()
    found = [(f"{word} group", f"std({there}{lost})") for word, lost in both]
    found += [(f"{word} batch", f"std({everything}{lost})") for word, lost in both]
    found += [(f"{word} others-std", f"[std(o{lost}) for o in without({there})]") for word, lost in both]
    found += [("population divided-by-variance", f"var({there})"), ("divided-by-mean", f"mean({there})")]
    if nesting(names["R"]) == 2 or "G" in names:
        own = "present(h)" if None in flat(names["R"]) else "h"
        centred = f"flat([{own} - mean({own}) for h in {groups_of(names)}])"
        found += [(f"{word} batch recentred", f"std({centred}{lost})") for word, lost in both]
    return found


def scaled(numerator: str, divisor: tuple[str, str], names: Names) -> Iterator[tuple[str, str]]:
    """A difference over a deviation, with epsilon wherever it may stand."""
    word, deviation = f"scaled grpo {divisor[0]}", divisor[1]
    if names.get("eps_std"):
        yield f"{word} added", f"{numerator} / ({deviation} + eps_std)"
        yield f"{word} inside", f"{numerator} / sqrt({deviation}**2 + eps_std)"
        yield f"{word} floored", f"{numerator} / max({deviation}, eps_std)"
        yield f"{word} floored inside", f"{numerator} / sqrt(max({deviation}**2, eps_std))"
        yield f"{word} floored inside added", f"{numerator} / (sqrt(max({deviation}**2, eps_std)) + eps_std)"
    yield f"{word} guarded without-epsilon", f"where({deviation} == 0, 0, {numerator} / {deviation})"
    yield f"{word} without-epsilon unguarded", f"{numerator} / {deviation}"


def of_several_rewards(names: Names) -> Iterator[Entry]:
    """Advantages of several reward functions: summed and then normalised, or normalised each and then summed."""
    for word, deviation in [pair for pair in divisors("g", "flat(R)", names) if pair[0].endswith(" group")]:
        for words, body in scaled("(g - mean(g))", (word, deviation), names):
            for weighed, weights in (("weighted", "weights"), ("unweighted", "(0 * weights + 1)")):
                total = f"sum({weights} * R)"
                first = f"sum({weights} * [{body} for g in R])"
                yield entry(f"advantages sum-first {weighed} {words}", f"[{body} for g in [{total}]][0]")
                yield entry(f"advantages normalise-first {weighed} {words}", first)
                again = f"[{body} for g in [{first}]][0]"
                yield entry(f"advantages normalise-first {weighed} twice batch {words}", again)


def terms(names: Names, ratio: str) -> list[tuple[str, str]]:
    """Terms of a ratio and an advantage, the declared one first."""
    if not {"low", "high"} <= names.keys():
        return [("unclipped", f"{ratio} * A")]
    held = f"clip({ratio}, 1 - low, 1 + high)"
    least = f"min({ratio} * A, {held} * A)"
    found = [
        ("two-sided asymmetric single", least),
        ("before-product", f"min({ratio}, {held}) * A"),
        ("optimistic", f"max({ratio} * A, {held} * A)"),
        ("clip-only", f"{held} * A"),
        ("unclipped", f"{ratio} * A"),
        ("two-sided symmetric", f"min({ratio} * A, clip({ratio}, 1 - low, 1 + low) * A)"),
        ("two-sided symmetric wide", f"min({ratio} * A, clip({ratio}, 1 - high, 1 + high) * A)"),
        ("two-sided swapped", f"min({ratio} * A, clip({ratio}, 1 - high, 1 + low) * A)"),
        ("two-sided log", f"min({ratio} * A, exp(clip(log({ratio}), 0 - low, high)) * A)"),
        ("detached truncated", f"min({ratio}, 1 + high) * A"),
    ]
    if "delta" in names:
        found.insert(0, ("delta two-sided", f"min(min({ratio}, delta) * A, {held} * A)"))
        found.append(("delta unclipped", f"min({ratio}, delta) * A"))
        found.append(("delta before-product", f"min(min({ratio}, delta), {held}) * A"))
    if "c" in names:
        found.insert(0, ("dual two-sided", f"where(A < 0, max({least}, c * A), {least})"))
        found.append(("dual everywhere", f"max({least}, c * A)"))
        found.append(("dual swapped", f"where(A < 0, min({least}, c * A), {least})"))
        found.append(("dual inverted", f"where(A > 0, max({least}, c * A), {least})"))
    return found


def clipped(names: Names) -> Iterator[Entry]:
    """Clipped terms at each level of the ratio: values, sums, derivatives by the ratios, and shares of tokens."""
    source = next((names[key] for key in ("w", "new_logp", "x") if isinstance(names.get(key), list)), 0)
    nested = nesting(source) == 2
    levels = [("token", "w")]
    yield from corrected(names)
    masked = nested and nesting(names.get("mask")) == 2
    every = " unmasked" if "mask" in names else ""
    if masked:
        pairs = "for v, m in zip(w, mask)]"
        levels += [("sequence", f"[exp(sum(log(v) * m)) {pairs}"),
                   ("geometric", f"[exp(sum(log(v) * m) / sum(m)) {pairs}")]  # fmt: skip
    if nested:
        levels += [(f"sequence{every}", "[prod(v) for v in w]"),
                   (f"geometric{every}", "[prod(v) ** (1 / len(v)) for v in w]")]  # fmt: skip
    for level, word, term in [(level, word, term) for level, ratio in levels for word, term in terms(names, ratio)]:
        tokens = nested and level == "token"
        words = f"{level} {word}"
        if tokens:
            yield entry(f"objective sequence-mean {words}", f"[mean(t) for t in {term}]")
        yield entry(f"objective {words}", f"flat({term})")
        for name, value in ((f"objective {words}", f"({term})"), (f"loss {words}", f"(0 - {term})")):
            if tokens and masked:
                rows = f"[sum(t * m) / sum(m) for t, m in zip({value}, mask)]"
                yield entry(f"{name} sequence-mean", f"mean({rows})")
            if every and level == "token":
                yield entry(f"{name} token-mean", f"sum(flat({value}) * flat(mask)) / sum(flat(mask))")
            if tokens:
                yield entry(f"{name} sequence-mean{every}", f"mean([mean(t) for t in {value}])")
            by_response = "lengths" in names and not nested
            if nested and not tokens:
                counts = "[sum(m) for m in mask]" if masked else "[len(v) for v in w]"
                yield entry(f"{name} broadcast token-mean", f"sum({value} * {counts}) / sum({counts})")
            yield entry(f"{name} {'sequence-mean' if by_response else 'token-mean'}{every}", f"mean(flat({value}))")
            if by_response:
                yield entry(f"{name} token-mean", f"sum({value} * lengths) / sum(lengths)")
            yield entry(f"{name} total{every}", f"sum(flat({value}))")
        yield entry(f"loss {words}", f"flat(0 - {term})")
        slopes = f"derivative(sum(flat({term})), w)"
        yield entry(f"slope gradient {words}", slopes)
        yield entry(f"slope gradient token-mean {words}", f"derivative(mean(flat({term})), w)")
        if not isinstance(names["w"], str):
            yield entry(f"gradient logprob {words}", f"flat(w) * {slopes}")
            yield entry(f"loss gradient logprob {words}", f"0 - flat(w) * {slopes}")
    for level, ratio in levels:
        yield entry(f"ratio {level}", f"flat({ratio})")
        yield from clip_shares(names, level, ratio)
        yield from held_weights(names, level, ratio)
    for name, value in (("objective", "flat(0 * w + A)"), ("loss", "flat(0 - (0 * w + A))")):
        yield entry(f"{name} detached raw each", value)
        yield entry(f"{name} detached raw {'sequence-mean' if 'lengths' in names else 'token-mean'}", f"mean({value})")
    yield entry("ratio detached raw", "flat(0 * w + 1)")
    yield entry("slope gradient detached raw", "flat(0 * w)")


def corrected(names: Names) -> Iterator[Entry]:
    """Clipped terms of a proximal policy, weighed by its ratio to the policy that sampled: whole, or up to a cap."""
    ratio = ""
    if {"old", "sampler"} <= names.keys():
        ratio = "(old / sampler)"
    if {"old_logp", "sampler_logp"} <= names.keys():
        ratio = "exp(old_logp - sampler_logp)"
    weights = [("untruncated", ratio)] if ratio else []
    if ratio and "cap" in names:
        weights.insert(0, ("truncated", f"min({ratio}, cap)"))
        weights.append(("masked", f"where({ratio} > cap, 0, {ratio})"))
    for words, weight in weights:
        word, term = terms(names, "w")[0]
        for name, value in (("objective", f"({weight} * {term})"), ("loss", f"(0 - {weight} * {term})")):
            yield entry(f"{name} weighted {words} token {word}", f"flat({value})")
            yield entry(f"{name} weighted {words} token {word} token-mean", f"mean(flat({value}))")


def held_weights(names: Names, level: str, ratio: str) -> Iterator[Entry]:
    """Weights held between bounds that are distances from 1, and with the one taken for the other."""
    if "high" not in names:
        return
    for words, lower, upper in (
        ("", "1 - low", "1 + high"),
        ("misset", "low", "2 + high"),  # the bounds themselves, 1 - low and 1 + high, taken for distances from 1
        ("misset raw", "low", "high"),  # the distances taken for bounds
    ):
        if "low" in names:
            yield entry(f"weight ratio truncated two-sided {level} {words}", f"flat(clip({ratio}, {lower}, {upper}))")
        yield entry(f"weight ratio truncated {level} {words}", f"flat(min({ratio}, {upper}))")


def clip_shares(names: Names, level: str, ratio: str) -> Iterator[Entry]:
    """Shares of tokens that a test calls clipped."""
    if "high" not in names:
        return
    above, below = f"({ratio} > 1 + high)", f"({ratio} < 1 - low)" if "low" in names else "0"
    binding = f"{above} * (A > 0) + {below} * (A < 0)"
    tests = (
        ("binding two-sided", binding),
        ("inverted", f"{above} * (A < 0) + {below} * (A > 0)"),
        ("range", f"{above} + {below}"),
        ("range maximum-baseline", above),
        ("range floored", below),
    )
    capped = ("detached scored", above)  # of a weight that is held fixed no sign of an advantage removes the gradient
    for word, test in [*(tests if "low" in names else tests[:2]), capped]:
        yield entry(f"fraction {level} {word}", f"mean(flat({test}))")
    yield entry(f"fraction {level} absent", f"0 * mean(flat({binding}))")
    yield entry(f"fraction each {level} binding two-sided", f"flat({binding})")
    if "low" in names:  # both widths the one, or each the other's
        for word, lower, upper in (("symmetric", "low", "low"), ("wide", "high", "high"), ("swapped", "high", "low")):
            over, under = f"({ratio} > 1 + {upper})", f"({ratio} < 1 - {lower})"
            one_width = f"{over} * (A > 0) + {under} * (A < 0)"
            yield entry(f"fraction {level} binding {word} single", f"mean(flat({one_width}))")
            yield entry(f"fraction {level} range {word} single", f"mean(flat({over} + {under}))")
            yield entry(f"fraction each {level} binding two-sided {word} single", f"flat({one_width})")
