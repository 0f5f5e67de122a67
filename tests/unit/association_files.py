"""Small files of association tests, and how tests read them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from profiles import examples
from study_schema import ROOT
from unmask.associations.schema import STIMULI
from unmask.associations.stimuli import read_stimuli
from unmask.tables import read_metadata, read_table, write_table

FACTS = ROOT / "resources/associations/words.yaml"
PUBLISHED = ROOT / "resources/associations/published.csv"

PUBLISHED_HEAD = "source,table,model,tests,pooling,level,ddof,p,statistic,value,doubtful,why\n"

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
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table of a suite as the job that reads it would have it: written, and read again."""
    files = {"tests": list(paths), "facts": [FACTS]} | ({"words": [words]} if words else {})
    rows, metadata = read_stimuli(files, {"format": "sent-bias", **entry}, "mine", "here")
    table = paths[0].parent / "table.parquet" if paths else Path("table.parquet")
    write_table(table, rows, STIMULI, metadata)
    try:
        return read_table(table, STIMULI), read_metadata(table)
    finally:
        table.unlink()
