"""The tables and figures of downstream tasks."""

from unmask.downstream import charts, tables
from unmask.downstream.results import DownstreamResults
from unmask.report.presenting import Presentation, captioned

PRESENTS = Presentation(DownstreamResults, tables.MAKERS, charts.MAKERS, captions=captioned(charts.MAKERS))
