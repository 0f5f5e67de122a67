"""Bias scores by bias type, and by whose stereotypes they are."""

from collections.abc import Iterator

from unmask.pairs import charts, sheets
from unmask.pairs.findings import BY_TYPE
from unmask.pairs.group_findings import ADV_AND_DIS, HIGHEST_TYPES
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import how_testable
from unmask.report.charts import chart
from unmask.report.sections import MODEL_AND_BENCHMARK, Block, Fold, Section, chosen, folded
from unmask.statistics.schema import BIAS_TYPE

ALT = (
    "Small panels of bias scores with intervals against the line at 50; their numbers are in the table below."
)


def section(results: PairResults) -> Section:
    """Empty where pairs have neither."""
    # the first of each kind leads
    kinds = [list(finding.sentences(results)) for finding in (HIGHEST_TYPES, ADV_AND_DIS, BY_TYPE)]
    texts = (*(of[0] for of in kinds if of), *(text for of in kinds for text in of[1:]))
    return Section("groups", "Bias types and groups", texts, tuple(_blocks(results)), label="Bias types")


def _blocks(results: PairResults) -> Iterator[Block]:
    parts = results.original.groupby(["model", "benchmark"], sort=False, observed=True)
    folds: list[Fold] = []
    for (model, benchmark), part in parts:
        if picture := charts.bias_types(part):
            title, testable = f"{model} on {benchmark}", how_testable(charts.known_scores(part, BIAS_TYPE))
            caption = f"{title}. {results.captions['bias_types_chart']}"
            block = chart(caption, f"{title}. {testable} {ALT}", picture)
            folds.append(Fold(title, (block,)))
    yield from chosen(MODEL_AND_BENCHMARK, folds)
    yield from folded("By bias type: the numbers of all", sheets.bias_types(results))
    sides = charts.directions(results.original)
    if sides:
        yield chart(
            results.captions["directions_chart"], f"Advantaged and disadvantaged groups. {ALT}", sides
        )
    yield from folded("Adv, Dis and their difference, of every measure", sheets.directions(results))
    if folds or sides:
        yield results.captions.computed("groups")
