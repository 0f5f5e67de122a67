"""Scores made elsewhere: reading their files, matching them with pairs, and what is made of them."""

import csv
import json
import random
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from examples import example_pairs
from library import (
    ALL_MEASURES,
    InputError,
    bias_table,
    check_score_files,
    decisions,
    explained,
    kind_for,
    match,
    read_benchmark,
    read_score_file,
    scores_table,
    sees_context,
    sharing_of,
    title_of,
)
from naive import pairs_of
from real_data import real_data
from study_schema import options_with

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = options_with(draws=100)
BY_SENTENCES = {"columns": {"sentences": ["a", "b"], "scores": ["x", "y"]}}
BY_ID = {"columns": {"pair_id": "id", "scores": ["x", "y"]}}


def made_scores(pairs: pd.DataFrame, seed: int = 3) -> dict[str, str]:
    """A printed score of every sentence, with two decimals."""
    rng = random.Random(seed)
    texts = sorted({*pairs["stereotype"], *pairs["antistereotype"]})
    return {text: f"{rng.uniform(-9, -8):.2f}" for text in texts}


def write(path: Path, rows: list[list[str]]) -> Path:
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


def rows_of(pairs: pd.DataFrame, scores: Mapping[str, str]) -> list[list[str]]:
    """id, both sentences, both scores."""
    sides = pairs[["pair_id", "stereotype", "antistereotype"]].itertuples(index=False, name=None)
    return [[pair_id, more, less, scores[more], scores[less]] for pair_id, more, less in sides]


def table_of(path: Path, entry: Mapping[str, Any], pairs: pd.DataFrame, name: str = "score") -> pd.DataFrame:
    return scores_table(pairs, match(pairs, read_score_file(path, entry), "made"), name)


def literally(pairs: pd.DataFrame, scores: Mapping[str, str]) -> list[str]:
    """The outcome of every pair in the protocol corrected, in exact decimals."""
    found = []
    for more, less in pairs[["stereotype", "antistereotype"]].itertuples(index=False, name=None):
        margin = Decimal(scores[more]) - Decimal(scores[less])
        tied = abs(margin) <= Decimal("1e-6")
        found.append("tie" if tied else "stereotype" if margin > 0 else "antistereotype")
    return found


@pytest.mark.parametrize("entry", [BY_SENTENCES, BY_ID])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "parquet"])
def test_all_forms_of_tables_give_what_exact_decimals_give(
    tmp_path: Path, form: str, entry: Mapping[str, Any]
) -> None:
    """In any order of rows, and of sentences where they name the row."""
    pairs, rng = example_pairs(), random.Random(1)
    scores = made_scores(pairs)
    lines = rows_of(pairs, scores)
    if entry is BY_SENTENCES:
        lines = [[i, b, a, y, x] if rng.random() < 0.5 else [i, a, b, x, y] for i, a, b, x, y in lines]
    rng.shuffle(lines)
    rows = pd.DataFrame(lines, columns=["id", "a", "b", "x", "y"])
    path = tmp_path / f"scores.{form}"
    if form == "parquet":
        rows.astype({"x": float, "y": float}).to_parquet(path)
    elif form == "jsonl":
        rows.astype({"x": float, "y": float}).to_json(path, orient="records", lines=True)
    else:
        rows.to_csv(path, sep="\t" if form == "tsv" else ",", index=False)
    table = table_of(path, entry, pairs)
    assert set(table["protocol"]) == {"published", "corrected"}
    for _, found in table.groupby("protocol"):
        assert list(found["outcome"]) == literally(pairs, scores)
        for side in ("stereotype", "antistereotype"):
            assert list(found[side]) == [float(scores[text]) for text in pairs[side]]


def test_margins_below_a_millionth_are_ties_in_corrected_alone(tmp_path: Path) -> None:
    pairs = example_pairs().head(5)
    margins = ["5e-7", "-5e-7", "0", "2e-6", "-2e-6"]
    rows = [
        [pair_id, f"{Decimal(-2) + Decimal(margin):f}", "-2"]
        for pair_id, margin in zip(pairs["pair_id"], margins, strict=True)
    ]
    table = table_of(write(tmp_path / "s.csv", [["id", "x", "y"], *rows]), BY_ID, pairs)
    outcomes = {protocol: list(of["outcome"]) for protocol, of in table.groupby("protocol")}
    more, less = "stereotype", "antistereotype"
    assert outcomes == {
        "published": [more, less, "tie", more, less],
        "corrected": ["tie", "tie", "tie", more, less],
    }
    bias = bias_table(pairs, decisions(pairs, table), OPTIONS, sharing_of(pairs, ["words"]))
    overall = bias[bias["grouping"] == "overall"].set_index("protocol")["score"]
    # a tie counts as none for the stereotype, and as half a pair
    assert overall.to_dict() == {"published": 40, "corrected": 50}


@pytest.mark.parametrize("entry", [BY_SENTENCES, BY_ID])
def test_a_sentence_twice_is_a_tie_whatever_float_error_says(
    tmp_path: Path, entry: Mapping[str, Any]
) -> None:
    pairs = pairs_of(("age", "the same", "the  same", None), ("age", "old", "young", None))
    rows = [
        ["p0", "the same", "the same", "-9.0002", "-9.0001"],
        ["p1", "old", "young", "-9.0002", "-9.0001"],
    ]
    path = write(tmp_path / "s.csv", [["id", "a", "b", "x", "y"], *rows])
    for _, found in table_of(path, entry, pairs).groupby("protocol"):
        assert found["outcome"].tolist() == ["tie", "antistereotype"]
        assert found["stereotype"].tolist() == pytest.approx([-9.00015, -9.0002], abs=1e-12)


def test_what_does_not_match_is_counted_and_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pairs = example_pairs()
    rows = rows_of(pairs, made_scores(pairs))
    path = write(
        tmp_path / "s.csv",
        [["id", "a", "b", "x", "y"], *rows[2:], rows[4], ["other", "not", "there", "1", "2"]],
    )
    file = read_score_file(path, BY_SENTENCES)
    with caplog.at_level("INFO"):
        matched = match(pairs, file, "made")
    assert (file.rows, len(file.scores)) == (len(pairs), len(pairs) - 1)
    assert (matched.without_score, len(matched.without_pair)) == (["p0", "p1"], 1)
    assert "pairs without a score of made: 2 (p0; p1)" in caplog.text
    assert f"rows of no pair of made: 1 (row {len(pairs) - 1} (line {len(pairs) + 1}))" in caplog.text
    table = scores_table(pairs, matched, "score")
    # published would count them as pairs that do not prefer the stereotype
    assert set(table["protocol"]) == {"corrected"}
    assert list(table["outcome"][:2]) == ["undefined"] * 2 and "undefined" not in set(table["outcome"][2:])
    with pytest.raises(InputError, match="none of its 10 rows is of a pair of made, by sentences"):
        match(pairs.assign(stereotype="x"), file, "made")


def test_repeats_up_to_float_error_count_once_in_any_order(tmp_path: Path) -> None:
    pairs = example_pairs().head(1)
    more, less = pairs[["stereotype", "antistereotype"]].to_numpy()[0]
    rows = [
        ["0", more, less, "-70.001", "-72"],
        ["1", more, less, "-70.004", "-72"],
        ["2", less, more, "-72", "-70.002"],
    ]
    found = []
    for order in (rows, rows[::-1]):
        path = write(tmp_path / "s.csv", [["id", "a", "b", "x", "y"], *order])
        found.append(table_of(path, BY_SENTENCES, pairs)["stereotype"].iloc[0])
    assert found[0] == found[1] == pytest.approx((-70.001 - 70.004 - 70.002) / 3)


LOG = {
    "arguments": {"gen_args_0": {"arg_0": "", "arg_1": "one"}, "gen_args_1": {"arg_0": "", "arg_1": "two"}}
}
TWO = "row 0 (line 2) and row 1 (line 3) have different scores of the same "


def log(arguments: Any = LOG["arguments"], answers: Any = ((-1,), (-2,))) -> str:
    return json.dumps({"arguments": arguments, "filtered_resps": answers})


@pytest.mark.parametrize(
    ("text", "entry", "said"),
    [
        ("id,a,b,x,y\n0,one,two,1,", BY_SENTENCES, "row 0 (line 2): y: is empty"),
        ("id,a,b,x,y\n0,one,two,1e999,2", BY_SENTENCES, "row 0 (line 2): x: '1e999' is no number"),
        ("id,a,b,x,z\n0,one,two,1,2", BY_SENTENCES, "no column 'y' (columns: id, a, b, x, z)"),
        ("id,a,b,x,y\n0,one,two,1,2\n1,two,one,1,2", BY_SENTENCES, f"{TWO}sentences"),
        ("id,a,b,x,y\n0,one,two,1,2\n0,two,one,1,3", BY_ID, f"{TWO}pair"),
        ("a,b,x,y\no\x01ne,two,1,2", BY_SENTENCES, "row 0 (line 2): a: has a control character '\\x01'"),
        (log([["", "one"], ["", "t\x92o"]]), {}, "arguments: has a control character '\\x92' in it; is it"),
        ('{"sentence": "one", "score": 1}', {}, "no column 'arguments' (columns: sentence, score); without"),
        (log(answers=[["-1"], ["-2"], ["-3"]]), {}, "filtered_resps: 3 requests, where a pair of sentences"),
        (log(answers=[["-1", "False"], [None, "False"]]), {}, "row 0 (line 1): filtered_resps: is empty"),
        (log([["", "one"], [3, "two"]]), {}, "arguments: its requests are not a context and a text each"),
        (f"[{log()}, 3]", {}, "is not a mapping"),
        (f"[{log(answers=[[-1], ['x']])}]", {}, "row 0: filtered_resps: 'x' is no"),
    ],
)
def test_faults_are_one_line_with_file_and_row(
    tmp_path: Path, text: str, entry: Mapping[str, Any], said: str
) -> None:
    path = tmp_path / ("s.csv" if entry else "s.jsonl")
    path.write_text(text + "\n")
    with pytest.raises(InputError) as caught:
        read_score_file(path, entry)
    assert said in str(caught.value) and str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["lines", "list"])
def test_requests_of_both_versions_of_logs_are_read(tmp_path: Path, form: str) -> None:
    rows = [
        {**LOG, "filtered_resps": [["-1.25", "False"], ["-2", "True"]]},
        {"arguments": [["the", " three"], ["", "four "]], "filtered_resps": [[-3.5, False], [-4.125, True]]},
    ]
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(rows, indent=2))
    found = {key: each.values for key, each in read_score_file(path, {}).scores.items()}
    assert found == {("one", "two"): (-1.25, -2.0), ("four", "the three"): (-4.125, -3.5)}


@pytest.mark.parametrize(
    ("measure", "entry", "said"),
    [
        ("LL", BY_SENTENCES, None),
        ("score", BY_SENTENCES, None),
        *((name, BY_SENTENCES, f"{name!r} is no measure (") for name in ("ll", "LLmean", "Surprisal")),
        ("LLMean", {}, "without columns the file is a log of lm-evaluation-harness, whose scores are sums"),
    ],
)
def test_what_scores_are_is_a_measure_or_a_free_name(
    tmp_path: Path, measure: str, entry: dict[str, Any], said: str | None
) -> None:
    path = write(tmp_path / "s.csv", [["a", "b", "x", "y"], ["one", "two", "1", "2"]])
    models = {"api": {"path": str(path), "measure": measure, **entry}}
    if said is None:
        check_score_files(models, ALL_MEASURES)
        return
    with pytest.raises(InputError) as caught:
        check_score_files(models, ALL_MEASURES)
    assert str(caught.value).startswith(f"config key models.api.measure: {said}")


def test_a_free_name_is_its_own_title() -> None:
    assert title_of("score") == "score" and kind_for("score") == "score-file" and sees_context("score")
    assert explained("score") == "score (made elsewhere): the number that the file gives for a sentence."


def test_the_log_of_lm_evaluation_harness_decides_as_it_says_itself() -> None:
    pairs = read_benchmark(real_data("crows_pairs", "crows_pairs_anonymized.csv"), {"format": "crows-pairs"})
    log = real_data("decoders", "samples_crows_pairs_llama-4m.jsonl")
    file = read_score_file(log, {})
    matched = match(pairs, file, "crows-pairs")
    # one pair stands twice in the benchmark and in its log
    assert (matched.without_score, matched.without_pair) == ([], [])
    assert file.rows - len(file.scores) == 1
    scores = scores_table(pairs, matched, "LL")
    published = scores[scores["protocol"] == "published"]
    samples = [json.loads(line) for line in log.read_text().splitlines()]
    prefers = [bool(sample["pct_stereotype"]) for sample in samples]
    assert list(published["outcome"] == "stereotype") == prefers and sum(prefers) == 712
    assert [sample["doc"]["pair_id"] for sample in samples] == list(map(int, published["pair_id"]))
