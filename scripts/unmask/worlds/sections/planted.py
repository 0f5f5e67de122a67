"""Did the measures find what was planted?"""

from collections.abc import Iterator

from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, Table, folded
from unmask.worlds import charts
from unmask.worlds.findings import FINDINGS
from unmask.worlds.judging import MEANINGS
from unmask.worlds.results import WorldResults
from unmask.worlds.tables import judgements
from unmask.worlds.truth import planted_sheets

ALT = "Bias scores by what was planted, a panel for each measure, against the exact model's."


def section(results: WorldResults) -> Section:
    said = sentences(FINDINGS, results)
    blocks = tuple(_blocks(results, said))
    return Section("planted", "Did the measures find what was planted?", said, blocks, closing=said[:2])


def _blocks(results: WorldResults, said: tuple[str, ...]) -> Iterator[Block]:
    caption = results.captions["judgements_chart"]
    for place, benchmark in enumerate(results.judgements["benchmark"].unique()):
        if picture := charts.judgements(results, benchmark):
            block = chart(f"{benchmark}. {caption}", " ".join([ALT, *said]), picture)
            if place == 0:
                yield from (block, Items(tuple(MEANINGS.values())))
            else:
                yield Fold(f"The same on {benchmark}", (block,))
    yield from folded("Every judgement, in numbers", judgements(results)[1])
    if levels := tuple(
        map(Table, planted_sheets(results.study, results.levels, results.captions["planted"]))
    ):
        yield Fold("Scores and margins at every level of what was planted", levels)
