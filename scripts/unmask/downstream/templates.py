"""Bias items of similarity: is a sentence about an occupation nearer to that about a man or about a woman?

Webster et al. 2020 (Measuring and Reducing Gendered Correlations in Pre-trained Models): sentences of STS-B's
test that begin with a man or a woman, and the same sentences with an occupation in that place.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from unmask.downstream.terms import BIAS, FEMALE, MALE
from unmask.downstream.wording import article, words_in
from unmask.user_files import text_of
from unmask.user_tables import Column, Table

PEOPLE = ((FEMALE, "A woman"), (MALE, "A man"))
_BEGINNING = re.compile(r"A (?:man|woman)\b(.*)", re.DOTALL)


def templates_in(sentences: Iterable[str], gendered: Collection[str]) -> list[str]:
    """What follows "A man" or "A woman" in each distinct sentence that begins so and has no more such words.

    gendered: words that tell of a gender, man and woman among them, in lower case. In the order of the
    sentences; two that differ in man and woman alone give the same template twice.
    """
    templates = []
    for sentence in dict.fromkeys(sentences):
        match = _BEGINNING.match(sentence)
        if match and sum(word in gendered for word in words_in(sentence)) <= 1:
            templates.append(match[1])
    return templates


def similarity_items(templates: Sequence[str], occupations: pd.DataFrame) -> pd.DataFrame:
    """Every template with every occupation, and for each the sentence about a woman and that about a man.

    occupations: the columns occupation and female_share. Returns rows for `unmask.downstream.task`: text is
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


PERCENTAGE = Column("female_share", float, optional=True, least=0, most=100)
_COLUMNS = (
    Column("occupation", lambda cell: text_of(cell).strip(), required=True, key=True),
    PERCENTAGE,
    replace(PERCENTAGE, name="bls_pct_female"),
)


def read_occupations(path: Path) -> pd.DataFrame:
    """Occupations from a CSV file: the column occupation, maybe female_share or bls_pct_female (percent).

    Returns the columns occupation and female_share (NaN where not told), in the order of the file. Raises
    InputError naming the file, and the row of what is no occupation, no percentage or there twice.
    """
    rows = Table(_COLUMNS).frame(Table(_COLUMNS).rows(path))
    rows["female_share"] = rows["female_share"].fillna(rows["bls_pct_female"])
    return rows[["occupation", "female_share"]]
