"""The words by which a benchmark names its groups, how often corpora use them and the modified words of its
pairs, and which counts are equal."""

from collections.abc import Iterable, Sequence, Set
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from unmask.errors import InputError
from unmask.frequency.schema import GROUP_WORDS, PAIR_RATIOS, WORD_COUNTS
from unmask.frequency.word_lists import ADVANTAGED, DISADVANTAGED, GROUPS
from unmask.tables import framed, read_arrow, read_metadata
from unmask.terms import ANTISTEREOTYPE, STEREO, STEREOTYPE
from unmask.words import modified_words

EXTRACTED, LISTED = "extracted", "listed"
MIN_PAIRS = 2
"""How many pairs must use a word for its group: it leaves out most names and slips of the writers."""
PAIRS_OF = {group: f"pairs_{group}" for group in GROUPS}
"""The column that counts the pairs of a group."""
SMOOTHING = 0.5
"""Added to every count, so that a word that no corpus has gets a finite logarithm."""

DECIMALS = 2
"""Differences of log counts are rounded so before anything is ranked: less than half a percent is none, being
the noise of a sample of text."""


def sides(stereotype: str, antistereotype: str, direction: str) -> tuple[list[str], list[str]]:
    """The modified words of the sentence that names the advantaged group, and of the other one.

    In a `stereo` pair the stereotype is one of a disadvantaged group: the stereotypical sentence names that
    group, its counterpart the advantaged one. In an `antistereo` pair the stereotype is one of an advantaged
    group, so it is the other way round.
    """
    of_stereotype, of_antistereotype = modified_words(stereotype, antistereotype)
    if direction == STEREO:
        return of_antistereotype, of_stereotype
    return of_stereotype, of_antistereotype


def uses(pairs: pd.DataFrame) -> pd.DataFrame:
    """How many pairs of each bias type have a word on either side.

    pairs: PAIRS; those without a direction say nothing and are passed over. Columns: bias_type, word,
    pairs_advantaged, pairs_disadvantaged: the pairs in which the word is among the modified words of
    the sentence that names the advantaged or the disadvantaged group.
    """
    counted: dict[tuple[str, str], dict[str, int]] = {}
    columns = ("bias_type", "stereotype", "antistereotype", "direction")
    stated = pairs[pairs["direction"].notna()]
    for bias_type, *sentences in zip(*(stated[name] for name in columns), strict=True):
        for group, words in zip(GROUPS, sides(*sentences), strict=True):
            for word in set(words):
                of_word = counted.setdefault((bias_type, word), dict.fromkeys(GROUPS, 0))
                of_word[group] += 1
    rows = [(*key, *of_word.values()) for key, of_word in sorted(counted.items())]
    return pd.DataFrame(rows, columns=["bias_type", "word", *PAIRS_OF.values()])


def extract(used: pd.DataFrame, left_out: Set[str], min_pairs: int = MIN_PAIRS) -> pd.DataFrame:
    """The group words among the words of `uses`, with the column group.

    A word belongs to the group for which more pairs of the bias type use it: more often in the pairs, not
    in a corpus, since corpora are what the groups are compared by. A word that as many pairs use for either
    belongs to none. Words of `left_out`, and those that fewer than `min_pairs` pairs use for their group,
    are passed over.
    """
    advantaged, disadvantaged = (used[PAIRS_OF[group]] for group in GROUPS)
    group = np.where(advantaged > disadvantaged, ADVANTAGED, DISADVANTAGED)
    often = np.maximum(advantaged, disadvantaged) >= min_pairs
    is_group_word = (advantaged != disadvantaged) & often & ~used["word"].isin(left_out)
    return used.assign(group=group)[is_group_word].reset_index(drop=True)


def listed_words(listed: pd.DataFrame, used: pd.DataFrame) -> pd.DataFrame:
    """Words listed by hand (read_listed) for the bias types of `uses`, with the columns of `uses`."""
    of_types = listed[listed["bias_type"].isin(used["bias_type"])]
    merged = of_types.merge(used, on=["bias_type", "word"], how="left")
    numbers = list(PAIRS_OF.values())
    return merged.assign(**merged[numbers].fillna(0).astype(int))


def counts_of(words: Iterable[str], paths: Iterable[str | Path]) -> tuple[pd.Series, int]:
    """How often each of `words` occurs in all corpora together, and how many tokens these have.

    paths: WORD_COUNTS files. The counts are indexed by word; one that no corpus has is there with 0. Raises
    InputError where a file is not a table of word counts, or no corpus has a word.
    """
    distinct = sorted(set(words))
    total = pd.Series(0, index=pd.Index(distinct, name="word", dtype="str"), name="count")
    tokens = 0
    for path in paths:
        table = read_arrow(path, WORD_COUNTS)
        found = table.filter(pc.is_in(table["word"], value_set=pa.array(distinct, pa.string()))).to_pandas()
        total = total.add(found.set_index("word")["count"], fill_value=0)
        tokens += int(read_metadata(path)["tokens"])
    if tokens == 0:
        raise InputError("corpora: they have no words")
    return total.astype("int64"), tokens


def log_counts(counts: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """log(count + SMOOTHING), natural."""
    return np.log(np.asarray(counts, dtype=np.float64) + SMOOTHING)


def rounded(differences: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Differences of log counts, rounded to DECIMALS; nan stays nan."""
    return np.asarray(differences, dtype=np.float64).round(DECIMALS)


def levels(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The level of each count among `counts`, from 0 for the lowest; counts of one level are equal.

    A level begins where the next lower count is so far below that the rounded difference of their logarithms
    is not 0.
    """
    logs = log_counts(counts)
    order = np.argsort(logs, kind="stable")
    level = np.zeros(len(logs), dtype=np.int64)
    level[order[1:]] = np.cumsum(rounded(np.diff(logs[order])) > 0)
    return level


def count_group_words(
    pairs: pd.DataFrame,
    counts: Iterable[str | Path],
    left_out: Set[str],
    listed: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, int]:
    """The group words of a benchmark with their counts, as GROUP_WORDS, and the corpora's number of tokens.

    counts: WORD_COUNTS files, added up. listed: read_listed, None where nothing is listed by hand. Empty for
    a benchmark without directions.
    """
    used = uses(pairs)
    parts = [extract(used, left_out).assign(words_from=EXTRACTED)]
    if listed is not None:
        parts.append(listed_words(listed, used).assign(words_from=LISTED))
    words = pd.concat(parts, ignore_index=True)
    word_counts, tokens = counts_of(words["word"], counts)
    words = words.join(word_counts, on="word")
    words["per_million"] = 1e6 * words["count"] / tokens
    order = {bias_type: place for place, bias_type in enumerate(pairs["bias_type"].drop_duplicates())}
    words = words.assign(place=words["bias_type"].map(order).astype("int64")).sort_values(
        ["words_from", "place", "group", "count", "word"], ascending=[True, True, True, False, True]
    )
    return words[GROUP_WORDS.names].reset_index(drop=True), tokens


def log_ratios(pairs: pd.DataFrame, counts: Iterable[str | Path]) -> tuple[pd.DataFrame, int]:
    """The log frequency ratio of every pair, as PAIR_RATIOS, and the corpora's number of tokens.

    With f(S) the mean of `log_counts` over the modified words of sentence S, the ratio is
    f(stereotype) - f(antistereotype), in natural logarithms: above 0 where the stereotypical sentence has the
    more frequent words. Every modified word counts, function words too, since a measure sees them all.
    counts: WORD_COUNTS files, added up.
    """
    modified = [
        modified_words(*sentences) for sentences in zip(pairs[STEREOTYPE], pairs[ANTISTEREOTYPE], strict=True)
    ]
    counted, tokens = counts_of((word for sides in modified for side in sides for word in side), counts)
    count_of = dict(zip(counted.index, counted.tolist(), strict=True))

    def level(words: Sequence[str]) -> float:
        return float(log_counts([count_of[word] for word in words]).mean()) if words else np.nan

    ratios = [level(stereotype) - level(antistereotype) for stereotype, antistereotype in modified]
    return framed(pairs[["pair_id"]].assign(log_ratio=ratios), PAIR_RATIOS), tokens
