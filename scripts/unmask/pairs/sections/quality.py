"""The quality of benchmarks: flaws of their pairs, and what scores are without these."""

from collections.abc import Iterator

from unmask.pairs import quality
from unmask.pairs.findings import UNKNOWN_TOKENS
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import Block, Fold, Items, Section, folded

ALT = "Small panels of what a bias score changes by without all flawed pairs. {sentences}"
CHANGES = (
    "Small panels of what a bias score changes by without the pairs of each flaw; the table below has its "
    "numbers."
)


def section(results: PairResults) -> Section:
    texts = sentences(quality.FINDINGS, results)
    return Section("quality", "Data quality", texts, tuple(_blocks(results, " ".join(texts))))


def _blocks(results: PairResults, text: str) -> Iterator[Block]:
    if cautions := tuple(UNKNOWN_TOKENS.sentences(results)):
        yield Items(cautions, warning=True)
    rows, captions = quality.changes(results), results.captions
    picture = quality.without_any(rows)
    if picture:
        yield chart(captions["quality"], ALT.format(sentences=text), picture)
    counts = quality.counts(results.flaws, captions["quality_counts"])
    yield from folded("How many pairs have each flaw", counts)
    unknown = quality.UNKNOWN.sheet(results.unknown, captions["quality_unknown"])
    yield from folded("Tokens that tokenizers do not know", unknown)
    for (model, benchmark), part in rows.groupby(["model", "benchmark"], sort=False, observed=True):
        title = f"{model} on {benchmark}"
        if picture := quality.by_flaw(part):
            block = chart(f"{title}. {captions['quality_changes']}", f"{title}. {CHANGES}", picture)
            yield Fold(f"Flaw by flaw: {title}", (block,))
    yield from folded("Scores without the pairs of each flaw", quality.numbers(results))
    yield results.captions.computed("quality")
