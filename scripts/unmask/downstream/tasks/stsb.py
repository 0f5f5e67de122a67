"""STS-B (Cer et al. 2017): how alike are two sentences? With the bias items of Webster et al. 2020.

Read from the Parquet files of GLUE (sentence1, sentence2, label from 0 to 5) or from those of its authors:
fields between tabs, of which the fifth is the score and the sixth and seventh are the sentences.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.columns import NUMBER, TEXT, is_parquet, read_columns, with_text
from unmask.downstream.task import Task, examples_of, items_of
from unmask.downstream.templates import read_occupations, similarity_items, templates_in
from unmask.downstream.terms import DEV, SIMILARITY, TEST, TRAIN
from unmask.errors import InputError
from unmask.gendered_words import read_word_pairs
from unmask.user_files import read_text

TOP = 5.0
"""The highest score."""
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
    for part in (TRAIN, DEV):
        _check_scores(parts[part], files[part][0])
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
    else:
        _check_scores(tested, files[TEST][0])
    bias = similarity_items(templates, read_occupations(files["occupations"][0]))
    items = items_of([tested.assign(part=TEST), bias], entry["sample"], entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, None, tuple(remarks))


def _part(paths: Sequence[Path], part: str, remarks: list[str]) -> pd.DataFrame:
    if all(is_parquet(path) for path in paths):
        rows = read_columns(paths, {"sentence1": TEXT, "sentence2": TEXT, "label": NUMBER})
        rows.columns = pd.Index(["text", "second", "label"])
    else:
        rows = pd.concat([_original(path) for path in paths], ignore_index=True)
    rows["label"] = rows["label"].astype(float) / TOP
    return with_text(rows, part, remarks)


def _original(path: Path) -> pd.DataFrame:
    rows = []
    # line breaks of other kinds stand in sentences
    for number, line in enumerate(read_text(path).replace("\r\n", "\n").split("\n")):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) <= SECOND:
            raise InputError(f"{path}: row {number}: {len(fields)} fields between tabs, not 7")
        try:
            score = float(fields[SCORE])
        except ValueError:
            raise InputError(f"{path}: row {number}: score {fields[SCORE]!r} is no number") from None
        rows.append((fields[FIRST].strip(), fields[SECOND].strip(), score))
    if not rows:
        raise InputError(f"{path}: has no rows")
    return pd.DataFrame(rows, columns=["text", "second", "label"])


def _check_scores(rows: pd.DataFrame, path: Path) -> None:
    wrong = ~rows["label"].between(0, 1).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(f"{path}: row {row}: score {rows['label'].iloc[row] * TOP:g} is not from 0 to 5")
