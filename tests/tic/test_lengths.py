"""The length covariance: closed form, kinds, responses written out, and the own-length objective of core/variants."""

from dataclasses import replace
from fractions import Fraction as F

import pytest
from grpocheck.core.arithmetic import ExactArithmetic
from grpocheck.core.tic.kinds import IndependentTokens, TokenMasses
from grpocheck.core.tic.lengths import ending_split, lengths, squared_score_split
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken
from grpocheck.core.variants.evaluation import slopes
from grpocheck.core.variants.normalisation import Normalisation
from grpocheck.core.variants.ratios import Level, RatioRule
from grpocheck.core.variants.registry import AS_GIVEN, named
from grpocheck.verifier.tic.lengths import enumerated_splits, written_out

NOW = TokenMasses(F(1, 2), F(1, 3), F(1, 6))
BEFORE = TokenMasses(F(1, 5), F(2, 5), F(2, 5))


def expected_gradients(horizon: int, normalisation: Normalisation) -> F:
    """E_old of the gradient of rho R by the logit of ending, R = 1 for a response that ends, through core/variants."""
    variant = replace(
        named("importance-weighted"), advantage=AS_GIVEN, ratio=RatioRule(Level.SEQUENCE), normalisation=normalisation
    )
    total = F(0)
    for response in written_out(horizon):
        tokens = tuple(SampledToken(getattr(NOW, name), getattr(BEFORE, name)) for name in response)
        drawn = SampledResponse(tokens, (F(int(response[-1] == "end")),))
        batch = Batch((SampledGroup((drawn,)),), F(1, 5), F(0), horizon)
        mass = F(1)
        for name in response:
            mass *= getattr(BEFORE, name)
        row = slopes(variant, batch, ExactArithmetic()).log_masses[0][0]
        scores = [1 - NOW.end if name == "end" else -NOW.end for name in response]
        # the terms of a sequence level are the same for every token: own length times the sum is L terms over L
        total += mass * sum(s * score for s, score in zip(row, scores, strict=True)) / len(response)
    return total


@pytest.mark.parametrize("horizon", [1, 2, 3, 5])
def test_kinds_closed_form_and_enumeration_agree_off_policy_too(horizon):
    """The closed forms are contracts of the splits; what is written out is a third way to the same numbers."""
    tokens = IndependentTokens(horizon, NOW, BEFORE)
    assert (squared_score_split(tokens), ending_split(tokens)) == enumerated_splits(tokens)


@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_the_own_length_of_core_variants_has_the_covariance(horizon):
    found = ending_split(IndependentTokens(horizon, NOW, BEFORE))
    assert expected_gradients(horizon, Normalisation()) == found.total
    assert (found.covariance != 0) == (horizon > 1)


def test_two_tokens_by_hand():
    """e = 1/2, H = 2: it ends at once (1/2), at the second token (1/4), or not (1/4). N is 1/2, 0 and -1.

    E[R N] = 1/4 and E[1/L] = 3/4, but E[R N/L] = 1/4: a covariance of 1/16. For S, one and zero at even odds: S^2 = 0,
    1/4 and 1/2 on average, so that E[S^2/L^2] = 1/64 + 1/32 = 3/64, E[S^2] = 3/16 and E[1/L^2] = 5/8.
    """
    half = TokenMasses(F(1, 4), F(1, 4), F(1, 2))
    tokens = IndependentTokens(2, half, half)
    ending, square = ending_split(tokens), squared_score_split(tokens)
    assert (ending.total, ending.product, ending.covariance) == (F(1, 4), F(3, 16), F(1, 16))
    assert (square.total, square.product) == (F(3, 64), F(15, 128))


def test_lengths_are_all_there_is():
    assert sum(p for _, _, p in lengths(7, F(2, 7))) == 1
