"""Check an implementation of group-relative objectives against test vectors. Python's standard library, nothing else.

    grpocheck vectors vectors.json
    python run_vectors.py vectors.json                      # the implementation below, in floats
    python run_vectors.py vectors.json --variant dr-grpo    # one method alone
    python run_vectors.py vectors.json --fault sample-std   # a mistake put in on purpose, to see it found

To check your own, put it in place of ``evaluate`` and ``divergence``.
Exit status: 0 all pass, 1 some fail, 2 bad input.
"""

import argparse
import json
import math
import sys

SCHEMA = "grpocheck-vectors/1"
TOLERANCE = 1e-9  # relative to the number, or to the case's floor where that is larger

FAULTS = {"sample-std": "divides the squared deviations by G - 1"}


class MissingReward(Exception):  # noqa: N818 - named for what it says
    """A reward that is not there."""


def number(text):
    """A number of the file: "3/5", "12" or "1.2e-3"."""
    numerator, _, denominator = text.partition("/")
    return float(numerator) / float(denominator) if denominator else float(numerator)


def exp(x):
    """The exponential, infinite where floats end."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


# An implementation in floats. -----------------------------------------------------------------------------------------


def mean(values):
    """The arithmetic mean."""
    return sum(values) / len(values)


def deviation(values, rule, fault):
    """The standard deviation that a rule divides by: 0 where all values are equal, whatever their float mean is."""
    if all(value == values[0] for value in values):
        squares = 0
    else:
        centre = mean(values)
        squares = sum((value - centre) ** 2 for value in values)
    lost = 1 if rule["divisor"].endswith("sample") or fault == "sample-std" else 0
    variance = squares / max(1, len(values) - lost)
    return math.sqrt(max(variance, number(rule["floor"])))


def normalised(rows, rule, fault):
    """(R - baseline) / (deviation + epsilon), row by row; 0 where the divisor is 0."""
    everything = [value for row in rows for value in row]
    result = []
    for row in rows:
        if rule["baseline"] == "mean":
            differences = [value - mean(row) for value in row]
        elif rule["baseline"] == "leave-one-out":
            differences = [sum(value - other for other in row) / (len(row) - 1) for value in row]
        elif rule["baseline"] == "batch-mean":
            differences = [value - mean(everything) for value in row]
        else:
            differences = list(row)
        if rule["divisor"] != "none":
            values = everything if rule["divisor"].startswith("batch") else row
            divisor = deviation(values, rule, fault) + number(rule["epsilon"])
            differences = [difference / divisor if divisor > 0 else 0 for difference in differences]
        result.append(differences)
    return result


def advantages(variant, groups, fault):
    """[group][response]; a rule ``first`` normalises each reward function before their sum."""
    rewards = [[response["rewards"] for response in group["responses"]] for group in groups]
    if any(reward is None for rows in rewards for row in rows for reward in row):
        raise MissingReward
    functions = range(len(rewards[0][0]))
    columns = [[[number(row[k]) for row in rows] for rows in rewards] for k in functions]
    rule = variant["advantage"]
    if rule["first"] is not None:
        columns = [normalised(column, rule["first"], fault) for column in columns]
    totals = [
        [sum(columns[k][g][i] for k in functions) for i in range(len(rows))] for g, rows in enumerate(rewards)
    ]
    return normalised(totals, rule, fault)


def log_ratios(tokens, level):
    """log of the ratio that each active token's term is made with; None for a token that is not active."""
    own = [math.log(number(t["current"])) - math.log(number(t["old"])) if t["active"] else None for t in tokens]
    active = [value for value in own if value is not None]
    if level == "token" or not active:
        return own
    whole = sum(active) / (len(active) if level == "geometric-mean" else 1)
    return [None if value is None else whole for value in own]


def bounds(term, positive, epsilon):
    """Between which numbers a clip holds the ratio; None where it holds nothing."""
    low = epsilon if term.get("low") is None else number(term["low"])
    high = epsilon if term.get("high") is None else number(term["high"])
    kind = term["kind"]
    if kind == "unclipped":
        return None, None
    if kind == "upper-cap":
        return None, 1 + high
    if positive:
        return None, min(1 + high, number(term["delta"])) if kind == "delta" else 1 + high
    above = {"two-sided": None, "dual-clip": term.get("cap"), "delta": term.get("delta")}[kind]
    if above is not None:
        above = max(1 + high, number(above)) if kind == "delta" else number(above)
    return 1 - low, above


def surrogate(term, ratio, advantage, epsilon):
    """The value of a term and its slope in the ratio."""
    if term["kind"] == "soft-gate":
        tau = number(term["positive"] if advantage > 0 else term["negative"])
        gate = 1 / (1 + exp(tau * (1 - ratio)))
        return 4 / tau * gate * advantage, 4 * gate * (1 - gate) * advantage
    lower, upper = bounds(term, advantage > 0, epsilon)
    if lower is not None and ratio < lower:
        return lower * advantage, 0
    if upper is not None and ratio > upper:
        return upper * advantage, 0
    return ratio * advantage, advantage


def detached_weight(term, ratio, advantage, epsilon):
    """The weight of A grad log pi, for terms whose weight is not differentiated; None for all others."""
    kind = term["kind"]
    if kind == "score":
        return 1
    if kind == "capped-score":
        return min(ratio, 1 + (epsilon if term["high"] is None else number(term["high"])))
    if kind == "clipped-weight":
        floor = 0 if term["floor"] is None else number(term["floor"])
        return min(max(ratio, floor), number(term["cap"]))
    if kind == "gamma-weight":
        sign = "negative" if advantage < 0 else "positive"
        return ratio ** term[sign + "_power"] * exp(number(term[sign + "_rate"]) * (1 - ratio))
    return None


def response_weights(variant, batch):
    """[group][response]: the weight of each token term."""
    lengths = [[sum(t["active"] for t in r["tokens"]) for r in g["responses"]] for g in batch["groups"]]
    every = max(1, sum(map(sum, lengths)))
    normalisation = variant["normalisation"]
    weights = []
    for group in lengths:
        share = number("1") / (len(lengths) * len(group))
        if normalisation["per"] == "maximum-length":
            share /= batch["maximum_length"]
        elif normalisation["per"] == "all-tokens":
            share = number("1") / every
        elif normalisation["per"] != "none":
            raise ValueError(f"normalisation {normalisation['per']}: not known here")
        weights.append([share / max(1, n) if normalisation["own_length"] else share for n in group])
    return weights


def estimates(kind, log_ratio):
    """k1, k2 or k3 of log(pi/pi_ref), and its derivative by log pi."""
    if kind == "k1":
        return log_ratio, 1
    if kind == "k2":
        return log_ratio**2 / 2, log_ratio
    return exp(-log_ratio) - 1 + log_ratio, 1 - exp(-log_ratio)


def evaluate(variant, batch, fault=None):
    """What the vectors expect of a variant on a batch."""
    term, kl, level = variant["term"], variant["kl"], variant["ratio"]
    epsilon, beta = number(batch["epsilon"]), number(batch["beta"])
    responses = sum(len(group["responses"]) for group in batch["groups"])
    found = {"advantages": advantages(variant, batch["groups"], fault), "ratios": [], "terms": [], "gradient": []}
    found["kl"] = None if kl in ("none", "exact") else []
    objective = 0
    detached = detached_weight(term, 1, 1, epsilon) is not None
    for g, (group, weights) in enumerate(zip(batch["groups"], response_weights(variant, batch), strict=True)):
        rows = {key: [] for key in ("ratios", "terms", "gradient", "kl")}
        for i, (response, weight) in enumerate(zip(group["responses"], weights, strict=True)):
            advantage, tokens = found["advantages"][g][i], response["tokens"]
            ratios = [None if x is None else exp(x) for x in log_ratios(tokens, level)]
            slopes, total, divergences = [0] * len(tokens), 0, []
            length = sum(token["active"] for token in tokens)
            for h, (token, ratio) in enumerate(zip(tokens, ratios, strict=True)):
                if ratio is None:
                    divergences.append(None)
                    continue
                if detached:
                    slopes[h] += weight * detached_weight(term, ratio, advantage, epsilon) * advantage
                else:
                    value, slope = surrogate(term, ratio, advantage, epsilon)
                    total += weight * value
                    # the ratio of a sequence moves with all of its tokens, a geometric mean with 1/length of each
                    share = {"token": 1, "sequence": length, "geometric-mean": 1}[level]
                    slopes[h] += weight * slope * ratio * share
                if found["kl"] is not None:
                    log_ratio = math.log(number(token["current"])) - math.log(number(token["reference"]))
                    value, slope = estimates(kl, log_ratio)
                    divergences.append(value)
                    objective -= beta * weight * value
                    slopes[h] -= beta * weight * slope
            objective += total
            for key, row in zip(rows, (ratios, total * responses, slopes, divergences), strict=True):
                rows[key].append(row)
        for key, row in rows.items():
            if found[key] is not None:
                found[key].append(row)
    if kl == "exact":
        objective -= beta * mean([number(group["divergence"]) for group in batch["groups"]])
    if detached:
        return {**found, "terms": None, "objective": None}
    return {**found, "objective": objective}


def log_masses(given_as, entries):
    """log of the masses; of logits with the largest taken off first."""
    numbers = [number(entry) for entry in entries]
    if given_as == "masses":
        return [math.log(mass) for mass in numbers]
    largest = max(numbers)
    whole = largest + math.log(sum(exp(entry - largest) for entry in numbers))
    return [entry - whole for entry in numbers]


def divergence(given):
    """What the vectors expect of two policies on one support."""
    logs, reference = (log_masses(given["given_as"], given[name]) for name in ("current", "reference"))
    masses = [exp(entry) for entry in logs]
    ratios = [a - b for a, b in zip(logs, reference, strict=True)]
    # q - p sums to 0 and keeps what p log(p/q) loses to rounding where p and q are nearly equal
    kl = sum(p * ratio + (exp(base) - p) for p, ratio, base in zip(masses, ratios, reference, strict=True))
    found = {
        "log_masses": logs,
        "kl": kl,
        "kl_gradient_by_logits": [p * (ratio - kl) for p, ratio in zip(masses, ratios, strict=True)],
        "entropy": -sum(p * entry for p, entry in zip(masses, logs, strict=True)),
    }
    for kind in ("k1", "k2", "k3"):
        found[kind] = [estimates(kind, ratio)[0] for ratio in ratios]
    return found


# The comparison. ------------------------------------------------------------------------------------------------------


def close(got, want, floor):
    """Whether a number is the expected one; beyond the floats it has to be infinite."""
    if math.isinf(want):
        return got == want
    return abs(got - want) <= TOLERANCE * max(abs(want), floor)


def differences(want, got, floor, path):
    """What differs, in words."""
    if isinstance(want, dict) and "between" in want:
        lower, upper = map(number, want["between"])
        slack = TOLERANCE * max(abs(lower), abs(upper), floor)
        if isinstance(got, (int, float)) and lower - slack <= got <= upper + slack:
            return []
        return [f"{path}: got {got}, expected a number from {lower:.12g} to {upper:.12g}: there is a kink"]
    if isinstance(want, list):
        if not isinstance(got, list) or len(want) != len(got):
            return [f"{path}: got {got}, expected {len(want)} entries"]
        pairs = enumerate(zip(want, got, strict=True))
        return [line for place, (a, b) in pairs for line in differences(a, b, floor, f"{path}[{place}]")]
    if want is None or not isinstance(got, (int, float)):
        return [] if want == got else [f"{path}: got {got}, expected {want}"]
    return [] if close(got, number(want), floor) else [f"{path}: got {got:.12g}, expected {number(want):.12g}"]


def compared(case, want, got):
    """What differs of a case's outputs, in words."""
    if "error" in want or "error" in got:
        if want.get("error") == got.get("error"):
            return []
        return [f"got {got.get('error', 'numbers')}, expected {want.get('error', 'numbers')}"]
    lines = []
    for key, value in want.items():
        floor = number(case["floors"].get(key, case["floor"]))
        lines += differences(value, got.get(key), floor, key)
    return [lines[0] + guess(want, got), *lines[1:]] if lines else []


def guess(want, got):
    """A mistake that would explain the advantages, if one does."""
    for wanted, found in zip(want.get("advantages", []), got.get("advantages") or [], strict=False):
        size = len(wanted)
        if not isinstance(found, list) or len(found) != size or not all(isinstance(a, (int, float)) for a in found):
            continue
        shrunk = [number(value) * math.sqrt((size - 1) / size) for value in wanted]
        if max(map(abs, shrunk)) > 0 and all(close(a, b, 1) for a, b in zip(found, shrunk, strict=True)):
            return " (off by sqrt((G-1)/G): a sample deviation in place of the population's?)"
    return ""


def outcomes(document, only, fault):
    """(case, variant or None, what differs) of every comparison."""
    variants = {variant["name"]: variant for variant in document["variants"]}
    for case in document["cases"]:
        if case["kind"] == "divergence":
            if only is None:
                yield case, None, compared(case, case["expected"], divergence(case["input"]))
            continue
        for name, want in case["expected"].items():
            if only in (None, name):
                try:
                    got = evaluate(variants[name], case["input"], fault)
                except MissingReward:
                    got = {"error": "missing-reward"}
                yield case, name, compared(case, want, got)


def main(arguments):
    """Run all and report."""
    parser = argparse.ArgumentParser(description="Check an implementation against test vectors.")
    parser.add_argument("vectors", help="the file that grpocheck vectors wrote")
    parser.add_argument("--variant", help="one method alone")
    parser.add_argument("--fault", choices=sorted(FAULTS), help="put a mistake in: " + str(FAULTS))
    options = parser.parse_args(arguments)
    try:
        with open(options.vectors, encoding="utf-8") as stream:
            document = json.load(stream)
        if document["schema"] != SCHEMA:
            raise ValueError(f"schema {document['schema']}, expected {SCHEMA}")
        known = [variant["name"] for variant in document["variants"]]
        if options.variant not in (None, *known):
            raise ValueError(f"no variant {options.variant}, expected one of {', '.join(known)}")
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"{options.vectors}: {error}", file=sys.stderr)
        return 2
    passed = failed = 0
    for case, variant, wrong in outcomes(document, options.variant, options.fault):
        if not wrong:
            passed += 1
            continue
        failed += 1
        print(f"FAIL {case['id']}{f' / {variant}' if variant else ''}: {wrong[0]}")
        if len(wrong) > 1:
            print(f"     and {len(wrong) - 1} more; the case: {case['about']}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
