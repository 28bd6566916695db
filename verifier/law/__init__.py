"""The exact law of a run's outcome, and a sampled one where going through all draws would be too much."""
