"""User code in a process of its own: a time limit for every call, limited memory, nothing of the run in reach."""
