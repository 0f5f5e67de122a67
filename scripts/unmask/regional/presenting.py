"""What is shown of regional bias: HERB's Tables 1 to 6 beside printed values, and its figures."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from unmask.regional import charts
from unmask.regional.results import ORDERS, RegionalResults
from unmask.regional.terms import C_W, C_Z, CONTROL, FULL, PROTOCOLS, REPLACE, SPARSENESS, WITHOUT
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.study_results import DOUBT
from unmask.report.tables import Column, Sheet, Table, ends, with_marks
from unmask.report.wording import listed, span

MOST, NAMED = 10, 6
"""Regions whose prefix changes most, in the tables of prefixes; and those that a sentence names."""

KEYS = ["model", "measure", "words", "region"]
"""What tells scores of one protocol apart."""

SCORES = (
    Column("score", "{score:.4g}{mark}"),
    Column("permuted", ends("permuted", ".4g")),
    Column("p (Holm)", "{p_holm:p} (of at least {least:p})"),
    *(
        Column(f"printed ({named})", f"{{printed_{order}:.4f}}{{doubt_{order}}}")
        for order, named in ORDERS.items()
    ),
)
SCALED = ["score", "permuted_low", "permuted_high", *(f"printed_{order}" for order in ORDERS)]
MOVES = "probability of the positive label"
PREDICTED = "texts predicted positive"
PREFIXED, HEADS = ("classifier", "table", "in_print"), {"in_print": "prefix"}
TABLE4 = Table(
    "table4",
    PREFIXED,
    [
        Column("texts", "{items:.0f}"),
        Column("accuracy", "{accuracy:.4f}"),
        Column("macro F1", "{macro_f1:.4f}"),
        Column("rises", "{up:.0f}", MOVES),
        Column("mean rise", "{mean_up:.4f}", MOVES),
        Column("falls", "{down:.0f}", MOVES),
        Column("mean fall", "{mean_down:.4f}", MOVES),
    ],
    heads=HEADS,
)
TABLE5 = Table(
    "table5",
    PREFIXED,
    [
        Column("to positive", "{to_positive:.4f}"),
        Column("to negative", "{to_negative:.4f}"),
        Column("change", "{net:+.4f}", PREDICTED),
        Column("beyond control", "{over_control:+.4f}", PREDICTED),
        Column("p (Holm)", "{p_holm:p}", PREDICTED),
    ],
    heads=HEADS,
)
PERCENT = ["to_positive", "to_negative", "net", "over_control"]


def by_continent(
    results: RegionalResults, name: str, measures: Sequence[str], words: Sequence[str]
) -> pd.DataFrame:
    """Scores by continent and overall, and beside them, of one scale, what a table of the paper prints."""
    rows, printed = results.select(measures, words), results.printed(name)
    rows = rows.assign(name=rows["region"].map(results.regions["name"]))
    printed["value"] /= _scale(printed)
    printed["doubtful"] = printed["doubtful"].map({True: DOUBT, False: ""})
    for order in ORDERS:
        named = {order: "region", "value": f"printed_{order}", "doubtful": f"doubt_{order}"}
        columns = [*KEYS[:3], *named]
        rows = rows.merge(printed[columns].rename(columns=named), how="left", on=KEYS)
    return rows


def _scale(rows: pd.DataFrame) -> "pd.Series[float]":
    return rows["measure"].eq(SPARSENESS).map({True: 1.0, False: charts.THOUSAND})


def continents_sheet(results: RegionalResults, name: str, rows: pd.DataFrame) -> Sheet:
    """The same with continents across; C_w and C_z times 1000, and printed values once for all protocols."""
    heads = results.regions["headed"][results.columns]
    lines = with_marks(rows, results.alpha)
    lines[SCALED] = lines[SCALED].mul(_scale(rows), axis=0)
    lines["heading"] = pd.Categorical(rows["region"].map(heads), heads)
    lines.loc[rows.duplicated(KEYS), SCALED[3:]] = np.nan
    varying = [key for key in ("measure", "words") if rows[key].nunique() > 1]
    table = Table(name, ["model", *varying, "protocol"], SCORES, across=["heading"], lines=True)
    return table.captioned(lines, results.captions)


def prefixes_sheet(results: RegionalResults, table: Table, rows: pd.DataFrame) -> Sheet:
    """What prefixes do, and below it what the paper prints of tables of these names.

    Those of no region and of all together come first, and then the MOST regions that change most labels;
    shares of labels are in percent, as in the paper.
    """
    of_one = rows["region"].notna() & (rows["level"] != CONTROL)
    changed = (rows["to_positive"] + rows["to_negative"]).where(of_one)
    rank = changed.groupby([rows["classifier"], rows["table"]]).rank(method="first", ascending=False)
    lines = rows.assign(rank=rank.fillna(0))
    lines = lines[lines["rank"] <= MOST].sort_values(["classifier", "table", "rank"], kind="stable")
    if table is TABLE5:
        # without a prefix no label changes
        lines = lines[lines["template"].notna()]
    lines[PERCENT] *= 100
    printed = results.published
    printed = printed[(printed["table"] == table.name) & printed["dataset"].isin(rows["table"])]
    printed = printed.fillna({"model": ""}).pivot_table(
        index=["model", "dataset", "prefix"], columns="quantity", values="value", sort=False
    )
    printed = printed.reset_index().rename(columns={"dataset": "table", "prefix": "in_print"})
    printed["classifier"] = ("printed: " + printed["model"]).str.removesuffix(": ")
    return table.captioned(pd.concat([lines, printed]), results.captions)


def says_of_scores(results: RegionalResults) -> Iterator[str]:
    """How many regions have children that differ by more than chance, and which."""
    rows = results.select(regions=list(results.regions.index), protocols=(results.main_protocol,))
    rows = rows.dropna(subset="p")
    if len(rows):
        named = rows["region"].map(results.regions["name"]) + " of " + rows["model"].astype(str)
        beyond = named[rows["p_holm"] < results.alpha]
        which = f" These are {listed(beyond, NAMED)}." if len(beyond) else ""
        what = f"differences within a region (C_w {results.main_protocol})"
        yield clear(rows, what, results.alpha) + which


def says_of_tree(results: RegionalResults) -> Iterator[str]:
    """Whether continents are ranked by their number of pairs of children alone, and are so in print.

    Equation 8 divides by that number, though the weights of equation 9 sum to one already.
    """
    rows, spans = by_continent(results, "table1", [C_W], [FULL]), []
    rows = rows[rows["region"] != results.root]
    rows["shares"] = 2 / (rows["children"] * (rows["children"] - 1)).where(rows["children"] > 1)
    ranked = [(protocol, rows[rows["protocol"] == protocol], "score") for protocol in PROTOCOLS]
    once = rows.drop_duplicates(KEYS)
    ranked += [(f"printed ({named})", once, f"printed_{order}") for order, named in ORDERS.items()]
    for named, part, column in ranked:
        of_models = [each.dropna(subset=[column, "shares"]) for _, each in part.groupby("model", sort=False)]
        taus = [kendalltau(each[column], each["shares"]).statistic for each in of_models if len(each) > 2]
        if taus:
            spans.append(f"{named} {span(min(taus), max(taus), signed=True)}")
    if spans and len(results.continents) > 3:
        yield (
            f"Kendall's tau of C_w with one over the number of pairs of children, over "
            f"{len(results.continents)} continents: {', '.join(spans)}. Near +1 a ranking is that of the "
            "tree, not of the model."
        )


def says_of_prefixes(results: RegionalResults) -> Iterator[str]:
    """Whose prefixes change the share of texts predicted positive otherwise than the control does."""
    rows = results.prefixes.dropna(subset="p")
    if len(rows):
        yield clear(rows, "changes of the share of positive predictions by naming a region", results.alpha)


Says = Callable[[RegionalResults], Iterable[str]]


def _of_continents(
    name: str, title: str, measures: Sequence[str], start: str = "", says: Says = lambda results: ()
) -> Topic[RegionalResults]:
    """One of Tables 1, 2, 3 and 6. start: of the sets of words; "" for all words alone."""
    return Topic(
        name,
        f"HERB, {title}",
        lambda results: by_continent(results, name, measures, results.word_sets(start) if start else [FULL]),
        lambda results, rows: continents_sheet(results, name, rows),
        says=says,
    )


def _of_prefixes(table: Table, title: str, says: Says = lambda results: ()) -> Topic[RegionalResults]:
    """One of Tables 4 and 5."""
    return Topic(
        table.name,
        f"HERB, {title}",
        lambda results: results.prefixes,
        lambda results, rows: prefixes_sheet(results, table, rows),
        says=says,
    )


TOPIC = Topic[RegionalResults](
    "regional",
    "Regional bias",
    draws=charts.scores,
    says=says_of_scores,
    file="scores",
    more=(
        _of_continents("table1", "Table 1: C_w and C_z, with bands", [C_W, C_Z], says=says_of_tree),
        _of_continents("table2", "Table 2: cluster sparseness, without levels", [SPARSENESS]),
        _of_continents("table3", "Table 3: without the words of a topic", [C_W], WITHOUT),
        _of_continents("table6", "Table 6: with the words of a topic replaced", [C_W], REPLACE),
        Topic("word_map", "HERB, Figure 1: likelihoods by country", draws=charts.word_map),
        Topic("names", "HERB, Figure 3: vectors of names", draws=charts.names),
        Topic("series", "HERB, Figure 5: further training", draws=charts.series),
        _of_prefixes(TABLE4, "Table 4: a region's prefix and classifiers"),
        _of_prefixes(TABLE5, "Table 5: labels that change", says_of_prefixes),
        Topic("positive_map", "HERB, Figure 4: positive predictions by country", draws=charts.positive_map),
    ),
)

PRESENTS = Presentation(RegionalResults, [TOPIC])
