"""TIC-GRPO (seed [001]) and its rivals on independent tokens: the class I_H of the specification's section 3.

Beside it stands its relative with an end token.

A response is H independent tokens, so that its mass, its ratio and its score depend on how often it has each token:
the 2^H responses are H + 1 kinds, counted by dynamic programming over prefixes, and every moment of one response's
gradient is a finite sum of rationals.
"""
