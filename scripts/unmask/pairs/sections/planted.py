"""Did the measures find what was planted?"""

from collections.abc import Iterator

from unmask.pairs import judgement_charts
from unmask.pairs.judgement_findings import FINDINGS
from unmask.pairs.judgement_tables import judgements
from unmask.pairs.judging import MEANINGS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, Table, folded
from unmask.worlds.truth import planted_sheets

ALT = "Bias scores by what was planted, a panel for each measure, against the exact model's."


def section(results: PairResults) -> Section:
    said = sentences(FINDINGS, results)
    blocks = tuple(_blocks(results, said))
    return Section("planted", "Did the measures find what was planted?", said, blocks, closing=said[:2])


def _blocks(results: PairResults, said: tuple[str, ...]) -> Iterator[Block]:
    caption = results.captions["planted_chart"]
    for place, benchmark in enumerate(results.judgements["benchmark"].unique()):
        if picture := judgement_charts.judgements(results, benchmark):
            block = chart(f"{benchmark}. {caption}", " ".join([ALT, *said]), picture)
            if place == 0:
                yield from (block, Items(tuple(MEANINGS.values())))
            else:
                yield Fold(f"The same on {benchmark}", (block,))
    yield from folded("Every judgement, in numbers", judgements(results)[1])
    if levels := tuple(map(Table, planted_sheets(results.study, results.levels, results.captions["levels"]))):
        yield Fold("Scores and margins at every level of what was planted", levels)
