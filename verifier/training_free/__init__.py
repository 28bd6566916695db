"""What a training-free run asks outside: the introspections, the tests that really run, and the quality of code."""
