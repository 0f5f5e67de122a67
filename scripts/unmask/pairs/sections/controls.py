"""Bias scores of sentences that say nothing any more."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs import accuracy_charts, sheets
from unmask.pairs.results import Results
from unmask.report.charts import chart
from unmask.report.sections import Section, folded

ALT = (
    "Bias scores with intervals of sentences as they are written and with their tokens shuffled, against the "
    "line at 50; their numbers are in the table below."
)


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results; settings: models, benchmarks, alpha."""
    results = Results.of_section(files, settings)
    drawn = accuracy_charts.shuffled(results.bias)
    pictures = (chart(results.captions["shuffled_chart"], ALT, drawn),) if drawn else ()
    tables = folded("Bias scores with the tokens shuffled", sheets.shuffled(results))
    return Section("controls", "Controls", (), (*pictures, *tables))
