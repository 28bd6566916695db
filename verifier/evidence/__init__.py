"""The evidence for every claim, gathered, kept and reported: what ``verify`` stands on."""
