"""Supplied oracles: found by name, compared with the problem's own definition, their draws tested."""
