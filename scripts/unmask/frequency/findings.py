"""What the report says of word frequency."""

from collections.abc import Iterator

from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.results import FrequencyResults
from unmask.measures.names import title_of
from unmask.report.findings import Finding, Row, span
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED

EVEN = 0.5
"""The effect A of words of which as many comparisons go one way as the other."""


def groups(results: FrequencyResults) -> Iterator[Row]:
    """How many bias types of a benchmark have words that differ in frequency, and which way."""
    rows = results.comparison[results.comparison["words_from"] == EXTRACTED]
    for benchmark, of_benchmark in rows.groupby("benchmark", sort=False):
        known = of_benchmark[of_benchmark["effect"].notna()]
        differ = known[known["effect"] != EVEN]
        yield {
            "benchmark": benchmark,
            "known": len(known),
            "clear": int((differ["p_holm"] < results.alpha).sum()),
            "more": int((known["effect"] > EVEN).sum()),
            "less": int((known["effect"] < EVEN).sum()),
            "even": int((known["effect"] == EVEN).sum()),
            "alpha": results.alpha,
        }


def correlations(results: FrequencyResults) -> Iterator[Row]:
    """The least and the largest correlation of each measure among the trained models, or among all
    where none is trained, benchmark by benchmark."""
    rows = results.correlations
    rows = rows[(rows["grouping"] == OVERALL) & (rows["protocol"] == CORRECTED)]
    rows, trained = results.study.of_trained_or_all(rows)
    for benchmark, of_benchmark in rows.groupby("benchmark", sort=False):
        ranges = of_benchmark.groupby("measure", sort=False)["rho"].agg(["min", "max"])
        yield {
            "benchmark": benchmark,
            "trained": trained,
            "ranges": [
                f"{title_of(measure)} {span(least, most, signed=True)}"
                for measure, least, most in ranges.itertuples(name=None)
            ],
        }


FINDINGS = [
    Finding(
        "groups",
        groups,
        """Words of advantaged groups are the more frequent ones in {{ more }} of
        {{ known | counted("bias type") }} of {{ benchmark }}
        {%- if less %}{{ "," if even else " and" }} the rarer ones in {{ less }}{% endif %}
        {%- if even %} and equally frequent in {{ "all" if even == known else "the other" }} {{ even }}
        {%- endif %}.
        {% set differ = more + less %}
        {% if differ == 1 %}The difference is {{ "not " if not clear }}clear ({{ say.significant(alpha) }}).
        {% elif differ %}
        {% if clear < differ %}{{ clear or "None" }} of the {{ differ }}
        {%- else %}{{ "Both" if differ == 2 else "All" }}{% endif %}
        differences {{ "is" if clear < 2 else "are" }} clear ({{ say.significant(alpha) }}).{% endif %}""",
    ),
    Finding(
        "correlations",
        correlations,
        """On {{ benchmark }}, Spearman's ρ of the margins of {{ trained }}models with word frequency, from
        the lowest to the highest model, is {{ ranges | join(", ") }}.""",
    ),
]
