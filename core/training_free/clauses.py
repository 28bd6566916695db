"""What seed [003] supplies, clause by clause; a supply that breaks one ends the run with SupplyViolation."""

from enum import Enum


class Clause(Enum):
    """The value names the operation, then what it promises."""

    ANSWERS = "every supplied operation terminates with an answer"
    DISTRIBUTION = "base model: answers a list of distinct responses, each with an exact positive mass, of sum 1"
    NEXT_TOKENS = "base model: answers a list of distinct tokens, each with an exact positive mass, of sum 1"
    FINITE = "base model: has no more responses or prefixes than can be listed"
    TESTS = "test runner: answers True or False for each test, in the order of the task"
    QUALITY = "quality: answers an exact number between 0 and 1"
    PATTERNS = "introspection: answers a list of patterns"
    CONFIDENCE = "introspection: a confidence is an exact number between 0 and 1"
    VOCABULARY = "introspection: affected tokens are distinct tokens of the vocabulary"
