"""What the numbers of regional bias say: the sentences of its section."""

import math
from collections.abc import Iterator

import pandas as pd
from scipy.stats import kendalltau

from unmask.regional.charts import SCORE as SCORED
from unmask.regional.charts import THOUSAND
from unmask.regional.published import ORDERS, by_region
from unmask.regional.results import RegionalResults
from unmask.regional.terms import (
    C_W,
    PROTOCOLS,
)
from unmask.report.findings import Finding, Row, span
from unmask.report.sheets import number, rows_of
from unmask.report.study import UNTRAINED


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


def _plural(level: str) -> str:
    return f"{level[:-1]}ies" if level.endswith("y") else f"{level}s"


def _scores(results: RegionalResults) -> Iterator[Row]:
    """By model and level, which regions have children that differ by more than chance."""
    rows = results.select(regions=list(results.regions.index), protocols=(results.main_protocol,))
    levels = results.regions["level"]
    for (model, level), part in rows.dropna(subset="p").groupby(["model", "level"], sort=False):
        clear = part[part["p_holm"] < results.alpha]
        below = results.regions["parent"].isin(part["region"])
        yield {
            "model": model,
            "protocol": results.main_protocol,
            "alpha": results.alpha,
            "regions": len(part),
            "level": _plural(str(level)),
            "below": _plural(str(levels[below].iloc[0])),
            "clear": clear["region"].map(results.regions["name"]),
            "least": part["least"].iloc[0],
        }


def _untrained(results: RegionalResults) -> Iterator[Row]:
    if names := [model.name for model in results.models if model.source == UNTRAINED]:
        yield {"names": names}


def _taus(results: RegionalResults) -> Iterator[Row]:
    """Which protocol ranks continents by their number of children alone; and what the paper prints."""
    rows = results.select(regions=results.continents)
    taus = {
        key: tau_with_pairs(part["score"], part["children"])
        for key, part in rows.groupby(["protocol", "model"], sort=False)
    }
    spans = []
    for protocol in PROTOCOLS:
        some = [tau for (of, _), tau in taus.items() if of == protocol and not math.isnan(tau)]
        if some:
            spans.append(f"{protocol} {span(min(some), max(some), signed=True)}")
    printed = by_region(results.published, "table1")
    printed = printed[(printed["measure"] == C_W) & printed["region"].isin(results.continents)]
    printed = printed.reset_index(drop=True)
    children = printed["region"].map(results.regions["children"])
    for order, label in ORDERS.items():
        parts = printed[printed["order"] == order].groupby("model", sort=False)
        some = [tau_with_pairs(part["value"], children[part.index]) for _, part in parts]
        if some and not any(map(math.isnan, some)):
            spans.append(f"in print ({label}) {span(min(some), max(some), signed=True)}")
    if spans and len(results.continents) > 3:
        yield {"taus": spans, "regions": len(results.continents)}


def _series(results: RegionalResults) -> Iterator[Row]:
    """How the overall score moves while a model is trained on sentences about regions."""
    rows = results.select(regions=[results.root], protocols=(results.main_protocol,)).dropna(subset="score")
    overall = dict(zip(rows["model"], rows["score"] * THOUSAND, strict=True))
    for each in results.series:
        steps = sorted(each["models"], key=lambda step: float(step["epoch"]))
        steps = [step for step in steps if step["model"] in overall]
        if len(steps) > 1:
            yield {
                "name": each["name"],
                "epochs": float(steps[-1]["epoch"]),
                "score": f"{SCORED} ({results.main_protocol})",
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
            "level": _plural(str(level)),
            "regions": len(rows),
            "alpha": results.alpha,
            "clear": [
                f"{names[row.region]} ({number(100 * row.over_control, 1, signed=True)} points)"
                for row in rows_of(clear)
            ],
        }


def _names(results: RegionalResults) -> Iterator[Row]:
    """Names that several regions have, and regions without a pair of children."""
    rows = results.regions
    shared = rows["name"][rows["name"].duplicated(keep=False)]
    without = rows.index[(rows["children"] < 2) & rows["level"].isin(rows["level"][rows["children"] > 0])]
    if len(shared) or len(without):
        names = rows["name"]
        yield {"shared": shared.nunique(), "of": len(shared), "without": names[without].tolist()}


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
        """{% if shared %}{{ shared }} {{ shared | many("name stands", "names stand") }} for {{ of }} regions,
        which one sentence is about.{% endif %}
        {%- if without %} No C_w without a pair of children: {{ without | listed(5) }}.{% endif %}""",
    ),
)
"""What the section says, in this order."""
