"""Symbolic evidence: small harnesses over core whose postconditions are claims, each gone through path by path."""
