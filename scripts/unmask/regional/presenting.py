"""The tables and figures of regional bias."""

from unmask.regional import charts
from unmask.regional.present import MAKERS
from unmask.regional.results import RegionalResults
from unmask.report.presenting import Presentation, captioned

PRESENTS = Presentation(RegionalResults, MAKERS, charts.MAKERS, captions=captioned(charts.MAKERS))
