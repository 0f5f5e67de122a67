"""Two measures, two models or two areas that were compared: tables, charts, and clear differences."""

from collections.abc import Iterable, Iterator, Sequence

import altair as alt
import numpy as np
import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.measures.names import title_of
from unmask.pairs.results import PairResults
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.findings import Finding, Row, span
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.panels import by_value, columns_of, ends_of
from unmask.report.sections import Fold, Text
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import Sheet
from unmask.statistics.ranks import step_down
from unmask.terms import CORRECTED, PROTOCOLS

ALL_MASKED = ("AllMasked", "AllMaskedSum")
"""Two readings of one measure, which agree by their making."""

HALF = 0.5
"""The area under the ROC curve of scores that have nothing to do with the raters."""

NOISE, RAW, HOLDS, NOT_TESTED = (
    "may be noise",
    "only before correction",
    "holds after correction",
    "not tested",
)
"""What may be claimed of a difference."""

_DIFFERENCE, _PREFER, _ALIKE = "difference (points)", "stereotype", "alike"

MODELS = Table(
    "models_compared",
    ["benchmark", "first", "second"],
    [
        Column(_DIFFERENCE, "<{difference:+.1f}>{mark} (<{low:+.1f} to {high:+.1f}>)", "First less second."),
    ],
    across=["title"],
    label_first=True,
)
MEASURES = Table(
    "measures_compared",
    ["model", "benchmark", "measures"],
    [
        Column("pairs", "{n}", "Pairs that are defined in both measures."),
        Column("first − second", "{difference:+.1f}", "Difference of the bias scores.", _DIFFERENCE),
        Column("interval", "{low:+.1f} to {high:+.1f}", "Its interval.", _DIFFERENCE),
        Column("p", "{p:p}", "Two-sided p of the difference.", _DIFFERENCE),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction.", _DIFFERENCE),
        Column("both", "{both}", "Pairs in which both prefer the stereotype.", _PREFER),
        Column("only first", "{b}", "Pairs in which only the first does.", _PREFER),
        Column("only second", "{c}", "Pairs in which only the second does.", _PREFER),
        Column("neither", "{neither}", "Pairs in which neither does.", _PREFER),
        Column("%", "{agreement:.1f}", "Percent of pairs that both decide alike.", _ALIKE),
    ],
)
VERSIONS = Table(
    "versions",
    ["model", "versions", "texts", "title"],
    [
        Column("pairs", "{n}", "Pairs with the same pair_id in both that the measure scores in both."),
        Column("first", "{first_score:.1f}", "Bias score of the first benchmark over these.", "bias score"),
        Column("second", "{second_score:.1f}", "Bias score of the second.", "bias score"),
        Column(
            "first − second", "<{difference:+.1f}>{mark} (<{low:+.1f} to {high:+.1f}>)", "Their difference."
        ),
        Column("only first", "{b}", "Pairs whose stereotype is preferred in the first alone."),
        Column("only second", "{c}", "Pairs whose stereotype is preferred in the second alone."),
    ],
    heads={"versions": "first and second", "title": "measure"},
)
AREAS = Table(
    "areas_compared",
    ["model", "benchmark", "measures"],
    [
        Column("first − second", "{difference:+.3f}", "Difference of the areas under the ROC curves."),
        Column("standard error", "[{error:.3f}][{reason}]", "Its standard error, or why there is none."),
        Column("p", "{p:p}", "Two-sided p of the difference."),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction."),
    ],
    across=["protocol"],
)


def models(results: PairResults) -> Sheet:
    """Every two models under each measure, protocol corrected: differences of bias scores."""
    rows = with_marks(_corrected(results.models_compared), results.alpha)
    rows = rows.assign(title=rows["measure"].astype(str).map(title_of))
    return MODELS.sheet(rows, results.captions["models_compared"])


def measures(results: PairResults) -> Sheet:
    """Every two measures of each model, protocol corrected: difference of bias scores, decisions."""
    rows = _of_measures(_corrected(results.measures_compared))
    return MEASURES.sheet(rows, results.captions["measures_compared"])


def versions(results: PairResults) -> Sheet:
    """Every benchmark that is a version of another one, under each model and measure, protocol corrected."""
    rows = with_marks(_corrected(results.versions), results.alpha)
    names = rows["benchmark"].astype(str) + " and " + rows["original"].astype(str)
    rows = rows.assign(versions=names, title=rows["measure"].astype(str).map(title_of))
    return VERSIONS.sheet(rows, results.captions["versions"])


def areas(results: PairResults) -> Sheet:
    """Areas under the ROC curves of every two measures, in both protocols."""
    rows = in_order(_of_measures(results.areas_compared), protocol=PROTOCOLS)
    rows = rows.assign(reason=rows["reason"].where(rows["error"].isna()))
    return AREAS.sheet(rows, results.captions["areas_compared"])


def folded(title: str, sheet: Sheet, sentences: Iterable[str]) -> tuple[Fold, ...]:
    """A table in a fold under a sentence on it; nothing where it has no rows."""
    return (Fold(title, (Text(" ".join(sentences)), TableBlock(sheet))),) if sheet.rows else ()


def models_chart(compared: pd.DataFrame, alpha: float) -> alt.FacetChart | None:
    """One model less each of those that it was compared with, on one benchmark: differences of bias scores
    with their intervals, protocol corrected; a panel for each measure.

    compared: COMPARISONS with p_holm, of one benchmark and first model. None where there is nothing.
    """
    rows = _corrected(compared)
    rows = by_value(rows.assign(title=rows["measure"].astype(str).map(title_of)), "title")
    p, p_holm = rows["p"].astype(float), rows["p_holm"].astype(float)
    claims = np.select([p.isna(), p_holm < alpha, p < alpha], [NOT_TESTED, HOLDS, RAW], NOISE)
    frame = columns_of(
        rows,
        *("first", "first_score", "second_score", "low", "high", "p", "p_holm"),
        panel="title",
        name="second",
        value="difference",
        kind=claims,
        pairs="n",
    )
    tips = (
        ("panel", "measure"),
        ("first", "first"),
        ("first_score", "its score", ".1f"),
        ("name", "second"),
        ("second_score", "its score ", ".1f"),
        ("value", "first less second, points", ".1f"),
        *ends_of(".1f"),
        ("kind", "difference"),
        ("pairs", "pairs", "d"),
    )
    listed = [NOISE, RAW, HOLDS, *([NOT_TESTED] if NOT_TESTED in claims else [])]
    axis = Axis("difference, in points", line=0, span=(-5, 5), step=5)
    return forest(frame, axis, tips, kinds=Kinds("kind", "difference", listed, claimed=True))


def distinct_measures(results: PairResults) -> pd.DataFrame:
    """The comparisons of measures, protocol corrected, without that of All-Masked and its sum, and without
    two that always decide the same one thing."""
    rows = _corrected(results.measures_compared)
    readings = rows["first"].isin(ALL_MASKED) & rows["second"].isin(ALL_MASKED)
    return rows[~readings & (rows[["both", "neither"]].max(axis=1) < rows["n"])]


def _of_measures(rows: pd.DataFrame) -> pd.DataFrame:
    """With the two measures by their titles."""
    return rows.assign(measures=rows["first"].map(title_of) + " vs " + rows["second"].map(title_of))


def _corrected(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["protocol"] == CORRECTED]


def _see_context(rows: pd.DataFrame, measures: Sequence[str]) -> "pd.Series[bool]":
    """Whether none of the measures in these columns is a control."""
    return rows[[*measures]].astype(str).map(sees_context).all(axis="columns").astype(bool)


def _differences(table: str, what: str, measures: Sequence[str]) -> Finding[PairResults]:
    """How many differences in a table of the results are clear, without those of controls; nothing where it
    is empty. measures: the columns of measures."""

    def rows(results: PairResults) -> Iterator[Row]:
        compared, trained = results.study.of_trained_or_all(_corrected(getattr(results, table)))
        if len(compared):
            see = _see_context(compared, measures)
            compared = compared[see]
            yield {
                "controls": not see.all(),
                "tested": int(compared["p"].notna().sum()),
                "clear": int((compared["p_holm"] < results.alpha).sum()),
                "alpha": results.alpha,
                "trained": trained,
            }

    return Finding(
        table,
        rows,
        f"""Of {{{{ tested | counted("difference") }}}} between {what}
        {{%- if controls %}}, without controls{{% endif %}},
        {{{{ clear }}}} {{{{ clear | many("is", "are") }}}} clear ({{{{ say.significant(alpha) }}}}).""",
    )


_COUPLE = ("first", "second")
MODELS_DIFFER = _differences("models_compared", "the bias scores of two {{ trained }}models", ["measure"])
MEASURES_DIFFER = _differences(
    "measures_compared", "the bias scores of two measures of one {{ trained }}model", _COUPLE
)
AREAS_DIFFER = _differences("areas_compared", "the areas of two measures of one {{ trained }}model", _COUPLE)


def version_changes(results: PairResults) -> Iterator[Row]:
    """What a version changes, over the models and measures that see the context, protocol corrected."""
    rows = _corrected(results.versions)
    rows = rows[_see_context(rows, ["measure"])]
    for (benchmark, original), part in rows.groupby(["benchmark", "original"], sort=False, observed=True):
        whole, changed = (part[part["texts"] == texts] for texts in ("all", "changed"))
        turned = (whole["b"] + whole["c"]).astype(int)
        yield {
            "benchmark": benchmark,
            "original": original,
            "pairs": int(whole["n"].max()),
            "changed": int(changed["n"].max()) if len(changed) else None,
            "turned": span(turned.min(), turned.max(), 0),
            "points": span(whole["difference"].min(), whole["difference"].max(), 1, signed=True),
            "clear": int((whole["p_holm"] < results.alpha).sum()),
            "tested": int(whole["p"].notna().sum()),
            "alpha": results.alpha,
        }


VERSIONS_DIFFER = Finding(
    "versions",
    version_changes,
    """{{ benchmark }} has {{ pairs | counted("pair") }} of {{ original }}
    {%- if changed %}, {{ changed }} of them with other sentences{% endif %}. Under each model and measure
    {% if tested %}{{ turned }} are decided otherwise, and scores of {{ benchmark }} are {{ points }} points
    from those of {{ original }}. Of {{ tested | counted("difference") }} {{ clear }}
    {{ clear | many("is", "are") }} clear ({{ say.significant(alpha) }}).
    {%- else %}{{ turned }} are decided otherwise: no difference can be tested.{% endif %}""",
)


def of_context(results: PairResults) -> tuple[pd.DataFrame, str, bool]:
    """The `distinct_measures` of trained models that are no controls, what these models are called, and
    whether there are controls."""
    rows, trained = results.study.of_trained_or_all(distinct_measures(results))
    see = _see_context(rows, _COUPLE)
    return rows[see], trained, not see.all()


def decided_differently(results: PairResults) -> Iterator[Row]:
    """How often two measures decide differently: the least and the most."""
    rows, trained, controls = of_context(results)
    if len(rows):
        different = 100 - rows["agreement"]
        yield {
            "trained": trained,
            "controls": controls,
            "different": span(different.min(), different.max(), 0),
        }


DECIDED_DIFFERENTLY = Finding(
    "decided differently",
    decided_differently,
    """Two measures of one {{ trained }}model decide {{ different }} of 100 pairs
    differently.{% if controls %} Controls are not counted.{% endif %}""",
)

BEYOND_CHANCE = """
{%- macro beyond_chance(areas) -%}
{% if areas.known %}{{ areas.off }} of {{ areas.known }} intervals
{{ areas.off | many("excludes", "exclude") }} chance; {{ areas.holding }}
{{ areas.holding | many("has", "have") }} {{ say.significant(areas.alpha) }}.
{%- else %}None of these has an interval.{% endif %}
{%- endmacro %}
"""
"""A macro for templates of findings. areas: of `beyond_chance`."""


def beyond_chance(areas: pd.DataFrame, alpha: float) -> Row:
    """How many intervals of areas (rows of AGREEMENT) exclude one half, and how many areas differ from it
    after Holm's correction, which is over these."""
    known = areas[areas["low"].notna()]
    return {
        "known": len(known),
        "off": int((known["low"].gt(HALF) | known["high"].lt(HALF)).sum()),
        "holding": int((step_down(known["p"].to_numpy(float)) < alpha).sum()),
        "alpha": alpha,
    }
