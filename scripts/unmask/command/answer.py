"""The scores of a study, for a terminal: a table of its scores within 80 columns, and where the page is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from tabulate import tabulate

from unmask.errors import InputError
from unmask.measures.registry import title_of
from unmask.pairs.verdicts import CLEAR, CONTROL, interval_off_50
from unmask.report.sheets import DASH, number
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.terms import CORRECTED

COLUMNS = (
    *("model", "benchmark", "measure", "protocol", "n", "score", "low", "high", "confidence"),
    *("null_low", "null_high", "verdict"),
)
"""Of a score, for machines."""


def scores(folder: str | Path) -> pd.DataFrame:
    """The bias scores of a study over all pairs of a benchmark, protocol corrected, with the columns COLUMNS.

    Empty where the study scores no pairs. Raises InputError where the folder has no finished study.
    """
    folder = Path(folder)
    if not (folder / "report/index.html").is_file():
        raise InputError(f"{folder}: no finished study is there (no report/index.html)")
    path = folder / "tables/bias.csv"
    if not path.is_file():
        return pd.DataFrame(columns=list(COLUMNS))
    bias = pd.read_csv(path)
    rows = (bias["variant"] == "original") & (bias["protocol"] == CORRECTED) & (bias["grouping"] == "overall")
    return bias[rows & bias["score"].notna()][list(COLUMNS)].reset_index(drop=True)


def is_clear(table: pd.DataFrame) -> bool:
    """Whether some score shows a clear preference."""
    return bool((table["verdict"] == CLEAR).any())


def as_json(folder: str | Path, table: pd.DataFrame) -> str:
    """The table for machines, with where the page is."""
    rows = json.loads(table.to_json(orient="records"))
    return json.dumps({"results": str(folder), "page": str(page(folder)), "scores": rows}, indent=2)


def page(folder: str | Path) -> Path:
    """The report of a study."""
    return Path(folder) / "report/index.html"


def as_text(folder: str | Path, table: pd.DataFrame) -> Iterator[str]:
    """The lines of an answer: for each model and benchmark a table, then where page and numbers are."""
    for (model, benchmark), rows in table.groupby(["model", "benchmark"], sort=False):
        yield f"How often does {model} prefer the stereotype, of 100 pairs?"
        confidence = f"{100 * rows['confidence'].iloc[0]:g}%"
        yield f"{benchmark}: {rows['n'].max():,} pairs; {confidence} intervals; 50 is no preference"
        yield ""
        lines = [_line(row) for row in rows.itertuples(index=False)]
        heads = ["measure", "score", "interval", "word choice", ""]
        text = tabulate(
            lines, heads, "plain", disable_numparse=True, colalign=("left", "right", "right", "right", "left")
        )
        yield from (f"  {line}".rstrip() for line in text.splitlines())
        yield ""
    if len(table):
        yield "Word choice: the band of scores that fixed random scores of words give."
        yield f"{CLEAR.capitalize()}: the interval excludes 50, the score lies outside that band."
        yield "A score near 50 does not show that a model has no bias (docs/chance.md)."
        yield ""
    yield f"Page   {page(folder).resolve().as_uri()}"
    if (study := Path(folder) / "study.yaml").is_file():
        yield f"Study  {study}    (edit it to add models, benchmarks)"
    yield f'Python unmask.load("{folder}")'


def _line(row: Any) -> tuple[str, ...]:
    interval = interval_off_50(row.low, row.high).replace(" to ", DASH)
    words = f"{number(row.null_low, 0)}{DASH}{number(row.null_high, 0)}" if pd.notna(row.null_low) else DASH
    verdict = row.verdict
    if verdict == CONTROL:
        away = 0 if pd.isna(row.low) else (row.low > NO_PREFERENCE) - (row.high < NO_PREFERENCE)
        verdict = f"control{('', ', leans towards it', ', leans against it')[away]}"
    return title_of(row.measure), number(row.score, 0), interval, words, verdict
