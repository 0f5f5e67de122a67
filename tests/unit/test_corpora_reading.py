"""Reading corpora: text and Parquet give their documents; a bad file gives one line that names it."""

import bz2
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from library import InputError, fetched_shards, files_of, in_blocks, read_blocks
from library import corpora_reading as reading
from small_corpora import parquet

TEXT = "The first line.\n\nThe naïve second – line\r\nno end"
PARQUET = {"format": "hub-parquet"}
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda text: pa.compress(text, "zstd", asbytes=True),
}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK", 10)


def pieces(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


@pytest.mark.parametrize("ending", COMPRESS)
def test_text_in_all_compressions(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.txt{ending}"
    # two streams in one file, as parallel compressors write
    half = len(TEXT) // 2
    path.write_bytes(b"".join(COMPRESS[ending](part.encode()) for part in (TEXT[:half], TEXT[half:])))
    assert b"".join(read_blocks(path, {"format": "text"})) == f"{TEXT}\n".encode()


@pytest.mark.parametrize("size", [1, 3, 10, 25, 1000])
def test_blocks_are_bounded_and_end_with_lines_or_spaces(small_blocks: None, size: int) -> None:
    whole = b"one\ntwo three\n" * 5 + b"a very long line indeed it has no end " * 3 + b"\nlast"
    blocks = list(in_blocks(pieces(whole, size), "x"))
    assert b"".join(blocks) == whole + b"\n"
    assert all(block[-1:] in b"\n " for block in blocks)
    assert max(map(len, blocks)) <= 20
    with pytest.raises(InputError, match="x: not UTF-8: byte 0xff at 46"):
        list(in_blocks(pieces("é 4567890\n".encode() * 4 + b"12\xff\n", size), "x"))


GOOD = parquet(id=[1], body=["text"], none=[""])


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        (b"", "a.txt", "holds no text"),
        (b" \n\n", "a.txt", "holds no text"),
        ("English".encode("utf-16-le"), "a.txt", "a NUL byte at 1: not UTF-8 text"),
        # far into a file
        (b"x" * 3_000_000 + b" \0", "a.txt", "a NUL byte at 3000001: not UTF-8 text"),
        (b"caf\xe9 au lait\n", "a.txt", "not UTF-8: byte 0xe9 at 3"),
        (b"plain", "a.txt.gz", "cannot be read"),
        (b"plain", "a.txt.bz2", "cannot be read"),
        (b"plain", "a.txt.zst", "cannot be read"),
        (gzip.compress(TEXT.encode() * 100, mtime=0)[:-10], "a.txt.gz", "Truncated"),
        (bz2.compress(TEXT.encode() * 100)[:-10], "a.txt.bz2", "Truncated"),
        (COMPRESS[".zst"](TEXT.encode() * 100)[:-5], "a.txt.zst", "Truncated"),
        (None, "a.txt", "no such file"),
        # of Parquet the column by the name of the file
        (GOOD, "text", r"column 'text' is not there \(columns: id, body, none\)"),
        (GOOD, "id", "column 'id' holds int64, not text"),
        (GOOD, "none", "holds no text"),
        (GOOD[:-10], "body", "not a readable Parquet file"),
        (b"", "body", "not a readable Parquet file"),
        (None, "body", "no such file"),
    ],
)
def test_a_bad_corpus_is_named(tmp_path: Path, content: bytes | None, name: str, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        list(read_blocks(path, {"format": "text"} if "." in name else PARQUET | {"column": name}))
    assert str(path) in str(error.value) and "\n" not in str(error.value)


def test_rows_of_parquet(tmp_path: Path) -> None:
    texts = ["one\ntwo", None, "", "naïve three", *(f"row {n}" for n in range(1000))]
    pq.write_table(pa.table({"id": range(len(texts)), "body": texts}), tmp_path / "a", row_group_size=300)
    expected = ["one two", "naïve three", *texts[4:]]
    assert (
        b"".join(read_blocks(tmp_path / "a", PARQUET | {"column": "body"})).decode().splitlines() == expected
    )


def test_files_keep_their_names_when_others_come(tmp_path: Path) -> None:
    for name in ("b/x.txt", "a/x.txt", "a/y.gz"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    before = files_of(f"{tmp_path}/*/*.txt")
    assert before == {"a/x.txt": f"{tmp_path}/a/x.txt", "b/x.txt": f"{tmp_path}/b/x.txt"}
    (tmp_path / "a/a.txt").touch()
    after = files_of(f"{tmp_path}/*/*.txt")
    assert list(after) == ["a/a.txt", "a/x.txt", "b/x.txt"] and before.items() <= after.items()
    assert len(files_of(f"{tmp_path}/**/*")) == 4
    assert files_of(f"{tmp_path}/a/y.gz") == {"y.gz": f"{tmp_path}/a/y.gz"}
    assert files_of(f"{tmp_path}/none") == files_of(f"{tmp_path}/a") == {}


def test_shards_that_are_fetched() -> None:
    assert fetched_shards({"shards": 2}) == {"00000.parquet": 0, "00001.parquet": 1}
    assert fetched_shards({"shards": ["en/b.parquet"]}) == {"en/b.parquet": "en/b.parquet"}
    assert fetched_shards({"url": "https://example.org/d/x.xml.bz2"}) == {"x.xml.bz2": None}
