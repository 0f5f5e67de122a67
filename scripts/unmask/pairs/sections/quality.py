"""The quality of benchmarks: flaws of their pairs, and what scores are without these."""

from collections.abc import Iterator

import pandas as pd

from unmask.pairs import quality
from unmask.pairs.findings import UNKNOWN_TOKENS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import MODEL_AND_BENCHMARK, TRUST, Block, Fold, Items, Section, chosen, folded

ALT = "Small panels of what a bias score changes by without all flawed pairs. {sentences}"
CHANGES = (
    "Small panels of what a bias score changes by without the pairs of each flaw; the table below has its "
    "numbers."
)


def section(results: PairResults) -> Section:
    texts = sentences(quality.FINDINGS, results)
    return Section("quality", "Data quality", texts, tuple(_blocks(results, " ".join(texts))), group=TRUST)


def _blocks(results: PairResults, text: str) -> Iterator[Block]:
    if cautions := tuple(UNKNOWN_TOKENS.sentences(results)):
        yield Items(cautions, warning=True)
    rows, captions = quality.changes(results), results.captions
    picture = quality.without_any(rows)
    if picture:
        yield chart(captions["quality"], ALT.format(sentences=text), picture)
    counts = quality.counts(results.flaws, captions["quality_counts"])
    yield from folded("How many pairs have each flaw", counts)
    matched = quality.MATCHED.sheet(quality.matched(results), captions["quality_matched"])
    yield from folded("Scores made elsewhere, and what they do not match", matched)
    unknown = quality.UNKNOWN.sheet(results.unknown, captions["quality_unknown"])
    yield from folded("Tokens that tokenizers do not know", unknown)
    if flaw_by_flaw := chosen(MODEL_AND_BENCHMARK, _by_flaw(rows, captions["quality_changes"])):
        yield Fold("Flaw by flaw", flaw_by_flaw)
    yield from folded("Scores without the pairs of each flaw", quality.numbers(results))
    yield results.captions.computed("quality")


def _by_flaw(rows: pd.DataFrame, caption: str) -> Iterator[Fold]:
    for (model, benchmark), part in rows.groupby(["model", "benchmark"], sort=False, observed=True):
        title = f"{model} on {benchmark}"
        if picture := quality.by_flaw(part):
            yield Fold(title, (chart(f"{title}. {caption}", f"{title}. {CHANGES}", picture),))
