"""Evidence: a model run over a benchmark under one masking leaves one row per predicted token."""
