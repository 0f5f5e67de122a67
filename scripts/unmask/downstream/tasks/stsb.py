"""STS-B (Cer et al. 2017): how alike are two sentences? With the bias items of Webster et al. 2020.

Read from the Parquet files of GLUE (sentence1, sentence2, label from 0 to 5) or from those of its authors:
fields between tabs, of which the fifth is the score and the sixth and seventh are the sentences.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.columns import PARQUET, is_parquet, with_text
from unmask.downstream.task import Task, examples_of, items_of
from unmask.downstream.templates import read_occupations, similarity_items, templates_in
from unmask.downstream.terms import DEV, SIMILARITY, TEST, TRAIN
from unmask.errors import InputError
from unmask.gendered_words import read_word_pairs
from unmask.user_files import published_text, read_text
from unmask.user_tables import Column, Row, Table

TOP = 5.0
"""The highest score."""
HIDDEN = -1.0
"""What GLUE has in place of a score that is not public."""
SCORE, FIRST, SECOND = 4, 5, 6
"""Fields of the authors' files; some rows have two more, which tell of sources."""


def kind(entry: Mapping[str, Any]) -> str:
    return SIMILARITY


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """The task. files: train, dev, test, occupations, words (pairs of gendered ones). entry: sample, seed.

    The scores of GLUE's test are not public (-1): the items of the test are then those of dev.
    Raises InputError naming the file, and the column or the row, of what does not fit, and where no sentence
    of the test is about a man or a woman.
    """
    remarks: list[str] = []
    parts = {part: _part(files[part], part, remarks) for part in (TRAIN, DEV, TEST)}
    tested = parts[TEST]
    sentences = [text for pair in zip(tested["text"], tested["second"], strict=True) for text in pair]
    words = read_word_pairs(files["words"][0])
    templates = templates_in(sentences, words.feminine | words.masculine)
    if not templates:
        raise InputError(f'{files[TEST][0]}: no sentence begins with "A man" or "A woman"')
    if (same := len(templates) - len(set(templates))) > 0:
        remarks.append(
            f"{same} of {len(templates)} templates are there twice, once of a man, once of a woman"
        )
    if (tested["label"] < 0).all():
        tested = parts[DEV]
        remarks.append("the scores of its test are not public: accuracy is that on dev")
    bias = similarity_items(templates, read_occupations(files["occupations"][0]))
    items = items_of([tested.assign(part=TEST), bias], entry["sample"], entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, None, tuple(remarks))


def _part(paths: Sequence[Path], part: str, remarks: list[str]) -> pd.DataFrame:
    table = Table(
        (
            Column("text", published_text, header="sentence1"),
            Column("second", published_text, header="sentence2"),
            Column("label", float, required=True, least=HIDDEN if part == TEST else 0, most=TOP),
        )
    )
    rows: list[Row] = []
    for path in paths:
        rows += table.rows(path, PARQUET) if is_parquet(path) else _original(path, table)
    hidden = [row for row in rows if row["label"] < 0]
    if hidden and len(hidden) < len(rows):
        raise hidden[0].fault("label", f"{hidden[0]['label']:g} is no number from 0 to {TOP:g}")
    frame = table.frame(rows)
    return with_text(frame.assign(label=frame["label"] / TOP), part, remarks)


def _original(path: Path, table: Table) -> Iterator[Row]:
    # line breaks of other kinds stand in sentences
    lines = enumerate(read_text(path).replace("\r\n", "\n").split("\n"), start=1)
    for row, (line, text) in enumerate(each for each in lines if each[1].strip()):
        fields, place = text.split("\t"), f"row {row} (line {line})"
        if len(fields) <= SECOND:
            raise InputError(f"{path}: {place}: {len(fields)} fields between tabs, not 7")
        cells = {
            "sentence1": fields[FIRST].strip(),
            "sentence2": fields[SECOND].strip(),
            "label": fields[SCORE],
        }
        yield table.check(path, place, cells)
