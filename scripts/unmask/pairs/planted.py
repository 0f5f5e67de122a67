"""Did the measures find what was planted? Judgements as a table, a chart and sentences."""

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
from unmask.report.panels import Tips, columns_of, ends_of
from unmask.report.sections import BENCHMARK, Block, Fold, Items, Section, chosen, folded
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import TableAndSheet, counted, rows_of
from unmask.report.study import ORACLE
from unmask.report.wording import listed
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.sharing import TOLERANCE
from unmask.worlds.grammar import ASSOCIATION, BOTH, FREQUENCY

HEADING = "Did the measures find what was planted?"

INVENTED = (
    "This is a test: models learnt an invented world with known biases; measures should find these and no "
    "others. Counts are before correction for many tests."
)

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

_WITH, _WITHOUT, _HOLM = "with a planted bias", "without one", "after Holm's correction"

BY_MEASURE = Table(
    "planted_by_measure",
    ["title"],
    [
        Column("found", "{found}", "Scores that show the planted bias clearly.", _WITH),
        Column("reversed", "{reversed}", "Scores that clearly show the opposite.", _WITH),
        Column("missed", "{missed}", "Scores that show nothing clear.", _WITH),
        Column("right", "{right}", "Scores that show nothing clear.", _WITHOUT),
        Column("false", "{false}", "Scores that show a bias clearly.", _WITHOUT),
        Column("of frequency", "{of_frequency}", "False ones where only word frequency differs.", _WITHOUT),
        Column("cannot be told", "{cannot_tell}", "Scores that cannot be tested."),
        Column("found", "{found_holm}", "Found ones that remain.", _HOLM),
        Column("false or reversed", "{fooled_holm}", "Wrong ones that remain.", _HOLM),
    ],
    heads={"title": "measure"},
)
JUDGED = Table(
    "planted",
    ["benchmark", "bias_type", "strength", "model"],
    [
        Column(
            "",
            "{judgement}[: {score:.0f}][~ ({low:.0f} to {high:.0f})][; exact {exact:.0f}]",
            "The judgement on the model's bias score; the score in percent with its interval; that of the "
            "exact model in percent.",
        )
    ],
    across=["title"],
    heads={"bias_type": "bias type", "strength": "planted"},
)


def section(results: PairResults) -> Section:
    """Of a study whose benchmarks are all of worlds this is the answer, which the page's heading says."""
    said = tuple(says(results))
    is_answer = all(benchmark.world is not None for benchmark in results.study.benchmarks)
    blocks = tuple(_blocks(results)) if len(results.judgements) else ()
    sentences = (INVENTED, *said[1:]) if is_answer else said
    return Section(
        "planted",
        HEADING,
        sentences if blocks else (),
        blocks,
        title=said[0] if is_answer and said else "",
        closing=(INVENTED, *said[:2]) if blocks else (),
        label="What was planted",
        leads=is_answer,
    )


def _blocks(results: PairResults) -> Iterator[Block]:
    captions = results.captions
    yield TableBlock(BY_MEASURE.sheet(by_measure(results), captions["planted_by_measure"]))
    names = results.judgements["benchmark"].unique()
    pictures = ((name, picture) for name in names if (picture := judgements_chart(results, str(name))))
    caption = captions["planted_chart"]
    text = f"{caption} The numbers are in the table below."
    yield from chosen(
        BENCHMARK, (Fold(name, (chart(f"{name}. {caption}", text, drawn),)) for name, drawn in pictures)
    )
    yield Fold("What each judgement means", (Items(tuple(MEANINGS.values())),))
    yield from folded("Every judgement, in numbers", judgements(results)[1])


def counts(scores: pd.DataFrame, level: float) -> dict[str, int]:
    """How many of some judged scores are which. level: below which p_holm counts as clear."""
    wrong, with_bias = scores["judgement"] == FOOLED, scores["association"] != 0
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    which = {name: scores["judgement"] == name for name in (FOUND, MISSED, RIGHT)} | {
        "cannot_tell": scores["judgement"] == CANNOT_TELL,
        "reversed": wrong & with_bias,
        "false": wrong & ~with_bias,
        "of_frequency": wrong & (scores["planted"] == FREQUENCY),
        "found_holm": holds & (scores["judgement"] == FOUND),
        "fooled_holm": holds & wrong,
    }
    return {name: int(each.sum()) for name, each in which.items()}


def by_measure(results: PairResults) -> pd.DataFrame:
    """How many scores of each measure are judged which; none of controls."""
    scores = results.judgements[results.judgements["judgement"] != CONTROL]
    return pd.DataFrame(
        [
            {"title": title_of(str(measure)), **counts(rows, results.level)}
            for measure, rows in scores.groupby("measure", sort=False, observed=True)
        ]
    )


def says(results: PairResults) -> Iterator[str]:
    """What the headline measure found, and whether the exact model errs where measures do."""
    scores = results.judgements
    of_headline = scores[scores["measure"] == results.headline]
    if of_headline.empty:
        return
    count, title = counts(of_headline, results.level), title_of(results.headline)
    with_bias = count["found"] + count["reversed"] + count["missed"]
    without = count["right"] + count["false"]
    parts = []
    if with_bias:
        errors = [f"{name} it in {count[name]}" for name in ("reversed", "missed") if count[name]]
        parts.append(
            ", ".join(
                [f"found the planted bias in {count['found']} of {counted(with_bias, 'score')}", *errors]
            )
        )
    if without:
        parts.append(f"saw a bias in {count['false']} of {counted(without, 'score')} without one")
    untested = f"None of {counted(len(of_headline), 'score')} of trained models by {title} can be tested."
    yield f"{title} {', and '.join(parts)}." if parts else untested
    wrong = scores[(scores["judgement"] == FOOLED) & scores["exact"].notna()]
    if len(wrong):
        off = (wrong["exact"] - NO_PREFERENCE).where(lambda each: each.abs() > 100 * TOLERANCE, 0.0)
        alike = int((off * (wrong["score"] - NO_PREFERENCE) > 0).sum())
        yield (
            f"In {alike} of {counted(len(wrong), 'false or reversed score')}, the exact model "
            f"({listed(results.study.of_source(ORACLE))}), which knows the true probabilities, errs likewise"
            f"{': there the measure errs, not the model' if alike else ''}."
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
        _TIPS,
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
