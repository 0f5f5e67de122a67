"""What a chart's file has where there is nothing to draw."""

import altair as alt


def note(text: str) -> alt.Chart:
    """A chart that says why there is none."""
    rows = alt.InlineData(values=[{"text": text}])
    made: alt.Chart = alt.Chart(rows).mark_text(style="neutral").encode(text="text:N")
    return made.properties(width=560, height=60)
