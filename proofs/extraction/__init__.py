"""The tie between the theorems and core: the model extracted from Coq and core's own code, run side by side."""
