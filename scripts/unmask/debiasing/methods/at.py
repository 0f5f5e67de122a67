"""AT (Kaneko & Bollegala 2021): the method of `unmask.debiasing.context_debias`, by its name in studies."""

from unmask.debiasing.context_debias import debias

__all__ = ["debias"]
