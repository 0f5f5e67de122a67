"""The figure on debiased models (unmask.report.presenting)."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from unmask.debiasing.charts import scores_changed
from unmask.debiasing.results import Found

if TYPE_CHECKING:
    from unmask.report.charts import Drawn

__all__ = ["Found", "drawn_charts"]

NOTHING = "No bias score of this study compares a debiased model with the one that it was made from."


def drawn_charts(found: Found, wanted: Iterable[str]) -> "Iterator[tuple[str, Drawn | str]]":
    """What debiasing changes of bias scores, which is all there is; where it is nothing, that."""
    for name in wanted:
        yield name, scores_changed(found.changed, found.models) or NOTHING
