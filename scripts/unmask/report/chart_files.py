"""The charts of a family as files."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from unmask.report.charts import save_chart
from unmask.report.figures import note, save

if TYPE_CHECKING:
    from unmask.report.charts import Drawn


def save_charts(
    charts: "Iterable[tuple[str, Drawn | None]]",
    nothing: Mapping[str, str],
    files: Mapping[str, str | Path],
) -> None:
    """Write charts as SVG and PNG.

    charts: each with its name. nothing: what stands there instead where a study has nothing for it, by name.
    files: {name}_svg and {name}_png of each.
    """
    for name, drawn in charts:
        svg, png = files[f"{name}_svg"], files[f"{name}_png"]
        if drawn is None:
            save(note(nothing[name]), svg, png)
        else:
            save_chart(drawn, svg, png)


def names_of(files: Mapping[str, str | Path]) -> list[str]:
    """The names of charts that files are wanted of."""
    return [name.removesuffix("_svg") for name in files if name.endswith("_svg")]
