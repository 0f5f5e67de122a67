"""What the report says of measures that are held against worlds whose bias is known."""

from collections.abc import Iterator

from unmask.calibration import findings
from unmask.calibration.charts import MAKERS
from unmask.calibration.results import Found
from unmask.calibration.tables import captioned
from unmask.report.charts import chart
from unmask.report.sections import Block, Fold, Section, Table

QUESTION = (
    "How well does each measure see a bias that is known, because it was planted? Does it see anything else, "
    "such as how often words occur?"
)
QUESTION_OF_REAL = (
    "What of bias scores, and of differences between measures, goes with the frequency of words?"
)

_ALT = {
    "response_figure": "Margins of each measure against the planted association",
    "frequency_figure": "Margins of each measure against the log frequency ratio of two groups",
    "power_figure": "Power of each measure against the number of pairs",
    "alarms_figure": "False alarms of each measure by kind of pairs",
    "worlds_figure": "Margins of a perfect model over drawn worlds against their association",
    "kept_figure": "Strength of association and frequency against the share of tokens that training keeps",
    "explained_figure": "Bias scores of real pairs as they are, and at equal frequency of words",
}
"""What charts show, by their names, which are those of their captions."""


def section(found: Found) -> Section:
    return Section("calibration", "Calibration", tuple(_sentences(found)), tuple(_blocks(found)))


def _sentences(found: Found) -> Iterator[str]:
    if found.has_worlds:
        yield QUESTION
    yield from findings.associations_found(found)
    yield from findings.frequency_followed(found)
    yield from findings.alarms_raised(found)
    yield from findings.power_had(found)
    yield from findings.worlds_ranked(found)
    yield from findings.controls_hold(found)
    yield from findings.keep_rates(found)
    if len(found.explained):
        yield QUESTION_OF_REAL
    yield from findings.explained_by_frequency(found)


def _blocks(found: Found) -> Iterator[Block]:
    yield from _charts(found, "response_figure")
    yield from _tables(found, doses="Margins and scores at each dose")
    yield from _charts(found, "frequency_figure")
    yield from _tables(found, merits="Figures of merit", lengths="Slopes by the length of sentences")
    yield from _charts(found, "power_figure")
    yield from _tables(found, power="Power by the number of pairs and of pairs a word")
    yield from _charts(found, "alarms_figure")
    yield from _tables(found, false_alarms="False alarms, by architecture too")
    yield from _charts(found, "worlds_figure")
    yield from _tables(found, controls="Controls")
    yield from _charts(found, "kept_figure")
    yield from _tables(found, kept="What training keeps, in numbers")
    yield from _charts(found, "explained_figure")
    yield from _tables(found, explained="What goes with word frequency, in numbers")


def _charts(found: Found, *names: str) -> Iterator[Block]:
    for name in names:
        drawn = MAKERS[name][0](found)
        if drawn:
            yield chart(found.captions[name], f"{_ALT[name]}; the numbers are in a table below.", drawn)


def _tables(found: Found, **titles: str) -> Iterator[Block]:
    """Tables that have rows, in folds."""
    for name, title in titles.items():
        table = Table(captioned(found, name)[1])
        if table.sheet.rows:
            yield Fold(title, (table,))
