"""How many of a benchmark's tokens a model's tokenizer does not know."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from unmask.loading import facts_by
from unmask.report.sheets import Sheet, number, rows_of
from unmask.report.study import Study

COLUMNS = ("model", "benchmark", "tokens", "unknown", "share")

WARY = 1.0
"""From so many percent of unknown tokens on a reader is cautioned."""


def unknown_tokens(study: Study, paths: Iterable[str | Path]) -> pd.DataFrame:
    """COLUMNS, from what tables of statistics say of the evidence that they are from, in the study's order.

    tokens: of the text of both sides of all pairs; unknown: how many of these are unknown to the tokenizer;
    share: percent. A model without a tokenizer, such as an oracle, has no row.
    """
    rows = {}
    for key, facts in facts_by(paths, "model", "benchmark").items():
        if said := facts.get("unknown_tokens"):
            share = 100 * said["unknown"] / said["tokens"]
            rows[key] = (*key, said["tokens"], said["unknown"], share)
    keys = [(model.name, benchmark.name) for model in study.models for benchmark in study.benchmarks]
    return pd.DataFrame([rows[key] for key in keys if key in rows], columns=list(COLUMNS))


def unknown_sheet(unknown: pd.DataFrame, caption: str) -> Sheet:
    """One row a model and benchmark."""
    rows = [
        (str(row.model), str(row.benchmark), str(row.tokens), str(row.unknown), number(row.share))
        for row in rows_of(unknown)
    ]
    columns = (("", "tokens"), ("", "unknown"), ("", "percent"))
    return Sheet(caption, ("model", "benchmark"), columns, tuple(rows))


def unknown_cautions(unknown: pd.DataFrame) -> Iterator[str]:
    """A sentence for each model and benchmark with a share of WARY or more."""
    for row in rows_of(unknown[unknown["share"] >= WARY]):
        yield (
            f"The tokenizer of {row.model} does not know {row.unknown} of {row.tokens} tokens of "
            f"{row.benchmark} ({number(row.share, 1)}%). The model cannot tell such words apart."
        )
