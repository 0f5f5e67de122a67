"""The table and the figure of what was planted."""

from unmask.report.presenting import Presentation
from unmask.worlds.charts import judgements as chart
from unmask.worlds.results import WorldResults
from unmask.worlds.tables import judgements

PRESENTS = Presentation(
    WorldResults,
    {"planted": judgements},
    {"planted": (chart, "No model of this study was trained on what was planted.")},
)
