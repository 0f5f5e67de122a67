"""Charts of word frequency: how often groups are named, and whether measures follow it."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from unmask.frequency.group_words import EXTRACTED
from unmask.frequency.word_lists import GROUPS
from unmask.measures.formulas import title_of
from unmask.report.forms import STEP, Axis, Grid, Kinds, forest, names_down, only, panels, room_for, tooltips
from unmask.report.tables import Row, columns_of
from unmask.statistics.schema import OVERALL
from unmask.terms import CORRECTED


def frequencies(group_words: pd.DataFrame) -> alt.FacetChart | None:
    """How often corpora use the words extracted for each group; a panel for each benchmark.

    group_words: GROUP_WORDS with a column benchmark. A row is a word, or a group: the median and the
    quartiles of its words. None, here and below, where there is nothing to draw.
    """
    extracted = group_words[group_words["words_from"] == EXTRACTED]
    seen = extracted.loc[extracted["count"] > 0, "per_million"]
    # where a logarithm has no place, at the left edge
    edge = float(seen.min()) / 2 if len(seen) else 1.0
    rows: list[Row] = []
    keys = ["benchmark", "bias_type", "group"]
    for (benchmark, bias_type, group), words in extracted.groupby(keys, sort=False, observed=True):
        of = {"panel": str(benchmark), "name": str(bias_type), "kind": str(group)}
        low, median, high = words["per_million"].quantile([0.25, 0.5, 0.75]).tolist()
        rows.append(
            of
            | {"drawn": "group", "words": len(words), "low": low, "median": median, "high": high}
            | {"from": max(edge, low), "at": max(edge, median), "to": max(edge, high)}
        )
        for word, count, frequency in zip(words["word"], words["count"], words["per_million"], strict=True):
            rows.append(
                of
                | {"drawn": "word" if count else "word unseen", "word": str(word), "count": int(count)}
                | {"per_million": float(frequency), "at": max(edge, float(frequency))}
            )
    return _frequencies_chart(rows, edge) if rows else None


def _frequencies_chart(rows: Sequence[Row], edge: float) -> alt.FacetChart:
    most = max(float(row["at"]) for row in rows)
    scale = alt.Scale(type="log", domain=[edge, 1.2 * most], nice=False)
    y = {
        "y": names_down("name", (row["name"] for row in rows)),
        "yOffset": alt.YOffset("kind:N", sort=list(GROUPS)),
    }

    def x(name: str) -> alt.X:
        ticks = alt.Axis(values=_ticks(edge, most), format=",~f", labelOverlap="greedy", labelSeparation=8)
        return alt.X(f"{name}:Q", title="per million words", scale=scale, axis=ticks)

    frame = pd.DataFrame(rows)
    looks, said = Kinds("kind", "words of the group that is", GROUPS).looks(frame), tooltips(frame)
    base = alt.Chart()
    group, seen, unseen = (
        base.transform_filter(only("drawn", each)) for each in ("group", "word", "word unseen")
    )
    words: dict[str, Any] = {"size": 26, "opacity": 0.6}
    layers = [
        group.mark_rule(strokeWidth=1.2).encode(x=x("from"), x2="to:Q", color=looks["color"], **y),
        seen.mark_point(filled=True, **words).encode(x=x("at"), **looks, tooltip=said, **y),
        unseen.mark_point(filled=False, **words).encode(x=x("at"), **looks, tooltip=said, **y),
        group.mark_tick(thickness=3, size=STEP - 5, opacity=1).encode(
            x=x("at"), color=looks["color"], tooltip=said, **y
        ),
    ]
    height = alt.Step(STEP * len(GROUPS), **{"for": "position"})
    return panels(layers, rows, Grid(2, height=height), margin=room_for(row["name"] for row in rows))


def _ticks(low: float, high: float) -> list[float]:
    """Powers of ten; where there are few, twos and fives too."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1,) if high / low > 1000 else (1, 2, 5)
    return [step * 10.0**power for power in powers for step in steps]


def correlations(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Spearman's correlation of every measure's margins with log frequency ratios, protocol corrected.

    A panel for each model and benchmark.

    rows: CORRELATIONS with the columns model and benchmark.
    """
    rows = rows[(rows["grouping"] == OVERALL) & (rows["protocol"] == CORRECTED) & rows["rho"].notna()]
    frame = columns_of(
        rows,
        *("model", "benchmark", "low", "high"),
        panel=rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str),
        name=rows["measure"].map(title_of),
        value="rho",
        pairs="n",
    )
    axis = Axis("correlation (0: none)", line=0, span=(-0.5, 0.5), step=0.25)
    return forest(frame, axis)
