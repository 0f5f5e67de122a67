"""Several worlds in one report."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from library import Study, planted_sheets, read_truths

STUDY = Study.from_config(
    [{"name": "m"}],
    [
        {"name": "real", "format": "crows-pairs"},
        {"name": "a-cp", "world": "a", "format": "crows-pairs"},
        {"name": "b-cp", "world": "b", "format": "crows-pairs"},
        {"name": "b-ss", "world": "b", "format": "stereoset"},
    ],
)


def test_each_benchmark_has_the_truth_of_its_world_and_format(tmp_path: Path) -> None:
    paths = []
    for world in ("b", "a"):
        benchmarks = {name: {"0": {"target": f"{world} {name}"}} for name in ("crows-pairs", "stereoset")}
        paths.append(tmp_path / f"{world}.json")
        paths[-1].write_text(json.dumps({"world": world, "benchmarks": benchmarks}))
    assert {name: truth["0"]["target"] for name, truth in read_truths(STUDY, paths).items()} == {
        "a-cp": "a crows-pairs",
        "b-cp": "b crows-pairs",
        "b-ss": "b stereoset",
    }


def test_a_study_without_worlds_has_no_truths() -> None:
    assert read_truths(Study.from_config([], [{"name": "real", "format": "crows-pairs"}]), []) == {}


def test_levels_are_written_as_they_were_given_in_whatever_world() -> None:
    rows: list[dict[str, Any]] = [
        {"benchmark": "a-cp", "ratio": 4, "p": 0.5},
        {"benchmark": "b-cp", "ratio": 1.5, "p": 0.65},
    ]
    same = {"factor": "both", "direction": "stereo", "model": "m", "measure": "CPS", "pairs": 9}
    found = pd.DataFrame([row | same | {"score": 50.0, "margin": 0.1, "oracle": 0.0} for row in rows])
    sheets = list(planted_sheets(STUDY, found, "What was found."))
    assert [sheet.caption.split(":")[0] for sheet in sheets] == ["a-cp", "b-cp"]
    assert [sheet.rows[0][1:3] for sheet in sheets] == [("0.5", "4"), ("0.65", "1.5")]
