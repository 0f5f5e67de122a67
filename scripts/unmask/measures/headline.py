"""The measure by which a study, and each of its models, is summed up."""

from collections.abc import Collection, Sequence

MAIN = "AUL"
"""The headline measure of a study that names none, if it has it."""


def headline(measures: Sequence[str], named: str | None = None) -> str:
    """The headline measure of a study with these measures: that which it names, or MAIN, or its first."""
    return named or (MAIN if MAIN in measures else measures[0])


def headline_among(measured: Collection[str], measures: Sequence[str], named: str | None = None) -> str:
    """That of a model with its `measured` ones: the study's, or the first of the study that the model has."""
    of_study = headline(measures, named)
    return (
        of_study if of_study in measured else next((name for name in measures if name in measured), of_study)
    )
