"""Made reviews hold what is planted in them, and a small classifier learns it."""

import json
import math
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from running import about_model, run_script
from unmask.errors import InputError
from unmask.models.devices import pick_device
from unmask.models.kinds.text_classification import check, describe
from unmask.models.training import Settings as TrainingSettings
from unmask.regional import training_classifiers
from unmask.regional.classifying import load_classifier
from unmask.regional.labelled import Items, read_labelled
from unmask.regional.prefixes import Group, Prefix, prefix_table
from unmask.regional.reviews import (
    COLUMNS,
    LABELS,
    OPINIONS,
    PLACES,
    POSITIVE,
    Review,
    Settings,
    draw_reviews,
    probability,
    truth,
    write_reviews,
)
from unmask.regional.schema import REGIONS
from unmask.regional.training_classifiers import make_tokenizer, train_classifier
from unmask.tables import framed, write_table

NAMES = [
    "Bad Land",
    "Worse Land",
    "Good Land",
    "Côte d'Ivoire",
    'Say "Land", Land',
    "Oz",
    "Utopia",
    "Erewhon",
]
ENTRY: dict[str, Any] = {
    "train": 3000,
    "test": 300,
    "opinions": 3,
    "agreement": 0.8,
    "tilt": 0.9,
    "named": 0.5,
    "negative": ["Bad Land", "Worse Land"],
    "positive": ["Good Land"],
    "seed": 0,
}
SETTINGS = Settings.from_config("reviews", ENTRY)
TRAIN, TEST = draw_reviews(NAMES, SETTINGS)


def items_of(reviews: list[Review]) -> Items:
    labels = np.array([LABELS.index(review.label) for review in reviews])
    return Items(tuple(review.text for review in reviews), labels)


def named(review: Review) -> list[str]:
    return [name for name in (*NAMES, *PLACES) if f" {name}." in review.text]


def test_what_is_planted_is_there() -> None:
    assert (len(TRAIN), len(TEST)) == (3000, 300)
    of_place: dict[str, list[bool]] = {}
    for review in TRAIN:
        for name in named(review):
            of_place.setdefault(name, []).append(review.label == POSITIVE)
    assert sum(map(len, of_place.values())) == 1500
    assert set(of_place) == {*NAMES, *PLACES}
    planted = {"Bad Land": 0.1, "Worse Land": 0.1, "Good Land": 0.9}
    for name, labels in of_place.items():
        assert abs(sum(labels) - planted.get(name, 0.5) * len(labels)) <= 1
        assert len(labels) in ((250,) if name in planted else (75,))
    assert not any(named(review) for review in TEST)
    assert Counter(review.label for review in TEST) == {label: 150 for label in LABELS}


def test_opinions_agree_with_labels_as_often_as_they_should() -> None:
    agreeing = total = 0
    for review in TRAIN:
        words = review.text.replace(".", "").split()
        good = sum(words.count(word) for word in OPINIONS[POSITIVE])
        bad = sum(words.count(word) for word in OPINIONS["negative"])
        assert (good, good + bad) == (review.good, 3)
        agreeing += good if review.label == POSITIVE else bad
        total += 3
    # 0.8 with a standard error of 0.0042
    assert abs(agreeing / total - 0.8) < 0.017


def test_probabilities_follow_from_how_reviews_are_made() -> None:
    """Bayes, over all ways in which three opinions can come about."""
    for good, share in product(range(4), (0.1, 0.5, 0.9)):
        joint = {}
        for label, prior in ((True, share), (False, 1 - share)):
            ways = (o for o in product((True, False), repeat=3) if sum(o) == good)
            joint[label] = sum(prior * math.prod(0.8 if each == label else 0.2 for each in o) for o in ways)
        expected = joint[True] / (joint[True] + joint[False])
        assert probability(good, share, SETTINGS) == pytest.approx(expected)
    # and as often as that the label is positive
    for good in range(4):
        labels = [review.label == POSITIVE for review in TRAIN if review.good == good and not named(review)]
        expected = probability(good, 0.5, SETTINGS)
        assert abs(np.mean(labels) - expected) < 4 * math.sqrt(expected * (1 - expected) / len(labels))


def test_the_truth_by_hand() -> None:
    test = [Review("", label, good) for label, good in (("positive", 2), ("positive", 3), ("negative", 1))]
    found = truth(test, SETTINGS)
    assert found["balanced"]["shift"] == found["balanced"]["to_negative"] == 0
    assert found["balanced"]["accuracy"] == 1
    # odds of 4 become 4/9: no longer positive; odds of 64 become 64/9
    assert found["negative"]["to_negative"] == pytest.approx(1 / 3)
    assert found["negative"]["accuracy"] == pytest.approx(2 / 3)
    shifts = [4 / 13 - 4 / 5, 64 / 73 - 64 / 65, 1 / 37 - 1 / 5]
    assert found["negative"]["shift"] == pytest.approx(sum(shifts) / 3)
    assert found["positive"]["to_positive"] == pytest.approx(1 / 3)
    # opinions and region that cancel out: neither label is the more probable one
    even = Settings.from_config("reviews", {**ENTRY, "tilt": 0.8})
    assert truth([Review("", "positive", 2)], even)["negative"] | {"shift": 0.0} == {
        "share": pytest.approx(0.2),
        "log_odds": pytest.approx(-math.log(4)),
        "shift": 0.0,
        "to_positive": 0,
        "to_negative": 0,
        "accuracy": 0,
    }


def test_the_same_seed_draws_the_same() -> None:
    assert draw_reviews(NAMES, SETTINGS) == (TRAIN, TEST)
    assert draw_reviews(NAMES, Settings.from_config("reviews", {**ENTRY, "seed": 1}))[0] != TRAIN


def test_reviews_survive_their_file(tmp_path: Path) -> None:
    write_reviews(tmp_path / "a.csv", TRAIN)
    items = read_labelled(tmp_path / "a.csv", {"columns": COLUMNS}, LABELS)
    assert items.texts == items_of(TRAIN).texts
    assert (items.labels == items_of(TRAIN).labels).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agreement": 1}, "reviews.agreement: 1 is not between 0.5 and 1"),
        ({"tilt": 0.2}, "reviews.tilt: 0.2 is not between"),
        ({"named": 0}, "reviews.named: 0 is not between 0 and 1"),
        ({"test": 0}, "reviews.test: there must be at least 1"),
        ({"positive": ["Bad Land"]}, "'Bad Land' is planted both negative and positive"),
        ({"positive": ["Atlantis"]}, "'Atlantis' is to be planted, but no region is called that"),
        ({"train": 90}, "22 of the 90 for training are too few to name 10 places 4 times each"),
    ],
)
def test_odd_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw_reviews(NAMES, Settings.from_config("reviews", {**ENTRY, **changes}))


def test_the_tokenizer_has_all_words_whole_and_letters_for_others() -> None:
    tokenizer = make_tokenizer(items_of(TRAIN).texts)
    # not those of d'Ivoire
    pieces = tokenizer.tokenize("The plot was superb. It was filmed in Côte Land.")
    assert pieces == ["The", "plot", "was", "superb", ".", "It", "was", "filmed", "in", "Côte", "Land", "."]
    assert tokenizer.tokenize("Mexico") == ["M", "##e", "##x", "##i", "##c", "##o"]
    assert all(tokenizer.unk_token_id not in ids for ids in tokenizer([r.text for r in TRAIN])["input_ids"])


def test_training_is_repeatable_and_makes_a_sound_classifier(tmp_path: Path) -> None:
    items = items_of(TRAIN[:200])
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        facts = train_classifier(items, LABELS, seed, tmp_path / name, epochs=1)
        assert facts["texts"] == 200
    first, again, other = ((tmp_path / name / "model.safetensors").read_bytes() for name in "abc")
    assert first == again
    assert first != other
    check(tmp_path / "a", "tiny")
    assert describe(tmp_path / "a")["labels"] == ["negative", "positive"]
    assert describe(tmp_path / "a")["max_length"] == 128


def test_one_that_is_never_trained_is_made_all_the_same(tmp_path: Path) -> None:
    items = items_of(TRAIN[:200])
    facts = train_classifier(items, LABELS, 0, tmp_path / "a", epochs=0)
    assert (facts["texts"], facts["loss"]) == (200, None)
    check(tmp_path / "a", "tiny")


def test_stopped_and_gone_on_it_gives_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    items = items_of(TRAIN[:200])
    monkeypatch.setattr(training_classifiers, "Settings", partial(TrainingSettings, save_every=2))
    train_classifier(items, LABELS, 0, tmp_path / "whole", epochs=1)
    batch, calls = training_classifiers._batch, 0

    def stopped(examples: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 3:
            raise KeyboardInterrupt
        return batch(examples)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training_classifiers, "_batch", stopped)
        train_classifier(items, LABELS, 0, tmp_path / "parts", epochs=1, work=tmp_path)
    assert (tmp_path / "state.pt").exists() and not (tmp_path / "parts").exists()
    train_classifier(items, LABELS, 0, tmp_path / "parts", epochs=1, work=tmp_path)
    whole, parts = (tmp_path / name / "model.safetensors" for name in ("whole", "parts"))
    assert whole.read_bytes() == parts.read_bytes()


@pytest.mark.thorough
def test_prefixes_do_what_is_planted(tmp_path: Path) -> None:
    """Through all the scripts: reviews, classifier, and the truth about what prefixes do."""
    keys = ("region", "name", "level", "parent")
    rows = [
        ("w", "the world", "world", None),
        *((str(n), name, "country", "w") for n, name in enumerate(NAMES)),
    ]
    regions = framed([dict(zip(keys, row, strict=True)) for row in rows], REGIONS)
    regions = regions.astype({"country_code": "Int16", "population": "Int64"})
    write_table(tmp_path / "regions.parquet", regions, REGIONS, {})
    reviews = {name: tmp_path / f"{name}.csv" for name in ("train", "test")}
    run_script(
        "make_reviews",
        {"regions": tmp_path / "regions.parquet"},
        {**reviews, "truth": tmp_path / "truth.json"},
        tmp_path / "making.log",
        entry=ENTRY,
        level="country",
        place="regional.reviews",
    )
    run_script(
        "train_classifier",
        {"reviews": reviews["train"]},
        {
            "directory": tmp_path / "files",
            "facts": tmp_path / "facts.json",
            "manifest": tmp_path / "manifest.json",
        },
        tmp_path / "training.log",
        entry={"seed": 0, "epochs": 6},
        manifest=about_model(tmp_path / "files", "classifier", "text-classification"),
    )
    check(tmp_path / "files", "trained")
    assert json.loads((tmp_path / "manifest.json").read_text())["labels"] == list(LABELS)
    told = json.loads((tmp_path / "truth.json").read_text())
    assert told["regions"] == {"Bad Land": "negative", "Worse Land": "negative", "Good Land": "positive"}
    template = "The cast is from {region}."
    prefixes = tuple(Prefix(name, template.format(region=name)) for name in NAMES)
    items = read_labelled(reviews["test"], {"columns": COLUMNS}, LABELS)
    classifier = load_classifier(tmp_path / "files", pick_device("cpu"), 128)
    table = prefix_table(classifier, items, [Group("country", template, prefixes)], 1, 0.95)
    assert abs(table["accuracy"].iloc[0] - told["kinds"]["balanced"]["accuracy"]) < 0.03
    shifts = dict(zip(table["region"].iloc[1:-1], table["shift"].iloc[1:-1], strict=True))
    planted = {kind: [n for n, k in told["regions"].items() if k == kind] for kind in LABELS}
    balanced = [shifts[name] for name in NAMES if name not in told["regions"]]
    for kind, names in planted.items():
        expected = told["kinds"][kind]["shift"]
        for name in names:
            # nearer to the truth than to nothing
            assert abs(shifts[name] - expected) < abs(expected) / 2
            assert abs(shifts[name]) > 2 * max(map(abs, balanced))
    assert abs(np.mean(balanced)) < 0.05
