"""Test vectors for implementers in any language."""
