"""The exact split of LL's margin, against one forward pass for each token; its means against bias scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from transformers import AutoTokenizer

from examples import SENTENCES, example_pairs
from literal import modified_spans
from literal_causal import LeftReader
from running import run_script
from study_schema import options_with, statistics_with
from test_evidence_left import decoder, plain_network
from test_measures_causal import STARTS, example_evidence, example_scores
from unmask.benchmarks.schema import PAIRS
from unmask.evidence.schema import EVIDENCE
from unmask.measures.scoring import outcomes_of
from unmask.measures.split import CONTINUATION, PARTS, WHOLE, WORDS, split_margins
from unmask.pairs.results import PairResults
from unmask.pairs.sections import split
from unmask.report.captions import Captions, load_captions
from unmask.report.sections import Chart, Fold
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import Decisions, code
from unmask.statistics.schema import SPLIT
from unmask.statistics.shared_words import dependence_of
from unmask.statistics.split import split_table
from unmask.tables import read_metadata, read_table, write_table
from unmask.terms import CORRECTED, LEFT

IDS = list(example_pairs()["pair_id"])
CAPTIONS = Path(__file__).parents[2] / "resources/pairs/captions.yaml"


def literal_parts(reader: LeftReader, first: str, second: str) -> tuple[float, float]:
    """The margin of the modified tokens, and that of all others, token by token."""
    start = [] if reader.start is None else [reader.start]
    sides = [start + list(reader.tokenizer(text)["input_ids"]) for text in (first, second)]
    words = continuation = 0.0
    for ids, modified, sign in zip(sides, modified_spans(*sides), (1, -1), strict=True):
        if not start and 0 in modified:
            return np.nan, np.nan
        for place in range(1, len(ids)):
            added = sign * reader.behind(ids[:place], ids[place])
            words, continuation = (
                (words + added, continuation) if place in modified else (words, continuation + added)
            )
    return words, continuation


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("architecture", ["llama"])
def test_parts_are_those_of_a_slow_loop_and_add_up_to_ll(architecture: str, start: str | None) -> None:
    tokenizer = AutoTokenizer.from_pretrained(decoder(architecture))
    reader = LeftReader(plain_network(architecture), tokenizer, None if start else tokenizer.bos_token_id)
    margins = split_margins(IDS, example_evidence(architecture, start))
    expected = [literal_parts(reader, one, two) for one, two, _ in SENTENCES]
    np.testing.assert_allclose(margins[[WORDS, CONTINUATION]], expected, atol=3e-5)
    # to float error, in sums of single precision numbers taken in double precision
    np.testing.assert_allclose(margins[WORDS] + margins[CONTINUATION], margins[WHOLE], atol=1e-12)
    ll = example_scores(architecture, start).xs(("LL", CORRECTED)).reindex(IDS)["margin"]
    np.testing.assert_allclose(margins[WHOLE], ll, rtol=1e-12, atol=1e-12)
    assert margins.isna().any(axis=None) == (start == "none") and (margins[CONTINUATION].abs() > 1e-3).any()


def test_nothing_that_follows_adds_nothing_and_empty_sentences_are_tied_or_undefined() -> None:
    rows = pd.DataFrame(
        [
            ("last", "stereotype", 1, False, False, -1.0),
            ("last", "stereotype", 2, False, True, -2.0),
            ("last", "antistereotype", 1, False, False, -1.0),
            ("last", "antistereotype", 2, False, True, -5.0),
            ("neither", "stereotype", 0, True, False, 0.0),
            ("neither", "antistereotype", 0, True, False, 0.0),
            ("one", "stereotype", 0, True, False, 0.0),
            ("one", "stereotype", 1, False, True, -1.0),
            ("one", "antistereotype", 0, True, False, 0.0),
        ],
        columns=["pair_id", "role", "position", "special", "modified", "log_prob"],
    )
    margins: Any = split_margins(["last", "neither", "one"], {LEFT: rows})
    assert margins.loc["last", [WHOLE, WORDS, CONTINUATION]].tolist() == [3, 3, 0]
    assert margins.loc["neither"].tolist() == [0, 0, 0]
    assert margins.loc["one"].isna().all()


def test_order_and_company_of_pairs_change_nothing() -> None:
    rows = example_evidence("gpt2", None)[LEFT]
    whole = split_margins(IDS, {LEFT: rows})
    mixed = split_margins(IDS, {LEFT: rows.sample(frac=1, random_state=0)})
    pd.testing.assert_frame_equal(mixed, whole, rtol=1e-12)
    alone = split_margins(["p3"], {LEFT: rows[rows["pair_id"] == "p3"]})
    pd.testing.assert_frame_equal(alone, whole.loc[["p3"]], rtol=1e-12)


def many_pairs(count: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Pairs that share words, with margins of two parts; some are undefined, some tied."""
    rng = np.random.default_rng(4)
    pairs = pd.DataFrame(
        {
            "pair_id": [f"p{number}" for number in range(count)],
            "bias_type": [("age", "gender", "race")[number % 3] for number in range(count)],
            "stereotype": [f"the red{number % 13} car {number}" for number in range(count)],
            "antistereotype": [f"the blue{number % 7} car {number}" for number in range(count)],
            "direction": ["stereo" if number % 2 else "antistereo" for number in range(count)],
        }
    ).assign(target=None, writer=None)
    words, continuation = rng.normal(0.5, 2, count), rng.normal(-0.2, 1, count)
    words[:4], continuation[:4] = [np.nan, 1, 0, 3], [np.nan, -1, 0, 0]
    values = {WHOLE: words + continuation, WORDS: words, CONTINUATION: continuation}
    return pairs, pd.DataFrame(values, index=pairs["pair_id"])


def test_means_and_intervals_are_those_of_the_margins_of_bias_scores() -> None:
    pairs, margins = many_pairs(120)
    options, values = options_with(), margins[[*PARTS]].to_numpy()
    dependence = dependence_of(pairs, ["words"])
    table: Any = split_table(pairs, margins, dependence, options.confidence)
    outcomes = np.vectorize(code)(np.stack([outcomes_of(part, 1e-6) for part in values.T], axis=1))
    names = dict(zip(PARTS, ("LL", "CSSS", "CCPS"), strict=True))
    decisions = Decisions(
        [(name, CORRECTED) for name in names.values()], outcomes, values, outcomes, outcomes
    )
    bias: Any = bias_table(pairs, decisions, options, dependence)
    bias = bias.set_index(["measure", "grouping", "group"])
    assert len(table) == 3 * 4 and table["low"].notna().all()
    for row in table.to_dict("records"):
        same = bias.loc[(names[row["part"]], row["grouping"], row["group"])]
        assert row["margin"] == pytest.approx(same["margin"])
        assert (row["low"], row["high"]) == pytest.approx((same["margin_low"], same["margin_high"]))
        assert row["df"] == pytest.approx(same["df"]) and row["n"] == same["n"] - same["undefined"]


def sign(margin: float) -> int:
    return 0 if np.isnan(margin) or abs(margin) <= 1e-6 else int(np.sign(margin))


def test_alike_counts_the_pairs_in_which_a_part_prefers_what_ll_prefers() -> None:
    pairs, margins = many_pairs(120)
    table: Any = split_table(pairs, margins, dependence_of(pairs, ["words"]), 0.95)
    for row in table.to_dict("records"):
        count = both = 0
        for bias_type, whole, part in zip(
            pairs["bias_type"], margins[WHOLE], margins[row["part"]], strict=True
        ):
            in_group = row["grouping"] == "overall" or bias_type == row["group"]
            count += in_group and sign(whole) != 0 and sign(whole) == sign(part)
            both += in_group and sign(whole) != 0 and sign(part) != 0
        assert (row["alike"], row["decided"]) == (count, both)
    overall = table[table["grouping"] == "overall"].set_index("part")
    assert overall.loc[WHOLE, "n"] == 119 and overall.loc[WHOLE, "alike"] == 117
    assert overall.loc[CONTINUATION, "alike"] < overall.loc[WORDS, "alike"] < 117


def test_pairs_that_all_vary_together_have_means_without_intervals() -> None:
    pairs, margins = many_pairs(9)
    same = pairs.assign(stereotype="he runs", antistereotype="she runs")
    table = split_table(same, margins, dependence_of(same, ["words"]), 0.95)
    assert table["margin"].notna().all() and table[["low", "high", "df"]].isna().all(axis=None)


def test_the_job_splits_the_evidence_of_a_model(tmp_path: Path) -> None:
    evidence = example_evidence("gpt2", None)
    files = {"pairs": tmp_path / "pairs.parquet", LEFT: tmp_path / "left.parquet"}
    write_table(files["pairs"], example_pairs(), PAIRS, {})
    write_table(files[LEFT], evidence[LEFT], EVIDENCE, {"model": "m", "start": "<s>"})
    outputs = {name: tmp_path / f"made-{name}.parquet" for name in ("scores", "split")}
    run_script(
        "measure_pairs",
        files,
        outputs,
        tmp_path / "log",
        wildcards={"model": "m", "benchmark": "b"},
        measures=["LL"],
        scored_measures=["LL"],
        shuffled_measures=(),
        options={key: value for key, value in statistics_with().items() if key != "alpha"},
        most=None,
    )
    made, pairs = read_table(outputs["split"], SPLIT), example_pairs()
    dependence, parts = dependence_of(pairs, ["words"]), split_margins(IDS, {LEFT: evidence[LEFT]})
    expected = split_table(pairs, parts, dependence, 0.95)
    pd.testing.assert_frame_equal(made, expected, check_dtype=False, check_categorical=False, rtol=1e-5)
    assert read_metadata(outputs["split"])["options"]["clusters"]


def test_the_report_has_the_parts_in_a_sentence_a_picture_and_a_table(tmp_path: Path) -> None:
    pairs, margins = many_pairs(120)
    path = tmp_path / "split.parquet"
    table = split_table(pairs, margins, dependence_of(pairs, ["words"]), 0.95)
    write_table(path, table, SPLIT, {"model": "gpt2", "benchmark": "crows"})
    results = PairResults(
        {"split": [path], "captions": CAPTIONS},
        {"models": [{"name": "gpt2"}], "benchmarks": [{"name": "crows"}]},
    )
    # those of PairResults are filled in from tables that are not here
    captions: Captions = load_captions(CAPTIONS, confidence="95", alpha="", unit="", clusters="", reading="")
    object.__setattr__(results, "captions", captions)
    made = split.section(results)
    overall: Any = table[table["grouping"] == "overall"].set_index("part")
    alike, decided = overall["alike"], overall["decided"]
    assert made.sentences == (
        f"In {alike[WORDS]} of 117 pairs of crows, the modified words alone prefer what gpt2 prefers by LL; "
        f"what follows does in {alike[CONTINUATION]} of {decided[CONTINUATION]}.",
    )
    picture, fold = made.blocks
    assert isinstance(picture, Chart) and "95% intervals" in picture.caption
    assert isinstance(fold, Fold)
    assert "Not drawn" not in picture.caption
    sheet = split.table(results)[1]
    assert [row[:4] for row in sheet.rows] == [
        ("gpt2", "crows", group, str(n))
        for group, n in (("all", 119), ("age", 39), ("gender", 40), ("race", 40))
    ]
    assert sheet.rows[0][5] == str(alike[WORDS])


def results_of(tmp_path: Path, tables: dict[str, pd.DataFrame]) -> PairResults:
    """The results of a decoder: its table of parts on each benchmark."""
    files = {name: tmp_path / f"{name}.parquet" for name in tables}
    for name, table in tables.items():
        write_table(files[name], table, SPLIT, {"model": "gpt2", "benchmark": name})
    results = PairResults(
        {"split": [*files.values()], "captions": CAPTIONS},
        {"models": [{"name": "gpt2"}], "benchmarks": [{"name": name} for name in tables]},
    )
    captions = load_captions(CAPTIONS, confidence="95", alpha="", unit="", clusters="", reading="")
    object.__setattr__(results, "captions", captions)
    return results


def test_every_panel_has_its_rows_and_those_with_few_degrees_of_freedom_are_left_out(tmp_path: Path) -> None:
    pairs, margins = many_pairs(120)
    table: Any = split_table(pairs, margins, dependence_of(pairs, ["words"]), 0.95)
    # an interval of one degree of freedom, and none at all
    table.loc[table["group"] == "age", ["df", "low", "high"]] = [1.2, -900.0, 900.0]
    table.loc[table["group"] == "race", ["df", "low", "high"]] = np.nan
    others = table.assign(group=table["group"].replace({"gender": "faith"}))
    results = results_of(tmp_path, {"crows": table, "stereo": others})
    drawn: Any = split.picture(results)
    made = drawn.to_dict()
    rows = made["data"]["values"] if "values" in made["data"] else next(iter(made["datasets"].values()))
    assert {(row["panel"], row["name"].partition(" (")[0]) for row in rows} == {
        *(("gpt2 on crows", name) for name in ("all", "gender")),
        *(("gpt2 on stereo", name) for name in ("all", "faith")),
    }
    assert max(abs(row["high"]) for row in rows) < 10
    assert made["resolve"]["scale"] == {"y": "independent", "yOffset": "independent"}
    assert split.caption(results).endswith("Not drawn: 4 rows with too few different words (∘ in the table).")
    assert [row[2] for row in split.table(results)[1].rows if "∘" in row[4]] == ["age", "race"] * 2
