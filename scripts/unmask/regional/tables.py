"""The tables of regional bias as they are shown."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from unmask.regional.region_index import RegionIndex
from unmask.regional.terms import (
    C_W,
    C_Z,
    CONTROL,
    CORRECTED,
    FULL,
    MEASURES,
    NO_PREFIX,
    PLAIN,
    REPLACE,
    VARIANTS,
    WITHOUT,
)
from unmask.report.captions import Captions
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.published import DOUBT
from unmask.report.sheets import Sheet, rows_of
from unmask.report.study import Named

THOUSAND = 1000.0
"""C_w and C_z are shown times 1000, as in the paper."""

PRINTED = "printed"
"""Where a variant is named: what the paper prints."""

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

BANDS = ("words", "children", "dealt", "random")
"""Of SCORES, each with the ends {band}_low and {band}_high."""

DIGITS = ".{digits}f"
SCORE = Column("score", f"{{score:{DIGITS}}}{{mark}}", "The score; C_w and C_z times 1000.")
BY_WORDS = Column("by words", ends("words", DIGITS), "Its interval over resampled words.")
DEALT = Column("dealt out", ends("dealt", DIGITS), "The band of the model's vectors dealt out anew.")
RANDOM = Column("random", ends("random", DIGITS), "The band of random vectors on the same tree.")
ENDS = (
    BY_WORDS,
    Column("by children", ends("children", DIGITS), "Its interval over resampled children."),
    DEALT,
    RANDOM,
)
IN_PRINT = tuple(
    Column(label, f"{{{order}:.4f}}{{{order}_doubt}}", f"What the paper prints, columns {label}.")
    for order, label in ORDERS.items()
)

TABLE1 = Table(
    "table1", ["model", "measure", "variant"], [SCORE, *ENDS, *IN_PRINT], across=["heading"], lines=True
)
TABLE2 = Table("table2", ["model", "variant"], [SCORE, *ENDS, *IN_PRINT], across=["heading"], lines=True)
TABLE3, TABLE6 = (
    Table(name, ["model", "variant", "words"], [SCORE, *IN_PRINT], across=["heading"], lines=True)
    for name in ("table3", "table6")
)
COUNTRIES = Table(
    "countries",
    ["model", "top", "name", "children"],
    [
        SCORE,
        BY_WORDS,
        DEALT,
        RANDOM,
        Column("p", "{p:p}", "Share of the dealings that come to as much or more."),
        Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction."),
    ],
    heads={"top": "in", "name": "region"},
)
STABILITY = Table(
    "stability",
    ["model", "variant", "measure", "level", "resampled"],
    [
        Column("regions", "{regions}", "Number of regions ranked."),
        Column("tau", "{tau:+.2f}", "Kendall's tau between the ranking of a resample and that of all, mean."),
        Column("interval", ends("", "+.2f"), "Its interval over resamples."),
    ],
    heads={"level": "ranked"},
)
PLANTED = Table(
    "planted",
    ["variant", "measure", "where", "planted"],
    [
        Column(
            "found, by strength",
            f"{{found:.2f}} ({ends('found', '.2f')})",
            "Share of worlds in which the score lies above the band of dealt vectors.",
        ),
        Column("highest of its level", "{first:.2f}", "Share of worlds in which the region ranks first."),
    ],
    across=["dose"],
    label_first=True,
    heads={"where": "region", "planted": "set apart by"},
)
MOVES = "probability of the positive label"
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
    ],
    heads={"whose": "prefix"},
)


@dataclass(frozen=True)
class Findings:
    """Scores of the models of a study, and what is needed to show them.

    models: in the study's order; scores: SCORES with the column model; published: with
    unmask.regional.published.COLUMNS.
    """

    models: Sequence[Named]
    index: RegionIndex
    scores: pd.DataFrame
    published: pd.DataFrame
    captions: Captions
    alpha: float

    def chosen(
        self, measures: Sequence[str], words: Sequence[str], regions: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """The scores of these measures, sets of words and regions (the columns of tables unless given), in
        the order of models, measures, variants, words and regions."""
        places = [
            [model.name for model in self.models],
            list(measures),
            list(VARIANTS),
            list(words),
            list(self.index.columns() if regions is None else regions),
        ]
        keys = ["model", "measure", "variant", "words", "region"]
        rows = self.scores
        for key, known in zip(keys, places, strict=True):
            rows = rows[rows[key].isin(known)]
        ranks = [
            rows[key].map({name: place for place, name in enumerate(known)})
            for key, known in zip(keys, places, strict=True)
        ]
        return rows.iloc[np.lexsort([rank.to_numpy(dtype=int) for rank in reversed(ranks)])]

    def word_sets(self, start: str) -> list[str]:
        """`full` and the sets whose name begins so, in order of appearance; none without the latter."""
        found = [name for name in self.scores["words"].drop_duplicates() if str(name).startswith(start)]
        return [FULL, *found] if found else []

    def printed_name(self, model: str) -> str | None:
        """The name under which the paper has a model."""
        return next((named.published for named in self.models if named.name == model), None)

    def printed(self, table: str) -> pd.DataFrame:
        """What the paper prints in a table by region, as `by_region` has it, the root under its own name."""
        rows = by_region(self.published, table)
        return rows.assign(region=rows["region"].replace(OVERALL, self.index.root))

    def tidy(self, rows: pd.DataFrame, table: str | None = None) -> pd.DataFrame:
        """Scores with the name of each region and, for a table of the paper, what this prints in both orders
        of its columns, on the scale of the scores."""
        tidy = rows.copy()
        place = tidy.columns.tolist().index("region") + 1
        tidy.insert(place, "name", rows["region"].map(self.index.names))
        if table is not None:
            scale = 1.0 if table == "table2" else THOUSAND
            printed = self.printed(table)
            keys = ["model", "measure", "words", "region"]
            scored = rows[keys].astype("str")
            scored["model"] = scored["model"].map(self.printed_name).astype("str")
            for order in ORDERS:
                of_order = printed.loc[printed["order"] == order, [*keys, "value"]]
                beside = scored.merge(of_order, how="left", on=keys, validate="m:1")
                tidy[f"printed_{order}"] = (beside["value"] / scale).to_numpy()
        return tidy


def table1(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w and C_z by continent and overall, times 1000, with intervals, bands and what the paper prints."""
    return _by_region(found, TABLE1, found.chosen((C_W, C_Z), (FULL,)))


def table2(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """The plain score by continent and overall."""
    return _by_region(found, TABLE2, found.chosen((PLAIN,), (FULL,)))


def table3(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w without the words of each topic."""
    return _by_region(found, TABLE3, found.chosen((C_W,), found.word_sets(WITHOUT)))


def table6(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w with the words of each topic replaced."""
    return _by_region(found, TABLE6, found.chosen((C_W,), found.word_sets(REPLACE)))


def _by_region(found: Findings, table: Table, rows: pd.DataFrame) -> tuple[pd.DataFrame, Sheet]:
    """Regions across; down the lines of each score, and after those of a model and measure what the paper
    prints."""
    index, scale = found.index, 1.0 if table is TABLE2 else THOUSAND
    shown = _shown(found, rows, scale, ["model", "measure", "variant", "words"])
    lines = pd.concat([shown, _printed(found, table.name, rows)])
    lines = in_order(lines, model=rows["model"].unique(), measure=rows["measure"].unique())
    # a continent without any score would be a column of dashes
    heads = {region: index.headed(region) for region in index.columns() if region in set(rows["region"])}
    lines = lines.assign(heading=pd.Categorical(lines["region"].map(heads), [*heads.values()]))
    return found.tidy(rows, table.name), table.captioned(lines, found.captions)


def _printed(found: Findings, table: str, rows: pd.DataFrame) -> pd.DataFrame:
    """What the paper prints for the models, measures and regions of these rows."""
    printed = found.printed(table)
    cells: dict[tuple[str, ...], dict[str, Any]] = {}
    for model, measure in rows[["model", "measure"]].drop_duplicates().itertuples(index=False, name=None):
        is_of_it = (printed["model"] == found.printed_name(model)) & (printed["measure"] == measure)
        for row in rows_of(printed[is_of_it]):
            place = (model, measure, PRINTED, row.words, row.region)
            doubt = DOUBT if row.doubtful else ""
            cells.setdefault(place, {}).update({row.order: row.value, f"{row.order}_doubt": doubt})
    keys = ["model", "measure", "variant", "words", "region"]
    columns = [name for order in ORDERS for name in (order, f"{order}_doubt")]
    frame = pd.DataFrame(
        [[*place, *map(cell.get, columns)] for place, cell in cells.items()], columns=[*keys, *columns]
    )
    return frame[frame["region"].isin(rows["region"])]


def _shown(found: Findings, rows: pd.DataFrame, scale: float, keys: Sequence[str]) -> pd.DataFrame:
    """Scores and bands on this scale, with marks, and as many digits as the smallest score of the rows with
    the same keys needs."""
    names = ["score", *(f"{band}_{end}" for band in BANDS for end in ("low", "high"))]
    rows = with_marks(rows.assign(**{name: rows[name] * scale for name in names}), found.alpha)
    digits = rows.groupby(list(keys), sort=False)["score"].transform(_decimals)
    return rows.assign(digits=digits.astype("Int64"))


def _decimals(values: "pd.Series[float]") -> int:
    """As many that the smallest of the values has three digits that say something; six at the most."""
    sizes = values.abs()
    sizes = sizes[sizes > 0]
    return 2 if sizes.empty else min(6, max(0, 2 - math.floor(math.log10(float(sizes.min())))))


def groups(frame: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The rows of each key in order of appearance, with the key as text."""
    for key, part in frame.groupby(list(keys), sort=False):
        yield tuple(map(str, key)), part


def countries(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w of every region with children below the continents: `corrected`, or the last variant there is.

    The frame has all variants and measures.
    """
    index = found.index
    tidy = found.tidy(found.chosen(MEASURES, (FULL,), index.inner()))
    rows = tidy[(tidy["measure"] == C_W) & (tidy["variant"] == main_variant(tidy))]
    tops = {region: index.names.get(index.top_of(region) or "") for region in rows["region"]}
    rows = _shown(found, rows, THOUSAND, ["model"]).assign(top=rows["region"].map(tops))
    return tidy, COUNTRIES.captioned(rows, found.captions)


def main_variant(rows: pd.DataFrame) -> str:
    """corrected where it is there, else the last that is."""
    there = [variant for variant in VARIANTS if (rows["variant"] == variant).any()]
    return there[-1] if there else CORRECTED


def leaves(found: Findings) -> pd.DataFrame:
    """The distance of every region without children to the mean of its siblings; too many for a page."""
    index = found.index
    rows = found.chosen((C_W,), (FULL,), index.leaves())
    return pd.DataFrame(
        {
            "model": rows["model"],
            "variant": rows["variant"],
            "region": rows["region"],
            "name": rows["region"].map(index.names),
            "level": rows["level"],
            "parent": rows["region"].map(index.parents),
            "distance": rows["score"],
        }
    )


def stability_sheet(stability: pd.DataFrame, captions: Captions) -> Sheet:
    """stability: STABILITY with the column model."""
    return STABILITY.sheet(stability, captions["stability"])


def planted_sheet(planted: pd.DataFrame, index: RegionIndex, captions: Captions) -> Sheet:
    """Strengths across: the share of worlds in which a score finds what was planted, and ranks it first.

    planted: PLANTED. A region that is not in the tree goes by its key.
    """
    strengths = sorted(planted["strength"].unique())
    rows = planted.assign(
        where=[
            f"{index.names.get(row.region, row.region)} ({row.level}, {row.children})"
            for row in rows_of(planted)
        ],
        dose=pd.Categorical(planted["strength"].map("{:g}".format), [f"{s:g}" for s in strengths]),
    )
    return PLANTED.sheet(rows, captions["planted"])


def table4(prefixes: pd.DataFrame, index: RegionIndex, published: pd.DataFrame, captions: Captions) -> Sheet:
    """Scores of classifiers, and how the probability of the positive label moves, with a region's prefix.

    prefixes: PREFIXES with the columns classifier and table. The printed rows, of tables that the study has
    under the paper's names, come last.
    """
    printed = _printed_prefixes(published, "table4", ["prefix", "dataset"]).assign(classifier=PRINTED)
    return TABLE4.sheet(_with_printed(_most_changed(prefixes, index), printed), captions["table4"])


def table5(prefixes: pd.DataFrame, index: RegionIndex, published: pd.DataFrame, captions: Captions) -> Sheet:
    """Percent of all items whose predicted label changes with a region's prefix; as `table4`."""
    rows = _most_changed(prefixes[prefixes["prefix"].notna()], index)
    percent = {
        name: 100 * rows[name] for name in ("to_positive", "to_negative", "changed_low", "changed_high")
    }
    rows = rows.assign(**percent, changed=100 * rows["changed"], digits=3)
    printed = _printed_prefixes(published, "table5", ["model", "dataset", "prefix"])
    printed = printed.assign(
        classifier=PRINTED + ": " + printed["model"],
        changed=printed["to_positive"] + printed["to_negative"],
        digits=4,
    )
    return TABLE5.sheet(_with_printed(rows, printed), captions["table5"])


def _printed_prefixes(published: pd.DataFrame, table: str, keys: Sequence[str]) -> pd.DataFrame:
    """What the paper prints of prefixes: the keys, and the columns of QUANTITIES that it has."""
    rows = published[(published["table"] == table) & published["value"].notna()]
    lines = [
        dict(zip(keys, key, strict=True)) | {QUANTITIES[row.quantity]: row.value for row in rows_of(values)}
        for key, values in groups(rows, keys)
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
        whose=[_prefixed(row, index) for row in rows_of(prefixes)],
    )
    parts = [prefixes[:0]]
    for _, part in prefixes.groupby(["classifier", "table"], sort=False):
        other = part["region"].isna() | (part["level"] == CONTROL)
        of_one = part[~other].sort_values("changed", ascending=False, kind="stable")
        parts += [part[other], of_one[:MOST]]
    return pd.concat(parts)


def _prefixed(row: Any, index: RegionIndex) -> str:
    """Whose prefix a row has."""
    if pd.isna(row.region):
        return "no prefix" if row.level == NO_PREFIX else f"all of level {row.level}: {row.prefix}"
    name = index.names.get(row.region, row.region)
    return f"{name} (no region)" if row.level == CONTROL else name
