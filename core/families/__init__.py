"""core/families"""
