"""A small world whose bias is known: a grammar, its exact oracle, a corpus, benchmarks and trained models."""
