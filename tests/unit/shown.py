"""What is shown was computed: rows of charts are rows of tables; and sentences that say something."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from library import Chart, Section, chart, theme

FIRST_SENTENCE = 25
"""The most words of the sentence that a section begins with."""

SCALES = (1, 100, 1000)
"""Of the numbers of charts, less those of tables."""

NAMES = (
    "model",
    "benchmark",
    "bias_type",
    "verdict",
    "task",
    "encoder",
    "suite",
    "test",
    "classifier",
    "region",
)
"""Columns whose texts are the same in charts and in tables."""


def rows_drawn(drawn: Any) -> list[dict[str, Any]]:
    """The rows of a chart that is there."""
    assert drawn is not None
    return chart("c", "a", drawn).rows


class Computed:
    """The rows of tables, found by their numbers."""

    def __init__(self, tables: Iterable[pd.DataFrame]) -> None:
        self.rows: list[Mapping[Any, Any]] = [row for table in tables for row in table.to_dict("records")]
        self.places: dict[float, set[int]] = {}
        for place, row in enumerate(self.rows):
            for number in _numbers(row).values():
                self.places.setdefault(_digits(number), set()).add(place)

    def lacks(self, row: Mapping[str, Any], besides: Collection[str]) -> set[str]:
        """The numbers of a chart's row that the row of a table that is most like it has not.

        A number is where the table has the same column, in that one. besides: columns that no table has.
        """
        numbers = {name: number for name, number in _numbers(row).items() if name not in besides}
        found: dict[int, set[str]] = {}
        for name, number in numbers.items():
            for of_table in {_digits(number / scale) for scale in SCALES}:
                for place in self.places.get(of_table, ()):
                    own = _numbers(self.rows[place]).get(name)
                    if own is None or _digits(own) == of_table:
                        found.setdefault(place, set()).add(name)
        names = {name: row[name] for name in NAMES if isinstance(row.get(name), str)}
        alike = (
            each
            for place, each in found.items()
            if all(self.rows[place].get(name, text) in (text, None) for name, text in names.items())
        )
        return {*numbers} - max(alike, key=len, default=set())


def check_charts(sections: Iterable[Section], computed: Computed, derived: Mapping[str, str]) -> int:
    """Each row of each chart is a row of some table, and each style is one of the theme: Vega draws what is
    of another in a colour of its own, without a word. Gives the number of charts.

    derived: by section, the columns of its charts that no table has.
    """
    count, styles = 0, {*theme("light")["style"]}
    for section in sections:
        for block in section.every_block():
            if isinstance(block, Chart):
                besides = derived.get(section.name, "").split()
                lacking = [(lacks, row) for row in block.rows if (lacks := computed.lacks(row, besides))]
                assert not lacking, (section.name, block.caption, lacking[0])
                assert {*re.findall(r'"style": "(.*?)"', json.dumps(block.spec))} <= styles, block.caption
                count += 1
    return count


def _numbers(row: Mapping[Any, Any]) -> dict[str, float]:
    numbers = {name: value for name, value in row.items() if isinstance(value, int | float)}
    return {name: value for name, value in numbers.items() if value == value and not isinstance(value, bool)}


def _digits(number: float) -> float:
    return float(f"{number:.9g}")


def first_sentence(section: Section) -> str:
    """Up to the first full stop before a capital letter or a digit, or the end."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z0-9])", section.sentences[0])[0]


def check_first_sentence(section: Section) -> None:
    """It is short, and says something: it asks nothing, and has a number or that there is none."""
    sentence = first_sentence(section)
    assert len(sentence.split()) <= FIRST_SENTENCE, sentence
    assert sentence.endswith(".") and re.search(r"\d|\b(no|none|nothing|cannot)\b", sentence, re.I), sentence
