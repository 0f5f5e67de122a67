"""What tables, charts and sentences on changed scores share, whichever family presents them."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from unmask.report.declared_tables import Column
from unmask.report.forms import Axis, Beside, Grid, Kinds, forest
from unmask.report.sheets import UNTESTABLE
from unmask.statistics.changes import clear_changes

COLUMNS = (
    Column("before", "{before:.1f}", "Bias score in percent of the model that this one was made from."),
    Column("after", "{after:.1f}", "Bias score in percent of the model."),
    Column("change", "{change:+.1f}", "The second less the first, in points."),
    Column("interval", "[{untested}][{low:+.1f} to {high:+.1f}]", "Interval of the change, in points."),
    Column("p", "{p:p}", "Two-sided p of the change, clustered as its interval."),
    Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction."),
    Column("p, pairs as independent", "{p_mcnemar:p}", "p of McNemar's test."),
)
"""The columns that tables of changed bias scores share."""

MACROS = """
{%- macro of_type(bias_type) %}
{%- if bias_type %} over pairs of the bias type {{ bias_type }}{% endif %}
{%- endmacro %}
{%- macro clearly_changed(clear, alpha) %}
{% set few %}{{ clear.untestable | many("it rests", "they rest") }} on too few different words{% endset %}
{% set unchanged = clear.changes - clear.untestable %}
{% if clear.tested %}
{% set nearer, further = clear.nearer, clear.further %}
{% set changes %}{{ clear.tested | counted("testable change") }} of bias scores{% endset %}
{% if nearer or further %}Of {{ changes }},
{{ nearer | none }} {{ "is" if nearer < 2 else "are" }} clearly towards 50 and
{{ further | none }} clearly away from it ({{ say.significant(alpha) }}).
{% elif clear.tested == 1 %}The only testable change of a bias score is not clear
({{ say.significant(alpha) }}).
{% else %}None of {{ changes }} is clear by itself ({{ say.significant(alpha) }}).{% endif %}
{% if clear.untestable %}Another {{ clear.untestable }} cannot be tested, as {{ few }}.{% endif %}
{% elif clear.untestable %}None of {{ clear.changes | counted("bias score") }} can be tested
{%- if unchanged %} ({{ unchanged }} {{ unchanged | many("does", "do") }} not change){% endif %}, as
{{ few }}. {% else %}None of {{ clear.changes | counted("bias score") }} changes.{% endif %}
{% endmacro %}
{%- macro how_compared(bias_type) %}
The comparison is paired{{ of_type(bias_type) }}, and pairs that share words vary together.
{% endmacro %}
{%- macro typical_left(left, after) %}
The typical margin of a pair after {{ after }} (the median of its size) is
{{ left.median | percent }} of that before
{%- if left.scores > 1 %} (median over {{ left.scores }} bias scores;
{{ left.least | percent }} to {{ left.most | percent }}){% endif %}.
{% endmacro %}
"""
"""Put in front of a finding's template: `clearly_changed` says how many changes of bias scores are clear,
`how_compared` on which pairs, `typical_left` what is left of typical margins."""


def clear_row(changed: pd.DataFrame, alpha: float, bias_type: str | None) -> Mapping[str, Any]:
    """What `clearly_changed` reads.

    changed: as unmask.statistics.changes, without controls, with p_holm over exactly these rows. bias_type:
    of the pairs that they are over, None where that is all.
    """
    return {"clear": clear_changes(changed, alpha), "alpha": alpha, "bias_type": bias_type}


def as_cells(changed: pd.DataFrame) -> pd.DataFrame:
    """Changes (unmask.statistics.changes) as COLUMNS need them: `untested` marks those without a test."""
    untestable = changed["untestable"].astype(bool)
    mark = pd.Series(UNTESTABLE, index=changed.index).where(untestable)
    return changed.assign(untested=mark, low=changed["low"].mask(untestable))


CHART_COLUMNS = ("panel", "row", "kind", "model", "before", "after", "low", "high", "p_holm")
"""What a change has: where it is drawn; what it is a number of; how its model was changed, and which that is;
the number before and after, the ends of the interval of after less before, and p after correction."""


def changes_chart(changes: pd.DataFrame, axis: Axis, decimals: int) -> alt.FacetChart | None:
    """A tick for what was, and a mark for what is, with the interval of the change laid at the tick: it holds
    the tick where nothing may have changed. None where there is no change.

    changes: CHART_COLUMNS. decimals: of numbers in tooltips.
    """
    frame = changes.assign(
        change=changes["after"] - changes["before"],
        least=changes["before"] + changes["low"],
        most=changes["before"] + changes["high"],
    )
    number, signed = f".{decimals}f", f"+.{decimals}f"
    tips = (
        ("panel", "what"),
        ("row", "of"),
        ("model", "model"),
        ("kind", "debiased by"),
        ("before", "before", number),
        ("after", "after", number),
        ("change", "change", signed),
        ("low", "interval from", signed),
        ("high", "interval to", signed),
        ("p_holm", "p after Holm's correction", ".2g"),
    )
    return forest(
        frame,
        axis,
        tips,
        name="row",
        value="after",
        interval=("least", "most"),
        kinds=Kinds("kind", "debiased by"),
        apart="kind",
        beside=[Beside("before", "tick")],
        grid=Grid(between=": "),
    )
