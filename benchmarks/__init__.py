"""Ours and the peers on the same work, in one process, as ratios: make bench."""
