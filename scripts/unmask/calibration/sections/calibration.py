"""What the report says of measures on synthetic worlds, and of word frequency on real pairs."""

from collections.abc import Iterator

from unmask.calibration.charts import MAKERS
from unmask.calibration.findings import FINDINGS
from unmask.calibration.results import CalibrationResults
from unmask.calibration.tables import PRESENTED
from unmask.report.charts import chart
from unmask.report.findings import sentences
from unmask.report.sections import OTHER_TESTS, Block, Fold, Section, Table

_ALT = {
    "response_figure": "Margins of each measure against the planted association",
    "frequency_figure": "Margins of each measure against the log frequency ratio of two groups",
    "power_figure": "Power of each measure against the number of pairs",
    "alarms_figure": "False alarms of each measure by kind of pairs",
    "worlds_figure": "Margins of a perfect model over drawn worlds against their association",
    "debiased_figure": "Share of the association that each method of debiasing leaves, with intervals",
    "kept_figure": "Strength of association and frequency against the share of tokens that training keeps",
    "explained_figure": "Bias scores of real pairs as they are, and at equal frequency of words",
}
"""What charts show, by their names, which are those of their captions."""

_FOLDS = {
    "response_figure": {"doses": "Margins and scores at each dose"},
    "frequency_figure": {"merits": "Figures of merit", "lengths": "Slopes by the length of sentences"},
    "power_figure": {"power": "Power by the number of pairs and of pairs a word"},
    "alarms_figure": {"false_alarms": "False alarms, by architecture too"},
    "worlds_figure": {"controls": "Controls"},
    "debiased_figure": {"debiased": "What debiasing leaves, in numbers"},
    "kept_figure": {"kept": "What training keeps, in numbers"},
    "explained_figure": {"explained": "What goes with word frequency, in numbers"},
}
"""The tables below each chart, with the titles of their folds."""


def section(results: CalibrationResults) -> Section:
    texts, blocks = sentences(FINDINGS, results), tuple(_blocks(results))
    return Section("calibration", "Calibration", texts, blocks, group=OTHER_TESTS)


def _blocks(results: CalibrationResults) -> Iterator[Block]:
    empty = True
    for name, folds in _FOLDS.items():
        if drawn := MAKERS[name][0](results):
            yield chart(results.captions[name], f"{_ALT[name]}; the numbers are in a table below.", drawn)
        for table, title in folds.items():
            _, sheet = PRESENTED[table].captioned(results)
            if sheet.rows:
                yield Fold(title, (Table(sheet),))
                empty = False
    if not empty:
        yield results.captions.computed("calibration")
