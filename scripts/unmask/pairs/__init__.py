"""Pairs of sentences: what a study asks of them, statistics of a model on a benchmark, what pages have."""
