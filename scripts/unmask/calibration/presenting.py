"""The tables and figures of calibration, by the names of unmask.calibration.artifacts."""

from unmask.calibration.charts import MAKERS
from unmask.calibration.results import CalibrationResults
from unmask.calibration.tables import PRESENTED
from unmask.report.presenting import Presentation, captioned

PRESENTS = Presentation(
    CalibrationResults,
    {name: table.captioned for name, table in PRESENTED.items()},
    MAKERS,
    captions=captioned(MAKERS),
)
