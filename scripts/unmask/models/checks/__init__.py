"""Checks of models that are in no digest: a new one is for models that are new or changed.

Each is a module with a function `check(directory, kind, name)`, which raises InputError.
"""
