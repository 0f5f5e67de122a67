"""Counts equal naive ones, whatever the blocks, the shards and their order, in bounded memory."""

import gzip
import itertools
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import Rows, by_count, by_word, rows
from profiles import examples
from real_data import real_data
from unmask.corpora.formats.text import read_blocks
from unmask.errors import InputError
from unmask.frequency.counting import count_words
from unmask.frequency.merging import RARE, merge_counts
from unmask.tables import read_metadata

ODD = [
    *"aZ09_-'’‘“”—. \t\r\x00\x1c\u00a0\u2028éÉßİıſΣσς\u212a\u0301\u0307\u0345\u00ad\u200d日本ï½²",
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
documents = st.lists(
    st.one_of(
        st.lists(st.sampled_from(ODD)).map("".join),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n")),
    ),
    min_size=1,
)


def counted(blocks: list[bytes], **settings: int) -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.parquet")
        count_words(blocks, "text", path, {}, **settings)
        return rows(path)


def lines(documents: list[str]) -> bytes:
    return "".join(f"{document}\n" for document in documents).encode()


def some_text(seed: int, size: int = 3000) -> list[str]:
    """Documents with frequent words, rare ones, and some that are no plain ASCII."""
    rng = random.Random(seed)
    words = ["the", "The", "of", "don't", "don’t", "naïve", "“The", "word—word", "ΟΔΟΣ", "…", "I"]

    def word() -> str:
        return rng.choice(words) if rng.random() < 0.5 else f"w{int(rng.paretovariate(0.4)) % 5000}"

    return [" ".join(word() for _ in range(rng.randrange(20))) for _ in range(size)]


@given(documents)
@settings(max_examples=examples(300), deadline=None)
def test_one_block_gives_naive_counts(documents: list[str]) -> None:
    expected = by_word(documents)
    if expected:
        assert counted([lines(documents)]) == expected
    else:
        with pytest.raises(InputError, match="text: holds no words"):
            counted([lines(documents)])


@given(documents, st.lists(st.integers(0, 1000)))
@settings(max_examples=examples(300), deadline=None)
def test_it_does_not_matter_where_blocks_end(documents: list[str], places: list[int]) -> None:
    text = lines([*documents, "end"])
    breaks = [place for place, byte in enumerate(text, start=1) if byte in b" \n"]
    cuts = sorted({0, len(text), *(breaks[place % len(breaks)] for place in places)})
    blocks = [text[start:end] for start, end in itertools.pairwise(cuts)]
    assert counted(blocks) == by_word([*documents, "end"])


def test_a_document_over_many_blocks_is_one_document(tmp_path: Path) -> None:
    blocks = [b"a b ", b"a ", b" ", b"c a", b"\n", b"a\nb ", b"b\n"]
    count_words(blocks, "text", tmp_path / "t", {})
    assert rows(tmp_path / "t") == [("a", 4, 2), ("b", 3, 2), ("c", 1, 1)]
    assert read_metadata(tmp_path / "t") == {"tokens": 8, "documents": 3, "shards": 1}


@pytest.mark.parametrize("most_words", [1, 300, 10**6])
def test_what_does_not_fit_into_memory_is_merged_from_files(tmp_path: Path, most_words: int) -> None:
    text = some_text(1)
    blocks = [lines(text[start : start + 50]) for start in range(0, len(text), 50)]
    assert counted(blocks, most_words=most_words) == by_word(text)


def test_nothing_is_left_beside_the_table(tmp_path: Path) -> None:
    text = some_text(2, 300)
    count_words([lines([line]) for line in text], "text", tmp_path / "t.parquet", {}, most_words=1)
    merge_counts([str(tmp_path / "t.parquet")], tmp_path / "all.parquet", {}, last=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.parquet", "t.parquet"]


@pytest.mark.parametrize("shards", [1, 2, 7])
@pytest.mark.parametrize("fan_in", [2, 16])
def test_counts_are_independent_of_sharding_and_order(tmp_path: Path, shards: int, fan_in: int) -> None:
    text = some_text(3)
    text[7] = "frequent " * (RARE + 1) + "limit " * RARE
    shuffled = random.Random(shards).sample(text, len(text))
    tables = []
    for number in range(shards):
        tables.append(str(tmp_path / f"{number}.parquet"))
        count_words([lines(shuffled[number::shards])], "text", tables[-1], {})
    random.Random(fan_in).shuffle(tables)
    while len(tables) > fan_in:
        groups = [tables[start : start + fan_in] for start in range(0, len(tables), fan_in)]
        tables = [str(tmp_path / f"{len(groups)}-{number}.parquet") for number in range(len(groups))]
        for group, table in zip(groups, tables, strict=True):
            merge_counts(group, table, {}, last=False)
    merge_counts(tables, tmp_path / "all.parquet", {"corpus": "x"}, last=True)
    expected = by_count(text)
    assert rows(tmp_path / "all.parquet") == expected
    assert read_metadata(tmp_path / "all.parquet") == {
        "corpus": "x",
        "tokens": sum(count for _, count, _ in expected),
        "documents": sum(any(character.isalnum() for character in line) for line in text),
        "shards": shards,
    }


def test_a_novel_has_naive_counts(tmp_path: Path) -> None:
    path = real_data("corpora", "books", "moby_dick.txt.gz")
    count_words(read_blocks(path, {}), str(path), tmp_path / "counts", {})
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
        assert rows(tmp_path / "counts") == by_word(lines)


@pytest.mark.thorough
def test_memory_is_bounded(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import pyarrow as pa;"
        "pa.set_memory_pool(pa.system_memory_pool());"
        "from unmask.frequency.counting import count_words;"
        # three million different words, 30 MB
        "lines = lambda first: (b'%d %d\\n' % (n, 7**20 + n) for n in range(first, first + 50000));"
        "blocks = (b''.join(lines(first)) for first in range(0, 1500000, 50000));"
        "count_words(blocks, 'text', sys.argv[1], {});"
        "print(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    if not Path("/proc/self/status").exists():
        pytest.skip("needs /proc to know the peak memory of a process")
    path = [str(place) for place in sys.path if place]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "counts")],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert pq.read_metadata(tmp_path / "counts").num_rows == 3_000_000
    assert int(done.stdout) < 300_000


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    count_words([b"a b\n"], "text", tmp_path / "a", {})
    (tmp_path / "b").write_bytes((tmp_path / "a").read_bytes()[:-9])
    for path in (tmp_path / "b", tmp_path / "none"):
        with pytest.raises(InputError, match=str(path)):
            merge_counts([str(tmp_path / "a"), str(path)], tmp_path / "all", {}, last=True)
    assert not (tmp_path / "all").exists()
