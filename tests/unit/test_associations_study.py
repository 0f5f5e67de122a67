"""What a study asks of association tests and cannot have: one line each, before there is any work."""

from typing import Any

import pytest

from association_files import PUBLISHED
from library import InputError, complete
from library import associations_check_study as check_study

LM = {"source": "hub", "repo": "a/b"}
SEES = LM | {"kind": "vision-and-language"}
WORDS = {"format": "sent-bias", "path": "*.jsonl"}
PICTURES = {"format": "grounded", "path": "*.jsonl", "features": "f.npz"}
TESTS = {"seat": WORDS}
FILES = {"*/one.jsonl": ["a/one.jsonl"]}
"""Of the paths of suites; of others nothing is known."""


def check(entries: dict[str, Any], of_text: list[str], seeing: list[str], **associations: Any) -> None:
    config = complete({"study": "x", "models": entries, "associations": associations})
    tests = config["associations"]["tests"]

    def encoders_of(suite: str) -> list[str]:
        able = (
            seeing if tests[suite]["format"] == "grounded" else [*of_text, *associations.get("vectors", {})]
        )
        chosen = tests[suite]["encoders"]
        return [name for name in able if chosen is None or name in chosen]

    def files_of(suite: str) -> list[str]:
        return FILES.get(tests[suite].get("path"), [])

    check_study(
        config["associations"],
        config["models"],
        [*of_text, *seeing],
        encoders_of,
        files_of,
        PUBLISHED,
    )


def test_what_is_right_is_let_be() -> None:
    check({"bert": LM}, ["bert"], [], tests=TESTS)
    check({"bert": LM}, [], [], tests=TESTS, vectors={"glove": {"path": "glove.txt"}})
    check({"vb": SEES}, [], ["vb"], tests={"g": PICTURES})
    check_study({}, {}, [], lambda suite: [], lambda suite: [], PUBLISHED)
    check({"bert": LM}, ["bert"], [], tests=TESTS, published={"bert": "bert-large-cased"})
    check({"bert": LM}, ["bert"], [], tests={"s": WORDS | {"path": "*/one.jsonl", "only": ["one"]}})


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
            {"tests": {"s": WORDS | {"path": "*/one.jsonl", "only": ["one", "two"]}}},
            ".tests.s.only: no file of the test 'two' (there are one)",
        ),
    ],
)
def test_keys_of_the_study(associations: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError) as caught:
        check({"bert": LM, "vb": SEES, "c": LM}, ["bert"], ["vb"], **associations)
    assert str(caught.value).startswith(f"config key associations{line}")


def test_a_suite_needs_an_encoder_that_can_read_it() -> None:
    with pytest.raises(InputError, match=r"tests\.seat: the study has no model of text"):
        check({"vb": SEES}, [], ["vb"], tests=TESTS)
    with pytest.raises(InputError, match=r"tests\.g: the study has no model of the kind vision-and-language"):
        check({"bert": LM}, ["bert"], [], tests={"g": PICTURES})
