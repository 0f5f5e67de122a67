"""How often data has feminine and masculine words, against a literal count and against resampling."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from library import DOWNSTREAM_WORD_COUNTS as WORD_COUNTS
from library import EXAMPLES, framed, ilps, read_metadata, read_table, read_word_pairs, write_table
from real_data import real_data
from running import run_script
from study_schema import ROOT

WORDS = ROOT / "resources/gendered_words.csv"


def test_real_sentences_are_counted_as_a_literal_count_does(tmp_path: Path) -> None:
    """Published: what spaces part, of the first rows alone; corrected: runs of letters, of all; dev is passed
    over. A task without words of one gender has no ILPS."""
    lines = real_data("nli_sts", "stsb_test_captions_ccbysa.csv").read_text(encoding="utf-8").splitlines()
    texts = [tuple(line.split("\t")[5:7]) for line in lines]
    tasks: dict[str, tuple[list[tuple[str, ...]], int | None]] = {"sts": (texts, 200)}
    tasks["women"] = [("She sings.", "She's here.")], None
    paths = [tmp_path / name for name in tasks]
    for path, (rows, published) in zip(paths, tasks.values(), strict=True):
        parts = [*(("train", *both) for both in rows), ("dev", "she she", "she")]
        examples = [dict(zip(("part", "text", "second"), row, strict=True), label=0.0) for row in parts]
        about = {"task": path.name, "published_rows": published}
        write_table(path, framed(examples, EXAMPLES), EXAMPLES, about)
    inputs, outputs = {"examples": paths, "words": WORDS}, [path.with_suffix(".counts") for path in paths]
    run_script("count_gendered_words", inputs, outputs, tmp_path / "log", confidence=0.9)
    words = read_word_pairs(WORDS)
    counts = read_table(outputs[0], WORD_COUNTS).set_index("protocol")
    assert read_metadata(outputs[0])["confidence"] == 0.9
    for protocol, counted, split in (("published", 200, r"\s+"), ("corrected", len(texts), "[^a-z]+")):
        pieces = [re.split(split, text.lower()) for both in texts[:counted] for text in both]
        women, men = (
            sum(piece in side for of in pieces for piece in of) for side in map(set, zip(*words, strict=True))
        )
        row = counts.loc[protocol]
        assert (row["feminine"], row["masculine"], row["n"]) == (women, men, counted) and women > 10
        assert row["ilps"] == pytest.approx(math.log(women / men))
        assert row["low"] < row["ilps"] < row["high"]
    alone = read_table(outputs[1], WORD_COUNTS)
    assert alone["feminine"].tolist() == [1, 2] and alone["masculine"].tolist() == [0, 0]
    assert alone[["ilps", "low", "high"]].isna().all(axis=None)


def test_the_interval_is_that_of_resampled_examples() -> None:
    generator = np.random.default_rng(0)
    # words of one gender come together: the words are not the unit
    women, men = generator.poisson(0.4, 3000) * 3, generator.poisson(0.5, 3000) * 3
    estimate = ilps(women, men, 0.95)
    resamples = generator.integers(0, 3000, (2000, 3000))
    resampled = np.log(women[resamples].sum(axis=1) / men[resamples].sum(axis=1))
    ends = np.quantile(resampled, [0.025, 0.975])
    assert [estimate["low"], estimate["high"]] == pytest.approx(ends.tolist(), abs=0.01)
