"""Figures out of the files of results.

Files and settings are those of unmask.associations.results.Found, and so those of
unmask.associations.making.

Names of figures are those of unmask.associations.shown.FIGURES, each as svg and png. What a study needs for
each, without which the figure is a line that says so:

- tests_figure: any test without pictures; grounded_figure: any grounded test;
- poolings_figure: two poolings of one encoder; pairs_figure: a table `bias` of an encoder;
- constructed_figure: `constructed`; planted_figure: a suite of `truths` with what was planted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from matplotlib.figure import Figure

from unmask.associations import figures
from unmask.associations.results import Found

MAKERS: Mapping[str, Callable[[Found], Figure]] = {
    "tests_figure": figures.draw_tests,
    "grounded_figure": figures.draw_grounded,
    "poolings_figure": figures.draw_poolings,
    "pairs_figure": figures.draw_pairs,
    "constructed_figure": figures.draw_constructed,
    "planted_figure": figures.draw_planted,
}


def drawn_figures(
    files: Mapping[str, Any], settings: Mapping[str, Any], wanted: Iterable[str]
) -> Iterator[tuple[str, Figure]]:
    """The figures of these names, each with its name. Raises KeyError for an unknown one (a defect of the
    caller)."""
    found = Found(files, settings)
    for name in wanted:
        yield name, MAKERS[name](found)


def has_data(found: Found, name: str) -> bool:
    """Whether the study has anything for a figure."""
    needs: Mapping[str, Callable[[], Any]] = {
        "tests_figure": lambda: found.main["d"].dropna(),
        "grounded_figure": lambda: found.means,
        "poolings_figure": lambda: found.poolings_compared,
        "pairs_figure": lambda: found.points,
        "constructed_figure": lambda: found.constructed,
        "planted_figure": lambda: found.planted,
    }
    return len(needs[name]()) > 0
