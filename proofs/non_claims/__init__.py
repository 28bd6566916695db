"""What the procedure does not promise: an exact witness against each non-claim, searched for, minimised, replayed."""
