"""The language model score and ICAT as they are shown: a table, and what the score says in a sentence."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.published import ICAT_BY_TARGET, LMS_BY_TARGET, SCORE_BY_TARGET, STEREOSET
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, ranged
from unmask.report.findings import Finding, Row, span
from unmask.report.sheets import Sheet
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.terms import CORRECTED, PUBLISHED

KEYS = ["model", "benchmark", "measure", "group"]
PRINTED = {LMS_BY_TARGET: "lms_printed", SCORE_BY_TARGET: "score_printed", ICAT_BY_TARGET: "icat_printed"}
"""The columns of what StereoSet's authors print, by quantity."""

_BY_PAIR, _BY_TARGET, _THEIRS = "of all pairs", "mean over targets", "printed, mean over targets"

LMS = Table(
    "lms",
    ["model", "benchmark", "title", "group"],
    [
        Column(
            "LMS",
            ranged("lms", "low", "high", ".1f"),
            "Comparisons in which the meaningful sentence is preferred, in percent, with the interval.",
            _BY_PAIR,
        ),
        Column("SS", "{score:.1f}", "Bias score in percent, StereoSet's stereotype score.", _BY_PAIR),
        Column(
            "ICAT",
            ranged("icat", "icat_low", "icat_high", ".1f"),
            "LMS · min(SS, 100 − SS) / 50, with its interval.",
            _BY_PAIR,
        ),
        *(
            Column(label, f"{{{name}_by_target:.1f}}", f"The {label} of the paper's average.", _BY_TARGET)
            for label, name in (("LMS", "lms"), ("SS", "score"), ("ICAT", "icat"))
        ),
        *(
            Column(label, f"{{{name}_printed:.1f}}", f"The {label} that StereoSet's authors print.", _THEIRS)
            for label, name in (("LMS", "lms"), ("SS", "score"), ("ICAT", "icat"))
        ),
    ],
    heads={"title": "measure"},
)


def sheet(results: PairResults) -> Sheet:
    """LMS, SS and ICAT over all pairs and by bias type: of pairs in protocol corrected, and averaged over
    targets as the authors' code has it, beside what they print."""
    rows = results.lms[results.lms["grouping"].isin((OVERALL, BIAS_TYPE))]
    by_target = [f"{name}_by_target" for name in ("lms", "score", "icat")]
    theirs = rows.loc[rows["protocol"] == PUBLISHED, [*KEYS, *by_target]]
    rows = rows[rows["protocol"] == CORRECTED].drop(columns=by_target)
    rows = rows.merge(theirs, how="left", on=KEYS, validate="one_to_one")
    rows = rows.merge(printed(results), how="left", on=KEYS, validate="one_to_one")
    rows = rows.assign(title=rows["measure"].map(title_of))
    empty = {_BY_TARGET: by_target, _THEIRS: list(PRINTED.values())}
    table = LMS.without(*(group for group, names in empty.items() if rows[names].isna().all(axis=None)))
    return table.sheet(rows, results.captions["lms"])


def printed(results: PairResults) -> pd.DataFrame:
    """What StereoSet's authors print of the models and benchmarks of this study: KEYS and a column for each
    of PRINTED."""
    rows = results.published
    rows = rows[rows["quantity"].isin(PRINTED) & (rows["source"] == STEREOSET)]
    rows = rows.assign(name=rows["quantity"].map(PRINTED))
    wide = rows.pivot(index=KEYS, columns="name", values="value").reindex(columns=[*PRINTED.values()])
    names = [
        (model.name, model.published, benchmark.name, benchmark.published)
        for model in results.study.models
        for benchmark in results.study.benchmarks
        if model.published and benchmark.published
    ]
    columns = ["name", "model", "benchmark_name", "benchmark"]
    known = pd.DataFrame(names, columns=columns).astype("str").merge(wide.reset_index())
    of_study = known.drop(columns=["model", "benchmark"])
    of_study = of_study.rename(columns={"name": "model", "benchmark_name": "benchmark"})
    return of_study[[*KEYS, *PRINTED.values()]]


def preferring_meaning(results: PairResults) -> Iterator[Row]:
    """Of each benchmark how often models prefer a sentence that means something, by the headline measure, or
    by the first that scores unrelated sentences."""
    rows = results.lms
    rows = rows[(rows["protocol"] == CORRECTED) & (rows["grouping"] == OVERALL)]
    rows, trained = results.study.of_trained_or_all(rows)
    measures = {}
    for model, of in rows.groupby("model", sort=False, observed=True):
        known, headline = [*of["measure"].unique()], results.headline_of(str(model))
        measures[model] = headline if headline in known else known[0]
    rows = rows[rows["measure"].astype(str) == rows["model"].map(measures).astype(str)]
    for (benchmark, measure), of in rows.groupby(["benchmark", "measure"], sort=False, observed=True):
        yield {
            "benchmark": benchmark,
            "title": title_of(str(measure)),
            "trained": trained,
            "lms": span(of["lms"].min(), of["lms"].max(), 0),
        }


MEANING = Finding(
    "language model score",
    preferring_meaning,
    """On {{ benchmark }}, {{ trained }}models prefer meaningful to unrelated sentences in {{ lms }}% of
    comparisons (language model score by {{ title }}; chance gives 50).""",
)
