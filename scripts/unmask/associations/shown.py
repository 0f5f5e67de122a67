"""The tables and figures of association tests, by name. Nothing is imported here: rules read this."""

TABLES = (
    "table1",
    "overview",
    "published",
    "grounded",
    "cells",
    "experiments",
    "poolings",
    "pairs",
)
"""Each is made as csv, md and tex: the names of files are {table}_{form}."""

FIGURES = (
    "tests_figure",
    "grounded_figure",
    "poolings_figure",
    "pairs_figure",
)
"""Each is drawn as svg and png: the names of files are {figure}_{form}."""
