"""The language model score and ICAT as they are shown: a table, and what the score says in a sentence."""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.formulas import title_of
from unmask.pairs.published import ICAT_BY_TARGET, LMS_BY_TARGET, SCORE_BY_TARGET, STEREOSET
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, ranged
from unmask.report.sheets import Sheet
from unmask.report.wording import span
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.terms import CORRECTED, PUBLISHED

KEYS = ["model", "benchmark", "measure", "group"]
PRINTED = {LMS_BY_TARGET: "lms_printed", SCORE_BY_TARGET: "score_printed", ICAT_BY_TARGET: "icat_printed"}
"""The columns of what StereoSet's authors print, by quantity."""

BY_TARGET = ["lms_by_target", "score_by_target", "icat_by_target"]

_BY_PAIR, _BY_TARGET, _THEIRS = "of all pairs", "mean over targets", "printed, mean over targets"
_NAMES = (("LMS", "lms"), ("SS", "score"), ("ICAT", "icat"))

LMS = Table(
    "lms",
    ["model", "benchmark", "title", "group"],
    [
        Column("LMS", ranged("lms", "low", "high", ".1f"), _BY_PAIR),
        Column("SS", "{score:.1f}", _BY_PAIR),
        Column("ICAT", ranged("icat", "icat_low", "icat_high", ".1f"), _BY_PAIR),
        *(Column(label, f"{{{name}_by_target:.1f}}", _BY_TARGET) for label, name in _NAMES),
        *(Column(label, f"{{{name}_printed:.1f}}", _THEIRS) for label, name in _NAMES),
    ],
    heads={"title": "measure"},
)


def rows(results: PairResults) -> pd.DataFrame:
    """LMS, SS and ICAT over all pairs and by bias type: of pairs in protocol corrected, and averaged over
    targets as the authors' code has it, beside what they print."""
    lms = results.lms[results.lms["grouping"].isin((OVERALL, BIAS_TYPE))]
    theirs = lms.loc[lms["protocol"] == PUBLISHED, [*KEYS, *BY_TARGET]]
    ours = lms[lms["protocol"] == CORRECTED].drop(columns=BY_TARGET)
    ours = ours.merge(theirs, how="left", on=KEYS, validate="one_to_one")
    printed = results.published
    printed = printed[printed["quantity"].isin(PRINTED) & (printed["source"] == STEREOSET)]
    printed = results.of_study(printed.assign(name=printed["quantity"].map(PRINTED)))
    wide = printed.pivot(index=KEYS, columns="name", values="value").reindex(columns=[*PRINTED.values()])
    ours = ours.merge(wide.reset_index(), how="left", on=KEYS, validate="one_to_one")
    return ours.assign(title=ours["measure"].map(title_of))


def sheet(results: PairResults, rows: pd.DataFrame) -> Sheet:
    """The table, without columns in which nothing is known."""
    empty = {_BY_TARGET: BY_TARGET, _THEIRS: list(PRINTED.values())}
    table = LMS.without(*(group for group, names in empty.items() if rows[names].isna().all(axis=None)))
    return table.sheet(rows, results.captions["lms"])


def says(results: PairResults) -> Iterator[str]:
    """Of each benchmark how often trained models prefer a sentence that means something, by the headline
    measure, or by the first that scores unrelated sentences."""
    lms = results.lms[(results.lms["protocol"] == CORRECTED) & (results.lms["grouping"] == OVERALL)]
    lms = results.study.of_trained(lms)
    of_headline = results.of_headline(lms)
    first = lms.loc[~lms["model"].isin(of_headline["model"])].drop_duplicates(["model", "benchmark"])
    for (benchmark, measure), of in pd.concat([of_headline, first]).groupby(
        ["benchmark", "measure"], sort=False, observed=True
    ):
        yield (
            f"On {benchmark}, models prefer meaningful to unrelated sentences in "
            f"{span(of['lms'].min(), of['lms'].max(), 0)}% of comparisons (language model score by "
            f"{title_of(str(measure))}; chance gives 50)."
        )
