"""Training-free group-relative optimisation of seed [003], executable and exact; read next to section 5.

No parameter moves: the distribution of a base model is re-weighted by an append-only bank of expert factors. In the
order of the definition: responses, patterns and bank, decoding, reward, whitening, stopping, procedure; beside it the
supply: oracles, guard, ledger, trace. What is promised and what is not is said in docs/training-free.md.
"""
