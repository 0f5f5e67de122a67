"""What may be wrong with pairs, and how scores are without these: pictures, tables and plain sentences."""

from collections.abc import Iterator, Mapping

import altair as alt
import numpy as np
import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.flaws import TITLES
from unmask.pairs.results import Results
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.forms import Axis, Grid, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sheets import DASH, Sheet, counted, interval, number, rows_of
from unmask.statistics.flaws import flags
from unmask.statistics.schema import ANY_FLAW, PAIR_FLAWS, UNRATED
from unmask.terms import CORRECTED

WITHIN, BEYOND, HOLDS = "within sampling noise", "beyond it", "beyond it after Holm's correction"
CLAIMS = (WITHIN, BEYOND, HOLDS)
"""What may be claimed of a change: its interval holds 0; does not; and Holm's p is below the level, too."""

NAMED = 3
"""So many changes, or benchmarks, are named in a sentence."""


def changes(results: Results) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left.

    claim: one of CLAIMS; a change without an interval is within sampling noise.
    """
    rows = results.quality
    rows = rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()]
    beyond = (rows["low"].gt(0) | rows["high"].lt(0)).to_numpy(bool)
    holds = beyond & rows["p_holm"].lt(results.alpha).to_numpy(bool)
    return rows.assign(claim=np.select([holds, beyond], [HOLDS, BEYOND], WITHIN))


def without_any(rows: pd.DataFrame) -> alt.FacetChart | None:
    """What leaving out all pairs that have a flaw changes of scores, in points: a panel for each model and
    benchmark.

    rows: of `changes`. None where no pair has a flaw.
    """
    rows = rows[rows["flaw"] == ANY_FLAW]
    panel = rows["model"].astype(str) + "\n" + rows["benchmark"].astype(str)
    return _drawn(rows, panel, rows["benchmark"].nunique())


def by_flaw(rows: pd.DataFrame) -> alt.FacetChart | None:
    """The same of each flaw by itself: a panel for each flaw.

    rows: of `changes`, of one model and benchmark.
    """
    rows = by_value(rows, "flaw", TITLES)
    counts = rows.groupby("flaw", observed=True)["flawed"].max()
    panels = {str(flaw): f"{TITLES[str(flaw)]} ({counted(count)})" for flaw, count in counts.items()}
    return _drawn(rows, rows["flaw"].map(panels), 3)


def _drawn(rows: pd.DataFrame, panel: "pd.Series[str]", columns: int) -> alt.FacetChart | None:
    frame = columns_of(
        rows,
        *("change", "low", "high", "score", "without", "claim"),
        panel=panel,
        measure=rows["measure"].map(title_of),
        chance_low=-2 * rows["random_sd"],
        chance_high=2 * rows["random_sd"],
        left_out="flawed",
        pairs="n",
    )
    # as far to either side
    most = float(frame[["change", "low", "high", "chance_low", "chance_high"]].abs().max().max())
    most = max(2.0, most) if len(frame) else 2.0
    axis = Axis(
        "change, points of the score",
        line=0,
        span=(-most, most),
        labels="datum.value ? format(datum.value, '+~g') : '0'",
    )
    tips = (
        ("panel", "what"),
        ("measure", "measure"),
        ("score", "all pairs", ".1f"),
        ("without", "without these", ".1f"),
        ("change", "change", "+.2f"),
        *ends_of("+.2f"),
        ("chance_high", "by chance, two standard deviations", ".2f"),
        ("left_out", "pairs left out", "d"),
        ("pairs", "of", "d"),
        ("claim", "the change"),
    )
    return forest(
        frame,
        axis,
        tips,
        name="measure",
        value="change",
        kinds=Kinds("claim", "the change", CLAIMS, claimed=True),
        broad=("chance_low", "chance_high"),
        grid=Grid(columns),
    )


NUMBERS = Table(
    "quality_numbers",
    ["model", "benchmark", "title"],
    [
        Column(
            "",
            "[{whole:.2f}][{without:.2f} ({change:+.2f}{mark}: {ends})]",
            "Bias score in percent, without the pairs of a flaw with the change in points and its interval.",
        )
    ],
    across=["head", "label"],
    heads={"title": "measure"},
)


def counts(flaws: Mapping[str, pd.DataFrame], caption: str) -> Sheet:
    """How many pairs of each benchmark have each flaw. flaws: FLAWS by benchmark."""
    rows = []
    for benchmark, table in flaws.items():
        of = flags(table)
        texts = {name: str(int(of[name].sum())) if name in of else DASH for name in (*PAIR_FLAWS, UNRATED)}
        unrated = texts.pop(UNRATED)
        rows.append((benchmark, str(len(table)), *texts.values(), str(len(flawed(table))), unrated))
    columns = [("", "pairs"), *(("pairs with the flaw", TITLES[name]) for name in (*PAIR_FLAWS, ANY_FLAW))]
    columns.append(("no flaw", TITLES[UNRATED]))
    return Sheet(caption, ("benchmark",), tuple(columns), tuple(rows))


def flawed(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of FLAWS with a flaw."""
    of = pd.DataFrame(flags(table, PAIR_FLAWS), index=table.index)
    return table[of.any(axis=1)]


def numbers(results: Results) -> Sheet:
    """Scores without the pairs of each flaw, in one row a model, benchmark and measure."""
    rows = changes(results)
    keys = ["model", "benchmark", "measure"]
    whole = rows.drop_duplicates([*keys, "score"]).assign(head="", label="all pairs")
    whole = whole.assign(whole=whole["score"], without=float("nan"), mark="", ends="")
    parts = in_order(with_marks(rows, results.alpha), flaw=TITLES)
    parts = parts.assign(
        head="without",
        label=parts["flaw"].map(TITLES),
        whole=float("nan"),
        ends=[interval(row.low, row.high, 1, signed=True) for row in rows_of(parts)],
    )
    both = pd.concat([whole, parts], ignore_index=True)
    return NUMBERS.sheet(
        both.assign(title=both["measure"].map(title_of)), results.captions["quality_numbers"]
    )


def found(results: Results, flaws: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """How many pairs have a flaw, and whether scores are others without these, in three sentences at most."""
    unrated = _unrated(flaws)
    if not any(len(flawed(table)) for table in flaws.values()):
        yield f"No pair has any of the flaws that a benchmark itself could show.{unrated}"
    told = [_told(benchmark, table) for benchmark, table in flaws.items() if len(flawed(table))]
    more = f"; the table has {len(told) - NAMED} more" if len(told) > NAMED else ""
    if told:
        yield f"Pairs with a flaw that the benchmark itself shows: {'; '.join(told[:NAMED])}{more}.{unrated}"
    rows = changes(results)
    held, tested = rows[rows["claim"] == HOLDS], int(rows["p"].notna().sum())
    if not tested:
        return
    beyond = int((rows["claim"] != WITHIN).sum())
    by_chance = float((1 - rows.loc[rows["p"].notna(), "confidence"]).sum())
    told_of_all = (
        f"Of {tested} changes of a score (without the pairs of one flaw, or of any"
        f"{', or those not rated' if rows['flaw'].eq(UNRATED).any() else ''}), {beyond} "
        f"{'has' if beyond == 1 else 'have'} an interval without 0 (where flaws change nothing, about "
        f"{number(by_chance, 0)} would), and"
    )
    if held.empty:
        yield f"{told_of_all} none holds after Holm's correction (p < {results.alpha:g})."
        return
    largest = sorted(rows_of(held), key=lambda row: -abs(float(row.change)))[:NAMED]
    named = [
        f"{row.model} on {row.benchmark}, {title_of(str(row.measure))}, {TITLES[str(row.flaw)]}: "
        f"{number(row.score, 1)} to {number(row.without, 1)}"
        for row in largest
    ]
    yield (
        f"{told_of_all} {len(held)} hold{'s' * (len(held) == 1)} after Holm's correction "
        f"(p < {results.alpha:g}), the largest: {'; '.join(named)}."
    )
    chance = held["random_sd"].max()
    yield (
        f"Leaving out as many pairs by chance changes these scores by {number(chance, 1)} points at most "
        f"(one standard deviation)."
    )


def _unrated(flaws: Mapping[str, pd.DataFrame]) -> str:
    """How many pairs cannot be judged by votes; nothing where all were rated, or none."""
    counts = {name: int(table[UNRATED].eq(True).sum()) for name, table in flaws.items()}
    some = [f"{count} of {len(flaws[name])} of {name}" for name, count in counts.items() if count]
    more = f"; the table has {len(some) - NAMED} more" if len(some) > NAMED else ""
    return (
        f" Nobody rated {'; '.join(some[:NAMED])}{more}: no flaw, but few votes cannot show." if some else ""
    )


def _told(benchmark: str, table: pd.DataFrame) -> str:
    of = {name: int(own.sum()) for name, own in flags(table, PAIR_FLAWS).items()}
    some = f"{len(flawed(table))} of {len(table)} of {benchmark}"
    most = max(of, key=lambda name: of[name])
    return f"{some} (most often {TITLES[most]}, {of[most]})" if of[most] else some
