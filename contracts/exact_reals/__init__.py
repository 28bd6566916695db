"""contracts/exact_reals"""
