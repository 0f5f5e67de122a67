"""What a study asks of regional bias that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from unmask.errors import InputError
from unmask.models.detecting import MASKED_LM
from unmask.models.study import Models
from unmask.regional.wording import PARENT, REGION, WORD, check_list_name, check_places
from unmask.urls import as_shown

KEY = "config key "
FURTHER_TRAINED = "regional-sentences"
"""The source of models that are trained further on sentences about regions."""

READ_BY = ("columns", "labels", "type", "delimiter", "quotes")
"""The keys that say how a labelled table is read."""

Entries = Mapping[str, Any]


def measured_models(regional: Entries, models: Models) -> list[str]:
    """The models that are measured, in the order of the study: by default all masked-lm models with files.

    Raises InputError where one that is named is none of them.
    """
    usable = [
        name
        for name in models.of_kind(MASKED_LM)
        if models.is_scored_on_pairs(name) or models[name]["source"] == FURTHER_TRAINED
    ]
    chosen = (regional["models"] or usable) if regional else []
    for name in chosen:
        if name not in usable:
            raise InputError(f"{KEY}regional.models: {name} is not a masked-lm model with files")
    return [name for name in usable if name in chosen]


def series_of(measured: Sequence[str], models: Entries) -> list[dict[str, Any]]:
    """The models trained on regional sentences with their epochs, by the model that they are made from."""
    series: dict[str, list[dict[str, Any]]] = {}
    for name in measured:
        if models[name]["source"] == FURTHER_TRAINED:
            base = models[name]["from"]
            of_base = series.setdefault(base, [{"model": base, "epoch": 0}])
            of_base.append({"model": name, "epoch": models[name]["epochs"]})
    return [
        {"name": base, "models": sorted(states, key=lambda state: state["epoch"])}
        for base, states in series.items()
    ]


def reading_settings(entry: Entries, part: str) -> dict[str, Any]:
    """How a part of an entry of `prefixes` is read."""
    source = table_files(entry)[part]
    # the hub's and a url's own name says what kind of table it is, as the name of a download does not
    ending = urlsplit(source.get("file", source.get("url", ""))).path.rpartition(".")[2].lower()
    known = {"type": ending} if ending in ("csv", "tsv", "jsonl", "parquet") else {}
    return {key: value for key, value in {**entry, **known, **source}.items() if key in READ_BY}


def shown_source(entry: Entries) -> str:
    """Where the texts of an entry of `prefixes` are from, in a few words and without secrets."""
    source = as_shown(table_files(entry)["test"])
    if "repo" in source:
        return "{repo}@{revision}/{file}".format_map(source)
    return str(source.get("url", source.get("path")))


def check_study(
    regional: Entries, measured: Sequence[str], models: Entries, classifiers: Sequence[str]
) -> None:
    """Check the key `regional` of a completed study, and the models that need it.

    regional: empty where the study lacks it. measured: the models that are measured. classifiers: those
    that classify texts. Raises InputError naming the key at fault.
    """
    for name, entry in models.items():
        _check_model(f"{KEY}models.{name}", name, entry, regional, measured)
    if not regional:
        return
    try:
        check_places(regional["template"], {REGION, WORD})
        for name, path in regional["words"].items():
            check_list_name(name, None if path == "published" else path)
    except InputError as error:
        raise InputError(f"{KEY}regional.{error}") from None
    if regional["mapped_word"] is not None and not has_maps(regional):
        raise InputError(f"{KEY}regional.mapped_word: there are no maps in this study (regional.maps)")
    if not measured:
        raise InputError(f"{KEY}regional: the study has no masked-lm model with files, which it measures")
    for table in regional["prefixes"]:
        _check_prefixes(table, regional["prefixes"], models, classifiers)


def _check_model(place: str, name: str, entry: Entries, regional: Entries, measured: Sequence[str]) -> None:
    source = entry["source"]
    if source in ("regional-sentences", "fine-tuned-classifier") and not regional:
        raise InputError(f"{place}: it needs the key regional, which the study lacks")
    if source == "regional-sentences" and entry["from"] not in measured:
        raise InputError(f"{place}.from: {entry['from']} is not among regional.models, as it has to be")
    if source == "fine-tuned-classifier":
        table = regional["prefixes"].get(entry["table"])
        if table is None or "train" not in table_files(table):
            reason = f"no entry {entry['table']!r} of regional.prefixes has files.train"
            raise InputError(f"{place}.table: {reason}")
        if not table["labels"]:
            labels = f"{KEY}regional.prefixes.{entry['table']}.labels"
            raise InputError(f"{labels}: they must be stated, as {name} learns them")


def has_maps(regional: Entries) -> bool:
    """Whether a study has maps: by default of GeoNames alone."""
    maps = regional["maps"]
    return bool(regional["regions"]["source"] == "geonames" if maps is None else maps)


def table_files(entry: Entries) -> Mapping[str, Entries]:
    """The files of an entry of `prefixes` by part, `test` and maybe `train`."""
    files: Entries = {"test": {"path": entry["path"]}} if "path" in entry else entry["files"]
    return {part: source for part, source in files.items() if source is not None}


def readers_of(table: str, entry: Entries, models: Entries, classifiers: Sequence[str]) -> list[str]:
    """The classifiers that read a table of `prefixes`: those that its entry names, else all but those that
    are trained on another table."""
    trained_on = {name: models[name].get("table", table) for name in classifiers}
    return list(entry["classifiers"] or [name for name in classifiers if trained_on[name] == table])


def _check_prefixes(table: str, tables: Entries, models: Entries, classifiers: Sequence[str]) -> None:
    place, entry = f"{KEY}regional.prefixes.{table}", tables[table]
    readers = readers_of(table, entry, models, classifiers)
    if not readers:
        raise InputError(f"{place}: the study has no model of the kind text-classification, which reads it")
    for name in readers:
        if name not in classifiers:
            raise InputError(f"{place}.classifiers: {name} is not a model of the kind text-classification")
        # those of other classifiers are not known yet
        if models[name]["source"] == "fine-tuned-classifier":
            labels = list(tables[models[name]["table"]]["labels"])
            if entry["positive"] not in labels:
                known = f"it has {', '.join(labels)}"
                raise InputError(f"{place}.positive: {entry['positive']!r} is no label of {name} ({known})")
    for number, prefix in enumerate(entry["prefixes"]):
        try:
            check_places(prefix["template"], {REGION}, {PARENT})
        except InputError as error:
            raise InputError(f"{place}.prefixes.{number}.{error}") from None
