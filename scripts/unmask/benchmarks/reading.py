"""Benchmarks of sentence pairs, read into the table PAIRS: CrowS-Pairs, StereoSet and any table.

A format is a function that yields, pair by pair, its place in the file in words (`row 3 (line 5)`) and its
columns of PAIRS; a column left out is null. FORMATS has them by the name that a study gives as `format`.
"""

import ast
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError, known_names
from unmask.terms import ANTISTEREOTYPE, DIRECTIONS, STEREOTYPE, UNRELATED
from unmask.user_files import Node, quoted, read_document
from unmask.user_tables import Column, Table, choices_of, identifier

logger = logging.getLogger(__name__)

Entry = Mapping[str, Any]
Pairs = Iterator[tuple[str, Mapping[str, Any]]]

_COLUMNS = (
    Column("pair_id", required=True, key=True, label=True),
    Column("bias_type", required=True, label=True),
    Column("stereotype", required=True),
    Column("antistereotype", required=True),
    Column("unrelated"),
    Column("context"),
    Column("target", label=True),
    Column("writer", label=True),
    Column("direction", choices=DIRECTIONS),
    Column("ratings", list, label=True),
    Column("labels", list),
)
"""What PAIRS has to be, whatever the format."""


def read_benchmark(path: str | Path, entry: Entry) -> pd.DataFrame:
    """The pairs of a benchmark, one row each in the order of the file, with the columns of PAIRS.

    Texts, labels and directions are exactly those of the source: nothing is normalised, and what the
    source does not say is None. `entry` is the benchmark's part of the study (`format` and, for a table,
    `columns`); of more pairs than its `limit`, so many are taken, evenly spread.

    Raises InputError for an unknown format, and naming the file and the row or item where a pair is not whole
    and unambiguous, or a label (a bias type, an id) looks like another one that it is not.
    """
    path, name = Path(path), entry["format"]
    if name not in FORMATS:
        raise InputError(f"{name!r} is no format of benchmarks ({known_names(name, FORMATS)})")
    table = Table(_COLUMNS)
    rows = [table.check(path, place, cells) for place, cells in FORMATS[name](path, entry)]
    if not rows:
        raise InputError(f"{path}: no pairs in it")
    count = min(len(rows), entry.get("limit", len(rows)))
    rows = [rows[number * len(rows) // count] for number in range(count)]
    # dtype object keeps None, strings and lists as they are
    pairs = pd.DataFrame(rows, columns=PAIRS.names, dtype=object)
    types = ", ".join(f"{type_} {count}" for type_, count in Counter(pairs["bias_type"]).most_common())
    logger.info("%s: %d pairs (%s)", path, len(pairs), types)
    if same := int((pairs["stereotype"] == pairs["antistereotype"]).sum()):
        logger.warning("%s: pairs in which both sentences are the same: %d", path, same)
    return pairs


# CrowS-Pairs (Nangia et al. 2020): a row of csv for each pair


def crows_pairs(path: Path, entry: Entry) -> Pairs:
    """The pairs of the authors' file.

    `sent_more` is the stereotypical sentence in every row, whatever the direction: `stereo_antistereo`
    says only whose stereotype it is. The ratings are the validators', in the order of `annotations`. The
    writer of a pair is named apart (`anon_writer`), but is one of its validators (`anon_annotators`) too in
    61 of the 1508 rows of the authors' file; that vote counts like the others. In a file that pandas has
    written again, the column of ids may have the name that it gives to one without.
    """
    for row in Table(_OF_CROWS_PAIRS).rows(path):
        yield row.place, row | {"pair_id": row["pair_id"] or row["unnamed"]}


def _validators(annotations: str) -> list[str | None]:
    """`[['gender'], [], …]`, a list for each validator, as what each chose: None for an empty list.

    Raises ValueError where it is something else.
    """
    try:
        lists = ast.literal_eval(annotations)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        lists = None
    if not (isinstance(lists, list) and all(isinstance(choices, list) for choices in lists)):
        raise ValueError(f"not a list of lists: {annotations[:60]!r}")
    for validator, choices in enumerate(lists):
        if len(choices) > 1:
            raise ValueError(f"validator {validator} has {len(choices)} choices, not one at most")
        if not all(isinstance(choice, str) and choice for choice in choices):
            raise ValueError(f"validator {validator} has a choice that is not a bias type")
    return [choices[0] if choices else None for choices in lists]


_OF_CROWS_PAIRS = (
    # the column of ids has no name, and in what pandas writes this one
    Column("pair_id", header="", optional=True),
    Column("unnamed", header="Unnamed: 0", optional=True),
    Column("stereotype", header="sent_more", required=True),
    Column("antistereotype", header="sent_less", required=True),
    Column("direction", header="stereo_antistereo", required=True, choices=DIRECTIONS),
    Column("bias_type", required=True),
    Column("ratings", _validators, header="annotations", required=True),
    Column("writer", header="anon_writer", optional=True),
)


# StereoSet (Nadeem et al. 2021): a JSON file of items with three sentences each

_ROLES = {"stereotype": STEREOTYPE, "anti-stereotype": ANTISTEREOTYPE, "unrelated": UNRELATED}
"""Gold label -> role in the pair."""


def stereoset(path: Path, entry: Entry) -> Pairs:
    """The intrasentence items.

    Directions and ratings are null: the file does not say whose stereotype an item holds, and its
    annotators labelled sentences, not pairs. Raises InputError naming the file, item and key at fault.
    """
    for number, item in enumerate(_items(path)):
        pair = {"pair_id": item["id"].value}
        pair |= {key: item[key].text() for key in ("bias_type", "context", "target")}
        labels: list[str] = []
        for sentence in item["sentences"].parts():
            role = _role_of(sentence)
            if role in pair:
                raise sentence.fault(f"a second {sentence['gold_label'].value} sentence")
            pair[role] = sentence["sentence"].text()
            labels += _labels_in(sentence)
        if missing := [label for label, role in _ROLES.items() if role not in pair]:
            raise item["sentences"].fault(f"no {missing[0]} sentence")
        yield f"item {pair['pair_id']} (row {number})", pair | {"labels": labels or None}


def _labels_in(sentence: Node) -> Iterator[str]:
    """The labels that annotators gave a sentence; some items of the authors' file have none.

    A label is that of a role, or `related`, which is none.
    """
    labels = sentence.mapping().get("labels")
    for each in labels.parts() if labels and labels.value else ():
        label = each["label"].text()
        yield f"{_role_of(sentence)}: {_ROLES.get(label, label)}"


def _items(path: Path) -> Iterator[Node]:
    """The items of a file, each with its id and its number, from 0, in its place."""
    for number, item in enumerate(read_document(path)["data"]["intrasentence"].parts()):
        id_ = Node(item.value, f"{path}: row {number}")["id"].text()
        yield Node(item.value, f"{path}: item {id_} (row {number})")


def _role_of(sentence: Node) -> str:
    label = sentence["gold_label"]
    if label.text() not in _ROLES:
        raise label.fault(f"{label.value!r} is none of {', '.join(_ROLES)}")
    return _ROLES[label.value]


# any table, by a map of its columns


def any_table(path: Path, entry: Entry) -> Pairs:
    """The pairs of a table (unmask.user_tables says how the file is read), by the map `columns` of the entry:

    stereotype: sent_x               a column of the source
    bias_type: {value: gender}       the same for every pair
    direction: group                 `stereo` | `antistereo`, or as `directions` says; empty: not said
    ratings: votes                   a list, or text with a `separator`; an empty entry chose nothing

    Without a map for `pair_id` the number of the row is the id; `without` lists the ids of pairs that are
    left out. Raises InputError naming the file, and the column where the source has none of that name, or the
    row and column of a cell that does not fit, or a pair that is to be left out and is not there.
    """
    rules = entry["columns"]
    columns = [_column(name, rule, path, entry) for name, rule in rules.items()]
    same: dict[str, Any] = {}
    for column in columns:
        if column.header is None:
            try:
                same[column.name] = column.read(rules[column.name]["value"])
            except ValueError as error:
                raise InputError(f"{path}: columns: {column.name}: {error}") from None
    absent = set(entry.get("without", []))
    table = Table(column for column in columns if column.header is not None)
    for number, (place, cells) in enumerate(table.cells(path, entry)):
        pair_id = str(cells.get(rules.get("pair_id")))
        if pair_id in absent:
            absent.remove(pair_id)
        else:
            yield place, {"pair_id": str(number)} | same | table.check(path, place, cells)
    if absent:
        raise InputError(f"{path}: without: there is no pair {min(absent)!r}")


def _column(name: str, rule: str | Mapping[str, Any], path: Path, entry: Entry) -> Column:
    """A column of the source, by its header; one that says the same of every pair has none."""
    header = rule if isinstance(rule, str) else None
    if name == "direction":
        named = entry.get("directions") or {direction: [direction] for direction in DIRECTIONS}
        return Column(name, header=header, choices=choices_of(named, f"{path}: directions"))
    if name == "ratings":
        return Column(name, lambda cell: _ratings(cell, entry.get("separator")), header=header)
    kind = identifier if name == "pair_id" else str
    required = name in ("stereotype", "antistereotype", "bias_type", "pair_id")
    return Column(name, kind, required=required, header=header)


def _ratings(cell: Any, separator: str | None) -> list[str | None]:
    if isinstance(cell, str):
        if not separator:
            raise ValueError("is a text: set separator to what stands between the ratings")
        cell = [choice.strip() for choice in cell.split(separator)]
    if not (isinstance(cell, list) and all(choice is None or isinstance(choice, str) for choice in cell)):
        raise ValueError(f"is not a list of texts: {quoted(cell)}")
    return [choice or None for choice in cell]


FORMATS: Mapping[str, Callable[[Path, Entry], Pairs]] = {
    "crows-pairs": crows_pairs,
    "stereoset": stereoset,
    "table": any_table,
}
