"""What the page says of template tests."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from unmask.tables import framed, write_table
from unmask.templates.presenting import FINDINGS, TemplateResults
from unmask.templates.schema import TESTS
from unmask.templates.terms import DIFFERENCE, LPBS


def said(name: str, rows: list[dict[str, Any]], without_training: list[str]) -> tuple[str, ...]:
    results: Any = SimpleNamespace(
        main=lambda measure: pd.DataFrame(rows if measure == LPBS else rows[:0]),
        without_training=without_training,
        alpha=0.01,
    )
    (finding,) = [each for each in FINDINGS if each.name == name]
    return tuple(finding.sentences(results))


def test_trained_models_are_counted_and_named() -> None:
    row = {"test": "jobs", "part": "women less men", "model": "bert", "value": -0.84, "p_holm": 0.004}
    noise = row | {"model": "noise", "value": 1.2, "p_holm": 0.5}
    start = "jobs, women less men: the log-probability bias score (LPBS) is beyond chance "
    assert said("attributes", [row, noise], ["noise"]) == (
        f"{start}(p < 0.01 after Holm's correction) in 1 of 1 model. bert has the largest, −0.84 nats.",
    )
    # both are trained
    assert said("attributes", [row, noise], [])[0].endswith(
        "in 1 of 2 models. noise has the largest, +1.20 nats."
    )
    # a study of random networks alone is about these
    assert said("attributes", [noise], ["noise"])[0].endswith(
        "in 0 of 1 model. noise has the largest, +1.20 nats."
    )


@pytest.mark.parametrize(("source", "expected"), [("random", [0.008, 0.5]), ("path", [0.016, 0.5])])
def test_random_networks_are_a_family_of_their_own(
    tmp_path: Path, source: str, expected: list[float]
) -> None:
    paths = []
    for model, p in (("bert", 0.008), ("noise", 0.5)):
        row: dict[str, Any] = dict.fromkeys(TESTS.names)
        row |= {"measure": LPBS, "quantity": DIFFERENCE, "part": "women less men", "value": 1.0, "p": p}
        row |= dict.fromkeys(("units", "templates"), 10)
        paths.append(tmp_path / f"{model}.parquet")
        write_table(paths[-1], framed([row], TESTS), TESTS, {"model": model, "test": "jobs"})
    models = [{"name": "bert", "source": "path"}, {"name": "noise", "source": source}]
    results = TemplateResults({"tests": paths}, {"models": models, "alpha": 0.01})
    assert results.tests["p_holm"].tolist() == pytest.approx(expected)
