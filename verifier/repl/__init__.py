"""An interactive session: load a problem, walk its run, change anything, prove properties of it."""
