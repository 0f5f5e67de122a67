"""Table 2 of the paper: how often corpora name advantaged and disadvantaged groups."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import LISTED
from unmask.frequency.schema import GROUP_WORDS
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.loading import load_tables
from unmask.report.captions import Captions
from unmask.report.sheets import Sheet, mark, number, p_value, rows_of
from unmask.tables import read_metadata

SIGNS = {ADVANTAGED: "+", DISADVANTAGED: "\N{MINUS SIGN}"}
"""How a word's group is marked in Table 2."""


def collect_words(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The group words of all benchmarks with a column benchmark first, and the ranks of Table 2."""
    return ranked(load_tables(paths, GROUP_WORDS, "benchmark"))


@dataclass(frozen=True)
class PublishedRanks:
    """What the sources of listed words state beside them.

    ranks: mean ranks, one row per benchmark and bias type, with the columns published_rank_{group};
    notes: for the reader of Table 2.
    """

    ranks: pd.DataFrame
    notes: Sequence[str]

    @classmethod
    def gather(cls, paths: Iterable[str | Path]) -> "PublishedRanks":
        """From the group words of all benchmarks."""
        rows: list[dict[str, object]] = []
        notes: dict[str, None] = {}
        for path in paths:
            facts = read_metadata(path)
            listing = facts.get("listing", {"note": "", "mean_ranks": {}})
            for bias_type, ranks in listing["mean_ranks"].items():
                row = {"benchmark": facts["benchmark"], "words_from": LISTED, "bias_type": bias_type}
                rows.append(row | {f"published_rank_{group}": ranks[group] for group in GROUPS})
            if listing["note"]:
                notes[listing["note"]] = None
        columns = [*BY, *(f"published_rank_{group}" for group in GROUPS)]
        return cls(pd.DataFrame(rows, columns=columns), list(notes))


def table2(words: pd.DataFrame, published: PublishedRanks) -> pd.DataFrame:
    """`compare_groups` with the published mean ranks, and the words shown.

    published_rank_{group}: null where none is published; difference_{group}: ours minus the published;
    ranked: the words shown with group signs, most frequent first.
    """
    shown = words[words["rank"].notna()].sort_values(["rank", "word"], kind="stable")
    texts = shown["word"] + shown["group"].map(SIGNS)
    joined = texts.groupby([shown[key] for key in BY], sort=False).agg(" ".join)
    rows = compare_groups(words).merge(published.ranks, on=BY, how="left")
    for group in GROUPS:
        rows[f"published_rank_{group}"] = rows[f"published_rank_{group}"].astype(float)
        rows[f"difference_{group}"] = rows[f"rank_{group}"] - rows[f"published_rank_{group}"]
    return rows.join(joined.rename("ranked"), on=BY)


def table2_sheet(words: pd.DataFrame, published: PublishedRanks, captions: Captions, alpha: float) -> Sheet:
    """Table 2 as it is shown; † and * at the effect as in the other tables.

    Published mean ranks, and ours minus them, have columns where there are any.
    """
    table = table2(words, published)
    compared = bool(table[[f"published_rank_{group}" for group in GROUPS]].notna().to_numpy().any())
    rows = tuple(
        (
            row.benchmark,
            row.words_from,
            row.bias_type,
            row.ranked,
            *(number(getattr(row, f"rank_{group}")) for group in GROUPS),
            *(_beside(row) if compared else ()),
            *(str(getattr(row, f"words_{group}")) for group in GROUPS),
            *(number(getattr(row, f"per_million_{group}"), 1) for group in GROUPS),
            number(row.effect) + mark(row.p, row.p_holm, alpha),
            number(row.rank_biserial, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
        )
        for row in rows_of(table)
    )
    heads = ("mean rank", *(("published", "difference") if compared else ()), "words", "per million")
    columns = [(head, side) for head in heads for side in ("Adv", "Dis")]
    columns += [("Mann-Whitney", label) for label in ("A", "r", "p", "p (Holm)")]
    caption = [captions["table2"]]
    if compared:
        caption.append(captions["table2_published"])
    caption += published.notes
    if not rows:
        caption.append(captions["empty"])
    stubs = ("benchmark", "words", "bias type", "most frequent first")
    return Sheet(" ".join(caption), stubs, tuple(columns) if rows else (), rows)


def _beside(row: Any) -> Iterator[str]:
    """The published mean ranks of a row, and the differences from them."""
    for group in GROUPS:
        yield number(getattr(row, f"published_rank_{group}"))
    for group in GROUPS:
        yield number(getattr(row, f"difference_{group}"), signed=True)
