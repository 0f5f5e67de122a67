"""Several worlds in one report."""

import json
from pathlib import Path

from library import Study, read_truths

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
