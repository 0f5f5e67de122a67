"""The tables and figures of word frequency (unmask.report.presenting)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from unmask.frequency.charts import correlations, frequencies
from unmask.frequency.results import Found
from unmask.frequency.table2 import table2, table2_sheet
from unmask.report.sheets import Sheet
from unmask.report.table_files import Made, table_texts

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

__all__ = ["Found", "drawn_charts", "made_tables"]

NO_SHEET = Sheet("", (), (), ())
"""Of a table that is written as CSV alone."""

NO_GROUPS = "No benchmark of this study says which group a sentence names."
NO_LINK = "No benchmark of this study has both scores and word frequencies."


def made_tables(found: Found, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
    """table2 in every form, and group_words and frequency_link as CSV."""
    makers: Mapping[str, Callable[[], Made]] = {
        "table2": lambda: (
            table2(found.words, found.published),
            table2_sheet(found.words, found.published, found.captions, found.alpha),
        ),
        "group_words": lambda: (found.words, NO_SHEET),
        "frequency_link": lambda: (found.link, NO_SHEET),
    }
    yield from table_texts(makers, wanted)


def drawn_charts(found: Found, wanted: Iterable[str]) -> "Iterator[tuple[str, Drawn | str]]":
    """frequency: how often corpora use words; frequency_link: how margins go with that."""
    makers: Mapping[str, Callable[[], Drawn | str]] = {
        "frequency": lambda: frequencies(found.words) or NO_GROUPS,
        "frequency_link": lambda: correlations(found.link) or NO_LINK,
    }
    for name in wanted:
        yield name, makers[name]()
