"""Made-up studies of calibration: what measures would give by closed forms, with the noise of models."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.stats import norm

from unmask.calibration.metrics import RANKED
from unmask.calibration.schema import CONTROLS, DEBIASED, DOSES, DRAWN, EXPLAINED, KEPT, METRICS
from unmask.tables import framed, write_table

CAPTIONS = Path(__file__).parents[2] / "resources" / "calibration" / "captions.yaml"
AWKWARD = "a<b>&$x_1$|"
"""A name that would be markup somewhere."""

MEASURES = ("AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum", "PLL")
STRENGTHS = {
    "AUL": (0.02, 0.012),
    "AULA": (0.02, 0.012),
    "CPS": (1.0, 0.0),
    "SSS": (1.0, 1.0),
    "AllMasked": (0.0, 1 / 7),
    "AllMaskedSum": (0.0, 1.0),
    "PLL": (2.0, 1.0),
}
"""Margins per unit of log-odds, and of log ratio."""

NUMBERS = (100, 500, 1500)
FAMILIES = tuple(f"dose-{n}" for n in range(1, 6))
ARCHITECTURES = ("bert", "roberta", "albert")
POWER = {"association": 0.75, "pairs": list(NUMBERS), "per_unit": 10, "draws": 400, "seed": 0}
CELLS: list[dict[str, Any]] = [
    *({"factor": "association", "p": p, "ratio": 1.0} for p in (0.5, 0.6, 0.75, 0.85, 0.9, 0.95)),
    *({"factor": "frequency", "p": 0.5, "ratio": ratio} for ratio in (1.0, 4.0, 16.0)),
    *({"factor": "both", "p": 0.8, "ratio": ratio} for ratio in (1.0, 4.0, 16.0)),
    *(
        {"factor": factor, "p": 0.5, "ratio": 1.0, "longer_side": side}
        for factor in ("length", "longer")
        for side in ("stereotype", "antistereotype")
    ),
]


def model(name: str, role: str, family: str, architecture: str | None = None) -> dict[str, Any]:
    return {"model": name, "role": role, "architecture": architecture, "family": family}


def models_of(families: Sequence[str], architectures: Sequence[str]) -> list[dict[str, Any]]:
    """An oracle, an exact model and a trained model of each architecture, in each family."""
    found = []
    for family in families:
        found += [model(f"oracle-{family}", "oracle", family), model(f"exact-{family}", "exact", family)]
        found += [model(f"{family}-{name}", "trained", family, name) for name in architectures]
    # what a study calls its models is data
    return [found[0] | {"model": AWKWARD}, *found[1:]]


def strengths_of(measure: str, role: str, rng: np.random.Generator) -> tuple[float, float]:
    """What margins follow, with the noise of a trained model."""
    association, frequency = STRENGTHS[measure]
    if role != "trained":
        return association, frequency
    return association * (0.9 + 0.1 * rng.normal()), frequency * (0.95 + 0.05 * rng.normal())


def doses(models: Sequence[dict[str, Any]], seed: int = 0) -> list[dict[str, Any]]:
    """A row of DOSES per model, measure and cell."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for own in models:
        for measure in MEASURES:
            theory, strengths = STRENGTHS[measure], strengths_of(measure, own["role"], rng)
            for cell in CELLS:
                for direction, sign in (("stereo", -1), ("antistereo", 1)):
                    x = math.log(cell["p"] / (1 - cell["p"])), sign * math.log(cell["ratio"])
                    exact, margin = (s[0] * x[0] + s[1] * x[1] for s in (theory, strengths))
                    spread = 0.3 * max(STRENGTHS[measure])
                    score = 100 * float(norm.cdf(margin / spread))
                    rows.append(
                        {**own, "measure": measure, "longer_side": None, **cell, "direction": direction}
                        | {"pairs": 48, "units": 4, "score": score}
                        | {"low": max(0.0, score - 9), "high": min(100.0, score + 9), "margin": margin}
                        | {"margin_low": margin - spread, "margin_high": margin + spread, "theory": exact}
                    )
    return rows


def merits(
    models: Sequence[dict[str, Any]], families: int, numbers: Sequence[int] = NUMBERS
) -> Iterator[dict[str, Any]]:
    """Rows of METRICS; intervals where there is more than one family."""
    trained = [own["architecture"] for own in models if own["role"] == "trained"]
    for measure in MEASURES:
        association, frequency = STRENGTHS[measure]
        for kind in ("oracle", *dict.fromkeys(trained), "trained"):
            weaker = 1.0 if kind == "oracle" else 0.9
            count = len(trained) if kind == "trained" else families

            def row(
                merit: str,
                condition: str,
                value: float | None,
                reach: float,
                most: float = math.inf,
                base: Any = {"measure": measure, "kind": kind, "models": count, "families": families},  # noqa: B006
            ) -> dict[str, Any]:
                known = value is not None and families > 1
                ends = (
                    (max(-most, value - reach), min(most, value + reach))
                    if known and value is not None
                    else (None,) * 2
                )
                return {**base, "merit": merit, "condition": condition, "value": value} | {
                    "low": ends[0],
                    "high": ends[1],
                }

            slope, follows = weaker * association, weaker * frequency
            yield row("slope", "", slope, 0.05 * slope)
            for words in (6, 7, 8):
                yield row("slope", f"words={words}", slope * 7 / words, 0.05 * slope)
            yield row("frequency", "", follows, 0.05 * follows)
            yield row("exchange", "", follows / slope if slope else None, 0.05)
            for number in numbers:
                power = 100 * (1 - math.exp(-number / 150)) if slope else 4.0
                yield row("power", f"n={number}", power, 4.0)
                yield row("smallest", f"n={number}", 0.5 + 3 / number if slope else None, 0.01)
            for each in (1, 10, 50):
                yield row("power", f"n=500, {each} a word", 95.0 - each if slope else 4.0, 4.0)
            yield row("false alarms", "no association", 4.0, 3.0)
            for ratio in (1, 4, 16):
                alarms = min(100.0, 5.0 + 60 * math.log(ratio) * (follows > 0))
                yield row("false alarms", f"ratio={ratio}", alarms, 3.0)
            yield row("false alarms", "subtoken", 20.0, 3.0)
            yield row("false alarms", "longer", 55.0, 3.0)
            for condition in ("no association", "ratio=1", "ratio=4", "ratio=16", "subtoken", "longer"):
                yield row("false alarms by chance", condition, CHANCE_ALARMS, 1.0)
            yield row("rank", "", association / (association + frequency), 0.1, 1.0)
            if kind == "oracle":
                ranked = association / (association + 2 * frequency)
                for condition, value in zip(RANKED, (1.0, 0.7, ranked, ranked - 0.1), strict=True):
                    yield row("rank of worlds", condition, value if association else None, 0.05, 1.0)


CHANCE_ALARMS = 7.0


def controls(models: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows of CONTROLS: one permuted benchmark fails, and all else holds."""
    for measure in MEASURES:
        for place, own in enumerate(models):
            base = {**own, "benchmark": f"{own['family']}-pairs", "measure": measure, "pairs": 400}
            yield base | {"control": "identical", "score": 50.0, "margin": 0.0, "worst": 0.0, "holds": True}
            yield base | {"control": "swapped", "score": 22.0, "margin": -0.4, "worst": 3e-13, "holds": True}
            off = place == 0 and measure == "AUL"
            ends = {
                "score": 58.0 if off else 51.0,
                "low": 52.0 if off else 46.0,
                "high": 63.0 if off else 56.0,
            }
            yield base | {"control": "permuted", "margin": 0.01, "holds": not off} | ends
        for role in ("balanced", "untrained"):
            own = model(f"{role}-bert", role, models[0]["family"], "bert")
            yield {**own, "control": role, "benchmark": "dose-1-pairs", "measure": measure, "pairs": 400} | {
                "score": 49.0,
                "low": 44.0,
                "high": 54.0,
                "margin": -0.001,
                "holds": True,
            }


def strengths_kept(measure: str, kept: float, random: float) -> tuple[float, float]:
    """Association and frequency of a measure at a keep rate: AUL is weaker, the more is kept."""
    association, frequency = STRENGTHS[measure]
    if measure not in ("AUL", "AULA"):
        return association, frequency
    if not random:
        return 0.0, 0.0
    return 0.3 / (1 + 40 * kept), 0.14 / (1 + 30 * kept)


def kept_exact(family: str) -> Iterator[dict[str, Any]]:
    """Rows of KEPT of oracles over a grid of keep rates, in both contexts."""
    grid = [(kept, 0.1) for kept in (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)]
    for context in ("trusted", "corrupted"):
        for kept, random in [*grid, (0.5, 0.0)]:
            own = model(f"{context}-{kept}-{random}", "oracle", family)
            for measure in MEASURES:
                pull = 1.0 if context == "trusted" else 0.9
                found = [pull * value for value in strengths_kept(measure, kept, random)]
                yield kept_row(own, context, kept, random, measure, found)


def kept_row(
    own: dict[str, Any],
    context: str | None,
    kept: float,
    random: float,
    measure: str,
    found: Sequence[float],
) -> dict[str, Any]:
    shares = {"context": context, "masked": 1 - kept - random, "kept": kept, "random": random}
    strengths = {"association": found[0], "frequency": found[1]}
    exchange = found[1] / found[0] if found[0] else None
    return {**own, **shares, "measure": measure, **strengths, "exchange": exchange} | {
        "associated": 90.0,
        "rarer": 10.0,
    }


def kept(families: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Rows of KEPT of trained models: those of the worlds' own corruption, and four of others."""
    for family in families:
        shares = [(0.2, 0.2, "trained")]
        if family == families[0] and len(families) > 1:
            shares += [(0.0, 0.1, "kept"), (0.5, 0.0, "kept")]
        for kept, random, role in shares:
            own = model(f"{family}-bert-{kept}", role, family, "bert")
            for measure in MEASURES:
                found = [1.1 * value for value in strengths_kept(measure, kept, random)]
                yield kept_row(own, None, kept, random, measure, found)


def drawn(worlds: int = 60) -> Iterator[dict[str, Any]]:
    """Rows of DRAWN."""
    rng = np.random.default_rng(1)
    for world in range(worlds):
        x, y = float(rng.uniform(0, math.log(19))), float(rng.uniform(0, math.log(16)))
        for measure in MEASURES:
            association, frequency = STRENGTHS[measure]
            yield {
                "world": world,
                "p": 1 / (1 + math.exp(-x)),
                "ratio": math.exp(y),
                "measure": measure,
                "score": 100.0,
                "margin": association * x,
                "stereo_score": 100.0 * (association * x > frequency * y),
                "stereo_margin": association * x - frequency * y,
            }


def explained() -> Iterator[dict[str, Any]]:
    """Rows of EXPLAINED: three measures, and every two of them."""

    def ends(name: str, value: float, reach: float) -> dict[str, float]:
        low, high = f"{name}_low", f"{name}_high"
        return {name: value, low: value - reach, high: value + reach}

    scores = {"AUL": (55.0, 1.0), "SSS": (61.0, 6.5), "CPS": (58.0, 0.5)}
    names = list(scores)
    pairs = [(one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    for first, second in [*((name, None) for name in names), *pairs]:
        value, part = scores[first]
        if second is not None:
            value, part = value - scores[second][0], part - scores[second][1]
        yield {
            "first": first,
            "second": second,
            "n": 1400,
            "value": value,
            "low": value - 2.5,
            "high": value + 2.5,
            **ends("explained", part, 1.5),
            **ends("rest", value - part, 3.0),
            **ends("slope", 3 * part, 2.0),
            "disagreements": None if second is None else 310,
            "towards_frequent": None if second is None else 50 + 2 * part,
            "towards_low": None if second is None else 46 + 2 * part,
            "towards_high": None if second is None else 54 + 2 * part,
            "confidence": 0.95,
        }


METHODS: dict[str, tuple[float, float | None, float, str]] = {
    "continued": (1.0, 1.0, 1.02, "no clear change"),
    "cda": (0.0, 0.0, 0.01, "removed"),
    "dropout": (0.0, 1.0, 0.8, "reduced"),
}
"""By method of debiasing: the goal, what its text has, what is left, and the verdict."""


def debiased() -> Iterator[dict[str, Any]]:
    """A row of DEBIASED per method and measure that follows the association."""
    for method, (goal, text, left, verdict) in METHODS.items():
        for measure in ("CPS", "SSS"):
            yield {
                **{"model": f"dose-1-bert-{method}", "family": "dose-1", "architecture": "bert"},
                **{"origin": "dose-1-bert", "method": method, "reading": "corrected", "measure": measure},
                **{"occupations": 24, "before": 0.9, "after": 0.9 * left, "goal": goal, "text": text},
                **{"left": left, "low": left - 0.04, "high": left + 0.04, "verdict": verdict},
                **{"change_low": left - 1.05, "change_high": left - 0.95},
            }


class Study:
    """Files and settings of a study, written below a folder.

    size: `whole`; `small` (one world, two trained models, no kept models, nothing explained); or `explained`
    (no world at all).
    """

    def __init__(self, folder: Path, size: str = "whole") -> None:
        self.folder = folder
        self.families = FAMILIES if size == "whole" else FAMILIES[:1]
        self.models = models_of(self.families, ARCHITECTURES if size == "whole" else ARCHITECTURES[::2])
        numbers = NUMBERS if size == "whole" else NUMBERS[:1]
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.files: dict[str, Any] = {"captions": str(CAPTIONS), "explained": []}
        if size != "explained":
            self._write("doses", DOSES, doses(self.models))
            self._write("merits", METRICS, list(merits(self.models, len(self.families), numbers)))
            self._write("controls", CONTROLS, list(controls(self.models)))
            self._write("kept", KEPT, list(kept(self.families)))
            self._write("drawn", DRAWN, list(drawn()))
            self._write("kept_exact", KEPT, list(kept_exact(self.families[0])))
        if size == "whole":
            self._write("debiased", DEBIASED, list(debiased()))
        if size != "small":
            facts = {"model": AWKWARD, "benchmark": "crows-pairs", "mean": 0.4, "tokens": 10**8}
            self._write("explained", EXPLAINED, list(explained()), facts)
            self.files["explained"] = [self.files["explained"]]
        names = [row["model"] for row in self.models]
        self.settings: dict[str, Any] = {
            "models": [{"name": name} for name in names],
            "benchmarks": [{"name": "crows-pairs"}],
            "measures": list(MEASURES),
            "alpha": 0.05,
            "confidence": 0.95,
            "power": POWER if size != "explained" else None,
        }

    def _write(
        self, name: str, schema: pa.Schema, rows: list[dict[str, Any]], facts: dict[str, Any] | None = None
    ) -> None:
        path = str(self.folder / f"{name}.parquet")
        write_table(path, framed(rows, schema), schema, facts or {})
        self.rows[name], self.files[name] = rows, path
