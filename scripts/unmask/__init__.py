"""Unmask: measures social bias in language models, evidence first, measures second."""
