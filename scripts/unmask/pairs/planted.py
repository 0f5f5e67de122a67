"""What measures found of what was planted in a world: the answer of a study of worlds, and a topic."""

from collections.abc import Iterator

import altair as alt
import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.charts import ON, TITLE
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CONTROL, FOOLED, FOUND, MISSED, RIGHT, TESTED
from unmask.report.declared_tables import Column, Table
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.panels import columns_of
from unmask.report.presenting import Topic
from unmask.report.sheets import counted, rows_of
from unmask.report.study import ORACLE
from unmask.report.wording import listed, many
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.sharing import TOLERANCE
from unmask.worlds.grammar import FREQUENCY

NAMED = 6
"""So many models are named above a chart."""

_LOOKS = (RIGHT, BY_WORDS, FOOLED, CANNOT_TELL, CONTROL, FOUND, MISSED)
"""Judgements in the order of colours and shapes, with the verdicts among which they stand: right looks like
no clear preference, fooled like a clear one."""

_TRAINED, _HOLM, _EXACT = "trained models", "after Holm's correction", "exact model"
_OF_EXACT = ["found", "lost", "false", "planted", "not_planted"]

BY_MEASURE = Table(
    "planted_by_measure",
    ["title"],
    [
        Column("found", "{found} of {planted}", _TRAINED),
        Column("reversed or missed", "{lost}", _TRAINED),
        Column("false", "{false} of {not_planted}", _TRAINED),
        Column("found", "{found_holm} of {planted}", _HOLM),
        Column("reversed or false", "{fooled_holm}", _HOLM),
        Column("found", "[{exact_found:.0f} of {exact_planted:.0f}]", _EXACT),
        Column("reversed or missed", "[{exact_lost:.0f}]", _EXACT),
        Column("false", "[{exact_false:.0f} of {exact_not_planted:.0f}]", _EXACT),
    ],
    heads={"title": "measure"},
)


def is_answer(results: PairResults) -> bool:
    """Whether what was planted is what the study is about: all its benchmarks are of worlds, and scores are
    judged."""
    of_worlds = all(benchmark.world is not None for benchmark in results.study.benchmarks)
    return of_worlds and bool(results.judgements["judgement"].isin(TESTED).any())


def counts(scores: pd.DataFrame, level: float) -> pd.DataFrame:
    """How many judged scores of each measure are which. level: below which p_holm counts as clear."""
    found, wrong = scores["judgement"] == FOUND, scores["judgement"] == FOOLED
    is_planted, is_tested = scores["association"] != 0, scores["judgement"].isin(TESTED)
    holds = scores["p_holm"].astype(float) < level - TOLERANCE
    which = {
        "planted": is_planted & is_tested,
        "not_planted": ~is_planted & is_tested,
        "found": found,
        "lost": is_planted & is_tested & ~found,
        "false": wrong & ~is_planted,
        "of_frequency": wrong & (scores["planted"] == FREQUENCY),
        "found_holm": holds & found,
        "fooled_holm": holds & wrong,
    }
    return pd.DataFrame(which).groupby(scores["measure"].astype(str), sort=False).sum()


def by_measure(results: PairResults) -> pd.DataFrame:
    """How many scores of each measure are judged which, and of the exact model's; none of controls."""
    scores, exact = results.judgements, counts(results.exact_judgements, results.level)[_OF_EXACT]
    rows = counts(scores[scores["judgement"] != CONTROL], results.level)
    return rows.join(exact.add_prefix("exact_")).assign(title=list(map(title_of, rows.index)))


def title(results: PairResults) -> str:
    """Which measures found what was planted and nothing else, and which word frequency fooled."""
    rows = by_measure(results)
    testable, wrong = rows["planted"] + rows["not_planted"], rows["lost"] + rows["false"]
    right = rows.loc[(testable > 0) & (wrong == 0), "title"]
    who = "no measure finds"
    if len(right):
        only = f"only {listed(right)} {many(right, 'finds', 'find')}"
        who = only if len(right) < len(rows) else "every measure finds"
    fooled = rows.loc[rows["of_frequency"] > 0, "title"]
    takes = f"; {listed(fooled)} {many(fooled, 'takes', 'take')} frequency for bias" if len(fooled) else ""
    return f"In a world of known biases, before correction, {who} all testable biases and no others{takes}"


def answers(results: PairResults) -> Iterator[tuple[str, str]]:
    """What was planted, whether measures or models err, and what remains after Holm's correction."""
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
    erring = rows.loc[rows["exact_lost"] + rows["exact_false"] > 0, "title"]
    if len(erring):
        yield (
            "Measure or model?",
            f"The exact model ({listed(results.study.of_source(ORACLE))}) has the true probabilities. By "
            f"{listed(erring)} some of its scores are wrong, too: there the measure errs, not the model.",
        )
    found, fooled = rows["found"].sum(), rows["fooled_holm"].sum()
    is_alike = len(rows) > 1 and len(rows.drop_duplicates(["found_holm", "fooled_holm"])) == 1
    untold = int((scores["judgement"] == CANNOT_TELL).sum())
    yield (
        "Does it hold?",
        f"These counts are before correction. After Holm's correction, {rows['found_holm'].sum()} of {found} "
        f"scores judged found and {fooled or 'none'} of {(scores['judgement'] == FOOLED).sum()} false "
        f"or reversed ones remain{', alike for all measures' if is_alike else ''}."
        + (f" {counted(untold, 'score')} more cannot be tested." if untold else ""),
    )


def judged_chart(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Bias scores by what was planted, coloured by judgement, before the score of the exact model; a panel
    for each measure, of several benchmarks for each of both, controls last. rows: JUDGEMENTS."""
    rows = rows[rows["score"].notna()].sort_values(
        "judgement", key=lambda names: names == CONTROL, kind="stable"
    )
    panel = rows["measure"].map(title_of)
    frame = columns_of(
        rows,
        *("model", "bias_type", "score", "low", "high", "exact", "verdict", "judgement"),
        panel=panel + ON + rows["benchmark"] if rows["benchmark"].nunique() > 1 else panel,
        name=[f"{row.planted} ({row.bias_type})" for row in rows_of(rows)],
        words_low="null_low",
        words_high="null_high",
        pairs="n",
    )
    there = {*rows["judgement"], *TESTED}
    judgements = [each for each in (*TESTED, CANNOT_TELL, CONTROL) if each in there]
    models = rows["model"].unique()
    of = f"in each row from above: {listed(models, NAMED)}" if len(models) > 1 else str(models[0])
    subtitle = [f"{of}; tick: exact model", "line: 50, no preference; band: word choice alone"]
    return forest(
        frame,
        Axis(None, line=NO_PREFERENCE, span=(0, 100), ticks=[0, 50, 100]),
        value="score",
        kinds=Kinds("judgement", "judgement", _LOOKS, claimed=True, listed=judgements),
        apart="model",
        broad=("words_low", "words_high"),
        beside=[Beside("exact", "tick", "exact")],
        grid=Grid(4, width=220, between=ON, title=TITLE, subtitle=subtitle),
    )


PLANTED = Topic[PairResults](
    "planted",
    "What was planted, and found",
    lambda results: results.judgements,
    chart=judged_chart,
    each=("benchmark",),
)
