"""Published values to show beside ours."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from unmask.report.sheets import DAGGER
from unmask.statistics.schema import DIFFERENCE
from unmask.terms import ANTISTEREO, STEREO


@dataclass(frozen=True)
class PeerValue:
    """A bias score that somebody else reports: percent, and the count behind it where it is known.

    accuracy: token accuracy in percent under `reading` (unmask.statistics.accuracy), None where none is
    reported.
    """

    source: str
    measure: str
    group: str
    percent: float
    count: int | None
    reading: str | None = None
    accuracy: float | None = None


@dataclass(frozen=True)
class Published:
    """The facts of resources/pairs/published.yaml.

    Models and benchmarks go by their published names; an unknown or absent one has no values.
    """

    facts: Mapping[str, Any]

    @classmethod
    def from_file(cls, path: str | Path) -> "Published":
        return cls(yaml.safe_load(Path(path).read_text(encoding="utf-8")))

    def _entry(self, table: str, model: str | None, benchmark: str | None) -> Mapping[str, Any]:
        entry: Mapping[str, Any] = self.facts[table].get(model, {}).get(benchmark, {})
        return entry

    def accuracy(self, model: str | None, benchmark: str | None, measure: str) -> float | None:
        """Token accuracy in percent (Table 1)."""
        return self._entry("table1", model, benchmark).get(measure)

    def control(self, model: str | None, benchmark: str | None, control: str) -> float | None:
        """AUL's accuracy in percent on `shuffled` or `unrelated` sentences (Table 4)."""
        return self._entry("table4", model, benchmark).get(control)

    def mark(self, table: str, model: str | None, benchmark: str | None, name: str) -> str:
        """The mark that the paper has at an accuracy of `table1` (by measure) or `table4` (by control).

        Empty where it has none, and where it is not known to have one.
        """
        marked = self.facts["daggers"][table].get(model, {}).get(benchmark, ())
        return DAGGER if name in marked else ""

    def score(
        self, model: str | None, benchmark: str | None, measure: str, group: str = "all"
    ) -> float | None:
        """Bias score in percent over all pairs (Table 5), a direction or the `difference` (Table 3)."""
        if group == DIFFERENCE:
            adv, dis = (self.score(model, benchmark, measure, side) for side in (ANTISTEREO, STEREO))
            return None if adv is None or dis is None else abs(adv - dis)
        if group == "all":
            count = self._entry("table5", model, benchmark).get(measure)
        else:
            count = self._entry("table3", model, benchmark).get(measure, {}).get(group)
        return None if count is None else 100 * count / self.facts["sizes"][benchmark][group]

    def peers(self, model: str | None, benchmark: str | None) -> list[PeerValue]:
        """What others report for this model on this benchmark."""
        values: list[PeerValue] = []
        for entry in self.facts["peers"]:
            if (entry["model"], entry["benchmark"]) == (model, benchmark):
                source = self.facts["sources"][entry["source"]]["title"]
                counts, sizes = entry.get("counts", {}), self.facts["sizes"][benchmark]
                percents = {group: 100 * count / sizes[group] for group, count in counts.items()}
                for group, percent in {**percents, **entry.get("percent", {})}.items():
                    value = PeerValue(source, entry["measure"], group, percent, counts.get(group))
                    if group == "all" and "accuracy" in entry:
                        value = replace(value, **entry["accuracy"])
                    values.append(value)
        return values
