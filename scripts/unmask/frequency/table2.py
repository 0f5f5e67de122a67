"""Table 2 of the paper: how often corpora name advantaged and disadvantaged groups."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.group_words import LISTED
from unmask.frequency.schema import GROUP_WORDS
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.loading import load_tables
from unmask.report.captions import Captions
from unmask.report.declared_tables import Column, Table, with_marks
from unmask.report.sheets import Sheet
from unmask.tables import read_metadata

TEST = "Mann-Whitney"

SIGNS = {ADVANTAGED: "+", DISADVANTAGED: "\N{MINUS SIGN}"}
"""How a word's group is marked in Table 2."""

TABLE2 = Table(
    "table2",
    [*BY, "ranked"],
    [
        *(
            Column(side, f"{{{name}_{group}{spec}}}", meaning, head)
            for head, name, spec, meaning in (
                ("mean rank", "rank", ":.2f", "Mean rank of the group's words; 1 is the most frequent."),
                ("published", "published_rank", ":.2f", "The mean rank that the source of the words states."),
                ("difference", "difference", ":+.2f", "Our mean rank less the published one."),
                ("words", "words", "", "Number of words."),
                ("per million", "per_million", ":.1f", "Median of the words' frequencies per million."),
            )
            for side, group in (("Adv", ADVANTAGED), ("Dis", DISADVANTAGED))
        ),
        Column("A", "{effect:.2f}{mark}", "Probability that the advantaged word is the more frequent.", TEST),
        Column("r", "{rank_biserial:+.2f}", "Rank-biserial correlation, 2A - 1.", TEST),
        Column("p", "{p:p}", "Two-sided p.", TEST),
        Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction over the bias types.", TEST),
    ],
    heads={"words_from": "words", "bias_type": "bias type", "ranked": "most frequent first"},
)


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
    rows = table2(words, published)
    caption = [captions["table2"]]
    if rows[[f"published_rank_{group}" for group in GROUPS]].notna().to_numpy().any():
        table = TABLE2
        caption.append(captions["table2_published"])
    else:
        table = TABLE2.without("published", "difference")
    caption += published.notes
    return table.sheet(with_marks(rows, alpha), " ".join(caption), captions["empty"])
