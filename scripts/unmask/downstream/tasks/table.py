"""A task in a table of the user's own: texts with labels, in csv, tsv, jsonl or parquet.

docs/downstream.md says what the columns are, and what an entry may state.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.benchmarks.cells import cell, check_text, labels_by_value, value_text
from unmask.benchmarks.rows import read_rows
from unmask.downstream.frames import entailment_items, read_frames
from unmask.downstream.task import Task, examples_of, female_shares, items_of, without_one_gender
from unmask.downstream.templates import percentage, read_occupations, similarity_items, templates_in
from unmask.downstream.terms import (
    BIAS,
    DEV,
    ENTAILMENT,
    ENTAILMENT_LABELS,
    FEMALE,
    MALE,
    OCCUPATIONS,
    SIMILARITY,
    TEST,
    TRAIN,
)
from unmask.errors import InputError
from unmask.gendered_words import read_word_pairs

PARTS = (TRAIN, DEV, TEST)
BIAS_COLUMNS = ("text", "second", "gender", "occupation", "template")


def kind(entry: Mapping[str, Any]) -> str:
    return str(entry["kind"])


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """The task. files: train, and maybe dev and test, bias, words and occupations, frames.

    Where there are no files dev and test, a column `part` says which rows are theirs, or rows are drawn
    (entry: `held_out`, shares of both). Raises InputError naming the file and the row, or the key, of what
    does not fit; and where a part has no rows.
    """
    rows = _all_rows(files, entry)
    labels = _number_labels(rows, files, entry)
    parts = {part: rows[rows["part"] == part].reset_index(drop=True) for part in PARTS}
    for part, those in parts.items():
        if those.empty:
            raise InputError(f"{files[TRAIN][0]}: no rows for {part}")
    tested, bias, remarks = parts[TEST], [], []
    if kind(entry) == OCCUPATIONS:
        assert labels is not None
        tested = tested.assign(occupation=tested["label"].map(dict(enumerate(labels))))
        tested["female_share"] = tested["occupation"].map(female_shares(labels, parts[TRAIN]))
        # there is nothing to be measured without
        for gender in (FEMALE, MALE):
            if not tested["gender"].eq(gender).any():
                raise InputError(f"{files[TRAIN][0]}: nobody in the test is {gender} (column and genders?)")
        if unknown := int(tested["gender"].isna().sum()):
            remarks.append(
                f"{unknown} of {len(tested)} people of the test have no gender, and count for accuracy alone"
            )
        present = [name for name in labels if (tested["occupation"] == name).any()]
        remarks += without_one_gender(tested, present)
    else:
        bias = [_bias_items(files, entry, tested)]
    items = items_of([tested.assign(part=TEST), *bias], entry["sample"], entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, labels, tuple(remarks))


def _all_rows(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of all files, with text, second, label (as it stands there), gender and part."""
    columns = entry["columns"]
    if kind(entry) != OCCUPATIONS and not columns.get("second"):
        raise InputError(f"columns: {kind(entry)} is of two sentences, so there must be a column for second")
    if kind(entry) == OCCUPATIONS and not columns.get("gender"):
        raise InputError("columns: occupations have no gap without a column for gender")
    gender_of = {str(value): gender for gender, values in entry["genders"].items() for value in values}
    found = []
    for part in PARTS:
        for path in files.get(part, ()):
            for place, fields in read_rows(path, entry["files"][part]):
                where = f"{path}: {place}"
                row = {key: cell(fields, column, where) for key, column in columns.items() if column}
                for key in ("text", "second"):
                    if key in row:
                        check_text(row[key], where, columns[key])
                label = row["label"]
                if label is None or label != label or not str(label).strip():
                    raise InputError(f"{where}: no label in column {columns['label']!r}")
                if row.get("gender") not in (None, ""):
                    if str(row["gender"]) not in gender_of:
                        raise InputError(
                            f"{where}: gender {row['gender']!r} is none of {', '.join(gender_of)}"
                        )
                    row["gender"] = gender_of[str(row["gender"])]
                else:
                    row["gender"] = None
                if part == TRAIN and columns.get("part"):
                    if row["part"] not in PARTS:
                        raise InputError(f"{where}: part {row['part']!r} is none of {', '.join(PARTS)}")
                else:
                    row["part"] = part
                found.append({**row, "where": where})
    if not found:
        raise InputError(f"{files[TRAIN][0]}: has no rows")
    rows = pd.DataFrame(found)
    if not columns.get("part"):
        _hold_out(rows, [part for part in (DEV, TEST) if part not in files], entry)
    return rows


def _hold_out(rows: pd.DataFrame, parts: Sequence[str], entry: Mapping[str, Any]) -> None:
    """Draw the parts that have no file from the rows of train."""
    places = np.flatnonzero((rows["part"] == TRAIN).to_numpy()).tolist()
    random.Random(f"held out {entry['seed']}").shuffle(places)
    start = 0
    for part in parts:
        count = round(entry["held_out"][part] * len(places))
        rows.loc[places[start : start + count], "part"] = part
        start += count


def _number_labels(
    rows: pd.DataFrame, files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]
) -> tuple[str, ...] | None:
    """Put numbers (of similarity: scores from 0 to 1) in place of the labels; the labels' names."""
    if kind(entry) == SIMILARITY:
        low, high = entry["scale"]
        if not low < high:
            raise InputError(f"scale: from {low:g} to {high:g} is no scale")
        scores = pd.to_numeric(rows["label"], errors="coerce").astype(float)
        wrong = ~scores.between(low, high).to_numpy()
        if wrong.any():
            row = rows.iloc[int(wrong.argmax())]
            raise InputError(f"{row['where']}: label {row['label']!r} is no number from {low:g} to {high:g}")
        rows["label"] = (scores - low) / (high - low)
        return None
    told = rows["label"].map(value_text)
    named = entry.get("labels")
    if named is None:
        names = ENTAILMENT_LABELS if kind(entry) == ENTAILMENT else sorted(set(told))
        named = {name: [name] for name in names}
    if kind(entry) == ENTAILMENT and set(named) != set(ENTAILMENT_LABELS):
        raise InputError(f"labels: entailment has {', '.join(ENTAILMENT_LABELS)}, not {', '.join(named)}")
    labels = ENTAILMENT_LABELS if kind(entry) == ENTAILMENT else tuple(named)
    if len(labels) < 2:
        raise InputError(f"{files[TRAIN][0]}: one label alone, {labels[0]!r}: there is nothing to tell apart")
    number_of = {value: labels.index(name) for value, name in labels_by_value(named, "labels").items()}
    wrong = ~told.isin(list(number_of)).to_numpy()
    if wrong.any():
        row = rows.iloc[int(wrong.argmax())]
        raise InputError(f"{row['where']}: label {row['label']!r} is none of {', '.join(number_of)}")
    rows["label"] = told.map(number_of).astype(float)
    return labels


def _bias_items(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any], tested: pd.DataFrame
) -> pd.DataFrame:
    if "bias" in files:
        return _own_bias(files["bias"][0], entry)
    if kind(entry) == ENTAILMENT:
        if not {"frames", "occupations"} <= files.keys():
            raise InputError(
                "files: entailment needs `bias`, or `frames` and `occupations`, for items of bias"
            )
        occupations = read_occupations(files["occupations"][0])
        return entailment_items(read_frames(files["frames"][0]), occupations, entry["people"])
    words = read_word_pairs(files["words"][0])
    sentences = [text for pair in zip(tested["text"], tested["second"], strict=True) for text in pair]
    templates = templates_in(sentences, words.feminine | words.masculine)
    if not templates:
        raise InputError(
            'files: no sentence of the test begins with "A man" or "A woman": give items as `bias`'
        )
    return similarity_items(templates, read_occupations(files["occupations"][0]))


def _own_bias(path: Path, entry: Mapping[str, Any]) -> pd.DataFrame:
    """A table of items of bias with BIAS_COLUMNS, and maybe female_share."""
    gender_of = {str(value): gender for gender, values in entry["genders"].items() for value in values}
    number_of: dict[str, int] = {}
    found = []
    for place, fields in read_rows(path, entry["files"]["bias"]):
        where = f"{path}: {place}"
        row = {column: cell(fields, column, where) for column in BIAS_COLUMNS}
        for column in ("text", "second", "occupation"):
            check_text(row[column], where, column)
        if str(row["gender"]) not in gender_of:
            raise InputError(f"{where}: gender {row['gender']!r} is none of {', '.join(gender_of)}")
        share = fields.get("female_share")
        row["female_share"] = percentage("" if share is None else str(share), where)
        row["gender"] = gender_of[str(row["gender"])]
        row["template"] = number_of.setdefault(str(row["template"]), len(number_of))
        found.append({**row, "where": where})
    if not found:
        raise InputError(f"{path}: has no rows")
    rows = pd.DataFrame(found)
    for (template, occupation), those in rows.groupby(["template", "occupation"], sort=False):
        if sorted(those["gender"]) != [FEMALE, MALE]:
            name = next(name for name, number in number_of.items() if number == template)
            raise InputError(
                f"{those['where'].iloc[0]}: template {name!r} with {occupation!r} is there for "
                f"{' and '.join(those['gender'])}, not once for either gender"
            )
    return rows.drop(columns="where").assign(part=BIAS)
