"""Two measures, models, versions of a benchmark or states of a model, compared on the same pairs.

All are rows of one table, with one chart.
"""

from collections.abc import Collection, Iterator

import altair as alt
import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, with_marks
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import columns_of
from unmask.report.presenting import clear
from unmask.statistics.ranks import holm
from unmask.terms import CORRECTED

MEASURES, MODELS, VERSIONS, STATES = "measures", "models", "versions", "states"

KINDS = {
    MEASURES: "differences between two measures of a model",
    MODELS: "differences between two models",
    VERSIONS: "differences between two versions of a benchmark",
    STATES: "differences between a state and the first of its series",
}
"""What is compared, as sentences count it."""

NO_CLEAR, CLEAR, NOT_TESTED = "no clear difference", "clear difference", "not tested"
CLAIMS = (NO_CLEAR, CLEAR, NOT_TESTED)
"""What may be claimed of a difference: clear is one below the level after Holm's correction."""

_ALIKE = "pairs whose stereotype is preferred by"

COMPARED = Table(
    "comparison",
    ["kind", "on", "under", "first", "second"],
    [
        Column("pairs", "{n}"),
        Column("first", "{first_score:.1f}", "bias score (%)"),
        Column("second", "{second_score:.1f}", "bias score (%)"),
        Column("first − second", "<{difference:+.1f}>{mark} (<{low:+.1f} to {high:+.1f}>)"),
        Column("p", "{p:p}", "p"),
        Column("Holm", "{p_holm:p}", "p"),
        Column("the first alone", "{b}", _ALIKE),
        Column("the second alone", "{c}", _ALIKE),
        Column("decided otherwise", "{turned}"),
    ],
)


def compared(results: PairResults) -> pd.DataFrame:
    """Every comparison of the study, in both protocols.

    Columns: kind (of KINDS), benchmark, model (null of models), series and measure (null of what has none),
    first, second, the numbers of COMPARISONS, and p_holm (over all of one kind and protocol; series of random
    networks alone by themselves).
    """
    of_states = results.states.assign(family=results.states["series"].isin(results.trained_series))
    parts = {
        MEASURES: results.measures_compared.drop(columns="measure"),
        MODELS: results.models_compared,
        VERSIONS: results.versions,
        STATES: of_states,
    }
    frames = [rows.assign(kind=kind) for kind, rows in parts.items() if len(rows)]
    whole = pd.concat(frames or [parts[MODELS].assign(kind=MODELS)], ignore_index=True)
    names = ["kind", "benchmark", "series", "model", "measure", "first", "second", "protocol"]
    whole = whole.reindex(columns=list(dict.fromkeys([*names, *whole.columns, "family"])))
    whole = holm(whole, by=["kind", "protocol", "family"]).drop(columns="family")
    return whole.astype(dict.fromkeys(("n", "b", "c"), "Int64"))


def shown(results: PairResults) -> pd.DataFrame:
    """The comparisons of the protocol corrected as they are shown.

    Beside those of `compared`: on (the benchmark), under (the measure, model or series), first and second
    with measures by their titles, turned, and claim (of CLAIMS).
    """
    rows = compared(results)
    rows = rows[rows["protocol"] == CORRECTED]
    of_measures = rows["kind"] == MEASURES
    titles = rows["measure"].map(title_of, na_action="ignore")
    parts = zip(titles, rows["series"], rows["model"], strict=True)
    under = [", ".join(str(part) for part in each if pd.notna(part)) for each in parts]
    claims = pd.Series(NO_CLEAR, rows.index).mask(rows["p_holm"] < results.level, CLEAR)
    return with_marks(rows, results.level).assign(
        on=rows["benchmark"],
        under=under,
        turned=rows["b"] + rows["c"],
        claim=claims.mask(rows["p"].isna(), NOT_TESTED),
        **{
            name: rows[name].mask(of_measures, rows.loc[of_measures, name].map(title_of))
            for name in ("first", "second")
        },
    )


def chart(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Differences with their intervals; a panel for each model or measure under which they are.

    rows: of `shown`, of one kind and benchmark.
    """
    frame = columns_of(
        rows,
        *("first", "first_score", "second", "second_score", "low", "high", "p", "p_holm", "claim"),
        panel="under",
        name=rows["first"] + " − " + rows["second"],
        value="difference",
        pairs="n",
    )
    axis = Axis("difference, in points", line=0, span=(-5, 5), step=5)
    return forest(frame, axis, kinds=Kinds("claim", "difference", CLAIMS, claimed=True))


def says(results: PairResults, kinds: Collection[str] = tuple(KINDS)) -> Iterator[str]:
    """How many differences of each of these kinds are clear, of trained models and without controls."""
    rows = compared(results)
    rows = rows[rows["protocol"] == CORRECTED]
    for kind in kinds:
        part = rows[rows["kind"] == kind]
        measures = part[["first", "second"]] if kind == MEASURES else part[["measure"]]
        part = part[measures.astype(str).map(sees_context).all(axis="columns").astype(bool)]
        if kind in (MEASURES, VERSIONS):
            part = part[part["model"].isin(results.study.trained())]
        elif kind == MODELS:
            part = results.study.of_trained(part.drop(columns="model"))
        else:
            part = part[part["series"].isin(results.trained_series)]
        if len(part):
            yield clear(part, KINDS[kind], results.level)
