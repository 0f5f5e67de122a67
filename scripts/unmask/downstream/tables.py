"""The tables of downstream tasks as they are shown."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.downstream.published import FEMININE, ILPS, MASCULINE, printed_taus, printed_words
from unmask.downstream.results import Found
from unmask.downstream.schema import CORRELATIONS
from unmask.downstream.terms import AFTER, BEFORE, CHANGE, GAP, fine_tuned
from unmask.measures.registry import title_of
from unmask.report.captions import Captions
from unmask.report.published import printed_number
from unmask.report.sheets import DAGGER, DASH, UNTESTABLE, Sheet, interval, mark, number, p_value, rows_of
from unmask.report.table_files import Made
from unmask.statistics.changes import CENTRE
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
    "fn_gap": "|FN of women less of men|",
    "nn_gap": "|NN of women less of men|",
    "not_neutral": "share not told neutral, 1 - FN",
    "accuracy": "accuracy",
    "accuracy_female": "accuracy, women",
    "accuracy_male": "accuracy, men",
    **{
        f"{rate}_{gender}": f"{shown}, {people}"
        for rate, shown in (("fn", "FN"), ("nn", "NN"), ("t5", "T.5"), ("t7", "T.7"))
        for gender, people in (("female", "women"), ("male", "men"))
    },
    CHANGE: "bias less that of the model before",
}
"""What metrics are called."""


def table1(found: Found) -> Made:
    """Feminine and masculine words in what models are fine-tuned on."""
    rows = found.words
    lines: list[tuple[str, ...]] = []
    for task in found.tasks:
        own = rows[rows["task"] == task]
        lines += [
            (
                task,
                row.reading,
                str(row.feminine),
                str(row.masculine),
                number(row.ilps),
                interval(row.low, row.high, 2),
                p_value(row.p),
                str(row.n),
            )
            for row in rows_of(own)
        ]
        name, _ = found.printed_names(task)
        printed = printed_words(found.published, name)
        if printed and len(own):
            decimals = {FEMININE: 0, MASCULINE: 0, ILPS: 2}
            cells = [printed_number(printed.get(quantity), places) for quantity, places in decimals.items()]
            lines.append((task, PRINTED, *cells, DASH, DASH, DASH))
    heads = ("feminine", "masculine", "ILPS", "interval", "p", "examples")
    return rows, _sheet(found.captions, "table1", ("task", "reading"), heads, lines)


def table2(found: Found) -> Made:
    """Kendall's tau of intrinsic bias with bias in use; a row has one reading, and scores of its protocol.

    The sheet has what has a tau, here or in print; of the rest it is said why there is none. Printed taus
    stand beside the benchmark that they are of, and in rows without one where that is not known.
    """
    rows = found.correlations
    if len(rows):
        rows = rows[CORRELATIONS.names]
    keys = ["task", "benchmark", "measure", "reading"]
    printed = printed_taus(found.published)
    lines: list[tuple[str, ...]] = []
    without: dict[str, None] = {}
    shown = rows[rows["protocol"] == rows["reading"]]
    for (task, benchmark, measure, reading), part in shown.groupby(keys, sort=False):
        own = {row.when: row for row in rows_of(part)}
        cells: list[str] = []
        for when in (BEFORE, AFTER):
            cells += _tau_cells(own.get(when), own.get(BEFORE) if when == AFTER else None, found.alpha)
        name = found.printed_names(str(task))[1]
        named = found.printed_benchmark(str(benchmark))
        in_print = [
            None if reading == CORRECTED or named is None else printed.get((name, str(measure), when, named))
            for when in (BEFORE, AFTER)
        ]
        reasons = dict.fromkeys(str(row.reason) for row in own.values() if not pd.isna(row.reason))
        if all(pd.isna(row.tau) for row in own.values()) and in_print == [None, None]:
            without |= reasons
            continue
        cells += [*map(_printed_tau, in_print), "; ".join(reasons) or DASH]
        lines.append((str(task), str(benchmark), title_of(str(measure)), str(reading), *cells))
    lines += _of_no_known_benchmark(found)
    labels = ("tau", "p", "p by families", "models")
    heads = [(when, label) for when in (BEFORE, AFTER) for label in labels]
    heads += [(PRINTED, BEFORE), (PRINTED, AFTER), ("", "what is missing, and why")]
    caption = found.captions["table2"]
    if not lines:
        reason = f"No tau is told: {'; '.join(without)}." if without else found.captions["empty"]
        return rows, Sheet(f"{caption} {reason}", tuple(keys), (), ())
    return rows, Sheet(caption, tuple(keys), tuple(heads), tuple(lines))


def _printed_tau(printed: Any) -> str:
    if printed is None:
        return DASH
    marks = (DAGGER if printed.dagger else "") + (f" {LARGER}" if printed.larger else "")
    return number(printed.value) + marks


def _of_no_known_benchmark(found: Found) -> Iterator[tuple[str, ...]]:
    """The printed taus of the study's tasks and measures whose benchmark is not known."""
    taus = printed_taus(found.published)
    for task in found.tasks:
        for measure in found.measures:
            name = found.printed_names(task)[1]
            printed = [taus.get((name, measure, when, None)) for when in (BEFORE, AFTER)]
            if printed != [None, None]:
                why = "of which benchmark the printed ones are is not known"
                cells = (*[DASH] * 8, *map(_printed_tau, printed), why)
                yield (task, DASH, title_of(measure), PUBLISHED, *cells)


def _tau_cells(row: Any, before: Any, alpha: float) -> list[str]:
    if row is None:
        return [DASH] * 4
    tau = number(row.tau)
    if not pd.isna(row.p) and row.p < alpha:
        tau += DAGGER
    if is_larger(row, before):
        tau += f" {LARGER}"
    return [tau, p_value(row.p), p_value(row.p_families), str(row.models)]


def is_larger(after: Any, before: Any) -> bool:
    """Whether tau is larger after fine-tuning, as the paper marks it: with its sign, and as it is printed."""
    if before is None or pd.isna(after.tau) or pd.isna(before.tau) or after.models != before.models:
        return False
    return round(float(after.tau), 2) > round(float(before.tau), 2)


def table3(found: Found) -> Made:
    """All values of every model and task, and its bias scores before and after."""
    rows = found.collected.last()
    truth = [found.truth(row.task).get(row.metric) for row in rows_of(rows)]
    rows = rows.assign(truth=pd.Series(truth, index=rows.index, dtype=float))
    rows = _with_runs(found, rows.drop(columns=["seed", "group"]))
    scores = _intrinsic(found)
    tidy = pd.concat([rows, scores], ignore_index=True) if len(scores) else rows
    lines: list[tuple[str, ...]] = []
    for task in found.tasks:
        for model in found.models:
            own = rows[(rows["task"] == task) & (rows["model"] == model)]
            lines += [
                (
                    task,
                    model,
                    NAMES.get(row.metric, row.metric),
                    number(row.value, DECIMALS),
                    interval(row.low, row.high, DECIMALS),
                    interval(row.null_low, row.null_high, DECIMALS),
                    p_value(row.p),
                    number(row.truth, DECIMALS),
                    str(row.runs),
                )
                for row in rows_of(own)
            ]
            of_scores = scores[(scores["task"] == task) & (scores["model"] == model)]
            lines += [
                (task, model, row.metric, number(row.value, 1), *[DASH] * 5) for row in rows_of(of_scores)
            ]
    heads = ("value", "interval", "by chance", "p", "truth", "runs")
    return tidy, _sheet(found.captions, "table3", ("task", "model", "metric"), heads, lines)


def _with_runs(found: Found, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with how often the model was fine-tuned on the task."""
    runs = [found.runs[row.task, row.model] for row in rows_of(rows)]
    return rows.assign(runs=pd.Series(runs, index=rows.index, dtype="Int64"))


def _intrinsic(found: Found) -> pd.DataFrame:
    """Bias scores of each model before and after each task: task, model, metric (in words), value."""
    rows: list[tuple[str, str, str, float]] = []
    there = set(found.collected.facts)
    for task in found.tasks:
        for model in found.models:
            if (task, model) not in there:
                continue
            for when, scores, name in (
                (BEFORE, found.before, model),
                (AFTER, found.after, fine_tuned(model, task)),
            ):
                own = scores[(scores["model"] == name) & (scores["protocol"] == CORRECTED)]
                rows += [
                    (task, model, f"{title_of(row.measure)} on {row.benchmark}, {when}", row.score)
                    for row in rows_of(own)
                ]
    return pd.DataFrame(rows, columns=["task", "model", "metric", "value"])


def overview(found: Found) -> Made:
    """Accuracy and bias of every model on every task, a row each."""
    last, main = found.collected.last(), found.main
    accuracy = {(r.task, r.model): r for r in rows_of(last[last["metric"] == "accuracy"])}
    changed = {(r.task, r.model): r for r in rows_of(found.changes_in_use)}
    lines = []
    for row in rows_of(main):
        own, change = accuracy.get((row.task, row.model)), changed.get((row.task, row.model))
        by_chance = DASH
        if not pd.isna(row.null_mean):
            ends = interval(row.null_low, row.null_high, DECIMALS)
            by_chance = f"{number(row.null_mean, DECIMALS)} ({ends})"
        lines.append(
            (
                row.task,
                row.model,
                _with_interval(own),
                NAMES[row.metric],
                number(row.value, DECIMALS) + mark(row.p, row.p_holm, found.alpha),
                interval(row.low, row.high, DECIMALS),
                by_chance,
                _with_interval(change, signed=True)
                + ("" if change is None else mark(change.p, change.p_holm, found.alpha)),
                number(found.truth(row.task).get(row.metric), DECIMALS),
                str(found.runs[row.task, row.model]),
            )
        )
    heads = ("accuracy", "bias as", "bias", "interval", "by chance", "change", "truth", "runs")
    return _with_runs(found, main), _sheet(found.captions, "overview", ("task", "model"), heads, lines)


def _with_interval(row: Any, signed: bool = False) -> str:
    if row is None:
        return DASH
    ends = interval(row.low, row.high, DECIMALS, signed=signed)
    value = number(row.value, DECIMALS, signed=signed)
    return value if ends == DASH else f"{value} ({ends})"


def occupations(found: Found) -> pd.DataFrame:
    """The gap of every occupation, mean over the runs; too many for a page."""
    rows = found.collected.final()
    rows = rows[rows["seed"].isna() & (rows["metric"] == GAP)]
    truths = {
        (task, group): value
        for (task, _), facts in found.collected.facts.items()
        for group, value in ((facts.get("truth") or {}).get("groups") or {}).items()
    }
    truth = [truths.get((row.task, row.group)) for row in rows_of(rows)]
    tidy = rows.drop(columns=["seed", "metric"]).rename(columns={"group": "occupation"})
    return tidy.assign(truth=pd.Series(truth, index=tidy.index, dtype=float))


def changes(found: Found) -> Made:
    """What debiasing changes: bias scores, and bias in use."""
    lines = [
        (
            row.model,
            row.origin,
            f"{title_of(row.measure)} on {row.benchmark}",
            number(row.before, 1),
            number(row.after, 1),
            number(row.change, 1, signed=True),
            UNTESTABLE if row.untestable else interval(row.low, row.high, 1, signed=True),
            p_value(row.p),
            p_value(row.p_holm),
            p_value(row.p_mcnemar),
            number(abs(row.after - CENTRE) - abs(row.before - CENTRE), 1, signed=True),
            *(
                DASH if margin is None else number(margin.typical, DECIMALS)
                for margin in (
                    found.margins.get((name, row.benchmark, row.measure)) for name in (row.origin, row.model)
                )
            ),
        )
        for row in rows_of(found.changes_of_scores)
    ]
    heads = (
        "before",
        "after",
        "change",
        "interval",
        "p",
        "p (Holm)",
        "p, pairs as independent",
        "further from 50 by",
        "typical margin before",
        "typical margin after",
    )
    return found.changes_of_scores, _sheet(
        found.captions, "changes", ("model", "made from", "score"), heads, lines
    )


def _sheet(
    captions: Captions,
    name: str,
    stubs: tuple[str, ...],
    heads: tuple[str, ...],
    lines: Sequence[tuple[str, ...]],
) -> Sheet:
    if not lines:
        return Sheet(f"{captions[name]} {captions['empty']}", stubs, (), ())
    return Sheet(captions[name], stubs, tuple(("", head) for head in heads), tuple(lines))
