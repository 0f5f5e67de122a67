"""The sections of the report on word frequency, one module each."""
