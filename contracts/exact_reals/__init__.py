"""A CrossHair plugin: fractions.Fraction read as an exact real number.

Installing the distribution is all there is to it: CrossHair finds this package through the entry point
``crosshair.plugin`` and importing it registers the model. Nothing else may import it, because importing CrossHair
switches icontract off in the whole process.

Under the model a Fraction argument is any real number. Sums, products, quotients and comparisons are exact;
``math.sqrt`` and ``min``, ``max`` are the real functions; ``math.log`` and ``math.exp`` are known by true facts
(tangents, monotonicity, the law of products), so what is confirmed holds for the real functions, and what is refuted
through them has to be replayed. Formatting, hashing or converting a symbolic number fixes its value, after which
nothing is confirmed.
"""

from grpocheck.contracts.exact_reals.patches import install

install()
