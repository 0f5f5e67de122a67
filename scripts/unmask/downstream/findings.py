"""What the report says of downstream tasks."""

from collections.abc import Iterator

import pandas as pd

from unmask.downstream.results import DownstreamResults
from unmask.downstream.scores import overall
from unmask.downstream.tables import is_larger
from unmask.downstream.terms import AFTER, BEFORE
from unmask.report.findings import Finding, Row, records, span
from unmask.report.sheets import rows_of
from unmask.statistics.changes import without_controls
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.terms import CORRECTED

MUCH = 0.1
"""A share of sentences labelled other than neutral that is pointed out."""


def _methods(results: DownstreamResults) -> Iterator[Row]:
    """By method of debiasing: what it leaves of intrinsic and of extrinsic bias."""
    scores = without_controls(results.changes_of_scores)
    bias = results.main.set_index(["task", "model"])["value"]
    for method in dict.fromkeys(model.role for model in results.roles if model.origin is not None):
        origins = {m.name: m.origin for m in results.roles if m.role == method and m.origin is not None}
        rows = results.changes[results.changes["model"].isin(origins)]
        intrinsic = scores[scores["model"].isin(rows["model"])]
        if rows.empty or intrinsic.empty:
            continue
        tasks = [
            {
                "task": task,
                "after": bias[[(task, model) for model in models]].mean(),
                "before": bias[[(task, origins[model]) for model in models]].mean(),
            }
            for task, models in rows.groupby("task", sort=False)["model"]
        ]
        yield {
            "method": method,
            "bias_type": results.bias_type,
            "before": (intrinsic["before"] - NO_PREFERENCE).abs().mean(),
            "after": (intrinsic["after"] - NO_PREFERENCE).abs().mean(),
            "untestable": bool(intrinsic["untestable"].all()),
            "tasks": tasks,
            "once": results.run_once(list(rows["task"])),
        }


def _extrinsic(results: DownstreamResults) -> Iterator[Row]:
    """By task: the models with the least and the most bias, and how many have more than by chance."""
    for task in results.tasks:
        rows = results.main[results.main["task"] == task].sort_values("value", kind="stable")
        if rows.empty:
            continue
        tested = rows[rows["p"].notna()]
        metric = results.main_metric(task)
        yield {
            "task": task,
            "metric": metric,
            "models": records(rows),
            "tested": len(tested),
            "beyond": int((tested["p_holm"] < results.alpha).sum()),
            "alpha": results.alpha,
        }


def _both_genders(results: DownstreamResults) -> Iterator[Row]:
    """By task of entailment: models that label neutral sentences otherwise for both genders, which a
    difference of the genders does not see."""
    rows = overall(results.scores)
    rows = rows[rows["metric"] == "not_neutral"]
    bias = results.main.set_index(["task", "model"])["value"]
    keys = pd.MultiIndex.from_frame(rows[["task", "model"]])
    # were all of it one gender's, it would be half of the difference
    hidden = rows[rows["value"] > bias.reindex(keys).fillna(0.0).clip(lower=MUCH).to_numpy()]
    for task, of_task in hidden.groupby("task", sort=False):
        models = int((rows["task"] == task).sum())
        worst = records(of_task.sort_values("value", ascending=False, kind="stable"))[0]
        yield {"task": task, "hidden": len(of_task), "models": models, "worst": worst}


def _changes(results: DownstreamResults) -> Iterator[Row]:
    """How many models clearly have less extrinsic bias or more, of how many that can be tested; p is
    corrected over all tasks."""
    rows = results.changes
    if len(rows):
        clear = rows[rows["p_holm"] < results.alpha]
        tasks = list(rows["task"].unique())
        yield {
            "tasks": tasks,
            "changes": len(rows),
            "tested": int(rows["p_holm"].notna().sum()),
            "less": records(clear[clear["value"] < 0]),
            "more": records(clear[clear["value"] > 0]),
            "alpha": results.alpha,
            "once": results.run_once(tasks),
        }


def _tau(results: DownstreamResults) -> Iterator[Row]:
    """Before and after fine-tuning: the span of tau over the pairs that count, how often it differs from 0,
    and how often it is larger after fine-tuning; or why there is none."""
    taus = results.that_count(results.correlations)
    taus = taus[taus["protocol"] == CORRECTED]
    known = taus[taus["tau"].notna()]
    if known.empty:
        yield from ({"reason": reason} for reason in taus["reason"].dropna().iloc[:1])
    before = {(row.task, row.benchmark, row.measure): row for row in rows_of(known[known["when"] == BEFORE])}
    for when, rows in known.groupby("when", sort=False):
        both = [
            is_larger(row, before[key])
            for row in rows_of(rows)
            if when == AFTER
            and (key := (row.task, row.benchmark, row.measure)) in before
            and before[key].models == row.models
        ]
        yield {
            "reason": None,
            "when": when,
            "span": span(rows["tau"].min(), rows["tau"].max()),
            "taus": len(rows),
            "beyond": int((rows["p"] < results.alpha).sum()),
            "tested": int(rows["p_families"].notna().sum()),
            "beyond_families": int((rows["p_families"] < results.alpha).sum()),
            "alpha": results.alpha,
            "larger": sum(both),
            "both": len(both),
        }


def _tasks_run_once(results: DownstreamResults) -> Iterator[Row]:
    if tasks := [task for task in results.tasks if results.run_once([task])]:
        yield {"tasks": tasks}


def _words(results: DownstreamResults) -> Iterator[Row]:
    rows = results.words
    rows = rows[(rows["protocol"] == CORRECTED) & rows["ilps"].notna()]
    if len(rows):
        yield {"tasks": records(rows)}


FINDINGS = (
    Finding[DownstreamResults](
        "methods",
        _methods,
        """After {{ method }}, bias scores
        {%- if bias_type %} over pairs of the bias type {{ bias_type }}{% endif %}
        are {{ after | number(1) }} instead of {{ before | number(1) }} points from 50 on average
        {%- if untestable %}, which rests on too few different words for a test{% endif %}.
        Extrinsic bias is
        {% for row in tasks %}
        {%- if row.after | number(3) == row.before | number(3) %}unchanged at {{ row.after | number(3) }}
        {%- else %}{{ row.after | number(3) }} instead of {{ row.before | number(3) }}{% endif %} on
        {{ row.task }}
        {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}
        {%- endfor %}{% if once %} (one run each){% endif %}.""",
    ),
    Finding[DownstreamResults](
        "extrinsic bias",
        _extrinsic,
        """{%- set least, most = models | first, models | last %}
        {%- macro values() %}
        {{ least.value | number(3) }}
        {% if models | length == 1 %}({{ least.model }}; {{ least | ends(3) }})
        {% elif least.value | number(3) == most.value | number(3) %}
        ({{ "both" if (models | length) == 2 else "all " ~ (models | length) }} models)
        {% else %}({{ least.model }}) to {{ most.value | number(3) }} ({{ most.model }})
        {% endif %}
        {% endmacro %}
        On {{ task }},
        {% if metric == "tpr_gap" %}
        true positive rates (TPR) of women and men differ by {{ values() }} on average over occupations
        {%- elif metric == "delta" %}
        sentences about an occupation are {{ values() }} more similar to one gender than the other
        {%- else %}
        the share of neutral sentences labelled neutral (FN) differs by {{ values() }} between the genders
        {%- endif %}.
        {% if tested %}That is more than chance gives a model that treats the genders alike for {{ beyond }}
        of {{ tested | counted("model") }} ({{ say.significant(alpha) }}).{% endif %}
        {% if least.truth is not none %}
        A model that has learnt this synthetic task gives {{ least.truth | number(3) }}.
        {% endif %}""",
    ),
    Finding[DownstreamResults](
        "bias against both genders",
        _both_genders,
        """On {{ task }}, {{ hidden }} of {{ models | counted("model") }} often
        {{ hidden | many("mislabels", "mislabel") }} neutral sentences for both genders
        ({{ worst.value | percent }} by {{ worst.model }}), which a difference between the genders does not
        see.""",
    ),
    Finding[DownstreamResults](
        "changes",
        _changes,
        """{%- macro names(rows) %}
        {%- if rows %} ({% for row in rows %}{{ row.model }} on {{ row.task }}
        {%- if not loop.last %}, {% endif %}{% endfor %}){% endif %}
        {%- endmacro %}
        {% if tested and not less and not more %}No change of extrinsic bias by debiasing is clear (paired,
        {{ say.significant(alpha) }}; {{ tested | counted("testable change") }} on {{ tasks | listed }}
        {%- if once %}, one run each{% endif %}).
        {% elif tested %}Of {{ tested | counted("testable change") }} of extrinsic bias by debiasing
        ({{ tasks | listed }}), {{ less | length }}
        {{ less | many("is", "are") }} to less bias{{ names(less) }} and
        {{ more | length }} to more bias{{ names(more) }} (paired, {{ say.significant(alpha) }}
        {%- if once %}; one run each{% endif %}). {% else %}None of {{ changes | counted("change") }}
        of extrinsic bias by debiasing ({{ tasks | listed }}) can be tested.{% endif %}""",
    ),
    Finding[DownstreamResults](
        "tau",
        _tau,
        """{% if reason %}Whether models with more intrinsic bias have more extrinsic bias is not known:
        {{ reason }}.
        {% else %}Kendall's tau of bias scores {{ when }} fine-tuning with extrinsic bias (size of both) is
        {{ span }} over {{ taus | counted("combination") }} of task, benchmark and measure.
        Of these {{ beyond }} {{ beyond | many("has", "have") }} p < {{ alpha | g }} by tau's own test
        {%- if tested %}, and {{ beyond_families }} of {{ tested }} where whole families of models are
        permuted{% else %}; there are too few families of models to permute whole ones
        {%- endif %}.
        {% if both %}It is larger than before in {{ larger }} of {{ both }}.{% endif %}{% endif %}""",
    ),
    Finding[DownstreamResults](
        "one run",
        _tasks_run_once,
        """Models were fine-tuned once on {{ tasks | listed }}, so intervals and tests there say nothing of
        other seeds.""",
    ),
    Finding[DownstreamResults](
        "gendered words",
        _words,
        """The log ratio of feminine to masculine words in the examples is
        {% for row in tasks %}{{ row.ilps | number(2, true) }} ({{ row | ends(2, true) }}) for {{ row.task }}
        {%- if not loop.last %}, {% endif %}{% endfor %}; below 0 there are more masculine words.""",
    ),
)
