"""Fetching benchmarks and models: pinned, checked, resumed, retried, written whole."""
