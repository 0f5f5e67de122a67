"""What a study shows of downstream tasks: tables, figures and a section of the report."""

from collections.abc import Iterator

import pandas as pd

from unmask.downstream import charts, tables
from unmask.downstream.results import DownstreamResults
from unmask.report.presenting import Presentation
from unmask.report.sheets import counted, number
from unmask.report.topics import Topic, clear
from unmask.report.wording import listed, many, records, span
from unmask.statistics.changes import without_controls
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.terms import CORRECTED

PAPER = "Kaneko et al. (2022)"

MUCH = 0.1
"""A share of sentences labelled other than neutral that is pointed out."""


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
    draws=charts.extrinsic,
    says=says,
    file="extrinsic",
    more=(
        Topic("overview", "Accuracy and extrinsic bias, in numbers", tables.overview, tables.overview_sheet),
        Topic("changes", "What debiasing changes", draws=charts.changes, says=says_of_changes),
        Topic("against", "Intrinsic against extrinsic bias", draws=charts.against),
        Topic(
            "table2",
            f"{PAPER}, Table 2: intrinsic against extrinsic bias",
            lambda results: results.correlations,
            tables.table2_sheet,
            says=says_of_tau,
        ),
        Topic("steps", "Extrinsic bias by steps of fine-tuning", draws=charts.steps),
        Topic(
            "table1",
            f"{PAPER}, Table 1: gendered words in the data",
            lambda results: results.words,
            tables.table1_sheet,
        ),
    ),
)

PRESENTS = Presentation(DownstreamResults, [TOPIC], {"values": tables.values})
