"""What the report says of measures that are held against worlds whose bias is known."""

from collections.abc import Iterator, Mapping
from typing import Any

from unmask.calibration import findings
from unmask.calibration.drawing import has_data
from unmask.calibration.results import Found
from unmask.calibration.tables import captioned
from unmask.report.sections import Block, Fold, Section, Table, picture

QUESTION = (
    "How well does each measure see a bias that is known, because it was planted? Does it see anything else, "
    "such as how often words occur?"
)
QUESTION_OF_REAL = (
    "What of bias scores, and of differences between measures, goes with the frequency of words?"
)

_FIGURES = {
    "response_figure": "Margins of each measure against the planted association",
    "frequency_figure": "Margins of each measure against the log frequency ratio of two groups",
    "power_figure": "Power against the number of pairs, and false alarms, of each measure",
    "worlds_figure": "Margins of a perfect model over drawn worlds against their association",
    "kept_figure": "Strength of association and frequency against the share of tokens that training keeps",
}
"""Pictures by their names among the files, which are those of their captions, and what they show."""


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of unmask.calibration.results.Found, and figures of the names of _FIGURES (SVG, empty
    where there is none); a picture for which the study has no data is not shown. settings: those of Found."""
    found = Found(files, settings)
    return Section("calibration", "Calibration", tuple(_sentences(found)), tuple(_blocks(files, found)))


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


def _blocks(files: Mapping[str, Any], found: Found) -> Iterator[Block]:
    yield from _pictures(files, found, "response_figure", "frequency_figure")
    yield from _tables(found, merits=None)
    yield from _pictures(files, found, "power_figure")
    yield from _tables(
        found,
        power="Power by the number of pairs and of pairs a word",
        false_alarms="False alarms, by architecture too",
        lengths="Slopes by the length of sentences",
        doses="Margins and scores at each dose",
    )
    yield from _pictures(files, found, "worlds_figure")
    yield from _tables(found, controls="Controls")
    yield from _pictures(files, found, "kept_figure")
    yield from _tables(found, kept="What training keeps, in numbers")
    yield from _tables(found, explained=None)


def _pictures(files: Mapping[str, Any], found: Found, *names: str) -> Iterator[Block]:
    for name in names:
        if files.get(name) and has_data(found, name):
            yield picture(found.captions[name], _FIGURES[name], files[name])


def _tables(found: Found, **titles: str | None) -> Iterator[Block]:
    """Tables that have rows: those with a title in a fold, others in the open."""
    for name, title in titles.items():
        table = Table(captioned(found, name)[1])
        if table.sheet.rows:
            yield table if title is None else Fold(title, (table,))
