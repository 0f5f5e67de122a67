"""Bias scores of sentences that say nothing any more."""

from collections.abc import Iterator

from unmask.measures.registry import title_of
from unmask.pairs import accuracy_charts, sheets
from unmask.pairs.results import Found, Results
from unmask.pairs.verdicts import BEYOND, NO_PREFERENCE, apart
from unmask.report.charts import chart
from unmask.report.sections import Section, folded
from unmask.report.sheets import number, rows_of
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED, SHUFFLED

NAMED = 3
"""So many scores are named."""

ALT = (
    "Bias scores with intervals of sentences as they are written and with their tokens shuffled, against the "
    "line at 50; their numbers are in the table below."
)


def section(found: Found) -> Section:
    results = found.results
    drawn = accuracy_charts.shuffled(results.bias)
    pictures = (chart(results.captions["shuffled_chart"], ALT, drawn),) if drawn else ()
    tables = folded("Bias scores with the tokens shuffled", sheets.shuffled(results))
    return Section("controls", "Controls", tuple(findings(results)), (*pictures, *tables))


def findings(results: Results) -> Iterator[str]:
    """Which scores of trained models are away from 50 though the tokens are shuffled."""
    bias = results.bias
    known = bias[
        (bias["variant"] == SHUFFLED)
        & (bias["grouping"] == OVERALL)
        & (bias["protocol"] == CORRECTED)
        & bias["model"].isin(results.study.trained())
        & bias["low"].notna()
    ]
    if known.empty:
        return
    away = known[(known["low"] > NO_PREFERENCE) | (known["high"] < NO_PREFERENCE)]
    excluding = f"{len(away)} of {len(known)} scores of trained models have an interval without 50"
    if away.empty:
        yield f"With the tokens of each sentence shuffled, {excluding}."
        return
    unshuffled = results.overall().set_index(["model", "benchmark", "measure", "protocol"])["score"]
    furthest = sorted(rows_of(away), key=lambda row: -abs(float(row.score) - NO_PREFERENCE))[:NAMED]
    named = "; ".join(
        f"{title_of(str(row.measure))} of {row.model} on {row.benchmark}, {number(row.score, 0)} of 100 "
        f"({apart(row.low, row.high)}), unshuffled "
        f"{number(unshuffled.get((row.model, row.benchmark, row.measure, row.protocol)), 0)}"
        for row in furthest
    )
    beyond = int((away["verdict"] == BEYOND).sum())
    yield (
        f"With the tokens of each sentence shuffled, {excluding}, furthest {named}. Of these {beyond} "
        f"{'lies' if beyond == 1 else 'lie'} beyond what words alone give. A preference that shuffled "
        "sentences have does not come from what sentences say."
    )
