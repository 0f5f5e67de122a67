"""What a study asks of template tests and cannot have: one line each, before there is any work."""

import re
from pathlib import Path
from typing import Any

import pytest

from study_schema import FAMILIES
from unmask.errors import InputError
from unmask.schemas import complete
from unmask.templates.study import check_study, read_words

LPBS: dict[str, Any] = {
    "measure": "lpbs",
    "templates": ["[TARGET] is a [ATTRIBUTE]."],
    "targets": {"he": ["he"], "she": ["she"]},
    "attributes": "words.yaml",
}
DISCO: dict[str, Any] = {
    "measure": "disco",
    "templates": ["[PERSON] likes [BLANK]."],
    "persons": "words.yaml",
}
KEY = "config key templates.tests.mine"
WORDS = "x: [one, two]\ny: [three, four]\n"


@pytest.fixture(autouse=True)
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "words.yaml"
    path.write_text(WORDS)
    return path


def check(test: dict[str, Any], masked: tuple[str, ...] = ("bert",), **settings: Any) -> None:
    models = {name: {"source": "hub", "repo": "a/b"} for name in ("bert", "other")}
    study = {"study": "x", "models": models, "templates": {"tests": {"mine": test}, **settings}}
    completed = complete(study, FAMILIES)
    check_study(completed["templates"], completed["models"], masked)


def test_what_is_right_is_let_be() -> None:
    check(LPBS)
    check(DISCO, models=["bert"])
    check_study({}, [], [])


@pytest.mark.parametrize(
    ("test", "line"),
    [
        (
            {**LPBS, "templates": ["It is a [ATTRIBUTE]."]},
            f"{KEY}.templates: 'It is a [ATTRIBUTE].' has [TARGET] 0 times, not once",
        ),
        (
            {**DISCO, "templates": ["[PERSON] likes [BLANK] or [BLANK]."]},
            f"{KEY}.templates: '[PERSON] likes [BLANK] or [BLANK].' has [BLANK] 2 times, not once",
        ),
        (
            {**LPBS, "targets": {"he": ["he"], "she": ["she", "he"]}},
            f"{KEY}.targets.she: 'he' stands in he too",
        ),
        ({**LPBS, "targets": {"he": ["he"]}}, f"{KEY}.targets: "),
        ({**LPBS, "measure": "seat"}, f"{KEY}.measure: "),
        ({**DISCO, "attributes": "words.yaml"}, f"{KEY}: "),
    ],
)
def test_a_bad_test_is_one_line(test: dict[str, Any], line: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(line)}"):
        check(test)


def test_models_must_fill_masks() -> None:
    line = "config key templates: the study has no masked-lm model with files to fill templates"
    with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
        check(LPBS, masked=())
    line = "config key templates.models: other is not a masked-lm model with files"
    with pytest.raises(InputError, match=f"^{re.escape(line)}$"):
        check(LPBS, models=["other"])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x: [one, two]\n", "has 1 set of words, and a test compares two"),
        (WORDS + "z: [five, six]\n", "has 3 sets of words, and a test compares two"),
        ("x: [one, two]\ny: [three]\n", "y: has only one word; a test needs two or more in each set"),
        ("x: [one, two]\ny: [three, one]\n", "y.2: 'one' stands in x too"),
        ("x: [one, one]\ny: [three, four]\n", "x.2: 'one' stands in x too"),
        ("x: [one, 2]\ny: [three, four]\n", "x.2: is not a text but 2; put quotation marks around it"),
        ("x: [one, ' two']\ny: [three, four]\n", "x.2: ' two' has spaces around it"),
        ("[one, two]\n", "is not a mapping but "),
    ],
)
def test_bad_words_are_one_line(words: Path, text: str, line: str) -> None:
    words.write_text(text)
    with pytest.raises(InputError, match=f"^{re.escape(f'words.yaml: {line}')}"):
        read_words("words.yaml")


def test_words_are_read_in_their_order() -> None:
    assert read_words("words.yaml") == {"x": ["one", "two"], "y": ["three", "four"]}
