"""The sections of the report on planted worlds, one module each."""
