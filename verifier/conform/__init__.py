"""A loss function as a black box, held against the variants of grpocheck.core.variants."""
