"""What may be wrong with pairs, and how scores are without these."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.topics import Topic, clear
from unmask.statistics.quality import UNKNOWN_TOKENS, flags
from unmask.statistics.schema import ANY_FLAW, UNEQUAL_TOKENS, UNRATED
from unmask.terms import CORRECTED

TITLES: Mapping[str, str] = {
    "few_votes": "few votes",
    "near_duplicate": "near-duplicate",
    "identical": "identical sentences",
    "unequal_words": "unequal in words",
    "many_words": "many words differ",
    "missing_field": "field missing",
    UNEQUAL_TOKENS: "unequal in tokens",
    UNKNOWN_TOKENS: "unknown tokens",
    ANY_FLAW: "any flaw",
    UNRATED: "not rated",
}
"""What flaws of pairs, and pairs without ratings, are called, in the order in which they are shown."""

COUNTS = Table("quality_counts", ["benchmark", "pairs"], [Column("", "{count}")], across=["what", "label"])
CHANGES = Table(
    "quality",
    ["model", "benchmark", "title", "score:.1f"],
    [Column("", "{without:.1f} (<{change:+.1f}>{mark}: <{low:+.1f} to {high:+.1f}>)")],
    across=["without_pairs", "label"],
    heads={"title": "measure", "score": "all pairs"},
)


def changes(results: PairResults) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left."""
    rows = results.quality
    rows = in_order(rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()], flaw=TITLES)
    return with_marks(rows, results.level).assign(
        title=rows["measure"].map(title_of),
        without_pairs="without",
        label=rows["flaw"].map(TITLES),
    )


def counts(results: PairResults) -> pd.DataFrame:
    """How many pairs of each benchmark have each flaw or were not rated, without what cannot be said."""
    rows = []
    for benchmark, table in results.flaws.items():
        of = flags(table)
        flawed = np.any([flag for name, flag in of.items() if name != UNRATED], axis=0)
        rows += [
            (benchmark, len(table), "no flaw" if name == UNRATED else "pairs with the flaw", name, flag.sum())
            for name, flag in (of | {ANY_FLAW: flawed}).items()
        ]
    frame = pd.DataFrame(rows, columns=["benchmark", "pairs", "what", "flaw", "count"])
    return in_order(frame, flaw=TITLES).assign(label=lambda rows: rows["flaw"].map(TITLES))


def says(results: PairResults) -> Iterator[str]:
    """How many scores of trained models change clearly without flawed pairs."""
    rows = results.study.of_trained(changes(results))
    if len(rows):
        yield clear(rows, "changes of scores without flawed pairs", results.level)


TOPICS = (
    Topic[PairResults]("quality", "Scores without flawed pairs", changes, CHANGES),
    Topic[PairResults]("quality_counts", "How many pairs have each flaw", counts, COUNTS),
)
