"""Small files of association tests, and how tests read them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from library import STIMULI, WordFacts, as_table, read_stimuli
from profiles import examples
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

FUZZ = settings(
    derandomize=True,
    deadline=None,
    max_examples=examples(80),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 5), st.binary(max_size=6)), min_size=1, max_size=4
)


def changed(content: bytes, changes: Sequence[tuple[float, int, bytes]]) -> bytes:
    """A file with some bytes replaced by others, in several places, and perhaps cut short."""
    for place, length, put in changes:
        start = int(place * len(content))
        content = content[:start] + put + (content[start + length :] if length < 5 else b"")
    return content


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
