"""What the report shows of sentence pairs beyond the answer, topic by topic."""

from collections.abc import Iterator
from functools import partial
from itertools import islice

import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs import agreement, charts, comparisons, lms, quality
from unmask.pairs.published import by_others
from unmask.pairs.results import PairResults, several_types
from unmask.pairs.verdicts import MARKS
from unmask.report.declared_tables import Column, Table
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sheets import counted
from unmask.report.topics import Topic, clear
from unmask.report.wording import many
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.ranks import holm
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, PUBLISHED, SHUFFLED, STEREO

KEYS = ["model", "benchmark", "measure"]
SHOWN = ["model", "benchmark", "title"]
TITLE = {"title": "measure"}

SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "Adv − Dis"}
"""What stereotypes of advantaged and of disadvantaged groups are called, and the difference."""

CLOSE = 1
"""A value that differs by no more percentage points is close to the printed one."""

BIAS_TYPES = Table(
    "groups",
    [*SHOWN[:2], "group", "n"],
    [Column("bias score", "<{score:.1f}> (<{low:.1f} to {high:.1f}>){claim}")],
    across=["title"],
    label_first=True,
    heads={"group": "bias type", "n": "pairs"},
)
SHUFFLED_ORDER = Table(
    "controls",
    SHOWN,
    [Column("", "<{score:.2f}> (<{low:.1f} to {high:.1f}>)")],
    across=["variant", "protocol"],
    heads=TITLE,
)
PEERS = Table(
    "peers",
    [*SHOWN, "group", "source"],
    [
        Column("theirs", "{percent:.2f}", "bias score (%)"),
        Column("ours", "{score:.2f}", "bias score (%)"),
        Column("difference", "{difference:+.2f}", "bias score (%)"),
        Column("theirs", "{count}", "stereotypical pairs"),
        Column("ours", "{stereotype}", "stereotypical pairs"),
    ],
    heads={**TITLE, "source": "reported by"},
)


def _titled(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(title=rows["measure"].map(title_of))


def _corrected(rows: pd.DataFrame, *groupings: str) -> pd.DataFrame:
    """The scores of some groupings, protocol corrected."""
    chosen = (rows["protocol"] == CORRECTED) & rows["grouping"].isin(groupings) & rows["score"].notna()
    return _titled(rows[chosen])


def bias_types(results: PairResults) -> pd.DataFrame:
    """Bias scores by bias type; over stereotypes of advantaged and of disadvantaged groups (Adv and Dis), and
    the difference of these."""
    rows = several_types(_corrected(results.original, BIAS_TYPE, DIRECTION, DIFFERENCE))
    groups = rows["group"].astype(str).replace(SIDES)
    return rows.assign(claim=rows["verdict"].map(MARKS).fillna(""), group=groups)


def says_of_directions(results: PairResults) -> Iterator[str]:
    """How many differences between advantaged and disadvantaged groups are clear."""
    rows = holm(_corrected(results.original, DIFFERENCE), by=["protocol"])
    rows = results.study.of_trained(rows[rows["measure"].astype(str).map(sees_context).astype(bool)])
    if len(rows):
        yield clear(rows, "differences between advantaged and disadvantaged groups", results.level)


def shuffled(results: PairResults) -> pd.DataFrame:
    """Bias scores of sentences with their tokens shuffled, beside those of the original order."""
    rows = results.bias[results.bias["grouping"] == OVERALL]
    return _titled(rows[rows["measure"].isin(rows.loc[rows["variant"] == SHUFFLED, "measure"])])


def says_of_controls(results: PairResults) -> Iterator[str]:
    """How many scores of trained models are off 50 though the tokens are shuffled."""
    rows = results.study.of_trained(_corrected(shuffled(results), OVERALL))
    rows = rows[(rows["variant"] == SHUFFLED) & rows["low"].notna()]
    if len(rows):
        off = int((rows["low"].gt(NO_PREFERENCE) | rows["high"].lt(NO_PREFERENCE)).sum())
        by_chance = float((1 - rows["confidence"]).sum())
        yield (
            f"With the tokens of each sentence shuffled, {off or 'none'} of {counted(len(rows), 'score')} "
            f"{many(off or 1, 'has', 'have')} an interval that excludes 50 (about {by_chance:.1f} by chance)."
        )


def peers(results: PairResults) -> pd.DataFrame:
    """Bias scores that others report beside ours, protocol published."""
    reported = results.of_study(by_others(results.published)).rename(columns={"preferred": "count"})
    scores = results.original[results.original["protocol"] == PUBLISHED]
    scores = scores[[*KEYS, "group", "score", "stereotype"]].drop_duplicates([*KEYS, "group"], keep="last")
    rows = reported.merge(scores, how="left", on=[*KEYS, "group"], validate="m:1")
    rows = rows.astype({"percent": float, "score": float, "count": "Int64", "stereotype": "Int64"})
    return _titled(rows.assign(difference=rows["score"] - rows["percent"]))


def states(results: PairResults) -> pd.DataFrame:
    """The headline's scores of all states of each series, first ones included."""
    rows = results.of_headline(_corrected(results.original, OVERALL))
    rows = charts.with_reported(rows, results)
    parts = [
        rows[rows["model"].astype(str) == model].assign(series=series, state=state)
        for series, of_series in results.series.items()
        for state, model in of_series.items()
    ]
    whole = pd.concat(parts, ignore_index=True) if parts else rows.iloc[:0].assign(series="", state="")
    return whole.assign(panel=whole["series"] + charts.ON + whole["benchmark"].astype(str))


def _of_paper(name: str, title: str) -> Topic[PairResults]:
    """A table of the paper, where it prints a value of what the study measures."""

    def rows(results: PairResults) -> pd.DataFrame:
        table = results.paper_tables[name]
        return table if table["published"].notna().any() else table.iloc[:0]

    return Topic(name, title, rows, lambda results, rows: results.paper_sheets()[name])


def says_of_paper(results: PairResults) -> Iterator[str]:
    """How many of the paper's values are close to ours under the protocol published, and the furthest."""
    off = pd.concat([rows["difference"] for rows in results.paper_tables.values()]).dropna().abs()
    if len(off):
        close = int((off <= CLOSE).sum())
        yield (
            f"{close} of {counted(len(off), 'value')} printed by {UNMASKING_THE_MASK} "
            f"{many(close, 'is', 'are')} within {counted(CLOSE, 'percentage point')} of ours; the largest "
            f"difference is {off.max():.1f}."
        )


def says_of_trust(results: PairResults) -> Iterator[str]:
    """What controls, flaws of pairs, other measures, people's ratings and printed values say of the
    scores."""
    several = (
        *(says_of_controls, quality.says, comparisons.says, agreement.says),
        says_of_paper,
    )
    for says in several:
        yield from islice(says(results), 1)


GROUPS = Topic[PairResults](
    "groups",
    "Bias types",
    bias_types,
    BIAS_TYPES,
    lambda rows: charts.bias_types(rows[rows["grouping"] != DIFFERENCE]),
    each=("model", "benchmark"),
    says=says_of_directions,
)
STATES = Topic[PairResults](
    "series",
    "One model, many states",
    states,
    chart=charts.states,
    says=partial(comparisons.says, kinds=(comparisons.STATES,)),
    label="States",
)
TRUST = Topic[PairResults](
    "trust",
    "How far to trust it",
    says=says_of_trust,
    more=(
        Topic(
            "controls",
            "Control sentences: words shuffled",
            shuffled,
            SHUFFLED_ORDER,
        ),
        Topic("lms", "Language model score and ICAT", lms.rows, lms.sheet, says=lms.says),
        *quality.TOPICS,
        Topic(
            "comparison",
            "Measures, models, versions and states compared",
            comparisons.shown,
            comparisons.COMPARED,
            comparisons.chart,
            each=("kind", "benchmark"),
            says=comparisons.says,
        ),
        agreement.AGREEMENT,
        _of_paper("table1", "Table 1 of the paper: token accuracy"),
        _of_paper("table3", "Table 3 of the paper: advantaged and disadvantaged groups"),
        _of_paper("table4", "Table 4 of the paper: shuffled and unrelated sentences"),
        _of_paper("table5", "Table 5 of the paper: bias scores"),
        Topic("peers", "Values that others report", peers, PEERS),
    ),
)
