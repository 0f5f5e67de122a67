"""What changes of bias scores allow to be said, in words."""

import pandas as pd

from unmask.report.sheets import counted
from unmask.statistics.changes import clear_changes
from unmask.statistics.margins import Left


def clearly_changed(changed: pd.DataFrame, alpha: float, bias_type: str | None = None) -> str:
    """How many bias scores clearly come nearer to 50, of how many that can be tested, as sentences that begin
    with `of`.

    changed: as unmask.statistics.changes, without controls, with p_holm over exactly these rows. bias_type:
    of the pairs that they are over, None where that is all.
    """
    found = clear_changes(changed, alpha)
    few = "rest on too few different words, so nothing is known of other words"
    over = "" if bias_type is None else f" over pairs of the bias type {bias_type}"
    scores = f"{counted(found.changes, 'bias score')}{over}"
    if not found.tested:
        unchanged = found.changes - found.untestable
        if not found.untestable:
            return f"of {scores} none changes."
        same = f" ({unchanged} do not change)" if unchanged else ""
        return f"of {scores} none can be tested{same}: they {few}."
    sentence = (
        f"of {scores} {found.tested} can be tested; {len(found.nearer)} come nearer to 50 and "
        f"{len(found.further)} go further from it (paired, p < {alpha:g} after Holm's correction over these "
        f"{found.tested})."
    )
    others = f" Another {found.untestable} cannot be tested: they {few}." if found.untestable else ""
    return sentence + others


def typical_left(left: Left) -> str:
    """What is left of typical margins."""
    least, middle, most = (f"{100 * share:.0f}%" for share in (left.least, left.median, left.most))
    among = "" if left.scores == 1 else f" (median over {left.scores} bias scores; {least} to {most})"
    return f"The typical margin of a pair, the median of its size, is {middle} of what it was{among}."
