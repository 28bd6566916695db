"""proofs/symbolic"""
