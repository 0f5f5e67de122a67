"""Charts as files, each as SVG and PNG."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import altair as alt

from unmask.facts import VERSION
from unmask.report.charts import save_chart
from unmask.report.titled import title_of

if TYPE_CHECKING:
    from unmask.report.charts import Drawn


def save_charts(
    charts: "Iterable[tuple[str, Drawn | str]]",
    files: Mapping[str, str | Path],
    captions: Mapping[str, str],
    study: str,
) -> None:
    """Write charts by name, each with a title that says what it is and of which study; a text, which says why
    there is none, becomes a picture of its words.

    files: {name}_svg and {name}_png of each; captions: by name, of charts; study: its name.
    """
    for name, drawn in charts:
        svg, png = files[f"{name}_svg"], files[f"{name}_png"]
        if isinstance(drawn, str):
            save_chart(note(drawn), svg, png)
        else:
            source = f"Unmask {VERSION}"
            title = partial(title_of, heading=(), caption=captions[name], study=study, source=source)
            save_chart(drawn, svg, png, title)


def names_of(files: Mapping[str, str | Path]) -> list[str]:
    """The names of charts that files are wanted of."""
    return [name.removesuffix("_svg") for name in files if name.endswith("_svg")]


def note(text: str) -> alt.Chart:
    """A chart that is a text."""
    rows = alt.InlineData(values=[{"text": text}])
    chart: alt.Chart = alt.Chart(rows).mark_text(style="neutral").encode(text="text:N")
    return chart.properties(width=560, height=60)
