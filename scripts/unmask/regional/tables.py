"""The tables of regional bias as they are shown."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.regional.published import (
    ACCURACY,
    CHANGES,
    MACRO_F1,
    ORDERS,
    OVERALL,
    TO_NEGATIVE,
    TO_POSITIVE,
    by_region,
)
from unmask.regional.rankings import INNER, TOPS, rankings
from unmask.regional.region_index import RegionIndex
from unmask.regional.results import RegionalResults
from unmask.regional.terms import (
    C_W,
    C_Z,
    CONTROL,
    COUNTRY,
    MEASURES,
    NO_PREFIX,
    PLAIN,
    REPLACE,
    WITHOUT,
)
from unmask.regional.wording import PARENT, places_of
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.panels import columns_of
from unmask.report.published import DOUBT
from unmask.report.sheets import Sheet, rows_of
from unmask.report.table_files import TableAndSheet

THOUSAND = 1000.0
"""C_w and C_z are shown times 1000, as in the paper."""

PRINTED = "printed"
"""Where a protocol is named: what the paper prints."""

MOST = 10
"""Regions whose prefix changes most, in the short tables of prefixes."""

QUANTITIES = {
    ACCURACY: "accuracy",
    MACRO_F1: "macro_f1",
    **dict(zip(CHANGES, ("up", "mean_up", "down", "mean_down"), strict=True)),
    TO_POSITIVE: "to_positive",
    TO_NEGATIVE: "to_negative",
}
"""The column of PREFIXES that a printed quantity is of."""

KEYS = ["model", "measure", "words", "region"]
"""What tells scores of one protocol apart."""

DIGITS = ".{digits}f"
SCORE = Column("score", f"{{score:{DIGITS}}}{{mark}}", "The score; C_w and C_z times 1000.")
PERMUTED = Column("permuted", ends("permuted", DIGITS), "The band of permutations of the model's vectors.")
IN_PRINT = tuple(
    Column(label, f"{{{order}:.4f}}{{{order}_doubt}}", f"What the paper prints, columns {label}.")
    for order, label in ORDERS.items()
)

TABLE1 = Table(
    "table1", ["model", "measure", "variant"], [SCORE, PERMUTED, *IN_PRINT], across=["heading"], lines=True
)
TABLE2 = Table("table2", ["model", "variant"], [SCORE, PERMUTED, *IN_PRINT], across=["heading"], lines=True)
TABLE3, TABLE6 = (
    Table(name, ["model", "variant", "words"], [SCORE, *IN_PRINT], across=["heading"], lines=True)
    for name in ("table3", "table6")
)
COUNTRIES = Table(
    "countries",
    ["model", "top", "name", "children"],
    [
        SCORE,
        PERMUTED,
        Column("p", "{p:p}", "Share of the permutations that give as much or more."),
        Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction."),
    ],
    heads={"top": "in", "name": "region"},
)
RANKINGS = Table(
    "rankings",
    ["model", "measure", "variant"],
    [
        Column("regions", "{regions:.0f}", "Number of regions with a score and a pair of children."),
        Column(
            "tau", "{tau:+.2f}", "Kendall's tau between the score and 1 / the number of pairs of children."
        ),
    ],
    across=["place"],
)
MOVES = "probability of the positive label"
PREDICTED = "items predicted positive"
PREFIXED = ["classifier", "table", "whose"]
TABLE4 = Table(
    "table4",
    PREFIXED,
    [
        Column("items", "{items:.0f}", "Number of labelled items."),
        Column("accuracy", "{accuracy:.4f}", "Share of items whose label is predicted."),
        Column("interval", ends("accuracy", ".4f"), "Interval of the accuracy."),
        Column("macro F1", "{macro_f1:.4f}", "Mean of F1 over the labels."),
        Column("rises", "{up:.0f}", "Items of which it rises.", MOVES),
        Column("mean rise", "{mean_up:.4f}", "How much it rises in these, on average.", MOVES),
        Column("falls", "{down:.0f}", "Items of which it falls.", MOVES),
        Column("mean fall", "{mean_down:.4f}", "How much it falls in these, on average.", MOVES),
    ],
    heads={"whose": "prefix"},
)
TABLE5 = Table(
    "table5",
    PREFIXED,
    [
        Column("to positive", f"{{to_positive:{DIGITS}}}", "Percent of items whose label becomes positive."),
        Column("to negative", f"{{to_negative:{DIGITS}}}", "Percent of items whose label becomes negative."),
        Column("both", f"{{changed:{DIGITS}}}", "Percent of items whose label changes."),
        Column("interval", ends("changed", DIGITS), "Interval of that percentage."),
        Column("change", f"{{net:+{DIGITS}}}", "Percent to positive less percent to negative.", PREDICTED),
        Column("interval of the change", ends("net", f"+{DIGITS}"), "Its interval.", PREDICTED),
        Column(
            "beyond controls",
            f"{{over_control:+{DIGITS}}}",
            "The change less that behind control prefixes, on the same items.",
            PREDICTED,
        ),
        Column(
            "interval beyond", ends("over_control", f"+{DIGITS}"), "Interval of that difference.", PREDICTED
        ),
        Column("p (Holm)", "{p_holm:p}", "The p of no difference, after Holm's correction.", PREDICTED),
    ],
    heads={"whose": "prefix"},
)


def table1(results: RegionalResults) -> TableAndSheet:
    """C_w and C_z by continent and overall, times 1000, with bands and what the paper prints."""
    return _by_region(results, TABLE1, results.select((C_W, C_Z)))


def table2(results: RegionalResults) -> TableAndSheet:
    """The plain score by continent and overall."""
    return _by_region(results, TABLE2, results.select((PLAIN,)))


def table3(results: RegionalResults) -> TableAndSheet:
    """C_w without the words of each topic."""
    return _by_region(results, TABLE3, results.select(words=results.word_sets(WITHOUT)))


def table6(results: RegionalResults) -> TableAndSheet:
    """C_w with the words of each topic replaced."""
    return _by_region(results, TABLE6, results.select(words=results.word_sets(REPLACE)))


def _by_region(results: RegionalResults, table: Table, rows: pd.DataFrame) -> TableAndSheet:
    """Regions across; down the lines of each score, and after those of a model and measure what the paper
    prints. The frame has this on the scale of the scores."""
    index, scale = results.index, 1.0 if table is TABLE2 else THOUSAND
    printed = _printed(results, table.name)
    tidy = _named(rows, index).merge(printed[[*KEYS, *ORDERS]], how="left", on=KEYS, validate="m:1")
    tidy = tidy.assign(**{order: tidy[order] / scale for order in ORDERS})
    tidy = tidy.rename(columns={order: f"printed_{order}" for order in ORDERS})
    of_rows = rows[["model", "measure"]].drop_duplicates()
    printed = of_rows.merge(printed[printed["region"].isin(rows["region"])], on=["model", "measure"])
    lines = pd.concat(
        [
            _scaled(results, rows, scale, ["model", "measure", "variant", "words"]),
            printed.assign(variant=PRINTED),
        ]
    )
    lines = in_order(lines, model=rows["model"].unique(), measure=rows["measure"].unique())
    # a continent without any score would be a column of dashes
    heads = {region: index.headed(region) for region in index.columns() if region in set(rows["region"])}
    lines = lines.assign(heading=pd.Categorical(lines["region"].map(heads), [*heads.values()]))
    return tidy, table.captioned(lines, results.captions)


def _printed(results: RegionalResults, table: str) -> pd.DataFrame:
    """What the paper prints in a table for the models of the study: KEYS, and for each of ORDERS the value
    and its mark of doubt."""
    models = pd.DataFrame(
        [(model.name, model.published) for model in results.models], columns=["model", "printed"]
    )
    rows = by_region(results.published, table).rename(columns={"model": "printed"})
    rows = models.dropna().astype("str").merge(rows, on="printed")
    rows = rows.assign(
        region=rows["region"].replace(OVERALL, results.index.root),
        doubt=np.where(rows["doubtful"], DOUBT, ""),
    )
    first, second = (
        rows.loc[rows["order"] == order, [*KEYS, "value", "doubt"]].rename(
            columns={"value": order, "doubt": f"{order}_doubt"}
        )
        for order in ORDERS
    )
    return first.merge(second, how="left", on=KEYS)


def _named(rows: pd.DataFrame, index: RegionIndex) -> pd.DataFrame:
    """Scores with the name of each region beside its id."""
    named = rows.copy()
    named.insert(rows.columns.tolist().index("region") + 1, "name", rows["region"].map(index.names))
    return named


def _scaled(results: RegionalResults, rows: pd.DataFrame, scale: float, keys: Sequence[str]) -> pd.DataFrame:
    """Scores and bands on this scale, with marks, and as many digits as the smallest score of the rows with
    the same keys needs."""
    names = ["score", "permuted_low", "permuted_high"]
    rows = with_marks(rows.assign(**{name: rows[name] * scale for name in names}), results.alpha)
    digits = rows.groupby(list(keys), sort=False)["score"].transform(_decimals)
    return rows.assign(digits=digits.astype("Int64"))


def _decimals(values: "pd.Series[float]") -> int:
    """As many that the smallest of the values has three digits that say something; six at the most."""
    sizes = values.abs()
    sizes = sizes[sizes > 0]
    return 2 if sizes.empty else min(6, max(0, 2 - math.floor(math.log10(float(sizes.min())))))


def countries(results: RegionalResults) -> TableAndSheet:
    """C_w of every region with children below the continents, by the main protocol.

    The frame has all protocols and measures.
    """
    index = results.index
    tidy = _named(results.select(MEASURES, regions=index.inner()), index)
    rows = tidy[(tidy["measure"] == C_W) & (tidy["variant"] == results.main_protocol)]
    tops = {region: index.names.get(index.top_of(region) or "") for region in rows["region"]}
    rows = _scaled(results, rows, THOUSAND, ["model"]).assign(top=rows["region"].map(tops))
    return tidy, COUNTRIES.captioned(rows, results.captions)


def leaves(results: RegionalResults) -> TableAndSheet:
    """The distance of every region without children to the mean of its siblings; too many for a page."""
    rows = results.select(regions=results.index.leaves())
    frame = columns_of(
        rows,
        *("model", "variant", "region"),
        name=rows["region"].map(results.index.names),
        level="level",
        parent=rows["region"].map(results.index.parents),
        distance="score",
    )
    return frame, Sheet("", (), (), ())


def ranking_table(results: RegionalResults) -> TableAndSheet:
    """Whether scores rank regions by their number of children."""
    table = rankings(results)
    places = pd.Categorical(["of the root", "below these"], ["of the root", "below these"])
    whole = pd.DataFrame({"ranked": [TOPS, INNER], "place": places})
    rows = table[RANKINGS.keys].drop_duplicates().merge(whole, how="cross")
    rows = rows.merge(table, how="left", on=[*RANKINGS.keys, "ranked"]).fillna({"regions": 0})
    return table, RANKINGS.sheet(rows, results.captions["rankings"])


def table4(results: RegionalResults) -> TableAndSheet:
    """Scores of classifiers, and how the probability of the positive label moves, with a region's prefix.

    The printed rows, of tables that the study has under the paper's names, come last.
    """
    rows = _most_changed(_called(results), results.index)
    printed = _printed_prefixes(results.published, "table4", ["prefix", "dataset"]).assign(classifier=PRINTED)
    return _named_in_print(results), TABLE4.sheet(_with_printed(rows, printed), results.captions["table4"])


def table5(results: RegionalResults) -> TableAndSheet:
    """Percent of all items whose predicted label changes with a region's prefix; as `table4`."""
    rows = _called(results)
    rows = _most_changed(rows[rows["prefix"].notna()], results.index)
    ends_too = [name + end for name in ("net", "over_control") for end in ("", "_low", "_high")]
    shares = ("to_positive", "to_negative", "changed", "changed_low", "changed_high", *ends_too)
    rows = rows.assign(**{name: 100 * rows[name] for name in shares}, digits=3)
    printed = _printed_prefixes(results.published, "table5", ["model", "dataset", "prefix"])
    printed = printed.assign(
        classifier=PRINTED + ": " + printed["model"],
        changed=printed["to_positive"] + printed["to_negative"],
        net=printed["to_positive"] - printed["to_negative"],
        digits=4,
    )
    return _named_in_print(results), TABLE5.sheet(_with_printed(rows, printed), results.captions["table5"])


def _named_in_print(results: RegionalResults) -> pd.DataFrame:
    """The rows of prefixes with the column `in_print`: what the paper calls the prefix, if it has such."""
    prefixes = results.prefixes
    at = prefixes.columns.tolist().index("prefix") + 1
    named = prefixes.copy()
    named.insert(at, "in_print", [name_in_print(row, results.index) for row in rows_of(prefixes)])
    return named


def name_in_print(row: Any, index: RegionIndex) -> str | None:
    """What the paper calls the prefix of a row: a region, with the one around it where the prefix names that
    too, all countries, all but one, or none; None for what it does not have."""
    if row.level == NO_PREFIX:
        return "no prefix"
    if row.level == CONTROL:
        return None
    if not pd.isna(row.region):
        parent = index.parents.get(row.region) if PARENT in places_of(row.template) else None
        return ", ".join(index.names[region] for region in (row.region, parent) if region)
    if row.level != COUNTRY:
        return None
    return "all countries" if pd.isna(row.without) else f"without {index.names[row.without]}"


def _called(results: RegionalResults) -> pd.DataFrame:
    """The rows of prefixes, with classifiers as they are called."""
    return results.prefixes.assign(classifier=results.prefixes["classifier"].map(results.called))


def _printed_prefixes(published: pd.DataFrame, table: str, keys: Sequence[str]) -> pd.DataFrame:
    """What the paper prints of prefixes: the keys, and the columns of QUANTITIES that it has."""
    rows = published[(published["table"] == table) & published["value"].notna()]
    lines = [
        dict(zip(keys, key, strict=True)) | {QUANTITIES[row.quantity]: row.value for row in rows_of(values)}
        for key, values in rows.groupby(list(keys), sort=False)
    ]
    frame = pd.DataFrame(lines, columns=[*keys, *QUANTITIES.values()])
    return frame.rename(columns={"dataset": "table", "prefix": "whose"})


def _with_printed(rows: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """The rows, and below them those of the paper on the same tables."""
    return pd.concat([rows, printed[printed["table"].isin(rows["table"])]])


def _most_changed(prefixes: pd.DataFrame, index: RegionIndex) -> pd.DataFrame:
    """Rows that are not of one region, and for each classifier and table the MOST regions that change most
    labels, these in that order; with the columns changed, the share of labels, and whose prefix it is."""
    prefixes = prefixes.assign(
        changed=prefixes["to_positive"] + prefixes["to_negative"],
        whose=[prefixed(row, index) for row in rows_of(prefixes)],
    )
    parts = [prefixes[:0]]
    for _, part in prefixes.groupby(["classifier", "table"], sort=False):
        other = part["region"].isna() | (part["level"] == CONTROL)
        of_one = part[~other].sort_values("changed", ascending=False, kind="stable")
        parts += [part[other], of_one[:MOST]]
    return pd.concat(parts)


def prefixed(row: Any, index: RegionIndex) -> str:
    """Whose prefix a row has."""
    if pd.isna(row.region):
        if row.level == NO_PREFIX:
            return "no prefix"
        rest = "" if pd.isna(row.without) else f" without {index.names.get(row.without, row.without)}"
        return f"all of level {row.level}{rest}: {row.prefix}"
    name = index.names.get(row.region, row.region)
    return f"{name} (no region)" if row.level == CONTROL else name


MAKERS: Mapping[str, Callable[[RegionalResults], TableAndSheet]] = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "table4": table4,
    "table5": table5,
    "table6": table6,
    "countries": countries,
    "leaves": leaves,
    "rankings": ranking_table,
}
"""The tables by name; leaves are written as CSV alone."""
