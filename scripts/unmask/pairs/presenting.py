"""What a study shows of sentence pairs: tables, figures, and beyond the answer the topics of the report."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from operator import attrgetter

import numpy as np
import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs import answer, charts, comparisons, every_pair, planted
from unmask.pairs.paper_tables import STEREOSET, by_others
from unmask.pairs.results import FLAW_TITLES, PairResults, several_types
from unmask.pairs.verdicts import MARKS
from unmask.report.declared_tables import Column, Table, in_order, ranged, with_marks
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sections import METHOD, Section
from unmask.report.sheets import Sheet, TableAndSheet, counted, interval, number, rows_of
from unmask.report.wording import many, span
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.quality import flags
from unmask.statistics.ranks import holm
from unmask.statistics.schema import ANY_FLAW, BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL, UNRATED
from unmask.terms import ANTISTEREO, CORRECTED, PUBLISHED, SHUFFLED, STEREO

KEYS = ["model", "benchmark", "measure"]
SHOWN = ["model", "benchmark", "title"]
TITLE = {"title": "measure"}

# bias types

SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "Adv − Dis"}
"""What stereotypes of advantaged and of disadvantaged groups are called, and the difference."""

BIAS_TYPES = Table(
    "groups",
    ["model", "benchmark", "group", "n"],
    [Column("bias score", "<{score:.1f}> (<{low:.1f} to {high:.1f}>){claim}")],
    across=["title"],
    label_first=True,
    heads={"group": "bias type", "n": "pairs"},
)


def bias_types(results: PairResults) -> pd.DataFrame:
    """Bias scores by bias type; over stereotypes of advantaged and of disadvantaged groups (Adv and Dis), and
    the difference of these."""
    rows = several_types(results.corrected(BIAS_TYPE, DIRECTION, DIFFERENCE))
    groups = rows["group"].astype(str).replace(SIDES)
    return rows.assign(claim=rows["verdict"].map(MARKS).fillna(""), group=groups)


def says_of_directions(results: PairResults) -> Iterator[str]:
    """How many differences between advantaged and disadvantaged groups are clear."""
    rows = holm(results.corrected(DIFFERENCE), by=["protocol"])
    rows = results.study.of_trained(rows[rows["measure"].astype(str).map(sees_context).astype(bool)])
    if len(rows):
        yield clear(rows, "differences between advantaged and disadvantaged groups", results.level)


GROUPS = Topic[PairResults](
    "groups",
    "Bias types",
    bias_types,
    BIAS_TYPES,
    lambda rows: charts.bias_types(rows[rows["grouping"] != DIFFERENCE]),
    each=("model", "benchmark"),
    says=says_of_directions,
)


def states(results: PairResults) -> pd.DataFrame:
    """The headline's scores of all states of each series, first ones included."""
    rows = charts.with_reported(results.of_headline(results.corrected(OVERALL)), results)
    parts = [
        rows[rows["model"] == model].assign(series=series, state=state)
        for series, of_series in results.series.items()
        for state, model in of_series.items()
    ]
    whole = pd.concat(parts, ignore_index=True) if parts else rows.iloc[:0].assign(series="", state="")
    return whole.assign(panel=whole["series"] + charts.ON + whole["benchmark"])


STATES = Topic[PairResults](
    "series",
    "One model, many states",
    states,
    chart=charts.states,
    says=partial(comparisons.says, kinds=(comparisons.STATES,)),
    label="States",
)

# shuffled sentences

SHUFFLED_ORDER = Table(
    "controls",
    SHOWN,
    [Column("", "<{score:.2f}> (<{low:.1f} to {high:.1f}>)")],
    across=["variant", "protocol"],
    heads=TITLE,
)


def shuffled(results: PairResults) -> pd.DataFrame:
    """Bias scores of sentences with their tokens shuffled, beside those of the original order."""
    rows = results.bias[results.bias["grouping"] == OVERALL]
    rows = rows[rows["measure"].isin(rows.loc[rows["variant"] == SHUFFLED, "measure"])]
    return rows.assign(title=rows["measure"].map(title_of))


def says_of_controls(results: PairResults) -> Iterator[str]:
    """How many scores of trained models are off 50 though the tokens are shuffled."""
    rows = results.study.of_trained(results.corrected(OVERALL, variant=SHUFFLED))
    rows = rows[rows["low"].notna()]
    if len(rows):
        off = int((rows["low"].gt(NO_PREFERENCE) | rows["high"].lt(NO_PREFERENCE)).sum())
        by_chance = float((1 - rows["confidence"]).sum())
        yield (
            f"With the tokens of each sentence shuffled, {off or 'none'} of {counted(len(rows), 'score')} "
            f"{many(off or 1, 'has', 'have')} an interval that excludes 50 (about {by_chance:.1f} by chance)."
        )


# the language model score

BY_TARGET = {"LMS by target": "lms", "SS by target": "score", "ICAT by target": "icat"}
"""The quantities that StereoSet's authors print as means over targets, and the columns of ours."""

_BY_PAIR, _BY_TARGET, _THEIRS = "of all pairs", "mean over targets", "printed, mean over targets"
_NAMES = (("LMS", "lms"), ("SS", "score"), ("ICAT", "icat"))

LMS = Table(
    "lms",
    [*SHOWN, "group"],
    [
        Column("LMS", ranged("lms", "low", "high", ".1f"), _BY_PAIR),
        Column("SS", "{score:.1f}", _BY_PAIR),
        Column("ICAT", ranged("icat", "icat_low", "icat_high", ".1f"), _BY_PAIR),
        *(Column(label, f"{{{name}_by_target:.1f}}", _BY_TARGET) for label, name in _NAMES),
        *(Column(label, f"{{{name}_printed:.1f}}", _THEIRS) for label, name in _NAMES),
    ],
    heads=TITLE,
)


def lms(results: PairResults) -> pd.DataFrame:
    """LMS, SS and ICAT over all pairs and by bias type: of pairs in protocol corrected, and averaged over
    targets as the authors' code has it, beside what they print."""
    keys, by_target = [*KEYS, "group"], [f"{name}_by_target" for name in BY_TARGET.values()]
    rows = results.lms[results.lms["grouping"].isin((OVERALL, BIAS_TYPE))]
    theirs = rows.loc[rows["protocol"] == PUBLISHED, [*keys, *by_target]]
    ours = rows[rows["protocol"] == CORRECTED].drop(columns=by_target)
    printed = results.published[results.published["source"] == STEREOSET]
    names = printed["quantity"].map(BY_TARGET) + "_printed"
    wide = results.of_study(printed.assign(name=names)).pivot(index=keys, columns="name", values="value")
    wide = wide.reindex(columns=[f"{name}_printed" for name in BY_TARGET.values()]).reset_index()
    for other in (theirs, wide):
        ours = ours.merge(other, how="left", on=keys, validate="one_to_one")
    return ours.assign(title=ours["measure"].map(title_of))


def lms_sheet(results: PairResults, rows: pd.DataFrame) -> Sheet:
    """The table, without groups of columns in which nothing is known."""
    endings = {_BY_TARGET: "_by_target", _THEIRS: "_printed"}
    empty = (group for group, end in endings.items() if rows.filter(like=end).isna().all(axis=None))
    return LMS.without(*empty).sheet(rows, results.captions["lms"])


# flaws of pairs

COUNTS = Table("quality_counts", ["benchmark", "pairs"], [Column("", "{count}")], across=["what", "label"])
CHANGES = Table(
    "quality",
    [*SHOWN, "score:.1f"],
    [Column("", "{without:.1f} (<{change:+.1f}>{mark}: <{low:+.1f} to {high:+.1f}>)")],
    across=["without_pairs", "label"],
    heads={**TITLE, "score": "all pairs"},
)


def changes(results: PairResults) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left."""
    rows = results.quality
    rows = in_order(rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()], flaw=FLAW_TITLES)
    return with_marks(rows, results.level).assign(
        title=rows["measure"].map(title_of),
        without_pairs="without",
        label=rows["flaw"].map(FLAW_TITLES),
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
    return in_order(frame, flaw=FLAW_TITLES).assign(label=lambda rows: rows["flaw"].map(FLAW_TITLES))


def says_of_changes(results: PairResults) -> Iterator[str]:
    """How many scores of trained models change clearly without flawed pairs."""
    rows = results.study.of_trained(changes(results))
    if len(rows):
        yield clear(rows, "changes of scores without flawed pairs", results.level)


# human raters

CHANCE = 0.5
"""The area under the ROC curve of scores that know nothing of the ratings."""


def areas(results: PairResults) -> pd.DataFrame:
    """The areas under ROC curves, protocol published as in the paper, without controls; the pairs of a world
    nobody rated."""
    rows = results.agreement[results.agreement["protocol"] == PUBLISHED]
    rated = [each.name for each in results.study.benchmarks if each.world is None]
    sees = rows["measure"].astype(str).map(sees_context).astype(bool)
    return rows[sees & rows["auc"].notna() & rows["benchmark"].isin(rated)]


def says_of_areas(results: PairResults) -> Iterator[str]:
    """How large the areas of trained models are, and how many intervals exclude chance."""
    rows = results.study.of_trained(areas(results))
    if len(rows):
        known = rows[rows["low"].notna()]
        off = int((known["low"].gt(CHANCE) | known["high"].lt(CHANCE)).sum())
        yield f"{off} of {len(known)} areas under the ROC curve have intervals that exclude chance (0.5)."
        yield (
            "Given one pair that raters call biased and one they do not, models rank the first higher with "
            f"probability {span(rows['auc'].min(), rows['auc'].max())}."
        )


def curves(results: PairResults) -> pd.DataFrame:
    """The points of the ROC curves of `areas`, with the title of each curve."""
    rows = areas(results)
    titles = [
        f"{title_of(row.measure)}: area {number(row.auc)}"
        + (f" ({interval(row.low, row.high, 2)})" if pd.notna(row.low) else "")
        for row in rows_of(rows)
    ]
    points = results.roc[results.roc["protocol"] == PUBLISHED]
    return (
        rows[KEYS].assign(title=titles).merge(points[[*KEYS, charts.FALSE_RATE, charts.TRUE_RATE]], on=KEYS)
    )


# printed values

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

CLOSE = 1
"""A value that differs by no more percentage points is close to the printed one."""


def peers(results: PairResults) -> pd.DataFrame:
    """Bias scores that others report beside ours, protocol published."""
    reported = results.of_study(by_others(results.published)).rename(columns={"preferred": "count"})
    scores = results.original[results.original["protocol"] == PUBLISHED]
    scores = scores[[*KEYS, "group", "score", "stereotype"]].drop_duplicates([*KEYS, "group"], keep="last")
    rows = reported.merge(scores, how="left", on=[*KEYS, "group"], validate="m:1")
    rows = rows.astype({"percent": float, "score": float, "count": "Int64", "stereotype": "Int64"})
    return rows.assign(difference=rows["score"] - rows["percent"], title=rows["measure"].map(title_of))


def _of_paper(name: str, title: str) -> Topic[PairResults]:
    """A table of the paper, where it prints a value of what the study measures."""

    def rows(results: PairResults) -> pd.DataFrame:
        table = results.paper_tables[name]
        return table if table["published"].notna().any() else table.iloc[:0]

    return Topic(name, title, rows, lambda results, rows: results.paper_sheet(name))


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
    for says in (says_of_controls, says_of_changes, comparisons.says, says_of_areas, says_of_paper):
        yield from islice(says(results), 1)


TRUST = Topic[PairResults](
    "trust",
    "How far to trust it",
    says=says_of_trust,
    more=(
        Topic("controls", "Control sentences: words shuffled", shuffled, SHUFFLED_ORDER),
        Topic("lms", "Language model score and ICAT", lms, lms_sheet),
        Topic("quality", "Scores without flawed pairs", changes, CHANGES),
        Topic("quality_counts", "How many pairs have each flaw", counts, COUNTS),
        Topic(
            "comparison",
            "Measures, models, versions and states compared",
            comparisons.shown,
            comparisons.COMPARED,
            comparisons.chart,
            each=("kind", "benchmark"),
            says=comparisons.says,
        ),
        Topic(
            "agreement",
            "Figure 1 of the paper: agreement with human raters",
            curves,
            chart=charts.figure1,
            each=("model", "benchmark"),
            says=says_of_areas,
            file="figure1",
        ),
        _of_paper("table1", "Table 1 of the paper: token accuracy"),
        _of_paper("table3", "Table 3 of the paper: advantaged and disadvantaged groups"),
        _of_paper("table4", "Table 4 of the paper: shuffled and unrelated sentences"),
        _of_paper("table5", "Table 5 of the paper: bias scores"),
        Topic("peers", "Values that others report", peers, PEERS),
    ),
)

# all of it

TIDY = ("bias", "leverage", "accuracy", "tests", "agreement", "quality", "lms")
"""The tables of the whole study that are written as they are, as CSV alone."""

OF_PAPER = ("table1", "table3", "table4", "table5")
"""The tables of the paper, in every form."""

FEWEST = 30
"""Pairs that the largest benchmark has at least; of fewer there are the answer and the pairs alone."""


def _printed(name: str, results: PairResults) -> TableAndSheet:
    return results.paper_tables[name], results.paper_sheet(name)


def _shows(results: PairResults, section: Section) -> bool:
    enough = max(map(len, results.pairs.values()), default=0) >= FEWEST
    return enough or section.name in ("answer", "pairs", METHOD)


PRESENTS = Presentation(
    PairResults,
    (answer.section, GROUPS, STATES, planted.PLANTED, every_pair.section, TRUST, answer.method),
    {
        **{name: attrgetter(name) for name in TIDY},
        **{name: partial(_printed, name) for name in OF_PAPER},
        "compared": comparisons.compared,
        "planted": lambda results: results.judgements,
    },
    {
        "bias": (
            lambda results: charts.overview(charts.with_reported(answer.judged(results), results)),
            "overview_chart",
        ),
    },
    _shows,
)
