"""From words to a syntax tree: operator precedence, what begins an expression apart from what goes on with it.

docs/properties.md has the grammar. Nothing of a property is ever run as Python.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from fractions import Fraction

from grpocheck.verifier.properties.errors import PropertyError
from grpocheck.verifier.properties.quantities import (
    AGGREGATES,
    DOMAINS,
    FUNCTIONS,
    QUANTITIES,
    STATUSES,
    WORDS,
    known_names,
)
from grpocheck.verifier.properties.syntax import (
    Aggregate,
    And,
    Binder,
    Call,
    Chain,
    Comparison,
    Iff,
    Implies,
    Index,
    Literal,
    Name,
    Negative,
    Node,
    Not,
    Or,
    Power,
    Quantified,
    StatusName,
)
from grpocheck.verifier.properties.tokens import Kind, Token, tokens

MOST_DEPTH = 32
"""Parentheses, nots, quantifiers and functions within one another."""
MOST_EXPONENT = 64
LONGEST_SUGGESTED = 40
FEWEST_LETTERS = 3
"""The letters that a name has at least of which a longer one is suggested that begins so."""
MOST_BINDERS = 4

LOWEST, IFF, IMPLIES, OR, AND, NOT, COMPARE, ADD, MULTIPLY, MINUS, RAISE = range(11)

BINDING = {
    "iff": IFF, "implies": IMPLIES, "or": OR, "and": AND, "+": ADD, "-": ADD, "*": MULTIPLY, "/": MULTIPLY, "^": RAISE,
    **dict.fromkeys(("=", "==", "!=", "<", "<=", ">", ">="), COMPARE),
}  # fmt: skip
"""How tightly what stands between two operands binds."""


def parse_syntax(text: str) -> Node:
    """The syntax tree of a property. Raises PropertyError."""
    return Parser(text).whole()


class Parser:
    """The words of one property and the place in them."""

    def __init__(self, text: str) -> None:
        """Begin at the first word."""
        self.text = text
        self.words = tokens(text)
        self.place = 0
        self.depth = 0
        self.bound: list[str] = []

    @property
    def here(self) -> Token:
        """The word at the place."""
        return self.words[self.place]

    def error(self, token: Token, message: str) -> PropertyError:
        """The error that points at a word."""
        return PropertyError(self.text, token.column, message)

    def next(self) -> Token:
        """The word at the place, which moves on."""
        token = self.here
        self.place = min(self.place + 1, len(self.words) - 1)
        return token

    def take(self, text: str, why: str) -> Token:
        """The word that has to stand here."""
        if not self.at(text):
            raise self.error(self.here, f"expected {text!r} {why}, found {self.here}")
        return self.next()

    def ended(self) -> bool:
        """Whether no word is left."""
        return self.here.kind is Kind.END

    def at(self, *texts: str) -> bool:
        """Whether one of these words stands here."""
        return not self.ended() and self.here.text in texts

    def whole(self) -> Node:
        """The whole property."""
        if self.ended():
            raise self.error(self.here, "an empty property; expected something such as F_next >= F")
        node = self.expression(LOWEST)
        if not self.ended():
            expected = "an opening ( or [ before it" if self.at(")", "]") else "an operator before it, or the end"
            raise self.error(self.here, f"unexpected {self.here}; expected {expected}")
        return node

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """One level of nesting."""
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.error(self.here, f"nested more than {MOST_DEPTH} deep")
        yield
        self.depth -= 1

    def expression(self, floor: int) -> Node:
        """An expression whose operators bind at least as tightly as the floor."""
        with self.deeper():
            left = self.prefix()
            while not self.ended() and BINDING.get(self.here.text, -1) >= floor:
                left = self.infix(left, BINDING[self.here.text])
            return left

    def infix(self, left: Node, binding: int) -> Node:
        """What an operator makes of its left operand and what follows."""
        operator = self.here
        if binding == RAISE:
            return self.power(left)
        if binding == IMPLIES:
            self.next()
            return Implies(left, self.expression(IMPLIES), left.column)
        if binding == IFF:
            self.next()
            node = Iff(left, self.expression(IFF + 1), left.column)
            if self.at("iff"):
                raise self.error(self.here, "a second iff; put parentheses around one of them")
            return node
        rest = []
        while not self.ended() and BINDING.get(self.here.text) == binding:
            word = self.next().text
            rest.append(("=" if word == "==" else word, self.expression(binding + 1)))
        if binding in (AND, OR):
            operands = (left, *(operand for _, operand in rest))
            return (And if operator.text == "and" else Or)(operands, left.column)
        return (Comparison if binding == COMPARE else Chain)(left, tuple(rest), left.column)

    def power(self, base: Node) -> Node:
        """A whole power, possibly in parentheses."""
        self.next()
        parenthesis = self.at("(") and self.next()
        sign = -1 if self.at("-") and self.next() else 1
        token = self.next()
        if token.kind is not Kind.NUMBER or not token.text.isdigit():
            raise self.error(token, f"an exponent is a whole number such as 2 or -1, not {token}; sqrt(x) for a root")
        if len(token.text) > 3 or int(token.text) > MOST_EXPONENT:
            raise self.error(token, f"an exponent is at most {MOST_EXPONENT}")
        if parenthesis:
            self.take(")", "after the exponent, a whole number")
        if self.at("^"):
            raise self.error(self.here, "a power of a power; put parentheses around the first one")
        return Power(base, sign * int(token.text), base.column)

    def prefix(self) -> Node:
        """What begins here."""
        token = self.next()
        if token.kind is Kind.NUMBER:
            return Literal(Fraction(token.text), token.text, token.column)
        if token.kind is Kind.NAME:
            return self.word(token)
        if token.text == "(":
            node = self.expression(LOWEST)
            self.take(")", f"to close the ( of column {token.column}")
            return node
        if token.text == "-":
            return Negative(self.expression(MINUS), token.column)
        raise self.error(token, f"expected a number, a name, ( or -, found {token}")

    def word(self, token: Token) -> Node:
        """What a name begins: a negation, a quantifier, a function, a status or a quantity."""
        name = token.text
        if name == "not":
            return Not(self.expression(NOT), token.column)
        if name in ("all", "any"):
            return self.quantified(token)
        if name in WORDS:
            raise self.error(token, f"expected a number, a name, ( or -, found {token}")
        if self.at("(") and (name in FUNCTIONS or name in AGGREGATES):
            return self.applied(token)
        if name in STATUSES:
            return StatusName(name, token.column)
        if name in QUANTITIES:
            if self.at("("):
                raise self.error(token, f"{name} is no function; write * between factors")
            return Name(name, self.index(), token.column)
        if name in self.bound:
            raise self.error(token, f"{name} stands for what a quantifier ranges over; as an index: ratio[{name}]")
        if name in FUNCTIONS or name in AGGREGATES:
            raise self.error(token, f"{name} is a function; expected ( after it")
        raise self.error(token, f"there is no {name[:LONGEST_SUGGESTED]!r}{self.suggestion(name)}")

    def suggestion(self, name: str) -> str:
        """The nearest known name, as a question."""
        known = [*known_names(), *self.bound]
        longer = [entry for entry in known if len(name) >= FEWEST_LETTERS and entry.startswith(name)]
        near = sorted(longer, key=len) or get_close_matches(name[:LONGEST_SUGGESTED], known, n=1)
        return f"; did you mean {near[0]}?" if near else "; docs/properties.md lists the names"

    def index(self) -> tuple[Index, ...]:
        """The index in brackets after a quantity, empty where there is none."""
        if not self.at("["):
            return ()
        opening = self.next()
        found: list[Index] = []
        while True:
            token = self.next()
            if token.kind is Kind.NUMBER and token.text.isdigit() and len(token.text) < 9:
                if int(token.text) == 0:
                    raise self.error(token, "indices are counted from 1")
                found.append(int(token.text))
            elif token.kind is Kind.NAME and token.text in self.bound:
                found.append(token.text)
            elif token.kind is Kind.NAME and token.text not in QUANTITIES:
                message = f"no quantifier binds {token.text[:LONGEST_SUGGESTED]!r}; write all {token.text[:9]}: before"
                raise self.error(token, message)
            else:
                raise self.error(token, f"an index is a variable of a quantifier or a number from 1, not {token}")
            if not self.at(","):
                break
            self.next()
            if len(found) == 2:
                raise self.error(self.here, "an index has at most two parts: the prompt and the draw")
        self.take("]", f"to close the [ of column {opening.column}")
        return tuple(found)

    def applied(self, token: Token) -> Node:
        """A function of arguments in parentheses, or an aggregate over what it ranges over."""
        opening = self.next()
        closing = f"to close the ( of column {opening.column}"
        if token.text in AGGREGATES and (token.text not in FUNCTIONS or self.binders_ahead()):
            example = f"as in {token.text}(responses: advantage) or {token.text}(i: advantage[i])"
            binders = self.binders(f"{token.text} ranges over something, {example}")
            with self.binding(binders):
                body = self.expression(LOWEST)
            self.take(")", closing)
            return Aggregate(token.text, binders, body, token.column)
        arguments = [self.expression(LOWEST)]
        least, most = FUNCTIONS[token.text]
        while self.at(",") and len(arguments) < most:
            self.next()
            arguments.append(self.expression(LOWEST))
        if self.at(","):
            raise self.error(self.here, f"{token.text} takes at most {most} argument{'s' if most > 1 else ''}")
        self.take(")", closing)
        if len(arguments) < least:
            raise self.error(token, f"{token.text} takes at least {least} arguments, or what it ranges over")
        return Call(token.text, tuple(arguments), token.column)

    def binders_ahead(self) -> bool:
        """Whether what follows reads as binders and a colon."""
        place = self.place
        while self.words[place].kind is Kind.NAME:
            place += 3 if self.words[place + 1].text == "in" and len(self.words) > place + 3 else 1
            if self.words[place].text == ":":
                return True
            if self.words[place].text != ",":
                return False
            place += 1
        return False

    def quantified(self, token: Token) -> Node:
        """all or any, what it ranges over, and the property up to the end or the next closing parenthesis."""
        binders = self.binders(f"{token.text} ranges over something, as in {token.text} i: ratio[i] > 1")
        with self.binding(binders):
            return Quantified(token.text, binders, self.expression(LOWEST), token.column)

    def binders(self, example: str) -> tuple[Binder, ...]:
        """One or several variables with what they range over, and the colon after them."""
        found = [self.binder(example)]
        while self.at(","):
            self.next()
            if len(found) == MOST_BINDERS:
                raise self.error(self.here, f"at most {MOST_BINDERS} variables at a time")
            found.append(self.binder(example))
        self.take(":", f"after what is ranged over ({example})")
        return tuple(found)

    def binder(self, example: str) -> Binder:
        """A variable, with what it ranges over if that is said; or what is ranged over, without a variable."""
        token = self.next()
        if token.kind is not Kind.NAME:
            raise self.error(token, f"{example}; found {token}")
        if token.text in DOMAINS:
            return Binder(None, DOMAINS[token.text], token.column)
        if token.text in known_names():
            raise self.error(token, f"{token.text} is taken; {example}")
        if not self.at("in"):
            return Binder(token.text, None, token.column)
        self.next()
        domain = self.next()
        if domain.text not in DOMAINS or domain.kind is not Kind.NAME:
            near = get_close_matches(domain.text[:LONGEST_SUGGESTED], DOMAINS, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise self.error(domain, f"expected one of {', '.join(DOMAINS)} after in, found {domain}{hint}")
        return Binder(token.text, DOMAINS[domain.text], token.column)

    @contextmanager
    def binding(self, binders: tuple[Binder, ...]) -> Iterator[None]:
        """Within the block the variables may be used as indices."""
        names = [binder.name for binder in binders if binder.name is not None]
        self.bound += names
        yield
        del self.bound[len(self.bound) - len(names) :]
