"""Tables 1, 3, 4 and 5 of the paper."""

from unmask.pairs.results import PairResults
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sections import DATA, Section, Table, Text
from unmask.report.sheets import of_paper

ABOUT = (
    "The tables of Kaneko and Bollegala (2022), for the models and benchmarks of this study. Where the paper "
    "has a value for the same model and benchmark it stands below ours, and the difference is ours minus the "
    "paper's."
)


def section(results: PairResults) -> Section:
    sheets = results.paper_sheets()
    tables = (Table(of_paper(sheet, UNMASKING_THE_MASK)) for sheet in sheets.values())
    return Section("tables", f"Tables of {UNMASKING_THE_MASK}", (), (Text(ABOUT), *tables), group=DATA)
