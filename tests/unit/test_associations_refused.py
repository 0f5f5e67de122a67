"""What association tests refuse: the key, the text or the line in one line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from association_files import PUBLISHED, SETS, grounded, sent_bias, sentences, stimuli, suite, words, written
from library import InputError, Models, complete, embed_words
from library import associations_check_study as check_study
from study_schema import ROOT

CASES = yaml.safe_load((ROOT / "tests/cases/associations.yaml").read_text().replace("ROOT/", f"{ROOT}/"))
LM = {"source": "hub", "repo": "a/b"}
MODELS = {
    "bert": LM,
    "c": LM | {"kind": "text-classification"},
    "vb": LM | {"kind": "vision-and-language"},
}
TESTS = {"seat": {"format": "sent-bias", "path": "*.jsonl"}}
Case = dict[str, Any]


def study(folder: Path, case: Case) -> None:
    names = {"bert", *case.get("models", [])} - {case.get("without")}
    associations = {"tests": TESTS, **case.get("associations", {})}
    models = {name: MODELS[name] for name in sorted(names)}
    config = complete({"study": "x", "models": models, "associations": associations})
    check_study(config["associations"], Models(config["models"]), PUBLISHED)


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


READERS: dict[str, Callable[[Path, Case], Any]] = {
    "study": study,
    "sent-bias": lambda folder, case: read_test(folder, case, sent_bias, "sent-bias"),
    "grounded": lambda folder, case: read_test(folder, case, grounded, "grounded"),
    "sentences": of_sentences,
    "vectors": vectors,
}


@pytest.mark.parametrize(("reader", "case"), [(name, case) for name in CASES for case in CASES[name]])
def test_bad_input_is_one_line(reader: str, case: Case, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        READERS[reader](tmp_path, case)
    line = str(caught.value)
    assert line.isprintable() and line.removeprefix(f"{tmp_path}/").startswith(case["line"])


@pytest.mark.parametrize(
    "case",
    [
        {"associations": {"published": {"bert": "bert-large-cased"}}},
        {"models": ["c"], "without": "bert", "associations": {"vectors": {"glove": {"path": "glove.txt"}}}},
    ],
)
def test_a_study_that_is_right_is_let_be(case: Case, tmp_path: Path) -> None:
    study(tmp_path, case)
