"""What is shown of regional bias: HERB's Tables 1 to 6 beside printed values, its figures, and findings."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from unmask.regional import charts
from unmask.regional.results import ORDERS, QUANTITIES, RegionalResults
from unmask.regional.terms import C_W, C_Z, CONTROL, COUNTRY, FULL, PROTOCOLS, REPLACE, SPARSENESS, WITHOUT
from unmask.regional.wording import PARENT
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.findings import Finding, Row, span
from unmask.report.presenting import Presentation, captioned
from unmask.report.published import DOUBT, doubts
from unmask.report.sections import Fold, Items, Text
from unmask.report.sheets import number, rows_of
from unmask.report.study import UNTRAINED
from unmask.report.table_files import TableAndSheet

PRINTED = "printed"
"""Where a protocol or a classifier is named: what the paper prints."""

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
    where="in_print != 'no prefix'",
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


def _plural(level: object) -> str:
    return f"{str(level)[:-1]}ies" if str(level).endswith("y") else f"{level}s"


def _scores(results: RegionalResults) -> Iterator[Row]:
    """By model and level, which regions have children that differ by more than chance."""
    rows = results.select(regions=list(results.regions.index), protocols=(results.main_protocol,))
    for (model, level), part in rows.dropna(subset="p").groupby(["model", "level"], sort=False):
        clear = part[part["p_holm"] < results.alpha]
        below = results.regions["level"][results.regions["parent"].isin(part["region"])]
        yield {
            "model": model,
            "protocol": results.main_protocol,
            "alpha": results.alpha,
            "regions": len(part),
            "level": _plural(level),
            "below": _plural(below.iloc[0]),
            "clear": clear["region"].map(results.regions["name"]),
            "least": part["least"].iloc[0],
        }


def _untrained(results: RegionalResults) -> Iterator[Row]:
    if names := [model.name for model in results.models if model.source == UNTRAINED]:
        yield {"names": names}


def _taus(results: RegionalResults) -> Iterator[Row]:
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
        yield {"taus": spans, "regions": len(children)}


def _series(results: RegionalResults) -> Iterator[Row]:
    """How the overall score moves while a model is trained on sentences about regions."""
    rows = results.select(regions=[results.root], protocols=(results.main_protocol,)).dropna(subset="score")
    overall = dict(zip(rows["model"], rows["score"] * charts.THOUSAND, strict=True))
    for each in results.series:
        steps = [step for step in each["models"] if step["model"] in overall]
        if len(steps) > 1:
            yield {
                "name": each["name"],
                "epochs": float(steps[-1]["epoch"]),
                "score": f"{charts.SCORE} ({results.main_protocol})",
                "ends": [overall[step["model"]] for step in (steps[0], steps[-1])],
            }


def _prefixes(results: RegionalResults) -> Iterator[Row]:
    """Whose prefixes change the share of texts predicted positive otherwise than the control does."""
    tested, names = results.prefixes.dropna(subset="p"), results.regions["name"]
    for (classifier, table, level), rows in tested.groupby(["classifier", "table", "level"], sort=False):
        clear = rows[rows["p_holm"] < results.alpha]
        clear = clear.sort_values("over_control", key=abs, ascending=False, kind="stable")
        yield {
            "classifier": results.called(str(classifier)),
            "table": table,
            "level": _plural(level),
            "regions": len(rows),
            "alpha": results.alpha,
            "clear": [
                f"{names[row.region]} ({number(100 * row.over_control, 1, signed=True)} points)"
                for row in rows_of(clear)
            ],
        }


def _names(results: RegionalResults) -> Iterator[Row]:
    """Names that several regions have: one sentence is about all of them."""
    names = results.regions["name"]
    if (shared := names[names.duplicated(keep=False)]).size:
        yield {"shared": shared.nunique(), "of": len(shared)}


FINDINGS: tuple[Finding[RegionalResults], ...] = (
    Finding(
        "scores",
        _scores,
        """{{ model }}: {{ below }} differ by more than chance in {{ clear | length | none }} of {{ regions }}
        {{ level }} (C_w {{ protocol }}, {{ say.significant(alpha) }}){% if clear | length %}:
        {{ clear | listed(6) }}{% endif %}.
        {%- if least >= alpha %} No p can be below {{ least | p }} with so few permutations.{% endif %}""",
    ),
    Finding(
        "untrained",
        _untrained,
        """{{ say.untrained(names) }}. {{ names | many("Its", "Their") }} scores show what the tree and the
        tokens of names alone give.""",
    ),
    Finding(
        "tree",
        _taus,
        """Kendall's tau of C_w with one over the number of pairs of children, over {{ regions }} continents:
        {{ taus | join(", ") }}. Near +1 a ranking is that of the tree, not of the model.""",
    ),
    Finding(
        "series",
        _series,
        """{{ name }}: over {{ epochs | g }} epochs of training on sentences about regions, the overall
        {{ score }} goes from {{ ends[0] | number }} to {{ ends[1] | number }}.""",
    ),
    Finding(
        "prefixes",
        _prefixes,
        """{{ classifier }} on {{ table }}: naming {{ clear | length }} of {{ regions }} {{ level }} changes
        the share of positive predictions otherwise than a prefix without a place does
        ({{ say.significant(alpha) }}){% if clear %}: {{ clear | listed(6) }}{% endif %}.""",
    ),
    Finding(
        "names",
        _names,
        """{{ shared }} {{ shared | many("name stands", "names stand") }} for {{ of }} regions, which one
        sentence is about.""",
    ),
)

BY_MODEL = ("model", "protocol", "words")
TABLES = {
    "table1": lambda results: by_continent(
        results, "table1", ["model", "measure", "protocol"], [C_W, C_Z], [FULL]
    ),
    "table2": lambda results: by_continent(results, "table2", ["model", "protocol"], [SPARSENESS], [FULL]),
    "table3": lambda results: by_continent(results, "table3", BY_MODEL, [C_W], results.word_sets(WITHOUT)),
    "table4": lambda results: of_prefixes(results, TABLE4, ["prefix", "dataset"]),
    "table5": lambda results: of_prefixes(results, TABLE5, ["model", "dataset", "prefix"]),
    "table6": lambda results: by_continent(results, "table6", BY_MODEL, [C_W], results.word_sets(REPLACE)),
}
TITLES = {
    "table1": "HERB, Table 1: C_w and C_z, with bands",
    "table2": "HERB, Table 2: cluster sparseness, without levels",
    "table3": "HERB, Table 3: without the words of a topic",
    "table4": "HERB, Table 4: a region's prefix and classifiers",
    "table5": "HERB, Table 5: labels that change",
    "table6": "HERB, Table 6: with the words of a topic replaced",
}


def explained(results: RegionalResults) -> Fold:
    """How numbers are computed, and which printed ones are doubtful."""
    fold = results.captions.computed("regional")
    doubtful = Text(f"{results.captions['doubts']}:"), Items(doubts(results.published))
    return replace(fold, blocks=(*fold.blocks, *doubtful))


PRESENTS = Presentation(
    RegionalResults,
    TABLES,
    charts.CHARTS,
    heading="Regional bias",
    findings=FINDINGS,
    captions=captioned(charts.CHARTS),
    titles=TITLES,
    explained=explained,
)
