"""Pairs whose words name groups, and counts of these words, for tests of word frequency."""

from pathlib import Path

import pandas as pd

from library import PAIRS, WORD_COUNTS, write_table

LEFT_OUT = Path(__file__).parents[2] / "resources" / "frequency" / "left_out_words.yaml"


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
