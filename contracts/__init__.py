"""What must hold, stated once: the claims, the predicates that say them, and the decorators that check them."""
