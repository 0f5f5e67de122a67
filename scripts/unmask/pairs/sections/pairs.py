"""Every pair: the explorer."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import LABELS, by_sentence
from unmask.measures.names import title_of
from unmask.pairs.explorer import PARTS, packed, shown_pairs, size_of
from unmask.pairs.quality import TITLES
from unmask.pairs.results import PairResults
from unmask.report.findings import Finding, Row, sentences
from unmask.report.sections import App, Items, Section
from unmask.report.study import SCORED
from unmask.statistics.schema import PAIR_FLAWS
from unmask.study_results import tables_by
from unmask.terms import SIDES

NOTE = "One pair shows how a measure works, not what a model is like; scores over many pairs say that."

EXPLORER = [
    Finding[Row](
        "explorer",
        lambda row: [row] if row["models"] else [],
        """{{ shown | counted("pair") }} can be opened here
        {%- if not reading %}, with their scores; tokens are not known.
        {%- else %} as
        {% if reading | length == 1 %}{{ reading[0] }} reads{% else %}{{ reading | length }} models
        read{% endif %} them, with what each token adds to the margin.{% endif %}""",
    ),
    Finding[Row](
        "sample",
        lambda row: [row] if row["models"] and row["left"] else [],
        "Here are {{ left | listed }}, evenly spread.",
    ),
    Finding[Row](
        "licences",
        lambda row: [row] if row["models"] and row["licences"] else [],
        "Sentences are quoted from {{ licences | listed }}.",
    ),
    Finding[Row](
        "too large",
        lambda row: [row] if row["without"] else [],
        """The pairs of {{ without | listed }} are not on this page: all take {{ size | number(1) }} MB, and
        its limit is {{ megabytes | g }} MB. The study key `explorer: { megabytes: {{ enough }} }`
        shows them.""",
    ),
]


def section(results: PairResults) -> Section:
    """What the explorer shows is in the settings: models and benchmarks (their names), licences (of those
    that no world made), most (pairs of a benchmark) and megabytes (see PairResults.models_in_page)."""
    explorer, models = results.settings["explorer"], results.models_in_page
    explored = {key: facts for key, facts in results.explored.items() if key[0] in models}
    benchmarks = [name for name in explorer["benchmarks"] if any(name == of for _, of in explored)]
    pairs_of = {name: shown_pairs(results.pairs[name], explorer["most"]) for name in benchmarks}
    size = sum(map(size_of, results.explored.values()))
    row = {
        "shown": sum(map(len, pairs_of.values())),
        "models": models,
        # scores that were made elsewhere come without tokens
        "reading": [name for name in models if name not in results.study.of_source(SCORED)],
        "left": [
            f"{len(pairs)} of the {len(results.pairs[name])} pairs of {name}"
            for name, pairs in pairs_of.items()
            if len(pairs) < len(results.pairs[name])
        ],
        "licences": [
            f"{name} (licence {licence})"
            for name, licence in explorer.get("licences", {}).items()
            if name in benchmarks
        ],
        "without": [name for name in explorer["models"] if name not in models],
        "size": size,
        "megabytes": explorer["megabytes"],
        "enough": ceil(size),
    }
    return Section(
        "pairs",
        "Every pair",
        sentences(EXPLORER, row),
        (Items((NOTE,), warning=True), App("explorer", "pairs/explorer", _value(results, explored, pairs_of)))
        if models
        else (),
    )


def _value(
    results: PairResults,
    explored: Mapping[tuple[str, str], Mapping[str, Any]],
    pairs_of: Mapping[str, pd.DataFrame],
) -> dict[str, Any]:
    """The data of the program. explored: by model and benchmark; pairs_of: what is shown, by benchmark."""
    labels = tables_by(results.files["labels"], LABELS, "benchmark")
    models, benchmarks = results.models_in_page, list(pairs_of)
    return {
        "models": models,
        "benchmarks": [
            {"name": name, "pairs": packed(pair_columns(pairs, results.flaws[name], labels.get(name)))}
            for name, pairs in pairs_of.items()
        ],
        "flaws": [TITLES[name] for name in PAIR_FLAWS],
        "measures": [{"name": name, "title": title_of(name)} for name in results.settings["measures"]],
        "tables": [
            {"model": models.index(model), "benchmark": benchmarks.index(benchmark)}
            | {part: facts[part] for part in PARTS}
            for (model, benchmark), facts in explored.items()
        ],
    }


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
