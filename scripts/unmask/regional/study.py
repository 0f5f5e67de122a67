"""What a study asks of regional bias that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.regional.wording import check_list_name, check_template, places_of
from unmask.user_files import read_yaml
from unmask.user_tables import CSV, columns_of

KEY = "config key "
Entries = Mapping[str, Any]


def check_study(
    regional: Entries, measured: Sequence[str], models: Entries, classifiers: Sequence[str]
) -> None:
    """Check the key `regional` of a completed study, and the models that need it.

    regional: empty where the study lacks it. measured: the models that are measured. classifiers: those
    that classify texts. Raises InputError naming the key at fault.
    """
    for name, entry in models.items():
        _check_model(name, entry, regional, measured)
    if not regional:
        return
    try:
        check_template(regional["template"])
        for name, path in regional["words"].items():
            check_list_name(name, None if path == "published" else path)
    except InputError as error:
        raise InputError(f"{KEY}regional.{error}") from None
    if not measured:
        raise InputError(f"{KEY}regional: the study has no masked-lm model with files, which it measures")
    for table in regional["prefixes"]:
        place = f"{KEY}regional.prefixes.{table}"
        _check_prefixes(place, table, regional["prefixes"], models, classifiers)


def _check_model(name: str, entry: Entries, regional: Entries, measured: Sequence[str]) -> None:
    place = f"{KEY}models.{name}"
    if entry["source"] == "regional-sentences":
        if not regional:
            raise InputError(f"{place}: it needs the key regional, which the study lacks")
        if entry["from"] not in measured:
            raise InputError(f"{place}.from: {entry['from']} is not among regional.models, as it has to be")
    if entry["source"] == "fine-tuned-classifier":
        if not regional:
            raise InputError(f"{place}: it needs the key regional, which the study lacks")
        table = regional["prefixes"].get(entry["table"])
        if table is None or "train" not in table_files(table):
            raise InputError(
                f"{place}.table: no entry {entry['table']!r} of regional.prefixes has files.train"
            )
        if not table["labels"]:
            raise InputError(
                f"{KEY}regional.prefixes.{entry['table']}.labels: they must be stated, as {name} learns them"
            )


def table_files(entry: Entries) -> Mapping[str, Entries]:
    """The files of an entry of `prefixes` by part, `test` and maybe `train`."""
    if "path" in entry:
        return {"test": {"path": entry["path"]}}
    files: Mapping[str, Entries] = entry["files"]
    return {part: source for part, source in files.items() if source is not None}


def readers_of(table: str, entry: Entries, models: Entries, classifiers: Sequence[str]) -> list[str]:
    """The classifiers that read a table of `prefixes`: those that its entry names, else all but those that
    are trained on another table."""
    trained_on = {name: models[name].get("table", table) for name in classifiers}
    return list(entry["classifiers"] or [name for name in classifiers if trained_on[name] == table])


def _labels_of(model: Entries, tables: Entries) -> Sequence[str] | None:
    """The labels of a classifier that the study trains; None of others, which are not known yet."""
    return list(tables[model["table"]]["labels"]) if model["source"] == "fine-tuned-classifier" else None


def _check_prefixes(
    place: str, table: str, tables: Entries, models: Entries, classifiers: Sequence[str]
) -> None:
    entry = tables[table]
    readers = readers_of(table, entry, models, classifiers)
    if not readers:
        raise InputError(f"{place}: the study has no model of the kind text-classification, which reads it")
    for name in readers:
        if name not in classifiers:
            raise InputError(f"{place}.classifiers: {name} is not a model of the kind text-classification")
        labels = _labels_of(models[name], tables)
        if labels is not None and entry["positive"] not in labels:
            raise InputError(
                f"{place}.positive: {entry['positive']!r} is no label of {name} (it has {', '.join(labels)})"
            )
    for number, prefix in enumerate(entry["prefixes"]):
        try:
            places_of(prefix["template"])
        except InputError as error:
            raise InputError(f"{place}.prefixes.{number}: {error}") from None


def check_maps(regional: Entries, published: str | Path) -> None:
    """Check that there can be the maps that a completed study wants. This reads files of the user's.

    published: the file of the paper's lists. Raises InputError naming the key at fault; what is wrong with a
    file itself, its reader says.
    """
    of_table = regional["regions"]["source"] == "table"
    has_maps = not of_table if regional["maps"] is None else regional["maps"]
    if has_maps and of_table:
        path = regional["regions"]["path"]
        names = columns_of(Path(path), CSV)
        if names is not None and "country_code" not in names:
            raise InputError(f"{KEY}regional.maps: {path} has no column country_code, which maps need")
    word = regional["mapped_word"]
    if word is None:
        return
    if not has_maps:
        raise InputError(f"{KEY}regional.mapped_word: there are no maps in this study (regional.maps)")
    name, path = next(iter(regional["words"].items()))
    lists = read_yaml(published)["lists"][name] if path == "published" else read_yaml(path)
    if isinstance(lists, Mapping) and word not in _words_of(lists):
        raise InputError(f"{KEY}regional.mapped_word: {word!r} is not in the list {name}, the first one")


def _words_of(topics: Mapping[str, Any]) -> list[object]:
    words = [word for those in topics.values() if isinstance(those, list) for word in those]
    return [word["word"] if isinstance(word, Mapping) else word for word in words]
