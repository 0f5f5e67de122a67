"""Lists of words kept by hand: words to leave out, and group words listed for each bias type."""

from pathlib import Path
from typing import Any

import pandas as pd

from unmask.user_files import parse_yaml, quoted, read_document
from unmask.words import words_of

ADVANTAGED, DISADVANTAGED = "advantaged", "disadvantaged"
GROUPS = (ADVANTAGED, DISADVANTAGED)


def read_left_out(path: str | Path) -> frozenset[str]:
    """The words of every list in a YAML file of lists: name -> {source, words}.

    An entry of `words` may hold several words, separated by spaces, or be a number.
    Raises InputError naming the file, and the list of another shape or the word that is not as words_of
    writes it.
    """
    words: set[str] = set()
    for entry in read_document(path, parse_yaml).mapping().values():
        entry["source"].text()
        for part in entry["words"].parts():
            # a number may be a word; what holds others is none
            several = isinstance(part.value, list | dict)
            entry_words: list[Any] = [part.value] if several else str(part.value).split()
            if faults := [fault for word in entry_words if (fault := _fault_of_word(word))]:
                raise part.fault(faults[0])
            words.update(entry_words)
    return frozenset(words)


def read_listed(path: str | Path) -> pd.DataFrame:
    """Group words listed by hand: columns bias_type, group (one of GROUPS) and word.

    The file is YAML: source, and words: bias type -> {advantaged: [...], disadvantaged: [...]}; what else it
    may hold is for `read_listing`.
    Raises InputError naming the file and the key of another shape, an unknown group, a word in both groups of
    a bias type, or one that is not as words_of writes it.
    """
    facts = read_document(path, parse_yaml)
    facts["source"].text()
    rows: list[dict[str, str]] = []
    for bias_type, groups in facts["words"].items():
        seen: set[str] = set()
        for group, words in groups.mapping().items():
            if group not in GROUPS:
                raise words.fault(f"a group is one of {', '.join(GROUPS)}")
            for part in words.parts() if words.value else ():
                word = part.value
                if fault := _fault_of_word(word) or (word in seen and f"{word!r} is there more than once"):
                    raise part.fault(fault)
                seen.add(word)
                rows.append({"bias_type": bias_type, "group": group, "word": word})
    return pd.DataFrame(rows, columns=["bias_type", "group", "word"])


def read_listing(path: str | Path) -> dict[str, Any]:
    """What a file of words listed by hand says of them, for the metadata of GROUP_WORDS.

    source; note, empty where there is none; mean_ranks: bias type -> group -> the mean rank that the source
    states, for the bias types of which it states any.
    Raises InputError as `read_listed` does, and for mean ranks of a bias type that has no words, or that are
    not one number for each group.
    """
    known = set(read_listed(path)["bias_type"])
    facts = read_document(path, parse_yaml).mapping()
    mean_ranks: dict[str, dict[str, float]] = {}
    for bias_type, ranks in facts["mean_ranks"].items() if "mean_ranks" in facts else ():
        if bias_type not in known:
            raise ranks.fault("no words are listed for this bias type")
        if set(ranks.mapping()) != set(GROUPS):
            raise ranks.fault(f"not one mean rank for each of {', '.join(GROUPS)}")
        mean_ranks[bias_type] = {group: ranks[group].number() for group in GROUPS}
    note = str(facts["note"].value) if "note" in facts else ""
    return {"source": facts["source"].text(), "note": " ".join(note.split()), "mean_ranks": mean_ranks}


def _fault_of_word(word: object) -> str | None:
    as_written = isinstance(word, str) and words_of(word) == [word]
    return None if as_written else f"{quoted(word)} is not one word in lower case"
