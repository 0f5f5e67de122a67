"""HERB's Tables 1 to 6 as they are shown, with what the paper prints."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.regional.charts import THOUSAND
from unmask.regional.published import ORDERS, OVERALL, QUANTITIES, by_region
from unmask.regional.results import RegionalResults
from unmask.regional.terms import (
    C_W,
    C_Z,
    CONTROL,
    COUNTRY,
    FULL,
    NO_PREFIX,
    REPLACE,
    SPARSENESS,
    WITHOUT,
)
from unmask.regional.wording import PARENT, places_of
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.published import DOUBT
from unmask.report.sheets import rows_of
from unmask.report.table_files import TableAndSheet

PRINTED = "printed"
"""Where a protocol is named: what the paper prints."""

MOST = 10
"""Regions whose prefix changes most, in the tables of prefixes."""

KEYS = ["model", "measure", "words", "region"]
"""What tells scores of one protocol apart."""

SCORE = Column("score", "{score:.4g}{mark}", "The score; C_w and C_z times 1000.")
CHANCE = (
    Column("permuted", ends("permuted", ".4g"), "The band of permutations of the model's vectors."),
    Column(
        "p (Holm)",
        "{p_holm:p} (of at least {least:p})",
        "Share of the permutations that give as much or more, after Holm's correction; and the smallest that "
        "so many permutations can give.",
    ),
)
IN_PRINT = tuple(
    Column(label, f"{{{order}:.4f}}{{{order}_doubt}}", f"What the paper prints, columns {label}.")
    for order, label in ORDERS.items()
)
TABLE1 = Table(
    "table1", ["model", "measure", "protocol"], [SCORE, *CHANCE, *IN_PRINT], across=["heading"], lines=True
)
TABLE2 = Table("table2", ["model", "protocol"], [SCORE, *IN_PRINT], across=["heading"], lines=True)
TABLE3, TABLE6 = (
    Table(name, ["model", "protocol", "words"], [SCORE, *IN_PRINT], across=["heading"], lines=True)
    for name in ("table3", "table6")
)
MOVES = "probability of the positive label"
PREDICTED = "texts predicted positive"
PREFIXED = ["classifier", "table", "whose"]
TABLE4 = Table(
    "table4",
    PREFIXED,
    [
        Column("texts", "{items:.0f}", "Number of labelled texts."),
        Column("accuracy", "{accuracy:.4f}", "Share of texts whose label is predicted."),
        Column("macro F1", "{macro_f1:.4f}", "Mean of F1 over the labels."),
        Column("rises", "{up:.0f}", "Texts of which it rises.", MOVES),
        Column("mean rise", "{mean_up:.4f}", "How much it rises in these, on average.", MOVES),
        Column("falls", "{down:.0f}", "Texts of which it falls.", MOVES),
        Column("mean fall", "{mean_down:.4f}", "How much it falls in these, on average.", MOVES),
    ],
    heads={"whose": "prefix"},
)
TABLE5 = Table(
    "table5",
    PREFIXED,
    [
        Column("to positive", "{to_positive:.4f}", "Percent of texts whose label becomes positive."),
        Column("to negative", "{to_negative:.4f}", "Percent of texts whose label becomes negative."),
        Column("both", "{changed:.4f}", "Percent of texts whose label changes."),
        Column("change", "{net:+.4f}", "Percent to positive less percent to negative.", PREDICTED),
        Column("beyond control", "{over_control:+.4f}", "The change less that of the control.", PREDICTED),
        Column(
            "p (Holm)", "{p_holm:p}", "Exact McNemar against the control, after Holm's correction.", PREDICTED
        ),
    ],
    heads={"whose": "prefix"},
)


def by_continent(
    results: RegionalResults, table: Table, measures: Sequence[str], words: Sequence[str]
) -> TableAndSheet:
    """Scores by continent and overall, down the lines of each, and below them what the paper prints.

    C_w and C_z are times 1000 in the sheet. The frame has the printed values on the scale of the scores.
    """
    rows = results.select(measures, words)
    scale = 1.0 if SPARSENESS in measures else THOUSAND
    printed = _printed(results, table.name)
    named = rows.assign(name=rows["region"].map(results.regions["name"]))
    named = named.merge(printed[[*KEYS, *ORDERS]], how="left", on=KEYS, validate="m:1")
    named = named.assign(**{f"printed_{order}": named.pop(order) / scale for order in ORDERS})
    of_rows = rows[["model", "measure"]].drop_duplicates()
    printed = of_rows.merge(printed[printed["region"].isin(rows["region"])], on=["model", "measure"])
    scaled = {name: rows[name] * scale for name in ("score", "permuted_low", "permuted_high")}
    lines = pd.concat([with_marks(rows.assign(**scaled), results.alpha), printed.assign(protocol=PRINTED)])
    lines = in_order(lines, model=rows["model"].unique(), measure=rows["measure"].unique())
    # a continent without any score would be a column of dashes
    heads = results.regions["headed"][[r for r in results.columns if r in set(rows["region"])]]
    heading = pd.Categorical(lines["region"].map(heads), heads.tolist())
    return named, table.captioned(lines.assign(heading=heading), results.captions)


def _printed(results: RegionalResults, table: str) -> pd.DataFrame:
    """What the paper prints in a table for the models of the study: KEYS, and for each of ORDERS the value
    and its mark of doubt."""
    models = pd.DataFrame(
        [(each.name, each.published) for each in results.models], columns=["model", "printed"]
    )
    rows = by_region(results.published, table).rename(columns={"model": "printed"})
    rows = models.dropna().astype("str").merge(rows, on="printed")
    rows = rows.assign(
        region=rows["region"].replace(OVERALL, results.root), doubt=np.where(rows["doubtful"], DOUBT, "")
    )
    first, second = (
        rows.loc[rows["order"] == order, [*KEYS, "value", "doubt"]].rename(
            columns={"value": order, "doubt": f"{order}_doubt"}
        )
        for order in ORDERS
    )
    return first.merge(second, how="left", on=KEYS)


def table4(results: RegionalResults) -> TableAndSheet:
    """Scores of classifiers, and how the probability of the positive label moves, with a region's prefix.

    The printed rows, of tables that the study has under the paper's names, come last.
    """
    printed = _printed_prefixes(results, "table4", ["prefix", "dataset"]).assign(classifier=PRINTED)
    rows = pd.concat([_most_changed(results), printed])
    return _named_in_print(results), TABLE4.captioned(rows, results.captions)


def table5(results: RegionalResults) -> TableAndSheet:
    """Percent of all texts whose predicted label changes with a region's prefix; as `table4`."""
    rows = _most_changed(results)
    rows = rows[rows["prefix"].notna()]
    shares = ("to_positive", "to_negative", "changed", "net", "over_control")
    printed = _printed_prefixes(results, "table5", ["model", "dataset", "prefix"])
    printed = printed.assign(
        classifier=PRINTED + ": " + printed["model"],
        changed=printed["to_positive"] + printed["to_negative"],
        net=printed["to_positive"] - printed["to_negative"],
    )
    rows = pd.concat([rows.assign(**{name: 100 * rows[name] for name in shares}), printed])
    return _named_in_print(results), TABLE5.captioned(rows, results.captions)


def _named_in_print(results: RegionalResults) -> pd.DataFrame:
    """The rows of prefixes with the column `in_print`: what the paper calls the prefix, if it has such."""
    in_print = [name_in_print(row, results.regions) for row in rows_of(results.prefixes)]
    return results.prefixes.assign(in_print=pd.Series(in_print, results.prefixes.index, dtype=object))


def name_in_print(row: Any, regions: pd.DataFrame) -> str | None:
    """What the paper calls the prefix of a row: a region, with the one around it where the prefix names that
    too, all countries, all but one, or none; None for what it does not have. regions: by region."""
    if row.level in (NO_PREFIX, CONTROL):
        return "no prefix" if row.level == NO_PREFIX else None
    if not pd.isna(row.region):
        parent = regions["parent"][row.region] if PARENT in places_of(row.template) else None
        return ", ".join(regions["name"][region] for region in (row.region, parent) if region)
    if row.level != COUNTRY:
        return None
    return "all countries" if pd.isna(row.without) else f"without {regions['name'][row.without]}"


def _printed_prefixes(results: RegionalResults, table: str, keys: list[str]) -> pd.DataFrame:
    """What the paper prints of prefixes, on tables that the study has: the keys, and columns of PREFIXES."""
    rows = results.published
    rows = rows[(rows["table"] == table) & rows["dataset"].isin(results.prefixes["table"])]
    values = rows.assign(quantity=rows["quantity"].map(QUANTITIES))
    frame = values.pivot_table(index=keys, columns="quantity", values="value", sort=False).reset_index()
    frame = frame.reindex(columns=[*keys, *QUANTITIES.values()])
    return frame.rename(columns={"dataset": "table", "prefix": "whose"})


def _most_changed(results: RegionalResults) -> pd.DataFrame:
    """Rows that are not of one region, and for each classifier and table the MOST regions that change most
    labels, these in that order; with the columns changed, the share of labels, and whose prefix it is."""
    rows = results.prefixes
    rows = rows.assign(
        classifier=rows["classifier"].map(results.called),
        changed=rows["to_positive"] + rows["to_negative"],
        whose=[_whose(row, results.regions["name"]) for row in rows_of(rows)],
    )
    parts = [rows[:0]]
    for _, part in rows.groupby(["classifier", "table"], sort=False):
        other = part["region"].isna() | (part["level"] == CONTROL)
        of_one = part[~other].sort_values("changed", ascending=False, kind="stable")
        parts += [part[other], of_one[:MOST]]
    return pd.concat(parts)


def _whose(row: Any, names: "pd.Series[str]") -> str:
    if row.level == NO_PREFIX:
        return "no prefix"
    if row.level == CONTROL:
        return f"{row.region} (no region)"
    if not pd.isna(row.region):
        return str(names[row.region])
    without = "" if pd.isna(row.without) else f" without {names[row.without]}"
    return f"all of level {row.level}{without}: {row.prefix}"


MAKERS: Mapping[str, Callable[[RegionalResults], TableAndSheet]] = {
    "table1": lambda results: by_continent(results, TABLE1, [C_W, C_Z], [FULL]),
    "table2": lambda results: by_continent(results, TABLE2, [SPARSENESS], [FULL]),
    "table3": lambda results: by_continent(results, TABLE3, [C_W], results.word_sets(WITHOUT)),
    "table4": table4,
    "table5": table5,
    "table6": lambda results: by_continent(results, TABLE6, [C_W], results.word_sets(REPLACE)),
}
"""The tables by name."""
