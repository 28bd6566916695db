"""The model of exact reals and the symbolic stage."""
