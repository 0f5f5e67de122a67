"""What may be wrong with pairs, and how scores are without these."""

from collections.abc import Iterator, Mapping

import altair as alt
import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.forms import Axis, Grid, Kinds, forest
from unmask.report.panels import columns_of
from unmask.report.sheets import DASH, Sheet
from unmask.report.topics import Topic, clear
from unmask.statistics.quality import UNKNOWN_TOKENS, flags
from unmask.statistics.schema import ANY_FLAW, PAIR_FLAWS, UNEQUAL_TOKENS, UNRATED
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

NO_CLEAR, CLEAR = "no clear change", "clear change"
CLAIMS = (NO_CLEAR, CLEAR)
"""What may be claimed of a change: clear is one below the level after Holm's correction."""

UNKNOWN = Table(
    "quality_unknown",
    ["model", "benchmark"],
    [
        Column("tokens", "{tokens}"),
        Column("unknown", "{unknown}"),
        Column("percent", "{share:.2f}"),
    ],
)
MATCHED = Table(
    "quality_matched",
    ["model", "benchmark"],
    [
        Column("matched by", "{by}"),
        Column("rows", "{rows}"),
        Column("repeated", "{repeated}"),
        Column("of no pair", "{rows_without_pair}"),
        Column("their places", "{places}"),
        Column("pairs", "{pairs}"),
        Column("without a score", "{pairs_without_score}"),
        Column("their names", "{names}"),
    ],
)
CHANGES = Table(
    "quality",
    ["model", "benchmark", "title", "score:.1f"],
    [Column("", "{without:.1f} (<{change:+.1f}>{mark}: <{low:+.1f} to {high:+.1f}>)")],
    across=["without_pairs", "label"],
    heads={"title": "measure", "score": "all pairs"},
)


def matched(results: PairResults) -> pd.DataFrame:
    """PairResults.matched with the first unmatched rows and pairs as text."""
    rows = results.matched
    places, names = (rows[column].map("; ".join) for column in ("named_rows", "named_pairs"))
    return rows.assign(places=places, names=names).replace("", None)


def changes(results: PairResults) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left, with claim (one of CLAIMS)."""
    rows = results.quality
    rows = in_order(rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()], flaw=TITLES)
    return with_marks(rows, results.level).assign(
        title=rows["measure"].map(title_of),
        without_pairs="without",
        label=rows["flaw"].map(TITLES),
        claim=pd.Series(NO_CLEAR, rows.index).mask(rows["p_holm"] < results.level, CLEAR),
    )


def without_any(rows: pd.DataFrame) -> alt.FacetChart | None:
    """What leaving out all pairs that have a flaw changes of scores, in points: a panel for each model and
    benchmark. None where no pair has a flaw.

    rows: of `changes`.
    """
    rows = rows[rows["flaw"] == ANY_FLAW]
    frame = columns_of(
        rows,
        *("change", "low", "high", "score", "without", "claim"),
        panel=rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str),
        measure="title",
        chance_low=-2 * rows["random_sd"],
        chance_high=2 * rows["random_sd"],
        left_out="flawed",
        pairs="n",
    )
    # as far to either side
    most = (
        frame[["change", "low", "high", "chance_low", "chance_high"]].abs().max().max() if len(frame) else 0
    )
    most = max(2.0, float(most))
    return forest(
        frame,
        Axis("change, points of the score", line=0, span=(-most, most), format="+~g"),
        name="measure",
        value="change",
        kinds=Kinds("claim", "the change", CLAIMS, claimed=True),
        broad=("chance_low", "chance_high"),
        grid=Grid(max(1, rows["benchmark"].nunique())),
    )


def flaws(results: PairResults) -> pd.DataFrame:
    """The flaws of all pairs, with the column benchmark first."""
    parts = [table.assign(benchmark=name) for name, table in results.flaws.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"benchmark": []})


def counts(results: PairResults, rows: pd.DataFrame) -> Sheet:
    """How many pairs of each benchmark have each flaw. rows: of `flaws`."""
    names = (*PAIR_FLAWS, ANY_FLAW, UNRATED)
    lines = []
    for benchmark, table in results.flaws.items():
        of = {name: int(flag.sum()) for name, flag in flags(table).items()} | {ANY_FLAW: len(flawed(table))}
        lines.append((benchmark, str(len(table)), *(str(of.get(name, DASH)) for name in names)))
    columns = (("", "pairs"), *(("pairs with the flaw", TITLES[name]) for name in names[:-1]))
    columns = (*columns, ("no flaw", TITLES[UNRATED]))
    return Sheet(results.captions["quality_counts"], ("benchmark",), columns, tuple(lines))


def flawed(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of FLAWS with a flaw."""
    return table[pd.DataFrame(flags(table, PAIR_FLAWS), index=table.index).any(axis=1)]


def says(results: PairResults) -> Iterator[str]:
    """How many scores of trained models change clearly without flawed pairs."""
    rows = results.study.of_trained(changes(results))
    if len(rows):
        yield clear(rows, "changes of scores without flawed pairs", results.level)


TOPICS = (
    Topic[PairResults]("quality", "Scores without flawed pairs", changes, CHANGES, without_any),
    Topic[PairResults]("quality_counts", "How many pairs have each flaw", flaws, counts),
    Topic[PairResults](
        "quality_matched", "Scores made elsewhere, and what they do not match", matched, MATCHED
    ),
    Topic[PairResults](
        "quality_unknown", "Tokens that tokenizers do not know", lambda results: results.unknown, UNKNOWN
    ),
)
