"""What is known of benchmarks that a world makes."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unmask.errors import InputError
from unmask.report.study import Study

Truth = Mapping[str, Mapping[str, Any]]
"""What is known of the pairs of one benchmark: pair_id -> {factor, p, ratio, direction, margins}."""


def read_truths(study: Study, paths: Iterable[str | Path]) -> dict[str, Truth]:
    """The truth of every benchmark that a world makes, by the benchmark's name.

    paths: the truth of each of these worlds, JSON with its name (`world`) and `benchmarks` by format.
    Raises InputError where the truth of a world, or of a benchmark in it, is not there.
    """
    documents = [json.loads(Path(path).read_bytes()) for path in paths]
    known = {document["world"]: document["benchmarks"] for document in documents}
    truths = {}
    for benchmark in study.benchmarks:
        if benchmark.world is not None:
            if benchmark.format not in known.get(benchmark.world, {}):
                place = f"world {benchmark.world}, format {benchmark.format}"
                raise InputError(f"truth: none of benchmark {benchmark.name} ({place}) is there")
            truths[benchmark.name] = known[benchmark.world][benchmark.format]
    return truths
