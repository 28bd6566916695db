"""Audit of training logs: does what a trainer wrote down do what the definition says?

docs/audit.md says which formats are read and lists the rules; rules.py is where they stand.
"""
