"""Every pair: the explorer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.labelled import LABELS, by_sentence
from unmask.facts import read_facts
from unmask.loading import tables_by
from unmask.measures.registry import title_of
from unmask.pairs.explored import SIDES, shown_pairs
from unmask.pairs.flaws import TITLES
from unmask.pairs.packed import packed
from unmask.pairs.results import Found
from unmask.report.sections import App, Items, Section
from unmask.statistics.schema import PAIR_FLAWS

NOTES = (
    "The sentences express stereotypes, many of them offensive; they were written to measure prejudice.",
    "One pair shows how a measure works, not what a model is like; scores over many pairs say that.",
)


def section(found: Found) -> Section:
    """What the explorer shows is in the settings: models and benchmarks (their names), and most (pairs of a
    benchmark)."""
    files, explorer = found.files, found.settings["explorer"]
    models, benchmarks = list(explorer["models"]), list(explorer["benchmarks"])
    every = [found.pairs[name] for name in benchmarks]
    shown = [shown_pairs(pairs, explorer["most"]) for pairs in every]
    flaws = [found.flaws[name] for name in benchmarks]
    labels = tables_by(files["labels"], LABELS, "benchmark")
    value = {
        "models": models,
        "benchmarks": [
            {"name": name, "pairs": packed(pair_columns(pairs, of_pairs, labels.get(name)))}
            for name, pairs, of_pairs in zip(benchmarks, shown, flaws, strict=True)
        ],
        "flaws": [TITLES[name] for name in PAIR_FLAWS],
        "measures": [{"name": name, "title": title_of(name)} for name in found.settings["measures"]],
        "tables": [_table(path, models, benchmarks) for path in files["explored"]],
    }
    left = [
        f"{len(some)} of the {len(pairs)} pairs of {name}"
        for name, some, pairs in zip(benchmarks, shown, every, strict=True)
        if len(some) < len(pairs)
    ]
    sentences = (_found(sum(map(len, shown)), models), *([_sample(left)] if left else []))
    return Section(
        "pairs",
        "Every pair",
        sentences,
        (Items(NOTES, warning=True), App("explorer", "pairs/explorer", value)),
    )


def pair_columns(
    pairs: pd.DataFrame, flaws: pd.DataFrame, labels: pd.DataFrame | None = None
) -> dict[str, list[Any]]:
    """What the explorer has of a benchmark's pairs, column by column.

    flaws: FLAWS; labels: LABELS, if there are any; both may be of other pairs too.
    ratings: for each pair null, or how many raters chose each bias type (null: none of them), the most first.
    labels: for each pair null, or of both its sentences how many raters gave each label, likewise. flaws: the
    numbers of its flaws among PAIR_FLAWS.
    """
    columns = ["pair_id", "bias_type", "stereotype", "antistereotype", "direction", "target"]
    texts = pairs[columns].astype(object).where(pairs[columns].notna(), None)
    own = flaws.set_index("pair_id").loc[pairs["pair_id"], list(PAIR_FLAWS)].eq(True).to_numpy(bool)
    return {name: texts[name].tolist() for name in columns} | {
        "ratings": list(map(votes, pairs["ratings"])),
        "labels": label_column(pairs, labels),
        "flaws": [[int(place) for place in row.nonzero()[0]] for row in own],
    }


def label_column(
    pairs: pd.DataFrame, labels: pd.DataFrame | None
) -> list[list[list[tuple[str, int]]] | None]:
    """Of each pair null, or of either sentence how many raters gave each label, the most first."""
    given = {} if labels is None else by_sentence(labels)
    found = {
        sentence: sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        for sentence, counts in given.items()
    }
    sides = ([found.get((pair, side), []) for side in SIDES] for pair in pairs["pair_id"])
    return [both if any(both) else None for both in sides]


def votes(ratings: Sequence[str | None] | None) -> list[tuple[str | None, int]] | None:
    """How many raters chose each bias type, the most first."""
    if ratings is None:
        return None
    chosen = [None if pd.isna(each) else str(each) for each in ratings]
    counts = {each: chosen.count(each) for each in chosen}
    return sorted(counts.items(), key=lambda item: (-item[1], item[0] is None, item[0] or ""))


def _table(path: str | Path, models: Sequence[str], benchmarks: Sequence[str]) -> dict[str, Any]:
    """What is there of one model on one benchmark, with the places of the two in the lists."""
    facts = read_facts(path)
    place = {"model": models.index(facts["model"]), "benchmark": benchmarks.index(facts["benchmark"])}
    return place | {key: facts[key] for key in ("scores", "tokens", "likeliest")}


def _found(pairs: int, models: Sequence[str]) -> str:
    by = models[0] if len(models) == 1 else f"{len(models)} models"
    return (
        f"{pairs:,} pairs as {by} read them: choose a pair to see both sentences token by token, and what "
        "each token adds to the margin between them."
    )


def _sample(left: Sequence[str]) -> str:
    return f"Here are {' and '.join(left)}, evenly spread."
