"""Counterfactual data augmentation (CDA): training on a corpus with swapped genders.

The corpus is swapped before (`unmask.debiasing.swapping`); the training is that of `continued`.
"""

from unmask.debiasing.masked_training import debias

__all__ = ["debias"]
