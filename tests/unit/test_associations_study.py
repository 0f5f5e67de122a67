"""What a study asks of association tests and cannot have: one line each, before there is any work."""

from typing import Any

import pytest

from association_files import PUBLISHED
from library import InputError, Models, complete, parse_yaml
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


# what the key associations has => how the one line goes on, behind `config key associations.`
REFUSED = f"""
{{models: [c]}} => models: c is not a model with files of the kind masked-lm, text-encoder or
{{vectors: {{bert: {{path: b.txt}}}}}} => vectors.bert: the study has a model of this name
{{published: {{c: glove-840b}}}} => published: c is not tested
{{published: {{bert: bert-lagre}}}} => published.bert: there are no published values
{{tests: {{s: {{format: sent-bias, path: a, encoders: [vb]}}}}}}
=> tests.s.encoders: vb does not read texts without pictures
{{tests: {{g: {{format: grounded, path: a, features: f.npz, encoders: [bert]}}}}}}
=> tests.g.encoders: bert does not read texts with pictures
{{tests: {{s: {{format: sent-bias, path: a, encoders: [nobody]}}}}}}
=> tests.s.encoders: nobody is not tested (there are bert, vb)
{{tests: {{s: {{format: sent-bias, path: {ONE_TEST}, only: [two]}}}}}}
=> tests.s.only: no file of the test 'two' (there are
""".replace("\n=>", " =>")


@pytest.mark.parametrize("case", REFUSED.strip().split("\n"))
def test_keys_of_the_study(case: str) -> None:
    stated, _, line = case.partition(" => ")
    with pytest.raises(InputError) as caught:
        check({"bert": LM, "vb": SEES, "c": CLASSIFIER}, **{"tests": TESTS, **parse_yaml(stated)})
    assert str(caught.value).startswith(f"config key associations.{line}")


def test_a_suite_needs_an_encoder_that_can_read_it() -> None:
    with pytest.raises(InputError, match=r"tests\.seat: the study has no model of text"):
        check({"vb": SEES}, tests=TESTS)
    with pytest.raises(InputError, match=r"tests\.g: the study has no model of the kind vision-and-language"):
        check({"bert": LM}, tests={"g": PICTURES})
