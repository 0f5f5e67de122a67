"""Where the measures of a model disagree, and on which pairs."""

from collections.abc import Iterator

from unmask.pairs import comparisons
from unmask.pairs.disagreement import FURTHEST_APART, every_two_measures, heat_map
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
    if len(results.measures_compared):
        yield results.captions.computed("disagreement")


def _heat_maps(results: PairResults, sentence: str) -> Iterator[Fold]:
    rows = every_two_measures(results.measures_compared)
    for name, of_benchmark in rows.groupby("benchmark", sort=False, observed=True):
        caption, alt = f"{name}. {results.captions['disagreement']}", ALT.format(sentence=sentence)
        yield Fold(str(name), (chart(caption, f"{name}. {alt}", heat_map(of_benchmark)),))
