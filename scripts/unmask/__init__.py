"""Unmask: measures social bias in masked language models, evidence first, measures second."""

__version__ = "0.1.0"
