"""Bias scores of sentences that say nothing any more."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs import sheets
from unmask.pairs.results import Results
from unmask.report.sections import Section, folded


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results; settings: models, benchmarks, alpha."""
    results = Results.of_section(files, settings)
    return Section(
        "controls", "Controls", (), folded("Bias scores with the tokens shuffled", sheets.shuffled(results))
    )
