"""Where the measures of a model disagree, and on which pairs."""

from collections.abc import Iterator

from unmask.pairs import comparisons
from unmask.pairs.disagreement import FURTHEST_APART, disputed, every_two_measures, heat_map
from unmask.pairs.explorer import shown_pairs
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import BENCHMARK, TRUST, Block, Fold, Section, chosen, folded

ALT = "A table of measures against measures: how many of 100 pairs each two decide differently; {sentence}"


def section(results: PairResults) -> Section:
    """Empty where a study has one measure."""
    texts = sentences([comparisons.DECIDED_DIFFERENTLY, FURTHEST_APART], results)
    blocks = tuple(_blocks(results, " ".join(texts)))
    return Section(
        "disagreement", "Where measures disagree", texts, blocks, group=TRUST, label="Disagreement"
    )


def _blocks(results: PairResults, sentence: str) -> Iterator[Block]:
    yield from chosen(BENCHMARK, _heat_maps(results, sentence))
    yield from folded("Every two measures in numbers", comparisons.measures(results))
    if pairs := chosen(BENCHMARK, _disputed(results)):
        yield Fold("The pairs that measures disagree on most", pairs)
    if len(results.measures_compared):
        yield results.captions.computed("disagreement")


def _heat_maps(results: PairResults, sentence: str) -> Iterator[Fold]:
    rows = every_two_measures(results.measures_compared)
    for name, of_benchmark in rows.groupby("benchmark", sort=False, observed=True):
        caption, alt = f"{name}. {results.captions['disagreement']}", ALT.format(sentence=sentence)
        yield Fold(str(name), (chart(caption, f"{name}. {alt}", heat_map(of_benchmark)),))


def _disputed(results: PairResults) -> Iterator[Fold]:
    explorer = results.settings["explorer"]
    for name in dict.fromkeys(results.disputed["benchmark"]):
        texts, explored = results.pairs[name], {}
        if name in explorer["benchmarks"]:
            explored = {name: set(shown_pairs(texts, explorer["most"])["pair_id"])}
        table = disputed(
            results.disputed[results.disputed["benchmark"] == name],
            texts.set_index("pair_id"),
            results.captions["disputed"],
            {"models": results.models_in_page, "pairs": explored},
        )
        if table.sheet.rows:
            yield Fold(str(name), (table,))
