"""Small files of association tests, how tests read them, and suites without files."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from library import STIMULI, WordFacts, as_table, read_stimuli
from study_schema import ROOT

FACTS = ROOT / "resources/associations/words.yaml"
PUBLISHED = ROOT / "resources/associations/published.csv"

KEYS = {"targ1": "X", "targ2": "Y", "attr1": "A", "attr2": "B"}
SETS = {
    "targ1": ["John", "Paul"],
    "targ2": ["Amy", "Joan", "Lisa"],
    "attr1": ["office", "career"],
    "attr2": ["home", "children"],
}


def sent_bias(**changes: Any) -> dict[str, Any]:
    """A test in the format of sent-bias; a list is the examples of a key, anything else stands for it."""
    value: dict[str, Any] = {}
    for key, words in {**SETS, **changes}.items():
        value[key] = {"category": f"The{key}", "examples": words} if isinstance(words, list) else words
    return value


def sentences(sets: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return sent_bias(**{key: [f"This is {word}." for word in words] for key, words in sets.items()})


def grounded(**changes: Any) -> dict[str, Any]:
    """A test of two words a set, each of one picture."""
    sets = {"targ1": ["John", "Paul"], "targ2": ["Amy", "Joan"], "attr1": ["office"], "attr2": ["home"]}
    names = {"targ1": "Men", "targ2": "Women", "attr1": "Work", "attr2": "House"}
    value: dict[str, Any] = {"test_types": ["word"], "test_name": "mine", "dataset": "here"}
    for key, words in sets.items():
        group: dict[str, Any] = {
            "category": names[key],
            "captions": {str(number): word for number, word in enumerate(words)},
        }
        cells = ["images"] if key.startswith("targ") else ["Men_Images", "Women_Images"]
        for cell in cells:
            group[cell] = {f"{cell}_{word}.jpg": [number] for number, word in enumerate(words)}
        value[key] = group
    for path, put in changes.items():
        key, _, inner = path.partition("__")
        if inner:
            value[key][inner] = put
        elif put is None:
            del value[key]
        else:
            value[key] = put
    return value


def written(folder: Path, **tests: Any) -> list[Path]:
    """Files of tests by their names; what is no text or bytes is written as JSON."""
    paths = []
    for name, value in tests.items():
        path = folder / f"{name.replace('__', '-')}.jsonl"
        if isinstance(value, bytes):
            path.write_bytes(value)
        else:
            path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        paths.append(path)
    return paths


def stimuli(
    paths: Sequence[Path], words: Path | None = None, **entry: Any
) -> tuple[pd.DataFrame, list[dict[str, Any]]]:
    """The table of a suite, and what its metadata say of its tests."""
    rows, tests = read_stimuli(paths, WordFacts.from_file(FACTS), {"format": "sent-bias", **entry}, words)
    # as the table can be written
    as_table(rows, STIMULI)
    return rows.astype(object).where(rows.notna(), None).assign(stimulus=rows["stimulus"]), tests


def suite(*rows: tuple[str, str, str | None, str | None, str, str | None]) -> pd.DataFrame:
    """STIMULI of rows (test, set, cell, word, text, image); a stimulus for each text, word and image."""
    numbers: dict[tuple[str, str | None, str | None], int] = {}
    frame = pd.DataFrame(rows, columns=["test", "set", "cell", "word", "text", "image"])
    stimuli = [numbers.setdefault((text, word, image), len(numbers)) for _, _, _, word, text, image in rows]
    return frame.assign(stimulus=stimuli)


def words(test: str, **sets: Sequence[str]) -> list[tuple[str, str, None, str, str, None]]:
    """Rows of a test of words: each its own text."""
    return [(test, name, None, word, word, None) for name, members in sets.items() for word in members]
