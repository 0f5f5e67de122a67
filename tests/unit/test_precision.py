"""Faster, less exact arithmetic: opt-in, and what it changes is told."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from examples import example_pairs
from library import (
    ORIGINAL,
    PAIRS,
    PRECISION,
    PROTOCOLS,
    PairResults,
    check_model,
    collect_evidence,
    compare_scores,
    load,
    pairs_topics,
    pick_device,
    read_metadata,
    read_table,
    sha256_of_file,
    spread_sample,
    write_table,
)
from running import run_script
from tiny_models import tiny_model


def scores(*rows: tuple[str, float, float, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["pair_id", "stereotype", "antistereotype", "outcome"])
    return frame.assign(measure="AUL", protocol="corrected", margin=0.0)


def test_changes_and_flips_are_counted_and_named() -> None:
    reference = scores(("a", -1.0, -2.0, "stereotype"), ("b", -3.0, -3.1, "stereotype"), ("c", -1, -1, "tie"))
    other = scores(
        ("c", -1, -1, "tie"), ("b", -3.2, -3.1, "antistereotype"), ("a", -1.0, -2.05, "stereotype")
    )
    row = compare_scores(reference, other).iloc[0]
    assert (row["pairs"], row["flipped"], row["flipped_pairs"]) == (3, 1, "b")
    assert row["largest_change"] == pytest.approx(0.2)
    with pytest.raises(ValueError, match="different pairs"):
        compare_scores(reference, other.iloc[:2])


def test_a_sample_is_spread_over_the_benchmark() -> None:
    pairs = pd.DataFrame({"pair_id": [str(number) for number in range(100)]})
    assert list(spread_sample(pairs, 3)["pair_id"]) == ["0", "50", "99"]
    assert len(spread_sample(pairs, 1000)) == 100


def test_the_comparison_says_what_it_was_made_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[tuple[bool, str]] = []

    def counted(folder: Path, device: Any, with_attention: bool, stack: Any, dtype: str, **more: Any) -> Any:
        loads.append((with_attention, dtype))
        return load(folder, device, with_attention, stack, dtype, **more)

    monkeypatch.setattr("unmask.evidence.reading.load", counted)
    directory = tiny_model("bert", tmp_path, initializer_range=0.2)
    pairs, manifest = tmp_path / "pairs.parquet", tmp_path / "manifest.json"
    write_table(pairs, example_pairs(), PAIRS, {"sha256": "0"})
    own = {"directory": str(directory), "entry": {"source": "path"}}
    manifest.write_text(json.dumps(check_model(directory, "masked-lm", "tiny") | own))
    made = tmp_path / "precision.parquet"
    run_script(
        "compare_precision",
        {"pairs": pairs, "manifest": manifest},
        [made],
        tmp_path / "log",
        wildcards={"model": "bert", "benchmark": "crows"},
        config={"runtime": {"device": "cpu", "threads": 1, "batch_tokens": None}},
        attention={"stack": None},
        scoring={"dtype": "bfloat16", "sample": 3},
        measures=["AUL", "SSS", "CPS"],
    )
    # once with maps of attention, and once for all other maskings
    assert loads == [(True, "float32"), (False, "float32"), (True, "bfloat16"), (False, "bfloat16")]
    rows, facts = read_table(made, PRECISION), read_metadata(made)
    assert list(zip(rows["measure"], rows["protocol"], strict=True)) == [
        (measure, protocol) for measure in ("AUL", "SSS", "CPS") for protocol in PROTOCOLS
    ]
    assert (rows["pairs"] == 3).all() and (rows["largest_change"] > 0).all()
    assert facts["made_from"] == {str(path): sha256_of_file(path) for path in (pairs, manifest)}
    assert (facts["model"], facts["benchmark"], facts["dtype"]) == ("bert", "crows", "bfloat16")


def test_the_report_tells_what_the_arithmetic_changed(tmp_path: Path) -> None:
    path = tmp_path / "precision.parquet"
    same = scores(("a", -1.0, -2.0, "stereotype"), ("b", -1.0, -2.0, "stereotype"))
    other = same.assign(stereotype=[-3.0, -1.0], outcome=["antistereotype", "stereotype"])
    write_table(path, compare_scores(same, other), PRECISION, {"model": "bert", "benchmark": "crows"})
    study = {"models": [{"name": "bert"}], "benchmarks": [{"name": "crows"}], "dtypes": ["bfloat16"]}
    results = PairResults({"precision": [path]}, study)
    (sentence,) = pairs_topics.says_of_precision(results)
    assert sentence.startswith("In bfloat16, 1 of 2 decisions")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_gpu_gives_the_cpus_scores(tmp_path: Path) -> None:
    directory = tiny_model("bert", tmp_path)
    pairs = example_pairs()
    one, other = (
        collect_evidence(pairs, load(directory, pick_device(name), True), "none", ORIGINAL)
        for name in ("cpu", "cuda")
    )
    assert (one["log_prob"] - other["log_prob"]).abs().max() < 1e-4
