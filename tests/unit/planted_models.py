"""Models that never were, on the pairs of made worlds: margins are given, and decisions follow from them."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.calibration.population import ORACLE, TRAINED, Member, Observed
from unmask.measures.schema import SCORES
from unmask.measures.scoring import TIE_MARGIN
from unmask.tables import write_table

CORRUPTION = {"masked": 0.6, "kept": 0.2, "random": 0.2}
Margins = Callable[[pd.DataFrame], npt.NDArray[np.float64]]
"""The margins of pairs, from what is planted in them."""


def made_pairs(
    associations: Sequence[float] = (0.5, 0.6, 0.75, 0.9),
    ratios: Sequence[float] = (1, 4, 16),
    occupations: int = 24,
    nations: int = 2,
    each: int = 8,
    longer: bool = True,
    benchmark: str = "pairs",
) -> pd.DataFrame:
    """Pairs as Observed has them: occupations at the levels in turn, of either gender; nations a ratio;
    `each`: pairs of each unit and direction."""
    two: list[tuple[str, str | None]] = [("stereo", None), ("antistereo", None)]
    units = [
        ("association", f"job{i:02d}", associations[i // 2 % len(associations)], 1.0, [two[i % 2]])
        for i in range(occupations)
    ]
    for ratio in ratios:
        units += [
            ("frequency", f"a{ratio}-{i} / b{ratio}-{i}", 0.5, float(ratio), two) for i in range(nations)
        ]
    units.append(("both", "c / d", 0.8, 4.0, two))
    for factor in ("length", "longer") if longer else ():
        for i, sides in enumerate((("stereotype", "antistereotype"), ("antistereotype", "stereotype"))):
            told: list[tuple[str, str | None]] = list(zip(("stereo", "antistereo"), sides, strict=True))
            units.append((factor, f"{factor}{i} / whole{i}", 0.5, 1.0, told))
    rows: list[dict[str, object]] = []
    for factor, unit, p, ratio, directions in units:
        for direction, longer_side in directions:
            for i in range(each):
                words = 5 + i % 3
                text = f"{unit.replace(' / ', '-')} {direction} {i}" + " x" * (words - 3)
                rows.append(
                    {
                        "factor": factor,
                        "p": p,
                        "ratio": ratio,
                        "direction": direction,
                        "longer_side": longer_side,
                        "unit": unit,
                        "benchmark": benchmark,
                        "pair_id": f"p{len(rows):05d}",
                        "stereotype": f"{text}.",
                        "antistereotype": f"{text} more." if factor == "longer" else f"{text}!",
                        "words": words,
                        "even": factor != "longer",
                    }
                )
    return pd.DataFrame(rows).astype({"longer_side": "str"})


def follows(association: float, frequency: float = 0.0, noise: float = 0.0, seed: int = 0) -> Margins:
    """Margins of so much a unit of log-odds and a unit of log ratio towards the stereotypical group."""

    def margins(pairs: pd.DataFrame) -> npt.NDArray[np.float64]:
        towards = np.where(pairs["direction"] == "stereo", -1.0, 1.0)
        p = pairs["p"].to_numpy()
        own = np.random.default_rng(seed).normal(scale=noise, size=len(pairs)) if noise else 0.0
        return np.asarray(
            association * np.log(p / (1 - p)) + frequency * towards * np.log(pairs["ratio"].to_numpy()) + own
        )

    return margins


def member(
    model: str = "m", role: str = TRAINED, architecture: str | None = "bert", family: str = "w"
) -> Member:
    exact = role == ORACLE
    return Member(
        model, role, None if exact else architecture, family, "trusted" if exact else None, CORRUPTION
    )


def observed(
    of: Mapping[str, Margins], pairs: pd.DataFrame | None = None, who: Member | None = None, **more: Any
) -> Observed:
    """What measures with these margins show; nan is undefined, no more than TIE_MARGIN a tie."""
    pairs = made_pairs() if pairs is None else pairs
    margin = np.stack([of[measure](pairs) for measure in sorted(of)], axis=1)
    trial = ~np.isnan(margin)
    return Observed(who or member(), pairs, tuple(sorted(of)), margin, credit_of(margin), trial, **more)


def credit_of(margin: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """What pairs with these margins add to the score."""
    return np.where(np.abs(margin) <= TIE_MARGIN, 0.5, (margin > 0).astype(float))


def scores_of(one: Observed) -> pd.DataFrame:
    """The same as SCORES, in the other protocol with nothing but ties."""
    parts = []
    for column, measure in enumerate(one.measures):
        margin = one.margin[:, column]
        words = np.array(["antistereotype", "tie", "stereotype"], dtype=object)
        outcome = np.where(one.trial[:, column], words[(2 * one.credit[:, column]).astype(int)], "undefined")
        for protocol in ("published", "corrected"):
            told = outcome if protocol == "corrected" else "tie"
            parts.append(
                pd.DataFrame(
                    {
                        "pair_id": one.pairs["pair_id"],
                        "measure": measure,
                        "protocol": protocol,
                        "stereotype": margin,
                        "antistereotype": 0 * margin,
                        "margin": margin if protocol == "corrected" else 0.0,
                        "outcome": told,
                        "error": 0.0,
                        "lowest": told,
                        "highest": told,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def write_scores(path: Path, one: Observed, benchmark: str | None = None, shuffle: bool = False) -> Path:
    """Its scores as a file, which may be of any name of a benchmark, and in any order."""
    rows = scores_of(one)
    if shuffle:
        rows = rows.sample(frac=1, random_state=1).reset_index(drop=True)
    write_table(path, rows, SCORES, {"model": one.member.model, "benchmark": benchmark or one.benchmark})
    return path


def write_pairs(path: Path, pairs: pd.DataFrame, benchmark: str, swapped: bool = False) -> Path:
    """The pairs of a benchmark as a file; the sides may be exchanged."""
    sides = ["stereotype", "antistereotype"]
    told = pairs[["pair_id", *(reversed(sides) if swapped else sides), "direction"]].set_axis(
        ["pair_id", *sides, "direction"], axis=1
    )
    rows = told.assign(bias_type="any").reindex(columns=PAIRS.names).astype(object)
    write_table(path, rows, PAIRS, {"benchmark": benchmark})
    return path


def write_truth(path: Path, world: str, by_format: Mapping[str, pd.DataFrame]) -> Path:
    """The truth of a world, as far as it is read."""
    keys = ["factor", "p", "ratio", "direction", "longer_side", "unit"]
    benchmarks = {
        name: {
            row["pair_id"]: {key: None if pd.isna(row[key]) else row[key] for key in keys}
            for row in pairs.to_dict("records")
        }
        for name, pairs in by_format.items()
    }
    path.write_text(json.dumps({"world": world, "benchmarks": benchmarks}))
    return path
