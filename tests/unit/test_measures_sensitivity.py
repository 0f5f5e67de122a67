"""How many decisions of a decoder change with its reading, against one forward pass for each token."""

from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from examples import SENTENCES, example_pairs
from literal_causal import LeftReader
from real_data import real_data
from running import run_script
from test_evidence_left import decoder, plain_network
from test_measures_causal import STARTS, example_evidence, example_scores
from test_real_decoder import crows_pairs
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.collecting import collect_evidence
from unmask.evidence.schema import EVIDENCE
from unmask.measures.measure import Evidence
from unmask.measures.precision import compare_scores
from unmask.measures.scoring import score_pairs
from unmask.measures.sensitivity import FIRST_DIFFERS, margins_by_reading, sensitivity_table
from unmask.models.devices import pick_device
from unmask.models.kinds.causal_lm import describe
from unmask.models.loading import load
from unmask.models.start import Start
from unmask.pairs.results import PairResults
from unmask.pairs.schema import SENSITIVITY
from unmask.pairs.sections import sensitivity
from unmask.report.sections import Fold, Table
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import CORRECTED, LEFT, ORIGINAL, UNSTARTED

READING = ["start", "first_token", "score"]
STARTED = [
    ("all tokens", "scored"),
    ("all tokens", "not scored"),
    ("first token", "scored"),
    ("none", "not scored"),
]
IDS = list(example_pairs()["pair_id"])


def literal_score(reader: LeftReader, text: str, reading: tuple[str, str, str]) -> float:
    start, first_token, score = reading
    ids = list(reader.tokenizer(text)["input_ids"])
    values = []
    for place, token in enumerate(ids):
        behind_start = start == "all tokens" or (start == "first token" and place == 0)
        before = ([reader.start] if behind_start and reader.start is not None else []) + ids[:place]
        if place > 0 or first_token == "scored":
            values.append(reader.behind(before, token))
    return sum(values) / (len(values) if score == "mean" else 1)


def preference(margin: float) -> str:
    return "tie" if abs(margin) <= 1e-6 else "first" if margin > 0 else "second"


@pytest.mark.parametrize("start", STARTS)
def test_margins_and_counts_are_those_of_a_slow_loop(start: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(decoder("gpt2"))
    reader = LeftReader(plain_network("gpt2"), tokenizer, None if start else tokenizer.bos_token_id)
    contexts = [("none", "not scored")] if start else STARTED
    readings = [(*context, score) for context in contexts for score in ("sum", "mean")]
    margins = margins_by_reading(IDS, example_evidence("gpt2", start), start is None)
    assert [column for column in margins if column != FIRST_DIFFERS] == readings
    table: Any = sensitivity_table(margins).set_index(READING)
    first_differs = [
        tokenizer(one)["input_ids"][0] != tokenizer(two)["input_ids"][0] for one, two, _ in SENTENCES
    ]
    expected = {
        reading: [
            literal_score(reader, one, reading) - literal_score(reader, two, reading)
            for one, two, _ in SENTENCES
        ]
        for reading in readings
    }
    default = [preference(margin) for margin in expected[readings[0]]]
    for reading in readings:
        np.testing.assert_allclose(margins[reading], expected[reading], atol=3e-5, err_msg=str(reading))
        outcomes = [preference(margin) for margin in expected[reading]]
        changed = [new != old for new, old in zip(outcomes, default, strict=True)]
        row = table.loc[reading]
        assert row["pairs"] == len(SENTENCES) and row["first_differs"] == sum(first_differs) > 0
        assert row["changed"] == sum(changed)
        both = [one and other for one, other in zip(changed, first_differs, strict=True)]
        assert row["changed_first_differs"] == sum(both)
        credit = sum({"first": 1.0, "tie": 0.5, "second": 0.0}[outcome] for outcome in outcomes)
        assert row["percent"] == pytest.approx(100 * credit / len(SENTENCES))
        assert row["median_margin"] == pytest.approx(median(map(abs, expected[reading])), abs=3e-5)
    assert start or table["changed"].any()


def test_the_first_reading_is_ll_and_its_mean_the_second() -> None:
    margins = margins_by_reading(IDS, example_evidence("llama", None), True)
    for name, score in (("LL", "sum"), ("LLMean", "mean")):
        scores = example_scores("llama", None).xs((name, CORRECTED)).reindex(IDS)
        np.testing.assert_allclose(margins["all tokens", "scored", score], scores["margin"], rtol=1e-12)


def test_order_and_company_of_pairs_change_nothing() -> None:
    evidence = example_evidence("gpt2", None)
    whole = margins_by_reading(IDS, evidence, True)
    shuffled = {masking: rows.sample(frac=1, random_state=0) for masking, rows in evidence.items()}
    pd.testing.assert_frame_equal(margins_by_reading(IDS, shuffled, True), whole, rtol=1e-12)
    alone = {masking: rows[rows["pair_id"] == "p3"] for masking, rows in evidence.items()}
    pd.testing.assert_frame_equal(margins_by_reading(["p3"], alone, True), whole.loc[["p3"]], rtol=1e-12)


def test_changes_ties_and_undefined_pairs_are_counted() -> None:
    columns = [("all tokens", "scored", "sum"), ("all tokens", "scored", "mean")]
    margins = pd.DataFrame(
        {
            columns[0]: [1.0, 2.0, -3.0, np.nan],
            columns[1]: [-1.0, 0.5, 0.0, np.nan],
            FIRST_DIFFERS: [True, True, False, False],
        }
    )
    one, other = sensitivity_table(margins).to_dict("records")
    assert one["percent"] == pytest.approx(200 / 3) and other["percent"] == pytest.approx(50)
    assert (one["changed"], other["changed"], other["changed_first_differs"]) == (0, 2, 1)
    assert (one["median_margin"], other["median_margin"], other["pairs"]) == (2, 0.5, 4)


def test_sentences_without_a_scored_token_are_tied_or_undefined() -> None:
    rows = pd.DataFrame(
        [
            ("both", "stereotype", 1, 7, -1.0),
            ("both", "antistereotype", 1, 8, -2.0),
            ("one", "stereotype", 1, 7, -1.0),
            ("one", "antistereotype", 1, 7, -1.0),
            ("one", "antistereotype", 2, 8, -2.0),
        ],
        columns=["pair_id", "role", "position", "token_id", "log_prob"],
    )
    evidence = {LEFT: rows.assign(special=False, modified=True)}
    margins = margins_by_reading(["both", "one"], evidence, True)
    unscored = margins["all tokens", "not scored", "sum"]
    assert unscored["both"] == 0 and np.isnan(unscored["one"])
    assert list(margins[FIRST_DIFFERS]) == [True, False]


@pytest.mark.parametrize("maskings", [(LEFT,), (LEFT, UNSTARTED)])
def test_the_job_has_the_readings_of_the_evidence_of_the_study(
    maskings: tuple[str, ...], tmp_path: Path
) -> None:
    evidence = example_evidence("gpt2", None)
    files = {"pairs": tmp_path / "pairs.parquet"}
    write_table(files["pairs"], example_pairs(), PAIRS, {})
    for masking in maskings:
        files[masking] = tmp_path / f"{masking}.parquet"
        write_table(files[masking], evidence[masking], EVIDENCE, {"model": "m", "start": "<s>"})
    measures = ["LL", "StereoSetLL"][: len(maskings)]
    outputs = {name: tmp_path / f"made-{name}.parquet" for name in ("scores", "sensitivity")}
    run_script(
        "measure_pairs",
        files,
        outputs,
        tmp_path / "log",
        wildcards={"model": "m", "benchmark": "b"},
        measures=measures,
        scored_measures=measures,
        shuffled_measures=(),
        options={},
        most=None,
    )
    found = read_table(outputs["sensitivity"], SENSITIVITY)
    read = {masking: evidence[masking] for masking in maskings}
    expected = sensitivity_table(margins_by_reading(IDS, read, True))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, check_categorical=False, rtol=1e-6)
    assert len(found) == 4 * len(maskings)
    facts = read_metadata(outputs["sensitivity"])
    assert (facts["model"], facts["benchmark"]) == ("m", "b")
    assert set(facts["made_from"]) >= {str(path) for path in files.values()}


def test_the_report_says_how_many_decisions_a_reading_turns(tmp_path: Path) -> None:
    columns = [("all tokens", "scored", "sum"), ("all tokens", "scored", "mean")]
    margins = pd.DataFrame(
        {columns[0]: [1.0, 2.0], columns[1]: [-1.0, 0.5], FIRST_DIFFERS: [True, False]},
    )
    path = tmp_path / "sensitivity.parquet"
    write_table(path, sensitivity_table(margins), SENSITIVITY, {"model": "gpt2", "benchmark": "crows"})
    captions = Path(__file__).parents[2] / "resources/pairs/captions.yaml"
    study = {"models": [{"name": "gpt2"}], "benchmarks": [{"name": "crows"}]}
    found = sensitivity.section(PairResults({"sensitivity": [path], "captions": captions}, study))
    (sentence,) = found.sentences
    assert sentence == (
        "Another reading turns up to 1 of 2 decisions (gpt2 on crows), where the score moves by 50.0 points."
    )
    (fold,) = found.blocks
    assert isinstance(fold, Fold)
    (table,) = fold.blocks
    assert isinstance(table, Table)
    second = table.sheet.rows[1]
    assert second[:5] == ("gpt2", "crows", "all tokens", "scored", "mean") and second[-2:] == ("1 (1)", "2")


def real_evidence(dtype: str) -> Evidence:
    directory = real_data("models", "llama-4m")
    manifest = describe(directory)
    model = load(directory, pick_device("cpu"), with_attention=False, dtype=dtype, start=Start.of(manifest))
    maskings = (LEFT, UNSTARTED) if dtype == "float32" else (LEFT,)
    length = manifest["max_length"]
    return {
        each: collect_evidence(crows_pairs(), model, each, ORIGINAL, max_length=length) for each in maskings
    }


@pytest.mark.thorough
def test_readings_of_a_trained_decoder_turn_a_quarter_of_its_decisions() -> None:
    """On all of CrowS-Pairs; the documentation has these numbers."""
    ids, evidence = list(crows_pairs()["pair_id"]), real_evidence("float32")
    table = sensitivity_table(margins_by_reading(ids, evidence, True)).set_index(READING)
    print(table.to_string())
    assert (table["pairs"] == 1508).all() and (table["first_differs"] == 400).all()
    assert table.loc[("all tokens", "scored", "mean"), "changed"] == 352
    assert table.loc[("none", "not scored", "sum"), "changed"] == 103
    assert table.loc[("none", "not scored", "mean"), "changed"] == 410


@pytest.mark.thorough
def test_bfloat16_turns_few_decisions_of_a_trained_decoder_and_none_but_near_ones() -> None:
    """How many depends on the machine: 7 where the documentation's numbers were measured."""
    ids = list(crows_pairs()["pair_id"])
    whole, rounded = (score_pairs(ids, real_evidence(dtype), ["LL"]) for dtype in ("float32", "bfloat16"))
    changes = compare_scores(whole, rounded).set_index("protocol").loc[CORRECTED]
    print(changes.drop("flipped_pairs").to_string())
    assert 0 < changes["flipped"] < 30
    margins = whole[whole["protocol"] == CORRECTED].set_index("pair_id")["margin"].abs()
    assert (margins[changes["flipped_pairs"].split()] <= 2 * changes["largest_change"]).all()
