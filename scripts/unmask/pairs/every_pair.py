"""Every pair in the report: the data of the explorer (explorer.js), and what is said above it."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.explorer import packed, shown_pairs
from unmask.pairs.results import FLAW_TITLES, PairResults
from unmask.report.sections import App, Items, Section
from unmask.report.sheets import counted
from unmask.report.study import SCORED
from unmask.report.wording import listed, records
from unmask.statistics.schema import PAIR_FLAWS

NOTE = "One pair shows how a measure works, not what a model is like; scores over many pairs say that."


def section(results: PairResults) -> Section:
    """What the explorer shows is in the settings: models and benchmarks (their names), licences (of those
    that no world made) and most (pairs of a benchmark).

    Of a study without it the section is empty.
    """
    if not results.settings["explorer"]["models"]:
        return Section("pairs", "")
    pairs = _shown(results)
    app = App("explorer", "pairs/explorer", _data(results, pairs))
    return Section("pairs", "Every pair", tuple(_says(results, pairs)), (Items((NOTE,), warning=True), app))


def _shown(results: PairResults) -> dict[str, pd.DataFrame]:
    """The pairs that the explorer shows, by benchmark."""
    explorer = results.settings["explorer"]
    return {name: shown_pairs(results.pairs[name], explorer["most"]) for name in explorer["benchmarks"]}


def _says(results: PairResults, pairs: dict[str, pd.DataFrame]) -> Iterator[str]:
    """How many pairs there are and of which models, whose sentences they are, and what is left out."""
    explorer, reading = results.settings["explorer"], _with_tokens(results)
    read = f"{reading[0]} reads" if len(reading) == 1 else f"{len(reading)} models read"
    known = f" as {read} them, with what each token adds to the margin." if reading else ""
    yield (
        f"{counted(sum(map(len, pairs.values())))} can be opened here"
        f"{known or ', with their scores; tokens are not known.'}"
    )
    sizes = ((name, len(some), len(results.pairs[name])) for name, some in pairs.items())
    left = [f"{some} of the {every} pairs of {name}" for name, some, every in sizes if some < every]
    if left:
        yield f"Here are {listed(left)}, evenly spread."
    licences = [f"{name} (licence {licence})" for name, licence in explorer.get("licences", {}).items()]
    if licences:
        yield f"Sentences are quoted from {listed(licences)}."


def _with_tokens(results: PairResults) -> list[str]:
    """The explored models whose tokens are known: scores that were made elsewhere come without."""
    elsewhere = results.study.of_source(SCORED)
    return [name for name in results.settings["explorer"]["models"] if name not in elsewhere]


def _data(results: PairResults, pairs: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """The data of the program. tables: by model and benchmark, null where a model has not read it. example:
    the first trained model with tokens, and its first benchmark, of which there are three example pairs; null
    where there is none."""
    models = results.settings["explorer"]["models"]
    read = {
        place: {part: facts[part] for part in ("scores", "tokens")}
        for place, facts in results.explored.items()
    }
    trained = [name for name in _with_tokens(results) if name in results.study.trained()]
    examples = [
        {"model": models.index(model), "benchmark": place}
        for model in trained
        for place, benchmark in enumerate(pairs)
        if (model, benchmark) in read
    ]
    return {
        "models": models,
        "benchmarks": [
            {"name": name, "pairs": packed(pair_rows(some, results.flaws[name]))}
            for name, some in pairs.items()
        ],
        "measures": [{"name": name, "title": title_of(name)} for name in results.settings["measures"]],
        "example": next(iter(examples), None),
        "tables": [[read.get((model, benchmark)) for benchmark in pairs] for model in models],
    }


def pair_rows(pairs: pd.DataFrame, flaws: pd.DataFrame) -> list[dict[str, Any]]:
    """What the explorer has of each pair of a benchmark, with its flaws as these are called.

    flaws: FLAWS, also of other pairs.
    """
    rows = records(pairs[["pair_id", "bias_type", "stereotype", "antistereotype", "direction", "target"]])
    has = records(flaws.set_index("pair_id").loc[pairs["pair_id"], list(PAIR_FLAWS)])
    of_pairs = ([FLAW_TITLES[flaw] for flaw, is_so in each.items() if is_so] for each in has)
    return [row | {"flaws": of_pair} for row, of_pair in zip(rows, of_pairs, strict=True)]
