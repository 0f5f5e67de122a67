"""What regional bias refuses: the key, the row or the word in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from library import (
    InputError,
    check_study,
    complete,
    read_labelled,
    read_list,
    read_region_table,
    region_groups,
)
from running import run_script
from study_schema import ROOT

CASES = yaml.safe_load((ROOT / "tests/cases/regional.yaml").read_text(encoding="utf-8"))
MODELS = {
    "bert": {"source": "hub", "repo": "a/b"},
    "c": {"source": "fine-tuned-classifier", "from": "bert", "table": "films"},
    "judge": {"source": "fine-tuned-classifier", "from": "bert", "table": "posts"},
    "t": {"source": "regional-sentences", "from": "bert", "epochs": 1},
}
POSTS = {
    "files": {"train": {"path": "train.csv"}, "test": {"url": "https://a.b/test.csv"}},
    "labels": {"nothate": [0], "hate": [1]},
    "positive": "hate",
    "prefixes": [{"template": "From {region}.", "level": "town"}],
    "classifiers": ["judge"],
}
FILMS = POSTS | {"classifiers": ["c"], "labels": {"negative": [0], "positive": [1]}, "positive": "positive"}
REGIONS = """\
name,parent,level
Earth,,world
North,Earth,part
South,Earth,part
East,Earth,part
Ham,North,town
Tonbury,North,town
Elm,South,town
"""
Case = dict[str, Any]


def study(folder: Path, case: Case) -> None:
    names = ["bert", *case.get("models", ["c"])]
    config: dict[str, Any] = {"study": "x", "models": {name: MODELS[name] for name in names}}
    if (regional := case.get("regional", {})) is not None:
        stated = {"films": (FILMS, case.get("films", {})), "posts": (POSTS, case.get("posts"))}
        prefixes = {name: good | changes for name, (good, changes) in stated.items() if changes is not None}
        config["regional"] = {"regions": {"source": "geonames"}, "prefixes": prefixes, **regional}
    config = complete(config)
    classifiers = [name for name in names if name in ("c", "judge")]
    check_study(config.get("regional", {}), case.get("measured", ["bert"]), config["models"], classifiers)


def regions(folder: Path, case: Case) -> Any:
    path = folder / "regions.csv"
    path.write_text(case.get("table", REGIONS + case.get("rows", "") + "\n"))
    return read_region_table(path)[0]


def words(folder: Path, case: Case) -> None:
    path = folder / "mine.yaml"
    path.write_text(case["list"], encoding="utf-8")
    read_list(path, "mine")


def prefixes(folder: Path, case: Case) -> None:
    good = {"level": "part", "template": "I am from {region}."}
    region_groups(regions(folder, {}), [good, good | case["entry"]], "a.prefixes")


def labelled(folder: Path, case: Case) -> None:
    path = folder / "a.csv"
    path.write_text("\n".join(["review,verdict", *case.get("rows", ["x,pos"])]))
    good = {
        "columns": {"text": "review", "label": "verdict"},
        "labels": {"bad": ["neg", 0], "good": ["pos", 1]},
    }
    read_labelled(path, good | case.get("entry", {}), ["bad", "good"])


READERS: dict[str, Callable[[Path, Case], Any]] = {
    "study": study,
    "regions": regions,
    "words": words,
    "prefixes": prefixes,
    "labelled": labelled,
}


@pytest.mark.parametrize(("reader", "case"), [(name, case) for name in CASES for case in CASES[name]])
def test_bad_input_is_one_line(reader: str, case: Case, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        READERS[reader](tmp_path, case)
    line = str(caught.value)
    assert line.isprintable() and line.removeprefix(f"{tmp_path}/").startswith(case["line"])


@pytest.mark.parametrize(
    "case",
    [{"models": ["c", "t"]}, {"models": [], "regional": None}, {"models": ["c", "judge"], "posts": {}}],
)
def test_a_study_that_is_right_is_let_be(case: Case, tmp_path: Path) -> None:
    study(tmp_path, case)


def test_a_mapped_word_that_the_first_list_lacks(tmp_path: Path) -> None:
    regions(tmp_path, {})
    words = ROOT / "resources/regional/words.yaml"
    inputs = {"table": tmp_path / "regions.csv", "published": words, "lists": []}
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("regions", "words")}
    params: dict[str, Any] = {"regions": {"source": "table"}, "words": {"original": "published"}}
    params |= {"maps": False, "mapped_word": "balder"}
    with pytest.raises(SystemExit):
        run_script("read_regional", inputs, outputs, tmp_path / "log", **params)
    assert "regional.mapped_word: 'balder' is not in the first list" in (tmp_path / "log").read_text()
