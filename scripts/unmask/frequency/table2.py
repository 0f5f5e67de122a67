"""Table 2 of the paper: how often corpora name advantaged and disadvantaged groups."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from unmask.frequency.group_tests import BY, compare_groups, ranked
from unmask.frequency.schema import GROUP_WORDS
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.report.captions import Captions
from unmask.report.sheets import Sheet, mark, number, p_value, rows_of
from unmask.report.study import collect_by_benchmark

SIGNS = {ADVANTAGED: "+", DISADVANTAGED: "\N{MINUS SIGN}"}
"""How a word's group is marked in Table 2."""


def collect_words(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The group words of all benchmarks with a column benchmark first, and the ranks of Table 2."""
    return ranked(collect_by_benchmark(paths, GROUP_WORDS))


def table2(words: pd.DataFrame) -> pd.DataFrame:
    """`compare_groups` with a column `ranked`: the words shown with group signs, most frequent first."""
    shown = words[words["rank"].notna()].sort_values(["rank", "word"], kind="stable")
    texts = shown["word"] + shown["group"].map(SIGNS)
    joined = texts.groupby([shown[key] for key in BY], sort=False).agg(" ".join)
    return compare_groups(words).join(joined.rename("ranked"), on=BY)


def table2_sheet(words: pd.DataFrame, captions: Captions, alpha: float) -> Sheet:
    """Table 2 as it is shown; † and * at the effect as in the other tables."""
    rows = tuple(
        (
            row.benchmark,
            row.words_from,
            row.bias_type,
            row.ranked,
            *(number(getattr(row, f"rank_{group}")) for group in GROUPS),
            *(str(getattr(row, f"words_{group}")) for group in GROUPS),
            *(number(getattr(row, f"per_million_{group}"), 1) for group in GROUPS),
            number(row.effect) + mark(row.p, row.p_holm, alpha),
            number(row.rank_biserial, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
        )
        for row in rows_of(table2(words))
    )
    heads = ("mean rank", "words", "per million") if rows else ()
    columns = [(head, side) for head in heads for side in ("Adv", "Dis")]
    columns += [("Mann-Whitney", label) for label in ("A", "r", "p", "p (Holm)")] if rows else []
    caption = captions["table2"] if rows else f"{captions['table2']} {captions['empty']}"
    stubs = ("benchmark", "words", "bias type", "most frequent first")
    return Sheet(caption, stubs, tuple(columns), rows)
