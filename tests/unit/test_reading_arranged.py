"""Benchmarks that are arranged from others: what changes places, and what stays."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.tables import framed, read_table, write_table

PAIRS_OF_ORIGIN: list[dict[str, Any]] = [
    {
        "pair_id": str(i),
        "bias_type": ("gender", "age")[i % 2],
        "stereotype": f"Women drive {i}.",
        "antistereotype": f"Men drive {i}.",
        "unrelated": None if i % 3 else f"Lamps drive {i}.",
        "direction": ("stereo", "antistereo", None)[i % 3],
        "ratings": None if i % 2 else ["gender", None],
        "context": "BLANK drive.",
        "target": "drive",
        "writer": f"a{i % 4}",
    }
    for i in range(200)
]


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    path = tmp_path / "origin.parquet"
    write_table(path, framed(PAIRS_OF_ORIGIN, PAIRS), PAIRS, {})
    return path


def arranged(path: Path, how: str, seed: int = 0) -> pd.DataFrame:
    return read_benchmark(path, {"format": "arranged", "of": "origin", "as": how, "seed": seed})


def sides(pairs: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(pairs["stereotype"], pairs["antistereotype"], strict=True))


def test_identical_pairs_have_the_stereotypical_sentence_twice(origin: Path) -> None:
    expected = [(row["stereotype"], row["stereotype"]) for row in PAIRS_OF_ORIGIN]
    assert sides(arranged(origin, "identical")) == expected


def test_swapped_sentences_change_places_and_twice_is_not_at_all(origin: Path, tmp_path: Path) -> None:
    swapped = arranged(origin, "swapped")
    assert sides(swapped) == [(row["antistereotype"], row["stereotype"]) for row in PAIRS_OF_ORIGIN]
    write_table(tmp_path / "swapped.parquet", swapped, PAIRS, {})
    twice = arranged(tmp_path / "swapped.parquet", "swapped")
    write_table(tmp_path / "twice.parquet", twice, PAIRS, {})
    pd.testing.assert_frame_equal(
        read_table(tmp_path / "twice.parquet", PAIRS), read_table(origin, PAIRS), check_exact=True
    )


def test_a_coin_is_tossed_for_each_pair_whatever_its_place(origin: Path, tmp_path: Path) -> None:
    there = {row["pair_id"]: (row["stereotype"], row["antistereotype"]) for row in PAIRS_OF_ORIGIN}

    def exchanged(path: Path, seed: int) -> dict[str, bool]:
        pairs = arranged(path, "permuted", seed)
        found = dict(zip(pairs["pair_id"], sides(pairs), strict=True))
        assert all(found[i] in (there[i], there[i][::-1]) for i in there)
        return {i: found[i] != there[i] for i in there}

    first = exchanged(origin, 0)
    # four standard deviations of 200 tosses
    assert 72 <= sum(first.values()) <= 128
    assert exchanged(origin, 0) == first != exchanged(origin, 1)
    write_table(tmp_path / "turned.parquet", framed(PAIRS_OF_ORIGIN[::-1], PAIRS), PAIRS, {})
    assert exchanged(tmp_path / "turned.parquet", 0) == first


@pytest.mark.parametrize("how", ["identical", "swapped", "permuted"])
def test_all_else_is_that_of_the_original_pair(origin: Path, how: str) -> None:
    pairs = arranged(origin, how)
    kept = [column for column in PAIRS.names if column not in ("stereotype", "antistereotype")]
    expected = [{key: row[key] for key in kept} for row in PAIRS_OF_ORIGIN]
    assert pairs[kept].to_dict("records") == expected


def test_a_file_that_is_no_table_of_pairs_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("sent_more,sent_less\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"pairs\.csv: not a readable Parquet file"):
        arranged(tmp_path / "pairs.csv", "swapped")
