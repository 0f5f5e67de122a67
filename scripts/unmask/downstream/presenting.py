"""What a study shows of downstream tasks: tables, charts, sentences, and the section of the report."""

from collections.abc import Iterator
from typing import Any

import altair as alt
import pandas as pd

from unmask.downstream.correlation import main_metrics
from unmask.downstream.results import DownstreamResults
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE, LEAST_SEEN
from unmask.measures.formulas import title_of
from unmask.report.forms import Axis, Beside, Grid, Kinds, changes_chart, forest, scatter
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.study_results import DOUBT
from unmask.report.tables import Column, Sheet, Table, columns_of, in_order, records, rows_of, with_marks
from unmask.report.wording import DAGGER, counted, listed, many, number, span
from unmask.statistics.comparisons import without_controls
from unmask.statistics.schema import NO_PREFERENCE
from unmask.terms import CORRECTED, PUBLISHED

PAPER = "Kaneko et al. (2022)"

MUCH = 0.1
"""A share of sentences labelled other than neutral that is pointed out."""

MOST_CURVES = 7
"""Curves of a panel; where there would be more, every family of models has a panel."""

EXTRINSIC = "extrinsic bias"

LARGER = "↑"
"""The mark of a tau that is larger after fine-tuning."""

PRINTED = "printed"

NAMES = {
    "tpr_gap": "mean |TPR gap|",
    "delta": "mean |Δ|",
    "fn_gap": "difference in FN, women and men",
}
"""What the main metrics are called."""

TABLE1 = Table(
    "table1",
    ["task", "protocol"],
    [
        Column("feminine", "{feminine:.0f}[{feminine_doubt}]"),
        Column("masculine", "{masculine:.0f}[{masculine_doubt}]"),
        Column("ILPS", "{ilps:.2f}[{ilps_doubt}]"),
        Column("interval", "{low:.2f} to {high:.2f}"),
        Column("examples", "{n:.0f}"),
    ],
)
KEYS = ["task", "benchmark", "pairs", "measure", "protocol"]
TABLE2 = Table(
    "table2",
    KEYS,
    [Column("N", "{n:.0f}")]
    + [
        column
        for when in (BEFORE, AFTER)
        for column in (
            Column("tau", f"{{tau_{when}:.2f}}{{mark_{when}}}", when),
            Column("p", f"{{p_{when}:p}}", when),
            Column("p by families", f"{{p_families_{when}:p}}", when),
            Column("models", f"{{models_{when}:.0f}}", when),
        )
    ]
    + [Column(when, f"{{printed_{when}:.2f}}{{printed_mark_{when}}}", PRINTED) for when in (BEFORE, AFTER)]
    + [Column("what is missing, and why", "{missing}")],
)
OVERVIEW = Table(
    "overview",
    ["task", "model"],
    [
        Column("accuracy", "{right:.3f}[ ({right_low:.3f} to {right_high:.3f})]"),
        Column("bias as", "{name}"),
        Column("bias", "{value:.3f}{mark}"),
        Column("interval", "{low:.3f} to {high:.3f}"),
        Column("by chance", "{null_mean:.3f} (<{null_low:.3f} to {null_high:.3f}>)"),
        Column("change", "{change:+.3f}[ ({change_low:+.3f} to {change_high:+.3f})]{change_mark}"),
        Column("truth", "{truth:.3f}"),
        Column("runs", "{runs}"),
    ],
)


def table1_sheet(results: DownstreamResults, rows: pd.DataFrame) -> Sheet:
    """Feminine and masculine words in what models are fine-tuned on (rows), and the printed ones."""
    quantities = ("feminine", "masculine", "ilps")
    published = results.published[results.published["quantity"].isin(quantities)]
    lines = [rows]
    for task in rows["task"].unique():
        printed = published[published["task"] == results.printed_name(task, 1)].set_index("quantity")
        if len(printed):
            doubts = printed["doubtful"].map({True: DOUBT}).add_suffix("_doubt")
            line = {"task": task, "protocol": PRINTED, **printed["value"], **doubts}
            lines.append(pd.DataFrame([line]))
    frame = pd.concat(lines).reindex(columns=[*rows.columns, *(f"{each}_doubt" for each in quantities)])
    return TABLE1.captioned(in_order(frame, task=results.tasks), results.captions)


def table2_sheet(results: DownstreamResults, rows: pd.DataFrame) -> Sheet:
    """Kendall's tau of intrinsic and extrinsic bias (rows: CORRELATIONS).

    The sheet has what has a tau, here or in print. The paper's scores are over all test instances, so its
    taus stand beside those of all pairs, of the benchmark that they are of, and in rows without one where
    that is not known.
    """
    printed = printed_taus(results.published)
    lines: list[dict[str, Any]] = []
    for keys, part in rows.groupby(KEYS, sort=False):
        task, benchmark, pairs, measure, protocol = map(str, keys)
        of_paper = protocol == PUBLISHED and pairs == ALL_PAIRS and benchmark in results.known_as
        which = (results.printed_name(task, 2), measure, results.known_as.get(benchmark))
        in_print = printed.get(which, {}) if of_paper else {}
        reasons = dict.fromkeys(part["reason"].dropna())
        if part["tau"].isna().all() and not in_print:
            continue
        line: dict[str, Any] = dict(zip(KEYS, keys, strict=True)) | {"measure": title_of(measure)}
        line |= {"n": part["n"].min(), "missing": "; ".join(reasons) or None, **in_print}
        by_when = {row.when: row for row in rows_of(part)}
        for when, row in by_when.items():
            line |= {f"{each}_{when}": getattr(row, each) for each in ("tau", "p", "p_families", "models")}
            line[f"mark_{when}"] = DAGGER if not pd.isna(row.p) and row.p < results.alpha else ""
        if len(by_when) == 2:
            before, after = by_when[BEFORE], by_when[AFTER]
            # as the paper marks it: with its sign, and as it is printed
            if after.models == before.models and round(after.tau, 2) > round(before.tau, 2):
                line[f"mark_{AFTER}"] += f" {LARGER}"
        lines.append(line)
    for task in results.tasks:
        for measure in results.measures:
            if in_print := printed.get((results.printed_name(task, 2), measure, None), {}):
                line = {"task": task, "pairs": ALL_PAIRS, "measure": title_of(measure), "protocol": PUBLISHED}
                missing = "of which benchmark the printed ones are is not known"
                lines.append({**line, **in_print, "missing": missing})
    return TABLE2.captioned(pd.DataFrame(lines, columns=sorted(TABLE2.needs())), results.captions)


def printed_taus(published: pd.DataFrame) -> dict[tuple[str | None, str, str | None], dict[str, Any]]:
    """The paper's Table 2 by task, measure and benchmark (None where it is not known), as columns of
    TABLE2."""
    printed: dict[tuple[str | None, str, str | None], dict[str, Any]] = {}
    for row in rows_of(published[published["quantity"] == "tau"]):
        mark = (DAGGER if row.dagger else "") + (f" {LARGER}" if row.larger else "")
        cells = printed.setdefault(
            (row.task, row.measure, None if pd.isna(row.benchmark) else row.benchmark), {}
        )
        cells |= {f"printed_{row.when}": row.value, f"printed_mark_{row.when}": mark}
    return printed


def values(results: DownstreamResults) -> pd.DataFrame:
    """All metrics of every model and task, and the gap of every occupation: means over the runs."""
    rows = results.scores
    return rows[rows["seed"].isna()].drop(columns="seed").rename(columns={"group": "occupation"})


def overview_sheet(results: DownstreamResults, rows: pd.DataFrame) -> Sheet:
    """Those with accuracies, and with changes by debiasing."""
    rows = with_marks(results.main, results.alpha).assign(name=results.main["metric"].map(NAMES))
    keys, changed = ["task", "model"], with_marks(results.changes, results.alpha)
    for name, of in (("right", results.metric("accuracy")), ("change", changed)):
        cells = of.reindex(columns=[*keys, "value", "low", "high", "mark"]).set_index(keys)
        columns = {"value": name, **{each: f"{name}_{each}" for each in ("low", "high", "mark")}}
        rows = rows.join(cells.rename(columns=columns), on=keys)
    return OVERVIEW.captioned(rows, results.captions)


def extrinsic_chart(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias with what chance gives: a panel a task, models down the rows."""
    frame = columns_of(
        results.main,
        *("model", "low", "high", "truth"),
        panel=_panels(results, results.main),
        bias="value",
        chance_low="null_low",
        chance_high="null_high",
    )
    return forest(
        frame,
        Axis(EXTRINSIC, line=0, independent=True),
        name="model",
        value="bias",
        broad=("chance_low", "chance_high"),
        beside=[Beside("truth", "tick", "truth")],
        names=results.models,
        grid=Grid(between=": "),
    )


def _panels(results: DownstreamResults, rows: pd.DataFrame) -> "pd.Series[str]":
    """The task of each row with the name of its main metric."""
    metrics = results.main.drop_duplicates("task").set_index("task")["metric"]
    return rows["task"] + ": " + rows["task"].map(metrics).map(NAMES)


def changed_chart(results: DownstreamResults) -> alt.FacetChart | None:
    """What debiasing changes of the bias in every task; origins down, methods by colour and shape."""
    frame = columns_of(
        results.changes,
        *("model", "low", "high", "p_holm", "before", "after"),
        panel=_panels(results, results.changes),
        row="origin",
        kind="method",
    )
    return changes_chart(frame, Axis(EXTRINSIC, line=0, independent=True))


def against_chart(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias against the bias score before it, a point a model, a panel a task and score."""
    scores = results.that_count(results.intrinsic)
    rows = results.main.merge(scores, on="model", suffixes=("_bias", ""))
    rows = in_order(rows, task=results.tasks, benchmark=results.benchmarks, measure=results.measures)
    panel = rows["task"] + ": " + rows["measure"].map(title_of) + " on " + rows["benchmark"]
    frame = columns_of(
        rows,
        *("task", "model", "score", "low", "high"),
        panel=panel,
        debiased=rows["model"].map(results.methods).replace("", "none"),
        bias="value",
        bias_low="low_bias",
        bias_high="high_bias",
    )
    frame = frame[panel.groupby(panel).transform("size") >= LEAST_SEEN]
    return scatter(
        frame,
        Axis("stereotype preferred, of 100 pairs", line=NO_PREFERENCE),
        Axis(EXTRINSIC, zero=True),
        across="score",
        up="bias",
        across_interval=("low", "high"),
        up_interval=("bias_low", "bias_high"),
        kinds=Kinds("debiased", "debiased by") if any(results.methods.values()) else None,
        grid=Grid(between=": "),
    )


def steps_chart(results: DownstreamResults) -> alt.FacetChart | None:
    """Extrinsic bias by steps of fine-tuning, a panel a task: a line a model with its interval. None where no
    run has predictions between its first and its last step."""
    rows = main_metrics(results.every_step)
    rows = rows[rows.groupby(["task", "model"])["step"].transform("nunique") > 1]
    if rows.empty:
        return None
    by_family = rows.groupby("task")["model"].nunique().max() > MOST_CURVES
    panel, kind = rows["task"] + ": " + rows["metric"].map(NAMES), rows["model"]
    if by_family:
        panel += ", " + rows["model"].map({model.name: model.family for model in results.roles})
        kind = rows["model"].map(results.methods).replace("", "as it was")
    frame = columns_of(rows, "task", "model", "step", "low", "high", panel=panel, kind=kind, bias="value")
    return scatter(
        frame,
        Axis("steps of fine-tuning", independent=True),
        Axis(EXTRINSIC, zero=True),
        across="step",
        up="bias",
        joined=True,
        kinds=Kinds("kind", "debiased by" if by_family else "model"),
        each="model",
        grid=Grid(between=": "),
    )


def says(results: DownstreamResults) -> Iterator[str]:
    """How many models have more extrinsic bias than by chance; what a difference of genders does not see, and
    what one run does not."""
    if len(results.main):
        yield clear(results.main, "values of extrinsic bias", results.alpha)
    rows = results.metric("not_neutral")
    bias = results.main.set_index(["task", "model"])["value"]
    bias = bias.reindex(pd.MultiIndex.from_frame(rows[["task", "model"]])).fillna(0.0)
    # were all of it one gender's, it would be half of the difference
    hidden = rows[rows["value"] > bias.clip(lower=MUCH).to_numpy()]
    for task, of_task in hidden.groupby("task", sort=False):
        (worst,) = records(of_task.nlargest(1, "value"))
        yield (
            f"On {task}, {counted(len(of_task), 'model')} often {many(of_task, 'mislabels', 'mislabel')} "
            f"neutral sentences for both genders ({100 * worst['value']:.0f}% by {worst['model']}), which a "
            "difference between the genders does not see."
        )
    if results.run_once:
        once = f"Models were fine-tuned once on {listed(results.run_once)}"
        yield f"{once}, so intervals and tests there say nothing of other seeds."


def says_of_changes(results: DownstreamResults) -> Iterator[str]:
    """How many changes by debiasing are clear; by method, what it leaves of both kinds of bias."""
    if len(results.changes):
        yield clear(results.changes, "changes of extrinsic bias by debiasing", results.alpha)
    scores = without_controls(results.changes_of_scores)
    for method, rows in results.changes.groupby("method", sort=False):
        of_method = scores[scores["model"].isin(rows["model"])]
        if of_method.empty:
            continue
        unsure = ", on too few different words for a test" if of_method["untestable"].all() else ""
        distance = (of_method[["before", "after"]] - NO_PREFERENCE).abs().mean()
        means = rows.groupby("task", sort=False)[["before", "after"]].mean()
        tasks = [
            f"{number(after, 3)} instead of {number(before, 3)} on {task}"
            for task, before, after in means.itertuples()
        ]
        yield (
            f"After {method}, bias scores are {distance['after']:.1f} instead of {distance['before']:.1f} "
            f"points from 50 on average{unsure}; extrinsic bias is {listed(tasks)}."
        )


def says_of_tau(results: DownstreamResults) -> Iterator[str]:
    """Before and after fine-tuning: the span of tau over the pairs that count, and how often it differs from
    0; or why there is none."""
    taus = results.that_count(results.correlations)
    taus = taus[taus["protocol"] == CORRECTED]
    known = taus[taus["tau"].notna()]
    if known.empty:
        for reason in taus["reason"].dropna().iloc[:1]:
            yield f"Whether models with more intrinsic bias have more extrinsic bias is not known: {reason}."
    for when, rows in known.groupby("when", sort=False):
        reach = span(rows["tau"].min(), rows["tau"].max())
        own, families = (rows[name].dropna() < results.alpha for name in ("p", "p_families"))
        of_families = f", and in {families.sum()} of {len(families)} where families are permuted"
        yield (
            f"Kendall's tau of bias scores {when} fine-tuning with extrinsic bias is {reach}; p < "
            f"{results.alpha:g} in {own.sum()} of {len(own)} by tau's own test"
            f"{of_families if len(families) else ''}."
        )


TOPIC = Topic[DownstreamResults](
    "downstream",
    "Extrinsic bias",
    draws=extrinsic_chart,
    says=says,
    file="extrinsic",
    more=(
        Topic(
            "overview",
            "Accuracy and extrinsic bias, in numbers",
            lambda results: results.main,
            overview_sheet,
        ),
        Topic("changes", "What debiasing changes", draws=changed_chart, says=says_of_changes),
        Topic("against", "Intrinsic against extrinsic bias", draws=against_chart),
        Topic(
            "table2",
            f"{PAPER}, Table 2: intrinsic against extrinsic bias",
            lambda results: results.correlations,
            table2_sheet,
            says=says_of_tau,
        ),
        Topic("steps", "Extrinsic bias by steps of fine-tuning", draws=steps_chart),
        Topic(
            "table1",
            f"{PAPER}, Table 1: gendered words in the data",
            lambda results: results.words,
            table1_sheet,
        ),
    ),
)

PRESENTS = Presentation(DownstreamResults, [TOPIC], {"values": values})
