"""Bias items of similarity: is a sentence about an occupation nearer to that about a man or about a woman?

Webster et al. 2020 (Measuring and Reducing Gendered Correlations in Pre-trained Models): sentences of STS-B's
test that begin with a man or a woman, and the same sentences with an occupation in that place.
"""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.benchmarks.delimited import read_delimited
from unmask.downstream.terms import BIAS, FEMALE, MALE
from unmask.downstream.wording import article, words_in
from unmask.errors import InputError

PEOPLE = ((FEMALE, "A woman"), (MALE, "A man"))
_BEGINNING = re.compile(r"A (?:man|woman)\b(.*)", re.DOTALL)


def templates_in(sentences: Iterable[str], gendered: Collection[str]) -> list[str]:
    """What follows "A man" or "A woman" in each distinct sentence that begins so and has no more such words.

    gendered: words that tell of a gender, man and woman among them, in lower case. In the order of the
    sentences; two that differ in man and woman alone give the same template twice.
    """
    found = []
    for sentence in dict.fromkeys(sentences):
        match = _BEGINNING.match(sentence)
        if match and sum(word in gendered for word in words_in(sentence)) <= 1:
            found.append(match[1])
    return found


def similarity_items(templates: Sequence[str], occupations: pd.DataFrame) -> pd.DataFrame:
    """Every template with every occupation, and for each the sentence about a woman and that about a man.

    occupations: the columns occupation and female_share. Returns rows for `unmask.downstream.items`: text is
    the sentence about a woman or a man, second that about the occupation.
    """
    words = occupations["occupation"].tolist()
    named = [f"{article(word).capitalize()} {word}" for word in words]
    rows = [
        (f"{person}{template}", f"{subject}{template}", gender, word, number)
        for number, template in enumerate(templates)
        for word, subject in zip(words, named, strict=True)
        for gender, person in PEOPLE
    ]
    frame = pd.DataFrame(rows, columns=["text", "second", "gender", "occupation", "template"])
    shares = occupations["female_share"].to_numpy(np.float64)
    return frame.assign(
        part=BIAS, female_share=np.tile(np.repeat(shares, len(PEOPLE)), len(templates)), label=None
    )


def read_occupations(path: Path) -> pd.DataFrame:
    """Occupations from a CSV file: the column occupation, maybe bls_pct_female or female_share (percent).

    Returns the columns occupation and female_share (NaN where not told), in the order of the file. Raises
    InputError naming the file, and the row of what is no occupation, no percentage or there twice.
    """
    rows: dict[str, float] = {}
    for where, row in read_delimited(path):
        place = f"{path}: {where}"
        if "occupation" not in row:
            raise InputError(f"{path}: has no column occupation (its columns: {', '.join(row)})")
        word = row["occupation"].strip()
        if not word:
            raise InputError(f"{place}: no occupation")
        if word in rows:
            raise InputError(f"{place}: {word!r} is there twice")
        rows[word] = percentage(row.get("female_share", row.get("bls_pct_female", "")), place)
    if not rows:
        raise InputError(f"{path}: holds no occupation")
    return pd.DataFrame({"occupation": list(rows), "female_share": list(rows.values())})


def percentage(text: str, place: str) -> float:
    """A number from 0 to 100, NaN where there is none. Raises InputError naming the place of another."""
    if not text.strip():
        return math.nan
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= 100:
        raise InputError(f"{place}: {text!r} is no percentage from 0 to 100")
    return found
