"""What a reader of the headline alone should be wary of, for a terminal."""

from collections.abc import Iterator

from unmask.pairs.results import Results
from unmask.pairs.summary import FEW, by_chance
from unmask.report.sheets import rows_of
from unmask.report.study import ORACLE, UNTRAINED
from unmask.terms import CORRECTED


def in_brief(results: Results) -> Iterator[str]:
    """The cautions of the overview in few words. Nothing where nothing has a score."""
    overall = results.overall()
    scores = overall[(overall["protocol"] == CORRECTED) & overall["score"].notna()]
    if scores.empty:
        return
    yield (
        "! does not mean biased, nor its absence unbiased. Each score is judged by itself: about "
        f"{by_chance(results)} in 100 intervals exclude 50 even where there is no preference."
    )
    sizes = scores.drop_duplicates("benchmark")
    few = [f"{row.benchmark} ({row.n})" for row in rows_of(sizes) if row.n < FEW]
    if few:
        yield f"Too few pairs to say much: {', '.join(few)}."
    untrained, oracles = results.study.of_source(UNTRAINED), results.study.of_source(ORACLE)
    if untrained:
        yield f"Never trained, so what they prefer is chance: {', '.join(untrained)}."
    if oracles:
        yield f"Exact answers of a synthetic world, and no network: {', '.join(oracles)}."
