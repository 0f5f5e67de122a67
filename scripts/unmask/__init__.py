"""Unmask: measures social bias in language models, evidence first, measures second.

unmask.load("results/demo") gives the tables of a finished study as pandas frames (docs/start.md#from-python);
unmask.score("bert-base-uncased") scores a model first.
"""

from typing import Any


def load(folder: Any) -> Any:
    """The tables of the study whose results are in this folder: an unmask.study_results.StudyResults.

    Raises unmask.errors.InputError where there are none.
    """
    # loaded when it is called for, as it takes pandas; and not written out as an import, so that it is not in
    # the digest of every job (unmask.code_digest)
    from importlib import import_module  # noqa: TID251

    return import_module("unmask.study_results").StudyResults(folder)


def score(*models: str, **options: Any) -> Any:
    """Score models as the command `unmask score` does; the tables of that study, as `load` gives them.

    models: folders, or repositories of the hub. options: those of unmask.command.scoring.score. Raises
    unmask.errors.InputError for models and benchmarks that are not there, and where a job fails.
    """
    from importlib import import_module  # noqa: TID251

    return import_module("unmask.command.scoring").score(*models, **options)
