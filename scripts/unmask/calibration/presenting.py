"""The tables and figures of calibration (unmask.report.presenting).

Their names are those of unmask.calibration.artifacts: {table}_{csv,md,tex}, and {figure}_{svg,png}.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from unmask.calibration.charts import MAKERS
from unmask.calibration.results import CalibrationResults
from unmask.calibration.tables import PRESENTED
from unmask.report.chart_files import charts_of
from unmask.report.table_files import table_texts

Found = CalibrationResults
"""The name under which unmask.report.presenting looks for a family's results."""


def made_tables(results: CalibrationResults, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS. A table that the study has
    nothing for has no rows. Raises KeyError for an unknown name (a defect of the caller).
    """
    makers = {name: partial(table.captioned, results) for name, table in PRESENTED.items()}
    yield from table_texts(makers, names)


drawn_charts = partial(charts_of, MAKERS)
"""The charts of some names, each with its name; where there is none, why."""
