"""The sections of the report over sentence pairs, one module each."""
