"""Disputes about the update from public trackers, settled: each number by a formula that is named."""
