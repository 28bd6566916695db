"""core/arithmetic"""
