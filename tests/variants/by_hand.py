"""The objectives written out again in mpmath, from papers and trainers: what the tests compare with.

It shares no code with core. Numbers are mpf of 50 digits; a batch is a list of groups, a group a list of (new, old,
reference log-probabilities per token, advantage).
"""

from fractions import Fraction as F

from grpocheck.core.arithmetic.mp import MpArithmetic
from grpocheck.core.variants.batch import Batch, SampledGroup, SampledResponse, SampledToken

ARITHMETIC = MpArithmetic(50)
MP = ARITHMETIC.context


def mpf(value):
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, F) else MP.mpf(value)


def batch_of(groups, epsilon=F(1, 5), beta=F(0), maximum_length=None, sampler=None, entropies=None):
    """A Batch of one reward function whose rewards are the advantages; masses are exp of the log-probabilities."""
    built = []
    for g, group in enumerate(groups):
        responses = []
        for i, (new, old, reference, advantage) in enumerate(group):
            tokens = tuple(
                SampledToken(
                    MP.exp(new[h]),
                    MP.exp(old[h]),
                    None if reference is None else MP.exp(reference[h]),
                    None if sampler is None else MP.exp(sampler[g][i][h]),
                    None if entropies is None else mpf(entropies[g][i][h]),
                )
                for h in range(len(new))
            )
            responses.append(SampledResponse(tokens, (mpf(advantage),)))
        built.append(SampledGroup(tuple(responses)))
    longest = max(len(new) for group in groups for new, *_ in group)
    return Batch(tuple(built), mpf(epsilon), mpf(beta), maximum_length or longest)


def derivative(function, groups, place, step="1e-18", side=0):
    """A difference quotient of a function of the groups by one current log-probability (group, response, token).

    Central for side 0, one-sided for -1 and 1.
    """
    g, i, h = place
    step = MP.mpf(step)

    def moved(by):
        copied = [[(list(new), old, ref, a) for new, old, ref, a in group] for group in groups]
        copied[g][i][0][h] = copied[g][i][0][h] + by
        return function(copied)

    if side:
        return (moved(side * step) - moved(0)) / (side * step)
    return (moved(step) - moved(-step)) / (2 * step)
