"""The tables of downstream tasks as they are shown."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from unmask.downstream.results import (
    FEMININE,
    ILPS,
    MASCULINE,
    DownstreamResults,
    printed_taus,
    printed_words,
)
from unmask.downstream.schema import CORRELATIONS
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE, CHANGE, GAP, fine_tuned
from unmask.measures.registry import title_of
from unmask.report.changes import COLUMNS as CHANGED
from unmask.report.changes import as_cells
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.published import DOUBT
from unmask.report.sheets import DAGGER, Sheet, rows_of
from unmask.report.table_files import TableAndSheet
from unmask.statistics.changes import CENTRE, with_margins
from unmask.terms import CORRECTED, PUBLISHED

LARGER = "↑"
"""The mark of a tau that is larger after fine-tuning."""

PRINTED = "printed"

DECIMALS = 3

NAMES = {
    "tpr_gap": "mean |TPR gap|",
    "tpr_gap_rms": "root mean square of the TPR gap",
    "tpr_gap_signed": "mean TPR gap (women less men)",
    "tpr_gap_correlation": "r of the TPR gap with % women",
    "delta": "mean |Δ|",
    "delta_signed": "|mean Δ|",
    "delta_occupation": "mean of occupations' |Δ|",
    "delta_correlation": "r of Δ (men less women) with % women",
    "fn_gap": "difference in FN, women and men",
    "nn_gap": "difference in NN, women and men",
    "not_neutral": "share not told neutral, 1 - FN",
    "accuracy": "accuracy",
    "accuracy_female": "accuracy, women",
    "accuracy_male": "accuracy, men",
    **{
        f"{rate}_{gender}": f"{symbol}, {people}"
        for rate, symbol in (("fn", "FN"), ("nn", "NN"), ("t5", "T.5"), ("t7", "T.7"))
        for gender, people in (("female", "women"), ("male", "men"))
    },
    CHANGE: "bias less that of the model before",
}
"""What metrics are called."""


TABLE1 = Table(
    "table1",
    ["task", "reading"],
    [
        Column("feminine", "{feminine:.0f}[{feminine_doubt}]", "Number of feminine words."),
        Column("masculine", "{masculine:.0f}[{masculine_doubt}]", "Number of masculine words."),
        Column(
            "ILPS", "{ilps:.2f}[{ilps_doubt}]", "Natural logarithm of the feminine over the masculine share."
        ),
        Column("interval", "{low:.2f} to {high:.2f}", "Interval of ILPS over examples."),
        Column("p", "{p:p}", "Two-sided p of an ILPS other than 0."),
        Column("examples", "{n:.0f}", "Number of examples."),
    ],
)
KEYS = ["task", "benchmark", "pairs", "measure", "reading"]
TABLE2 = Table(
    "table2",
    KEYS,
    [Column("N", "{n:.0f}", "Number of pairs that the bias score counts; the fewest of any model.")]
    + [
        column
        for when in (BEFORE, AFTER)
        for column in (
            Column("tau", f"{{tau_{when}:.2f}}{{mark_{when}}}", "Kendall's tau over models.", when),
            Column("p", f"{{p_{when}:p}}", "p of tau's own test.", when),
            Column("p by families", f"{{p_families_{when}:p}}", "Share of exchanges of families.", when),
            Column("models", f"{{models_{when}:.0f}}", "Number of models.", when),
        )
    ]
    + [
        Column(when, f"{{printed_{when}:.2f}}{{printed_mark_{when}}}", "The paper's tau.", PRINTED)
        for when in (BEFORE, AFTER)
    ]
    + [Column("what is missing, and why", "{missing}", "Why there is no tau.")],
)
TRUTH = Column("truth", "{truth:.3f}", "Of a synthetic task, what a model that has learnt it gives.")
RUNS = Column("runs", "{runs}", "How often the model was fine-tuned.")
TABLE3 = Table(
    "table3",
    ["task", "model", "name"],
    [
        Column("value", "{value:.{digits}f}", "Mean over the runs; of a bias score percent."),
        Column("interval", "{low:.3f} to {high:.3f}", "Its interval over what repeats in the task."),
        Column(
            "by chance",
            "{null_low:.3f} to {null_high:.3f}",
            "The band of the null distribution, genders permuted.",
        ),
        Column("p", "{p:p}", "p of at least as much by chance."),
        TRUTH,
        Column("N", "{n:.0f}", "Number of items, or of pairs that a bias score counts."),
        RUNS,
    ],
    heads={"name": "metric"},
)
OVERVIEW = Table(
    "overview",
    ["task", "model"],
    [
        Column(
            "accuracy", "{right:.3f}[ ({right_low:.3f} to {right_high:.3f})]", "Share right, or Pearson's r."
        ),
        Column("bias as", "{name}", "The metric of bias."),
        Column("bias", "{value:.3f}{mark}", "Bias in use, mean over the runs."),
        Column("interval", "{low:.3f} to {high:.3f}", "Its interval over what repeats in the task."),
        Column(
            "by chance",
            "{null_mean:.3f} (<{null_low:.3f} to {null_high:.3f}>)",
            "Bias by chance, with its band.",
        ),
        Column(
            "change",
            "{change:+.3f}[ ({change_low:+.3f} to {change_high:+.3f})]{change_mark}",
            "Bias less that of the model that this one was made from.",
        ),
        TRUTH,
        RUNS,
    ],
)
CHANGES = Table(
    "changes",
    ["model", "origin", "score"],
    [
        *CHANGED,
        Column("further from 50 by", "{further:+.1f}", "How much more bias the score sees, in points."),
        Column("typical margin before", "{typical_before:.3f}", "Median of |margin| over pairs, before."),
        Column("typical margin after", "{typical_after:.3f}", "Median of |margin| over pairs, after."),
    ],
    heads={"origin": "made from"},
)


def table1(results: DownstreamResults) -> TableAndSheet:
    """Feminine and masculine words in what models are fine-tuned on."""
    rows = results.words
    printed = []
    for task in rows["task"].unique():
        name, _ = results.printed_names(task)
        if values := printed_words(results.published, name):
            line = {key: row.value for key, row in values.items()}
            doubts = {f"{key}_doubt": DOUBT for key, row in values.items() if row.doubtful}
            printed.append({"task": task, "reading": PRINTED, **line, **doubts})
    columns = [*rows.columns, *(f"{key}_doubt" for key in (FEMININE, MASCULINE, ILPS))]
    lines = pd.concat([rows, pd.DataFrame(printed)]).reindex(columns=columns)
    return rows, TABLE1.captioned(in_order(lines, task=results.tasks), results.captions)


def table2(results: DownstreamResults) -> TableAndSheet:
    """Kendall's tau of intrinsic bias with bias in use; a row has one reading, and scores of its protocol.

    The sheet has what has a tau, here or in print; of the rest it is said why there is none. Printed taus
    stand beside the benchmark that they are of, and in rows without one where that is not known. The paper's
    scores are over all test instances, so its taus stand beside those of all pairs.
    """
    rows = results.correlations
    if len(rows):
        rows = rows[CORRELATIONS.names]
    taus = printed_taus(results.published)
    lines: list[dict[str, Any]] = []
    without: dict[str, None] = {}
    of_protocol = rows[rows["protocol"] == rows["reading"]]
    for (task, benchmark, pairs, measure, reading), part in of_protocol.groupby(KEYS, sort=False):
        by_when = {row.when: row for row in rows_of(part)}
        name = results.printed_names(str(task))[1]
        printed_as = results.printed_benchmark(str(benchmark))
        in_print = {
            when: None
            if reading == CORRECTED or pairs != ALL_PAIRS or printed_as is None
            else taus.get((name, str(measure), when, printed_as))
            for when in (BEFORE, AFTER)
        }
        reasons = dict.fromkeys(str(row.reason) for row in by_when.values() if not pd.isna(row.reason))
        if all(pd.isna(row.tau) for row in by_when.values()) and not any(in_print.values()):
            without |= reasons
            continue
        line: dict[str, Any] = {"task": task, "benchmark": benchmark, "measure": title_of(str(measure))}
        line |= {"pairs": pairs, "reading": reading, "n": min(row.n for row in by_when.values())}
        for when, row in by_when.items():
            line |= {f"{key}_{when}": getattr(row, key) for key in ("tau", "p", "p_families", "models")}
            line[f"mark_{when}"] = DAGGER if not pd.isna(row.p) and row.p < results.alpha else ""
        if AFTER in by_when and is_larger(by_when[AFTER], by_when.get(BEFORE)):
            line[f"mark_{AFTER}"] += f" {LARGER}"
        lines.append({**line, **_printed_taus(in_print), "missing": "; ".join(reasons) or None})
    lines += _of_no_known_benchmark(results)
    caption = results.captions["table2"]
    if not lines:
        reason = f"No tau is told: {'; '.join(without)}." if without else results.captions["empty"]
        return rows, Sheet(f"{caption} {reason}", TABLE2.stubs, (), ())
    return rows, TABLE2.sheet(pd.DataFrame(lines, columns=sorted(TABLE2.needs())), caption)


def _printed_taus(printed: dict[str, Any]) -> dict[str, Any]:
    """What the paper prints, by when, as columns of TABLE2."""
    cells: dict[str, Any] = {}
    for when, row in printed.items():
        if row is not None:
            mark = (DAGGER if row.dagger else "") + (f" {LARGER}" if row.larger else "")
            cells |= {f"printed_{when}": row.value, f"printed_mark_{when}": mark}
    return cells


def _of_no_known_benchmark(results: DownstreamResults) -> Iterator[dict[str, Any]]:
    """The printed taus of the study's tasks and measures whose benchmark is not known."""
    taus = printed_taus(results.published)
    for task in results.tasks:
        for measure in results.measures:
            name = results.printed_names(task)[1]
            printed = {when: taus.get((name, measure, when, None)) for when in (BEFORE, AFTER)}
            if any(printed.values()):
                yield {
                    "task": task,
                    "pairs": ALL_PAIRS,
                    "measure": title_of(measure),
                    "reading": PUBLISHED,
                    **_printed_taus(printed),
                    "missing": "of which benchmark the printed ones are is not known",
                }


def is_larger(after: Any, before: Any) -> bool:
    """Whether tau is larger after fine-tuning, as the paper marks it: with its sign, and as it is printed."""
    if before is None or pd.isna(after.tau) or pd.isna(before.tau) or after.models != before.models:
        return False
    return round(float(after.tau), 2) > round(float(before.tau), 2)


def table3(results: DownstreamResults) -> TableAndSheet:
    """All values of every model and task, and its bias scores before and after."""
    rows = _with_runs(results, _with_truth(results, results.scores.overall()))
    rows = rows.drop(columns=["seed", "group"])
    scores = _intrinsic(results)
    tidy = pd.concat([rows, scores], ignore_index=True) if len(scores) else rows
    lines = tidy.assign(
        name=tidy["metric"].replace(NAMES),
        # bias scores are in percent, and of no run
        digits=np.where(tidy["runs"].isna(), 1, DECIMALS),
    )
    lines = lines[lines["task"].isin(results.tasks) & lines["model"].isin(results.models)]
    lines = in_order(lines, task=results.tasks, model=results.models)
    return tidy, TABLE3.captioned(lines, results.captions)


def _with_runs(results: DownstreamResults, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with how often the model was fine-tuned on the task."""
    runs = [results.runs[row.task, row.model] for row in rows_of(rows)]
    return rows.assign(runs=pd.Series(runs, index=rows.index, dtype="Int64"))


def _with_truth(results: DownstreamResults, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with what a model that has learnt a synthetic task gives."""
    truth = [results.truth(row.task).get(row.metric) for row in rows_of(rows)]
    return rows.assign(truth=pd.Series(truth, index=rows.index, dtype=float))


def _intrinsic(results: DownstreamResults) -> pd.DataFrame:
    """Bias scores of each model before and after each task: task, model, metric (in words), value, and n, the
    number of pairs that count. Over all pairs, and over those of the bias type."""
    rows: list[tuple[str, str, str, float, int]] = []
    for task, model in results.scores.facts:
        for when, scores, name in (
            (BEFORE, results.scores_before, model),
            (AFTER, results.scores_after, fine_tuned(model, task)),
        ):
            of_model = scores[(scores["model"] == name) & (scores["protocol"] == CORRECTED)]
            rows += [
                (
                    task,
                    model,
                    f"{title_of(row.measure)} on {row.benchmark}, {row.pairs} pairs, {when}",
                    row.score,
                    row.n,
                )
                for row in rows_of(of_model)
            ]
    return pd.DataFrame(rows, columns=["task", "model", "metric", "value", "n"])


def overview(results: DownstreamResults) -> TableAndSheet:
    """Accuracy and bias of every model on every task, a row each."""
    scores, keys = results.scores.overall(), ["task", "model"]
    main = _with_runs(results, results.main)
    rows = _with_truth(results, with_marks(main, results.alpha))
    rows = rows.assign(name=rows["metric"].map(NAMES))
    changed = with_marks(results.changes_in_use, results.alpha)
    for name, values in (("right", scores[scores["metric"] == "accuracy"]), ("change", changed)):
        cells = values.reindex(columns=[*keys, "value", "low", "high", "mark"]).set_index(keys)
        columns = {"value": name, **{key: f"{name}_{key}" for key in ("low", "high", "mark")}}
        rows = rows.join(cells.rename(columns=columns), on=keys)
    return main, OVERVIEW.captioned(rows, results.captions)


def occupations(results: DownstreamResults) -> TableAndSheet:
    """The gap of every occupation, mean over the runs; too many for a page, so its sheet is empty."""
    rows = results.scores.of_last_step()
    rows = rows[rows["seed"].isna() & (rows["metric"] == GAP)]
    truths = {
        task: (results.facts_of(task).get("truth") or {}).get("groups") or {}
        for task in rows["task"].unique()
    }
    truth = [truths[row.task].get(row.group) for row in rows_of(rows)]
    tidy = rows.drop(columns=["seed", "metric"]).rename(columns={"group": "occupation"})
    tidy = tidy.assign(truth=pd.Series(truth, index=tidy.index, dtype=float))
    return tidy, Sheet("", (), (), ())


def changes(results: DownstreamResults) -> TableAndSheet:
    """What debiasing changes: bias scores, and bias in use."""
    changed = results.changes_of_scores
    rows = as_cells(with_margins(changed, results.margins)).assign(
        score=[f"{title_of(row.measure)} on {row.benchmark}" for row in rows_of(changed)],
        further=(changed["after"] - CENTRE).abs() - (changed["before"] - CENTRE).abs(),
    )
    return changed, CHANGES.captioned(rows, results.captions)


MAKERS: Mapping[str, Callable[[DownstreamResults], TableAndSheet]] = {
    "table1": table1,
    "table2": table2,
    "table3": table3,
    "overview": overview,
    "changes": changes,
    "occupations": occupations,
}
"""By name: what makes a table; `occupations` is written as CSV alone."""
