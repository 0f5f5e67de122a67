"""Counts equal naive ones, whatever the blocks, the files and their order."""

import gzip
import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library import WORD_COUNTS, InputError, count_words, counting, counts_of_files, read_blocks, write_table
from naive import Rows, naive_counts, rows_of
from profiles import examples
from real_data import real_data

ODD = [
    *"aZ09_-'’‘“”—. \t\r\x01\x1c\u00a0\u2028éÉßİıſΣσς\u212a\u0301\u0307\u0345\u00ad\u200d日本ï½²",
    "don't",
    "’’",
    "Σ'Σ",
    "nai\u0308ve",
    "हिन्दी",
    "the",
    "The",
    "THE’S",
    "—",
    "word—word",
]
LINES = st.lists(
    st.one_of(
        st.lists(st.sampled_from(ODD)).map("".join),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")),
    ),
    min_size=1,
)


def counted(blocks: list[bytes]) -> Rows:
    return rows_of(count_words(blocks, "text"))


def in_lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def some_text(seed: int, size: int) -> list[str]:
    """Lines with frequent words, rare ones, and some that are no plain ASCII."""
    rng = random.Random(seed)
    words = ["the", "The", "of", "don't", "don’t", "naïve", "“The", "word—word", "ΟΔΟΣ", "…", "I"]

    def word() -> str:
        return rng.choice(words) if rng.random() < 0.5 else f"w{int(rng.paretovariate(0.4)) % 5000}"

    return [" ".join(word() for _ in range(rng.randrange(20))) for _ in range(size)]


@given(LINES)
@settings(max_examples=examples(300), deadline=None)
def test_counts_are_naive_ones(lines: list[str]) -> None:
    if expected := naive_counts(lines):
        assert counted([in_lines(lines)]) == expected
    else:
        with pytest.raises(InputError, match="text: holds no words"):
            counted([in_lines(lines)])


@given(LINES, st.lists(st.integers(0, 1000)))
@settings(max_examples=examples(300), deadline=None)
def test_it_does_not_matter_where_blocks_end(lines: list[str], places: list[int]) -> None:
    text = in_lines([*lines, "end"])
    breaks = [place for place, byte in enumerate(text, start=1) if byte in b" \n"]
    cuts = sorted({0, len(text), *(breaks[place % len(breaks)] for place in places)})
    blocks = [text[start:end] for start, end in itertools.pairwise(cuts)]
    assert counted(blocks) == naive_counts([*lines, "end"])


@pytest.mark.parametrize("at_once", [1, 300, 10**6])
@pytest.mark.parametrize("files", [1, 7])
def test_files_and_their_order_do_not_matter(
    tmp_path: Path, at_once: int, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "AT_ONCE", at_once)
    text = some_text(3, 1000)
    shuffled = random.Random(files).sample(text, len(text))
    for number in range(files):
        blocks = [in_lines([line]) for line in shuffled[number::files]]
        write_table(tmp_path / f"{number}.parquet", count_words(blocks, "text"), WORD_COUNTS, {})
    assert rows_of(counts_of_files(tmp_path.iterdir())) == naive_counts(text)


def test_a_novel_has_naive_counts() -> None:
    path = real_data("corpora", "books", "moby_dick.txt.gz")
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        assert counted(list(read_blocks(path, {"format": "text"}))) == naive_counts(lines)


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    write_table(tmp_path / "a", count_words([b"a b\n"], "text"), WORD_COUNTS, {})
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes()[:-9])
    for name in ("b", "none"):
        with pytest.raises(InputError, match=str(tmp_path / name)):
            counts_of_files([tmp_path / "a", tmp_path / name])
