"""Are advantaged groups named more often? Ranks and tests of the group words of a bias type."""

import numpy as np
import pandas as pd
from scipy.stats import mannwhitneyu, rankdata

from unmask.frequency.group_words import EXTRACTED, PAIRS_OF, levels
from unmask.frequency.word_lists import ADVANTAGED, GROUPS
from unmask.statistics.uncertainty import holm

SHOWN = 4
"""How many words of a group a row of Table 2 shows; eight in all, as in the paper."""

BY = ["benchmark", "words_from", "bias_type"]
"""What makes a row of Table 2."""


def ranked(words: pd.DataFrame) -> pd.DataFrame:
    """Group words with a column rank, null for those that Table 2 does not show.

    words: unmask.frequency.schema.GROUP_WORDS with a column benchmark. Of the extracted words a row of
    Table 2 shows for each group the SHOWN that most pairs use, in order of the alphabet where as many do:
    they stand for the group whether or not corpora know them. Words listed by hand are all shown. Ranks are
    among the words that a row shows: 1 for the one that the corpora have most often, mean ranks for equals.
    Equals are counts of one level (unmask.frequency.group_words), as for the log frequency ratios of pairs.
    """
    use = np.where(words["group"] == ADVANTAGED, *(words[PAIRS_OF[group]] for group in GROUPS))
    order = words.assign(use=use).sort_values(["use", "word"], ascending=[False, True])
    place = order.groupby([*BY, "group"], sort=False).cumcount().reindex(words.index)
    in_table = (words["words_from"] != EXTRACTED) | (place < SHOWN)
    # from the most frequent; rankdata gives equals their mean rank
    counts = words.loc[in_table, "count"].groupby([words.loc[in_table, key] for key in BY], sort=False)
    ranks = counts.transform(lambda of_row: rankdata(-levels(of_row)))
    return words.assign(rank=ranks.reindex(words.index).astype(float))


def compare_groups(words: pd.DataFrame) -> pd.DataFrame:
    """One row per benchmark, origin of the words and bias type: Table 2.

    words: as `ranked` gives them. For each group g: rank_g, the mean rank of its words that are shown;
    words_g, how many words it has in all; per_million_g, the median of their frequencies. The Mann-Whitney
    test (u, effect, p, p_holm) compares the levels of the counts of all words of the two
    groups, not only of those shown: u counts the couples in which the word of the advantaged group is the
    more frequent, a tie as one half, and effect is the share of these couples (Vargha and Delaney's A; .5 is
    no difference). p is exact where a group has at most eight words and no two are equal, else the normal
    approximation with corrections for ties and continuity (scipy's method `auto`). Words are not drawn at
    random, so p says how sharply two lists differ, and nothing of a population of words. p_holm is corrected
    over the bias types of one benchmark and origin.
    """
    rows: list[dict[str, object]] = []
    for key, alike in words.groupby(BY, sort=False):
        alike = alike.assign(level=levels(alike["count"]))
        by_group = {group: alike[alike["group"] == group] for group in GROUPS}
        first, second = (by_group[group]["level"].to_numpy(float) for group in GROUPS)
        row: dict[str, object] = dict(zip(BY, key, strict=True))
        row |= {f"rank_{group}": of_group["rank"].mean() for group, of_group in by_group.items()}
        row |= {f"words_{group}": len(of_group) for group, of_group in by_group.items()}
        row |= {
            f"per_million_{group}": of_group["per_million"].median() for group, of_group in by_group.items()
        }
        if couples := len(first) * len(second):
            u, p = mannwhitneyu(first, second)
            row |= {"u": u, "effect": u / couples, "p": p}
        rows.append(row)
    numbers = [f"{name}_{group}" for name in ("rank", "words", "per_million") for group in GROUPS]
    columns = [*BY, *numbers, "u", "effect", "p"]
    return holm(pd.DataFrame(rows, columns=columns), by=BY[:2])
