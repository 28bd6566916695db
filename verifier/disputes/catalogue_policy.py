"""What can be disputed about policies: expected gradients of group estimators, weights of stale samples, divergences.

A policy is its masses over a finite support; gradients are by its softmax logits. Expectations run over every draw.
"""

from collections.abc import Iterator

from grpocheck.verifier.disputes.catalogue import Entry, Names, entry, terms
from grpocheck.verifier.disputes.catalogue_logs import ESTIMATES

K = {
    "k1": "log(pi / ref)",
    "k2": "(log(pi / ref)**2 / 2)",
    "k2 twice": "(log(pi / ref)**2)",
    "k3": "(ref / pi - 1 + log(pi / ref))",
    "k3 reversed": "(pi / ref - 1 - log(pi / ref))",
    "absolute": "abs(log(pi / ref))",
    "k1 reversed": "log(ref / pi)",
}
"""Estimates of KL(pi || ref) in nats, one for each response of the support; each can be multiplied and indexed."""
REVERSE = "sum(pi * log(pi / ref))"


def rewarded(names: Names) -> Iterator[Entry]:
    """The true objective and its gradient, and what group estimators make of it."""
    objective = "sum(pi * r)"
    bare = "without-kl" if {"ref", "beta"} <= names.keys() else "without-entropy" if "entropy_coef" in names else ""
    yield entry(f"objective true expected reward mass {bare}", objective)
    yield entry(f"gradient true expected {bare}", f"gradient({objective})")
    if "G" not in names:
        yield entry("gradient no-baseline variance", "variance(pi, 1, r[y][0] * score(pi)[y][0])")
        return
    drawer = "old" if "old" in names else "pi"
    weights = [("", "")]
    if drawer == "old":
        weights = [("weighted sequence untruncated", "(pi / old)[y] * "), ("unweighted", "")]
        if "cap" in names:
            weights.insert(1, ("truncated", "min(pi / old, cap)[y] * "))
            weights.append(("masked", "where(pi / old > cap, 0, pi / old)[y] * "))
    for weight_words, weight in weights:
        for words, summed in estimators(names):
            estimate = summed.format(weight=weight)
            all_words = f"{weight_words} {words}"
            yield entry(f"gradient expected {all_words}", f"expected_unordered({drawer}, G, {estimate})")
            yield entry(f"gradient variance {all_words}", f"variance_unordered({drawer}, G, {estimate})")
            yield entry(f"gradient variance total {all_words}", f"sum(variance_unordered({drawer}, G, {estimate}))")
            biased = f"expected_unordered({drawer}, G, {estimate}) - gradient({objective})"
            yield entry(f"gradient bias {all_words}", biased)
            factor = f"expected_unordered({drawer}, G, {estimate})[0] / gradient({objective})[0]"
            yield entry(f"factor gradient {all_words}", factor)


def estimators(names: Names) -> Iterator[tuple[str, str]]:
    """Sums over a group of advantage times score, with a place for the weights of stale samples."""
    for base, difference in (
        ("mean", "(r[y] - mean(r[y]))"),
        ("leave-one-out", "(r[y] - others(r[y]))"),
        ("no-baseline", "r[y]"),
        ("maximum-baseline", "(r[y] - max(r[y]))"),
        *([("constant-baseline", "(r[y] - baseline)")] if "baseline" in names else []),
    ):
        for scale, deviation in (
            ("unscaled dr-grpo", None),
            ("scaled grpo population", "std(r[y])"),
            ("scaled grpo sample", "std(r[y], 1)"),
        ):
            advantage = difference
            if deviation and names.get("eps_std"):
                advantage = f"({difference} / ({deviation} + eps_std))"
            elif deviation:
                advantage = f"where({deviation} == 0, 0, {difference} / {deviation})"
            words = f"{base} {scale}"
            product = f"{{weight}}{advantage}"
            yield words, f"sum({product} * score(pi)[y]) / G"
            if "lengths" in names:
                longest = "longest" if "longest" in names else "max(lengths)"
                yield f"{words} token-sum", f"sum({product} * score(pi)[y]) / G"
                yield f"{words} sequence-mean", f"sum({product} / lengths[y] * score(pi)[y]) / G"
                yield f"{words} constant fixed", f"sum({product} * score(pi)[y]) / (G * {longest})"
                yield f"{words} token-mean", f"sum({product} * score(pi)[y]) / sum(lengths[y])"


def recorded(names: Names) -> Iterator[Entry]:
    """Surrogates of draws that are stated, with their advantages: values, and gradients by the policy's logits."""
    denominators = [("in-old true", "old" if "old" in names else "sg(pi)"), ("detached raw", "pi")]
    others = (("in-reference", "ref"), ("in-sampler", "sampler"))
    denominators += [(words, name) for words, name in others if name in names]
    for words, below in denominators:
        ratio = f"(pi / {below})[draws]"
        yield entry(f"ratio {words}", ratio)
        for word, term in terms(names, ratio):
            yield entry(f"objective {words} {word} token-mean", f"mean({term})")
            yield entry(f"objective {words} {word} total", f"sum({term})")
            yield entry(f"objective {words} {word} each", term)
            yield entry(f"gradient {words} {word} token-mean", f"gradient(mean({term}))")
            yield entry(f"gradient {words} {word} total", f"gradient(sum({term}))")
            yield entry(f"loss {words} {word} token-mean", f"0 - mean({term})")
            yield entry(f"loss gradient {words} {word} token-mean", f"gradient(0 - mean({term}))")
    if {"old", "sampler"} <= names.keys():
        weight = "(old / sampler)[draws]"
        yield entry("ratio weight in-old in-sampler", weight)
        for word, term in terms(names, "(pi / old)[draws]"):
            for name, product in (("objective", f"{weight} * {term}"), ("loss", f"0 - {weight} * {term}")):
                yield entry(f"{name} in-old true weighted {word} token-mean", f"mean({product})")
                yield entry(f"{name} in-old true weighted {word} total", f"sum({product})")
                yield entry(f"{name} gradient in-old true weighted {word} token-mean", f"gradient(mean({product}))")
    fresh = "unweighted" if "old" in names else "true"
    yield entry(f"gradient no-baseline score {fresh}", "mean(A * score(pi)[draws])")


def weighed(names: Names) -> Iterator[Entry]:
    """Weights of samples of an old policy: means, second moments and what they make of an expectation."""
    weights = [("sequence weighted untruncated", "(pi / old)"), ("unweighted in-old", "(0 * old + 1)")]
    weights.append(("reversed", "(old / pi)"))
    if "cap" in names:
        weights.append(("truncated", "min(pi / old, cap)"))
        weights.append(("masked", "where(pi / old > cap, 0, pi / old)"))
        weights.append(("two-sided truncated", "clip(pi / old, 1 / cap, cap)"))
    if {"low", "high"} <= names.keys():
        weights.append(("clip-only", "clip(pi / old, 1 - low, 1 + high)"))
        weights.append(("before-product", "min(pi / old, 1 + high)"))
    if "tokens" in names:
        weights.append(("geometric", "[prod(v) ** (1 / len(v)) for v in tokens]"))
        weights.append(("token mean", "[mean(v) for v in tokens]"))
        weights.append(("last", "[v[-1] for v in tokens]"))
        if "cap" in names:
            weights.append(("token truncated", "[prod(min(v, cap)) for v in tokens]"))
            weights.append(("token masked", "[prod(where(v > cap, 0, v)) for v in tokens]"))
            geometric = "[prod(v) ** (1 / len(v)) for v in tokens]"
            weights.append(("geometric truncated", f"min({geometric}, cap)"))
            weights.append(("geometric masked", f"where({geometric} > cap, 0, pi / old)"))
    for words, weight in weights:
        yield entry(f"ratio weight {words}", weight)
        if "r" in names:
            value = f"sum(old * {weight} * r)"
            yield entry(f"objective expected reward weight {words}", value)
            yield entry(f"objective bias reward {words}", f"{value} - sum(pi * r)")
            yield entry(f"objective variance reward {words}", f"sum(old * ({weight} * r)**2) - {value}**2")
            yield entry(f"objective self-normalised reward {words}", f"{value} / sum(old * {weight})")
            yield entry(f"gradient expected detached {words}", f"sum(old * {weight} * r * score(pi))")
            yield entry(f"gradient expected {words}", f"gradient(sum(old * {weight} * r))")
        yield entry(f"normaliser expected in-old weight {words}", f"sum(old * {weight})")
        yield entry(f"second-moment weight {words}", f"sum(old * {weight}**2)")
        yield entry(f"variance weight {words}", f"sum(old * {weight}**2) - sum(old * {weight})**2")
        yield entry(f"effective weight {words}", f"sum(old * {weight})**2 / sum(old * {weight}**2)")


def divergent(names: Names) -> Iterator[Entry]:
    """Divergences from a reference: exact, estimated by samples fresh or stale, their gradients and their variances."""
    yield entry("kl reverse expected true", REVERSE)
    yield entry("kl forward expected", "sum(ref * log(ref / pi))")
    if "draws" in names:
        for word, estimate in K.items():
            yield entry(f"kl sampling each {word}", f"flat({estimate}[draws])")
            yield entry(f"kl sampling token-mean {word}", f"mean({estimate}[draws])")
    yield entry("kl gradient reverse true", f"gradient({REVERSE})")
    yield entry("kl gradient forward", "gradient(sum(ref * log(ref / pi)))")
    laws = [("on-policy", "pi", "")]
    if "old" in names:
        laws = [("off-policy unweighted", "old", ""), ("off-policy weighted", "old", "(pi / old) * "), *laws]
    for where, law, weight in laws:
        for word, estimate in K.items():
            words = f"kl {where} {word}"
            value = f"sum({law} * {weight}{estimate})"
            yield entry(f"{words} expected objective unclamped", value)
            yield entry(f"{words} variance", f"sum({law} * ({weight}{estimate})**2) - {value}**2")
            yield entry(f"{words} bias", f"{value} - {REVERSE}")
            slope = f"{words} gradient expected in-loss"
            slopes = [entry(f"{slope} detached", f"sum({law} * {weight}gradient({estimate}))")]
            if weight:  # first what is the divergence's gradient: for k2 that is the one with the weight held fixed
                whole = entry(slope, f"sum({law} * gradient({weight}{estimate}))")
                slopes.insert(len(slopes) if word == "k2" else 0, whole)
            yield from slopes
            yield entry(f"{words} gradient expected in-reward", f"sum({law} * {weight}{estimate} * score(pi))")
            if "clamp" in names:
                held = ESTIMATES[word].format(x="clip(log(pi / ref), 0 - clamp, clamp)")
                yield entry(f"{words} expected clamped log", f"sum({law} * {weight}{held})")
                yield entry(f"{words} gradient clamped log", f"sum({law} * {weight}gradient({held}))")
                yield entry(f"{words} expected clamped", f"sum({law} * {weight}clip({estimate}, 0 - clamp, clamp))")
        yield entry(f"kl {where} each k1 logprob", K["k1"])
        yield entry(f"kl {where} each k3", K["k3"])
        yield entry(f"kl {where} each k2", K["k2"])


def drifted(names: Names) -> Iterator[Entry]:
    """The divergence from the old policy to the current one, as the draws of the old one estimate it."""
    if "ref" in names:
        return
    ratio = "(pi / old)"
    yield entry("kl expected in-old true reverse", "sum(old * log(old / pi))")
    yield entry("kl expected in-old forward", "sum(pi * log(pi / old))")
    for words, estimate in (
        *((word, text.format(x="log(old / pi)")) for word, text in ESTIMATES.items()),
        ("k3 misset exp", f"(exp({ratio}) - 1 - {ratio})"),
        ("misset ratio", f"({ratio} - 1)"),
    ):
        yield entry(f"kl expected in-old {words}", f"sum(old * {estimate})")
        yield entry(f"kl each in-old {words}", estimate)


def penalised(names: Names) -> Iterator[Entry]:
    """Rewards less beta times a divergence: the objective, its best policy, and what estimators make of it."""
    objective = f"sum(pi * r) - beta * {REVERSE}"
    yield entry("objective expected true kl", objective)
    yield entry("gradient true kl expected", f"gradient({objective})")
    yield entry("mass optimal", "[m / sum(ref * exp(r / beta)) for m in ref * exp(r / beta)]")
    yield entry("objective optimal", "beta * log(sum(ref * exp(r / beta)))")
    for word, estimate in K.items():
        total = f"sum(pi * r * score(pi)) - beta * sum(pi * gradient({estimate}))"
        yield entry(f"gradient kl in-loss {word}", total)
        returns = f"(r - beta * {estimate})"
        yield entry(f"gradient kl in-reward {word}", f"sum(pi * {returns} * score(pi))")
        yield entry(f"reward kl in-reward {word}", returns)
        if "G" not in names:
            continue
        for base, take in (("leave-one-out", "others"), ("mean", "mean")):
            before = f"({returns}[y] - {take}({returns}[y]))"
            after = f"(r[y] - {take}(r[y]) - beta * {estimate}[y])"
            for order, advantage in (("before", before), ("after", after)):
                summed = f"sum({advantage} * score(pi)[y]) / G"
                yield entry(f"gradient expected kl {word} {base} {order}", f"expected_unordered(pi, G, {summed})")
                yield entry(f"gradient variance kl {word} {base} {order}", f"variance_unordered(pi, G, {summed})")


def tempered(names: Names) -> Iterator[Entry]:
    """Masses at a temperature and under truncated sampling, against those of the policy as it is."""
    plain = "pi" if "pi" in names else "softmax(z)"
    samplers = []
    if "T" in names:
        hot = "tempered(pi, T)" if "pi" in names else "softmax(z, T)"
        samplers.append(("tempered", hot))
        yield entry("mass sampling tempered", hot)
        yield entry("logprob sampling tempered", f"log({hot})")
        yield entry("expected entropy sampling tempered", f"0 - sum({hot} * log({hot}))")
    yield entry("mass raw", plain)
    yield entry("logprob raw", f"log({plain})")
    yield entry("expected entropy raw", f"0 - sum({plain} * log({plain}))")
    base = samplers[0][1] if samplers else plain
    if "top_k" in names:
        samplers.append(("top-k renormalised", f"top_k({base}, top_k)"))
    if "top_p" in names:
        samplers.append(("top-p renormalised", f"top_p({base}, top_p)"))
    if "top_k" in names and "top_p" in names:
        samplers.append(("top-k top-p renormalised", f"top_p(top_k({base}, top_k), top_p)"))
    for words, drawn in samplers:
        yield entry(f"mass sampling {words}", drawn)
        yield entry(f"logprob sampling {words}", f"log({drawn})")
        yield entry(f"kept total mass {words}", f"sum({base} * ({drawn} > 0))")
        if "draws" in names:
            for word, policy in (("same", drawn), ("everywhere base", base), ("everywhere raw", plain)):
                ratio = f"({policy} / {drawn})[draws]"
                yield entry(f"ratio weight {word} token drawn {words}", ratio)
                yield entry(f"ratio weight {word} sequence drawn {words}", f"prod({ratio})")
                yield entry(f"ratio weight {word} geometric drawn {words}", f"prod({ratio}) ** (1 / len(draws))")
            yield entry(f"logprob drawn {words}", f"log({drawn})[draws]")
            yield entry(f"logprob drawn raw {words}", f"log({plain})[draws]")
        for word, policy in (("base", base), ("raw", plain)):
            yield entry(f"ratio weight kept {words} {word}", f"{policy} / {drawn}")
            yield entry(f"ratio weight reversed {words} {word}", f"{drawn} / {policy}")
            ratio = f"where({drawn} == 0, 0, {policy} / {drawn})"
            yield entry(f"ratio weight guarded {words} {word}", ratio)
            yield entry(f"normaliser expected ratio weight {words} {word}", f"sum({drawn} * {ratio})")
            if "r" in names:
                yield entry(f"objective expected reward weighted {words} {word}", f"sum({drawn} * {ratio} * r)")
        if "r" in names:
            yield entry(f"objective expected reward {words}", f"sum({drawn} * r)")
            yield entry(f"objective bias reward {words}", f"sum({drawn} * r) - sum({plain} * r)")
            if "pi" in names:
                yield entry(f"gradient true expected {words}", f"gradient(sum({drawn} * r))")
                yield entry(f"gradient expected raw {words}", f"sum({drawn} * r * score(pi))")
    if "T" in names:
        yield entry("logprob divided-logprob", f"log({plain}) / T")
        yield entry("ratio weight divided-logprob", f"exp(log({plain}) / T - log({hot}))")
        yield entry("mass divided-logprob", f"exp(log({plain}) / T)")
        yield entry("total mass divided-logprob", f"sum(exp(log({plain}) / T))")
    if "r" in names:
        yield entry("objective expected reward raw", f"sum({plain} * r)")


def entropic(names: Names) -> Iterator[Entry]:
    """The entropy of a policy and its gradient, as a bonus and with the sign turned."""
    entropy = "(0 - sum(pi * log(pi)))"
    yield entry("entropy objective true", entropy)
    yield entry("entropy gradient true", f"gradient({entropy})")
    yield entry("entropy gradient inverted", f"0 - gradient({entropy})")
    yield entry("entropy gradient expected detached", "0 - sum(pi * gradient(log(pi)))")


def with_entropy(names: Names) -> Iterator[Entry]:
    """The mean reward with an entropy bonus, and with the sign of the bonus turned."""
    for word, sign in (("true", "+"), ("inverted", "-")):
        objective = f"sum(pi * r) {sign} entropy_coef * (0 - sum(pi * log(pi)))"
        yield entry(f"objective {word} entropy expected", objective)
        yield entry(f"gradient {word} entropy expected", f"gradient({objective})")
        yield entry(f"loss {word} entropy", f"0 - ({objective})")
