"""What a study shows of word frequency: tables, figures and a section of the report."""

from functools import partial

from unmask.frequency import charts
from unmask.frequency.findings import FINDINGS
from unmask.frequency.results import FrequencyResults
from unmask.frequency.tables import correlation_sheet, table2, table2_sheet
from unmask.report.findings import sentences
from unmask.report.presenting import Presentation
from unmask.report.published import UNMASKING_THE_MASK
from unmask.report.sections import TRUST
from unmask.report.topics import Topic

TOPIC = Topic[FrequencyResults](
    "frequency",
    "Word frequency",
    lambda results: results.words,
    chart=charts.frequencies,
    says=partial(sentences, FINDINGS),
    group=TRUST,
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
        ),
    ),
)

PRESENTS = Presentation(FrequencyResults, [TOPIC], {"group_words": lambda results: results.words})
