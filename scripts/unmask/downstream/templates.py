"""Bias items of similarity: is a sentence about an occupation nearer to that about a man or about a woman?

Webster et al. 2020 (Measuring and Reducing Gendered Correlations in Pre-trained Models): sentences of STS-B's
test that begin with a man or a woman, and the same sentences with an occupation in that place.
"""

import csv
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.downstream.terms import BIAS, FEMALE, MALE
from unmask.downstream.wording import article, words_in
from unmask.errors import InputError
from unmask.user_files import faults_of

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
    with faults_of(path, "not readable as CSV"), path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        names = reader.fieldnames or []
        if "occupation" not in names:
            raise InputError(f"{path}: has no column occupation (its columns: {', '.join(names)})")
        column = next((name for name in ("female_share", "bls_pct_female") if name in names), None)
        for row in reader:
            word, place = (row["occupation"] or "").strip(), f"{path}: line {reader.line_num}"
            if not word:
                raise InputError(f"{place}: no occupation")
            if word in rows:
                raise InputError(f"{place}: {word!r} is there twice")
            told = (row[column] or "").strip() if column else ""
            try:
                share = float(told) if told else float("nan")
            except ValueError:
                share = -1.0
            if told and not 0 <= share <= 100:
                raise InputError(f"{place}: {told!r} is no percentage from 0 to 100")
            rows[word] = share
    if not rows:
        raise InputError(f"{path}: holds no occupation")
    return pd.DataFrame({"occupation": list(rows), "female_share": list(rows.values())})
