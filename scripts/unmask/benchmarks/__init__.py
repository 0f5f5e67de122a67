"""Readers of benchmarks: from a source's own format to the Pairs table."""
