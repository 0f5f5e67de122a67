"""What others print, for the models and benchmarks of a study: Tables 1, 3, 4 and 5 and Figure 1 of Kaneko &
Bollegala 2022, StereoSet's language model score, and scores of others (resources/pairs/published.csv).

A table of the paper is a list of cells: what a column has, of which measure, and under which name the paper
prints it. Its frame has one row per number (COLUMNS).
"""

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs.charts import FALSE_RATE, TRUE_RATE
from unmask.pairs.results import COUNT, PairResults
from unmask.report.presenting import Topic
from unmask.report.study_results import UNMASKING_THE_MASK
from unmask.report.tables import (
    Column,
    Sheet,
    Table,
    TableAndSheet,
    in_order,
    rows_of,
    with_marks,
)
from unmask.report.wording import DAGGER, UNTESTABLE, counted, interval, many, number, span
from unmask.statistics.accuracy import (
    BETWEEN_MEASURES,
    CLUSTERED,
    PAIR,
    SHUFFLED_ORDER,
    TOKEN,
    UNRELATED_WORD,
)
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import (
    ALL_TOKENS,
    ANTISTEREO,
    CANDIDATES,
    CORRECTED,
    DIRECTIONS,
    MODIFIED_TOKENS,
    ORIGINAL,
    PROTOCOLS,
    PUBLISHED,
    SHARED_TOKENS,
    SHUFFLED,
    STEREO,
    UNRELATED,
)

KEYS, GROUP = ["model", "benchmark", "measure"], ["grouping", "group"]
_NUMBERS = ("value", "low", "high", "n", "published", "difference", "p", "p_holm")
_MARKS = ("mark", "published_mark")
COLUMNS = ("model", "benchmark", "column", "row", "measure", *_NUMBERS, *_MARKS)
"""value, low, high in percent (a drop or difference in percentage points); published: the paper's value, and
difference: ours minus the paper's; p: raw, p_holm: corrected; mark: † for p_holm < LEVEL, * for p alone, or
UNTESTABLE (in `published` † for p < LEVEL); published_mark: the paper's own, where it is known.

Rows are protocols. An accuracy is the same in both, its test is not: `published` takes tokens as independent
and corrects nothing, as the paper does; `corrected` clusters them, with Holm's correction."""

LAYOUT = Table(
    "paper",
    ["model", "row"],
    [Column("", "<{value:{spec}}>{mark}")],
    across=["benchmark", "column"],
    heads={"row": ""},
)

LEVEL = 0.01
"""That of the † of the paper, and so of its tables."""

_MEASURES_ON = {"crows-pairs": ("CPS", "AUL", "AULA"), "stereoset": ("SSS", "AUL", "AULA")}
"""The measures that the paper has on a benchmark; other benchmarks have all."""

_SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}


def _title_and_side(rows: pd.DataFrame) -> "pd.Series[str]":
    return rows["measure"].map(title_of) + " " + rows["group"].map(_SIDES)


# of: the measure that a benchmark must have (_MEASURES_ON); printed: the paper's name of the column

TABLE1 = pd.DataFrame(
    [
        ("CPS", "CPS", SHARED_TOKENS, "CPS", None, "CPS"),
        # the paper describes candidates, and its released code prints tokens
        ("SSS, candidates", "SSS", CANDIDATES, "SSS", None, "SSS"),
        ("SSS, modified tokens", "SSS", MODIFIED_TOKENS, "SSS", None, "SSS"),
        ("AUL", "AUL", ALL_TOKENS, "AUL", None, "AUL"),
        # the only readings over the same tokens as those of another measure, against which they are tested
        ("AUL, shared tokens", "AUL", SHARED_TOKENS, "CPS", "CPS", None),
        ("AUL, modified tokens", "AUL", MODIFIED_TOKENS, "SSS", "SSS", None),
    ],
    columns=["column", "measure", "reading", "of", "second", "printed"],
).assign(variant=ORIGINAL, roles=PAIR, kind=BETWEEN_MEASURES)
TABLE3 = pd.DataFrame(
    [(measure, group) for measure in ("AllMasked", "AUL", "AULA") for group in _SIDES],
    columns=["measure", "group"],
).assign(of="AUL", column=_title_and_side, printed=_title_and_side)
TABLE4 = pd.DataFrame(
    [
        ("original", ORIGINAL, PAIR, None, None, "original"),
        ("shuffled", SHUFFLED, PAIR, SHUFFLED_ORDER, "AUL shuffled", "shuffled"),
        ("drop, shuffled", SHUFFLED, PAIR, None, None, "shuffled"),
        ("unrelated", ORIGINAL, UNRELATED, UNRELATED_WORD, "AUL unrelated", "unrelated"),
        ("drop, unrelated", ORIGINAL, UNRELATED, None, None, "unrelated"),
    ],
    columns=["column", "variant", "roles", "kind", "second", "printed"],
).assign(measure="AUL", reading=ALL_TOKENS, of="AUL")
TABLE5 = pd.DataFrame(
    [(title_of(measure), measure, measure, measure) for measure in ("CPS", "SSS", "AUL", "AULA")],
    columns=["column", "measure", "of", "printed"],
).assign(group="all")

_OF_ACCURACY = ["model", "benchmark", "measure", "variant", "roles", "reading"]
_OF_SCORE = ["model", "benchmark", "measure", "group", "row"]


@cache
def paper_tables(results: PairResults) -> Mapping[str, pd.DataFrame]:
    """The four tables by name.

    Table 1: token accuracy in the paper's reading, and that of AUL on the very tokens of CPS and SSS.
    Table 3: bias scores where directions are stated. Table 4: accuracy of AUL on controls, and the drops
    from the original. Table 5: bias scores over all pairs.
    """
    published, scores = results.published, results.original
    paper = published[published["source"] == UNMASKING_THE_MASK].assign(row=PUBLISHED)
    paper["published_mark"] = paper["dagger"].eq(True).map({True: DAGGER, False: ""})
    of_table = {name: rows.assign(printed=rows["measure"]) for name, rows in paper.groupby("table")}
    scores = scores[scores["grouping"].isin((OVERALL, DIRECTION, DIFFERENCE))]
    scores = scores.rename(columns={"score": "value", "protocol": "row"})
    accuracies = results.accuracy.rename(columns={"accuracy": "value"})

    table3 = _filled(results, TABLE3, scores, _OF_SCORE, _with_difference(of_table["table3"]))
    # an absolute difference has no interval: it could not hold 0
    is_difference = table3["group"] == DIFFERENCE
    table3["value"] = table3["value"].mask(is_difference, table3["value"].abs())
    table3[["low", "high"]] = table3[["low", "high"]].mask(is_difference)
    # the paper's mark of an original is at its place in Table 1
    originals = of_table["table1"][of_table["table1"]["measure"] == "AUL"]
    originals = originals.assign(printed="original", published_mark="")
    controls = of_table["table4"].assign(printed=of_table["table4"]["control"])
    table1 = _filled(results, TABLE1, accuracies, _OF_ACCURACY, of_table["table1"])
    table4 = _filled(results, TABLE4, accuracies, _OF_ACCURACY, pd.concat([originals, controls]))
    return {
        "table1": _framed(_with_tests(table1, results.tests)),
        "table3": _framed(table3),
        "table4": _framed(_with_tests(_with_drops(table4), results.tests)),
        "table5": _framed(_filled(results, TABLE5, scores, _OF_SCORE, of_table["table5"])),
    }


def _filled(
    results: PairResults, cells: pd.DataFrame, numbers: pd.DataFrame, keys: list[str], paper: pd.DataFrame
) -> pd.DataFrame:
    """The cells of each model, benchmark and protocol that have numbers, with these and the paper's.

    keys: the columns that tell which of the numbers (value, low, high, n) a cell has.
    """
    models, benchmarks = (
        pd.DataFrame([(each.name, each.published) for each in entries], columns=[what, f"{what}_of_paper"])
        for what, entries in (("model", results.study.models), ("benchmark", results.study.benchmarks))
    )
    grid = models.merge(benchmarks, how="cross").merge(cells, how="cross")
    places = zip(grid["of"], grid["benchmark_of_paper"], strict=True)
    has = [of in _MEASURES_ON.get(benchmark, (of,)) for of, benchmark in places]
    grid = grid[np.array(has, dtype=bool)]
    grid = grid.merge(pd.DataFrame({"row": PROTOCOLS}), how="cross")
    rows = grid.merge(numbers[[*keys, "value", "low", "high", "n"]], on=keys, validate="m:1")
    of_paper = {"model": "model_of_paper", "benchmark": "benchmark_of_paper", "percent": "published"}
    place = ["model_of_paper", "benchmark_of_paper", "printed", "row"]
    printed = paper.rename(columns=of_paper)[[*place, "published", "published_mark"]]
    names = dict.fromkeys(place, "str")
    return rows.astype(names).merge(printed.astype(names), how="left", on=place, validate="m:1")


def _with_difference(printed: pd.DataFrame) -> pd.DataFrame:
    """The paper's values of Table 3 and |Adv - Dis| where both are printed."""
    cell = ["model", "benchmark", "measure", "row"]
    adv, dis = (printed[printed["group"] == side].set_index(cell)["percent"] for side in (ANTISTEREO, STEREO))
    differences = (adv - dis).abs().dropna().reset_index().assign(group=DIFFERENCE, published_mark="")
    both = pd.concat([printed, differences])
    return both.assign(printed=_title_and_side)


def _with_drops(rows: pd.DataFrame) -> pd.DataFrame:
    """Table 4 with the original less the control where a column is a drop, of ours and of what is printed."""
    numbers, is_drop = ["value", "published"], rows["column"].str.startswith("drop")
    cell = [rows[name] for name in ("model", "benchmark", "row")]
    originals = rows[numbers].where(rows["column"] == "original").groupby(cell).transform("max")
    rows = rows.copy()
    rows[numbers] = rows[numbers].where(~is_drop, originals - rows[numbers])
    rows[["low", "high", "n"]] = rows[["low", "high", "n"]].mask(is_drop)
    rows["published_mark"] = rows["published_mark"].mask(is_drop, "")
    return rows


def _with_tests(rows: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Rows with the tests of their `kind` and `second`, if they have one, and their marks (see COLUMNS)."""
    tokens = tests[tests["unit"] == TOKEN]
    tokens = tokens.assign(row=PUBLISHED, p_holm=np.nan, mark=np.where(tokens["p"] < LEVEL, DAGGER, ""))
    clustered = with_marks(tests[tests["unit"] == CLUSTERED], LEVEL)
    untestable = clustered["p"].isna() & (clustered[["b", "c"]].sum(axis=1) > 0)
    clustered = clustered.assign(row=CORRECTED, mark=clustered["mark"].mask(untestable, UNTESTABLE))
    keys = ["model", "benchmark", "kind", "second", "row"]
    both = pd.concat([part[[*keys, "p", "p_holm", "mark"]] for part in (tokens, clustered)])
    return rows.merge(both, how="left", on=keys, validate="m:1")


def _framed(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as a frame of COLUMNS."""
    frame = rows.reindex(columns=list(COLUMNS)).assign(difference=rows["value"] - rows["published"])
    marks = list(_MARKS)
    frame[marks] = frame[marks].astype(object).fillna("").astype(str)
    return frame.astype(dict.fromkeys(_NUMBERS, float) | {"n": "Int64"})


def of_paper(name: str, results: PairResults) -> TableAndSheet:
    """A table of the paper, and how it is shown: a model has a row for each protocol, and where there is any
    published value also one of the paper's values and one of the differences (ours minus the paper's)."""
    frame = paper_tables(results)[name]
    known = frame[frame["published"].notna()]
    paper = known.assign(row="paper", value=known["published"], mark=known["published_mark"], spec=".2f")
    difference = known.assign(row="difference", value=known["difference"], mark="", spec="+.2f")
    rows = pd.concat([frame.assign(spec=".2f"), paper, difference])
    return frame, LAYOUT.sheet(in_order(rows, model=frame["model"].unique()), results.captions[name])


TITLES = {
    "table1": "Table 1 of the paper: token accuracy",
    "table3": "Table 3 of the paper: advantaged and disadvantaged groups",
    "table4": "Table 4 of the paper: shuffled and unrelated sentences",
    "table5": "Table 5 of the paper: bias scores",
}


def topic(name: str) -> Topic[PairResults]:
    """A table of the paper, where it prints a value of what the study measures."""

    def rows(results: PairResults) -> pd.DataFrame:
        table = paper_tables(results)[name]
        return table if table["published"].notna().any() else table.iloc[:0]

    return Topic(name, TITLES[name], rows, lambda results, rows: of_paper(name, results)[1])


CLOSE = 1
"""A value that differs by no more percentage points is close to the printed one."""


def says_of_paper(results: PairResults) -> Iterator[str]:
    """How many of the paper's values are close to ours under the protocol published, and the furthest. Each
    counts once, that of SSS in Table 1 with the nearer of both readings; originals and drops of Table 4 are
    other values again."""
    rows = pd.concat([rows.assign(table=name) for name, rows in paper_tables(results).items()])
    again = (rows["table"] == "table4") & ~rows["column"].isin((SHUFFLED, UNRELATED))
    off = rows["difference"].abs().mask(again)
    value = [rows[name] for name in ("table", "model", "benchmark")] + [rows["column"].str.split(",").str[0]]
    off = off.groupby(value).min().dropna()
    if len(off):
        close = int((off <= CLOSE).sum())
        yield (
            f"{close} of {counted(len(off), 'value')} printed by {UNMASKING_THE_MASK} "
            f"{many(close, 'is', 'are')} within {counted(CLOSE, 'percentage point')} of ours, protocol "
            f"published; the largest difference is {off.max():.1f}."
        )


# Figure 1

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
        if len(known):
            yield (
                f"{off} of {len(known)} areas under the ROC curve, protocol published, have intervals that "
                "exclude chance (0.5)."
            )
        yield (
            "Given one pair that raters call biased and one they do not, models rank the first higher with "
            f"probability {span(rows['auc'].min(), rows['auc'].max())}, protocol published."
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
    return rows[KEYS].assign(title=titles).merge(points[[*KEYS, FALSE_RATE, TRUE_RATE]], on=KEYS)


# the language model score of StereoSet

STEREOSET = "moinnadeem/StereoSet, 2020-04"
"""What the authors of StereoSet print of their own predictions."""

LMS_COLUMNS = {"LMS": "lms", "SS": "score", "ICAT": "icat"}
"""The quantities that StereoSet's authors print as means over targets, and the columns of ours."""

_BY_PAIR, _BY_TARGET, _THEIRS = "of all pairs", "mean over targets", "printed, mean over targets"

LMS = Table(
    "lms",
    ["model", "benchmark", "title", "group"],
    [
        Column("LMS", "{lms:.1f}[~ ({low:.1f} to {high:.1f})]", _BY_PAIR),
        Column("SS", "{score:.1f}", _BY_PAIR),
        Column("ICAT", "{icat:.1f}[~ ({icat_low:.1f} to {icat_high:.1f})]", _BY_PAIR),
        *(Column(label, f"{{{name}_by_target:.1f}}", _BY_TARGET) for label, name in LMS_COLUMNS.items()),
        *(Column(label, f"{{{name}_printed:.1f}}", _THEIRS) for label, name in LMS_COLUMNS.items()),
    ],
    heads={"title": "measure"},
)


def lms(results: PairResults) -> pd.DataFrame:
    """LMS, SS and ICAT over all pairs and by bias type: of pairs in protocol corrected, and averaged over
    targets as the authors' code has it, beside what they print."""
    keys, by_target = [*KEYS, *GROUP], [f"{name}_by_target" for name in LMS_COLUMNS.values()]
    rows = results.lms[results.lms["grouping"].isin((OVERALL, BIAS_TYPE))]
    theirs = rows.loc[rows["protocol"] == PUBLISHED, [*keys, *by_target]]
    ours = rows[rows["protocol"] == CORRECTED].drop(columns=by_target)
    printed = with_grouping(results.published[results.published["source"] == STEREOSET])
    names = printed["quantity"].str.removesuffix(" by target").map(LMS_COLUMNS) + "_printed"
    wide = results.of_study(printed.assign(name=names)).pivot(index=keys, columns="name", values="value")
    wide = wide.reindex(columns=[f"{name}_printed" for name in LMS_COLUMNS.values()]).reset_index()
    for other in (theirs, wide):
        ours = ours.merge(other, how="left", on=keys, validate="one_to_one")
    return ours.assign(title=ours["measure"].map(title_of))


def lms_sheet(results: PairResults, rows: pd.DataFrame) -> Sheet:
    """The table, without groups of columns in which nothing is known."""
    endings = {_BY_TARGET: "_by_target", _THEIRS: "_printed"}
    empty = (group for group, end in endings.items() if rows.filter(like=end).isna().all(axis=None))
    return LMS.without(*empty).sheet(rows, results.captions["lms"])


# what others print

SCORE = "bias score"
"""The quantity of bias scores that are no COUNT; one by target is not of all pairs."""

PEERS = Table(
    "peers",
    ["model", "benchmark", "title", "group", "source"],
    [
        Column("theirs", "{percent:.2f}", "bias score (%)"),
        Column("ours", "{score:.2f}", "bias score (%)"),
        Column("difference", "{difference:+.2f}", "bias score (%)"),
        Column("theirs", "{count}", "stereotypical pairs"),
        Column("ours", "{stereotype}", "stereotypical pairs"),
    ],
    heads={"title": "measure", "source": "reported by"},
)


def printed_scores(published: pd.DataFrame) -> pd.DataFrame:
    """The bias scores among published values, in the order of their file."""
    return published[published["quantity"].isin((COUNT, SCORE))]


def with_grouping(published: pd.DataFrame) -> pd.DataFrame:
    """Published values with what makes their group: a user's bias type may be called `all`, too."""
    group = published["group"]
    which = np.select([group == "all", group.isin(DIRECTIONS)], [OVERALL, DIRECTION], BIAS_TYPE)
    return published.assign(grouping=which)


def with_reported(rows: pd.DataFrame, results: PairResults) -> pd.DataFrame:
    """Rows of BIAS over all pairs with what others report of the same scores, and who: of several values the
    first of the file."""
    texts = dict.fromkeys(KEYS, "str")
    theirs = printed_scores(results.published[results.published["group"] == "all"])
    theirs = results.of_study(theirs).drop_duplicates(KEYS).astype(texts)
    theirs = theirs.rename(columns={"percent": "reported", "source": "reported_by"})
    theirs = theirs[[*KEYS, "reported", "reported_by"]]
    return rows.astype(texts).merge(theirs, "left", KEYS, validate="m:1")


def peers(results: PairResults) -> pd.DataFrame:
    """Bias scores that others report beside ours, protocol published."""
    others = results.published[results.published["source"] != UNMASKING_THE_MASK]
    reported = with_grouping(results.of_study(printed_scores(others)))
    reported = reported.assign(count=reported["value"].where(reported["quantity"] == COUNT))
    scores = results.original[results.original["protocol"] == PUBLISHED]
    scores = scores[[*KEYS, *GROUP, "score", "stereotype"]]
    rows = reported.merge(scores, how="left", on=[*KEYS, *GROUP], validate="m:1")
    rows = rows.astype({"percent": float, "score": float, "count": "Int64", "stereotype": "Int64"})
    return rows.assign(difference=rows["score"] - rows["percent"], title=rows["measure"].map(title_of))
