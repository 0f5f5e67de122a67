"""The tables of regional bias as they are shown."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from unmask.regional.outline import Outline
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
from unmask.report.published import printed_number
from unmask.report.sheets import DASH, Sheet, interval, mark, number, p_value, rows_of
from unmask.report.study import Named

THOUSAND = 1000.0
"""C_w and C_z are shown times 1000, as in the paper."""

PRINTED = "printed"
"""Where a variant is named: what the paper prints."""

MOST = 10
"""Regions whose prefix changes most, in the short tables of prefixes."""

_ENDS = {
    "by words": ("words_low", "words_high"),
    "by children": ("children_low", "children_high"),
    "dealt out": ("dealt_low", "dealt_high"),
    "random": ("random_low", "random_high"),
}
"""Lines under a score: two columns of SCORES each."""


@dataclass(frozen=True)
class Findings:
    """Scores of the models of a study, and what is needed to show them.

    models: in the study's order; scores: SCORES with the column model; published: with
    unmask.regional.published.COLUMNS.
    """

    models: Sequence[Named]
    outline: Outline
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
            list(self.outline.shown() if regions is None else regions),
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
        return rows.assign(region=rows["region"].replace(OVERALL, self.outline.root))

    def tidy(self, rows: pd.DataFrame, table: str | None = None) -> pd.DataFrame:
        """Scores with the name of each region and, for a table of the paper, what this prints in both orders
        of its columns, on the scale of the scores."""
        tidy = rows.copy()
        place = tidy.columns.tolist().index("region") + 1
        tidy.insert(place, "name", rows["region"].map(self.outline.names))
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
    rows = found.chosen((C_W, C_Z), (FULL,))
    sheet = _sheet(found, rows, ("model", "measure"), ("variant",), _ENDS, "table1")
    return found.tidy(rows, "table1"), sheet


def table2(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """The plain score by continent and overall."""
    rows = found.chosen((PLAIN,), (FULL,))
    sheet = _sheet(found, rows, ("model",), ("variant",), _ENDS, "table2")
    return found.tidy(rows, "table2"), sheet


def table3(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w without the words of each topic."""
    return _by_words(found, WITHOUT, "table3")


def table6(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w with the words of each topic replaced."""
    return _by_words(found, REPLACE, "table6")


def _by_words(found: Findings, start: str, table: str) -> tuple[pd.DataFrame, Sheet]:
    rows = found.chosen((C_W,), found.word_sets(start))
    sheet = _sheet(found, rows, ("model",), ("variant", "words"), {}, table)
    return found.tidy(rows, table), sheet


def _sheet(
    found: Findings,
    rows: pd.DataFrame,
    outer: Sequence[str],
    inner: Sequence[str],
    ends: Mapping[str, tuple[str, str]],
    table: str,
) -> Sheet:
    """Regions across; down the lines of each score, and after those of one `outer` key what is printed."""
    stubs = (*outer, *inner, "line")
    if rows.empty:
        return _empty(found.captions, table, stubs)
    # a continent without any score would be a column of dashes
    shown = [region for region in found.outline.shown() if region in set(rows["region"])]
    scale = 1.0 if table == "table2" else THOUSAND
    lines: list[tuple[str, ...]] = []
    for key, part in groups(rows, outer):
        for own, scores in groups(part, inner):
            by_region = {row.region: row for row in rows_of(scores)}
            decimals = _decimals(scores["score"] * scale)
            lines.append(
                (*key, *own, "score", *_cells(shown, by_region, _scored(scale, decimals, found.alpha)))
            )
            for label, (low, high) in ends.items():
                if scores[[low, high]].notna().any(axis=None):
                    cells = _cells(shown, by_region, _ended(low, high, scale, decimals))
                    lines.append((*key, *own, label, *cells))
        printed = found.printed(table)
        for column, name in zip(outer, (found.printed_name(key[0]), *key[1:]), strict=True):
            printed = printed[printed[column] == name]
        for (_, words, order), values in groups(printed, ("measure", "words", "order")):
            by_its_region = {row.region: row for row in rows_of(values)}
            if not by_its_region.keys().isdisjoint(shown):
                cells = [printed_number(by_its_region.get(region), 4) for region in shown]
                # the second of the inner keys is the words
                place = (PRINTED, words)[: len(inner)]
                lines.append((*key, *place, ORDERS[order], *cells))
    heads = tuple(("", found.outline.headed(region)) for region in shown)
    return Sheet(found.captions[table], stubs, heads, tuple(lines))


def groups(frame: pd.DataFrame, keys: Sequence[str]) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """The rows of each key in order of appearance, with the key as text."""
    for key, part in frame.groupby(list(keys), sort=False):
        yield tuple(map(str, key)), part


def _cells(shown: Iterable[str], rows: Mapping[str, Any], text: Callable[[Any], str]) -> list[str]:
    return [text(rows[region]) if region in rows else DASH for region in shown]


def _scored(scale: float, decimals: int, alpha: float) -> Callable[[Any], str]:
    return lambda row: number(_scaled(row.score, scale), decimals) + mark(row.p, row.p_holm, alpha)


def _ended(low: str, high: str, scale: float, decimals: int) -> Callable[[Any], str]:
    return lambda row: interval(
        _scaled(getattr(row, low), scale), _scaled(getattr(row, high), scale), decimals
    )


def _scaled(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _decimals(values: "pd.Series[float]") -> int:
    """As many that the smallest of the values has three digits that say something; six at the most."""
    sizes = values.abs()
    sizes = sizes[sizes > 0]
    return 2 if sizes.empty else min(6, max(0, 2 - math.floor(math.log10(float(sizes.min())))))


def _empty(captions: Captions, name: str, stubs: tuple[str, ...]) -> Sheet:
    return Sheet(f"{captions[name]} {captions['empty']}", stubs, (), ())


def countries(found: Findings) -> tuple[pd.DataFrame, Sheet]:
    """C_w of every region with children below the continents: `corrected`, or the last variant there is.

    The frame has all variants and measures.
    """
    outline = found.outline
    rows = found.chosen(MEASURES, (FULL,), outline.inner())
    shown = rows[(rows["measure"] == C_W) & (rows["variant"] == main_variant(rows))]
    stubs = ("model", "in", "region", "children")
    if shown.empty:
        return found.tidy(rows), _empty(found.captions, "countries", stubs)
    lines = []
    for model, part in shown.groupby("model", sort=False):
        decimals = _decimals(part["score"] * THOUSAND)
        for row in rows_of(part):
            top = outline.top_of(row.region)
            ends = [
                _ended(low, high, THOUSAND, decimals)(row)
                for low, high in (_ENDS["by words"], _ENDS["dealt out"], _ENDS["random"])
            ]
            lines.append(
                (
                    str(model),
                    outline.names[top] if top is not None else DASH,
                    outline.names[row.region],
                    str(row.children),
                    _scored(THOUSAND, decimals, found.alpha)(row),
                    *ends,
                    p_value(row.p),
                    p_value(row.p_holm),
                )
            )
    labels = ("score", "by words", "dealt out", "random", "p", "p (Holm)")
    heads = tuple(("", label) for label in labels)
    return found.tidy(rows), Sheet(found.captions["countries"], stubs, heads, tuple(lines))


def main_variant(rows: pd.DataFrame) -> str:
    """corrected where it is there, else the last that is."""
    there = [variant for variant in VARIANTS if (rows["variant"] == variant).any()]
    return there[-1] if there else CORRECTED


def leaves(found: Findings) -> pd.DataFrame:
    """The distance of every region without children to the mean of its siblings; too many for a page."""
    outline = found.outline
    rows = found.chosen((C_W,), (FULL,), outline.leaves())
    return pd.DataFrame(
        {
            "model": rows["model"],
            "variant": rows["variant"],
            "region": rows["region"],
            "name": rows["region"].map(outline.names),
            "level": rows["level"],
            "parent": rows["region"].map(outline.parents),
            "distance": rows["score"],
        }
    )


def stability_sheet(stability: pd.DataFrame, captions: Captions) -> Sheet:
    """stability: STABILITY with the column model."""
    lines = tuple(
        (
            row.model,
            row.variant,
            row.measure,
            row.level,
            row.resampled,
            str(row.regions),
            number(row.tau, signed=True),
            interval(row.low, row.high, 2, signed=True),
        )
        for row in rows_of(stability)
    )
    stubs = ("model", "variant", "measure", "ranked", "resampled")
    heads = tuple(("", label) for label in ("regions", "tau", "interval"))
    return Sheet(captions["stability"], stubs, heads if lines else (), lines)


def planted_sheet(planted: pd.DataFrame, outline: Outline, captions: Captions) -> Sheet:
    """Strengths across: the share of worlds in which a score finds what was planted, and ranks it first.

    planted: PLANTED. A region that is not in the tree goes by its key.
    """
    strengths = sorted(planted["strength"].unique())
    lines: list[tuple[str, ...]] = []
    keys = ("variant", "measure", "region", "level", "children", "planted")
    for (variant, measure, region, level, children, by), part in groups(planted, keys):
        rows = {row.strength: row for row in rows_of(part)}
        found = [_share(rows.get(strength)) for strength in strengths]
        first = [number(rows[s].first if s in rows else None) for s in strengths]
        name = outline.names.get(region, region)
        lines.append((variant, measure, f"{name} ({level}, {children})", by, *found, *first))
    heads = [
        (group, f"{strength:g}")
        for group in ("found, by strength", "highest of its level")
        for strength in strengths
    ]
    stubs = ("variant", "measure", "region", "set apart by")
    return Sheet(captions["planted"], stubs, tuple(heads) if lines else (), tuple(lines))


def _share(row: Any) -> str:
    if row is None or pd.isna(row.found):
        return DASH
    return f"{number(row.found)} ({interval(row.found_low, row.found_high, 2)})"


def table4(prefixes: pd.DataFrame, outline: Outline, published: pd.DataFrame, captions: Captions) -> Sheet:
    """Scores of classifiers, and how the probability of the positive label moves, with a region's prefix.

    prefixes: PREFIXES with the columns classifier and table. The printed rows, of tables that the study has
    under the paper's names, come last.
    """
    known = set(prefixes["table"])
    lines: list[tuple[str, ...]] = [
        (
            row.classifier,
            row.table,
            _prefixed(row, outline),
            str(row.items),
            number(row.accuracy, 4),
            interval(row.accuracy_low, row.accuracy_high, 4),
            number(row.macro_f1, 4),
            str(row.up),
            number(row.mean_up, 4),
            str(row.down),
            number(row.mean_down, 4),
        )
        for row in rows_of(_most_changed(prefixes))
    ]
    if lines:
        printed = published[(published["table"] == "table4") & published["dataset"].isin(known)]
        for (prefix, table), values in groups(printed, ("prefix", "dataset")):
            value_of = values.set_index("quantity")["value"]
            scores = (number(value_of.get(ACCURACY), 4), DASH, number(value_of.get(MACRO_F1), 4))
            moves = (number(value_of.get(change), decimals) for change, decimals in CHANGES.items())
            lines.append((PRINTED, table, prefix, DASH, *scores, *moves))
    heads = [("", label) for label in ("items", "accuracy", "interval", "macro F1")]
    heads += [("probability of the positive label", label) for label in CHANGES]
    return _prefix_sheet(captions["table4"], heads, lines)


def table5(prefixes: pd.DataFrame, outline: Outline, published: pd.DataFrame, captions: Captions) -> Sheet:
    """Percent of all items whose predicted label changes with a region's prefix; as `table4`."""
    lines: list[tuple[str, ...]] = [
        (
            row.classifier,
            row.table,
            _prefixed(row, outline),
            *(number(100 * share, 3) for share in (row.to_positive, row.to_negative)),
            number(100 * (row.to_positive + row.to_negative), 3),
            interval(_scaled(row.changed_low, 100), _scaled(row.changed_high, 100), 3),
        )
        for row in rows_of(_most_changed(prefixes[prefixes["prefix"].notna()]))
    ]
    printed = published[(published["table"] == "table5") & published["dataset"].isin(set(prefixes["table"]))]
    for (model, table, prefix), values in groups(printed, ("model", "dataset", "prefix")):
        value_of = values.set_index("quantity")["value"]
        changed = [value_of.get(TO_POSITIVE, math.nan), value_of.get(TO_NEGATIVE, math.nan)]
        shares = [number(share, 4) for share in (*changed, sum(changed))]
        lines.append((f"{PRINTED}: {model}", table, prefix, *shares, DASH))
    heads = [("", label) for label in ("to positive", "to negative", "both", "interval")]
    return _prefix_sheet(captions["table5"], heads, lines)


def _prefix_sheet(caption: str, heads: list[tuple[str, str]], lines: list[tuple[str, ...]]) -> Sheet:
    return Sheet(caption, ("classifier", "table", "prefix"), tuple(heads) if lines else (), tuple(lines))


def _prefixed(row: Any, outline: Outline) -> str:
    """Whose prefix a row has."""
    if pd.isna(row.region):
        return "no prefix" if row.level == NO_PREFIX else f"all of level {row.level}: {row.prefix}"
    name = outline.names.get(row.region, row.region)
    return f"{name} (no region)" if row.level == CONTROL else name


def _most_changed(prefixes: pd.DataFrame) -> pd.DataFrame:
    """Rows that are not of one region, and for each classifier and table the MOST regions that change most
    labels, these in that order."""
    parts = []
    for _, part in prefixes.groupby(["classifier", "table"], sort=False):
        other = part["region"].isna() | (part["level"] == CONTROL)
        of_one = part[~other]
        changed = (of_one["to_positive"] + of_one["to_negative"]).sort_values(ascending=False, kind="stable")
        parts += [part[other], of_one.loc[changed.index[:MOST]]]
    return pd.concat(parts) if parts else prefixes
