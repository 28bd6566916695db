"""An independent checker of traces: it derives every number, decision and count of a recorded run once more.

    python3 -I -S verifier/check.py TRACE

It shares nothing with the code that made the trace: the standard library only, numbers of its own (exact quotients of
sums of square roots; intervals alone where exp and log come in), derivatives and policy families of its own.

Exit status: 0 the trace is right, 1 it is not (the line and the reason are printed), 2 no whole trace, 3 undecided.
"""

import hashlib
import itertools
import json
import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import gcd, isqrt
from typing import Any, BinaryIO

PRECISIONS = (80, 320, 1280)  # decimal digits of an interval's ends; the next one is tried where one decides nothing
MOST_BITS = 200_000  # of an exact number; one that grows longer goes on as an interval
WORK = ("logarithms", "exponentials", "comparisons")  # how hard the arithmetic worked; not derived again
TERM = r"([+-]?[0-9]+(?:/[0-9]+)?)(?:\*sqrt\(([0-9]+)\))?"
UNDEFINED, ANY = "undefined-gradient", object()
DOWN, UP = (Context(PRECISIONS[0], way, MIN_EMIN, MAX_EMAX, traps=[]) for way in (ROUND_FLOOR, ROUND_CEILING))
Terms = dict[tuple[int, Any], Fraction]
UNIT: Terms = {(1, ()): Fraction(1)}
NAMES: dict[Any, int] = {}

class Verdict(Exception):  # noqa: N818 - what was found
    """How a check ends: its exit status, and why."""

def need(condition: object, why: str, status: int = 1) -> None:
    """End the check unless a condition holds."""
    if not condition:
        raise Verdict(status, why)

def interval(operation: str, *pairs: Any) -> tuple[Decimal, Decimal]:
    """The interval of an operation monotone in each argument. Three round to the nearest, whatever the context says."""
    corners = list(itertools.product(*pairs))
    low, high = (pick(getattr(way, operation)(*x) for x in corners) for pick, way in ((min, DOWN), (max, UP)))
    need(low.is_finite() and high.is_finite(), "a number out of reach", 3)
    return (DOWN.next_minus(low), UP.next_plus(high)) if operation in ("exp", "ln", "sqrt") else (low, high)

def put(terms: Terms, n: int, atoms: Any, c: Fraction) -> None:
    """Add c sqrt(n) atoms to a sum. Radicands whose product is a square become one: so other roots are independent."""
    m = next((m for m, own in ((1, atoms), *terms) if own == atoms and isqrt(m * n) ** 2 == m * n), n)
    terms[m, atoms] = terms.get((m, atoms), Fraction(0)) + c * Fraction(isqrt(m * n), m)
    if not terms[m, atoms]:
        del terms[m, atoms]

def times(left: Terms, right: Terms) -> Terms:
    """The product of two sums."""
    product: Terms = {}
    for ((n, own), c), ((m, others), e) in itertools.product(left.items(), right.items()):
        powers = dict(own)
        powers |= {name: powers.get(name, 0) + power for name, power in others}
        atoms = tuple(sorted(entry for entry in powers.items() if entry[1]))
        put(product, n // gcd(n, m) * (m // gcd(n, m)), atoms, c * e * gcd(n, m))
    return product

def atom(*key: Any) -> Terms:
    """A number that is known by an interval only, as a sum of one term; the same key names the same number."""
    return {(1, ((NAMES.setdefault(key, len(NAMES)), 1),)): Fraction(1)}

class Number:
    """An interval, a quotient of sums {(radicand, atoms): coefficient} that equals it, and its derivatives by theta."""

    def __init__(self, bounds: tuple[Decimal, Decimal], top: Terms, under: Terms = UNIT) -> None:
        if set(under) == set(UNIT):
            top, under = {key: c / under[1, ()] for key, c in top.items()}, UNIT
        self.key = frozenset(top.items()), frozenset(under.items())
        listed = (*top.items(), *under.items())
        size = sum(c.numerator.bit_length() + c.denominator.bit_length() + 5000 * len(own) for (_, own), c in listed)
        self.bounds, self.slope = bounds if top else (Decimal(0), Decimal(0)), dict[int, Number]()
        self.top, self.under = (top, under) if size <= MOST_BITS else (atom(self.key), UNIT)

    def flat(self) -> "Number":
        """The number alone."""
        return Number(self.bounds, self.top, self.under) if self.slope else self

    def by(self, *parts: "tuple[Number, Number]") -> "Number":
        """This number as a function of others, given with its derivatives by them."""
        for other, rate in parts:
            for i, entry in other.slope.items():
                self.slope[i] = entry * rate + self.slope[i] if i in self.slope else entry * rate
        return self

    def sign(self) -> int:
        """-1, 0 or 1."""
        low, high = self.bounds
        need(low > 0 or high < 0 or low == high, f"whether a number within {high - low:.0e} of 0 is 0, and its side", 3)
        return (low > 0) - (high < 0)

    def __add__(self, other: "Number") -> "Number":
        top, right, under = dict(self.top), other.top, self.under
        if under != other.under:
            top, right, under = times(top, other.under), times(right, under), times(under, other.under)
        for (n, atoms), c in right.items():
            put(top, n, atoms, c)
        return Number(interval("add", self.bounds, other.bounds), top, under).by((self, ONE), (other, ONE))

    def __mul__(self, other: "Number") -> "Number":
        exactly = times(self.top, other.top), times(self.under, other.under)
        product = Number(interval("multiply", self.bounds, other.bounds), *exactly)
        return product.by((self, other.flat()), (other, self.flat())) if self.slope or other.slope else product

    def __sub__(self, other: "Number") -> "Number":
        return self + other * MINUS

    def __truediv__(self, other: "Number") -> "Number":
        need(other.sign(), "a division by 0")
        top, under = other.under, other.top
        if any(atoms for _, atoms in under):
            top, under = (top, under) if len(under) == 1 else (UNIT, atom("sum", other.key))
            (((n, atoms), c),) = under.items()
            top, under = times(top, {(n, tuple((name, -power) for name, power in atoms)): 1 / (c * n)}), UNIT
        inverse = Number(interval("divide", (1, 1), other.bounds), top, under)
        return self * (inverse.by((other, inverse * inverse * MINUS)) if other.slope else inverse)

    def log(self) -> "Number":
        """The natural logarithm of a number that is no function of theta."""
        need(self.sign() > 0, "a logarithm of a number that is not positive")
        return Number(interval("ln", self.bounds), atom("log", self.key) if (self - ONE).top else {})

    def exp(self) -> "Number":
        """The exponential."""
        power = Number(interval("exp", self.bounds), atom("exp", self.key) if self.top else UNIT)
        return power.by((self, power.flat()))

def rational(value: int | Fraction) -> Number:
    """A rational as a number."""
    value = Fraction(value)
    return Number(interval("divide", (value.numerator,), (value.denominator,)), {(1, ()): value} if value else {})

def root(value: Fraction) -> Number:
    """The square root of a rational."""
    terms: Terms = {}
    put(terms, value.numerator * value.denominator, (), Fraction(1, value.denominator))
    return Number(interval("sqrt", rational(value).bounds), terms)

ZERO, ONE, MINUS = map(rational, (0, 1, -1))

def number(said: Any) -> Number:
    """The number that a trace states: exactly, as 3/5 or 1/2 + 3/10*sqrt(2), or by the ends of an enclosure."""
    if isinstance(said, Number):
        return said
    if not isinstance(said, str):
        low, high = map(Decimal, said)
        need(low <= high, f"{said}: expected a lower and an upper end")
        return Number((low, high), atom("said", low, high))
    compact = re.sub(r"(?<!\*)sqrt", "1*sqrt", said.replace(" ", ""))
    need(re.fullmatch(f"{TERM}(?:(?=[+-]){TERM})*", compact), f"{said[:60]!r}: expected an exact number")
    return sum((rational(Fraction(c)) * root(Fraction(n or 1)) for c, n in re.findall(TERM, compact)), ZERO)

def completed(free: list[Number]) -> list[Number]:
    """Masses of which all but the last are given."""
    return [*free, sum((mass * MINUS for mass in free), ONE)]

def softmax(scores: list[Number]) -> list[Number]:
    """Masses proportional to exp(score)."""
    weights = [(score - scores[0]).exp() for score in scores]
    return [weight / sum(weights, ZERO) for weight in weights]

def inside(domain: Any, theta: list[Number]) -> bool:
    """Whether theta is in a stated open domain: every one of its strict inequalities holds."""
    kind, margins = domain["kind"], []
    if kind == "open-box":
        margins += [x - number(low) for low, x in zip(domain["lower"], theta, strict=True) if low != "-inf"]
        margins += [number(high) - x for high, x in zip(domain["upper"], theta, strict=True) if high != "inf"]
    elif kind == "open-ball":
        gaps = [x - number(centre) for centre, x in zip(domain["centre"], theta, strict=True)]
        margins += [sum((gap * gap * MINUS for gap in gaps), number(domain["radius"]) * number(domain["radius"]))]
    elif kind == "half-spaces":
        for normal, offset in zip(domain["normals"], domain["offsets"], strict=True):
            margins += [number(offset) - sum((number(n) * x for n, x in zip(normal, theta, strict=True)), ZERO)]
    else:
        need(kind in ("intersection", "whole-space"), f"domain.kind: {kind!r}: a kind that is not known here", 3)
    return all(margin.sign() > 0 for margin in margins) and all(inside(part, theta) for part in domain.get("parts", ()))

def drawn(seed: int, place: tuple[int, ...], masses: list[Number]) -> int:
    """The position that a seed draws: bits of SHA-256 narrow an interval until one cell of the masses holds it."""
    digests = (hashlib.sha256("/".join(map(str, (seed, *place, n))).encode()).digest() for n in itertools.count())
    bits = (byte >> shift & 1 for digest in digests for byte in digest for shift in range(7, -1, -1))
    cells = list(itertools.pairwise([ZERO, *itertools.accumulate(masses[:-1]), ONE]))
    low, width, found = Fraction(0), Fraction(1), [0] if len(cells) == 1 else []
    while not found:
        width /= 2
        low += width * next(bits)
        ends = rational(low), rational(low + width)
        found = [j for j, (a, b) in enumerate(cells) if (ends[0] - a).sign() >= 0 and (b - ends[1]).sign() >= 0]
    return found[0]

def objective(problem: Any, groups: list[Any], masses: list[list[Number]]) -> tuple[Number, bool]:
    """F_t as a function of theta, and whether a drawn response makes a kink there (F2)."""
    epsilon, beta, kinked, parts = number(problem["epsilon"]), number(problem["beta"]), False, []
    for (positions, advantages, old, reference), current in zip(groups, masses, strict=True):
        share = rational(Fraction(1, len(groups) * len(positions)))
        for position, advantage, old_mass in zip(positions, advantages, old, strict=True):
            ratio = current[position] / old_mass
            bound = ONE + epsilon * (ONE if advantage.sign() > 0 else MINUS)
            side = ((ratio.flat() - bound) * advantage).sign()
            kinked |= side == 0 != advantage.sign() and any(entry.sign() for entry in ratio.slope.values())
            parts.append((ratio if side < 0 else bound) * advantage * share)
        for mass, base in zip(current, reference, strict=True) if beta.sign() else ():
            log = (mass.flat() / base).log() * beta * share * rational(-len(positions))
            parts.append((log * mass.flat()).by((mass, log)))
    return sum(parts, ZERO), kinked

def agree(what: str, found: Any, mine: Any, tight: int) -> Any:
    """What a trace says, if it is what was derived; an enclosure (of ``tight`` digits) has to hold it, closely."""
    shown = f"{what}: {str(found)[:80]}"
    if isinstance(mine, list):
        need(isinstance(found, list) and len(found) == len(mine), f"{shown}: expected {len(mine)} entries")
        return [agree(what, *pair, tight) for pair in zip(found, mine, strict=True)]
    if isinstance(mine, dict):
        need(isinstance(found, dict) and found.keys() == mine.keys(), f"{shown}: expected the fields {sorted(mine)}")
        return {name: agree(name, found[name], entry, tight) for name, entry in mine.items()}
    if not isinstance(mine, Number):
        need(mine is ANY or (type(found) is type(mine) and found == mine), f"{shown}: expected {mine!r}")
        return found
    said, (low, high) = number(found), mine.bounds
    gap, ends, whole = mine.flat() - said, said.bounds, isinstance(found, str)
    need((tight or whole) and ends[0] <= high and low <= ends[1], f"{shown}: expected {low:.25}...")
    need(gap.top == {} if whole else ends[0] <= low and high <= ends[1], f"{shown}: is {low:.25}... inside?", 3)
    most = max(max(map(abs, ends)).scaleb(2 - tight), Decimal(10) ** -DOWN.prec)
    need(whole or ends[1] - ends[0] <= most, f"{shown}: expected a tighter enclosure")
    return said if whole else mine.flat()

class Run:
    """The events of a trace, taken one by one, each derived from what came before it; ``line`` is the last one's."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.line, self.tight, self.reason, self.auto = stream, 0, 0, "", 0
        self.applied, self.attempts, self.members, self.status = list[Any](), 0, 0, "complete"

    def follow(self) -> str:
        """Take the whole run, from the problem to the outcome and its counts; says what was derived."""
        asked = dict.fromkeys(("problem", "draws", "supplied", "arithmetic", "theta"), ANY)
        start = self.take("start", schema="grpocheck-trace/1", **asked)
        self.problem, self.source, self.supplied, settings, stated = (start[name] for name in asked)
        need(settings["name"] in ("auto", "exact", "enclosure", "mp"), f"arithmetic: {settings}: no such arithmetic")
        need(settings["name"] != "mp", "numbers of mp are not certified", 3)
        need(not {"policy", "arithmetic"} & set(self.supplied), "a supplied policy's masses are not in its trace", 3)
        self.tight, self.auto = (settings.get("digits", 0) * (settings["name"] == own) for own in ("enclosure", "auto"))
        self.family, self.prompts = self.problem["family"], self.problem["prompts"]
        self.masses_given, self.allowed = self.family in ("bernoulli", "simplex"), dict[Any, list[str]]()
        self.supports = [list(prompt.get("responses", ())) for prompt in self.prompts]
        if self.family == "autoregressive":
            self.generate(**self.problem["generation"])
        self.theta = agree("theta", stated, list(map(number, self.problem["theta"])), self.tight)
        need("domain" in self.supplied or self.member(self.theta), "theta: not in U (A1)")
        problem, t, k, masses, size = self.problem, 0, 0, self.masses(self.theta), self.problem["group_size"]
        inner, outer = problem["inner_steps"], problem["outer_iterations"]
        rates = problem.get("step_sizes") or [[problem["step_size"]] * inner] * outer
        need(all(number(rate).sign() > 0 for row in rates for rate in row), "step sizes: expected numbers above 0")
        need(0 < Fraction(problem["epsilon"]) < 1 and Fraction(problem["beta"]) >= 0, "epsilon or beta out of range")
        while t < outer and self.status == "complete":
            t, k = t + 1, 0
            self.take("outer-iteration", t=t, theta_old=self.theta)
            groups = [self.group(t, place, current) for place, current in enumerate(masses)]
            while k < inner and self.status == "complete":
                k += 1
                masses = self.step(t, k, number(rates[t - 1][k - 1]), groups, masses)
        if self.status != "complete":
            self.take("stop", t=t, k=k, status=self.status)
        made, evaluated = t * len(masses) * size, (1 + len(self.applied)) * sum(map(len, masses))
        counts = {"draws": made, "gradient_attempts": self.attempts, "membership_calls": self.members}
        counts |= {"steps_applied": len(self.applied), "outer_iterations_started": t, "reward_evaluations": made}
        counts |= {"mass_evaluations": evaluated, "square_roots": made // size, **dict.fromkeys(WORK, ANY)}
        budget = {"draws": outer * len(masses) * size, "gradient_attempts": outer * inner}
        derived = {"status": self.status, "theta": self.theta, "arithmetic": ("exact", "enclosure")[self.tight > 0]}
        derived |= {"arithmetic_reason": self.reason or None, "draws": self.source, "ledger": counts, "bounds": budget}
        ledger = self.take("outcome", **derived, steps=self.applied)["ledger"]
        need(all(type(ledger[name]) is int and ledger[name] >= 0 for name in WORK), f"{ledger}: expected counts")
        need(not self.stream.read(1), "something follows the outcome")
        return f"{self.status} after {self.attempts} gradient attempts and {made} draws, every one derived again"

    def take(self, kind: str, **stated: Any) -> dict[str, Any]:
        """The next event: of this kind, with these fields and no others, each as stated."""
        raw, self.line = self.stream.readline(2**26), self.line + 1
        need(raw.endswith(b"\n"), "the trace is cut here: expected an outcome", 2)
        fields = json.loads(raw)
        if fields["event"] == "arithmetic" and self.auto:
            self.tight, self.auto, self.reason = self.auto, 0, str(fields["reason"])
            agree("arithmetic", fields, {"event": "arithmetic", "name": "enclosure", "reason": self.reason}, 0)
            return self.take(kind, **stated)
        need(fields["event"] != "error", f"the run ended with {fields.get('error')}, which is not derived again", 3)
        need(fields.pop("event") == kind, f"expected the event {kind}")
        return dict(agree(kind, fields, stated, self.tight))

    def generate(self, vocabulary: Any, end: str, horizon: int, parameterisation: str, forbidden: Any = ()) -> None:
        """Prefixes in shortlex order, the tokens allowed after each, and the responses that they lead to."""
        self.masses_given, self.responses, level = parameterisation == "masses", list[Any](), list[Any]([()])
        for length in range(1, horizon + 1):
            barred = dict(forbidden)
            self.allowed |= {p: [word for word in vocabulary if word not in barred.get(" ".join(p), ())] for p in level}
            following = [(*prefix, token) for prefix in level for token in self.allowed[prefix]]
            self.responses += [y for y in following if y[-1] == end or length == horizon]
            level = [y for y in following if y[-1] != end]
        self.supports = [list(map(" ".join, self.responses))] * len(self.prompts)

    def conditionals(self, theta: list[Number]) -> list[list[Number]]:
        """The mass functions that theta parameterises: one for each prompt, or one for each prefix."""
        if self.family == "bernoulli":
            return [completed(theta)] * len(self.prompts)
        if self.family == "log-linear":
            rows = [[list(map(number, row)) for row in prompt["features"]] for prompt in self.prompts]
            scores = [[sum((f * x for f, x in zip(row, theta, strict=True)), ZERO) for row in own] for own in rows]
            return list(map(softmax, scores))
        sizes = [len(own) - self.masses_given for own in (self.allowed.values() if self.allowed else self.supports)]
        need(sum(sizes) == len(theta), f"{len(theta)} coordinates: expected {sum(sizes)}")
        link, ends = completed if self.masses_given else softmax, itertools.accumulate(sizes)
        return [link(theta[end - size : end]) for size, end in zip(sizes, ends, strict=True)]

    def masses(self, theta: list[Number]) -> list[list[Number]]:
        """The masses of every prompt's responses, as functions of theta."""
        variables = [x * ONE for x in theta]
        for i, variable in enumerate(variables):
            variable.slope = {i: ONE}
        listed, reached = self.conditionals(variables), {(): ONE}
        for (prefix, tokens), masses in zip(self.allowed.items(), listed, strict=False):
            reached |= {(*prefix, token): reached[prefix] * mass for token, mass in zip(tokens, masses, strict=True)}
        return [[reached[y] for y in self.responses]] * len(self.prompts) if self.allowed else listed

    def member(self, theta: list[Number]) -> bool:
        """Whether theta is in U: where the family's masses are positive, and in the stated domain."""
        positive = not self.masses_given or all(x.sign() > 0 for masses in self.conditionals(theta) for x in masses)
        return positive and ("domain" not in self.problem or inside(self.problem["domain"], theta))

    def group(self, t: int, place: int, current: list[Number]) -> tuple[Any, ...]:
        """One prompt's draws and rewards: (positions, advantages, old masses, reference)."""
        prompt, size, support, positions = self.prompts[place], self.problem["group_size"], self.supports[place], []
        keys, origin = support if self.allowed else range(len(support)), self.source["source"]
        for i in range(1, size + 1):
            response = self.problem["draws"]["recorded"][t - 1][place][i - 1] if origin == "recorded" else ANY
            response = support[drawn(self.source["seed"], (t, place, i), current)] if origin == "seed" else response
            response = self.take("draw", t=t, prompt=prompt["name"], i=i, response=response)["response"]
            need(response in support, f"response: {response!r}: not in the support (G3)")
            positions.append(support.index(response))
        listed = [ANY if "reward" in self.supplied else number(prompt["rewards"][keys[j]]) for j in positions]
        told = [self.take("reward", t=t, prompt=prompt["name"], i=i, reward=x) for i, x in enumerate(listed, start=1)]
        rewards, share = [number(fields["reward"]) for fields in told], rational(Fraction(1, size))
        mean = sum(rewards, ZERO) * share
        variance = sum(((reward - mean) * (reward - mean) for reward in rewards), ZERO) * share
        need(variance.top.keys() <= UNIT.keys(), "the square root of an irrational", 3)
        deviation = root(variance.top.get((1, ()), Fraction(0)))
        advantages = [(reward - mean) / deviation if deviation.sign() else ZERO for reward in rewards]
        derived = {"advantages": advantages, "old_masses": [current[position].flat() for position in positions]}
        said = self.take("group", t=t, prompt=prompt["name"], mean=mean, deviation=deviation, **derived)
        return positions, said["advantages"], said["old_masses"], [number(prompt["reference"][key]) for key in keys]

    def step(self, t: int, k: int, rate: Number, groups: list[Any], masses: list[list[Number]]) -> list[list[Number]]:
        """One inner step from theta, whose masses are given: the masses after it."""
        value, kinked = objective(self.problem, groups, masses)
        derived = UNDEFINED if kinked else [value.slope.get(i, ZERO) for i in range(len(self.theta))]
        answer: Any = ANY if "gradient" in self.supplied else derived
        answer = self.take("gradient", t=t, k=k, theta=self.theta, answer=answer)["answer"]
        self.attempts += 1
        if answer == UNDEFINED:
            self.status = UNDEFINED
            return masses
        proposal = [x + rate * number(slope) for x, slope in zip(self.theta, answer, strict=True)]
        belongs: Any = ANY if "domain" in self.supplied else self.member(proposal)
        belongs = self.take("membership", t=t, k=k, proposal=proposal, answer=belongs)["answer"]
        self.members += 1
        if belongs is not True:
            self.status = "invalid-update"
            return masses
        masses = self.masses(proposal)
        said = self.take("apply", t=t, k=k, theta=proposal, objective=objective(self.problem, groups, masses)[0])
        self.theta = said["theta"]
        self.applied.append(said)
        return masses

def check(path: str) -> tuple[int, str]:
    """The exit status and the words for a trace, tried at each precision until everything is decided."""
    for DOWN.prec in PRECISIONS:
        UP.prec = DOWN.prec
        try:
            with open(path, "rb") as stream:
                run = Run(stream)
                return 0, f"{run.follow()}; not derived: the counts of {', '.join(WORK)}"
        except Verdict as verdict:
            status, why = verdict.args
        except OSError as error:
            return 2, str(error)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
            status = 1 + isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
            why = f"expected an event in JSON: {type(error).__name__}: {str(error)[:100]}"
        if status != 3:
            break
    return status, f"line {run.line}: {why}"

if __name__ == "__main__":
    STATUS, WORDS = check(sys.argv[-1])
    print(f"{sys.argv[-1]}: {('right', 'WRONG', 'no whole trace', 'undecided')[STATUS]}: {WORDS}")
    sys.exit(STATUS)
