"""What is shown of regional bias: HERB's Tables 1 to 6 beside printed values, and its figures."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from unmask.regional import charts
from unmask.regional.results import ORDERS, QUANTITIES, RegionalResults
from unmask.regional.terms import C_W, C_Z, CONTROL, COUNTRY, FULL, PROTOCOLS, REPLACE, SPARSENESS, WITHOUT
from unmask.regional.wording import PARENT
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.presenting import Presentation
from unmask.report.published import DOUBT
from unmask.report.sections import OTHER_TESTS
from unmask.report.sheets import TableAndSheet, number, rows_of
from unmask.report.study import UNTRAINED
from unmask.report.topics import Topic, clear
from unmask.report.wording import listed, many, records, span

PRINTED = "printed"
"""Where a protocol or a classifier is named: what the paper prints."""

MOST, NAMED = 10, 6
"""Regions whose prefix changes most, in the tables of prefixes; and those that a sentence names."""

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
    Column(label, f"{{{order}}}", f"What the paper prints, columns {label}.")
    for order, label in ORDERS.items()
)
MOVES = "probability of the positive label"
PREDICTED = "texts predicted positive"
PREFIXED, HEADS = ["classifier", "table", "in_print"], {"in_print": "prefix"}
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
    heads=HEADS,
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
        Column("p (Holm)", "{p_holm:p}", "Exact McNemar against the control, Holm-corrected.", PREDICTED),
    ],
    heads=HEADS,
)


def by_continent(
    results: RegionalResults, name: str, keys: Sequence[str], measures: Sequence[str], words: Sequence[str]
) -> TableAndSheet:
    """Scores by continent and overall, down the lines of each of `keys`; below them what the paper prints.

    C_w and C_z are times 1000 in the sheet. The frame has the printed values on the scale of the scores.
    """
    rows, printed = results.select(measures, words), results.printed(name)
    scale = 1.0 if SPARSENESS in measures else charts.THOUSAND
    printed["text"] = printed["value"].map("{:.4f}".format).astype(str) + np.where(
        printed["doubtful"], DOUBT, ""
    )
    values, texts = (
        printed.pivot(index=KEYS, columns="order", values=of).reindex(columns=[*ORDERS])
        for of in ("value", "text")
    )
    frame = rows.assign(name=rows["region"].map(results.regions["name"]))
    frame = frame.join(values.astype(float).div(scale).add_prefix("printed_"), on=KEYS)
    below = texts.reset_index().merge(rows[["model", "measure", "region"]].drop_duplicates())
    scaled = {name: rows[name] * scale for name in ("score", "permuted_low", "permuted_high")}
    lines = pd.concat([with_marks(rows.assign(**scaled), results.alpha), below.assign(protocol=PRINTED)])
    lines = in_order(lines, model=rows["model"].unique(), measure=rows["measure"].unique())
    # a continent without any score would be a column of dashes
    heads = results.regions["headed"][[r for r in results.columns if r in set(rows["region"])]]
    lines["heading"] = pd.Categorical(lines["region"].map(heads), heads.tolist())
    columns = [SCORE, *(CHANCE if C_Z in measures else ()), *IN_PRINT]
    table = Table(name, keys, columns, across=["heading"], lines=True)
    return frame, table.captioned(lines, results.captions)


def of_prefixes(results: RegionalResults, table: Table, keys: list[str]) -> TableAndSheet:
    """What prefixes do, and below it what the paper prints of tables of the study's names, by `keys`.

    The sheet has the MOST regions that change most labels, and shares of labels in percent, as the paper. The
    frame has all, with the column `in_print`.
    """
    rows, printed = results.prefixes, results.published
    rows = rows.assign(in_print=[name_in_print(row, results.regions) for row in rows_of(rows)])
    lines = rows.assign(changed=rows["to_positive"] + rows["to_negative"])
    together = rows["region"].isna() | (rows["level"] == CONTROL)
    rank = lines[~together].groupby(["classifier", "table"])["changed"].rank(method="first", ascending=False)
    lines = pd.concat([lines[together], lines.loc[rank[rank <= MOST].sort_values().index]])
    lines = lines.sort_values(["classifier", "table"], kind="stable")
    if table is TABLE5:
        # without a prefix no label changes
        lines = lines[lines["template"].notna()]
    percent = ["to_positive", "to_negative", "changed", "net", "over_control"]
    lines = lines.assign(classifier=lines["classifier"].map(results.called), **(100 * lines[percent]))
    printed = printed[(printed["table"] == table.name) & printed["dataset"].isin(rows["table"])]
    printed = printed.pivot_table(index=keys, columns="quantity", values="value", sort=False).reset_index()
    printed = printed.reindex(columns=[*keys, *QUANTITIES])
    printed = printed.rename(columns={"dataset": "table", "prefix": "in_print"}).assign(
        classifier=PRINTED + (": " + printed["model"] if "model" in printed else ""),
        changed=printed["to_positive"] + printed["to_negative"],
        net=printed["to_positive"] - printed["to_negative"],
    )
    return rows, table.captioned(pd.concat([lines, printed]), results.captions)


def name_in_print(row: Any, regions: pd.DataFrame) -> str:
    """What the paper calls the prefix of a row: a region, with the one around it where the prefix names that
    too, all countries, all but one, or none. regions: by region. Of others, a name of our own."""
    if not pd.isna(row.region) and row.level != CONTROL:
        parent = regions["parent"][row.region] if PARENT in row.template else None
        return ", ".join(regions["name"][region] for region in (row.region, parent) if region)
    if not pd.isna(row.region):
        return f"{row.region} (no region)"
    if pd.isna(row.template):
        return "no prefix"
    if not pd.isna(row.without):
        return f"without {regions['name'][row.without]}"
    return "all countries" if row.level == COUNTRY else f"all of level {row.level}: {row.template}"


def tau_with_pairs(scores: "pd.Series[float]", children: "pd.Series[int]") -> float:
    """Kendall's tau-b between the scores of regions and one over their numbers of pairs of children.

    Equation 8 divides by that number, though the weights of equation 9 sum to one already. nan for fewer than
    three regions with a pair.
    """
    known = scores.notna() & (children > 1)
    if known.sum() < 3:
        return math.nan
    pairs = children[known] * (children[known] - 1) / 2
    return float(kendalltau(scores[known], 1 / pairs).statistic)


def says_of_scores(results: RegionalResults) -> Iterator[str]:
    """How many regions have children that differ by more than chance, and which; what was never trained."""
    rows = results.select(regions=list(results.regions.index), protocols=(results.main_protocol,))
    rows = rows.dropna(subset="p")
    if len(rows):
        differences = f"differences within a region (C_w {results.main_protocol})"
        named = rows["region"].map(results.regions["name"]) + " of " + rows["model"].astype(str)
        beyond = named[rows["p_holm"] < results.alpha]
        which = f" These are {listed(beyond, NAMED)}." if len(beyond) else ""
        yield clear(rows, differences, results.alpha) + which
        if few := int((rows["least"] >= results.alpha).sum()):
            yield f"Of {few} no p can be below {results.alpha:g} with so few permutations."
    if untrained := [model.name for model in results.models if model.source == UNTRAINED]:
        yield (
            f"{listed(untrained)} {many(untrained, 'has', 'have')} random weights: such scores are what the "
            "tree and the tokens of names alone give."
        )


def says_of_tree(results: RegionalResults) -> Iterator[str]:
    """Which protocol ranks continents by their number of children alone; and what the paper prints."""
    children = results.regions["children"][results.continents]
    printed = results.printed("table1").rename(columns={"order": "protocol", "value": "score"})
    rows = pd.concat([results.select(), printed[printed["measure"] == C_W]])
    spans = []
    for protocol in (*PROTOCOLS, *ORDERS):
        parts = rows[rows["protocol"] == protocol].set_index("region").groupby("model", sort=False)["score"]
        taus = [tau_with_pairs(part.reindex(children.index), children) for _, part in parts]
        if known := [tau for tau in taus if not math.isnan(tau)]:
            named = f"in print ({ORDERS[protocol]})" if protocol in ORDERS else protocol
            spans.append(f"{named} {span(min(known), max(known), signed=True)}")
    if spans and len(children) > 3:
        yield (
            f"Kendall's tau of C_w with one over the number of pairs of children, over {len(children)} "
            f"continents: {', '.join(spans)}. Near +1 a ranking is that of the tree, not of the model."
        )


def says_of_series(results: RegionalResults) -> Iterator[str]:
    """How the overall score moves while a model is trained on sentences about regions."""
    rows = results.select(regions=[results.root], protocols=(results.main_protocol,)).dropna(subset="score")
    overall = dict(zip(rows["model"], rows["score"] * charts.THOUSAND, strict=True))
    for each in results.series:
        steps = [step for step in each["models"] if step["model"] in overall]
        if len(steps) > 1:
            first, last = (number(overall[step["model"]]) for step in (steps[0], steps[-1]))
            yield (
                f"{each['name']}: over {steps[-1]['epoch']:g} epochs of training on sentences about regions, "
                f"the overall {charts.SCORE} ({results.main_protocol}) goes from {first} to {last}."
            )


def says_of_prefixes(results: RegionalResults) -> Iterator[str]:
    """Whose prefixes change the share of texts predicted positive otherwise than the control does."""
    rows = results.prefixes.dropna(subset="p")
    if len(rows):
        changes = "changes of the share of positive predictions by naming a region"
        yield clear(rows, changes, results.alpha)
        (most,) = records(rows.loc[[rows["over_control"].abs().idxmax()]])
        yield (
            f"The largest beyond that of a prefix without a place is of "
            f"{results.regions['name'][most['region']]} for {results.called(most['classifier'])} on "
            f"{most['table']}: {number(100 * most['over_control'], 1, signed=True)} points."
        )


BY_MODEL = ("model", "protocol", "words")


def _of_paper(
    name: str,
    title: str,
    make: Callable[[RegionalResults], TableAndSheet],
    says: Callable[[RegionalResults], Iterable[str]] = lambda results: (),
) -> Topic[RegionalResults]:
    """A table of the paper."""
    return Topic(
        name,
        f"HERB, {title}",
        lambda results: make(results)[0],
        lambda results, rows: make(results)[1],
        says=says,
    )


TOPIC = Topic[RegionalResults](
    "regional",
    "Regional bias",
    draws=charts.scores,
    says=says_of_scores,
    group=OTHER_TESTS,
    file="scores",
    more=(
        _of_paper(
            "table1",
            "Table 1: C_w and C_z, with bands",
            lambda results: by_continent(
                results, "table1", ["model", "measure", "protocol"], [C_W, C_Z], [FULL]
            ),
            says_of_tree,
        ),
        _of_paper(
            "table2",
            "Table 2: cluster sparseness, without levels",
            lambda results: by_continent(results, "table2", ["model", "protocol"], [SPARSENESS], [FULL]),
        ),
        _of_paper(
            "table3",
            "Table 3: without the words of a topic",
            lambda results: by_continent(results, "table3", BY_MODEL, [C_W], results.word_sets(WITHOUT)),
        ),
        _of_paper(
            "table6",
            "Table 6: with the words of a topic replaced",
            lambda results: by_continent(results, "table6", BY_MODEL, [C_W], results.word_sets(REPLACE)),
        ),
        Topic("word_map", "HERB, Figure 1: likelihoods by country", draws=charts.word_map),
        Topic("names", "HERB, Figure 3: vectors of names", draws=charts.names),
        Topic("series", "HERB, Figure 5: further training", draws=charts.series, says=says_of_series),
        _of_paper(
            "table4",
            "Table 4: a region's prefix and classifiers",
            lambda results: of_prefixes(results, TABLE4, ["prefix", "dataset"]),
        ),
        _of_paper(
            "table5",
            "Table 5: labels that change",
            lambda results: of_prefixes(results, TABLE5, ["model", "dataset", "prefix"]),
            says_of_prefixes,
        ),
        Topic("positive_map", "HERB, Figure 4: positive predictions by country", draws=charts.positive_map),
    ),
)

PRESENTS = Presentation(RegionalResults, [TOPIC])
