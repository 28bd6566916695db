"""The objectives in use, each a composition of named parts over the same groups and the same arithmetic.

A variant is an advantage rule, a ratio, a term, a KL term, a normalisation and, where it has them, masks, an entropy
bonus and a selection of groups; grpocheck.core.variants.registry names the compositions that people use.
"""
