"""What prefixes do: against a slow and obvious loop, on random classifiers, and on tables that do not fit."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import torch
from scipy.stats import binomtest

from library import (
    PLACELESS,
    PREFIXES,
    Encoder,
    load_classifier,
    loading,
    pick_device,
    predict,
    prefix_table,
    read_labelled,
    read_table,
    region_groups,
    write_table,
)
from library import REGIONS as REGIONS_SCHEMA
from library import RegionalItems as Items
from running import about_model, run_script
from tiny_models import tiny_classifier

Probabilities = npt.NDArray[np.float64]
CPU = pick_device("cpu", 512)
TEMPLATE = "I am from {region}."
WORDS = ("the", "people", "country", "are", "good", "bad", "rich", "poor", "old", "young", "work", "house")
REGIONS = pd.DataFrame(
    [
        ("world", "the world", "world", None),
        ("EU", "Europe", "continent", "world"),
        ("MX", "Mexico", "country", "EU"),
        ("FR", "France", "country", "EU"),
        ("1", "Puebla", "city", "MX"),
        ("2", "Paris", "city", "FR"),
        ("3", "Puebla", "city", "FR"),
    ],
    columns=["region", "name", "level", "parent"],
)


def texts(count: int, seed: int = 0) -> tuple[str, ...]:
    rng = np.random.default_rng(seed)
    return tuple(" ".join(rng.choice(WORDS, size=rng.integers(2, 9))) for _ in range(count))


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    """A classifier with three labels."""
    directory = tiny_classifier("bert", tmp_path_factory.mktemp("three"), labels=("bad", "so-so", "good"))
    return load_classifier(directory, CPU, 128)


def one_by_one(model: Encoder, some: Sequence[str]) -> Probabilities:
    """Texts × labels, one text at a time."""
    rows = []
    for text in some:
        with torch.inference_mode():
            logits = model.network(**model.tokenizer(text, return_tensors="pt")).logits[0]
        exponentials = np.exp(logits.numpy().astype(np.float64))
        rows.append(exponentials / exponentials.sum())
    return np.array(rows)


def test_probabilities_are_those_of_one_text_at_a_time(
    three: Encoder, caplog: pytest.LogCaptureFixture
) -> None:
    some = (*texts(40), *texts(5))
    np.testing.assert_allclose(predict(three, some), one_by_one(three, some), atol=1e-6)
    # 126 words between the special tokens
    whole, cut = (" ".join(["good", *["the"] * count]) for count in (125, 150))
    one, other = predict(three, [cut, whole])
    assert (one == other).all() and "1 of 2 texts are too long" in caplog.text
    caplog.clear()
    groups = region_groups(REGIONS, [{"level": "city", "template": TEMPLATE}])
    prefix_table(three, Items((cut, whole), np.array([0, 1])), groups, 1)
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert sum("too long" in message for message in warnings) == 1


def test_faster_layers_that_give_other_probabilities_are_not_taken(
    three: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(loading, "SMALLEST", 0)
    monkeypatch.setattr(loading, "onednn_pays", lambda: True)
    directory = tiny_classifier("bert", tmp_path / "three", labels=("bad", "so-so", "good"))
    expected = predict(three, WORDS)
    np.testing.assert_allclose(predict(load_classifier(directory, CPU, 128), WORDS), expected, atol=1e-5)
    assert "differ" not in caplog.text
    forward = loading.PackedLinear.forward
    monkeypatch.setattr(loading.PackedLinear, "forward", lambda layer, rows: 2 * forward(layer, rows))
    np.testing.assert_allclose(predict(load_classifier(directory, CPU, 128), WORDS), expected, atol=1e-6)
    assert "faster layers differ from the plain ones" in caplog.text


def literal(
    before: Probabilities, after: Sequence[Probabilities], labels: Sequence[int], positive: int
) -> dict[str, float | None]:
    """The columns of the texts behind some prefixes, text by text."""
    rows = [row for behind in after for row in zip(labels, before, behind, strict=True)]
    pairs = [(label, int(second.argmax())) for label, _, second in rows]
    changes = [second[positive] - first[positive] for _, first, second in rows]
    ups, downs = [x for x in changes if x > 0], [-x for x in changes if x < 0]
    gained, lost = (
        fmean([first.argmax() != positive, second.argmax() != positive] == way for _, first, second in rows)
        for way in ([True, False], [False, True])
    )
    scores = []
    for label in {each for pair in pairs for each in pair}:
        hits = sum(pair == (label, label) for pair in pairs)
        precision = hits / max(1, sum(now == label for _, now in pairs))
        recall = hits / max(1, sum(true == label for true, _ in pairs))
        scores.append(2 * precision * recall / (precision + recall) if hits else 0.0)
    return {
        "items": len(rows),
        "accuracy": fmean(true == now for true, now in pairs),
        "macro_f1": fmean(scores),
        "up": len(ups),
        "mean_up": fmean(ups) if ups else None,
        "down": len(downs),
        "mean_down": fmean(downs) if downs else None,
        "to_positive": gained,
        "to_negative": lost,
        "net": gained - lost,
    }


@pytest.mark.parametrize("positive", [0, 2])
def test_every_number_against_a_slow_loop(three: Encoder, positive: int) -> None:
    items = Items(texts(60), np.random.default_rng(1).integers(0, 3, 60))
    labels, before = items.labels.tolist(), one_by_one(three, items.texts)

    def behind(prefix: str) -> Probabilities:
        return one_by_one(three, [f"{prefix} {text}" for text in items.texts])

    entry = {"level": "city", "template": TEMPLATE, "without": ["Paris"]}
    with_parent = {"level": "city", "template": "I am from {region}, {parent}.", "regions": ["Paris"]}
    table = prefix_table(three, items, region_groups(REGIONS, [entry, with_parent]), positive)
    # a prefix with the region around it has no control
    of_paris, table = table[-2:], table[:-2]
    assert of_paris["p"].isna().all() and of_paris["over_control"].isna().all()
    expected = literal(before, [behind("I am from Paris, France.")], labels, positive)
    assert of_paris.iloc[0][list(expected)].to_dict() == pytest.approx(expected, abs=1e-6)
    assert list(table["level"]) == ["none", "control", *["city"] * 5]
    assert table["region"].fillna("all").to_list() == ["all", PLACELESS, "1", "2", "3", "all", "all"]
    assert table["without"].dropna().to_list() == ["2"]
    puebla, paris, control = "I am from Puebla.", "I am from Paris.", "I am from this place."
    after = {prefix: behind(prefix) for prefix in (puebla, paris, control)}
    of_rows = [[control], [puebla], [paris], [puebla], [puebla, paris, puebla], [puebla, puebla]]
    for (_, row), prefixes in zip(table[1:].iterrows(), of_rows, strict=True):
        expected = literal(before, [after[prefix] for prefix in prefixes], labels, positive)
        assert row[list(expected)].to_dict() == pytest.approx(expected, abs=1e-6)
        assert row["prefix"] == (prefixes[0] if len(prefixes) == 1 else TEMPLATE)
        if row["level"] == "control" or len(prefixes) > 1:
            assert np.isnan(row["p"])
            continue
        assert row["over_control"] == pytest.approx(row["net"] - table["net"][1])
        # texts that are positive behind one prefix alone
        one, other = (after[prefix].argmax(axis=1) == positive for prefix in (prefixes[0], control))
        alone = int((one & ~other).sum()), int((one ^ other).sum())
        assert row["p"] == pytest.approx(binomtest(*alone).pvalue if alone[1] else 1.0)
    # else nothing was tested
    assert table[["to_positive", "to_negative"]].to_numpy().sum() > 0
    plain = table.iloc[0]
    assert (plain["up"], plain["down"], plain["to_positive"], plain["to_negative"]) == (0, 0, 0, 0)
    assert np.isnan(plain["mean_up"]) and np.isnan(plain["p"])
    assert plain["accuracy"] == np.mean(before.argmax(axis=1) == items.labels)


def test_groups_of_regions() -> None:
    entry = {"level": "city", "template": "I am from {region}, {parent}.", "regions": ["Puebla"]}
    frame = REGIONS.replace("France", "{parent}{0} <b>")
    (group,) = region_groups(frame, [entry])
    assert group.prefixes == {"1": "I am from Puebla, Mexico.", "3": "I am from Puebla, {parent}{0} <b>."}


# labelled tables


def test_labels_are_those_that_the_settings_name_and_never_flip(tmp_path: Path) -> None:
    path, columns = tmp_path / "a.csv", {"text": "review", "label": "verdict"}
    path.write_text("review,verdict\nx,pos\ny,neg\nw,pos\nv,0\n")
    labels = {"bad": ["neg", 0], "good": ["pos", 1]}
    for stated in (labels, dict(reversed(labels.items()))):
        items = read_labelled(path, {"columns": columns, "labels": stated}, ["bad", "good"])
        assert items.texts == ("x", "y", "w", "v") and list(items.labels) == [1, 0, 1, 0]
    # whatever the order of the classifier's outputs
    items = read_labelled(path, {"columns": columns, "labels": labels}, ["good", "bad"])
    assert list(items.labels) == [0, 1, 0, 1]
    path.write_text("review,verdict\nx,good\ny,bad\n")
    assert list(read_labelled(path, {"columns": columns}, ["bad", "good"]).labels) == [1, 0]


def test_other_texts_and_other_regions_are_read_anew_and_the_same_are_not(tmp_path: Path) -> None:
    runtime = {"device": "cpu", "batch_tokens": None, "threads": 1}
    directory = tiny_classifier("bert", tmp_path / "model")
    inputs = {name: tmp_path / name for name in ("manifest", "regions", "table")}
    about = about_model(directory, kind="text-classification")
    run_script("check_model", [], [inputs["manifest"]], tmp_path / "log", manifest=about)
    entry: dict[str, Any] = {
        "positive": "good",
        "prefixes": [{"template": TEMPLATE, "level": "city"}],
        "type": "csv",
    }
    entry |= {"columns": {"text": "text", "label": "label"}, "labels": None}
    params: dict[str, Any] = {"classifier": "c", "table": "t", "source": "here", "entry": entry}

    def read(regions: pd.DataFrame, *lines: str) -> pd.DataFrame:
        codes = regions.assign(country_code=None, population=None)
        write_table(inputs["regions"], codes, REGIONS_SCHEMA, {"list": len(lines)})
        inputs["table"].write_text("\n".join(["text,label", *lines, ""]))
        config = {"runtime": runtime}
        run_script("prefix_regions", inputs, [tmp_path / "read"], tmp_path / "log", config=config, **params)
        return read_table(tmp_path / "read", PREFIXES)

    assert read(REGIONS, "the people are good,good")["items"].tolist() == [1, 1, 1, 1, 1, 3]
    two = ("the people are good,bad", "the house is bad,bad")
    table = read(REGIONS, *two)
    assert table["items"].tolist() == [2, 2, 2, 2, 2, 6]
    assert read(REGIONS[:-1], *two)["items"].tolist() == [2, 2, 2, 2, 4]
    pd.testing.assert_frame_equal(read(REGIONS, *two), table)
    # as where other words about regions are read
    with patch("unmask.regional.prefixes.load_classifier", None):
        pd.testing.assert_frame_equal(read(REGIONS, *two), table)
