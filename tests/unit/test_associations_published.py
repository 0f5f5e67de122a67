"""Published values of association tests: the facts, how they are looked up, and faults of their file."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from association_files import PUBLISHED
from real_data import real_data
from unmask.associations.published import Protocol, Published
from unmask.errors import InputError


@pytest.fixture(scope="module")
def published() -> Published:
    return Published.from_file(PUBLISHED)


def facts() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(PUBLISHED.read_text(encoding="utf-8"))
    return found


def test_all_values(published: Published) -> None:
    assert len(published.values) == 37
    counts = {name: sum(value.source == name for value in published.values) for name in published.sources}
    assert counts == {"meade": 7, "may": 14, "may-corrected": 14, "caliskan": 1, "wefe": 1}


def test_a_value(published: Published) -> None:
    (value,) = published.of("bert-base-uncased", "sent-weat6")
    assert (value.source, value.d, value.p, value.statistic) == ("meade", 0.931, None, None)
    assert (value.protocol.pooling, value.protocol.level, value.protocol.ddof) == ("mean", "item", 1)
    (value,) = published.of("glove-840b", "weat7")
    assert (value.d, value.p, value.protocol.pooling, value.protocol.level) == (
        1.06,
        0.018,
        "vectors",
        "word",
    )
    (value,) = published.of("wefe-test-w2v", "weat6b")
    assert (value.d, value.statistic) == (0.45076532, 0.46343882)
    assert isinstance(value.protocol, Protocol) and value.protocol.ddof == 0


def test_values_of_two_sources(published: Published) -> None:
    before, after = published.of("bert-large-cased", "sent-weat1")
    assert (before.source, before.d, before.protocol.pooling) == ("may", 0.62, "bare-first")
    assert (after.source, after.d, after.protocol.pooling) == ("may-corrected", 1.07, "cls")


def test_what_is_not_published(published: Published) -> None:
    assert published.of(None, "weat6") == published.of("bert-large-cased", None) == []
    assert published.of("bert-base-uncased", "weat6") == published.of("x", "weat6") == []
    assert published.means_of("x") == []


def test_the_mean_is_that_of_the_values(published: Published) -> None:
    (mean,) = published.means_of("bert-base-uncased")
    values = [published.of("bert-base-uncased", test)[0].d for test in mean.tests]
    assert len(values) == 6
    assert sum(map(abs, values)) / 6 == pytest.approx(mean.d, abs=0.0005)


def test_each_test_is_a_released_one(published: Published) -> None:
    names = {path.stem for path in real_data("seat").glob("*.jsonl")}
    assert {test for value in published.values for test in value.tests} <= names


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": 1}, "not sources and values"),
        ({"values": {}}, "values: no list"),
        ({"values": [{"source": "x"}]}, "value 1: source 'x' is not there"),
        ({"values": [{"source": "may", "model": "m", "test": "t", "e": 1}]}, "value 1: keys unknown"),
        ({"values": [{"source": "may", "test": "t", "d": 1}]}, "value 1: no model"),
        ({"values": [{"source": "may", "model": "m", "d": 1}]}, "value 1: not one of test and mean_absolute"),
        ({"values": [{"source": "may", "model": "m", "test": "t"}]}, "value 1: d: None is no number"),
        ({"values": [{"source": "may", "model": "m", "test": "t", "d": True}]}, "value 1: d: True is no"),
        ({"values": [{"source": "may", "model": "m", "test": "t", "d": float("nan")}]}, "value 1: d: nan is"),
        ({"values": [{"source": "may", "model": "m", "test": "t", "d": 1}] * 2}, "value 2: is there twice"),
        ({"values": [{"source": "may", "model": "m", "mean_absolute": ["t"], "d": 1}]}, "value 1: mean_abs"),
        ({"sources": {"may": {}}}, "sources.may: not title, where and protocol"),
        (
            {"sources": {"may": {"title": "t", "where": "w", "protocol": {"pooling": "max"}}}},
            "sources.may.protocol.pooling: 'max' is none",
        ),
        (
            {"sources": {"may": {"title": "t", "where": "w", "protocol": {"pooling": "cls"}}}},
            "sources.may.protocol.level: None is none",
        ),
    ],
)
def test_faults_of_the_file(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "published.yaml"
    path.write_text(yaml.safe_dump(facts() | change), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Published.from_file(path)
    assert str(caught.value).startswith(f"{path}: {said}")
