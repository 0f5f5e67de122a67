"""What the report says of measures on benchmarks whose bias was planted: three sentences."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.judging import FOOLED, FOUND, TESTED, judgement_counts
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row
from unmask.statistics.tolerance import TOLERANCE
from unmask.worlds.grammar import FREQUENCY


def headline(results: PairResults) -> Iterator[Row]:
    """The judgements on the scores of the headline measure."""
    measure = results.headline
    scores = results.judgements[results.judgements["measure"] == measure]
    if len(scores):
        associated = judgement_counts(scores[scores["association"] != 0])["testable"]
        yield {"title": title_of(measure), "counts": judgement_counts(scores), "associated": associated}


def by_measure(scores: pd.DataFrame, judgement: str) -> list[Row]:
    """Of each measure how many of its testable scores have a judgement; none of a measure without any."""
    tested = scores[scores["judgement"].isin(TESTED)]
    return [
        {
            "title": title_of(str(measure)),
            "count": int((rows["judgement"] == judgement).sum()),
            "testable": len(rows),
        }
        for measure, rows in tested.groupby("measure", sort=False)
    ]


def associations(results: PairResults) -> Iterator[Row]:
    """How often each measure finds a planted association."""
    scores = results.judgements
    if measures := by_measure(scores[scores["association"] != 0], FOUND):
        yield {"measures": measures}


def frequency(results: PairResults) -> Iterator[Row]:
    """Which measures are fooled where frequency alone is planted."""
    scores = results.judgements
    if measures := by_measure(scores[scores["planted"] == FREQUENCY], FOOLED):
        yield {
            "fooled": [each for each in measures if each["count"]],
            "others": [each["title"] for each in measures if not each["count"]],
            "testable": sum(each["testable"] for each in measures),
        }


def corrected(results: PairResults) -> Iterator[Row]:
    """How many clear preferences remain after the correction over all judged scores."""
    scores = results.judgements
    level = 1 - float(results.captions.facts["confidence"]) / 100
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    counts, remaining = judgement_counts(scores), judgement_counts(scores[holds])
    if counts[FOUND] + counts[FOOLED]:
        yield {
            "testable": counts["testable"],
            **{name: remaining[name] for name in (FOUND, FOOLED)},
            **{f"all_{name}": counts[name] for name in (FOUND, FOOLED)},
        }


HEADLINE = Finding(
    "headline",
    headline,
    """{% if counts.testable -%}
    {{ title }} {% if associated %}found {{ counts.found }} of
    {{ associated | counted("planted association") }} and {% endif %}was fooled in
    {{ counts.fooled }} of {{ counts.testable | counted("testable score") }}.
    {% if counts.cannot_tell %}{{ counts.cannot_tell | counted("score") }} cannot be tested.{% endif %}
    {%- else -%}
    None of {{ counts.scores | counted("score") }} of trained models under {{ title }} can be tested.
    {%- endif %}""",
)

FOOLED_BY_FREQUENCY = Finding(
    "frequency",
    frequency,
    """{% if fooled -%}
    Frequency alone fooled
    {% for of in fooled %}{{ of.title }} ({{ of.count }} of {{ of.testable }}
    {%- if loop.first %} {{ of.testable | many("score", "scores") }}{% endif %})
    {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}{% endfor %}
    {%- if others %}, but {{ others | listed }} not clearly{% endif %}.
    {%- else -%}
    Frequency alone did not fool {{ others | listed(end="or") }} in
    {{ testable | counted("testable score") }}.
    {%- endif %}""",
)

ASSOCIATIONS = Finding(
    "associations",
    associations,
    """{% for of in measures -%}
    {{ of.title }} {% if loop.first %}found {% endif %}{{ of.count }} of {{ of.testable }}
    {%- if loop.first %} testable {{ of.testable | many("association", "associations") }}{% endif %}
    {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}{% endfor %}.""",
)

CORRECTED = Finding(
    "after correction",
    corrected,
    """After Holm's correction over {{ testable | counted("testable score") }} of all measures,
    {{ found }} of the {{ all_found }} found and {{ fooled }} of the {{ all_fooled }} fooled remain.""",
)

FINDINGS = [HEADLINE, FOOLED_BY_FREQUENCY, ASSOCIATIONS, CORRECTED]
"""What the measures found: the headline measure, and all."""
