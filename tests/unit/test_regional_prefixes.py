"""What prefixes do: against a slow and obvious loop, on random classifiers, and on tables that do not fit."""

import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from scipy.stats import norm as normal
from scipy.stats import t as student
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from running import run_script
from tiny_models import tiny_classifier
from unmask.errors import InputError
from unmask.models.devices import Device, pick_device
from unmask.models.kinds import check_model
from unmask.regional.classifying import Classifier, Predictions, load_classifier, predict
from unmask.regional.labelled import Items, read_labelled
from unmask.regional.prefixes import (
    Group,
    Prefix,
    control_groups,
    macro_f1,
    mean_interval,
    paired_change,
    prefix_table,
    prefixed,
    region_groups,
    share_interval,
)
from unmask.regional.schema import PREFIXES, REGIONS
from unmask.statistics.intervals import wilson
from unmask.tables import framed, read_metadata, read_table, write_table

TEMPLATE = "I am from {region}."
WORDS = ("the", "people", "country", "are", "good", "bad", "rich", "poor", "old", "young", "work", "house")
RUNTIME = {"runtime": {"device": "cpu", "batch_tokens": None, "threads": 1}}
REGION_ROWS = [
    ("world", "the world", "world", None),
    ("EU", "Europe", "continent", "world"),
    ("MX", "Mexico", "country", "EU"),
    ("FR", "France", "country", "EU"),
    ("1", "Puebla", "city", "MX"),
    ("2", "Paris", "city", "FR"),
    ("3", "Puebla", "city", "FR"),
]


def regions() -> pd.DataFrame:
    keys = ("region", "name", "level", "parent")
    frame = framed([dict(zip(keys, row, strict=True)) for row in REGION_ROWS], REGIONS)
    return frame.astype({"country_code": "Int16", "population": "Int64"})


def texts(count: int, seed: int = 0) -> tuple[str, ...]:
    rng = np.random.default_rng(seed)
    return tuple(" ".join(rng.choice(WORDS, size=rng.integers(2, 9))) for _ in range(count))


def classifier(directory: Path, batch_tokens: int = 512, **settings: Any) -> Classifier:
    device = pick_device("cpu", batch_tokens)
    return load_classifier(tiny_classifier("bert", directory, **settings), device, 128)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    """A classifier with three labels."""
    return classifier(tmp_path_factory.mktemp("three"), labels=("bad", "so-so", "good"))


def one_by_one(model: Classifier, some: Sequence[str]) -> list[list[float]]:
    """Probabilities, one text at a time."""
    found = []
    for text in some:
        ids = model.tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            logits = model.network(**ids).logits[0]
        exponentials = [float(np.exp(np.float64(logit))) for logit in logits]
        found.append([each / sum(exponentials) for each in exponentials])
    return found


def test_probabilities_are_those_of_one_text_at_a_time(three: Classifier) -> None:
    some = (*texts(40), *texts(5))
    found = predict(three, some)
    assert found.truncated == 0
    np.testing.assert_allclose(found.probabilities, one_by_one(three, some), atol=1e-6)
    assert (found.probabilities[:5] == found.probabilities[-5:]).all()


@pytest.mark.parametrize("batch_tokens", [1, 17, 100_000])
def test_results_do_not_hang_on_the_batch_size(batch_tokens: int, tmp_path: Path, three: Classifier) -> None:
    other = Classifier(three.network, three.tokenizer, pick_device("cpu", batch_tokens), 128)
    items = Items(texts(30), np.arange(30) % 3)
    groups = region_groups(regions(), [{"level": "country", "template": TEMPLATE}])
    first, second = (prefix_table(each, items, groups, 2, 0.95) for each in (three, other))
    pd.testing.assert_frame_equal(first, second, atol=1e-6)


def test_a_batch_too_large_for_memory_is_halved(three: Classifier, monkeypatch: pytest.MonkeyPatch) -> None:
    some = texts(40)
    expected = predict(three, some).probabilities
    device = Device(torch.device("cpu"), "cpu", 512, 1, 1)
    small = Classifier(three.network, three.tokenizer, device, 128)
    forward = three.network.forward

    def scarce(input_ids: torch.Tensor, **others: Any) -> Any:
        if input_ids.numel() > 60:
            raise RuntimeError("out of memory")
        return forward(input_ids=input_ids, **others)

    monkeypatch.setattr(three.network, "forward", scarce)
    np.testing.assert_allclose(predict(small, some).probabilities, expected, atol=1e-6)
    assert device.batch_tokens <= 60


def test_what_is_too_long_loses_its_end_and_is_counted(three: Classifier) -> None:
    long, short = " ".join(["good", *["the"] * 150]), "good the the"
    # 126 words between the special tokens
    kept = " ".join(["good", *["the"] * 125])
    found = predict(three, [long, short, kept])
    assert found.truncated == 1
    assert (found.probabilities[0] == found.probabilities[2]).all()
    items = Items((kept, short), np.array([0, 1]))
    table = prefix_table(three, items, control_groups([TEMPLATE], ["a town"]), 2, 0.95)
    assert list(table["truncated"]) == [0, 1, 1]


def literal(
    model: Classifier, items: Items, prefixes: Sequence[str], positive: int
) -> dict[str, float | None]:
    """The columns of all prefixes together, text by text."""
    before = one_by_one(model, items.texts)
    net = 0
    right = read = to_positive = to_negative = 0
    ups, downs, pairs = [], [], []
    for prefix in prefixes:
        after = one_by_one(model, [f"{prefix} {text}" for text in items.texts])
        for label, first, second in zip(items.labels.tolist(), before, after, strict=True):
            was, now = first.index(max(first)), second.index(max(second))
            read += 1
            right += now == label
            pairs.append((label, now))
            to_positive += was != positive and now == positive
            to_negative += was == positive and now != positive
            net += (now == positive) - (was == positive)
            change = second[positive] - first[positive]
            if change > 0:
                ups.append(change)
            if change < 0:
                downs.append(-change)
    scores = []
    for label in {each for pair in pairs for each in pair}:
        hits = sum(pair == (label, label) for pair in pairs)
        precision = hits / max(1, sum(now == label for _, now in pairs))
        recall = hits / max(1, sum(true == label for true, _ in pairs))
        scores.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return {
        "items": read,
        "accuracy": right / read,
        "macro_f1": sum(scores) / len(scores),
        "shift": (sum(ups) - sum(downs)) / read,
        "up": len(ups),
        "mean_up": sum(ups) / len(ups) if ups else None,
        "down": len(downs),
        "mean_down": sum(downs) / len(downs) if downs else None,
        "to_positive": to_positive / read,
        "to_negative": to_negative / read,
        "net": net / read,
    }


def literal_over_control(
    model: Classifier, items: Items, prefix: str, controls: Sequence[str], positive: int
) -> float:
    """The share predicted positive behind a prefix less that behind controls, text by text."""
    differences = []
    for text in items.texts:
        (behind,), others = (
            [probabilities.index(max(probabilities)) == positive for probabilities in one_by_one(model, some)]
            for some in ([f"{prefix} {text}"], [f"{control} {text}" for control in controls])
        )
        differences.append(behind - sum(others) / len(others))
    return float(sum(differences) / len(differences))


@pytest.mark.parametrize("positive", [0, 2])
def test_every_number_against_a_slow_loop(three: Classifier, positive: int) -> None:
    items = Items(texts(60), np.random.default_rng(1).integers(0, 3, 60))
    groups = [
        *control_groups([TEMPLATE], ["a town"]),
        *region_groups(regions(), [{"level": "country", "template": TEMPLATE}]),
    ]
    table = prefix_table(three, items, groups, positive, 0.95)
    assert list(table["level"]) == ["none", "control", "control", "country", "country", "country"]
    assert table["region"].fillna("all").to_list() == ["all", "a town", "all", "MX", "FR", "all"]
    assert table["prefix"].iloc[-1] == TEMPLATE
    assert list(table["prefix"].iloc[3:5]) == ["I am from Mexico.", "I am from France."]
    changes = 0.0
    for row, prefixes in (
        (1, ["I am from a town."]),
        (3, ["I am from Mexico."]),
        (4, ["I am from France."]),
        (5, ["I am from Mexico.", "I am from France."]),
    ):
        expected = literal(three, items, prefixes, positive)
        assert table.iloc[row][list(expected)].to_dict() == pytest.approx(expected, abs=1e-6)
        changes += table["to_positive"].iloc[row] + table["to_negative"].iloc[row]
    # else nothing was tested
    assert changes > 0
    plain = table.iloc[0]
    assert (plain["up"], plain["down"], plain["to_positive"], plain["to_negative"]) == (0, 0, 0, 0)
    assert np.isnan(plain["mean_up"])
    of_mexico = literal_over_control(three, items, "I am from Mexico.", ["I am from a town."], positive)
    assert table["over_control"].iloc[3] == pytest.approx(of_mexico)
    assert table["over_control"].iloc[:3].isna().all() and table["p"].notna().tolist() == [False] * 3 + [
        *(True, True, False)
    ]
    predicted = [each.index(max(each)) for each in one_by_one(three, items.texts)]
    assert plain["accuracy"] == np.mean(np.array(predicted) == items.labels)


def test_an_empty_prefix_changes_nothing(three: Classifier) -> None:
    items = Items(texts(50), np.arange(50) % 3)
    table = prefix_table(three, items, [Group("country", "", (Prefix("nowhere", ""),))], 1, 0.95)
    ends = [f"{change}_{end}" for change in ("shift", "changed", "net") for end in ("low", "high")]
    keys = ["region", "level", "prefix", "template"]
    columns = [name for name in table if name not in (*keys, *ends)]
    first = table[columns].iloc[0]
    for row in (1, 2):
        pd.testing.assert_series_equal(table[columns].iloc[row], first, check_names=False)
    # that no prefix changes nothing is certain; that an empty one changes nothing was seen of 50 texts
    assert table["net_low"].iloc[1] < 0 < table["net_high"].iloc[1]
    assert (table.loc[table["level"] == "none", ends].to_numpy() == 0).all()
    assert prefixed("", "text") == "text"
    assert prefixed("I am here.", "text") == "I am here. text"


def test_all_but_one_is_what_the_others_are_by_themselves(three: Classifier) -> None:
    """Table 5 has the countries without one of them."""
    items = Items(texts(40), np.arange(40) % 3)
    entry = {"level": "city", "template": TEMPLATE, "without": ["Paris"]}
    groups = [*control_groups([TEMPLATE], ["a town", "here"]), *region_groups(regions(), [entry])]
    table = prefix_table(three, items, groups, 2, 0.95)
    assert table["without"].dropna().to_list() == ["2"]
    (row,) = table[table["without"].notna()].to_dict("records")
    assert (row["level"], row["prefix"], row["items"]) == ("city", TEMPLATE, 80)
    (without,) = region_groups(regions(), [{**entry, "regions": ["Puebla"], "without": None}])
    expected = prefix_table(three, items, [groups[0], without], 2, 0.95).iloc[-1].to_dict()
    assert expected["to_positive"] + expected["to_negative"] > 0
    for name, value in expected.items():
        if name != "without":
            assert row[name] == (pytest.approx(value, nan_ok=True) if isinstance(value, float) else value)


def test_prefixes_that_read_the_same_are_read_once_and_have_their_rows(
    three: Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counted(model: Classifier, some: Sequence[str]) -> Predictions:
        calls.append(len(some))
        return predict(model, some)

    monkeypatch.setattr("unmask.regional.prefixes.predict", counted)
    items = Items(texts(10), np.arange(10) % 3)
    groups = region_groups(regions(), [{"level": "city", "template": TEMPLATE}])
    table = prefix_table(three, items, groups, 2, 0.95)
    assert list(table["region"].iloc[1:-1]) == ["1", "2", "3"]
    # without a prefix, Puebla, Paris
    assert len(calls) == 3
    puebla, again = (table.iloc[row].drop("region").dropna().to_dict() for row in (1, 3))
    assert puebla == again
    assert table["up"].iloc[-1] == table["up"].iloc[1:-1].sum()


def test_groups_of_regions() -> None:
    groups = region_groups(
        regions(),
        [
            {"level": "city", "template": "I am from {region}, {parent}.", "regions": ["Puebla"]},
            {"level": "country", "template": TEMPLATE, "regions": None},
        ],
    )
    assert [prefix.text for prefix in groups[0].prefixes] == [
        "I am from Puebla, Mexico.",
        "I am from Puebla, France.",
    ]
    assert [prefix.region for prefix in groups[1].prefixes] == ["MX", "FR"]
    (control,) = control_groups([TEMPLATE, TEMPLATE, "In {region}, {parent}."], ["a town", "this place"])
    assert [prefix.text for prefix in control.prefixes] == ["I am from a town.", "I am from this place."]


def test_names_are_text_and_no_templates() -> None:
    frame = regions()
    frame.loc[frame["region"] == "MX", "name"] = "{parent}{0} <b>"
    (group,) = region_groups(frame, [{"level": "country", "template": TEMPLATE, "regions": None}])
    assert group.prefixes[0].text == "I am from {parent}{0} <b>."


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"level": "country", "template": "I am from here."}, "must have {region}"),
        ({"level": "country", "template": "From {region} {word}."}, "must have {region}, may have {parent}"),
        ({"level": "country", "template": "From {region.name}."}, "must have {region}"),
        ({"level": "country", "template": "From {region!r}."}, "must have {region}"),
        ({"level": "country", "template": "From {region:>9}."}, "must have {region}"),
        ({"level": "country", "template": "From {region."}, "template 'From {region.'"),
        ({"level": "state", "template": TEMPLATE}, "no region is a state .levels: world, continent"),
        ({"level": "country", "template": TEMPLATE, "regions": ["Puebla"]}, "no country is called 'Puebla'"),
        ({"level": "world", "template": "In {region}, {parent}."}, "lies in no region"),
        (
            {"level": "country", "template": TEMPLATE, "without": ["Paris"]},
            "without: no country with a prefix is called 'Paris'",
        ),
        (
            {"level": "continent", "template": TEMPLATE, "without": ["Europe"]},
            "without: 'Europe' is the only continent with a prefix",
        ),
    ],
)
def test_odd_prefixes_are_refused(wanted: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        region_groups(regions(), [wanted])


def test_macro_f1_of_labels_that_occur() -> None:
    # label 1: precision 1/2, recall 1; label 0: precision 1, recall 3/4; label 2 never occurs
    assert macro_f1(np.array([[3, 1, 0], [0, 1, 0], [0, 0, 0]])) == pytest.approx((6 / 7 + 2 / 3) / 2)


def test_intervals() -> None:
    shares = np.array([1.0, 0.0, 1.0, 1.0])
    low, high = wilson(3, 4, 0.9)
    assert share_interval(shares, 1, 0.9) == pytest.approx((low / 100, high / 100))
    # items that are always right or always wrong: reading them ten times tells no more than once
    wide = share_interval(shares, 10, 0.9)
    # readings that vary as much within items as between them: more readings tell more
    narrow = share_interval(np.array([0.7, 0.8, 0.7, 0.8]), 10, 0.9)
    assert wide[0] is not None and narrow[0] is not None
    assert wide[0] <= low / 100 and wide[1] >= high / 100
    assert 0.5 < narrow[0] < 0.75 < narrow[1] < 0.95
    assert share_interval(np.ones(1), 5, 0.9) == (None, None)
    certain = share_interval(np.ones(20), 50, 0.95)
    assert certain[0] is not None and certain[0] < wilson(20, 20, 0.95)[0] / 100 + 1e-9
    assert mean_interval(np.array([0.1]), 0.9) == (None, None)
    # t = 6.314 for one degree of freedom
    assert mean_interval(np.array([0.0, 0.2]), 0.9) == pytest.approx((0.1 - 0.6314, 0.1 + 0.6314), abs=1e-4)


def test_the_interval_of_a_change_is_agresti_and_mins() -> None:
    """By the four counts of two shares of the same items, half an item more in each; t for normal."""
    for rises, falls, same in ((3, 9, 28), (0, 0, 20), (5, 0, 0)):
        n = rises + falls + same
        low, high = rises + 0.5, falls + 0.5
        error = ((low + high) - (low - high) ** 2 / (n + 2)) ** 0.5 / (n + 2)
        reach = float(student.ppf(0.975, n - 1)) * error
        mean = (rises - falls) / (n + 2)
        of_items = np.array([1.0] * rises + [-1.0] * falls + [0.0] * same)
        p = 2 * float(student.sf(abs(mean) / error, n - 1))
        assert paired_change(of_items, 0.95) == pytest.approx(
            ((rises - falls) / n, mean - reach, mean + reach, p)
        )
    assert paired_change(np.array([1.0]), 0.95) == (1.0, None, None, None)


def test_the_interval_of_a_change_behind_several_prefixes() -> None:
    """The added items change by an item's change, weighted by itself, and by one prefix's share at least."""
    # of four prefixes: (changes of the items, size of the halves that are added)
    for changes, step in (
        ([0.25, -0.25, 0, 0, 0, 0], 0.25),
        ([1, 1, -1, 0, 0, 0], 1.0),
        ([0.5, -0.25, 0.25, 0, 0], 0.375),
        ([0, 0, 0, 0], 0.25),
        # less than one prefix, as of a difference from controls
        ([0.1, -0.1, 0, 0], 0.25),
        # more than one label can change
        ([1.5, 1.5, 0, 0], 1.0),
    ):
        # twice over, so that a half is a whole item
        doubled = [*changes, *changes, step, -step, 0, 0]
        mean = sum(doubled) / len(doubled)
        variance = sum((each - mean) ** 2 for each in doubled) / len(doubled)
        n = len(changes)
        reach = float(student.ppf(0.975, n - 1)) * (variance / (n + 2)) ** 0.5
        change = paired_change(np.array(changes), 0.95, 4)
        assert change[:3] == pytest.approx((sum(changes) / n, mean - reach, mean + reach))


COUNTRIES = ("Bad Land", "Oz", "Utopia", "Erewhon")
PLACES = ("a village", "a small town", "this place")
SHIFT, ANY, WEIGHT, WORDS_OF_A_TEXT = -1.5, -0.5, 1.2, 6


def linear(texts: Sequence[str], seed: int, trained: bool) -> Predictions:
    """A linear classifier: good and bad words, any prefix, and one country more; and noise of its own for
    each prefix and text. One that was never trained has the noise alone."""
    logits = []
    for text in texts:
        prefix, _, words = text.rpartition(".")
        noise = random.Random(f"{seed} {text}").gauss(0, 1)
        good = words.split().count("good")
        learnt = WEIGHT * (2 * good - WORDS_OF_A_TEXT) + ANY * bool(prefix) + SHIFT * ("Bad Land" in prefix)
        logits.append(noise + learnt * trained)
    positive = 1 / (1 + np.exp(-np.array(logits)))
    return Predictions(np.column_stack([1 - positive, positive]), 0)


def share_positive(shift: float) -> float:
    """The share of texts that the linear classifier calls positive, over all numbers of good words."""
    good = np.arange(WORDS_OF_A_TEXT + 1)
    frequency = np.array([math.comb(WORDS_OF_A_TEXT, each) for each in good]) / 2**WORDS_OF_A_TEXT
    return float(frequency @ normal.cdf(WEIGHT * (2 * good - WORDS_OF_A_TEXT) + shift))


def linear_study(monkeypatch: pytest.MonkeyPatch, seed: int, trained: bool) -> pd.DataFrame:
    rng = np.random.default_rng([99, seed])
    words = np.array(["bad", "good"])[rng.integers(0, 2, (100, WORDS_OF_A_TEXT))]
    # a number tells apart texts with the same words
    items = Items(tuple(f"{number} {' '.join(row)}" for number, row in enumerate(words)), np.arange(100) % 2)
    monkeypatch.setattr("unmask.regional.prefixes.predict", lambda model, some: linear(some, seed, trained))
    prefixes = tuple(Prefix(name, TEMPLATE.format(region=name)) for name in COUNTRIES)
    groups = [*control_groups([TEMPLATE], PLACES), Group("country", TEMPLATE, prefixes)]
    model: Any = None
    table = prefix_table(model, items, groups, 1, 0.95)
    return table[table["region"].isin(COUNTRIES)].set_index("region")


def test_a_planted_country_is_reported_with_its_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """The truth by enumeration: intervals over texts contain it, the planted country is clear, others not."""
    studies = [linear_study(monkeypatch, seed, trained=True) for seed in range(120)]
    plain, behind, planted = (share_positive(shift) for shift in (0.0, ANY, ANY + SHIFT))
    assert planted - behind < -0.15
    inside: dict[str, list[bool]] = {"net": [], "over_control": []}
    alarms: list[bool] = []
    clear: list[bool] = []
    for table in studies:
        for region, row in table.iterrows():
            of_region = planted if region == "Bad Land" else behind
            for name, truth in (("net", of_region - plain), ("over_control", of_region - behind)):
                inside[name].append(bool(row[f"{name}_low"] <= truth <= row[f"{name}_high"]))
            (clear if region == "Bad Land" else alarms).append(bool(row["p"] < 0.05))
    for name, covered in inside.items():
        # a standard error of .01
        assert 0.925 <= np.mean(covered) <= 0.985, name
    assert np.mean(clear) > 0.95 and 0.02 <= np.mean(alarms) <= 0.08
    mean = pd.concat(studies).groupby(level=0)["over_control"].mean()
    assert mean["Bad Land"] == pytest.approx(planted - behind, abs=0.01)


def test_a_classifier_that_was_never_trained_has_no_biased_country(monkeypatch: pytest.MonkeyPatch) -> None:
    studies = [linear_study(monkeypatch, seed, trained=False) for seed in range(60)]
    p = pd.concat(studies)["p"]
    assert 0.02 <= (p < 0.05).mean() <= 0.09


def test_pooled_intervals_cover_as_often_as_they_say() -> None:
    """Of items read with 12 prefixes each: the same item's readings are alike, and readings are no items."""
    rng = np.random.default_rng(0)
    covered = naive = 0
    for _ in range(400):
        of_items = rng.beta(2, 1, size=60)
        found = rng.binomial(12, of_items) / 12
        low, high = share_interval(found, 12, 0.95)
        assert low is not None and high is not None
        covered += low <= 2 / 3 <= high
        low, high = wilson(found.sum() * 12, 60 * 12, 0.95)
        naive += low <= 200 / 3 <= high
    assert 0.92 <= covered / 400 <= 0.98
    assert naive / 400 < 0.85


@pytest.mark.parametrize("alike", [0.0, 0.5, 0.9])
def test_changes_behind_18_prefixes_cover_as_often_as_they_say(alike: float) -> None:
    """Of 60 texts, as in a row of all countries: the halves of one prefix would be too wide.

    The logit of a text moves by .2 behind every prefix, and by noise of which the share `alike` is common to
    the prefixes of a text.
    """
    rng = np.random.default_rng(0)

    def changes(texts: int) -> np.ndarray[Any, np.dtype[np.float64]]:
        logits = rng.normal(0, 1.5, texts)
        noise = alike**0.5 * rng.normal(size=(texts, 1)) + (1 - alike) ** 0.5 * rng.normal(size=(texts, 18))
        behind = logits[:, None] + 0.2 + 0.4 * noise > 0
        changed = behind.astype(float) - (logits > 0)[:, None]
        return np.asarray(changed.mean(axis=1), dtype=np.float64)

    truth = changes(200_000).mean()
    assert truth > 0.03
    covered, width, of_one, plain = [], [], [], []
    for _ in range(1000):
        of_items = changes(60)
        _, low, high, _ = paired_change(of_items, 0.95, 18)
        assert low is not None and high is not None
        covered.append(low <= truth <= high)
        width.append(high - low)
        # as if each item changed by one label or by none
        error = ((of_items**2).sum() + 1) / 62 - (of_items.sum() / 62) ** 2
        of_one.append(2 * student.ppf(0.975, 59) * (error / 62) ** 0.5)
        plain_low, plain_high = mean_interval(of_items, 0.95)
        assert plain_low is not None and plain_high is not None
        plain.append(plain_high - plain_low)
    # a standard error of .007
    assert 0.925 <= np.mean(covered) <= 0.975
    assert np.mean(plain) < 1.05 * np.mean(width) and np.mean(width) < np.mean(of_one)


ENTRY: dict[str, Any] = {
    "columns": {"text": "review", "label": "verdict"},
    "labels": {"bad": ["neg", 0], "good": ["pos", 1]},
    "leave_out": ["skip"],
}


def write_csv(path: Path, *rows: str) -> Path:
    path.write_text("review,verdict\n" + "".join(f"{row}\n" for row in rows))
    return path


def test_labels_are_those_that_the_settings_name_and_never_flip(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "a.csv", "x,pos", "y,neg", "z,skip", "w,pos", "v,0")
    items = read_labelled(table, ENTRY, ["bad", "good"])
    assert items.texts == ("x", "y", "w", "v")
    assert list(items.labels) == [1, 0, 1, 0]
    # whatever the order of the classifier's outputs
    assert list(read_labelled(table, ENTRY, ["good", "bad"]).labels) == [0, 1, 0, 1]
    swapped = ENTRY | {"labels": {"good": ["pos", 1], "bad": ["neg", 0]}}
    assert list(read_labelled(table, swapped, ["bad", "good"]).labels) == [1, 0, 1, 0]
    named = write_csv(tmp_path / "b.csv", "x,good", "y,bad")
    assert list(read_labelled(named, {"columns": ENTRY["columns"]}, ["bad", "good"]).labels) == [1, 0]


def test_reviews_are_read_with_the_control_characters_they_are_published_with(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = write_csv(tmp_path / "a.csv", "a 1950\x96s film\x85,pos", "y,neg")
    assert read_labelled(table, ENTRY, ["bad", "good"]).texts == ("a 1950\x96s film\x85", "y")
    assert "1 texts have control characters" in caplog.text


def test_all_kinds_of_tables(tmp_path: Path) -> None:
    rows = [{"review": "x", "verdict": 1}, {"review": "y", "verdict": 0}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    (tmp_path / "a.tsv").write_text("review\tverdict\nx\t1\ny\t0\n")
    for name in ("a.jsonl", "a.parquet", "a.tsv"):
        items = read_labelled(tmp_path / name, ENTRY, ["bad", "good"])
        assert (items.texts, list(items.labels)) == (("x", "y"), [1, 0])


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        (["x,pos", "y,positive"], {}, r"row 1 \(line 3\): verdict: 'positive' is none of neg, 0"),
        (["x,pos", " ,neg"], {}, r"row 1 \(line 3\): review: is empty"),
        (["x,pos,1"], {}, r"row 0 \(line 2\): 3 fields"),
        ([], {}, "no rows in it"),
        (["x,skip"], {}, "no labelled texts in it"),
        (["x,pos"], {"columns": {"text": "text", "label": "verdict"}}, "no column 'text'"),
        (
            ["x,pos"],
            {"labels": {"great": ["pos"]}},
            "labels: 'great' is no label of the classifier .it has bad",
        ),
        (
            ["x,pos"],
            {"labels": {"bad": ["pos"], "good": ["pos"]}},
            "the value 'pos' is under both bad and good",
        ),
        (["x,pos"], {"leave_out": ["pos"]}, "leave_out: the value 'pos' is under labels too"),
    ],
)
def test_odd_tables_are_refused(
    rows: list[str], changes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    table = write_csv(tmp_path / "a.csv", *rows)
    with pytest.raises(InputError, match=message) as caught:
        read_labelled(table, ENTRY | changes, ["bad", "good"])
    assert str(caught.value).startswith(f"{table}: ")


def manifest_of(directory: Path, file: Path) -> Path:
    entry = {"source": "path", "kind": "text-classification"}
    file.write_text(
        json.dumps(
            check_model(directory, "text-classification", "tiny")
            | {"directory": str(directory), "entry": entry}
        )
    )
    return file


def test_the_script(tmp_path: Path) -> None:
    directory = tiny_classifier("bert", tmp_path / "model")
    write_table(tmp_path / "regions.parquet", regions(), REGIONS, {})
    rows = [f"{text},{'pos' if number % 2 else 'neg'}" for number, text in enumerate(texts(20))]
    inputs = {
        "manifest": manifest_of(directory, tmp_path / "manifest.json"),
        "regions": tmp_path / "regions.parquet",
        "table": write_csv(tmp_path / "a.csv", *rows),
    }
    entry = ENTRY | {
        "positive": "good",
        "prefixes": [
            {"level": "country", "template": TEMPLATE, "regions": None},
            {"level": "city", "template": "I am from {region}, {parent}.", "regions": ["Paris"]},
        ],
        "control": ["a town", "this place"],
    }
    names: dict[str, Any] = {"classifier": "tiny", "table": "a", "source": "a.csv", "confidence": 0.95}
    for output in ("first", "second"):
        run_script(
            "prefix_regions",
            inputs,
            [tmp_path / output],
            tmp_path / "log",
            config=RUNTIME,
            entry=entry,
            **names,
        )
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    # what is there of just these texts and prefixes is not read again
    before = (tmp_path / "first").read_bytes()
    (tmp_path / "first").unlink()
    run_script(
        "prefix_regions",
        inputs,
        [tmp_path / "first"],
        tmp_path / "log",
        config=RUNTIME,
        entry=entry,
        **names,
    )
    assert "nothing is left to do" in (tmp_path / "log").read_text()
    assert (tmp_path / "first").read_bytes() == before
    table = read_table(tmp_path / "first", PREFIXES)
    assert list(table["level"]) == ["none", *["control"] * 3, *["country"] * 3, *["city"] * 2]
    facts = read_metadata(tmp_path / "first")
    assert (facts["labels"], facts["positive"], facts["control"]) == (
        ["bad", "good"],
        "good",
        ["a town", "this place"],
    )
    tokenizer = AutoTokenizer.from_pretrained(directory)
    network = AutoModelForSequenceClassification.from_pretrained(directory).eval()
    model = Classifier(network, tokenizer, pick_device("cpu"), 128)
    items = Items(texts(20), np.arange(20) % 2)
    expected = literal(model, items, ["I am from Paris, France."], 1)
    assert table.iloc[-2][list(expected)].to_dict() == pytest.approx(expected, abs=1e-6)

    with pytest.raises(SystemExit):
        run_script(
            "prefix_regions",
            inputs,
            [tmp_path / "third"],
            tmp_path / "log",
            config=RUNTIME,
            entry=entry | {"positive": "great"},
            **names,
        )
    assert "classifier tiny, table a: positive: 'great' is no label" in (tmp_path / "log").read_text()
    assert not (tmp_path / "third").exists()
