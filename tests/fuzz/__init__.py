"""Fuzzing of everything that reads what a stranger wrote: targets, a coverage-guided driver, and the inputs to keep."""
