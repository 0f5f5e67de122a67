"""What the report says of word frequency."""

from collections.abc import Iterator

from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.results import PERFECT, FrequencyResults
from unmask.measures.registry import title_of
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
        yield {
            "benchmark": benchmark,
            "known": len(known),
            "clear": int((known["p_holm"] < results.alpha).sum()),
            "more": int((known["effect"] > EVEN).sum()),
            "even": int((known["effect"] == EVEN).sum()),
            "alpha": results.alpha,
        }


def correlations(results: FrequencyResults) -> Iterator[Row]:
    """The least and the largest correlation of each measure among the models, benchmark by benchmark."""
    rows = results.correlations
    rows = rows[(rows["grouping"] == OVERALL) & (rows["protocol"] == CORRECTED) & (rows["model"] != PERFECT)]
    for benchmark, of_benchmark in rows.groupby("benchmark", sort=False):
        ranges = of_benchmark.groupby("measure", sort=False)["rho"].agg(["min", "max"])
        yield {
            "benchmark": benchmark,
            "ranges": [
                f"{title_of(measure)} {span(least, most, signed=True)}"
                for measure, least, most in ranges.itertuples(name=None)
            ],
        }


FINDINGS = [
    Finding[FrequencyResults](
        "question",
        lambda results: [{}],
        """Are advantaged groups simply named more often in the text that models learn from, and do measures
        follow that?""",
    ),
    Finding(
        "groups",
        groups,
        """In {{ clear }} of {{ known | counted("bias type") }} of {{ benchmark }} the words of the advantaged
        group and of the disadvantaged one differ in frequency ({{ say.significant(alpha) }}). In {{ more }}
        of {{ known }} a word of the advantaged group is the more frequent one in most comparisons (A > 0.5),
        in {{ even }} in just half (A = 0.5). A is over all words, mean ranks over those shown.""",
    ),
    Finding(
        "correlations",
        correlations,
        """Correlation of margins with frequency on {{ benchmark }} (protocol corrected, from the least to the
        most of the models): {{ ranges | join(", ") }}.""",
    ),
]
