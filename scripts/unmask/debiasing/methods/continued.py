"""Training on the corpus as it is: nothing is debiased. It is the baseline of the other methods."""

from unmask.debiasing.masked_training import debias

__all__ = ["debias"]
