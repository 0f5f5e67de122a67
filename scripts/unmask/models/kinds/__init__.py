"""Kinds of models, a module each, by name: `KIND` says how they are loaded and what they have to be.

`check` says whether a directory holds a sound one, `describe` what it holds.
"""
