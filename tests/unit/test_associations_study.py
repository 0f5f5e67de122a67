"""What a study asks of association tests and cannot have: one line each, before there is any work."""

from typing import Any

import pytest

from association_files import PUBLISHED
from library import InputError, Models, complete
from library import associations_check_study as check_study
from study_schema import ROOT

LM = {"source": "hub", "repo": "a/b"}
SEES = LM | {"kind": "vision-and-language"}
WORDS = {"format": "sent-bias", "path": "*.jsonl"}
PICTURES = {"format": "grounded", "path": "*.jsonl", "features": "f.npz"}
TESTS = {"seat": WORDS}
ONE_TEST = next((ROOT / "resources/associations/synthetic").glob("*.jsonl"))
CLASSIFIER = LM | {"kind": "text-classification"}
ONE = {"format": "sent-bias", "path": str(ONE_TEST)}


def check(entries: dict[str, Any], **associations: Any) -> None:
    config = complete({"study": "x", "models": entries, "associations": associations})
    check_study(config["associations"], Models(config["models"]), PUBLISHED)


def test_what_is_right_is_let_be() -> None:
    check({"bert": LM}, tests=TESTS)
    check({"c": CLASSIFIER}, tests=TESTS, vectors={"glove": {"path": "glove.txt"}})
    check({"vb": SEES}, tests={"g": PICTURES})
    check_study({}, Models({}), PUBLISHED)
    check({"bert": LM}, tests=TESTS, published={"bert": "bert-large-cased"})
    check({"bert": LM}, tests={"s": ONE | {"only": [ONE_TEST.stem]}})


@pytest.mark.parametrize(
    ("associations", "line"),
    [
        ({"tests": TESTS, "models": ["c"]}, ".models: c is not a model with files of the kind masked-lm,"),
        (
            {"tests": TESTS, "vectors": {"bert": {"path": "b.txt"}}},
            ".vectors.bert: the study has a model of this name",
        ),
        ({"tests": TESTS, "published": {"c": "glove-840b"}}, ".published: c is not tested"),
        (
            {"tests": TESTS, "published": {"bert": "bert-lagre"}},
            ".published.bert: there are no published values of 'bert-lagre' (there are of",
        ),
        (
            {"tests": {"s": WORDS | {"encoders": ["vb"]}}},
            ".tests.s.encoders: vb does not read texts without pictures",
        ),
        (
            {"tests": {"g": PICTURES | {"encoders": ["bert"]}}},
            ".tests.g.encoders: bert does not read texts with pictures",
        ),
        (
            {"tests": {"s": WORDS | {"encoders": ["nobody"]}}},
            ".tests.s.encoders: nobody is not tested (there are bert, vb)",
        ),
        (
            {"tests": {"s": ONE | {"only": [ONE_TEST.stem, "two"]}}},
            f".tests.s.only: no file of the test 'two' (there are {ONE_TEST.stem})",
        ),
    ],
)
def test_keys_of_the_study(associations: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        check({"bert": LM, "vb": SEES, "c": CLASSIFIER}, **associations)
    assert str(caught.value).startswith(f"config key associations{line}")


def test_a_suite_needs_an_encoder_that_can_read_it() -> None:
    with pytest.raises(InputError, match=r"tests\.seat: the study has no model of text"):
        check({"vb": SEES}, tests=TESTS)
    with pytest.raises(InputError, match=r"tests\.g: the study has no model of the kind vision-and-language"):
        check({"bert": LM}, tests={"g": PICTURES})
