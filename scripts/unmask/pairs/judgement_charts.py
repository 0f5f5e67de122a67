"""The picture of judgements: what was planted down the rows, a panel for each measure."""

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.judgement_tables import strengths
from unmask.pairs.judging import FOOLED, FOUND, MISSED, RIGHT, TESTED
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CONTROL
from unmask.report.findings import listed
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.panels import Tips, columns_of, ends_of
from unmask.report.sheets import rows_of

NAMED = 6
"""So many models are named above a chart."""

_LOOKS = (RIGHT, BY_WORDS, FOOLED, CANNOT_TELL, CONTROL, FOUND, MISSED)
"""Judgements in the order of colours and shapes, with the verdicts among which they stand: right looks like
no clear preference, fooled like a clear one."""

_TIPS: Tips = (
    ("panel", "measure"),
    ("bias_type", "bias type"),
    ("strength", "planted"),
    ("model", "model"),
    ("score", "score", ".1f"),
    *ends_of(".1f"),
    *ends_of(".1f", "words_low", "words_high", "word choice alone"),
    ("exact", "exact model", ".1f"),
    ("verdict", "verdict"),
    ("judgement", "judgement"),
    ("pairs", "pairs", "d"),
)


def judgements(results: PairResults, benchmark: str | None = None) -> alt.FacetChart | None:
    """Bias scores by what was planted, coloured by judgement, before the score of the exact model.

    benchmark: of which; by default the first. None where none of its scores is judged.
    """
    rows = results.judgements
    rows = rows[rows["score"].notna()]
    if rows.empty:
        return None
    rows = rows[rows["benchmark"] == (benchmark or rows["benchmark"].iloc[0])]
    frame = columns_of(
        rows,
        *("model", "bias_type", "score", "low", "high", "exact", "verdict", "judgement"),
        panel=rows["measure"].map(title_of),
        name=[f"{row.planted} ({row.bias_type})" for row in rows_of(rows)],
        strength=strengths(rows),
        words_low="null_low",
        words_high="null_high",
        pairs="n",
    )
    exact = "; tick: exact model" if frame["exact"].notna().any() else ""
    band = "; broad band: word choice alone" if frame["words_low"].notna().any() else ""
    return forest(
        _by_measure(frame, results),
        Axis(None, line=50, span=(0, 100), ticks=[0, 50, 100]),
        _TIPS,
        value="score",
        kinds=Kinds("judgement", "judgement", _LOOKS, claimed=True, listed=_listed(rows)),
        apart="model",
        broad=("words_low", "words_high"),
        beside=[Beside("exact", "tick", "exact")],
        grid=Grid(
            4,
            width=220,
            title="stereotype preferred, of 100 pairs",
            subtitle=[
                f"{_models(rows)}{exact}",
                f"line: 50, no preference{band}",
            ],
        ),
    )


def _by_measure(frame: pd.DataFrame, results: PairResults) -> pd.DataFrame:
    """The rows of the measure that leads first, and controls last."""
    leads, control = frame["panel"] == title_of(results.headline), frame["judgement"] == CONTROL
    return pd.concat([frame[leads], frame[~leads & ~control], frame[control & ~leads]])


def _listed(rows: pd.DataFrame) -> list[str]:
    """The judgements of the legend: those on testable scores, and others that some score has."""
    there = {*rows["judgement"], *TESTED}
    return [each for each in (*TESTED, CANNOT_TELL, CONTROL) if each in there]


def _models(rows: pd.DataFrame) -> str:
    names = list(rows["model"].unique())
    return f"in each row from above: {listed(names, NAMED)}" if len(names) > 1 else str(names[0])
