"""A task in a table of the user's own: texts with labels, in csv, tsv, jsonl or parquet.

docs/downstream.md says what the columns are, and what an entry may state.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.downstream.frames import entailment_items, read_frames
from unmask.downstream.task import Task, examples_of, female_shares, items_of, without_one_gender
from unmask.downstream.templates import PERCENTAGE, read_occupations, similarity_items, templates_in
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
from unmask.labels import Labels
from unmask.user_tables import Column, Row, Table, choices_of, value_text

PARTS = (TRAIN, DEV, TEST)


def kind(entry: Mapping[str, Any]) -> str:
    return str(entry["kind"])


def read(files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]) -> Task:
    """The task. files: train, and maybe dev and test, bias, words and occupations, frames.

    Where there are no files dev and test, a column `part` says which rows are theirs, or rows are drawn
    (entry: `held_out`, shares of both). Raises InputError naming the file and the row, or the key, of what
    does not fit; and where a part has no rows.
    """
    rows, labels = _all_rows(files, entry)
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


def _all_rows(
    files: Mapping[str, Sequence[Path]], entry: Mapping[str, Any]
) -> tuple[pd.DataFrame, tuple[str, ...] | None]:
    """The rows of all files, with text, second, label, gender and part; and the labels' names.

    label: its number among the names; of similarity, which has no names, the score from 0 to 1.
    """
    headers = {name: header for name, header in entry["columns"].items() if header}
    if kind(entry) != OCCUPATIONS and "second" not in headers:
        raise InputError(f"columns: {kind(entry)} is of two sentences, so there must be a column for second")
    if kind(entry) == OCCUPATIONS and "gender" not in headers:
        raise InputError("columns: occupations have no gap without a column for gender")
    names, label = _labels(entry)
    columns = {
        "text": Column("text", required=True),
        "second": Column("second", required=True),
        "label": label,
        "gender": Column("gender", choices=choices_of(entry["genders"], "genders")),
        "part": Column("part"),
    }
    table = Table(replace(columns[name], header=header) for name, header in headers.items())
    rows = []
    for part in PARTS:
        for path in files.get(part, ()):
            for row in table.rows(path, entry["files"][part]):
                if part != TRAIN or "part" not in headers:
                    row["part"] = part
                elif row["part"] not in PARTS:
                    raise row.fault("part", f"{row['part']!r} is none of {', '.join(PARTS)}")
                rows.append(row)
    # None stays None in columns of objects
    frame = pd.DataFrame(rows, dtype=object)
    if "part" not in headers:
        _hold_out(frame, [part for part in (DEV, TEST) if part not in files], entry)
    if kind(entry) == SIMILARITY:
        low, high = entry["scale"]
        return frame.assign(label=(frame["label"].astype(float) - low) / (high - low)), None
    names = names or tuple(sorted(set(frame["label"])))
    if len(names) < 2:
        raise InputError(f"{files[TRAIN][0]}: one label alone, {names[0]!r}: there is nothing to tell apart")
    return frame.assign(label=frame["label"].map(names.index).astype(float)), names


def _labels(entry: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, Column]:
    """The names of the labels, where they are known before any row is, and the column of labels."""
    if kind(entry) == SIMILARITY:
        low, high = entry["scale"]
        if not low < high:
            raise InputError(f"scale: from {low:g} to {high:g} is no scale")
        return None, Column("label", float, required=True, least=low, most=high)
    named = entry.get("labels")
    if named is None and kind(entry) == ENTAILMENT:
        named = {name: [name] for name in ENTAILMENT_LABELS}
    if named is None:
        return None, Column("label", value_text, required=True, label=True)
    seen = Labels()
    for name in named:
        if fault := seen.check(str(name), f"config key labels.{name}"):
            raise InputError(f"config key labels.{name}: {fault}")
    names = tuple(named)
    if kind(entry) == ENTAILMENT:
        if set(names) != set(ENTAILMENT_LABELS):
            raise InputError(f"labels: entailment has {', '.join(ENTAILMENT_LABELS)}, not {', '.join(names)}")
        names = ENTAILMENT_LABELS
    return names, Column("label", required=True, choices=choices_of(named, "labels"))


def _hold_out(rows: pd.DataFrame, parts: Sequence[str], entry: Mapping[str, Any]) -> None:
    """Draw the parts that have no file from the rows of train."""
    places = np.flatnonzero((rows["part"] == TRAIN).to_numpy()).tolist()
    random.Random(f"held out {entry['seed']}").shuffle(places)
    start = 0
    for part in parts:
        count = round(entry["held_out"][part] * len(places))
        rows.loc[places[start : start + count], "part"] = part
        start += count


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


def bias_columns(entry: Mapping[str, Any]) -> tuple[Column, ...]:
    """The columns of a table of items of bias."""
    return (
        Column("text", required=True),
        Column("second", required=True),
        Column("gender", required=True, choices=choices_of(entry["genders"], "genders")),
        Column("occupation", required=True, label=True),
        Column("template", value_text, required=True),
        PERCENTAGE,
    )


def _own_bias(path: Path, entry: Mapping[str, Any]) -> pd.DataFrame:
    table = Table(bias_columns(entry))
    rows = list(table.rows(path, entry["files"]["bias"]))
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        pairs.setdefault((row["template"], row["occupation"]), []).append(row)
    for (template, occupation), those in pairs.items():
        genders = [row["gender"] for row in those]
        if sorted(genders) != [FEMALE, MALE]:
            each = f"{template!r} with {occupation!r} is there for {' and '.join(genders)}"
            raise those[0].fault("template", f"{each}, not once for either gender")
    frame = table.frame(rows)
    return frame.assign(part=BIAS, template=pd.factorize(frame["template"])[0])
