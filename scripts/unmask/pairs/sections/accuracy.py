"""Token accuracy under every reading, and the tests between accuracies."""

from collections.abc import Mapping
from typing import Any

from unmask.pairs import sheets
from unmask.pairs.results import Results
from unmask.report.sections import Section, Text, folded

ABOUT = (
    "The paper and its code leave some choices open. These are the same results under the other choices: "
    "which tokens count, and what a test takes as independent."
)


def section(files: Mapping[str, Any], settings: Mapping[str, Any]) -> Section:
    """files: those of Results; settings: models, benchmarks, alpha. Empty where nothing has an accuracy."""
    results = Results.of_section(files, settings)
    folds = (
        *folded("Token accuracy: which tokens count", sheets.accuracies(results)),
        *folded("McNemar tests of accuracies, by token, by pair and by sentence", sheets.tests(results)),
    )
    return Section("accuracy", "Token accuracy", (), (Text(ABOUT), *folds) if folds else ())
