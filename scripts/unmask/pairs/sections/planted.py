"""Did the measures find what was planted?"""

from collections.abc import Iterator

from unmask.pairs import judgement_charts
from unmask.pairs.judgement_findings import CAUSES, FINDINGS, INVENTED
from unmask.pairs.judgement_tables import judgements
from unmask.pairs.judging import MEANINGS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import BENCHMARK, Block, Fold, Items, Section, Table, Text, chosen, folded
from unmask.worlds.truth import planted_sheets

ALT = "Bias scores by what was planted, a panel for each measure, against those of the exact model."


def section(results: PairResults) -> Section:
    said = sentences(FINDINGS, results)
    blocks = tuple(_blocks(results, said))
    heading = "Did the measures find what was planted?"
    title, rest = "", said
    if all(benchmark.world is not None for benchmark in results.study.benchmarks):
        # of such a study this is the answer, which the page's heading says
        title, rest = " ".join(said[:1]), (*INVENTED.sentences(results), *said[1:])
    closing = (*INVENTED.sentences(results), *said[:2])
    return Section("planted", heading, rest, blocks, None, title, closing, label="What was planted")


def _blocks(results: PairResults, said: tuple[str, ...]) -> Iterator[Block]:
    if pictures := chosen(BENCHMARK, _pictures(results, " ".join([ALT, *said]))):
        yield from pictures
        yield from map(Text, sentences(CAUSES, results))
        yield Fold("What each judgement means", (Items(tuple(MEANINGS.values())),))
    yield from folded("Every judgement, in numbers", judgements(results)[1])
    if levels := tuple(map(Table, planted_sheets(results.study, results.levels, results.captions["levels"]))):
        yield Fold("Scores and margins at every level of what was planted", levels)


def _pictures(results: PairResults, alternative: str) -> Iterator[Fold]:
    caption = results.captions["planted_chart"]
    for benchmark in results.judgements["benchmark"].unique():
        if picture := judgement_charts.judgements(results, benchmark):
            yield Fold(benchmark, (chart(f"{benchmark}. {caption}", alternative, picture),))
