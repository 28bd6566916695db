"""The harnesses, by what they are about."""
