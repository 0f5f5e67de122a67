"""Whatever stands in a study's file, it is a study or one line that says why it is none."""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import InputError, Model, complete, families, read_config, sha256_of_file
from study_schema import MEASURES, ROOT

FILES = [ROOT / "config.yaml", *sorted((ROOT / "configs").glob("*.yaml"))]
STUDIES = [read_config(path) for path in FILES]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a drawn path leads nowhere else
    monkeypatch.chdir(tmp_path)


def words_of(value: object) -> set[str]:
    """All keys and texts in a study or a schema."""
    if isinstance(value, dict):
        return {str(key) for key in value} | {word for each in value.values() for word in words_of(each)}
    if isinstance(value, list):
        return {word for each in value for word in words_of(each)}
    return {value} if isinstance(value, str) else set()


NAMED = ("models", "benchmarks", "corpora", "worlds")
SCHEMAS = [keys.model_json_schema() for keys in (*families().values(), *Model.alternatives().values())]
KEYS = sorted(words_of(STUDIES) | words_of(SCHEMAS))
TEXTS = st.one_of(
    st.sampled_from(
        [*KEYS, *MEASURES, "{data}", "{data}/x", "{x}", "}", "a\n", "x" * 300, "", "..", "/", "\0", "*"]
    ),
    st.text(max_size=8),
    st.text(st.characters(), max_size=3),
)
LEAVES = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**40), 10**40),
    st.floats(),
    st.binary(max_size=3),
    st.dates(),
    st.sampled_from([0, 1, -1, 0.5, 10**400, float("nan"), set(), ()]),
)
NAMES = st.one_of(TEXTS, st.integers(), st.none(), st.booleans(), st.floats(), st.tuples(st.integers()))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def places(value: object, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in a study."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way for key, each in inside for way in [(*here, key), *places(each, (*here, key))]]


WAYS = [places(study) for study in STUDIES]


def like(value: object) -> st.SearchStrategy[Any]:
    """Values of the same type: what gets past the first look."""
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return VALUES
    if isinstance(value, int | float):
        return (
            st.sampled_from([math.nan, math.inf, 1e300, 2**70, 0, 1, -1, 0.5]) | st.floats() | st.integers()
        )
    return TEXTS


@st.composite
def changed_studies(draw: st.DrawFn) -> dict[str, Any]:
    """One of the studies that come along, with a value or two gone, put elsewhere or made something else."""
    number = draw(st.integers(0, len(STUDIES) - 1))
    study = copy.deepcopy(STUDIES[number])
    study["data"] = draw(st.sampled_from(["/nowhere", "/nowhere", "d{x}", "", "\0", "x" * 300]) | TEXTS)
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from(WAYS[number]))
        parent: Any = study
        try:
            for key in way:
                parent = parent[key]
            change = draw(st.sampled_from(["like", "like", "set", "drop", "rename", "add"]))
            if change == "drop":
                del parent[last]
            elif change == "rename":
                parent[draw(NAMES)] = parent.pop(last)
            elif change == "add":
                parent[draw(st.sampled_from(KEYS) | NAMES)] = draw(VALUES)
            else:
                parent[last] = draw(like(parent[last]) if change == "like" else VALUES)
        except (KeyError, IndexError, TypeError, AttributeError):
            # an earlier change has taken the place away
            continue
    return study


@given(study=changed_studies())
def test_a_changed_study_is_a_study_or_one_line(study: dict[str, Any]) -> None:
    """What is complete is a study or one line, through the checks in their order."""
    try:
        completed = complete(study)
    except InputError as error:
        assert 0 < len(str(error)) < 3000 and "\n" not in str(error)
        return
    # what is complete stays as it is, can be written down, and has names that files can have
    assert complete(completed) == completed
    json.dumps(completed, allow_nan=False, ensure_ascii=False).encode()
    for name in [completed["study"], *(name for key in NAMED for name in completed.get(key, {}))]:
        assert re.fullmatch(r"[\w.@-]{1,100}", name, re.ASCII), name
    for entry in completed.get("benchmarks", {}).values():
        assert not set("{}") & set(entry.get("url", "") + entry.get("path", ""))
    try:
        complete(completed, sha256_of=sha256_of_file)
    except InputError as error:
        assert str(error).startswith("config key ") and "\n" not in str(error)
