"""The study of all families: recomputed from its files, and compared with the numbers of golden/*.csv.

`make snapshots` writes these anew and prints what changes; CHANGELOG says why.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from recompute import recompute
from small_study import Workflow

GOLDEN = Path(__file__).parent / "golden"
EXACT = 1e-6
"""Relative, and absolute near 0: of numbers of exact models, and of counts."""


@dataclass(frozen=True)
class Golden:
    """Numbers of the tables of a family.

    files: a pattern below the results, with a folder for each of the `places`. rows: which are compared.
    trained: how far off, in its unit, the number of a column may be where a trained model has made it; on
    other processors training gives other weights.
    """

    files: str
    places: tuple[str, ...]
    rows: str
    keys: tuple[str, ...]
    trained: dict[str, float]


FAMILIES = {
    "bias": Golden(
        "statistics/*/pairs/bias.parquet",
        ("model",),
        "variant == 'original'",
        ("measure", "protocol", "grouping", "group"),
        dict.fromkeys(("score", "low", "high", "null_low", "null_high"), 5.0) | {"p": 0.1},
    ),
    "associations": Golden(
        "associations/*/synthetic/associations.parquet",
        ("model",),
        "experiment == 'weat'",
        ("test", "experiment", "pooling", "unit"),
        {"mean_difference": 2e-4, "d": 0.05, "p": 0.1, "d_low": 0.1, "d_high": 0.1},
    ),
    "regional": Golden(
        "regional/*/scores.parquet",
        ("model",),
        "words == 'full' and p.notna()",
        ("protocol", "measure", "region"),
        {"score": 2e-4, "p": 0.1, "permuted_low": 2e-4, "permuted_high": 2e-4},
    ),
    "downstream": Golden(
        "downstream/*/*/scores.parquet",
        ("task", "model"),
        "seed.isna() and group.isna()",
        ("metric",),
        dict.fromkeys(("value", "low", "high", "null_low", "null_high", "p"), 0.1),
    ),
    "group_words": Golden(
        "group_words/pairs/words.parquet",
        (),
        "count > 0",
        ("bias_type", "words_from", "group", "word"),
        dict.fromkeys(("pairs_advantaged", "pairs_disadvantaged", "count", "per_million"), EXACT),
    ),
}


def numbers(results: Path, family: Golden) -> pd.DataFrame:
    """The rows of all files, with their places, in order."""
    frames = []
    for path in sorted(results.glob(family.files)):
        parts = path.relative_to(results).parts
        folders = [part for part, name in zip(parts, family.files.split("/"), strict=True) if name == "*"]
        rows = pd.read_parquet(path).query(family.rows, engine="python")
        frames.append(rows.assign(**dict(zip(family.places, folders, strict=True))))
    keys = [*family.places, *family.keys]
    every = pd.concat(frames)[[*keys, *family.trained]]
    return every.astype(dict.fromkeys(keys, str)).sort_values(keys, ignore_index=True)


def changes(now: pd.DataFrame, before: pd.DataFrame, family: Golden) -> list[str]:
    """A line for each number that is not what it was, and for each row of one side alone."""
    keys = [*family.places, *family.keys]
    both = now.merge(before, on=keys, how="outer", suffixes=("", "_before"), indicator="side")
    lines = [
        f"{', '.join(row[key] for key in keys)}: is {'new' if row['side'] == 'left_only' else 'gone'}"
        for row in both[both["side"] != "both"].to_dict("records")
    ]
    both = both[both["side"] == "both"]
    for name, tolerance in family.trained.items():
        is_exact = both["model"].eq("oracle") if "model" in keys else pd.Series(True, both.index)
        value, known = both[name].astype(float), both[f"{name}_before"].astype(float)
        allowed = known.abs().clip(lower=1) * EXACT
        allowed = allowed.where(is_exact, allowed.clip(lower=tolerance))
        same = ((value - known).abs() <= allowed) | (value.isna() & known.isna())
        for row in both[~same].to_dict("records"):
            place = ", ".join(row[key] for key in keys)
            lines.append(f"{place}: {name} is {row[name]:.6g}, was {row[f'{name}_before']:.6g}")
    return lines


@pytest.mark.parametrize("name", FAMILIES)
def test_numbers_are_what_they_were(name: str, whole: Workflow) -> None:
    family, file = FAMILIES[name], GOLDEN / f"{name}.csv"
    now = numbers(whole.folder / "results" / whole.config["study"], family)
    dtypes = dict.fromkeys((*family.places, *family.keys), str)
    lines = changes(now, pd.read_csv(file, dtype=dtypes, keep_default_na=False, na_values=[""]), family)
    if os.environ.get("UNMASK_SNAPSHOTS") == "renew":
        sys.__stdout__.write("".join(f"{name}: {line}\n" for line in lines))  # type: ignore[union-attr]
        now.to_csv(file, index=False, float_format="%.7g", lineterminator="\n")
    else:
        assert lines == [], "where this is meant, run make snapshots"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("whole", ["decisions", "regional bias, C_w", "effect sizes d", "extrinsic bias", "counts of words"]),
        (
            "demonstration",
            ["decisions", "areas under ROC curves", "counts of words", "charts of bias scores"],
        ),
        ("families", ["decisions", "regional bias, C_w", "effect sizes d", "extrinsic bias"]),
    ],
)
def test_a_study_is_recomputed_from_its_files(
    name: str, kinds: list[str], request: pytest.FixtureRequest
) -> None:
    workflow: Workflow = request.getfixturevalue(name)
    study = recompute(workflow.folder / "results" / workflow.config["study"])
    assert {kind: lines[:3] for kind, lines in study.differing.items() if lines} == {}
    assert [kind for kind in kinds if not study.compared[kind]] == []
