"""Agreement with human raters: Figure 1, and the other readings of their votes."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs import compared, sheets
from unmask.pairs.results import Results
from unmask.report.sections import Section, folded, picture


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results, and figure1 (SVG); settings: models, benchmarks, alpha."""
    results = Results.of_section(files, settings)
    return Section(
        "agreement",
        "Agreement with human raters",
        (),
        (
            picture(results.captions["figure1"], "ROC curves", files["figure1"]),
            *compared.folded("Area against area", compared.areas(results), compared.found_of_areas(results)),
            *folded("Readings of the human ratings", sheets.agreement(results)),
        ),
    )
