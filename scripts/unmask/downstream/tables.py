"""The tables of downstream tasks as they are shown."""

from typing import Any

import pandas as pd

from unmask.downstream.results import TAU, DownstreamResults
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE
from unmask.measures.formulas import title_of
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.published import DOUBT
from unmask.report.sheets import DAGGER, Sheet, rows_of
from unmask.terms import PUBLISHED

LARGER = "↑"
"""The mark of a tau that is larger after fine-tuning."""

PRINTED = "printed"

DECIMALS = 3

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
    for row in rows_of(published[published["quantity"] == TAU]):
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


def overview(results: DownstreamResults) -> pd.DataFrame:
    """The main metric of every model on every task, a row each."""
    return results.main.drop(columns="truth")


def overview_sheet(results: DownstreamResults, rows: pd.DataFrame) -> Sheet:
    """Those with accuracies, and with changes by debiasing."""
    rows = with_marks(results.main, results.alpha).assign(name=results.main["metric"].map(NAMES))
    keys, changed = ["task", "model"], with_marks(results.changes, results.alpha)
    for name, of in (("right", results.metric("accuracy")), ("change", changed)):
        cells = of.reindex(columns=[*keys, "value", "low", "high", "mark"]).set_index(keys)
        columns = {"value": name, **{each: f"{name}_{each}" for each in ("low", "high", "mark")}}
        rows = rows.join(cells.rename(columns=columns), on=keys)
    return OVERVIEW.captioned(rows, results.captions)
