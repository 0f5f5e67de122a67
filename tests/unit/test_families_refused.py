"""What regional bias and association tests refuse: the key, the row, the text or the word in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from association_files import PUBLISHED, SETS, grounded, sent_bias, sentences, stimuli, suite, words, written
from library import (
    InputError,
    Models,
    associations_check_study,
    check_study,
    complete,
    embed_words,
    read_labelled,
    read_list,
    read_region_table,
    region_groups,
)
from running import run_script
from study_schema import ROOT

Case = dict[str, Any]

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


def regional_study(folder: Path, case: Case) -> None:
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


def word_list(folder: Path, case: Case) -> None:
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


LM = {"source": "hub", "repo": "a/b"}
ENCODERS = {
    "bert": LM,
    "c": LM | {"kind": "text-classification"},
    "vb": LM | {"kind": "vision-and-language"},
}
TESTS = {"seat": {"format": "sent-bias", "path": "*.jsonl"}}


def associations_study(folder: Path, case: Case) -> None:
    names = {"bert", *case.get("models", [])} - {case.get("without")}
    associations = {"tests": TESTS, **case.get("associations", {})}
    models = {name: ENCODERS[name] for name in sorted(names)}
    config = complete({"study": "x", "models": models, "associations": associations})
    associations_check_study(config["associations"], Models(config["models"]), PUBLISHED)


def read_test(folder: Path, case: Case, make: Callable[..., Any], form: str) -> None:
    value = case["test"] if isinstance(case["test"], str) else make(**case["test"])
    stimuli(written(folder, mine=value), format=form)


def of_sentences(folder: Path, case: Case) -> None:
    user_words = folder / "words.json"
    if "words" in case:
        stated = {key: value for key, value in (SETS | case["words"]).items() if value is not None}
        user_words.write_text(json.dumps(stated))
    texts = written(folder, sent__mine=sentences(SETS | case.get("sets", {})))
    stimuli(texts, words=user_words if "words" in case else None)


def vectors(folder: Path, case: Case) -> None:
    path = folder / "vectors.txt"
    path.write_text(case["file"])
    embed_words(suite(*words("one", X=["US"], Y=["NASA"], A=["he"], B=["she"])), path)


READERS: dict[str, dict[str, Callable[[Path, Case], Any]]] = {
    "regional": {
        "study": regional_study,
        "regions": regions,
        "words": word_list,
        "prefixes": prefixes,
        "labelled": labelled,
    },
    "associations": {
        "study": associations_study,
        "sent-bias": lambda folder, case: read_test(folder, case, sent_bias, "sent-bias"),
        "grounded": lambda folder, case: read_test(folder, case, grounded, "grounded"),
        "sentences": of_sentences,
        "vectors": vectors,
    },
}
FILES = {family: (ROOT / f"tests/cases/{family}.yaml").read_text(encoding="utf-8") for family in READERS}
CASES = [
    (READERS[family][reader], case)
    for family, text in FILES.items()
    for reader, cases in yaml.safe_load(text.replace("ROOT/", f"{ROOT}/")).items()
    for case in cases
]


@pytest.mark.parametrize(("read", "case"), CASES)
def test_bad_input_is_one_line(read: Callable[[Path, Case], Any], case: Case, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, case)
    line = str(caught.value)
    assert line.isprintable() and line.removeprefix(f"{tmp_path}/").startswith(case["line"])


def test_a_mapped_word_that_the_first_list_lacks(tmp_path: Path) -> None:
    regions(tmp_path, {})
    published = ROOT / "resources/regional/words.yaml"
    inputs = {"table": tmp_path / "regions.csv", "published": published, "lists": []}
    outputs = {name: tmp_path / f"{name}.parquet" for name in ("regions", "words")}
    params: dict[str, Any] = {"regions": {"source": "table"}, "words": {"original": "published"}}
    params |= {"maps": False, "mapped_word": "balder"}
    with pytest.raises(SystemExit):
        run_script("read_regional", inputs, outputs, tmp_path / "log", **params)
    assert "regional.mapped_word: 'balder' is not in the first list" in (tmp_path / "log").read_text()
