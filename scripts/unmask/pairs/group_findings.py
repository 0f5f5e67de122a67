"""Which bias types a model prefers the stereotype for, and whose stereotypes it prefers."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.measures.names import title_of
from unmask.pairs.judging import FOOLED
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import CLEAR, can_be_tested
from unmask.report.findings import Finding, Row, records, span
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.ranks import holm
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION
from unmask.terms import ANTISTEREO, CORRECTED, STEREO

MOST = 2
"""Of so many models and benchmarks there is a sentence each; the tables have all."""


def _scores(results: PairResults, grouping: str) -> pd.DataFrame:
    """The scores of trained models by one grouping, protocol corrected."""
    rows = results.original
    rows = rows[(rows["grouping"] == grouping) & (rows["protocol"] == CORRECTED) & rows["score"].notna()]
    return results.study.of_trained(rows)


def highest_types(results: PairResults) -> Iterator[Row]:
    """Of each trained model and benchmark the testable bias types with the highest and the lowest score,
    under the headline measure."""
    rows = can_be_tested(_scores(results, BIAS_TYPE))
    judged = results.judgements
    judged = judged[judged["judgement"] == FOOLED]
    fooled = {
        tuple(key) for key in judged[["model", "benchmark", "measure", "bias_type"]].itertuples(index=False)
    }
    parts = results.of_headline(rows).groupby(["model", "benchmark"], sort=False, observed=True)
    for (model, benchmark), part in list(parts)[:MOST]:
        ordered = records(part.sort_values("score", ascending=False, kind="stable"))
        clear = [row for row in ordered if row["verdict"] == CLEAR]
        yield {
            "title": title_of(results.headline_of(str(model))),
            "model": model,
            "benchmark": benchmark,
            "highest": ordered[0],
            "lowest": ordered[-1] if len(ordered) > 1 else None,
            "types": len(ordered),
            "clear": len(clear),
            "towards": [row["group"] for row in clear if row["score"] > NO_PREFERENCE],
            "against": [row["group"] for row in clear if row["score"] < NO_PREFERENCE],
            "fooled": [
                row["group"] for row in clear if (model, benchmark, row["measure"], row["group"]) in fooled
            ],
        }


HIGHEST_TYPES = Finding(
    "highest bias types",
    highest_types,
    """By {{ title }}, {{ model }} on {{ benchmark }} prefers the stereotype
    {% if lowest %}most often for {{ highest.group }} ({{ highest.score | number(0) }}%) and least often for
    {{ lowest.group }} ({{ lowest.score | number(0) }}%).
    {% else %}in {{ highest.score | number(0) }}% of the pairs for {{ highest.group }}.{% endif %}
    {% if clear %}Before Holm's correction, {{ clear }} of {{ types | counted("testable bias type") }}
    {{ clear | many("shows", "show") }} a clear preference:
    {% if towards %}for the stereotype in {{ towards | listed(3) }}{% endif %}
    {%- if towards and against %}; {% endif %}
    {%- if against %}against it in {{ against | listed(3) }}{% endif %}.
    {% if fooled %}By what was planted, {{ fooled | listed(3) }} {{ fooled | many("is", "are") }} false or
    reversed.{% endif %}
    {% elif types == 1 %}It is the only testable bias type, and shows no clear preference.
    {% else %}None of {{ types }} testable bias types shows a clear preference.{% endif %}""",
)


def advantaged_and_disadvantaged(results: PairResults) -> Iterator[Row]:
    """Of each trained model and benchmark the scores over stereotypes of advantaged and of disadvantaged
    groups, from the lowest to the highest measure without controls, and how many differ clearly."""
    scores = _scores(results, DIRECTION)
    scores = scores[scores["measure"].astype(str).map(sees_context).astype(bool)]
    differences = results.original[results.original["grouping"] == DIFFERENCE]
    differences = holm(differences, by=["protocol"])
    differences = differences[(differences["protocol"] == CORRECTED) & differences["p"].notna()]
    count = 0
    for (model, benchmark), part in scores.groupby(["model", "benchmark"], sort=False, observed=True):
        sides = {side: part.loc[part["group"] == side, "score"] for side in (ANTISTEREO, STEREO)}
        of_both = (differences["model"] == model) & (differences["benchmark"] == benchmark)
        tested = differences[of_both & differences["measure"].isin(part["measure"])]
        if count < MOST and all(len(side) for side in sides.values()):
            count += 1
            ranges = [span(each.min(), each.max(), 0) for each in sides.values()]
            yield {
                "model": model,
                "benchmark": benchmark,
                "several": part["measure"].nunique() > 1,
                "adv": ranges[0],
                "dis": ranges[1],
                "differ": ranges != [span(each.min(), each.min(), 0) for each in sides.values()],
                "tested": len(tested),
                "clear": int((tested["p_holm"] < results.alpha).sum()),
                "before": int((tested["p"] < results.alpha).sum()),
                "alpha": results.alpha,
            }


ADV_AND_DIS = Finding(
    "advantaged and disadvantaged groups",
    advantaged_and_disadvantaged,
    """On {{ benchmark }}, {{ model }} prefers the stereotype in {{ adv }}% of the pairs about advantaged
    groups, and in {{ dis }}% of those about disadvantaged groups
    {%- if differ %}, depending on the measure{% elif several %}, whichever the measure{% endif %}.
    {% if not tested %}{{ "These differences" if several else "The difference" }} cannot be tested.
    {% elif tested == 1 %}The {{ "only testable " if several }}difference is {{ "not " if not clear }}clear
    ({{ say.significant(alpha) }}
    {%- if before > clear %}, but p < {{ alpha | g }} before it{% endif %}).
    {% else %}{{ clear or "None" }} of the {{ tested }} differences
    {{ "is" if clear < 2 else "are" }} clear after Holm's correction (p < {{ alpha | g }}); before it,
    {{ before | none }} {{ "is" if before < 2 else "are" }}.{% endif %}""",
)
