"""What the report says of downstream tasks."""

from collections.abc import Iterator, Mapping

import pandas as pd

from unmask.downstream import charts, tables
from unmask.downstream.results import DownstreamResults
from unmask.downstream.tables import is_larger
from unmask.downstream.terms import AFTER, BEFORE
from unmask.report.changes import MACROS, clear_row
from unmask.report.charts import chart
from unmask.report.findings import Finding, Row, records, sentences, span
from unmask.report.published import doubts
from unmask.report.sections import OTHER_TESTS, Block, Fold, Items, Section, folded
from unmask.report.sheets import rows_of
from unmask.statistics.changes import CENTRE, clear_changes, margins_left, without_controls
from unmask.terms import CORRECTED

PAPER = "Kaneko et al. (2022)"

MUCH = 0.1
"""A share of sentences labelled other than neutral that is pointed out."""


def _methods(results: DownstreamResults) -> Iterator[Row]:
    """By method of debiasing: what it leaves of bias scores, of margins and of bias in use."""
    scores = without_controls(results.changes_of_scores)
    if results.changes_in_use.empty:
        return
    bias = results.main.set_index(["task", "model"])["value"]
    for method in dict.fromkeys(model.role for model in results.roles if model.origin is not None):
        origins = {
            model.name: model.origin
            for model in results.roles
            if model.role == method and model.origin is not None
        }
        changed = scores[scores["model"].isin(origins)]
        left = margins_left(changed, results.margins)
        tasks = []
        for task in results.tasks:
            both = [
                (bias[task, model], bias[task, origin])
                for model, origin in origins.items()
                if (task, model) in bias.index and (task, origin) in bias.index
            ]
            if both:
                after, before = (sum(values) / len(both) for values in zip(*both, strict=True))
                tasks.append({"task": task, "after": after, "before": before})
        if left is not None and tasks:
            yield {
                "method": method,
                "bias_type": results.bias_type,
                "before": (changed["before"] - CENTRE).abs().mean(),
                "after": (changed["after"] - CENTRE).abs().mean(),
                "left": left,
                "untestable": bool(changed["untestable"].all()),
                "tasks": tasks,
                "once": results.run_once([row["task"] for row in tasks]),
            }


def _tasks_run_once(results: DownstreamResults) -> Iterator[Row]:
    if tasks := [task for task in results.tasks if results.run_once([task])]:
        yield {"tasks": tasks}


def _bias_in_use(results: DownstreamResults) -> Iterator[Row]:
    """By task: the models with the least and the most bias, and how many have more than by chance."""
    for task in results.tasks:
        rows = results.main[results.main["task"] == task].sort_values("value", kind="stable")
        if rows.empty:
            continue
        tested = rows[rows["p"].notna()]
        yield {
            "task": task,
            "kind": results.facts_of(task)["kind"],
            "models": records(rows),
            "tested": len(tested),
            "beyond": int((tested["p_holm"] < results.alpha).sum()),
            "alpha": results.alpha,
            "truth": results.truth(task).get(results.main_metric(task)),
        }


def _both_genders(results: DownstreamResults) -> Iterator[Row]:
    """By task of entailment: models that label neutral sentences otherwise for both genders, which a
    difference of the genders does not see."""
    rows = results.scores.overall()
    rows = rows[rows["metric"] == "not_neutral"]
    bias = results.main.set_index(["task", "model"])["value"]
    keys = pd.MultiIndex.from_frame(rows[["task", "model"]])
    # were all of it one gender's, it would be half of the difference
    hidden = rows[rows["value"] > bias.reindex(keys).fillna(0.0).clip(lower=MUCH).to_numpy()]
    for task in results.tasks:
        of_task = hidden[hidden["task"] == task].sort_values("value", ascending=False, kind="stable")
        if len(of_task):
            models = int((rows["task"] == task).sum())
            yield {"task": task, "hidden": len(of_task), "models": models, "worst": records(of_task)[0]}


def _changed_scores(results: DownstreamResults) -> Iterator[Row]:
    scores = without_controls(results.changes_of_scores)
    if len(scores):
        yield clear_row(scores, results.alpha, results.bias_type)


def _changed_in_use(results: DownstreamResults) -> Iterator[Row]:
    """How many models clearly have less bias in use or more, of how many that can be tested; p is corrected
    over all tasks."""
    rows = results.changes_in_use
    if len(rows):
        clear = rows[rows["p_holm"] < results.alpha]
        tasks = [task for task in results.tasks if task in set(rows["task"])]
        yield {
            "tasks": tasks,
            "changes": len(rows),
            "tested": int(rows["p_holm"].notna().sum()),
            "less": records(clear[clear["value"] < 0]),
            "more": records(clear[clear["value"] > 0]),
            "alpha": results.alpha,
            "once": results.run_once(tasks),
        }


def _nearer_without_less(results: DownstreamResults) -> Iterator[Row]:
    """Of models whose bias scores come nearer to 50, those without clearly less bias in use."""
    scores, in_use = without_controls(results.changes_of_scores), results.changes_in_use
    nearer = set(clear_changes(scores, results.alpha).nearer["model"])
    both = nearer & set(in_use.loc[in_use["p_holm"].notna(), "model"])
    if both:
        less = set(in_use.loc[(in_use["p_holm"] < results.alpha) & (in_use["value"] < 0), "model"])
        yield {"models": len(both), "without": len(both - less)}


def _taus(results: DownstreamResults) -> pd.DataFrame:
    """The corrected rows of CORRELATIONS over the pairs that count."""
    rows = results.that_count(results.correlations)
    return rows[(rows["protocol"] == CORRECTED) & (rows["reading"] == CORRECTED)]


def _no_tau(results: DownstreamResults) -> Iterator[Row]:
    rows = _taus(results)
    if len(rows) and rows["tau"].isna().all():
        yield {"reason": rows["reason"].dropna().iloc[0]}


def _tau(results: DownstreamResults) -> Iterator[Row]:
    """Before and after fine-tuning: the span of tau, and how often it differs from 0."""
    taus = _taus(results)
    for when in (BEFORE, AFTER):
        rows = taus[taus["tau"].notna() & (taus["when"] == when)]
        if len(rows):
            yield {
                "when": when,
                "span": span(rows["tau"].min(), rows["tau"].max()),
                "taus": len(rows),
                "beyond": int((rows["p"] < results.alpha).sum()),
                "tested": int(rows["p_families"].notna().sum()),
                "beyond_families": int((rows["p_families"] < results.alpha).sum()),
                "alpha": results.alpha,
            }


def _larger_taus(results: DownstreamResults) -> Iterator[Row]:
    rows = _taus(results)
    rows = rows[rows["tau"].notna()]
    before, after = (
        {(row.task, row.benchmark, row.measure): row for row in rows_of(rows[rows["when"] == when])}
        for when in (BEFORE, AFTER)
    )
    both = [key for key in before if key in after and after[key].models == before[key].models]
    if both:
        yield {"larger": sum(is_larger(after[key], before[key]) for key in both), "taus": len(both)}


def _words(results: DownstreamResults) -> Iterator[Row]:
    rows = results.words
    rows = rows[(rows["reading"] == CORRECTED) & rows["ilps"].notna()]
    if len(rows):
        yield {"tasks": records(rows)}


FINDINGS = (
    Finding[DownstreamResults](
        "methods",
        _methods,
        MACROS
        + """After {{ method }}, bias scores{% if bias_type %} ({{ bias_type }}){% endif %} are
        {{ after | number(1) }} instead of {{ before | number(1) }} points from 50 on average
        {%- if untestable %}, which rests on too few different words for a test{% endif %}.
        Bias in use is
        {% for row in tasks %}
        {%- if row.after | number(3) == row.before | number(3) %}unchanged at {{ row.after | number(3) }}
        {%- else %}{{ row.after | number(3) }} instead of {{ row.before | number(3) }}{% endif %} on
        {{ row.task }}
        {%- if not loop.last %}{% if loop.revindex == 2 %} and {% else %}, {% endif %}{% endif %}
        {%- endfor %}{% if once %} (one run each){% endif %}.""",
    ),
    Finding[DownstreamResults]("margins", _methods, MACROS + "{{ typical_left(left, method) }}"),
    Finding[DownstreamResults](
        "bias in use",
        _bias_in_use,
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
        {% if kind == "occupations" %}
        true positive rates (TPR) of women and men differ by {{ values() }} on average over occupations
        {%- elif kind == "similarity" %}
        sentences about an occupation are {{ values() }} more similar to one gender than the other
        {%- else %}
        the share of neutral sentences labelled neutral (FN) differs by {{ values() }} between the genders
        {%- endif %}.
        {% if tested %}That is more than chance gives a model that treats the genders alike for {{ beyond }}
        of {{ tested | counted("model") }} ({{ say.significant(alpha) }}).{% endif %}
        {% if truth is not none %}
        A model that has learnt this synthetic task gives {{ truth | number(3) }}.
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
        "changed bias scores",
        _changed_scores,
        MACROS + "{{ clearly_changed(clear, alpha) }} {{ how_compared(bias_type) }}",
    ),
    Finding[DownstreamResults](
        "changed bias in use",
        _changed_in_use,
        """{%- macro names(rows) %}
        {%- if rows %} ({% for row in rows %}{{ row.model }} on {{ row.task }}
        {%- if not loop.last %}, {% endif %}{% endfor %}){% endif %}
        {%- endmacro %}
        {% if tested and not less and not more %}No change of bias in use by debiasing is clear (paired,
        {{ say.significant(alpha) }}; {{ tested | counted("testable change") }} on {{ tasks | listed }}
        {%- if once %}, one run each{% endif %}).
        {% elif tested %}Of {{ tested | counted("testable change") }} of bias in use by debiasing
        ({{ tasks | listed }}), {{ less | length }}
        {{ less | many("is", "are") }} to less bias{{ names(less) }} and
        {{ more | length }} to more bias{{ names(more) }} (paired, {{ say.significant(alpha) }}
        {%- if once %}; one run each{% endif %}). {% else %}None of {{ changes | counted("change") }}
        of bias in use by debiasing ({{ tasks | listed }}) can be tested.{% endif %}""",
    ),
    Finding[DownstreamResults](
        "nearer without less bias in use",
        _nearer_without_less,
        """{{ models | counted("debiased model") }} {{ models | many("comes", "come") }} nearer to 50 in some
        bias score; {{ without }} of {{ models | many("these has", "these have") }} no clearly smaller bias in
        use on any task.""",
    ),
    Finding[DownstreamResults](
        "no tau",
        _no_tau,
        "Whether models with more intrinsic bias have more bias in use cannot be told: {{ reason }}.",
    ),
    Finding[DownstreamResults](
        "tau",
        _tau,
        """Kendall's tau of bias scores {{ when }} fine-tuning with bias in use (size of both) is
        {{ span }} over {{ taus | counted("combination") }} of task, benchmark and measure.
        Of these {{ beyond }} {{ beyond | many("has", "have") }} p < {{ alpha | g }} by tau's own test
        {%- if tested %}, and {{ beyond_families }} of {{ tested }} where whole families of models are
        permuted{% else %}; there are too few families of models to permute whole ones
        {%- endif %}.""",
    ),
    Finding[DownstreamResults](
        "larger tau",
        _larger_taus,
        """After fine-tuning, tau is larger in {{ larger }} of {{ taus | counted("combination") }}.""",
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

ALTERNATIVES: Mapping[str, str] = {
    "use_figure": "Bias of models in every task, with intervals and bands of chance",
    "scores_figure": "Bias scores of the same models, with intervals",
    "changes_figure": "Bias in use before and after debiasing, with intervals of the change",
    "against_figure": "Bias in use of models against their bias scores, with intervals",
    "steps_figure": "Bias in use by steps of fine-tuning, a line with its interval for each model",
}
"""What charts show, by their names, which are those of their captions."""


def section(results: DownstreamResults) -> Section:
    """The findings, with charts and tables."""
    return Section(
        "downstream",
        "Bias in use",
        sentences(FINDINGS, results),
        (
            *_chart(results, "use_figure"),
            *folded("Accuracy and bias in use, in numbers", tables.overview(results)[1]),
            *_chart(results, "scores_figure"),
            *_chart(results, "changes_figure"),
            *folded("What debiasing changes of bias scores", tables.changes(results)[1]),
            *_chart(results, "against_figure"),
            *_paper_table(results, 2, "intrinsic bias against bias in use"),
            *_chart(results, "steps_figure"),
            *_paper_table(results, 1, "gendered words in the data"),
            *_paper_table(results, 3, "all values"),
            *_warnings(results),
            results.captions.computed("downstream"),
            Fold(results.captions["doubts"], (Items(doubts(results.published)),)),
        ),
        group=OTHER_TESTS,
    )


def _chart(results: DownstreamResults, name: str) -> Iterator[Block]:
    if drawing := charts.MAKERS[name][0](results):
        alternative = f"{ALTERNATIVES[name]}. Their numbers are in the tables below."
        yield chart(results.captions[name], alternative, drawing)


def _paper_table(results: DownstreamResults, number: int, what: str) -> Iterator[Block]:
    _, sheet = (tables.table1, tables.table2, tables.table3)[number - 1](results)
    yield from folded(f"{PAPER}, Table {number}: {what}", sheet)


def _warnings(results: DownstreamResults) -> Iterator[Block]:
    if remarks := results.remarks():
        yield Fold("What was left out, and what to be wary of", (Items(tuple(remarks), warning=True),))
