"""SMT evidence: the protocol for every T, M, G, K by induction, and the formulas that real arithmetic decides.

``transition`` states the protocol as a transition system, ``invariants`` what holds in its states, ``induction`` the
obligations that make it hold at every size, ``tie`` that core's run is a run of that system. ``reals`` runs core's own
functions on z3's reals; ``terms`` and ``folds`` state what has to come out. ``checks`` declares it all as evidence.
"""
