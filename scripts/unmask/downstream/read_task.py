"""A task in tables: texts with labels, in csv, tsv, jsonl or Parquet (docs/debiasing.md#downstream-tasks).

A published task is such a table, whose settings stand in resources/downstream/tasks.yaml.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unmask.downstream.bias_items import items_of_bias
from unmask.downstream.task import Task, examples_of, female_shares, items_of
from unmask.downstream.terms import DEV, ENTAILMENT_LABELS, GENDERS, OCCUPATIONS, SIMILARITY, TEST, TRAIN
from unmask.errors import InputError
from unmask.files import faults_of
from unmask.user_files import Labels, published_text, read_text
from unmask.user_tables import Column, Row, Table, choices_of, value_text

PARTS = (TRAIN, DEV, TEST)
SAMPLE = 10_000
"""So many items of the test, and templates with an occupation, are predicted along a curve at most."""

Files = Mapping[str, Sequence[Path]]
Entry = Mapping[str, Any]


def read_task(files: Files, entry: Entry) -> Task:
    """The task. files: train, and maybe dev and test; bias, or what items of bias are made of (occupations,
    and words, frames or lists). entry: as `unmask.downstream.study.with_preset` gives it.

    Where there are no files dev and test, a column `part` says which rows are theirs, or rows are drawn
    (entry: `held_out`, shares of both). Raises InputError naming the file and the row, or the key, of what
    does not fit; and where a part has no rows.
    """
    remarks: list[str] = []
    rows, labels = _all_rows(files, entry, remarks)
    parts = {part: rows[rows["part"] == part].reset_index(drop=True) for part in PARTS}
    for part, of_part in parts.items():
        if of_part.empty:
            raise InputError(f"{files.get(part, files[TRAIN])[0]}: no rows for {part}")
    tested, bias = parts[TEST], []
    if labels is not None and entry["kind"] == OCCUPATIONS:
        _check_genders(files, parts, labels, entry)
        tested = tested.assign(occupation=tested["label"].map(dict(enumerate(labels))))
        tested["female_share"] = tested["occupation"].map(female_shares(labels, parts[TRAIN]))
        remarks += _of_the_test(tested, labels)
    else:
        bias = [items_of_bias(files, entry, tested, remarks)]
        if entry["kind"] == SIMILARITY and tested["label"].isna().all():
            tested = parts[DEV]
            remarks.append("the scores of its test are not public: accuracy is that on dev")
    items = items_of([tested.assign(part=TEST), *bias], SAMPLE, entry["seed"])
    return Task(examples_of(parts[TRAIN], parts[DEV]), items, labels, tuple(remarks))


def _all_rows(files: Files, entry: Entry, remarks: list[str]) -> tuple[pd.DataFrame, tuple[str, ...] | None]:
    """The rows of all files, with text, second, label, gender and part; and the labels' names.

    label: its number among the names; of similarity, which has no names, the score from 0 to 1, or nan where
    the score is hidden.
    """
    headers = {name: header for name, header in entry["columns"].items() if header}
    if entry["kind"] == OCCUPATIONS and "gender" not in headers:
        raise InputError("columns: occupations have no gap without a column for gender")
    if entry["kind"] != OCCUPATIONS and "second" not in headers:
        raise InputError(f"columns: {entry['kind']} compares two sentences: name the column for second")
    names, label = _labels(entry)
    text = Column("text", published_text) if "published" in entry else Column("text", required=True)
    columns = {
        "text": text,
        "second": replace(text, name="second"),
        "label": label,
        "gender": Column("gender", choices=choices_of(entry.get("genders") or {}, "genders")),
        "part": Column("part", required=True, choices=PARTS),
    }
    table = Table(replace(columns[name], header=header) for name, header in headers.items())
    frames = [_rows(part, files[part], table, entry, remarks) for part in PARTS if part in files]
    rows = pd.concat(frames, ignore_index=True)
    if "part" not in headers:
        _hold_out(rows, [part for part in (DEV, TEST) if part not in files], entry)
    if entry["kind"] == SIMILARITY:
        low, high = entry["scale"]
        return rows.assign(label=(rows["label"].astype(float) - low) / (high - low)), None
    names = names or tuple(sorted(set(rows["label"])))
    if len(names) < 2:
        alone = f"only one label, {names[0]!r}: a classifier needs at least two"
        raise InputError(f"{files[TRAIN][0]}: {alone}")
    numbers = {name: float(number) for number, name in enumerate(names)}
    return rows.assign(label=rows["label"].map(numbers)), names


def _labels(entry: Entry) -> tuple[tuple[str, ...] | None, Column]:
    """The names of the labels, where they are known before any row is, and the column of labels."""
    if entry["kind"] == SIMILARITY:
        low, high = entry["scale"]
        if not low < high:
            raise InputError(f"scale: from {low:g} to {high:g} is no scale")
        return None, Column("label", float, required=True, least=low, most=high)
    named = entry.get("labels")
    if named is None and entry["kind"] != OCCUPATIONS:
        named = {name: [name] for name in ENTAILMENT_LABELS}
    if named is None:
        return None, Column("label", value_text, required=True, label=True)
    seen = Labels()
    for name in named:
        if fault := seen.check(str(name), f"config key labels.{name}"):
            raise InputError(f"config key labels.{name}: {fault}")
    names = tuple(named)
    if entry["kind"] != OCCUPATIONS:
        if set(names) != set(ENTAILMENT_LABELS):
            raise InputError(f"labels: entailment has {', '.join(ENTAILMENT_LABELS)}, not {', '.join(names)}")
        names = ENTAILMENT_LABELS
    return names, Column("label", required=True, choices=choices_of(named, "labels"))


def _rows(part: str, paths: Sequence[Path], table: Table, entry: Entry, remarks: list[str]) -> pd.DataFrame:
    """The rows of the files of one part, with `part`, and nan for a score that is hidden."""
    hidden = entry.get("hidden") if part == TEST else None
    if hidden is not None:
        table = Table(replace(c, least=hidden) if c.name == "label" else c for c in table.columns)
    rows = [row for path in paths for row in _rows_in(path, table, entry, part)]
    frame = pd.DataFrame(rows)
    if part != TRAIN or "part" not in frame:
        frame["part"] = part
    if hidden is not None:
        low, high = entry["scale"]
        not_public = [row for row in rows if row["label"] < low]
        if not_public and len(not_public) < len(rows):
            value = not_public[0]["label"]
            raise not_public[0].fault("label", f"{value:g} is no number from {low:g} to {high:g}")
        frame["label"] = frame["label"].where(frame["label"] >= low)
    return _with_text(frame, part, paths[0], remarks) if "published" in entry else frame


def _rows_in(path: Path, table: Table, entry: Entry, part: str) -> Iterator[Row]:
    """The rows of a file; of a published task it is Parquet, or has lines with tabs."""
    if "published" not in entry:
        yield from table.rows(path, entry["files"][part])
        return
    with faults_of(path), path.open("rb") as file:
        is_parquet = file.read(4) == b"PAR1"
    if is_parquet or "fields" not in entry:
        yield from table.rows(path, {"type": "parquet"})
        return
    fields: Mapping[str, int] = entry["fields"]
    # line breaks of other kinds stand in sentences
    lines = enumerate(read_text(path).replace("\r\n", "\n").split("\n"), start=1)
    for row, (line, text) in enumerate(each for each in lines if each[1].strip()):
        cells, place, width = text.split("\t"), f"row {row} (line {line})", max(fields.values()) + 1
        if len(cells) < width:
            raise InputError(f"{path}: {place}: {len(cells)} fields between tabs, not {width}")
        yield table.check(path, place, {name: cells[number].strip() for name, number in fields.items()})


def _with_text(rows: pd.DataFrame, part: str, path: Path, remarks: list[str]) -> pd.DataFrame:
    """The rows that have all their texts; a remark says how many do not. Raises InputError if none has."""
    there = rows[[column for column in ("text", "second") if column in rows]].notna().all(axis=1)
    if not there.any():
        raise InputError(f"{path}: no row has a text")
    if not there.all():
        remarks.append(f"{int((~there).sum())} rows of {part} have no text and are left out")
    return rows[there]


def _hold_out(rows: pd.DataFrame, parts: Sequence[str], entry: Entry) -> None:
    """Draw the parts that have no file from the rows of train."""
    places = np.flatnonzero((rows["part"] == TRAIN).to_numpy()).tolist()
    random.Random(f"held out {entry['seed']}").shuffle(places)
    start = 0
    for part in parts:
        count = round(entry["held_out"][part] * len(places))
        rows.loc[places[start : start + count], "part"] = part
        start += count


def _check_genders(
    files: Files, parts: Mapping[str, pd.DataFrame], labels: Sequence[str], entry: Entry
) -> None:
    """Raise InputError where no label has both genders in the test, or genders look as if swapped."""
    if not parts[TEST].groupby("label")["gender"].nunique().eq(2).any():
        why = "no label has women and men in the test, so there is no gap (column and genders?)"
        raise InputError(f"{files.get(TEST, files[TRAIN])[0]}: {why}")
    train = parts[TRAIN]
    for label, expected in entry.get("mostly", {}).items():
        genders = train.loc[train["label"] == labels.index(label), "gender"]
        if genders.ne(expected).mean() > 0.5:
            raise InputError(
                f"{files[TRAIN][0]}: most people with the label {label} are not {expected}: swapped genders?"
            )


def _of_the_test(tested: pd.DataFrame, labels: Sequence[str]) -> Iterator[str]:
    """Remarks on the people of a test: those without a gender, and labels without people or one gender."""
    if unknown := int(tested["gender"].isna().sum()):
        yield f"{unknown} of {len(tested)} people of the test have no gender, and count for accuracy alone"
    genders = tested.groupby("occupation")["gender"].agg(set)
    if absent := [name for name in labels if name not in genders]:
        yield f"nobody in the test is {', '.join(absent)}"
    for name in filter(genders.__contains__, labels):
        if missing := [gender for gender in GENDERS if gender not in genders[name]]:
            yield f"{name} has no {' and no '.join(missing)} people in the test, and so no gap"
