"""What is shown of downstream tasks: tables and charts, beside what the paper prints."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import BIAS, DASH, DownstreamResults, printed_taus, read_published, read_table, rows_of
from library import DOWNSTREAM_PRESENTS as PRESENTS
from shown import rows_drawn
from study_schema import ROOT
from test_downstream_correlation import MEASURES, PROTOCOLS, write_bias

RESOURCES = ROOT / "resources/downstream"
TASKS = {"bios": "tpr_gap", "sts": "delta", "nli": "fn_gap"}
"""With their main metrics."""

ORIGINS = {"b": None, "b-cda": "b", "b-at": "b"}
NAMES = {"bios": ["BiasBios"] * 2, "sts": ["STS-B", "STS-bias"], "nli": ["MNLI", "NLI-bias"]}
SETTINGS: dict[str, Any] = {
    "models": [{"name": m, "family": "b", "role": m[2:], "origin": of} for m, of in ORIGINS.items()],
    "tasks": [{"name": task, "published": published} for task, published in NAMES.items()],
    "benchmarks": ["cp"],
    "published": {"cp": "crows-pairs"},
    "measures": list(MEASURES),
    "bias_type": "gender",
    "draws": 100,
    "alpha": 0.05,
    "confidence": 0.95,
}
SCORES = pd.DataFrame(
    {
        **{"task": task, "model": model, "metric": metric, "group": None, "seed": seed, "step": 20},
        **{"value": value, "low": value - 0.1, "high": value + 0.1, "p": p, "truth": None},
    }
    for (place, (task, main)), (number, model) in product(enumerate(TASKS.items()), enumerate(ORIGINS))
    for metric, value, p in (
        (main, 0.3 + 0.1 * number, 0.01),
        ("change", 0.1 * number, 0.01 * (number + 2 * place)),
    )
    for seed in ([0, None] if task == "bios" else [0, 1, None])
    if number or metric == main
)
"""Of three models on three tasks, on bios fine-tuned once."""


@pytest.fixture(scope="module")
def bias(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder, rng = tmp_path_factory.mktemp("bias"), np.random.default_rng(0)
    shares = zip(ORIGINS, (0.8, 0.5, 0.5), strict=True)
    return [write_bias(folder / f"{model}.parquet", model, share, rng) for model, share in shares]


def study(
    bias: list[Path], settings: dict[str, Any] | None = None, **tables: pd.DataFrame
) -> DownstreamResults:
    """The results with these settings, and tables beside SCORES."""
    files: dict[str, Any] = {"scores": [], "bias_before": bias}
    files |= {Path(name).stem: RESOURCES / name for name in ("captions.yaml", "published.csv")}
    results = DownstreamResults(files, SETTINGS | (settings or {}))
    vars(results).update(every_step=SCORES, **tables)
    return results


def test_what_rests_on_one_run_and_is_doubtful_is_known() -> None:
    counted = {"feminine": 10, "masculine": 30, "ilps": -1.1, "low": -1.4, "high": -0.8, "n": 99}
    results = study([], words=pd.DataFrame([{**counted, "task": "bios", "protocol": "corrected"}]))
    assert results.run_once == ["bios"]
    _, printed = PRESENTS.table("table1", results)[1].rows
    assert printed[:4] == ("bios", "printed", "20720?", "35412?")


def test_a_tau_is_shown_with_both_tests_and_both_numbers_of_pairs() -> None:
    """All test instances, the paper's N, have the printed taus; sentences are of the pairs about gender."""
    numbers = {"tau": -0.1, "p": 0.01, "p_families": 0.3}, {"tau": 0.2, "p": 0.2, "p_families": 0.04}
    rows = [
        {"task": "bios", "metric": "tpr_gap", "benchmark": "cp", "models": 10, "permutations": 120}
        | {"pairs": pairs, "n": n, "measure": measure, "protocol": protocol, "when": when, **of}
        for (pairs, n), measure, protocol, (when, of) in product(
            {"all": 1000, "gender": 300}.items(),
            MEASURES,
            PROTOCOLS,
            zip(("before", "after"), numbers, strict=True),
        )
    ]

    def table2(names: dict[str, str]) -> Any:
        changed = {"published": names, "tasks": SETTINGS["tasks"][:1]}
        results = study([], changed, correlations=pd.DataFrame(rows).assign(reason=None))
        assert set(results.that_count(results.correlations)["pairs"]) == {"gender"}
        return PRESENTS.table("table2", results)[1].rows

    shown = table2({"cp": "crows-pairs"})
    # AULA is printed of an unknown benchmark
    assert len(shown) == 8 + 1
    cells = {row[1:5]: row for row in shown}
    for pairs, n in (("all", "1000"), ("gender", "300")):
        before, after = ("−0.10†", "0.01", "0.3", "10"), ("0.20 ↑", "0.2", "0.04", "10")
        assert cells["cp", pairs, "AULA", "published"][5:16] == (n, *before, *after, DASH, DASH)
    assert cells["cp", "all", "CPS", "published"][14:16] == ("−0.17",) * 2
    assert cells["cp", "gender", "CPS", "published"][14:16] == (DASH, DASH)
    unknown = cells[DASH, "all", "AULA", "published"]
    assert unknown[5:14] == (DASH,) * 9 and unknown[14:16] == ("−0.20", "0.11 ↑")
    assert all(row[14:16] == (DASH, DASH) for row in shown if row[4] == "corrected")
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    printed = printed_taus(read_published(RESOURCES / "published.csv"))
    assert {of[1:] for of in printed} == {("CPS", "crows-pairs"), ("SSS", "stereoset"), ("AULA", None)}
    for names in ({"cp": "stereoset"}, {}):
        assert [(row[1], row[3]) for row in table2(names) if row[14] != DASH] == [(DASH, "AULA")]


def test_the_table_of_numbers_has_the_truth_of_synthetic_tasks() -> None:
    results = study([])
    vars(results).update(every_step=SCORES.assign(truth=0.25, null_mean=0.1, null_low=0.0, null_high=0.2))
    rows, sheet = PRESENTS.table("overview", results)
    assert len(rows) == len(sheet.rows) and (rows["truth"] == 0.25).all()
    assert all("0.250" in row for row in sheet.rows)


def test_changes_are_corrected_over_all_that_a_sentence_counts() -> None:
    changes = study([]).changes.sort_values("p")
    corrected = np.minimum(1, np.maximum.accumulate(changes["p"] * np.arange(6, 0, -1)))
    np.testing.assert_allclose(changes["p_holm"], corrected)
    assert set(changes["method"]) == {"cda", "at"} and (changes["before"] == 0.3).all()
    np.testing.assert_allclose(changes["after"] - changes["before"], changes["value"])


@pytest.mark.parametrize("bias_type", ["gender", "race"])
def test_charts_of_bias_scores_are_of_the_pairs_that_count(bias: list[Path], bias_type: str) -> None:
    """All pairs, where a benchmark has none of the bias type."""
    results = study(bias, {"bias_type": bias_type})
    group = "gender" if bias_type == "gender" else "all"
    assert any("no pairs of the bias type" in each for each in results.remarks()) == (bias_type == "race")
    against = pd.DataFrame(rows_drawn(PRESENTS.figure("against", results)[0]))
    assert set(against["panel"]) == {f"{task}: {of} on cp" for task in TASKS for of in MEASURES}
    for row in rows_of(against):
        (path,) = (path for path in bias if path.stem == row.model)
        file = read_table(path, BIAS)
        of_group = file[file["group"].eq(group) & file["variant"].eq("original")]
        stated = of_group.set_index(["measure", "protocol"]).loc[row.panel.split(" ")[1], "corrected"]
        assert [row.score, row.low, row.high] == stated[["score", "low", "high"]].tolist()
        assert row.debiased == {"b": "none"}.get(row.model, row.model.removeprefix("b-"))
