"""Evidence read some pairs at a time, and statistics over it, are those of all pairs at once."""

from pathlib import Path

import pandas as pd
import pytest

import synthetic
from study_schema import options_with
from unmask.errors import InputError
from unmask.evidence.chunks import in_chunks
from unmask.evidence.schema import EVIDENCE
from unmask.statistics.computing import Part, compute
from unmask.statistics.decisions import decisions
from unmask.statistics.flaws import flaws_table
from unmask.tables import read_table, write_table


@pytest.fixture
def made() -> synthetic.Synthetic:
    return synthetic.make(50, seed=3)


@pytest.fixture
def files(made: synthetic.Synthetic, tmp_path: Path) -> dict[str, Path]:
    paths = {}
    for masking, rows in {**made.evidence, "shuffled": made.shuffled}.items():
        paths[masking] = tmp_path / f"{masking}.parquet"
        write_table(paths[masking], rows, EVIDENCE, {})
    return paths


@pytest.mark.parametrize("at_once", [1, 7, 50, 1000])
def test_every_row_comes_once_with_its_pair(
    at_once: int, made: synthetic.Synthetic, files: dict[str, Path]
) -> None:
    parts = list(in_chunks(files, made.pairs, at_once))
    assert pd.concat([pairs for pairs, _ in parts])["pair_id"].tolist() == made.pairs["pair_id"].tolist()
    for pairs, rows in parts:
        assert all(set(of_masking["pair_id"]) <= set(pairs["pair_id"]) for of_masking in rows.values())
    for masking, path in files.items():
        together = pd.concat([rows[masking] for _, rows in parts], ignore_index=True)
        pd.testing.assert_frame_equal(together, read_table(path, EVIDENCE), check_dtype=False)


def test_a_table_of_many_row_groups(
    made: synthetic.Synthetic, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a dictionary of its own."""
    monkeypatch.setattr("unmask.tables.ROW_GROUP", 60)
    write_table(tmp_path / "none.parquet", made.evidence["none"], EVIDENCE, {})
    parts = [rows["none"] for _, rows in in_chunks({"none": tmp_path / "none.parquet"}, made.pairs, 8)]
    expected = read_table(tmp_path / "none.parquet", EVIDENCE)
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), expected, check_dtype=False)


@pytest.mark.parametrize("wrong", ["another order", "another pair", "more pairs"])
def test_other_pairs_are_refused(wrong: str, made: synthetic.Synthetic, files: dict[str, Path]) -> None:
    pairs = {
        "another order": made.pairs.iloc[::-1].reset_index(drop=True),
        "another pair": made.pairs.assign(pair_id=made.pairs["pair_id"].replace("p3", "x3")),
        "more pairs": made.pairs.iloc[:-1],
    }[wrong]
    with pytest.raises(InputError, match=r"none\.parquet: its pairs are not those of the benchmark in their"):
        list(in_chunks({"none": files["none"]}, pairs, 10))


def test_statistics_do_not_depend_on_how_many_pairs_are_read_at_once(
    made: synthetic.Synthetic, files: dict[str, Path]
) -> None:
    tables = []
    original = decisions(made.pairs, made.scores)
    shuffled = decisions(made.pairs, made.shuffled_scores)
    for at_once in (9, 1000):
        parts = (
            Part(some, rows, rows.pop("shuffled")) for some, rows in in_chunks(files, made.pairs, at_once)
        )
        flaws = flaws_table(made.pairs)
        counts = synthetic.counts_of(made.pairs, parts, original, shuffled)
        tables.append(compute(made.pairs, flaws, original, counts, shuffled, options_with(draws=100)))
    for name, table in tables[0].items():
        pd.testing.assert_frame_equal(table, tables[1][name], rtol=1e-9)


def test_what_is_no_table_is_named_before_anything_is_read(made: synthetic.Synthetic, tmp_path: Path) -> None:
    (tmp_path / "none.parquet").write_text("nothing")
    with pytest.raises(InputError, match=r"none\.parquet: not a readable Parquet file"):
        in_chunks({"none": tmp_path / "none.parquet"}, made.pairs)
