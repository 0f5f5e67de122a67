"""What columns mean: every declared one says so, and the page in docs/ is that of these declarations."""

import re

import pytest

from unmask.report.data_dictionary import PAGE, declared_tables, page
from unmask.report.declared_tables import Table

TABLES = [(module, table) for module, tables in declared_tables().items() for table in tables]


def test_tables_of_all_families_are_found() -> None:
    families = {module.partition("/")[0] for module, _ in TABLES}
    assert families >= {"associations", "calibration", "downstream", "frequency", "pairs", "regional"}


@pytest.mark.parametrize(("module", "table"), TABLES, ids=lambda value: getattr(value, "name", value))
def test_every_column_has_a_meaning_and_a_place_of_its_own(module: str, table: Table) -> None:
    for column in table.columns:
        assert re.fullmatch(r"\w[^{}\n]* [^{}\n]*\.", column.meaning), f"{module}, {table.name}: {column}"
    heads = [(column.group, column.label) for column in table.columns]
    assert len(set(heads)) == len(heads), f"{module}, {table.name}"
    # of two across, values are the whole of a heading
    assert len(table.across) < 3 and (len(table.across) < 2 or len(table.columns) == 1)


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m unmask.report.data_dictionary"
