"""Fetching benchmarks and models: pinned, checked, retried, written whole."""
