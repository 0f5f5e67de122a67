"""Tables 1, 3, 4 and 5 of the paper."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs.results import Results
from unmask.report.sections import Section, Table, Text

ABOUT = (
    "The tables of Kaneko and Bollegala (2022), for the models and benchmarks of this study. Where the paper "
    "has a value for the same model and benchmark it stands below ours, and the difference is ours minus the "
    "paper's."
)


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results; settings: models, benchmarks, alpha."""
    sheets = Results.of_section(files, settings).sheets()
    return Section("tables", "Tables of the paper", (), (Text(ABOUT), *map(Table, sheets.values())))
