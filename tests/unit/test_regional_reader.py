"""Tables of likelihoods as matrices, and as the rows of a tree's regions."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synthetic_trees import world
from unmask.errors import InputError
from unmask.regional.hierarchy import Tree, tree_of
from unmask.regional.likelihood_reader import read_likelihoods, read_names, read_padded, rows_of, words_at
from unmask.regional.schema import LIKELIHOODS, PADDED
from unmask.tables import write_table

TREE = tree_of(world([2, 1]).assign(name=["World", "Here", "There", "Ash", "Elm", "Over", "Ash"]))
WORDS = ["kind", "bold", "kind"]


def table(words: list[str], tree: Tree = TREE) -> pd.DataFrame:
    """Every sentence once, each with a likelihood of its own."""
    sentences: list[tuple[str, str | None]] = [(name, None) for name in dict.fromkeys(tree.names)]
    sentences += [(name, word) for name in dict.fromkeys(tree.names) for word in dict.fromkeys(words)]
    frame = pd.DataFrame(sentences, columns=["name", "word"])
    values = -1 - np.arange(len(frame)) / 8 - len(words)
    return frame.assign(tokens=np.int16(5), unknown=np.int16(0), log_prob=values, log_prob_special=values / 2)


def write(path: Path, frame: pd.DataFrame) -> Path:
    write_table(path, frame, LIKELIHOODS, {})
    return path


def test_rows_are_those_of_names_and_words_in_their_order(tmp_path: Path) -> None:
    first, second = table(["kind", "bold"]), table(["sad"])
    # names alone are in each list, with one likelihood
    second.loc[second["word"].isna(), ["log_prob", "log_prob_special"]] = first.loc[
        first["word"].isna(), ["log_prob", "log_prob_special"]
    ]
    paths = [write(tmp_path / "a.parquet", first), write(tmp_path / "b.parquet", second)]
    of = {
        (row.name_, row.word): row
        for row in pd.concat([first, second]).rename(columns={"name": "name_"}).itertuples()
    }
    for reading, column in (("content", "log_prob"), ("special", "log_prob_special")):
        rows = rows_of(TREE, read_likelihoods(paths, reading), [*WORDS, "sad"])
        assert rows.f.shape == (1, len(TREE), 4)
        assert rows.f.dtype == np.float64
        for region in range(1, len(TREE)):
            name = TREE.names[region]
            expected = [getattr(of[name, word], column) for word in (*WORDS, "sad")]
            assert rows.f[0, region].tolist() == expected
        alone = {row.name_: getattr(row, column) for row in of.values() if not isinstance(row.word, str)}
        assert rows.names[0, 1:].tolist() == [alone[name] for name in TREE.names[1:]]


def test_names_and_words_are_selected_in_any_order(tmp_path: Path) -> None:
    frame = table(["kind", "bold"])
    path = write(tmp_path / "a.parquet", frame)
    words, names = ["bold", "kind", "bold"], ["Ash", "World", "Elm"]
    f, alone = read_likelihoods([path], "special").select(names, words)
    values = frame.assign(word=frame["word"].fillna("")).set_index(["name", "word"])["log_prob_special"]
    assert f.tolist() == [[values[name, word] for word in words] for name in names]
    assert alone.tolist() == [values[name, ""] for name in names]
    only_names = read_names(path)
    assert only_names["name"].tolist() == list(dict.fromkeys(TREE.names)) and only_names["word"].isna().all()


def test_the_root_needs_no_sentence(tmp_path: Path) -> None:
    frame = table(["kind"])
    path = write(tmp_path / "a.parquet", frame[frame["name"] != "World"])
    rows = rows_of(TREE, read_likelihoods([path], "content"), ["kind"])
    assert np.isnan(rows.f[0, 0]).all()
    assert np.isfinite(rows.f[0, 1:]).all()


def test_the_released_codes_protocol(tmp_path: Path) -> None:
    frame = table(["kind", " bold"])[["name", "word", "log_prob"]]
    write_table(tmp_path / "p.parquet", frame, PADDED, {})
    rows = rows_of(TREE, read_padded([tmp_path / "p.parquet"]), [" bold"])
    there = frame[(frame["name"] == "Elm") & (frame["word"] == " bold")]
    assert rows.f[0, TREE.names.index("Elm"), 0] == there["log_prob"].item()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda f: f[f["name"] != "Elm"], "no likelihood of a sentence with the region 'Elm'"),
        (lambda f: f[f["word"] != "bold"], "no likelihood of a sentence with the word 'bold'"),
        (
            lambda f: f[(f["word"] != "bold") | (f["name"] != "Elm")],
            "no likelihood of the region 'Elm' with the word 'bold'",
        ),
        (lambda f: f[f["word"].notna() | (f["name"] != "Elm")], "no likelihood of the region 'Elm' alone"),
        (
            lambda f: f.assign(
                log_prob=f["log_prob"].where((f["word"] != "bold") | (f["name"] != "Ash"), np.inf)
            ),
            "no finite number of the region 'Ash' with the word 'bold'",
        ),
        (
            lambda f: f.assign(log_prob=f["log_prob"].where(f["word"].notna(), np.inf)),
            "no finite number of the region 'Here' alone",
        ),
    ],
)
def test_what_is_missing_is_named(spoil, message: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = write(tmp_path / "a.parquet", spoil(table(["kind", "bold"])))
    with pytest.raises(InputError, match=rf"a\.parquet: .*{message}"):
        rows_of(TREE, read_likelihoods([path], "content"), WORDS)


def test_a_likelihood_that_is_no_number(tmp_path: Path) -> None:
    import pyarrow as pa

    frame = table(["kind", "bold"])
    rows = pa.Table.from_pandas(frame, schema=LIKELIHOODS, preserve_index=False)
    place = LIKELIHOODS.get_field_index("log_prob")
    values = frame["log_prob"].to_numpy(np.float32).copy()
    values[-1] = np.nan
    write_table(
        tmp_path / "a.parquet",
        rows.set_column(place, LIKELIHOODS.field(place), pa.array(values)),
        LIKELIHOODS,
        {},
    )
    with pytest.raises(InputError, match="no finite number of the region 'Over' with the word 'bold'"):
        rows_of(TREE, read_likelihoods([tmp_path / "a.parquet"], "content"), WORDS)


def test_words_of_both_protocols() -> None:
    words = pd.DataFrame({"word": ["a", "b"], "word_published": [" a", "b"]})
    assert words_at(words, [1, 0, 0], "word_published") == ["b", " a", " a"]
