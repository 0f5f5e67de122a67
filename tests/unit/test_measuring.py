"""The job that measures a model on a benchmark: what it makes, of evidence that it reads once."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import synthetic
from library import (
    CORRELATIONS,
    EVIDENCE,
    FLAWS,
    LIKELIEST,
    NONE,
    ORIGINAL,
    PAIR_RATIOS,
    PAIRS,
    PROTOCOLS,
    SCHEMAS,
    SCORES,
    SHUFFLED,
    STATISTICS,
    as_table,
    correlation_table,
    explored,
    flaws_table,
    framed,
    maskings_of,
    plain_schema,
    read_facts,
    read_metadata,
    read_scores,
    read_table,
    score_pairs,
    shown_pairs,
    unpacked,
    write_list,
    write_table,
)
from running import run_script
from study_schema import MEASURES, options_with, statistics_with
from synthetic import SHUFFLED_MEASURES
from test_explored import likeliest_of

PLACE = {"model": "m", "benchmark": "b"}
STATED = statistics_with(chance={"draws": 100, "seed": 0})
MOST = 10


@pytest.fixture(scope="module")
def made() -> synthetic.Synthetic:
    return synthetic.make(50)


@pytest.fixture(scope="module")
def ratios(made: synthetic.Synthetic) -> pd.DataFrame:
    return framed(made.pairs[["pair_id"]].assign(log_ratio=np.arange(50) % 7 - 3.0), PAIR_RATIOS)


@pytest.fixture
def files(made: synthetic.Synthetic, ratios: pd.DataFrame, tmp_path: Path) -> dict[str, Any]:
    """All that a model on a benchmark is measured from, by the names that the rule has for it."""
    tables: dict[str, tuple[pd.DataFrame, pa.Schema]] = {
        "pairs": (made.pairs, PAIRS),
        "flaws": (flaws_table(made.pairs), FLAWS),
        "ratios": (ratios, PAIR_RATIOS),
    }
    evidence: dict[str, tuple[pd.DataFrame, pa.Schema]] = {
        f"{SHUFFLED}/{NONE}": (made.shuffled, EVIDENCE),
        **{f"{ORIGINAL}/{masking}": (rows, EVIDENCE) for masking, rows in made.evidence.items()},
        **{
            f"{ORIGINAL}/{masking}.top": (rows, LIKELIEST)
            for masking, rows in likeliest_of(made.evidence).items()
        },
    }
    for name, (rows, schema) in (tables | evidence).items():
        write_table(tmp_path / f"{name}.parquet", rows, schema, {"model": "m"})
    write_list(tmp_path / "digests.json", [tmp_path / f"{name}.parquet" for name in evidence], {})
    return {
        **{name: tmp_path / f"{name}.parquet" for name in ("pairs", "flaws")},
        "evidence": tmp_path / "digests.json",
        "untrained": [],
        "ratios": [tmp_path / "ratios.parquet"],
    }


def measure(files: dict[str, Any], folder: Path, **params: Any) -> dict[str, Path]:
    """What the job makes."""
    made = ("scores", "shuffled_scores", "explored", "frequency", *STATISTICS)
    outputs = {name: folder / "made" / name for name in made}
    stated = {"scored_measures": MEASURES, "shuffled_measures": SHUFFLED_MEASURES, "explored": MOST}
    run_script(
        "measure_pairs",
        files,
        outputs,
        folder / "log",
        wildcards=PLACE,
        measures=MEASURES,
        options=STATED,
        **{**stated, **params},
    )
    return outputs


def test_all_of_it_is_made_of_evidence_that_is_opened_once_and_says_so(
    made: synthetic.Synthetic,
    ratios: pd.DataFrame,
    files: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: Counter[str] = Counter()

    class Counted(pq.ParquetFile):  # type: ignore[misc]
        def __init__(self, path: str | Path) -> None:
            opened[str(Path(path).relative_to(tmp_path))] += 1
            super().__init__(path)

    monkeypatch.setattr("unmask.tables.pq.ParquetFile", Counted)
    outputs = measure(files, tmp_path)
    read = [f"{ORIGINAL}/{masking}.parquet" for masking in made.evidence]
    assert {opened[path] for path in (*read, f"{SHUFFLED}/{NONE}.parquet")} == {1}

    # as it is stored, in single precision
    evidence = {
        masking: read_table(tmp_path / ORIGINAL / f"{masking}.parquet", EVIDENCE) for masking in made.evidence
    }
    of_shuffled = read_table(tmp_path / SHUFFLED / f"{NONE}.parquet", EVIDENCE)
    ids = list(made.pairs["pair_id"])
    scores = score_pairs(ids, evidence, MEASURES)
    shuffled_scores = score_pairs(ids, {NONE: of_shuffled}, SHUFFLED_MEASURES)
    for name, expected in (("scores", scores), ("shuffled_scores", shuffled_scores)):
        # in the order of the study, whatever order they are written in
        found = read_scores(outputs[name], MEASURES[::-1])
        order = {"measure": MEASURES[::-1], "protocol": PROTOCOLS, "pair_id": ids}
        expected = expected.sort_values([*order], key=lambda of: of.map(order[str(of.name)].index))
        pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False)
    link = correlation_table(made.pairs, scores, ratios, STATED["confidence"])
    pd.testing.assert_frame_equal(read_table(outputs["frequency"], CORRELATIONS), link, check_dtype=False)
    shown = shown_pairs(made.pairs, MOST)
    likeliest = likeliest_of(made.evidence)
    in_order = {masking: likeliest[masking] for masking in maskings_of(MEASURES)}
    expected_pairs = explored(shown, scores, MEASURES, evidence, in_order)
    facts = read_facts(outputs["explored"])
    assert {key: facts[key] for key in expected_pairs} == expected_pairs

    stored = synthetic.Synthetic(made.pairs, scores, shuffled_scores, evidence, of_shuffled)
    statistics = synthetic.statistics_of(stored, options_with(draws=100, seed=0))
    assert set(statistics) == set(STATISTICS)
    for name, rows in statistics.items():
        expected = as_table(rows, SCHEMAS[name]).cast(plain_schema(SCHEMAS[name])).to_pandas()
        pd.testing.assert_frame_equal(read_table(outputs[name], SCHEMAS[name]), expected, rtol=1e-9)

    of_scores, control = (read_metadata(outputs[name]) for name in ("scores", "shuffled_scores"))
    assert (of_scores["variant"], control["variant"]) == (ORIGINAL, SHUFFLED)
    assert set(of_scores["evidence"]) == set(made.evidence) and set(control["evidence"]) == {NONE}
    every = {str(files[name]) for name in ("pairs", "flaws", "evidence")} | {str(files["ratios"][0])}
    assert set(of_scores["made_from"]) == set(control["made_from"]) == every
    # and all else of the scores, too
    every |= {str(outputs[name]) for name in ("scores", "shuffled_scores")}
    for of in (facts, *(read_metadata(outputs[name]) for name in (*STATISTICS, "frequency"))):
        assert set(of["made_from"]) == every and (of["model"], of["benchmark"]) == ("m", "b")


def test_what_a_study_or_a_model_lacks_is_a_table_without_rows(files: dict[str, Any], tmp_path: Path) -> None:
    outputs = measure({**files, "ratios": []}, tmp_path, shuffled_measures=(), explored=0)
    for name, schema in (("shuffled_scores", SCORES), ("frequency", CORRELATIONS)):
        assert read_table(outputs[name], schema).empty
    assert unpacked(read_facts(outputs["explored"])["tokens"])["starts"] == [0]
    assert set(read_table(outputs["bias"], SCHEMAS["bias"])["variant"]) == {ORIGINAL}
    assert set(read_table(outputs["scores"], SCORES)["measure"]) == set(MEASURES)
