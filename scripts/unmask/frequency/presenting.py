"""What a study shows of word frequency: tables, figures and a section of the report."""

from collections.abc import Iterator

from unmask.frequency import charts
from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.results import FrequencyResults
from unmask.frequency.tables import correlation_sheet, table2, table2_sheet
from unmask.measures.formulas import title_of
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.study_results import UNMASKING_THE_MASK
from unmask.report.wording import counted, span
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED

EVEN = 0.5
"""The effect A of words of which as many comparisons go one way as the other."""


def says(results: FrequencyResults) -> Iterator[str]:
    """In how many bias types of a benchmark the words of advantaged groups are more frequent, and rarer."""
    rows = results.comparison
    rows = rows[(rows["words_from"] == EXTRACTED) & rows["effect"].notna()]
    if len(rows):
        differ = rows[rows["effect"] != EVEN]
        more, benchmarks = int((differ["effect"] > EVEN).sum()), rows["benchmark"].nunique()
        which = f" of {benchmarks} benchmarks" if benchmarks > 1 else ""
        yield (
            f"Words of advantaged groups are the more frequent ones in {more} of "
            f"{counted(len(rows), 'bias type')}{which}, and the rarer ones in {len(differ) - more}."
        )
        if len(differ):
            yield clear(differ, "differences", results.alpha)


def says_of_link(results: FrequencyResults) -> Iterator[str]:
    """The least and the largest correlation of each measure among the trained models, or among all where none
    is trained, benchmark by benchmark."""
    rows = results.correlations
    rows = rows[(rows["grouping"] == OVERALL) & (rows["protocol"] == CORRECTED)]
    trained = results.study.of_trained(rows)
    rows, which = (rows, "model") if trained.empty else (trained, "trained model")
    for benchmark, of_benchmark in rows.groupby("benchmark", sort=False):
        ranges = of_benchmark.groupby("measure", sort=False)["rho"].agg(["min", "max"])
        texts = (
            f"{title_of(measure)} {span(least, most, signed=True)}"
            for measure, least, most in ranges.itertuples(name=None)
        )
        yield (
            f"On {benchmark}, Spearman's ρ of margins with word frequency, from the lowest to the highest "
            f"{which}, is {', '.join(texts)}."
        )


TOPIC = Topic[FrequencyResults](
    "frequency",
    "Word frequency",
    lambda results: results.words,
    chart=charts.frequencies,
    says=says,
    more=(
        Topic(
            "table2",
            f"{UNMASKING_THE_MASK}, Table 2: mean ranks, medians and tests",
            table2,
            lambda results, rows: table2_sheet(results),
        ),
        Topic(
            "frequency_link",
            "The correlations under both protocols",
            lambda results: results.correlations,
            lambda results, rows: correlation_sheet(results),
            charts.correlations,
            says=says_of_link,
        ),
    ),
)

PRESENTS = Presentation(FrequencyResults, [TOPIC], {"group_words": lambda results: results.words})
