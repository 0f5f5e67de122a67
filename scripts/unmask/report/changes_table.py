"""The columns that tables of changed bias scores share, and the rows that these need."""

import pandas as pd

from unmask.report.declared_tables import Column
from unmask.report.sheets import UNTESTABLE
from unmask.statistics.margins import Margins

CHANGES = (
    Column("before", "{before:.1f}", "Bias score in percent of the model that this one was made from."),
    Column("after", "{after:.1f}", "Bias score in percent of the model."),
    Column("change", "{change:+.1f}", "The second less the first, in points."),
    Column("interval", "[{untested}][{low:+.1f} to {high:+.1f}]", "Interval of the change, in points."),
    Column("p", "{p:p}", "Two-sided p of the change, clustered as its interval."),
    Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction."),
    Column("p, pairs as independent", "{p_mcnemar:p}", "p of McNemar's test."),
)


def with_margins(changed: pd.DataFrame, margins: Margins) -> pd.DataFrame:
    """Changes as cells need them: `untested` marks those without a test, and mean and typical are the margins
    of the two models, {mean,typical}_{before,after}, null where they are not known.

    changed: as unmask.statistics.changes has it.
    """
    untestable = changed["untestable"].astype(bool)
    frame = changed.assign(
        untested=pd.Series(UNTESTABLE, index=changed.index).where(untestable),
        low=changed["low"].mask(untestable),
    )
    for when, model in (("before", "origin"), ("after", "model")):
        keys = zip(frame[model], frame["benchmark"], frame["measure"], strict=True)
        known = [margins.get(key) for key in keys]
        for name in ("mean", "typical"):
            values = [None if margin is None else getattr(margin, name) for margin in known]
            frame[f"{name}_{when}"] = pd.Series(values, index=frame.index, dtype=float)
    return frame
