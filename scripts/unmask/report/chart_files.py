"""Charts as files, each as SVG and PNG."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt

from unmask.report.charts import save_chart

if TYPE_CHECKING:
    from unmask.report.charts import Drawn


def save_charts(charts: "Iterable[tuple[str, Drawn | str]]", files: Mapping[str, str | Path]) -> None:
    """Write charts by name; a text, which says why there is none, becomes a picture of its words.

    files: {name}_svg and {name}_png of each.
    """
    for name, drawn in charts:
        chart = note(drawn) if isinstance(drawn, str) else drawn
        save_chart(chart, files[f"{name}_svg"], files[f"{name}_png"])


def names_of(files: Mapping[str, str | Path]) -> list[str]:
    """The names of charts that files are wanted of."""
    return [name.removesuffix("_svg") for name in files if name.endswith("_svg")]


def note(text: str) -> alt.Chart:
    """A chart that is a text."""
    rows = alt.InlineData(values=[{"text": text}])
    chart: alt.Chart = alt.Chart(rows).mark_text(style="neutral").encode(text="text:N")
    return chart.properties(width=560, height=60)
