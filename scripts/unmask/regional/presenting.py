"""The tables and figures of regional bias (unmask.report.presenting)."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from unmask.regional import tables
from unmask.regional.drawing import drawn_charts
from unmask.regional.rankings import rankings, rankings_sheet
from unmask.regional.results import Found
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

__all__ = ["Found", "drawn_charts", "made_tables"]


def made_tables(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The tables of these names as text, each with its name.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS; a table is one of table1 to
    table6, countries, leaves (csv alone), rankings, stability and planted. Raises KeyError for an unknown
    name (a defect of the caller).
    """
    findings, captions, index = found.findings, found.captions, found.index

    def ranked() -> Made:
        rows = rankings(findings)
        return rows, rankings_sheet(rows, captions["rankings"])

    def of_prefixes(sheet: Callable[..., Sheet]) -> Made:
        return found.prefixes, sheet(found.prefixes, index, found.published, captions)

    makers: Mapping[str, Callable[[], Made]] = {
        "table1": lambda: tables.table1(findings),
        "table2": lambda: tables.table2(findings),
        "table3": lambda: tables.table3(findings),
        "table4": lambda: of_prefixes(tables.table4),
        "table5": lambda: of_prefixes(tables.table5),
        "table6": lambda: tables.table6(findings),
        "countries": lambda: tables.countries(findings),
        "leaves": lambda: (tables.leaves(findings), Sheet("", (), (), ())),
        "rankings": ranked,
        "stability": lambda: (found.stability, tables.stability_sheet(found.stability, captions)),
        "planted": lambda: (found.planted, tables.planted_sheet(found.planted, index, captions)),
    }
    yield from table_texts(makers, wanted)
