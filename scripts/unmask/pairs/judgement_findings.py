"""What the report says of measures on benchmarks whose bias was planted."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.judging import FOOLED, FOUND, TESTED, judgement_counts
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row
from unmask.report.study import ORACLE
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.sharing import TOLERANCE
from unmask.worlds.grammar import FREQUENCY


def headline(results: PairResults) -> Iterator[Row]:
    """The judgements on the scores of the headline measure."""
    measure = results.headline
    scores = results.judgements[results.judgements["measure"] == measure]
    if len(scores):
        associated = scores["association"] != 0
        yield {
            "title": title_of(measure),
            "counts": judgement_counts(scores),
            "with_bias": judgement_counts(scores[associated]),
            "without": judgement_counts(scores[~associated]),
        }


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
        yield {"measures": sorted(measures, key=lambda each: each["count"]), "of_each": _of_each(measures)}


def _of_each(measures: list[Row]) -> int | None:
    """How many testable scores each measure has, if all have as many."""
    sizes = {each["testable"] for each in measures}
    return sizes.pop() if len(sizes) == 1 else None


def frequency(results: PairResults) -> Iterator[Row]:
    """Which measures are fooled where frequency alone is planted."""
    scores = results.judgements
    if measures := by_measure(scores[scores["planted"] == FREQUENCY], FOOLED):
        yield {
            "fooled": _alike([each for each in measures if each["count"]]),
            "others": _alike([each for each in measures if not each["count"]]),
        }


def _alike(measures: list[Row]) -> list[Row]:
    """Measures with the same counts together."""
    groups: dict[tuple[int, int], list[str]] = {}
    for each in measures:
        groups.setdefault((each["count"], each["testable"]), []).append(each["title"])
    return [
        {"titles": titles, "count": count, "testable": testable}
        for (count, testable), titles in groups.items()
    ]


def exact(results: PairResults) -> Iterator[Row]:
    """Of the wrong clear preferences how many the exact model's scores share."""
    scores = results.judgements
    wrong = scores[(scores["judgement"] == FOOLED) & scores["exact"].notna()]
    if len(wrong):
        off = (wrong["exact"] - NO_PREFERENCE).where(lambda each: each.abs() > 100 * TOLERANCE, 0.0)
        alike = off * (wrong["score"] - NO_PREFERENCE) > 0
        yield {
            "names": results.study.of_source(ORACLE),
            "alike": int(alike.sum()),
            "wrong": len(wrong),
        }


def corrected(results: PairResults) -> Iterator[Row]:
    """How many clear preferences remain after the correction over all judged scores."""
    scores = results.judgements
    level = 1 - float(results.captions.facts["confidence"]) / 100
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    counts, remaining = judgement_counts(scores), judgement_counts(scores[holds])
    if counts[FOUND] + counts[FOOLED]:
        wrong = scores[scores["judgement"] == FOOLED]
        yield {
            "level": level,
            "remaining": [
                f"{each['title']} {each['count']}"
                for each in by_measure(scores[holds], FOUND)
                if each["count"]
            ],
            "most_pairs": int(wrong["n"].max()) if len(wrong) else 0,
            "share_words": results.captions.facts.get("clusters", "nothing") != "nothing",
            "testable": counts["testable"],
            **{name: remaining[name] for name in (FOUND, FOOLED)},
            **{f"all_{name}": counts[name] for name in (FOUND, FOOLED)},
        }


INVENTED = Finding[PairResults](
    "invented world",
    lambda results: [{}] if len(results.judgements) else [],
    """This is a test: models learnt an invented world with known biases; measures should find these and no
    others. Counts are before correction for many tests.""",
)

HEADLINE = Finding(
    "headline",
    headline,
    """{% if counts.testable -%}
    {{ title }} {% if with_bias.testable %}found the planted bias in {{ with_bias.found }} of
    {{ with_bias.testable | counted("score") }}
    {%- if with_bias.fooled %}, reversed it in {{ with_bias.fooled }}
    {%- if with_bias.missed %}, missed it in {{ with_bias.missed }}{% endif %}
    {%- if without.testable %},{% endif %}{% endif %}
    {%- if without.testable %} and {% endif %}{% endif %}
    {%- if without.testable %} saw a bias in {{ without.fooled }} of
    {{ without.testable | counted("score") }} without one{% endif %}.
    {% if counts.cannot_tell %}{{ counts.cannot_tell | counted("score") }} cannot be tested.{% endif %}
    {%- else -%}
    None of {{ counts.scores | counted("score") }} of trained models by {{ title }} can be tested.
    {%- endif %}""",
)

FOOLED_BY_FREQUENCY = Finding(
    "frequency",
    frequency,
    """{% macro of(group, first) %}({{ group.count }} of {{ group.testable }}
    {%- if first %} {{ group.testable | many("score", "scores") }}{% endif %}
    {%- if group.titles | length > 1 %} each{% endif %}){% endmacro -%}
    Where only word frequency differs,
    {% for group in fooled %}{{ group.titles | listed }}
    {{ group.titles | many("sees", "see") }} a false bias {{ of(group, loop.first) }}
    {%- if not loop.last or others %}; {% endif %}{% endfor %}
    {%- for group in others %}{{ group.titles | listed }} {{ group.titles | many("does", "do") }} not
    {%- if not fooled %} see a bias{% endif %}
    {%- if not fooled or group.titles | length == 1 %} {{ of(group, not fooled and loop.first) }}{% endif %}
    {%- if not loop.last %}; {% endif %}{% endfor %}.""",
)

ASSOCIATIONS = Finding(
    "associations",
    associations,
    """{% if of_each -%}
    Of {{ of_each | counted("score") }} with a planted bias,
    {% for each in measures -%}
    {{ each.title }} {% if loop.first %}found {% endif %}{{ each.count }}
    {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}{% endfor %}.
    {%- else -%}
    Of the scores with a planted bias,
    {% for each in measures -%}
    {{ each.title }} {% if loop.first %}found {% endif %}{{ each.count }} of {{ each.testable }}
    {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}{% endfor %}.
    {%- endif %}""",
)

EXACT = Finding(
    "exact model",
    exact,
    """In {{ alike }} of {{ wrong | counted("false or reversed score") }}, the exact model
    ({{ names | listed }}), which knows the true probabilities, errs likewise
    {%- if alike %}: {% if alike < wrong %}there {% endif %}the measure errs, not the model{% endif -%}
    .""",
)

CORRECTED = Finding(
    "after correction",
    corrected,
    """After Holm's correction for {{ testable | counted("test") }} (p < {{ level | g }}), {{ found }} of
    {{ all_found }} found {{ found | many("remains", "remain") }}
    {%- if remaining %}: {{ remaining | listed }}{% endif %}.
    {% if all_fooled %}{{ fooled or "None" }} of the {{ all_fooled }} false or
    reversed ones {{ (fooled or 1) | many("does", "do") }}
    {%- if not fooled %}: each rests on {{ most_pairs | counted("pair") }} at most
    {%- if share_words %}, many of which share words{% endif %}{% endif %}.{% endif %}""",
)

FINDINGS = [HEADLINE, FOOLED_BY_FREQUENCY, ASSOCIATIONS]
"""What the measures found: the headline measure, and all."""

CAUSES = [EXACT, CORRECTED]
"""Whether the measures or chance are at fault, to be read below the picture of the scores."""
