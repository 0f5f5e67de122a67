"""What a study asks of regional bias and cannot have: one line each, before there is any work."""

from typing import Any

import pytest

from library import InputError, check_study, complete, parse_yaml

PREFIXES = [{"template": "From {region}.", "level": "town"}]
LM = {"source": "hub", "repo": "a/b"}
TRAINED = {"source": "regional-sentences", "from": "bert", "epochs": 1}
TUNED = {"source": "fine-tuned-classifier", "from": "bert", "table": "posts"}
POSTS = {
    "files": {"train": {"path": "train.csv"}, "test": {"url": "https://a.b/test.csv"}},
    "labels": {"nothate": [0], "hate": [1]},
    "positive": "hate",
    "prefixes": PREFIXES,
    "classifiers": ["judge"],
}
FILMS = POSTS | {"classifiers": ["c"], "labels": {"negative": [0], "positive": [1]}, "positive": "positive"}
CLASSIFIER = TUNED | {"table": "films"}


def check(models: dict[str, Any], measured: list[str], regional: dict[str, Any] | None) -> None:
    """Check a study of these models; `regional` beside the regions, or None for a study without."""
    study: dict[str, Any] = {"study": "x", "models": models}
    if regional is not None:
        study["regional"] = {"regions": {"source": "geonames"}, **regional}
    config = complete(study)
    classifiers = [name for name, entry in models.items() if entry["source"] == "fine-tuned-classifier"]
    check_study(config.get("regional", {}), measured, config["models"], classifiers)


def films(**changes: Any) -> dict[str, Any]:
    return {"prefixes": {"films": {**FILMS, **changes}}}


def posts(**changes: Any) -> dict[str, Any]:
    return {"prefixes": {"films": FILMS, "posts": {**POSTS, **changes}}}


def test_what_is_right_is_let_be() -> None:
    check({"bert": LM, "c": CLASSIFIER, "t": TRAINED}, ["bert", "t"], films())
    check({"bert": LM}, [], None)
    check({"bert": LM, "c": CLASSIFIER, "judge": TUNED}, ["bert"], posts())


# what the key regional has => how the one line goes on, behind `config key regional.`
REFUSED = """
template: "People in {region}." => template: 'People in {region}.' must have {region} and {word} once
template: "{region} {region} {word}" => template: '{region} {region} {word}' must have
template: "{region} {word} {}" => template: '{region} {word} {}' must have
template: "{{region}} {word}" => template: '{{region}} {word}' must have
template: "{re{word}gion}" => template: '{re{word}gion}' must have
template: "{region } {word}" => template: '{region } {word}' must have
template: "{region} {word!r}" => template: '{region} {word!r}' must have
template: "{region} {word}\\n" => template: '{region} {word}\\n' has a control character
{regions: {source: table, path: r.csv}, mapped_word: kind} => mapped_word: there are no maps
words: {full: w.yaml} => words: 'full' is the name of a part of a list
words: {replace-x: w.yaml} => words: 'replace-x' is the name of a part of a list
words: {mine: published} => words: 'mine': published are original and substituted, and no others
words: {original: w.yaml} => words: 'original': published are original and substituted
prefixes: {films: {prefixes: [{template: "Here."}]}}
=> prefixes.films.prefixes.0.template: 'Here.' must have {region} once, may have {parent}
prefixes: {films: {positive: good}} => prefixes.films: positive: 'good' is none of the labels negative,
prefixes: {films: {classifiers: [bert]}} => prefixes.films.classifiers: bert is not a model of the kind text-
prefixes: {films: {path: a.csv}} => prefixes.films: path is no longer there: it is files: {test: {path: …}}
""".replace("\n=>", " =>")


@pytest.mark.parametrize("case", REFUSED.strip().split("\n"))
def test_keys_of_the_study(case: str) -> None:
    stated, _, line = case.partition(" => ")
    regional = parse_yaml(stated)
    changes = regional.pop("prefixes", {}).get("films", {})
    with pytest.raises(InputError) as caught:
        check({"bert": LM, "c": CLASSIFIER}, ["bert"], films(**changes) | regional)
    assert str(caught.value).startswith(f"config key regional.{line}")


@pytest.mark.parametrize(
    ("models", "regional", "line"),
    [
        ({"c": CLASSIFIER}, None, "models.c: it needs the key regional"),
        ({"t": TRAINED}, None, "models.t: it needs the key regional"),
        ({"t": TRAINED}, {}, "models.t.from: bert is not among regional.models"),
        ({"c": CLASSIFIER}, films(), "regional: the study has no masked-lm model with files"),
        (
            {"c": CLASSIFIER, "judge": TUNED},
            films(),
            "models.judge.table: no entry 'posts' of regional.prefixes has files.",
        ),
        (
            {"c": CLASSIFIER, "judge": TUNED},
            posts(files={"test": {"path": "test.csv"}}),
            "models.judge.table: no entry 'posts' of regional.prefixes has files.train",
        ),
        (
            {"c": CLASSIFIER, "judge": TUNED},
            posts(labels=None),
            "regional.prefixes.posts.labels: they must be stated, as judge learns them",
        ),
    ],
)
def test_models_of_the_study(models: dict[str, Any], regional: dict[str, Any] | None, line: str) -> None:
    with pytest.raises(InputError) as caught:
        check({"bert": LM, **models}, ["bert"] if "judge" in models else [], regional)
    assert str(caught.value).startswith(f"config key {line}")
