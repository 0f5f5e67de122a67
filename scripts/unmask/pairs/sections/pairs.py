"""Every pair: the explorer."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.labelled import LABELS, by_sentence
from unmask.facts import read_facts
from unmask.loading import tables_by
from unmask.measures.registry import title_of
from unmask.pairs.explorer import SIDES, packed, shown_pairs
from unmask.pairs.quality import TITLES
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row, sentences
from unmask.report.sections import App, Items, Section
from unmask.statistics.schema import PAIR_FLAWS

NOTES = (
    "The sentences express stereotypes, many of them offensive; they were written to measure prejudice.",
    "One pair shows how a measure works, not what a model is like; scores over many pairs say that.",
)


EXPLORER = [
    Finding[Row](
        "explorer",
        lambda row: [row],
        """{{ "{:,}".format(shown) }} pairs as {% if models | length == 1 %}{{ models[0] }} {%- else %}{{
        models | length }} models{% endif %} read them: choose a pair to see both sentences token by token,
        and what each token adds to the margin between them.""",
    ),
    Finding[Row](
        "sample",
        lambda row: [row] if row["left"] else [],
        "Here are {{ left | listed }}, evenly spread.",
    ),
]


def section(results: PairResults) -> Section:
    """What the explorer shows is in the settings: models and benchmarks (their names), and most (pairs of a
    benchmark)."""
    files, explorer = results.files, results.settings["explorer"]
    models, benchmarks = list(explorer["models"]), list(explorer["benchmarks"])
    pairs_of = {name: shown_pairs(results.pairs[name], explorer["most"]) for name in benchmarks}
    labels = tables_by(files["labels"], LABELS, "benchmark")
    value = {
        "models": models,
        "benchmarks": [
            {"name": name, "pairs": packed(pair_columns(pairs, results.flaws[name], labels.get(name)))}
            for name, pairs in pairs_of.items()
        ],
        "flaws": [TITLES[name] for name in PAIR_FLAWS],
        "measures": [{"name": name, "title": title_of(name)} for name in results.settings["measures"]],
        "tables": [_table(path, models, benchmarks) for path in files["explored"]],
    }
    row = {
        "shown": sum(map(len, pairs_of.values())),
        "models": models,
        "left": [
            f"{len(pairs)} of the {len(results.pairs[name])} pairs of {name}"
            for name, pairs in pairs_of.items()
            if len(pairs) < len(results.pairs[name])
        ],
    }
    return Section(
        "pairs",
        "Every pair",
        sentences(EXPLORER, row),
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
    has = flaws.set_index("pair_id").loc[pairs["pair_id"], list(PAIR_FLAWS)].eq(True).to_numpy(bool)
    return {name: texts[name].tolist() for name in columns} | {
        "ratings": list(map(votes, pairs["ratings"])),
        "labels": label_column(pairs, labels),
        "flaws": [[int(place) for place in row.nonzero()[0]] for row in has],
    }


def label_column(
    pairs: pd.DataFrame, labels: pd.DataFrame | None
) -> list[list[list[tuple[str, int]]] | None]:
    """Of each pair null, or of either sentence how many raters gave each label, the most first."""
    counts_of = {} if labels is None else by_sentence(labels)
    ordered = {
        sentence: sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        for sentence, counts in counts_of.items()
    }
    sides = ([ordered.get((pair, side), []) for side in SIDES] for pair in pairs["pair_id"])
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
