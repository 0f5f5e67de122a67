"""What the numbers of downstream tasks say, in plain sentences."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.downstream.results import Found
from unmask.downstream.tables import DECIMALS, is_larger
from unmask.downstream.terms import AFTER, BEFORE, OCCUPATIONS, SIMILARITY
from unmask.report.changes_wording import clearly_changed, typical_left
from unmask.report.sheets import counted, interval, number, rows_of
from unmask.statistics.changes import CENTRE, clear_changes, without_controls
from unmask.statistics.margins import share_left
from unmask.terms import CORRECTED

MUCH = 0.1
"""A share of sentences told other than neutral that is pointed out."""

UNEQUAL = {
    OCCUPATIONS: (
        "On {task}, the shares of women and of men whose occupation is predicted correctly differ by "
        "{value} on average over occupations"
    ),
    SIMILARITY: (
        "On {task}, sentences about an occupation are {value} more like one gender than the other on average"
    ),
}
_OF_ENTAILMENT = (
    "On {task}, the shares of sentences that are rightly labelled neutral differ by {value} between the "
    "genders"
)


def bias_in_use(found: Found) -> Iterator[str]:
    """How biased the models are in each task, what chance gives, and the truth where it is known."""
    main = found.main
    once = [task for task in found.tasks if found.run_once([task])]
    if once:
        yield (
            f"Models were fine-tuned once on {', '.join(once)}: intervals and tests there say nothing of "
            "other seeds."
        )
    for task in found.tasks:
        rows = sorted(rows_of(main[main["task"] == task]), key=lambda row: row.value)
        if not rows:
            continue
        sentence = UNEQUAL.get(found.kind(task), _OF_ENTAILMENT).format(task=task, value=_least_to_most(rows))
        tested = [row for row in rows if not pd.isna(row.p)]
        if tested:
            beyond = [row for row in tested if row.p_holm < found.alpha]
            of = "" if len(tested) == 1 else f" ({len(beyond)} of {len(tested)} models)"
            sentence += (
                f"; that is more than a model that treats the genders alike would give{of}"
                if beyond
                else "; that is not clearly more than a model that treats the genders alike could give"
            )
        truth = found.truth(task).get(found.main_metric(task))
        if truth is not None:
            sentence += f". A model that has learnt this made task gives {number(truth, DECIMALS)}"
        yield f"{sentence}."
        yield from _symmetric(found, task)


def _least_to_most(rows: Sequence[Any]) -> str:
    """rows: in the order of their values."""
    least, most = rows[0], rows[-1]
    if len(rows) == 1:
        ends = interval(least.low, least.high, DECIMALS)
        return f"{number(least.value, DECIMALS)} ({least.model}; {ends})"
    if number(least.value, DECIMALS) == number(most.value, DECIMALS):
        return f"{number(least.value, DECIMALS)} (all {len(rows)} models)"
    values = [f"{number(row.value, DECIMALS)} ({row.model})" for row in (least, most)]
    return " to ".join(values)


def _symmetric(found: Found, task: str) -> Iterator[str]:
    """Of entailment, where both genders are told other than neutral: a difference does not see that."""
    rows = found.collected.last()
    rows = rows[rows["task"] == task]
    wrong = rows[rows["metric"] == "not_neutral"]
    if wrong.empty:
        return
    own = found.main[found.main["task"] == task]
    bias = dict(zip(own["model"], own["value"], strict=True))
    # were all of it one gender's, it would be half of the difference
    hidden = [row for row in rows_of(wrong) if row.value > max(MUCH, bias.get(row.model, 0.0))]
    if hidden:
        worst = max(hidden, key=lambda row: row.value)
        yield (
            f"Of {task}, {len(hidden)} of {len(wrong)} models tell much of what is neutral otherwise, for "
            f"both genders ({number(100 * worst.value, 0)}% by {worst.model}): a difference of the genders "
            "does not see bias that both have."
        )


def change_by_debiasing(found: Found) -> Iterator[str]:
    """Whether debiasing changes bias scores, and whether it changes bias in use."""
    scores, in_use = without_controls(found.changes_of_scores), found.changes_in_use
    nearer_models: set[str] = set()
    if len(scores):
        nearer_models = set(clear_changes(scores, found.alpha).nearer["model"])
        said = clearly_changed(scores, found.alpha, found.settings.get("bias_type"))
        yield f"Debiased models against those that they were made from: {said}"
    if len(in_use):
        yield _changed_in_use(found, in_use)
    both = nearer_models & set(in_use.loc[in_use["p_holm"].notna(), "model"])
    if both:
        less = set(in_use.loc[(in_use["p_holm"] < found.alpha) & (in_use["value"] < 0), "model"])
        yield (
            f"Debiased models that are nearer to 50 in some bias score: {len(both)}; of these without "
            f"clearly less bias in use on any task: {len(both - less)}."
        )


def _changed_in_use(found: Found, rows: pd.DataFrame) -> str:
    """How many models clearly have less bias in use or more, of how many that can be tested; rows: CHANGE of
    all tasks, with p_holm over them."""
    tested = rows[rows["p_holm"].notna()]
    clear = tested[tested["p_holm"] < found.alpha]
    tasks = [task for task in found.tasks if task in set(rows["task"])]
    sentence = f"In use on {', '.join(tasks)}, of {counted(len(rows), 'change')} by debiasing "
    if tested.empty:
        return f"{sentence}none can be tested."
    sides = []
    for sign, what in ((-1, "less"), (1, "more")):
        own = clear[sign * clear["value"] > 0]
        named = ", ".join(f"{row.model} on {row.task}" for row in rows_of(own))
        sides.append(f"{len(own)} to {what} bias" + (f" ({named})" if named else ""))
    return (
        f"{sentence}{len(tested)} can be tested: {' and '.join(sides)} (paired, p < {found.alpha:g} after "
        f"Holm's correction over these {len(tested)}{_of_one_run(found, tasks)})."
    )


def _of_one_run(found: Found, tasks: Sequence[str]) -> str:
    """What has to be said where a model was fine-tuned on a task once."""
    return "; one run each, so nothing is said of other seeds" if found.run_once(tasks) else ""


def in_short(found: Found) -> Iterator[str]:
    """Of each method, what it leaves of intrinsic bias, and what of bias in use."""
    scores, in_use, main = without_controls(found.changes_of_scores), found.changes_in_use, found.main
    wanted = found.settings.get("bias_type")
    over = "" if wanted is None else f" over pairs of the bias type {wanted}"
    for role in dict.fromkeys(member.role for member in found.members if member.origin is not None):
        models = {m.name: m.origin for m in found.members if m.role == role and m.origin is not None}
        part = scores[scores["model"].isin(list(models))]
        used, tasks = [], []
        for task in found.tasks:
            values = main[main["task"] == task].set_index("model")["value"]
            both = [(values[m], values[o]) for m, o in models.items() if m in values and o in values]
            if both:
                after, before = (sum(each) / len(both) for each in zip(*both, strict=True))
                used.append(f"{number(after, DECIMALS)} and {number(before, DECIMALS)} ({task})")
                tasks.append(task)
        left = share_left(part, found.margins)
        if part.empty or not used or left is None or in_use.empty:
            continue
        before, after = ((part[when] - CENTRE).abs().mean() for when in ("before", "after"))
        yield (
            f"After {role} bias scores{over} are {number(after, 1)} instead of {number(before, 1)} points "
            f"from 50 on average. {typical_left(left)} After fine-tuning on the same tasks, bias in use of "
            f"the debiased models and of their originals is {', '.join(used)}{_of_one_run(found, tasks)}."
        )


def told_apart(found: Found) -> Iterator[str]:
    """Whether bias scores say what bias in use says."""
    rows = found.correlations
    rows = rows[(rows["protocol"] == CORRECTED) & (rows["reading"] == CORRECTED)]
    if rows.empty:
        return
    known = rows[rows["tau"].notna()]
    if known.empty:
        yield (
            "Whether models with more intrinsic bias have more bias in use cannot be told: "
            f"{rows['reason'].dropna().iloc[0]}."
        )
        return
    for when in (BEFORE, AFTER):
        own = rows_of(known[known["when"] == when])
        if not own:
            continue
        plain = [row for row in own if row.p < found.alpha]
        tested = [row for row in own if not pd.isna(row.p_families)]
        whole = [row for row in tested if row.p_families < found.alpha]
        least, most = min(row.tau for row in own), max(row.tau for row in own)
        sentence = (
            f"Kendall's tau of bias scores {when} fine-tuning with bias in use (size of both) is "
            f"{number(least)} to {number(most)} over {len(own)} combinations of task, benchmark and measure; "
            f"{len(plain)} have p < {found.alpha:g} by tau's own test"
        )
        if tested:
            sentence += f", {len(whole)} of {len(tested)} where models of one family are kept together"
        else:
            sentence += "; families are too few to test it with models of one kept together"
        yield f"{sentence}."
    first = {(r.task, r.benchmark, r.measure): r for r in rows_of(known[known["when"] == BEFORE])}
    last = {(r.task, r.benchmark, r.measure): r for r in rows_of(known[known["when"] == AFTER])}
    both = [key for key in first if key in last and last[key].models == first[key].models]
    if both:
        larger = sum(is_larger(last[key], first[key]) for key in both)
        yield f"After fine-tuning tau is larger in {larger} of {len(both)} combinations."


def words_in_data(found: Found) -> Iterator[str]:
    """Which gender the words of the data are of."""
    rows = found.words
    rows = rows[(rows["reading"] == CORRECTED) & rows["ilps"].notna()]
    parts = [
        f"{row.task} {number(row.ilps, 2, signed=True)} ({interval(row.low, row.high, 2, signed=True)})"
        for row in rows_of(rows)
    ]
    if parts:
        yield (
            "Logarithm of the share of feminine over that of masculine words in what models learn from: "
            f"{', '.join(parts)}; below 0 there are more masculine ones."
        )
