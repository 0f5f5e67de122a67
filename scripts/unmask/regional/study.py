"""What a study asks of regional bias that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.errors import InputError
from unmask.models.directory import MASKED_LM
from unmask.models.keys import Models
from unmask.urls import as_shown

KEY = "config key "
SENTENCES, FINE_TUNED = "regional-sentences", "fine-tuned-classifier"
"""The sources of models that are trained for this family."""

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
        if models.source_of(name).on_pairs or models[name]["source"] == SENTENCES
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
        if models[name]["source"] == SENTENCES:
            base = models[name]["from"]
            of_base = series.setdefault(base, [{"model": base, "epoch": 0}])
            of_base.append({"model": name, "epoch": models[name]["epochs"]})
    return [
        {"name": base, "models": sorted(states, key=lambda state: state["epoch"])}
        for base, states in series.items()
    ]


def reading_settings(entry: Entries, part: str) -> dict[str, Any]:
    """How a part of an entry of `prefixes` is read; its name at its source says what kind of table it is."""
    return {key: entry[key] for key in READ_BY if key in entry} | as_shown(entry["files"][part])


def shown_source(entry: Entries) -> str:
    """Where the texts of an entry of `prefixes` are from, in a few words and without secrets."""
    source = as_shown(entry["files"]["test"])
    of_hub = "{repo}@{revision}/{file}".format_map(source) if "repo" in source else None
    return str(of_hub or source.get("url") or source["path"])


def has_maps(regional: Entries) -> bool:
    """Whether a study has maps: by default of GeoNames alone."""
    maps = regional["maps"]
    return bool(regional["regions"]["source"] == "geonames" if maps is None else maps)


def check_study(
    regional: Entries, measured: Sequence[str], models: Entries, classifiers: Sequence[str]
) -> None:
    """Check the key `regional` of a completed study, and the models that need it.

    regional: empty where the study lacks it. measured: the models that are measured. classifiers: those
    that classify texts. Raises InputError naming the key at fault.
    """
    for name, entry in models.items():
        if entry["source"] in (SENTENCES, FINE_TUNED):
            _check_model(f"{KEY}models.{name}", entry, regional, measured)
    if not regional:
        return
    if regional["mapped_word"] is not None and not has_maps(regional):
        raise InputError(f"{KEY}regional.mapped_word: there are no maps in this study (regional.maps)")
    if not measured:
        raise InputError(f"{KEY}regional: the study has no masked-lm model with files, which it measures")
    for table, entry in regional["prefixes"].items():
        if others := [name for name in entry["classifiers"] if name not in classifiers]:
            place = f"{KEY}regional.prefixes.{table}.classifiers"
            raise InputError(f"{place}: {others[0]} is not a model of the kind text-classification")


def _check_model(place: str, entry: Entries, regional: Entries, measured: Sequence[str]) -> None:
    if not regional:
        raise InputError(f"{place}: it needs the key regional, which the study lacks")
    if entry["source"] == SENTENCES:
        if entry["from"] not in measured:
            raise InputError(f"{place}.from: {entry['from']} is not among regional.models, as it has to be")
        return
    table = regional["prefixes"].get(entry["table"], {})
    if "train" not in table.get("files", {}):
        raise InputError(f"{place}.table: no entry {entry['table']!r} of regional.prefixes has files.train")
    if not table["labels"]:
        where = f"{KEY}regional.prefixes.{entry['table']}.labels"
        raise InputError(f"{where}: they must be stated, as {place.rpartition('.')[2]} learns them")
