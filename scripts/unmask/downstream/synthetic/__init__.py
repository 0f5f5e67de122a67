"""Synthetic tasks in the words of a world, whose every label has a known probability."""
