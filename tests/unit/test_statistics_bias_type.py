"""Comparisons of models with their origins on the pairs of one bias type, held against counting by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    COMPARISONS,
    PAIRS,
    SCORES,
    read_metadata,
    read_table,
    write_table,
)
from running import run_script
from synthetic import make_pairs, make_scores
from test_statistics_bias import literal_score

MEASURES = ["AUL", "CPS"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark called some.pairs, and the scores of two models on it."""
    folder, rng = tmp_path_factory.mktemp("chosen"), np.random.default_rng(5)
    pairs = make_pairs(60, rng)
    write_table(folder / "some.pairs.parquet", pairs, PAIRS, {"benchmark": "some.pairs"})
    for model in ("before", "after"):
        about: dict[str, Any] = {
            "model": model,
            "benchmark": "some.pairs",
            "benchmark_sha256": "0",
            "evidence": {},
        }
        scores = make_scores(pairs, rng, ("AUL", "CPS"))
        write_table(folder / f"{model}.parquet", scores, SCORES, about)
    return folder


def of_type(folder: Path, model: str, measure: str, protocol: str, bias_type: str | None) -> pd.DataFrame:
    """The rows of one measure, pair by pair."""
    pairs = read_table(folder / "some.pairs.parquet", PAIRS)
    own = [pair for pair, kind in zip(pairs["pair_id"], pairs["bias_type"], strict=True) if kind == bias_type]
    rows = pd.read_parquet(folder / f"{model}.parquet").astype({"pair_id": str, "measure": str})
    rows = rows[(rows["measure"] == measure) & (rows["protocol"] == protocol)]
    return rows if bias_type is None else rows[rows["pair_id"].isin(own)]


def test_models_are_compared_on_the_pairs_that_count(folder: Path, tmp_path: Path) -> None:
    scores = [folder / "before.parquet", folder / "after.parquet"]
    inputs = {"pairs": folder / "some.pairs.parquet", "scores": scores}
    for bias_type, counted in (("gender", "gender"), ("nothing", None)):
        path = tmp_path / f"{bias_type}.parquet"
        run_script(
            "compare_scores",
            inputs,
            [path],
            tmp_path / "log",
            code="c",
            measures=MEASURES,
            options={"confidence": 0.95, "clusters": ["words"]},
            what="made",
            about={
                "benchmark": "some.pairs",
                "models": ["before", "after"],
                "origins": {"after": "before"},
            },
            bias_type=bias_type,
        )
        assert read_metadata(path)["bias_type"] == counted
        compared = read_table(path, COMPARISONS)
        assert set(compared["first"]) == {"after"} and set(compared["second"]) == {"before"}
        for row in compared.to_dict("records"):
            if row["protocol"] == "published":
                for model, score in ((row["first"], row["first_score"]), ("before", row["second_score"])):
                    rows = of_type(folder, model, row["measure"], "published", counted)
                    assert len(rows) == row["n"]
                    assert score == pytest.approx(literal_score(list(rows["outcome"]), "published"))
