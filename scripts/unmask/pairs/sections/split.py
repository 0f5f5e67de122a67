"""What the margins of decoders are made of: what the modified words cost, and what follows from them."""

from collections.abc import Iterator

import altair as alt
import numpy as np
import pandas as pd

from unmask.measures.split import CONTINUATION, PARTS, WHOLE, WORDS
from unmask.pairs.charts import ON
from unmask.pairs.results import PairResults
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table
from unmask.report.findings import Finding, Row, records
from unmask.report.forms import Axis, Grid, Kinds, forest
from unmask.report.panels import columns_of, ends_of
from unmask.report.sections import Section, folded
from unmask.report.sheets import UNTESTABLE, counted, rows_of
from unmask.report.table_files import TableAndSheet
from unmask.statistics.schema import OVERALL

NAMES = {WORDS: "what the words cost", CONTINUATION: "what follows from them", WHOLE: "both together (LL)"}

LEAST_DF = 2
"""With fewer degrees of freedom an interval says little but that: it is tens of times the standard error."""

MOST = 2
"""Of so many models and benchmarks there is a sentence each; the table has all."""

SPLIT = Table(
    "split",
    ["model", "benchmark", "group", "n"],
    [
        Column(
            "mean margin",
            "<{margin:+.2f}>{mark} (<{low:+.2f} to {high:+.2f}>)",
            "In nats, with its interval; above 0 the stereotype is likelier. ∘ too few different words.",
        ),
        Column("as LL", "{alike}", "Pairs in which it prefers the sentence that LL prefers."),
    ],
    across=["name"],
    heads={"group": "bias type", "n": "pairs"},
)

ALT = (
    "Mean margins of decoders with intervals against the line at 0, by bias type: of the modified words, of "
    "what follows from them, and of both; the numbers are in the table below."
)


def table(results: PairResults) -> TableAndSheet:
    """The split of every causal language model and benchmark."""
    return results.split, SPLIT.captioned(_named(results.split), results.captions)


def picture(results: PairResults) -> alt.FacetChart | None:
    """The mean of each part down the bias types, a panel for each causal language model and benchmark.

    Without rows whose interval would set the scale of all: those of fewer than LEAST_DF degrees of freedom.
    """
    rows = _named(results.split)
    rows = rows[rows["df"] >= LEAST_DF]
    frame = columns_of(
        rows,
        *("model", "benchmark", "low", "high", "alike"),
        panel=rows["model"].astype(str) + ON + rows["benchmark"].astype(str),
        name=[f"{row.group} ({counted(row.n)})" for row in rows_of(rows)],
        value="margin",
        part="name",
        pairs="n",
    )
    tips = (
        ("panel", "what"),
        ("name", "pairs"),
        ("part", "part of the margin"),
        ("value", "mean margin, nats", ".2f"),
        *ends_of(".2f"),
        ("alike", "pairs in which it prefers what LL prefers", "d"),
    )
    return forest(
        frame,
        Axis("← antistereotype  |  stereotype →", line=0, zero=True),
        tips,
        kinds=Kinds("part", "part of the margin", [*NAMES.values()]),
        apart="part",
        # benchmarks have other bias types, and as many pairs of each
        names_apart=True,
        grid=Grid(2, between=ON, title="mean margin of LL, in nats"),
    )


def caption(results: PairResults) -> str:
    """Of the picture, with how many rows of the table it lacks."""
    return " ".join([results.captions["split_chart"], *_left_out(results.split)])


def shares(results: PairResults) -> Iterator[Row]:
    """In how many pairs either part prefers what both together prefer, by model and benchmark."""
    rows = results.split[results.split["grouping"] == OVERALL]
    parts = rows.groupby(["model", "benchmark"], sort=False, observed=True)
    for (model, benchmark), part in list(parts)[:MOST]:
        by_part = {row["part"]: row for row in records(part)}
        alike = {name: by_part[name]["alike"] for name in PARTS}
        yield {"model": model, "benchmark": benchmark, "decided": by_part[CONTINUATION]["decided"], **alike}


SHARES = Finding(
    "split of decoders",
    shares,
    """In {{ words }} of {{ whole | counted("pair") }} of {{ benchmark }}, the modified words alone prefer
    what {{ model }} prefers by LL; what follows does in {{ continuation }} of {{ decided }}.""",
)


def section(results: PairResults) -> Section:
    drawn = picture(results)
    charts = (chart(caption(results), ALT, drawn),) if drawn else ()
    numbers = folded("Both parts of the margins, in numbers", table(results)[1])
    return Section(
        "split",
        "Words and continuation: what modified words cost a decoder, and what follows",
        tuple(SHARES.sentences(results)),
        (*charts, *numbers),
        label="Words and continuation",
    )


def _left_out(rows: pd.DataFrame) -> Iterator[str]:
    """How many rows of the table the picture lacks, if any."""
    if count := int(((rows["part"] == WHOLE) & ~(rows["df"] >= LEAST_DF)).sum()):
        yield f"Not drawn: {counted(count, 'row')} with too few different words (∘ in the table)."


def _named(rows: pd.DataFrame) -> pd.DataFrame:
    """The parts by their names, in this order; a mark where too few words differ for an interval."""
    return rows.assign(
        name=pd.Categorical(rows["part"].astype(str).map(NAMES), [*NAMES.values()]),
        mark=np.where(rows["df"] >= LEAST_DF, "", f" {UNTESTABLE}"),
    )
