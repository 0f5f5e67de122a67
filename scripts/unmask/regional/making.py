"""The files of tables, out of the files of results."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from unmask.regional import tables
from unmask.regional.collected import collected, collected_prefixes
from unmask.regional.outline import Outline
from unmask.regional.published import Published
from unmask.regional.rankings import rankings, rankings_sheet
from unmask.regional.schema import REGIONS
from unmask.regional.score_schema import PLANTED, SCORES, STABILITY
from unmask.regional.tables import Findings
from unmask.report.captions import Captions
from unmask.report.sheets import Sheet
from unmask.report.study import Named
from unmask.report.table_files import Made, table_texts
from unmask.tables import framed, read_table


def made_tables(
    files: Mapping[str, Any], settings: Mapping[str, Any], captions: Captions, wanted: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """The tables of these names as text.

    A name is {table}_{form}, with a form of unmask.report.table_files.FORMS; a table is one of table1 to
    table6, countries, leaves (csv alone), rankings, stability and planted.

    files: regions, scores, and where there are such tables stability, planted, prefixes; published.
    settings: models, alpha. Raises KeyError for an unknown name (a defect of the caller).
    """
    models = [Named.from_config(entry) for entry in settings["models"]]
    outline = Outline.of(read_table(files["regions"], REGIONS))
    published = Published.from_file(files["published"])
    scores = collected(models, files["scores"], SCORES)
    found = Findings(models, outline, scores, published, captions, settings["alpha"])

    def stability() -> Made:
        rows = collected(models, files.get("stability") or [], STABILITY)
        return rows, tables.stability_sheet(rows, captions)

    def planted() -> Made:
        rows = read_table(files["planted"], PLANTED) if files.get("planted") else framed([], PLANTED)
        return rows, tables.planted_sheet(rows, outline, captions)

    def ranked() -> Made:
        rows = rankings(found)
        return rows, rankings_sheet(rows, captions["rankings"])

    def of_prefixes(sheet: Callable[..., Sheet]) -> Made:
        rows = collected_prefixes(files.get("prefixes") or [])
        return rows, sheet(rows, outline, published, captions)

    makers: Mapping[str, Callable[[], Made]] = {
        "table1": lambda: tables.table1(found),
        "table2": lambda: tables.table2(found),
        "table3": lambda: tables.table3(found),
        "table4": lambda: of_prefixes(tables.table4),
        "table5": lambda: of_prefixes(tables.table5),
        "table6": lambda: tables.table6(found),
        "countries": lambda: tables.countries(found),
        "leaves": lambda: (tables.leaves(found), Sheet("", (), (), ())),
        "rankings": ranked,
        "stability": stability,
        "planted": planted,
    }
    yield from table_texts(makers, wanted)
