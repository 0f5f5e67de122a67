"""Tables 1, 3, 4 and 5 of the paper."""

from unmask.pairs.results import PairResults
from unmask.report.sections import Section, Table, Text

ABOUT = (
    "The tables of Kaneko and Bollegala (2022), for the models and benchmarks of this study. Where the paper "
    "has a value for the same model and benchmark it stands below ours, and the difference is ours minus the "
    "paper's."
)


def section(results: PairResults) -> Section:
    sheets = results.paper_sheets()
    return Section("tables", "Tables of the paper", (), (Text(ABOUT), *map(Table, sheets.values())))
