"""From the tests of a suite to the table STIMULI: what is embedded once, and where it stands."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.associations.schema import STIMULI
from unmask.associations.suite import Worded, read_suite
from unmask.tables import framed


def read_stimuli(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any], suite: str, source: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table STIMULI of a suite, and its metadata.

    files and entry: as `read_suite` has them, which says what is raised. source: in words, where it is from.
    """
    worded = read_suite(files, entry)
    tests = [_facts_of(each) for each in worded]
    return stimuli_of(worded), {"suite": suite, "format": entry["format"], "source": source, "tests": tests}


def _facts_of(worded: Worded) -> dict[str, Any]:
    test = worded.test
    facts = {"name": test.name, "categories": dict(test.categories), "remarks": list(worded.remarks)}
    pictures = {(item.cell, item.image) for item in test.items if item.image is not None}
    if pictures:
        facts["pictures"] = dict(sorted(Counter(str(cell) for cell, _ in pictures).items()))
    return facts if test.truth is None else facts | {"truth": dict(test.truth)}


def stimuli_of(tests: Sequence[Worded]) -> pd.DataFrame:
    """The table STIMULI: a row per item; distinct (text, word, image) are numbered in order of first use."""
    numbers: dict[tuple[str, str, str | None], int] = {}
    rows = []
    for worded in tests:
        for item, word in zip(worded.test.items, worded.words, strict=True):
            number = numbers.setdefault((item.text, word, item.image), len(numbers))
            rows.append(
                {
                    "test": worded.test.name,
                    "set": item.set,
                    "cell": item.cell,
                    "word": word,
                    "text": item.text,
                    "image": item.image,
                    "stimulus": number,
                }
            )
    return framed(rows, STIMULI)
