"""Readers, one module for each format: each reads a file in a stream and says what cannot be read in it."""
