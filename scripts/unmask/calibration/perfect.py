"""The perfect model of an entry of a study, of either kind."""

from collections.abc import Mapping
from typing import Any

from unmask.calibration.exact_left import ExactLeftModel, described_left, exact_left_model
from unmask.calibration.exact_model import ExactModel, described, exact_model
from unmask.models.detecting import CAUSAL_LM


def perfect_model(
    name: str, entry: Mapping[str, Any], settings: Mapping[str, Any]
) -> ExactModel | ExactLeftModel:
    """The exact model of the entry `name` of a study's models, by its `kind`.

    settings: those of its world. Raises InputError as `exact_model` and `exact_left_model` do.
    """
    if entry["kind"] == CAUSAL_LM:
        return exact_left_model(entry, settings)
    return exact_model(name, entry, settings)


def manifest_of(model: ExactModel | ExactLeftModel) -> dict[str, Any]:
    """What the manifest of an exact model says; its weights are what its answers are computed from."""
    return described_left(model) if isinstance(model, ExactLeftModel) else described(model)
