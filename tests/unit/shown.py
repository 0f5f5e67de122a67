"""What is shown was computed: rows of charts held against tables; and sentences that say something."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from library import Section, chart

CAPTION, FIRST_SENTENCE, SENTENCE = 40, 25, 25
"""The most words of captions, of the sentence that a section begins with, and of other sentences."""


def rows_drawn(drawn: Any) -> list[dict[str, Any]]:
    """The rows of a chart that is there."""
    assert drawn is not None
    return chart("c", "a", drawn).rows


def check_shown(
    rows: Sequence[Mapping[Any, Any]],
    table: pd.DataFrame,
    keys: Mapping[str, str],
    columns: Mapping[str, str],
    scale: float = 1.0,
) -> None:
    """Each row of a chart is a row of its table, found by its keys, and none is missing.

    keys, columns: of the table, by their names in the chart; scale: of the numbers of the chart.
    """
    stated = table[[*keys.values(), *columns.values()]].set_axis([*keys, *columns], axis=1)
    numbers = stated.select_dtypes("number").columns.difference([*keys])
    stated = stated.assign(**{name: scale * stated[name] for name in numbers})
    drawn = pd.DataFrame(rows)[[*keys, *columns]]
    assert len(drawn) == len(stated) > 0
    both = [
        frame.astype(object).where(frame.notna(), None).sort_values([*keys], ignore_index=True)
        for frame in (drawn, stated)
    ]
    for name in both[0]:
        one, other = (frame[name].tolist() for frame in both)
        if name in numbers:
            np.testing.assert_allclose(np.array(one, float), np.array(other, float), rtol=1e-12)
        else:
            assert list(map(str, one)) == list(map(str, other)), name


def first_sentence(section: Section) -> str:
    """Up to the first full stop before a capital letter or a digit, or the end."""
    return re.split(r"(?<=[.?!])\s+(?=[A-Z0-9])", section.sentences[0])[0]


def check_first_sentence(section: Section) -> None:
    """It is short, and says something: it asks nothing, and has a number or that there is none."""
    sentence = first_sentence(section)
    assert len(sentence.split()) <= FIRST_SENTENCE, sentence
    assert sentence.endswith(".") and re.search(r"\d|\b(no|none|nothing|cannot)\b", sentence, re.I), sentence
