"""What measures found of what was planted in a world: the answer of a study of worlds, as a table, a chart
and words."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.judging import FOOLED, FOUND, MEANINGS, MISSED, RIGHT, TESTED
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CONTROL
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.panels import columns_of
from unmask.report.sections import Block, Fold, Items, chosen
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import TableAndSheet, counted, rows_of
from unmask.report.study import ORACLE
from unmask.report.wording import listed, many
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.sharing import TOLERANCE
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

NAMED = 6
"""So many models are named above a chart."""

_LOOKS = (RIGHT, BY_WORDS, FOOLED, CANNOT_TELL, CONTROL, FOUND, MISSED)
"""Judgements in the order of colours and shapes, with the verdicts among which they stand: right looks like
no clear preference, fooled like a clear one."""


_TRAINED, _HOLM, _EXACT = "trained models", "after Holm's correction", "exact model"

BY_MEASURE = Table(
    "planted_by_measure",
    ["title"],
    [
        Column("found", "{found}", _TRAINED),
        Column("reversed or missed", "{lost}", _TRAINED),
        Column("false", "{false}", _TRAINED),
        Column("found", "{found_holm}", _HOLM),
        Column("reversed or false", "{fooled_holm}", _HOLM),
        Column("found", "[{exact_found:.0f}]", _EXACT),
        Column("reversed or missed", "[{exact_lost:.0f}]", _EXACT),
        Column("false", "[{exact_false:.0f}]", _EXACT),
    ],
    heads={"title": "measure"},
)
JUDGED = Table(
    "planted",
    ["benchmark", "bias_type", "strength", "model"],
    [Column("", "{judgement}[: {score:.1f}][~ ({low:.1f} to {high:.1f})][; exact {exact:.1f}]")],
    across=["title"],
    heads={"bias_type": "bias type", "strength": "planted"},
)


def is_answer(results: PairResults) -> bool:
    """Whether what was planted is what the study is about: all its benchmarks are of worlds, and scores are
    judged."""
    of_worlds = all(benchmark.world is not None for benchmark in results.study.benchmarks)
    return of_worlds and bool(results.judgements["judgement"].isin(TESTED).any())


def blocks(results: PairResults) -> Iterator[Block]:
    """The table of measures, and pictures and judgements in folds; nothing where no score is judged."""
    if len(results.judgements):
        yield TableBlock(BY_MEASURE.sheet(by_measure(results), results.captions["planted_by_measure"]))
        yield from folds(results)


def folds(results: PairResults) -> list[Fold]:
    """The scores of each benchmark in a picture, and every judgement; nothing where no score is judged."""
    if results.judgements.empty:
        return []
    caption = results.captions["planted_chart"]
    text = f"{caption} The numbers are in the table below."
    names = results.judgements["benchmark"].unique()
    pictures = ((name, picture) for name in names if (picture := judgements_chart(results, str(name))))
    drawn = chosen(
        "Benchmark", [Fold(name, (chart(f"{name}. {caption}", text, each),)) for name, each in pictures]
    )
    every = (Items(tuple(MEANINGS.values())), TableBlock(judgements(results)[1]))
    return [Fold("Scores by what was planted", drawn), Fold("Every judgement, and what each means", every)]


def counts(scores: pd.DataFrame, level: float) -> dict[str, int]:
    """How many of some judged scores are which. level: below which p_holm counts as clear."""
    wrong, with_bias = scores["judgement"] == FOOLED, scores["association"] != 0
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    which = {name: scores["judgement"] == name for name in (FOUND, RIGHT)} | {
        "lost": (scores["judgement"] == MISSED) | wrong & with_bias,
        "false": wrong & ~with_bias,
        "of_frequency": wrong & (scores["planted"] == FREQUENCY),
        "found_holm": holds & (scores["judgement"] == FOUND),
        "fooled_holm": holds & wrong,
    }
    return {name: int(each.sum()) for name, each in which.items()}


def by_measure(results: PairResults) -> pd.DataFrame:
    """How many scores of each measure are judged which, and of the exact model's; none of controls."""
    scores, exact = results.judgements, results.exact_judgements
    scores = scores[scores["judgement"] != CONTROL]
    rows = []
    for measure, of in scores.groupby("measure", sort=False, observed=True):
        of_exact = exact[exact["measure"] == measure]
        beside = counts(of_exact, results.level) if len(of_exact) else {}
        rows.append(
            {"title": title_of(str(measure)), **counts(of, results.level)}
            | {f"exact_{name}": float(beside.get(name, "nan")) for name in (FOUND, "lost", "false")}
        )
    return pd.DataFrame(rows)


def title(results: PairResults) -> str:
    """Which measures found what was planted and nothing else, and which word frequency fooled."""
    rows = by_measure(results)
    right = rows.loc[(rows["lost"] + rows["false"] == 0) & (rows["found"] + rows["right"] > 0), "title"]
    who = (
        f"only {listed(right)} {many(right, 'finds', 'find')}"
        if len(right) < len(rows)
        else "every measure finds"
    )
    first = (
        f"In a world of known biases, before correction, {who if len(right) else 'no measure finds'} all "
        "testable biases and no others"
    )
    fooled = rows.loc[rows["of_frequency"] > 0, "title"]
    return (
        f"{first}; {listed(fooled)} {many(fooled, 'takes', 'take')} frequency for bias"
        if len(fooled)
        else first
    )


def answers(results: PairResults) -> Iterator[tuple[str, str]]:
    """What was planted and found, whether measures or models err, and what remains after Holm's
    correction."""
    scores = results.judgements
    tested = scores[scores["judgement"].isin(TESTED)]
    kinds, models = tested.drop_duplicates(["benchmark", "bias_type"]), tested["model"].unique()
    with_bias = int((kinds["association"] != 0).sum())
    yield (
        "What is this?",
        f"A test: {listed(models, NAMED)} {many(models, 'was', 'were')} trained on a synthetic world. A "
        f"bias is planted in {with_bias} of {len(kinds)} groups of pairs; measures should find these alone.",
    )
    rows = by_measure(results)
    yield (
        "What was found?",
        "; ".join(
            f"{row['title']} found {row['found']} of {row['found'] + row['lost']}, and {row['false']} false"
            for row in rows.to_dict("records")
            if row["found"] + row["lost"] + row["false"] + row["right"]
        )
        + f". For {counted(int((scores['judgement'] == CANNOT_TELL).sum()), 'score')} it cannot be told.",
    )
    wrong = scores[(scores["judgement"] == FOOLED) & scores["exact"].notna()]
    if len(wrong):
        keys, exact = ["benchmark", "bias_type", "measure"], results.exact_judgements
        exact = exact[exact["judgement"] == FOOLED]
        pair = wrong.merge(exact[[*keys, "score"]], on=keys, suffixes=("", "_exact"))
        same_side = (pair["score"] > NO_PREFERENCE) == (pair["score_exact"] > NO_PREFERENCE)
        alike = len(pair[same_side].drop_duplicates([*keys, "model"]))
        yield (
            "Measure or model?",
            f"The exact model ({listed(results.study.of_source(ORACLE))}) has the true probabilities. It "
            f"errs likewise in {alike} of {counted(len(wrong), 'false or reversed score')}"
            f"{': there the measure errs, not the model' if alike else ''}."
            f"{' The others may be errors of the model, or chance.' if alike < len(wrong) else ''}",
        )
    found, fooled = (int(rows[name].sum()) for name in ("found", "fooled_holm"))
    alike_after = len(rows[["found_holm", "fooled_holm"]].drop_duplicates()) == 1 < len(rows)
    yield (
        "Does it hold?",
        f"These counts are before correction. After Holm's correction, {rows['found_holm'].sum()} of {found} "
        f"scores judged found and {fooled or 'none'} of {int((scores['judgement'] == FOOLED).sum())} false "
        f"or reversed ones remain{': then all measures have the same counts' if alike_after else ''}.",
    )


def judgements(results: PairResults) -> TableAndSheet:
    """Every judgement, one row a score, and the sheet with measures side by side."""
    rows = results.judgements
    titled = rows.assign(title=rows["measure"].map(title_of), strength=strengths(rows))
    return rows, JUDGED.captioned(titled, results.captions)


def strengths(rows: pd.DataFrame) -> list[str]:
    """What is planted in the pairs of each row of JUDGEMENTS, and how strongly, such as
    `frequency (ratio 1 to 8)`."""
    return [_strength(row) for row in rows_of(rows)]


def _strength(row: Any) -> str:
    parts = []
    if row.planted in (ASSOCIATION, BOTH):
        parts.append(f"p {_span(row.p_low, row.p_high)}")
    if row.planted in (FREQUENCY, BOTH):
        parts.append(f"ratio {_span(row.ratio_low, row.ratio_high)}")
    return f"{row.planted} ({', '.join(parts)})" if parts else str(row.planted)


def _span(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def judgements_chart(results: PairResults, benchmark: str | None = None) -> alt.FacetChart | None:
    """Bias scores by what was planted, coloured by judgement, before the score of the exact model; a panel
    for each measure, the headline first and controls last.

    benchmark: of which; by default the first. None where none of its scores is judged.
    """
    rows = results.judgements
    rows = rows[rows["score"].notna()]
    if rows.empty:
        return None
    rows = rows[rows["benchmark"] == (benchmark or rows["benchmark"].iloc[0])]
    rank = 2 * (rows["judgement"] == CONTROL) - (rows["measure"] == results.headline)
    rows = rows.assign(rank=rank).sort_values("rank", kind="stable")
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
    there = {*rows["judgement"], *TESTED}
    models = rows["model"].unique()
    of = f"in each row from above: {listed(models, NAMED)}" if len(models) > 1 else str(models[0])
    return forest(
        frame,
        Axis(None, line=NO_PREFERENCE, span=(0, 100), ticks=[0, 50, 100]),
        value="score",
        kinds=Kinds(
            "judgement",
            "judgement",
            _LOOKS,
            claimed=True,
            listed=[each for each in (*TESTED, CANNOT_TELL, CONTROL) if each in there],
        ),
        apart="model",
        broad=("words_low", "words_high"),
        beside=[Beside("exact", "tick", "exact")],
        grid=Grid(
            4,
            width=220,
            title="stereotype preferred, of 100 pairs",
            subtitle=[f"{of}; tick: exact model", "line: 50, no preference; band: word choice alone"],
        ),
    )
