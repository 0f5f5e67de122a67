"""What a study has found in worlds whose bias is known, and of word frequency on real pairs, out of its
files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.calibration.over_models import doses_by_role
from unmask.calibration.schema import CONTROLS, DOSES, DRAWN, EXPLAINED, KEPT, MERITS
from unmask.loading import load_tables
from unmask.report.captions import Captions, load_captions
from unmask.report.sheets import DASH
from unmask.tables import framed, read_table

ROLES = ("oracle", "exact", "trained", "kept", "balanced", "untrained")
"""What models are to the wing, in the order in which they are shown."""

KINDS = ("oracle", "exact", "trained")
"""The kinds of figures of merit that stand first; architectures follow."""

TOLD = ("oracle", "trained")
"""Those of them that sentences and panels are of."""

CONTROLS_SHOWN = ("identical", "swapped", "permuted", "balanced", "untrained")


@dataclass(frozen=True)
class Found:
    """files: doses, merits, controls, kept, drawn, kept_exact (tables of unmask.calibration.schema, the last
    one KEPT; a path each, or empty or left out where there is none), explained (a list of EXPLAINED, which
    may be empty or left out) and captions.

    settings: models and benchmarks (each with name, in the order of the study), measures (in the order in
    which they are shown), alpha, confidence, and power (association, pairs, per_unit, draws; null where the
    study has no worlds).
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
        """Rows in the order of the study, of roles, of kinds; what the study does not name comes last."""
        orders: Mapping[str, Sequence[str]] = {
            "measure": self._names("measures"),
            "model": self._names("models"),
            "benchmark": self._names("benchmarks"),
            "role": ROLES,
            "kind": KINDS,
            "control": CONTROLS_SHOWN,
        }

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
        """The doses of oracles and trained models, a row for all models of a role (DOSES_BY_ROLE)."""
        rows = self.doses[self.doses["role"].isin(["oracle", "exact", "trained"])]
        return doses_by_role(rows, self.confidence)

    @cached_property
    def merits(self) -> pd.DataFrame:
        """MERITS."""
        return self._sorted(self._table("merits", MERITS), "measure", "kind")

    @cached_property
    def controls(self) -> pd.DataFrame:
        """CONTROLS."""
        return self._sorted(
            self._table("controls", CONTROLS), "control", "role", "measure", "model", "benchmark"
        )

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
        """Whether anything was held against a world."""
        return len(self.merits) > 0 or len(self.doses) > 0

    @cached_property
    def captions(self) -> Captions:
        """With what they name filled in from the settings."""
        return load_captions(
            self.files["captions"],
            confidence=f"{100 * self.confidence:g}",
            nominal=f"{self.nominal:g}",
            **{key: f"{self.power[key]:g}" if key in self.power else DASH for key in _OF_POWER},
        )


_OF_POWER = ("association", "per_unit", "draws")
