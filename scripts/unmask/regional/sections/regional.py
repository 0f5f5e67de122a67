"""What the report says of regional bias."""

from collections.abc import Iterable, Iterator

import altair as alt

from unmask.regional import charts, tables
from unmask.regional.findings import FINDINGS
from unmask.regional.likelihood_reader import read_names
from unmask.regional.region_index import Fact, not_on_the_map, token_facts, tree_facts
from unmask.regional.results import RegionalResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.published import doubts
from unmask.report.sections import OTHER_TESTS, Block, Facts, Fold, Items, Section, chosen, folded

_ALT = {
    "scores_figure": "Scores of continents, with bands of chance",
    "positive_map": "Map of the change of items predicted positive by country",
    "positive_figure": "Change of items predicted positive, by region",
    "score_map": "Map of C_w by country",
    "band_map": "Map of where the C_w of countries lies against its band of chance",
    "word_map": "Map of the likelihood of a word by country",
    "points_figure": "Regions in two dimensions, by likelihoods",
    "names_figure": "Regions in two dimensions, by vectors of their names",
    "series_figure": "C_w against epochs of training",
}
"""What charts show, by their names, which are those of their captions."""

PAPER = "HERB"

_TITLES = {
    "table1": f"{PAPER}, Table 1: C_w and C_z, with bands",
    "table2": f"{PAPER}, Table 2: the plain score",
    "table3": f"{PAPER}, Table 3: without the words of a topic",
    "table4": f"{PAPER}, Table 4: a region's prefix and classifiers",
    "table5": f"{PAPER}, Table 5: labels that change",
    "table6": f"{PAPER}, Table 6: with the words of a topic replaced",
    "countries": "All countries",
    "rankings": "Do scores rank regions by their number of children?",
}
"""Of the folds that tables are in."""


def section(results: RegionalResults) -> Section:
    """What was found, with charts and tables; what the study has nothing for is not shown."""
    return Section(
        "regional",
        "Regional bias",
        sentences(FINDINGS, results),
        (
            *_charts(results, "scores_figure"),
            *_folded_charts(
                "The other measures and variants",
                results.captions["scores_figure"],
                charts.other_scores(results),
            ),
            *_tables(results, "table1", "rankings"),
            *_charts(results, "score_map", "band_map"),
            *_tables(results, "table2", "table3", "table6", "countries"),
            *_charts(results, "word_map", "names_figure", "points_figure", "series_figure"),
            *_folded_charts(
                "The other variants", results.captions["series_figure"], charts.other_series(results)
            ),
            *_charts(results, "positive_map", "positive_figure"),
            *_tables(results, "table4", "table5"),
            results.captions.computed("regional"),
            Fold("Regions and their names", (Facts(tuple(_facts(results))),)),
            Fold(results.captions["doubts"], (Items(doubts(results.published)),)),
        ),
        group=OTHER_TESTS,
    )


def _charts(results: RegionalResults, *names: str) -> Iterator[Block]:
    for name in names:
        each = charts.MAKERS[name][0](results)
        if each:
            yield chart(results.captions[name], f"{_ALT[name]}; the buttons below save its numbers.", each)


def _folded_charts(title: str, caption: str, named: Iterable[tuple[str, alt.FacetChart]]) -> Iterator[Block]:
    """Charts of one caption in a fold, one at a time by name; nothing where there is none."""
    charts = (Fold(name, (chart(f"{name}. {caption}", f"{name}: {caption}", each),)) for name, each in named)
    if blocks := chosen("Shown", charts):
        yield Fold(title, blocks)


def _tables(results: RegionalResults, *names: str) -> Iterator[Block]:
    """Tables in folds; those that the study has not are left out."""
    for name in names:
        yield from folded(_TITLES[name], tables.MAKERS[name](results)[1])


def _facts(results: RegionalResults) -> Iterator[Fact]:
    index = results.index
    yield from tree_facts(index)
    for model, path in results.likelihood_paths.items():
        yield token_facts(model, read_names(path))
    if results.atlas:
        scored = set(results.scores.dropna(subset="score")["region"])
        codes = index.codes
        missing = [
            region
            for region in index.inner()
            if region in scored and not (region in codes and results.atlas.drawn(codes[region]))
        ]
        yield from not_on_the_map(index, missing)
