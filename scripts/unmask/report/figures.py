"""How figures look and how they are saved, as SVG and PNG; the same data gives the same bytes."""

import io
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from unmask.files import written_whole

PALETTE = (
    ("#0072B2", "-"),
    ("#D55E00", "--"),
    ("#009E73", "-."),
    ("#AA4499", ":"),
    ("#555555", "-"),
    ("#8a8a8a", "--"),
    ("#000000", ":"),
)
"""Colours and lines for measures, told apart with any colour vision and in grey."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")

RC: dict[Any, Any] = {
    "svg.fonttype": "none",
    # names from data are text, whatever signs are in them
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
}


def save(figure: Figure, svg: str | Path, png: str | Path) -> None:
    """Write a figure as SVG and PNG, without a date or anything else that differs between two runs."""
    # ids inside the SVG come from this salt: of its own per figure, so that two may stand in one page
    with mpl.rc_context(RC | {"svg.hashsalt": Path(svg).stem}):
        text = io.StringIO()
        figure.savefig(
            text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
        )
        with written_whole(svg) as partial:
            partial.write_text(text.getvalue(), encoding="utf-8")
        with written_whole(png) as partial:
            figure.savefig(partial, format="png", dpi=160, metadata={"Software": None})


def save_drawn(
    draw: Callable[[Sequence[str]], Iterable[tuple[str, Figure]]], files: Mapping[str, str | Path]
) -> None:
    """Draw and write figures. files: {name}_svg and {name}_png of each; draw: makes those of some names."""
    for name, figure in draw([name.removesuffix("_svg") for name in files if name.endswith("_svg")]):
        save(figure, files[f"{name}_svg"], files[f"{name}_png"])


def note(text: str) -> Figure:
    """A figure that says why there is none."""
    with mpl.rc_context(RC):
        figure = Figure(figsize=(6, 1.2))
        figure.text(0.5, 0.5, text, ha="center", va="center", wrap=True)
    return figure


def styles(measures: "pd.Series[str]") -> dict[str, tuple[str, str]]:
    """A colour and a line for each measure of a study, in the order of a column that names them all."""
    return dict(zip(measures.drop_duplicates(), itertools.cycle(PALETTE), strict=False))
