"""Lists of words that come with the workflow: words to leave out, and group words of the paper's Table 2."""

from pathlib import Path
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.user_files import read_config
from unmask.words import words_of

ADVANTAGED, DISADVANTAGED = "advantaged", "disadvantaged"
GROUPS = (ADVANTAGED, DISADVANTAGED)


def read_left_out(path: str | Path) -> frozenset[str]:
    """The words of every list in a YAML file of lists: name -> {source, words}; an entry of `words` may hold
    several words, or be a number. Raises InputError for one that YAML takes for no text, such as `on`."""
    entries = [entry for listed in read_config(path).values() for entry in listed["words"]]
    if taken := [entry for entry in entries if entry is None or isinstance(entry, bool)]:
        what = f"words: {str(taken[0]).lower()} is no text"
        raise InputError(f"{path}: {what}; a word such as on, off, yes or no needs quotes")
    return frozenset(word for entry in entries for word in words_of(str(entry)))


def read_listed(path: str | Path) -> pd.DataFrame:
    """Group words of a YAML file that lists them, under words: bias type -> {advantaged, disadvantaged}, with
    the columns bias_type, group (one of GROUPS) and word."""
    rows = [
        {"bias_type": bias_type, "group": group, "word": word}
        for bias_type, groups in read_config(path)["words"].items()
        for group in groups
        for word in groups[group]
    ]
    return pd.DataFrame(rows)


def read_listing(path: str | Path) -> dict[str, Any]:
    """What that file says of its words, for the metadata of GROUP_WORDS: source; note; and mean_ranks: bias
    type -> group -> the mean rank that the source states."""
    facts = read_config(path)
    mean_ranks = {
        bias_type: {group: float(rank) for group, rank in ranks.items()}
        for bias_type, ranks in facts["mean_ranks"].items()
    }
    return {"source": facts["source"], "note": " ".join(facts["note"].split()), "mean_ranks": mean_ranks}
