"""The quality of benchmarks: flaws of their pairs, and what scores are without these."""

from collections.abc import Iterator, Mapping

import pandas as pd

from unmask.pairs import quality
from unmask.pairs.results import Found, Results
from unmask.pairs.unknown import unknown_cautions, unknown_sheet
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Items, Section, folded

ALT = "Small panels of what a bias score changes by without all flawed pairs. {told}"
CHANGES = (
    "Small panels of what a bias score changes by without the pairs of each flaw; the table below has its "
    "numbers."
)


def section(found: Found) -> Section:
    results, flaws = found.results, found.flaws
    told = tuple(quality.found(results, flaws))
    return Section("quality", "Data quality", told, tuple(_blocks(results, flaws, " ".join(told))))


def _blocks(results: Results, flaws: Mapping[str, pd.DataFrame], told: str) -> Iterator[Block]:
    if cautions := tuple(unknown_cautions(results.unknown)):
        yield Items(cautions, warning=True)
    rows = quality.changes(results)
    drawn = quality.without_any(rows)
    if drawn:
        yield chart(results.captions["quality"], ALT.format(told=told), drawn)
    yield from folded(
        "How many pairs have each flaw", quality.counts(flaws, results.captions["quality_counts"])
    )
    if len(results.unknown):
        caption = results.captions["quality_unknown"]
        yield from folded("Tokens that tokenizers do not know", unknown_sheet(results.unknown, caption))
    for (model, benchmark), part in rows.groupby(["model", "benchmark"], sort=False, observed=True):
        title = f"{model} on {benchmark}"
        if drawn := quality.by_flaw(part):
            picture = chart(f"{title}. {results.captions['quality_changes']}", f"{title}. {CHANGES}", drawn)
            yield Fold(f"Flaw by flaw: {title}", (picture,))
    yield from folded("Scores without the pairs of each flaw", quality.numbers(results))
