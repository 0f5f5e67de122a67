"""What the report says of regional bias."""

from collections.abc import Iterator

from unmask.regional.charts import MAKERS as CHARTS
from unmask.regional.present import FINDINGS
from unmask.regional.present import MAKERS as TABLES
from unmask.regional.results import RegionalResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.published import doubts
from unmask.report.sections import OTHER_TESTS, Block, Fold, Items, Section, folded

PAPER = "HERB"

_ALT = {
    "scores_figure": "Scores of continents, with bands of permutations",
    "word_map": "Map of the likelihood of a word by country",
    "names_figure": "Regions in two dimensions, by vectors of their names",
    "series_figure": "C_w against epochs of training",
    "positive_map": "Map of the change of texts predicted positive by country",
}
"""What charts show, by their names."""

_TITLES = {
    "table1": "C_w and C_z, with bands",
    "table2": "cluster sparseness, without levels",
    "table3": "without the words of a topic",
    "table4": "a region's prefix and classifiers",
    "table5": "labels that change",
    "table6": "with the words of a topic replaced",
}


def section(results: RegionalResults) -> Section:
    """What was found, with charts and tables; what the study has nothing for is not shown."""
    blocks = (
        *_charts(results),
        *_tables(results),
        results.captions.computed("regional"),
        Fold(results.captions["doubts"], (Items(doubts(results.published)),)),
    )
    return Section("regional", "Regional bias", sentences(FINDINGS, results), blocks, group=OTHER_TESTS)


def _charts(results: RegionalResults) -> Iterator[Block]:
    for name, (draw, _) in CHARTS.items():
        if drawn := draw(results):
            yield chart(results.captions[name], f"{_ALT[name]}; the buttons below save its numbers.", drawn)


def _tables(results: RegionalResults) -> Iterator[Block]:
    for name, make in TABLES.items():
        yield from folded(f"{PAPER}, Table {name[-1]}: {_TITLES[name]}", make(results)[1])
