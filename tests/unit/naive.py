"""Words counted the slow, obvious way, and small files of counts of words."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from library import PAIRS, WORD_COUNTS, words_of, write_table

LEFT_OUT = Path(__file__).parents[2] / "resources" / "frequency" / "left_out_words.yaml"
Rows = list[tuple[str, int]]


def naive_counts(texts: Iterable[str]) -> Rows:
    """Each word with its count, the most frequent first, and those of one count in order."""
    counts = Counter(word for text in texts for word in words_of(text))
    return sorted(counts.items(), key=lambda row: (-row[1], row[0]))


def rows_of(table: pa.Table) -> Rows:
    """What a table of word counts has, in its order."""
    assert table.column_names == ["word", "count"]
    return list(zip(*table.to_pydict().values(), strict=True))


def rows(path: Path) -> Rows:
    """The same of a file."""
    return rows_of(pq.read_table(path))


def pairs_of(*rows: tuple[str, str, str, str | None]) -> pd.DataFrame:
    """Pairs of (bias type, stereotype, antistereotype, direction)."""
    frame = pd.DataFrame(rows, columns=["bias_type", "stereotype", "antistereotype", "direction"])
    frame["pair_id"] = [f"p{i}" for i in range(len(rows))]
    return frame.reindex(columns=PAIRS.names)


def write_counts(path: Path, counts: dict[str, int], name: str = "corpus") -> Path:
    words = sorted(counts, key=lambda word: (-counts[word], word))
    rows = pd.DataFrame({"word": words, "count": [counts[word] for word in words]})
    facts = {"corpus": name, "tokens": sum(counts.values()), "shards": 1, "source": {}}
    write_table(path, rows.astype({"word": "str", "count": "int64"}), WORD_COUNTS, facts)
    return path
