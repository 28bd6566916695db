"""python3 -I -S verifier/check.py TRACE: every number, decision and count of a recorded run, derived once more.
The standard library only, no code of what made the trace. Exit status: 0 right, 1 wrong, 2 no whole trace, 3 undecided.
"""
import hashlib
import json
import os
import re
import sys
from contextlib import suppress
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import reduce
from itertools import accumulate, count, pairwise, product
from math import gcd, isqrt
from typing import Any, BinaryIO

PRECISIONS = (80, 320, 1280)  # decimal digits of an interval's ends; the next one is tried where one decides nothing
MOST_BITS, MOST_DIGITS, MOST_VALUES = 200_000, 20_000, 3_000_000  # of exact numbers; of read ones; of values in a line
WORK = ("logarithms", "exponentials", "comparisons")  # how hard the arithmetic worked; not derived again
NEEDED = ("outer_iterations", "inner_steps", "group_size", "epsilon", "beta", "theta", "family", "prompts")
LIMITS = dict.fromkeys(("auto", "enclosure"), ("digits", "max_digits", "max_bits")) | {"exact": ("max_digits",)}
DOMAINS = {"whole-space": ["dimension"], "open-box": ["lower", "upper"], "open-ball": ["centre", "radius"]}
DOMAINS |= {"half-spaces": ["normals", "offsets"], "open-simplices": ["sizes"], "intersection": ["parts"]}
GIVEN = {"bernoulli": 1, "simplex": 1, "softmax": 0, "log-linear": 0, "autoregressive": 0}  # whether theta holds masses
FORMS = {int: "a count", str: "a text", bool: "true or false", dict: "a table", list: "a list"}
DECIMAL, UNDEFINED = r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?(e-?[0-9]{1,18})?", "undefined-gradient"
DOWN, UP = (Context(PRECISIONS[0], way, MIN_EMIN, MAX_EMAX, traps=[]) for way in (ROUND_FLOOR, ROUND_CEILING))
Terms = dict[tuple[int, Any], Fraction]
NAMES, FREE, SCHEMA, UNIT = dict[Any, int](), count(), "grpocheck-trace/1", Terms({(1, ()): Fraction(1)})
class Verdict(RuntimeError):  # noqa: N818 - what was found
    """How a check ends: its exit status, and why."""
def need(condition: object, why: str, status: int = 1) -> None:
    """End the check unless a condition holds; 4 is for what is undecided (3) at every precision."""
    if not condition:
        raise Verdict(status, why)
def interval(operation: str, *pairs: Any) -> tuple[Decimal, Decimal]:
    """The interval of an operation monotone in each argument. Three round to the nearest, whatever the context says."""
    low, high = (pick(getattr(way, operation)(*x) for x in product(*pairs)) for pick, way in ((min, DOWN), (max, UP)))
    need(low.is_finite() and high.is_finite() and (low > 0 or operation != "exp"), "a number out of reach", 4)
    return (DOWN.next_minus(low), UP.next_plus(high)) if operation in ("exp", "ln", "sqrt") else (low, high)
def put(terms: Terms, more: Terms) -> Terms:
    """Add a sum to a sum. Radicands whose product is a square become one: so other roots are independent."""
    for (n, atoms), c in more.items():
        m = next((m for m, own in ((1, atoms), *terms) if own == atoms and isqrt(m * n) ** 2 == m * n), n)
        c = terms.pop((m, atoms), Fraction(0)) + c * Fraction(isqrt(m * n), m)
        terms |= {(m, atoms): c} if c else {}
    return terms
def times(left: Terms, right: Terms) -> Terms:
    """The product of two sums."""
    need(len(left) * len(right) < 1100, "too long a product", 4)
    result: Terms = {}
    for ((n, own), c), ((m, others), e) in product(left.items(), right.items()):
        powers = dict(own) | {name: dict(own).get(name, 0) + power for name, power in others}
        atoms = tuple(sorted(entry for entry in powers.items() if entry[1]))
        put(result, {(n // gcd(n, m) * (m // gcd(n, m)), atoms): c * e * gcd(n, m)})
    return result
def atom(*key: Any) -> Terms:
    """A number that is known by an interval only, as a sum of one term; the same key names the same number."""
    return {(1, ((NAMES[key] if key in NAMES else NAMES.setdefault(key, next(FREE)), 1),)): Fraction(1)}
def expanded(terms: Terms) -> Terms:
    """A sum times the named ones that it is divided by, where every named one is written out: empty if it is 0."""
    sums = {name: key[1] for key, name in (NAMES.items() if terms else ()) if key[0] == "sum" and key[2] == ONE.key[1]}
    while names := sums.keys() & {name for _, atoms in terms for name, _ in atoms}:
        name, before, terms = max(names), terms, Terms()
        powers, top = [dict(atoms).get(name, 0) for _, atoms in before], dict(sums[name])
        need(len(before) * len(top) ** (max(powers) - min(0, *powers)) < 5000, "too long a sum to tell if it is 0", 3)
        for p, ((n, atoms), c) in zip(powers, before.items(), strict=True):
            put(terms, reduce(times, [top] * (p - min(0, *powers)), {(n, tuple(x for x in atoms if x[0] != name)): c}))
    return terms
class Number:
    """An interval, a quotient of sums {(radicand, atoms): coefficient} that equals it, and its derivatives by theta."""
    def __init__(self, bounds: tuple[Decimal, Decimal], top: Terms, under: Terms = UNIT, *parts: Any) -> None:
        top, under = ({k: c / under[1, ()] for k, c in top.items()}, UNIT) if {*under} == {*UNIT} else (top, under)
        self.key = frozenset(top.items()), frozenset(under.items())
        both = (*top.items(), *under.items())
        size = sum(999 + 5000 * len(a) + sum(map(int.bit_length, (*c.as_integer_ratio(), n**4))) for (n, a), c in both)
        self.top, self.under = (top, under) if size <= MOST_BITS else (atom("sum", *self.key), UNIT)
        self.bounds, self.slope = bounds if top else (Decimal(0), Decimal(0)), dict[int, Number]()
        for other, rate in parts:
            for i, entry in other.slope.items():
                self.slope[i] = entry * rate + self.slope[i] if i in self.slope else entry * rate
    def flat(self) -> "Number":
        """The number alone."""
        return Number(self.bounds, self.top, self.under) if self.slope else self
    def sign(self) -> int:
        """-1, 0 or 1."""
        low, high = self.bounds
        need(low > 0 or high < 0 or not expanded(self.top), f"whether a number within {high - low:.0e} of 0 is 0", 3)
        return (low > 0) - (high < 0)
    def __add__(self, other: "Number") -> "Number":
        top, right, under = dict(self.top), other.top, self.under
        if under != other.under:
            top, right, under = times(top, other.under), times(right, under), times(under, other.under)
        return Number(interval("add", self.bounds, other.bounds), put(top, right), under, (self, ONE), (other, ONE))
    def __mul__(self, other: "Number") -> "Number":
        bounds, under = interval("multiply", self.bounds, other.bounds), times(self.under, other.under)
        return Number(bounds, times(self.top, other.top), under, (self, other.flat()), (other, self.flat()))
    def __sub__(self, other: "Number") -> "Number":
        return self + other * MINUS
    def __truediv__(self, other: "Number") -> "Number":
        need(other.sign(), "a division by 0")
        top, under = other.under, other.top
        if any(atoms for _, atoms in under):
            (((n, atoms), c),) = (under if len(under) == 1 else atom("sum", other.key[0], ONE.key[1])).items()
            top, under = times(top, {(n, tuple((name, -power) for name, power in atoms)): 1 / (c * n)}), UNIT
        over = Number(interval("divide", (1, 1), other.bounds), top, under)
        return self * Number(over.bounds, over.top, over.under, (other, over * over * MINUS if other.slope else ZERO))
    def of(self, function: str) -> "Number":
        """The exponential (exp), or the natural logarithm (ln) of a number that is no function of theta."""
        gap, value = (self - ONE, {}) if function == "ln" else (self, UNIT)
        plain = gap.top if gap.bounds[0] > 0 or gap.bounds[1] < 0 else expanded(gap.top)  # ln 1 and exp 0 are exact
        flat = Number(interval(function, self.bounds), atom(function, self.key) if plain else value)
        turned = function == "ln" and self.top.keys() == UNIT.keys() and self.bounds[1] < 1  # ln 1/2 is -ln 2
        return ZERO - (ONE / self).of("ln") if turned else Number(flat.bounds, flat.top, UNIT, (self, flat))
def rational(said: Any, what: str = "") -> Number:
    """A quotient as a number, given itself or by the one text that states it in lowest terms."""
    if not isinstance(said, Fraction):
        need(not isinstance(said, str) or len(said) <= MOST_DIGITS, f"{what}: a number of over {MOST_DIGITS} digits", 4)
        found = re.fullmatch(r"(0|-?[1-9][0-9]*)(?:/([2-9]|[1-9][0-9]+))?", said) if isinstance(said, str) else None
        top, under = (int(Decimal(part or 1)) for part in found.groups()) if found else (0, 0)
        need(gcd(top, under) == 1, f"{what}: {said!s:.60}: expected an exact number in lowest terms, as a text")
        said = Fraction(top, under)
    return Number(interval("divide", (said.numerator,), (said.denominator,)), {(1, ()): said} if said else {})
def root(value: Fraction) -> Number:
    """The square root of a rational."""
    radicand = {(value.numerator * value.denominator, ()): Fraction(1, value.denominator)}
    return Number(interval("sqrt", rational(value).bounds), times(UNIT, radicand))
ZERO, ONE, MINUS = map(rational, map(Fraction, (0, 1, -1)))
def number(said: Any, what: str = "answer") -> Number:
    """The number that a trace states: exactly, as 3/5 or 1/2 + 3/10*sqrt(2), or by the ends of an enclosure."""
    if isinstance(said, list):
        ends = [Decimal(end) for end in said if isinstance(end, str) and re.fullmatch(DECIMAL, end)]
        need(len(said) == len(ends) == 2 and ends[0] <= ends[1], f"{what}: {said!r:.60}: expected two ends")
        return Number((ends[0], ends[1]), {(1, ((next(FREE), 1),)): Fraction(1)})
    value = ZERO if "sqrt" in str(said) else rational(said, what)
    for part in str(said).replace(" - ", " + -").split(" + ") if "sqrt" in str(said) else ():
        found = re.fullmatch(r"(?:(.+)\*|(-?))sqrt\(([1-9][0-9]{0,19999})\)", part)
        sign, radicand = (found[1] or f"{found[2]}1", int(Decimal(found[3]))) if found else (part, 1)
        value += rational(sign, what) * root(Fraction(radicand))
    return value
def link(free: list[Number], given: int) -> list[Number]:
    """Masses: all but the last are given, or each is proportional to the exponential of its score."""
    weights = [] if given else [(score - free[0]).of("exp") for score in free]
    over = ONE / sum(weights, ZERO) if weights else ONE  # once, with its derivatives
    return [weight * over for weight in weights] or [*free, sum((mass * MINUS for mass in free), ONE)]
def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A table of JSON, in which each key is said once."""
    need(len(dict(pairs)) == len(pairs), f"{[key for key, _ in pairs]!r:.60}: expected each key once")
    return dict(pairs)
class Run:
    """The events of a trace, taken one by one, each derived from what came before it; ``line`` is the last one's."""
    line = tight = auto = 0
    reason, status, what = "", "complete", "problem"
    def follow(self, stream: BinaryIO) -> str:
        """Take the whole run, from the problem to the outcome and its counts; says what was derived."""
        self.stream, self.answers, self.applied = stream, dict[Any, Any](), list[Any]()
        start = self.take("start", schema=SCHEMA, problem=dict, draws=dict, supplied=list, arithmetic=dict, theta=list)
        _, self.problem, self.source, self.supplied, limits, stated = start.values()
        known = [x for x in ("arithmetic", "draws", "reward", "policy", "domain", "gradient") if x in self.supplied]
        need(self.supplied == known, f"supplied: {self.supplied!r:.60}: expected names of oracles")
        need(not {"policy", "arithmetic", "mp"} & {*known, str(limits.get("name"))}, "mp, or a supplied policy", 4)
        (outer, inner, size), self.what = self.prepare(self.problem, self.problem.get("prompts"), limits), "theta"
        self.theta = self.agree("theta", stated, [*map(rational, self.problem["theta"])])
        need(self.inside(self.domain, self.theta), "theta: not in U (A1)")
        self.answers["domain", *self.problem["theta"]], masses, t, k = (1, True), list[Any](), 0, 0
        for step in range(outer * inner):
            t, k = step // inner + 1, step % inner + 1
            if k == 1:
                self.take("outer-iteration", t=t, theta_old=self.theta)
                if not masses or len(NAMES) > 1000:  # of so many few are met again
                    NAMES.clear()
                    masses = self.masses(self.theta)
                groups = [self.group(t, place, current) for place, current in enumerate(masses)]
            self.status, masses = self.step(t, k, self.rates[step % len(self.rates)], groups, masses)
            if self.status != "complete":
                self.take("stop", t=t, k=k, status=self.status)
                break
        made, n, stopped = t * len(masses) * size, len(self.applied), self.status != "complete"
        counts = {"draws": made, "reward_evaluations": made, "square_roots": made // size, **dict.fromkeys(WORK, int)}
        counts.update(outer_iterations_started=t, steps_applied=n, mass_evaluations=(1 + n) * sum(map(len, masses)))
        counts |= {"gradient_attempts": n + stopped, "membership_calls": n + (self.status == "invalid-update")}
        ended = {"status": self.status, "theta": self.theta, "arithmetic": ("exact", "enclosure")[self.tight > 0]}
        ended.update(arithmetic_reason=self.reason or None, draws=self.source, ledger=counts, steps=self.applied)
        self.take("outcome", bounds={"draws": outer * len(masses) * size, "gradient_attempts": outer * inner}, **ended)
        need(not self.stream.read(1), "something follows the outcome")
        again = f"{', '.join(known)} taken as supplied, all else" if known else "every one"
        return f"{self.status} after {n + stopped} gradient attempts and {made} draws, {again} derived again"
    def take(self, kind: str, **stated: Any) -> dict[str, Any]:
        """The next event: of this kind, with these fields and no others, each as stated."""
        raw, self.line, self.said = self.stream.readline(2**24), self.line + 1, dict[str, Any]()
        with suppress(ArithmeticError, RecursionError, ValueError):
            whole = raw.decode() if sum(map(raw.count, b"[{,:")) < MOST_VALUES else ""
            self.said = json.loads(whole, object_pairs_hook=once, parse_float=Decimal, parse_constant=Decimal)
        event = self.said.pop("event", None) if isinstance(self.said, dict) else None
        right = isinstance(event, str) and (self.line > 1 or (event, self.said.get("schema")) == ("start", SCHEMA))
        wanted = f"a whole line of JSON, the event {kind}" + f" of a {SCHEMA}" * (self.line == 1)
        need(right and raw[-1:] == b"\n", f"{str(raw[:80].rstrip() or b'nothing')[1:]}: expected {wanted}", 2)
        left = [key for key in NAMES if key[0] in ("exp", "ln")][: self.auto and 1]
        if event == "arithmetic" and self.auto:
            _, self.reason = self.agree("arithmetic", self.said, {"name": "enclosure", "reason": str}).values()
            plain = self.reason.replace("log", "ln", 1).removesuffix(") is not exact: choose --arithmetic enclosure")
            self.tight, self.auto, (name, _, rest) = self.auto, 0, plain.partition("(")
            due = " digits " in name or left == [(name, number(rest, "reason").key)]
            need(due, f"{self.reason:.60}: expected the first number here that no exact one equals, if any")
            return self.take(kind, **stated)
        need(event != "error" or "message" not in self.said, "the run ended in an error, which is not derived again", 4)
        need(event == kind and not left, f"event: {event:.60}: expected {'arithmetic' if left else kind}")
        return dict(self.agree(kind, self.said, stated))
    def agree(self, what: str, found: Any, mine: Any) -> Any:
        """What a trace says, if it is what was derived; an enclosure (of so many digits) has to hold it, closely."""
        self.what, shown = what, f"{what}: {str(found)[:80]}"
        if isinstance(mine, list):
            need(isinstance(found, list) and len(found) == len(mine), f"{shown}: expected {len(mine)} entries")
            return [self.agree(what, *pair) for pair in zip(found, mine, strict=True)]
        if isinstance(mine, dict):
            need(isinstance(found, dict) and found.keys() == mine.keys(), f"{shown}: expected the fields {list(mine)}")
            return {name: self.agree(name, found[name], entry) for name, entry in mine.items()}
        if not isinstance(mine, Number):
            right = mine in (object, Number, type(found)) and (mine is not int or found >= 0)
            right |= type(found) is type(mine) and found == mine
            need(right, f"{shown}: expected {FORMS.get(mine, repr(mine))}")
            return number(found, what) if mine is Number else found
        said, (low, high) = number(found, what), mine.bounds
        gap, ends, whole = mine.flat() - said, said.bounds, isinstance(found, str)
        need((self.tight or whole) and ends[0] <= high and low <= ends[1], f"{shown}: expected {low:.25}...")
        need(not expanded(gap.top) if whole else ends[0] <= low and high <= ends[1], f"{shown}: is it {low:.25}...?", 3)
        most = max(map(abs, ends)).scaleb(2 - self.tight) if ends[0] * ends[1] > 0 else Decimal(2).scaleb(-self.tight)
        need(whole or ends[1] - ends[0] <= most, f"{shown}: expected a tighter enclosure")
        return said if whole else mine.flat()
    def consistent(self, oracle: str, answer: Any, *question: Any) -> None:
        """A supplied reward, gradient or domain oracle is a function: it gives one answer to one question."""
        if oracle in self.supplied and not any(isinstance(part, list) for part in question):
            line, before = self.answers.setdefault((oracle, *question), (self.line, answer))
            need(before == answer, f"{self.what}: {answer!s:.60}: expected {before!s:.60}, as on line {line}")
    def prepare(self, problem: Any, prompts: Any, limits: Any) -> tuple[int, int, int]:
        """Take the header apart, of which nothing may be missing, left over or out of range: T, K and G."""
        self.family, steps = problem.get("family", ""), "step_size" if "step_size" in problem else "step_sizes"
        named = self.family in [*GIVEN] and limits.get("name") in [*LIMITS]
        need(named, f"{self.family!r:.40}, {limits.get('name')!r:.40}: expected names of a family and of an arithmetic")
        generated, self.given, most = self.family == "autoregressive", GIVEN[self.family], LIMITS[limits["name"]]
        json.dumps(problem, ensure_ascii=False, default=str).encode()  # an error where a text is none
        fields = steps, *["generation"] * generated, *{"domain", "draws"} & problem.keys(), *NEEDED[3:]
        self.agree("arithmetic", limits, {"name": str, **dict.fromkeys(most, int)})
        self.tight, self.auto = (limits.get("digits", 0) * (limits["name"] == name) for name in ("enclosure", "auto"))
        self.agree("problem", problem, dict.fromkeys(NEEDED[:3], int) | dict.fromkeys(fields, object))
        outer, inner, size, *_ = counts = [*map(problem.get, NEEDED[:3]), *map(limits.get, most)]
        need(min(size - 1, *counts) > 0, f"{counts!r:.60}: expected counts, and a group of 2 at least")
        self.allowed, self.supports = dict[Any, list[str]](), [prompt.get("responses") for prompt in prompts]
        if generated:
            self.generate(**{"forbidden": {}, **problem["generation"]})
        parts = list(self.allowed.values()) or self.supports[: 1 if self.family == "bernoulli" else None]
        self.sizes, self.tables = [len(part) - self.given for part in parts], list[Any]()
        self.native = {"kind": "intersection", "parts": [{"kind": "open-simplices", "sizes": self.sizes}] * self.given}
        self.domain = {"kind": "intersection", "parts": [self.native, *[problem.get("domain")] * ("domain" in problem)]}
        own = *["responses"] * (not generated), *["features"] * (self.family == "log-linear"), "rewards", "reference"
        for p, support in zip(prompts, self.supports, strict=True):
            self.agree("prompts", p, {"name": str, **dict.fromkeys((*own, *{"response_set"} & p.keys()), object)})
            tables = ([*map(p[name].get, support)] if generated else p[name] for name in ("rewards", "reference"))
            rewards, masses = ([rational(x, "prompts") for x in table] for table in tables)
            sizes = {len({*support}), *(len(p[n]) for n in own), *[2] * (self.family == "bernoulli")}
            need(sizes == {len(support)}, f"prompts: {sizes}: expected as many responses as numbers")
            need(sum(masses, MINUS).top == {} and all(x.sign() > 0 for x in masses), "reference: expected sum 1")
            self.tables.append(([Number] * len(support) if "reward" in self.supplied else rewards, masses))
        self.rates = [rational(rate, steps) for row in problem.get("step_sizes") or [[problem[steps]]] for rate in row]
        need(steps == "step_size" or len(self.rates) == outer * inner, "step_sizes: expected T rows of K numbers")
        self.epsilon, self.beta = (rational(problem[name], name) for name in ("epsilon", "beta"))
        above = min(x.sign() for x in (*self.rates, self.epsilon, ONE - self.epsilon))
        need(self.beta.sign() >= 0 < above, "expected beta >= 0, 0 < epsilon < 1 and step sizes above 0")
        more = {"seed": int, "generator": "sha256-counter/1"} if self.source.get("source") == "seed" else {}
        source = "supplied" if "draws" in self.supplied else "seed" if more else "recorded"
        self.agree("draws", self.source, {"source": source, **more})
        return outer, inner, size
    def blocks(self, sizes: list[int], theta: list[Number]) -> list[list[Number]]:
        """A parameter cut into parts."""
        need({*map(type, sizes)} <= {int} and sum(sizes) == len(theta), f"{len(theta)} coordinates: expected {sizes}")
        return [theta[end - size : end] for size, end in zip(sizes, accumulate(sizes), strict=True)]
    def inside(self, domain: Any, theta: list[Number]) -> bool:
        """Whether theta is in a stated open domain: every one of its strict inequalities holds."""
        self.what, centre = "domain", domain.get("centre", ())
        self.agree("domain", domain, dict.fromkeys(("kind", *DOMAINS[domain["kind"]]), object))
        gaps = [x - rational(c, "centre") for c, x in zip(centre, theta if centre else (), strict=True)]
        margins = [r := rational(domain.get("radius", "1"), "radius"), r * r - sum((gap * gap for gap in gaps), ZERO)]
        for name, sign, none in (("lower", ONE, "-inf"), ("upper", MINUS, "inf")):
            ends = zip(domain.get(name, [none] * len(theta)), theta, strict=True)
            margins += [(x - rational(end, name)) * sign for end, x in ends if end != none]
        for normal, end in zip(domain.get("normals", []), domain.get("offsets", []), strict=True):
            margins += [rational(end) - sum((rational(n) * x for n, x in zip(normal, theta, strict=True)), ZERO)]
        for part in self.blocks(domain.get("sizes", [domain.get("dimension", len(theta))]), theta):
            margins += link(part, 1) if part and "sizes" in domain else []
        return all(x.sign() > 0 for x in margins) and all(self.inside(part, theta) for part in domain.get("parts", ()))
    def generate(self, vocabulary: Any, end: str, horizon: int, parameterisation: str, forbidden: Any) -> None:
        """Prefixes in shortlex order, the tokens allowed after each, and the responses that they lead to."""
        self.given, self.responses, level = int(parameterisation == "masses"), list[Any](), list[Any]([()])
        for length in range(1, horizon + 1):
            banned = {p: {*forbidden.get(" ".join(p), ())} for p in level}
            self.allowed |= {p: [w for w in vocabulary if w not in banned[p]] for p in level}
            following = [(*prefix, token) for prefix in level for token in self.allowed[prefix]]
            need(len(following) + 100 * length <= 200_000, "generation: more, or longer, responses than fit here", 4)
            self.responses += [y for y in following if y[-1] == end or length == horizon]
            level = [y for y in following if y[-1] != end]
        self.supports = [list(map(" ".join, self.responses))] * len(self.supports)
    def masses(self, theta: list[Number]) -> list[list[Number]]:
        """The masses of every prompt's responses, as functions of theta."""
        point, reached = [Number(x.bounds, x.top, x.under) for x in theta], {(): ONE}
        for i, x in enumerate(point):
            x.slope = {i: ONE}
        rows = [prompt.get("features", ()) for prompt in self.problem["prompts"]]
        scores = [[sum((rational(f) * x for f, x in zip(y, point, strict=True)), ZERO) for y in row] for row in rows]
        listed = [link(p, self.given) for p in (scores if any(rows) else self.blocks(self.sizes, point))]
        for (prefix, tokens), masses in zip(self.allowed.items(), listed, strict=False):
            reached |= {(*prefix, token): reached[prefix] * mass for token, mass in zip(tokens, masses, strict=True)}
        every = len(self.supports) if self.family in ("bernoulli", "autoregressive") else 1
        return ([[reached[y] for y in self.responses]] if self.allowed else listed) * every
    def drawn(self, place: tuple[int, ...], masses: list[Number]) -> int:
        """The position that a seed draws: bits of SHA-256 narrow an interval until one cell of the masses holds it."""
        digests = (hashlib.sha256("/".join(map(str, (*place, n))).encode()).digest() for n in count())
        bits = (byte >> shift & 1 for digest in digests for byte in digest for shift in range(7, -1, -1))
        cells = list(pairwise([ZERO, *accumulate(x.flat() for x in masses[:-1]), ONE]))
        low, width, found = Fraction(0), Fraction(1), list[int]()
        while not found:
            low += (width := width / 2) * next(bits)
            ends = rational(low), rational(low + width)
            found = [j for j, (a, b) in enumerate(cells) if (ends[0] - a).sign() >= 0 and (b - ends[1]).sign() >= 0]
        return found[0]
    def group(self, t: int, place: int, current: list[Number]) -> tuple[Any, ...]:
        """One prompt's draws and rewards: (positions, advantages, old masses, reference)."""
        name, size, support = self.problem["prompts"][place]["name"], self.problem["group_size"], self.supports[place]
        (table, reference), positions, share = self.tables[place], list[int](), rational(Fraction(1, size))
        self.what, source, rewards = "recorded", self.source, list[Number]()
        for i in range(1, size + 1):
            response = self.problem["draws"]["recorded"][t - 1][place][i - 1] if source["source"] == "recorded" else str
            response = support[self.drawn((source["seed"], t, place, i), current)] if "seed" in source else response
            response = self.take("draw", t=t, prompt=name, i=i, response=response)["response"]
            need(response in support, f"response: {response!r:.60}: not in the support (G3)")
            positions.append(support.index(response))
        for i, position in enumerate(positions, start=1):
            said = self.take("reward", t=t, prompt=name, i=i, reward=table[position])
            rewards.append(self.answers.setdefault((place, position), said["reward"]))  # one answer, one number
            self.consistent("reward", self.said["reward"], place, position)
        mean = sum(rewards, ZERO) * share
        variance = sum(((reward - mean) * (reward - mean) for reward in rewards), ZERO) * share
        need(variance.top.keys() <= UNIT.keys(), "the square root of an irrational", 4)
        deviation = root(variance.top.get((1, ()), Fraction(0)))
        advantages = [(reward - mean) / deviation if deviation.sign() else ZERO for reward in rewards]
        derived = {"advantages": advantages, "old_masses": [current[position].flat() for position in positions]}
        said = self.take("group", t=t, prompt=name, mean=mean, deviation=deviation, **derived)
        return positions, said["advantages"], said["old_masses"], reference
    def objective(self, groups: list[Any], masses: list[list[Number]]) -> tuple[Number, Any]:
        """F_t as a function of theta, and its gradient, if no drawn response makes a kink there (F2)."""
        kinked, parts = False, []
        for (positions, advantages, old, reference), current in zip(groups, masses, strict=True):
            share = rational(Fraction(1, len(groups) * len(positions)))
            for position, advantage, old_mass in zip(positions, advantages, old, strict=True):
                ratio = current[position] / old_mass
                bound = ONE + self.epsilon * (ONE if advantage.sign() > 0 else MINUS)
                side = ((ratio.flat() - bound) * advantage).sign()
                kinked |= side == 0 != advantage.sign() and any(entry.sign() for entry in ratio.slope.values())
                parts.append((ratio if side < 0 else bound) * advantage * share)
            for mass, base in zip(current, reference, strict=True) if self.beta.sign() else ():
                parts.append((mass.flat() / base).of("ln") * self.beta * rational(Fraction(-1, len(groups))) * mass)
        return (f := sum(parts, ZERO)), UNDEFINED if kinked else [f.slope.get(i, ZERO) for i in range(len(self.theta))]
    def step(self, t: int, k: int, rate: Number, groups: list[Any], masses: list[Any]) -> tuple[str, list[Any]]:
        """One inner step from theta, whose masses are given: the status and the masses after it."""
        derived = (self.objective(groups, masses)[1], object)["gradient" in self.supplied]
        answer = self.take("gradient", t=t, k=k, theta=self.theta, answer=derived)["answer"]
        self.consistent("gradient", answer, t, *self.said["theta"])
        if answer == UNDEFINED:
            return UNDEFINED, masses
        slopes = answer if derived is not object else self.agree("answer", answer, [Number] * len(self.theta))
        new = [x + rate * slope for x, slope in zip(self.theta, slopes, strict=True)]
        derived = bool if "domain" in self.supplied and self.inside(self.native, new) else self.inside(self.domain, new)
        belongs = self.take("membership", t=t, k=k, proposal=new, answer=derived)["answer"]
        self.consistent("domain", belongs, *self.said["proposal"])
        if not belongs:
            return "invalid-update", masses
        masses = self.masses(new)
        self.theta = self.take("apply", t=t, k=k, theta=new, objective=self.objective(groups, masses)[0])["theta"]
        self.applied.append(self.said)
        return "complete", masses
def check(path: str) -> tuple[int, str]:
    """The exit status and the words for a trace, tried at each precision until everything is decided."""
    for DOWN.prec in PRECISIONS:
        UP.prec, run = DOWN.prec, Run()
        NAMES.clear()
        try:
            need(os.path.isfile(path) and os.access(path, os.R_OK), "expected a regular file that can be read", 2)
            with open(path, "rb") as stream, localcontext(Emin=MIN_EMIN, Emax=MAX_EMAX):
                status, why = 0, f"{run.follow(stream)}; not derived: the counts of {', '.join(WORK)}"
        except (ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError) as error:
            formless = 1 + isinstance(error, OSError), f"{run.what}: not of the form that it has in a trace"
            status, why = error.args if isinstance(error, Verdict) else formless
        if status != 3:
            break
    return min(status, 3), f"line {run.line}: {why}" if status and run.line else why
if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    (STATUS, WORDS), NAME = check(sys.argv[-1]), "".join(c if c.isprintable() else ascii(c)[1:-1] for c in sys.argv[-1])
    print(f"{NAME}: {('right', 'WRONG', 'no whole trace', 'undecided')[STATUS]}: {WORDS}")
    sys.exit(STATUS)
