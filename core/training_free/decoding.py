"""Product-of-experts decoding: the base model's masses times the bank's factors, normalised exactly.

Seed [003], section 4 of the paper: pi_new(y) is proportional to pi(y) times the product of w_k over the patterns of
which a token occurs in y; a token-level base model is re-weighted token by token, each row normalised on its own. All
masses are rational. The entropy of the distribution that is drawn from, in nats, needs logarithms of the arithmetic.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grpocheck.contracts.clauses import ensure, invariant, require, total
from grpocheck.contracts.comparisons import at_most
from grpocheck.contracts.predicates import is_mass_function
from grpocheck.contracts.training_free import is_entropy, is_reweighted, rises_only_where_factors_are_large
from grpocheck.core.arithmetic.exact import ExactArithmetic
from grpocheck.core.arithmetic.supply import Arithmetic, Scalar
from grpocheck.core.draws import decided_position
from grpocheck.core.training_free.patterns import Bank
from grpocheck.core.training_free.responses import Listed, Response, Row, Shape, Tokens

EXACT = ExactArithmetic()

Masses = tuple[Fraction, ...]


@require(lambda masses, factors: len(masses) == len(factors) >= 1, "one factor for each mass")
@require(lambda masses: is_mass_function(masses), "base masses are positive with sum 1")
@require(lambda factors: all(factor >= 1 for factor in factors), "a product of expert factors is at least 1")
@ensure(lambda result, masses, factors: is_reweighted(result, masses, factors), "masses sum to 1, in proportion")
@ensure(
    lambda result, masses, factors: rises_only_where_factors_are_large(result, masses, factors),
    "the largest factor never loses mass, the least never gains any",
)
def reweighted(masses: Masses, factors: Masses) -> Masses:
    """Masses times factors over their sum."""
    weights = [mass * factor for mass, factor in zip(masses, factors, strict=True)]
    whole = sum(weights)
    return tuple(weight / whole for weight in weights)


@require(lambda masses: is_mass_function(masses), "masses are positive with sum 1")
@ensure(lambda masses, result: is_entropy(result, len(masses)), "0 <= H <= n - 1 nats")
@ensure(lambda masses, result: at_most(1 - sum(mass * mass for mass in masses), result), "H >= 1 - sum of squares")
def entropy(masses: Masses, arithmetic: Arithmetic) -> Scalar:
    """-sum of p log p in nats."""
    return -sum((mass * arithmetic.log(arithmetic.number(mass)) for mass in masses if mass != 1), start=Fraction(0))


@invariant(lambda self: is_mass_function(self.masses), "masses are positive with sum 1")
@dataclass(frozen=True)
class ResponseLevel:
    """A distribution over whole responses."""

    responses: tuple[Response, ...]
    masses: Masses

    @require(lambda self, arithmetic: arithmetic.holds(self.masses[0]), "masses are scalars of the arithmetic")
    @ensure(lambda self, result: is_entropy(result, len(self.masses)), "0 <= H <= n - 1 nats")
    def entropy(self, arithmetic: Arithmetic) -> Scalar:
        """The entropy of the response distribution, in nats."""
        return entropy(self.masses, arithmetic)

    @require(lambda bits: iter(bits) is bits, "bits come one by one")
    @ensure(lambda self, result: result in self.responses, "a draw returns a supported response")
    def draw(self, bits: Iterator[int]) -> Response:
        """A response drawn with exactly these masses from independent fair bits."""
        return self.responses[decided_position(self.masses, bits, EXACT)]

    @total("any response may be asked about")
    @ensure(lambda self, response, result: result == (response in dict(self.law())), "the responses of the law")
    def supports(self, response: Response) -> bool:
        """Whether a response has positive mass."""
        return response in self.responses

    @ensure(lambda result: sum(mass for _, mass in result) == 1, "response masses sum to 1")
    def law(self) -> Listed:
        """Every response with its mass."""
        return tuple(zip(self.responses, self.masses, strict=True))


Rows = Mapping[Tokens, Row]


@invariant(lambda self: () in self.rows, "a response begins with the empty prefix")
@dataclass(frozen=True)
class TokenLevel:
    """A distribution over responses, token by token: a row of masses after every prefix that goes on."""

    shape: Shape
    rows: Rows

    @require(lambda self, arithmetic: arithmetic.holds(self.rows[()][0][1]), "masses are scalars of the arithmetic")
    @ensure(lambda result: at_most(0, result), "H >= 0")
    def entropy(self, arithmetic: Arithmetic) -> Scalar:
        """The entropy of the response distribution, in nats: the chain rule, each row weighted by its prefix's mass."""
        weights: dict[Row, Fraction] = {}
        for prefix, mass in self.reached():
            if prefix in self.rows:
                row = self.rows[prefix]
                weights[row] = weights.get(row, Fraction(0)) + mass
        return sum(
            (weight * entropy(masses_of(row), arithmetic) for row, weight in weights.items()), start=Fraction(0)
        )

    @require(lambda bits: iter(bits) is bits, "bits come one by one")
    @ensure(lambda self, result: self.shape.is_whole(result.tokens), "a drawn response has ended")
    def draw(self, bits: Iterator[int]) -> Response:
        """A response drawn token by token, each with exactly its masses, from independent fair bits."""
        tokens: Tokens = ()
        while not self.shape.is_whole(tokens):
            row = self.rows[tokens]
            tokens = (*tokens, row[decided_position(masses_of(row), bits, EXACT)][0])
        return self.shape.response(tokens)

    @total("any response may be asked about")
    @ensure(lambda self, response, result: not result or self.shape.is_whole(response.tokens), "it has ended")
    def supports(self, response: Response) -> bool:
        """Whether a response has positive mass: each of its tokens stands in the row after what precedes it."""
        tokens = response.tokens
        listed = all(token in dict(self.rows.get(tokens[:place], ())) for place, token in enumerate(tokens))
        return listed and self.shape.is_whole(tokens)

    @ensure(lambda result: sum(mass for _, mass in result) == 1, "response masses sum to 1")
    def law(self) -> Listed:
        """Every response with its mass."""
        whole = ((tokens, mass) for tokens, mass in self.reached() if tokens not in self.rows)
        return tuple((self.shape.response(tokens), mass) for tokens, mass in whole)

    @ensure(lambda result: iter(result) is result, "prefixes come one by one, with the mass of reaching each")
    def reached(self) -> Iterator[tuple[Tokens, Fraction]]:
        """Every prefix and every whole response, with its mass, depth first."""
        waiting: list[tuple[Tokens, Fraction]] = [((), Fraction(1))]
        while waiting:
            prefix, mass = waiting.pop()
            yield prefix, mass
            waiting += [((*prefix, token), mass * share) for token, share in reversed(self.rows.get(prefix, ()))]


Decoded = ResponseLevel | TokenLevel


@require(lambda row: len(row) >= 1, "a row has a token")
@ensure(lambda row, result: len(result) == len(row), "one mass for each token")
def masses_of(row: Row) -> Masses:
    """The masses of a row."""
    return tuple(mass for _, mass in row)


@require(lambda row: is_mass_function(masses_of(row)), "the masses of a row are positive with sum 1")
@ensure(lambda row, result: [token for token, _ in result] == [token for token, _ in row], "the same tokens")
@ensure(lambda row, bank, result: bank.patterns != () or result == row, "an empty bank changes nothing")
def reweighted_row(row: Row, bank: Bank) -> Row:
    """A row of next tokens, re-weighted by the bank and normalised on its own."""
    factors = tuple(bank.token_factor(token) for token, _ in row)
    return tuple(zip((token for token, _ in row), reweighted(masses_of(row), factors), strict=True))


@require(lambda base, bank: bank.kappa > 0 and bool(base), "a base model and a bank of it")
@ensure(lambda base, result: type(result) is type(base), "a base model is decoded on its own level")
@ensure(lambda base, bank, result: bank.patterns != () or result == base, "an empty bank leaves the base model")
def decoded(base: Decoded, bank: Bank) -> Decoded:
    """The distribution that the next group is drawn from: the base model's, re-weighted by the bank."""
    if isinstance(base, ResponseLevel):
        factors = tuple(bank.response_factor(response) for response in base.responses)
        return ResponseLevel(base.responses, reweighted(base.masses, factors))
    known: dict[Row, Row] = {}
    for row in base.rows.values():
        if row not in known:
            known[row] = reweighted_row(row, bank)
    return TokenLevel(base.shape, {prefix: known[row] for prefix, row in base.rows.items()})
