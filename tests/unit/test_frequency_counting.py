"""Counts equal naive ones, whatever the blocks, the files and their order."""

import itertools
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library import WORD_COUNTS, InputError, count_words, counting, counts_of_files, write_table
from naive import naive_counts, rows_of

ODD = [
    *"aZ09_-'’‘“”—. \t\r\x01\x1c\u00a0\u2028éÉßİıſΣσς\u212a\u0301\u0307\u0345\u00ad\u200d日本ï½²",
    "don't",
    "’’",
    "Σ'Σ",
    "nai\u0308ve",
    "हिन्दी",
    "The",
    "THE’S",
    "word—word",
]
LINES = st.lists(
    st.one_of(
        st.lists(st.sampled_from(ODD)).map("".join),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")),
    ),
    min_size=1,
)


def in_lines(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@given(LINES, st.lists(st.integers(0, 1000)))
def test_counts_are_naive_ones_wherever_blocks_end(lines: list[str], places: list[int]) -> None:
    text = in_lines(lines)
    breaks = [place for place, byte in enumerate(text, start=1) if byte in b" \n"]
    cuts = sorted({0, len(text), *(breaks[place % len(breaks)] for place in places)})
    blocks = [text[start:end] for start, end in itertools.pairwise(cuts)]
    if expected := naive_counts(lines):
        assert rows_of(count_words(blocks, "text")) == expected
    else:
        with pytest.raises(InputError, match="text: holds no words"):
            count_words(blocks, "text")


@pytest.mark.parametrize(("files", "at_once"), [(1, 10**6), (7, 1), (7, 300)])
def test_files_and_their_order_do_not_matter(
    tmp_path: Path, files: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "AT_ONCE", at_once)
    rng = random.Random(files)
    words = ["the", "The", "don't", "don’t", "naïve", "“The", "word—word", "ΟΔΟΣ", "…", *map(str, range(99))]
    text = [" ".join(rng.choices(words, k=rng.randrange(20))) for _ in range(1000)]
    shuffled = rng.sample(text, len(text))
    for number in range(files):
        blocks = [in_lines([line]) for line in shuffled[number::files]]
        write_table(tmp_path / f"{number}.parquet", count_words(blocks, "text"), WORD_COUNTS, {})
    assert rows_of(counts_of_files(tmp_path.iterdir())) == naive_counts(text)
