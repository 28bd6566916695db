"""The pages of docs/ that are made: each module writes one, and a test holds the page against it."""
