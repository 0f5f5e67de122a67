"""The results of calibration as frames: measures on synthetic worlds, and word frequency on real pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.calibration.families import over_models
from unmask.calibration.schema import CELL, CONTROLS, DEBIASED, DOSES, DRAWN, EXPLAINED, KEPT, METRICS
from unmask.loading import load_tables
from unmask.report.captions import Captions, load_captions
from unmask.report.sheets import DASH
from unmask.tables import framed, read_table

KINDS = ("oracle", "exact", "trained")
"""The kinds of models that tables of metrics begin with; architectures follow."""

SUMMARISED: Mapping[str, str] = {"oracle": "perfect models", "trained": "trained models"}
"""The kinds that sentences and charts are about, in plain words."""

ORDERS: Mapping[str, Sequence[str]] = {
    "role": (*KINDS, "kept", "balanced", "untrained"),
    "kind": KINDS,
    "control": ("identical", "swapped", "permuted", "balanced", "untrained"),
}
"""In which order the values of these columns stand."""

_OF_POWER = ("association", "per_unit", "draws")
"""The settings of power that captions name."""


@dataclass(frozen=True)
class CalibrationResults:
    """The results of a study.

    files: doses, merits, controls, kept, drawn, debiased, kept_exact (tables of unmask.calibration.schema,
    merits being METRICS and the last one KEPT; a path each, or empty or left out where there is none),
    explained (a list of EXPLAINED, which may be empty or left out) and captions.

    settings: models and benchmarks (each with name), measures, alpha, confidence, and power (association,
    pairs, per_unit, draws; null where the study has no worlds). Rows are in the order of these lists.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def confidence(self) -> float:
        return float(self.settings["confidence"])

    @property
    def nominal(self) -> float:
        """How often, in percent, a test may say that 50 is not the score where it is."""
        return 100 * (1 - self.confidence)

    @cached_property
    def power(self) -> Mapping[str, Any]:
        return dict(self.settings.get("power") or {})

    def _table(self, name: str, schema: pa.Schema) -> pd.DataFrame:
        path = self.files.get(name)
        return read_table(path, schema) if path else framed([], schema)

    def _sorted(self, rows: pd.DataFrame, *by: str) -> pd.DataFrame:
        """Rows in the order of the study and of ORDERS; what neither names comes last."""
        orders = {**ORDERS, **{name: self._names(f"{name}s") for name in ("measure", "model", "benchmark")}}

        def places(column: "pd.Series[Any]") -> "pd.Series[Any]":
            order = list(dict.fromkeys([*orders.get(str(column.name), ()), *column]))
            return column.map({value: place for place, value in enumerate(order)})

        return rows.sort_values(list(by), key=places, kind="stable").reset_index(drop=True)

    def _names(self, key: str) -> list[str]:
        return [
            str(entry["name"] if isinstance(entry, Mapping) else entry)
            for entry in self.settings.get(key) or []
        ]

    @cached_property
    def doses(self) -> pd.DataFrame:
        """DOSES."""
        return self._sorted(self._table("doses", DOSES), "measure", "role", "model")

    @cached_property
    def by_role(self) -> pd.DataFrame:
        """DOSES of perfect and trained models with all models of a role as one: measure, role, CELL, models,
        families, and score, margin and theory with the intervals of the first two."""
        rows = self.doses[self.doses["role"].isin(KINDS)]
        return over_models(rows, ["measure", "role", *CELL], ["score", "margin", "theory"], self.confidence)

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """METRICS."""
        return self._sorted(self._table("merits", METRICS), "measure", "kind")

    @cached_property
    def controls(self) -> pd.DataFrame:
        """CONTROLS."""
        rows = self._table("controls", CONTROLS)
        return self._sorted(rows, "control", "role", "measure", "model", "benchmark")

    @cached_property
    def debiased(self) -> pd.DataFrame:
        """DEBIASED."""
        return self._sorted(self._table("debiased", DEBIASED), "model", "measure")

    @cached_property
    def kept(self) -> pd.DataFrame:
        """KEPT, of trained models and then of oracles over keep rates."""
        parts = [self._table(name, KEPT) for name in ("kept", "kept_exact")]
        rows = pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)
        rows = rows.sort_values(["random", "kept"], ascending=[False, True], kind="stable")
        return self._sorted(rows, "role", "context", "measure")

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """DRAWN."""
        return self._sorted(self._table("drawn", DRAWN), "measure")

    @cached_property
    def explained(self) -> pd.DataFrame:
        """EXPLAINED with the columns model and benchmark first."""
        rows = load_tables(self.files.get("explained") or [], EXPLAINED, "model", "benchmark")
        return self._sorted(rows, "model", "benchmark")

    @property
    def has_worlds(self) -> bool:
        """Whether measures were applied to synthetic worlds."""
        return len(self.metrics) > 0 or len(self.doses) > 0

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in from the settings."""
        return load_captions(
            self.files["captions"],
            confidence=f"{100 * self.confidence:g}",
            nominal=f"{self.nominal:g}",
            **{key: f"{self.power[key]:g}" if key in self.power else DASH for key in _OF_POWER},
        )
