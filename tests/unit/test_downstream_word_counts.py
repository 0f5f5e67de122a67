"""How often data has feminine and masculine words, against a literal count and against resampling."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from library import DOWNSTREAM_WORD_COUNTS as WORD_COUNTS
from library import (
    EXAMPLES,
    WordPairs,
    as_table,
    examples_of,
    ilps,
    read_metadata,
    read_table,
    read_word_pairs,
    write_table,
)
from library import downstream_count_words as count_words
from real_data import real_data
from running import run_script
from study_schema import ROOT

WORDS = ROOT / "resources/gendered_words.yaml"
PAIRS = WordPairs((("she", "he"), ("her", "his"), ("woman", "man")))


def examples(first: list[str], second: list[str] | None = None, dev: str = "she she she") -> pd.DataFrame:
    train = pd.DataFrame({"text": first, "label": 0.0})
    if second is not None:
        train["second"] = second
    return examples_of(train, pd.DataFrame({"text": [dev], "label": [0.0]}))


def test_words_are_counted_as_each_protocol_has_them() -> None:
    rows = examples(["She saw her, and HE saw", "man's best. She"], ["his.", "a woman"])
    counts = count_words("t", rows, PAIRS, 0.95)
    # "her," and "his." and "man's" are words of neither list where spaces alone part words
    assert counts["protocol"].tolist() == ["published", "corrected"]
    assert counts["feminine"].tolist() == [3, 4] and counts["masculine"].tolist() == [1, 3]
    assert counts["ilps"].tolist() == pytest.approx([math.log(3), math.log(4 / 3)])
    assert counts["n"].tolist() == [2, 2]
    assert as_table(counts, WORD_COUNTS).num_rows == 2


def test_the_published_protocol_stops_where_the_papers_did() -> None:
    rows = examples(["she", "he", "he he"])
    counts = count_words("t", rows, PAIRS, 0.95, first=2)
    assert counts[["feminine", "masculine", "n"]].to_numpy().tolist() == [[1, 1, 2], [1, 3, 3]]


def test_real_sentences_are_counted_as_a_literal_count_does() -> None:
    words = read_word_pairs(WORDS)
    lines = real_data("nli_sts", "stsb_test_captions_ccbysa.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines]
    rows = examples([cell[5] for cell in cells], [cell[6] for cell in cells])
    counts = count_words("t", rows, words, 0.95).set_index("protocol")
    for protocol in ("published", "corrected"):
        women = men = 0
        for cell in cells:
            for sentence in (cell[5].lower(), cell[6].lower()):
                pieces = sentence.split() if protocol == "published" else re.split("[^a-z]+", sentence)
                for piece in pieces:
                    women += piece in words.feminine
                    men += piece in words.masculine
        assert women > 50 and men > 100
        row = counts.loc[protocol]
        assert (row["feminine"], row["masculine"]) == (women, men)
        assert row["ilps"] == pytest.approx(math.log(women / men))
        assert row["low"] < row["ilps"] < row["high"] < 0 and 0 < row["p"] < 0.05


def test_the_interval_is_that_of_resampled_examples() -> None:
    generator = np.random.default_rng(0)
    # words of one gender come together: the words are not the unit
    women, men = generator.poisson(0.4, 3000) * 3, generator.poisson(0.5, 3000) * 3
    estimate = ilps(women, men, 0.95)
    resamples = generator.integers(0, 3000, (2000, 3000))
    values = np.log(women[resamples].sum(axis=1) / men[resamples].sum(axis=1))
    low, high = np.quantile(values, [0.025, 0.975])
    assert estimate["low"] == pytest.approx(low, abs=0.01)
    assert estimate["high"] == pytest.approx(high, abs=0.01)


@pytest.mark.parametrize(("rate", "least", "most"), [(0.5, 0.02, 0.08), (0.65, 0.9, 1)])
def test_equality_is_rejected_as_often_as_it_should_be(rate: float, least: float, most: float) -> None:
    generator = np.random.default_rng(1)
    rejected = [
        bool(ilps(generator.poisson(0.5, 800) * 2, generator.poisson(rate, 800) * 2, 0.95)["p"] < 0.05)  # type: ignore[operator]
        for _ in range(1000)
    ]
    assert least <= np.mean(rejected) <= most


def test_without_words_of_one_gender_there_is_no_ilps() -> None:
    counts = count_words("t", examples(["she sings", "nobody"]), PAIRS, 0.95)
    assert counts["feminine"].tolist() == [1, 1] and counts["masculine"].tolist() == [0, 0]
    assert counts[["ilps", "low", "high", "p"]].isna().all(axis=None)
    as_table(counts, WORD_COUNTS)


def test_the_script_counts_the_examples_of_all_tasks(tmp_path: Path) -> None:
    rows, expected = examples(["she and he"] * 5749), {"sts": 5552, "nli": None}
    paths = [tmp_path / name for name in expected]
    for path, published in zip(paths, expected.values(), strict=True):
        write_table(path, rows, EXAMPLES, {"task": path.name, "published_rows": published})
    inputs, outputs = {"examples": paths, "words": WORDS}, [path.with_suffix(".counts") for path in paths]
    run_script("count_gendered_words", inputs, outputs, tmp_path / "log", confidence=0.9)
    for output, published in zip(outputs, expected.values(), strict=True):
        counts = read_table(output, WORD_COUNTS)
        assert counts["feminine"].tolist() == [published or 5749, 5749]
        assert counts["ilps"].tolist() == [0, 0] and counts["p"].tolist() == [1, 1]
        assert read_metadata(output)["confidence"] == 0.9
