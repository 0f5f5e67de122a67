"""Which bias types a model prefers the stereotype for, and whose stereotypes it prefers."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.registry import sees_context, title_of
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import CLEAR, can_be_tested
from unmask.report.findings import Finding, Row, records, span
from unmask.statistics.correction import holm
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION
from unmask.terms import ANTISTEREO, CORRECTED, STEREO

MOST = 2
"""Of so many models and benchmarks there is a sentence each; the tables have all."""

SEVERAL = 4
"""From so many bias types on, two of the highest are named."""


def _scores(results: PairResults, grouping: str) -> pd.DataFrame:
    """The scores of trained models by one grouping, protocol corrected."""
    rows = results.original
    rows = rows[(rows["grouping"] == grouping) & (rows["protocol"] == CORRECTED) & rows["score"].notna()]
    return results.study.of_trained(rows)


def highest_types(results: PairResults) -> Iterator[Row]:
    """Of each trained model and benchmark the testable bias types with the highest and the lowest score,
    under the headline measure."""
    rows = can_be_tested(_scores(results, BIAS_TYPE))
    parts = results.of_headline(rows).groupby(["model", "benchmark"], sort=False, observed=True)
    for (model, benchmark), part in list(parts)[:MOST]:
        ordered = records(part.sort_values("score", ascending=False, kind="stable"))
        top = ordered[: 2 if len(ordered) >= SEVERAL else 1]
        yield {
            "title": title_of(results.headline_of(str(model))),
            "model": model,
            "benchmark": benchmark,
            "top": [f"{row['group']} ({row['score']:.0f})" for row in top],
            "lowest": ordered[-1] if len(ordered) > 1 else None,
            "types": len(ordered),
            "clear": [row["group"] for row in ordered if row["verdict"] == CLEAR],
        }


HIGHEST_TYPES = Finding(
    "highest bias types",
    highest_types,
    """Under {{ title }}, {{ model }} on {{ benchmark }} scores highest for {{ top | listed }}
    {%- if lowest %} and lowest for {{ lowest.group }} ({{ lowest.score | number(0) }}){% endif %}.
    Of {{ types | counted("testable bias type") }}, {{ clear | length }}
    {{ clear | many("shows", "show") }} a clear preference
    {%- if clear %}: {{ clear | listed(3) }}{% endif %}.""",
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
            yield {
                "model": model,
                "benchmark": benchmark,
                "several": part["measure"].nunique() > 1,
                "adv": span(sides[ANTISTEREO].min(), sides[ANTISTEREO].max(), 0),
                "dis": span(sides[STEREO].min(), sides[STEREO].max(), 0),
                "tested": len(tested),
                "clear": int((tested["p_holm"] < results.alpha).sum()),
                "alpha": results.alpha,
            }


ADV_AND_DIS = Finding(
    "advantaged and disadvantaged groups",
    advantaged_and_disadvantaged,
    """{{ model }} prefers stereotypes of advantaged groups in {{ adv }} of 100 pairs of {{ benchmark }},
    and those of disadvantaged groups in {{ dis }}
    {%- if several %} (from the lowest to the highest measure){% endif %}.
    {% if tested %}{{ clear }} of {{ tested | counted("difference") }} {{ clear | many("is", "are") }} clear
    ({{ say.significant(alpha) }}).{% else %}Their difference cannot be tested.{% endif %}""",
)
