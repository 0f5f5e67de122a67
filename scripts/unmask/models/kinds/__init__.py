"""Kinds of models: `check` says whether a directory holds a sound one, `describe` what it holds."""
