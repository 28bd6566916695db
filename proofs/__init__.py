"""Why the claims hold: evidence of every kind, the lemma in prose, and the theorems that Coq checks."""
