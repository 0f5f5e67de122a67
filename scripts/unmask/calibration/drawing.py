"""Figures out of the files of results.

Files and settings are those of unmask.calibration.results.Found. Names of figures are those of
unmask.calibration.shown.FIGURES, each as svg and png; what the study has nothing for is a line that says so.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from matplotlib.figure import Figure

from unmask.calibration import figures
from unmask.calibration.results import Found
from unmask.calibration.tables import COMPARED

MAKERS: Mapping[str, Callable[[Found], Figure]] = {
    "response_figure": figures.draw_response,
    "frequency_figure": figures.draw_frequency,
    "power_figure": figures.draw_power,
    "worlds_figure": figures.draw_worlds,
    "kept_figure": figures.draw_kept,
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
        "response_figure": lambda: found.doses["factor"] == "association",
        "frequency_figure": lambda: found.doses["factor"].isin([figures.ALONE, figures.TOGETHER]),
        "power_figure": lambda: found.merits["merit"].isin(["power", "false alarms"]),
        "worlds_figure": lambda: found.drawn["stereo_margin"].notna(),
        "kept_figure": lambda: found.kept["measure"].isin(list(COMPARED)),
    }
    return bool(needs[name]().any())
