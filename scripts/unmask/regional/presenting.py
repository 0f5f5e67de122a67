"""The tables and figures of regional bias."""

from unmask.regional import charts, tables
from unmask.regional.results import RegionalResults
from unmask.report.presenting import Presentation, captioned

PRESENTS = Presentation(RegionalResults, tables.MAKERS, charts.MAKERS, captions=captioned(charts.MAKERS))
