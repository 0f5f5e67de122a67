"""The paper's tables: what goes where, beside which published value, and how it is written."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synthetic
from library import (
    COUNT,
    DASH,
    PAIRS,
    SCHEMAS,
    InputError,
    Measured,
    PairResults,
    Sheet,
    Study,
    by_others,
    compute,
    decisions,
    escape_latex,
    escape_markdown,
    flaws_table,
    latex,
    lay_out,
    markdown,
    number,
    p_value,
    pairs_topics,
    paper_tables,
    published_percents,
    write_table,
)
from library import PAIRS_ACCURACY as ACCURACY
from library import PAIRS_PAPER as PAPER
from study_schema import options_with
from synthetic import RESOURCES, pair_results, with_tables

PUBLISHED = published_percents(RESOURCES / "published.csv")
MODELS = [
    {"name": "bert", "published": "bert-base-cased", "source": "hub"},
    {"name": "tiny_model", "source": "train"},
]
BENCHMARKS = [
    {"name": "cp", "published": "crows-pairs"},
    {"name": "ss", "published": "stereoset"},
    {"name": "own"},
]
KINDS = (
    "bias",
    "leverage",
    "accuracy",
    "tests",
    "agreement",
    "measures_compared",
    "quality",
    "lms",
)
FILES = (*KINDS, "pairs")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """The statistics of both models on the three benchmarks, as the measuring job leaves them."""
    folder = tmp_path_factory.mktemp("statistics")
    paths: dict[str, list[Path]] = {kind: [] for kind in FILES}
    for number_, model in enumerate(MODELS):
        for place, benchmark in enumerate(BENCHMARKS):
            first = benchmark["name"] == "cp"
            made = synthetic.make(80, seed=10 * number_ + place, rated=first, directed=first)
            facts = {"model": model["name"], "benchmark": benchmark["name"]}
            tables = synthetic.statistics_of(made, options_with(draws=100))
            for kind in KINDS:
                path = folder / f"{model['name']}-{benchmark['name']}-{kind}.parquet"
                write_table(path, tables[kind], SCHEMAS[kind], facts)
                paths[kind].append(path)
            if number_ == 0:
                paths["pairs"].append(folder / f"{benchmark['name']}-pairs.parquet")
                write_table(paths["pairs"][-1], made.pairs, PAIRS, {"benchmark": benchmark["name"]})
    return paths


def gather(
    files: dict[str, list[Path]],
    models: list[dict[str, str]] = MODELS,
    benchmarks: list[dict[str, str]] = BENCHMARKS,
) -> PairResults:
    return pair_results(models, benchmarks, files)


@pytest.fixture(scope="module")
def results(files: dict[str, list[Path]]) -> PairResults:
    return gather(files)


def one(frame: pd.DataFrame, **wanted: object) -> Any:
    for key, value in wanted.items():
        frame = frame[frame[key] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_a_model_that_gives_none_of_a_measure(tmp_path: Path) -> None:
    """AULA of a model without attention: no score in either protocol, and the page says why."""
    made = synthetic.make(40, seed=5)
    silent = made.scores["measure"] == "AULA"
    scores = made.scores.assign(
        margin=made.scores["margin"].mask(silent),
        **{c: made.scores[c].mask(silent, "undefined") for c in ("outcome", "lowest", "highest")},
    )
    original = decisions(made.pairs, scores)
    measured = Measured(original, made.evidence)
    tables = compute(made.pairs, flaws_table(made.pairs), measured, options_with(draws=100))
    for kind in KINDS:
        write_table(tmp_path / kind, tables[kind], SCHEMAS[kind], {"model": "bert", "benchmark": "cp"})
    write_table(tmp_path / "pairs", made.pairs, PAIRS, {"benchmark": "cp"})
    found = gather({kind: [tmp_path / kind] for kind in FILES}, MODELS[:1], BENCHMARKS[:1])
    bias = found.bias[(found.bias["measure"] == "AULA") & (found.bias["protocol"] == "corrected")]
    assert bias["score"].isna().all() and (bias["verdict"] == "cannot be told").all()
    shown = found.paper_tables["table5"]
    assert shown.loc[shown["column"] == "AULA", "value"].isna().all()
    assert shown.loc[shown["column"] == "AUL", "value"].notna().all()


def printed(table: str, model: str, benchmark: str, measure: str, **more: str) -> float:
    """The percentage that the paper prints."""
    row = one(PUBLISHED, source=PAPER, table=table, model=model, benchmark=benchmark, measure=measure, **more)
    return float(row["percent"])


def test_published_values_are_the_papers() -> None:
    assert printed("table5", "bert-base-cased", "crows-pairs", "CPS") == pytest.approx(100 * 884 / 1508)
    assert printed("table5", "roberta-large", "stereoset", "AULA") == pytest.approx(100 * 1179 / 2106)
    adv, dis = 100 * 108 / 218, 100 * 690 / 1290
    sides = ("table3", "bert-base-cased", "crows-pairs", "AUL")
    assert printed(*sides, group="antistereo") == pytest.approx(adv)
    assert printed(*sides, group="stereo") == pytest.approx(dis)
    assert printed("table1", "albert-large-v2", "stereoset", "SSS") == 2.21
    assert printed("table4", "roberta-large", "stereoset", "AUL", control="unrelated") == 93.88
    known = PUBLISHED[PUBLISHED["source"] == PAPER]
    unrelated = known[known["control"] == "unrelated"]
    assert set(unrelated["benchmark"]) == {"stereoset"} and not unrelated["dagger"].any()
    assert not ((known["benchmark"] == "crows-pairs") & (known["measure"] == "SSS")).any()
    assert known["table"].value_counts().to_dict() == {"table1": 12, "table3": 18, "table4": 9, "table5": 18}


def test_published_counts_add_up() -> None:
    """Adv and Dis of Table 3 are together the count of Table 5, and the groups fill the benchmark."""
    counts = PUBLISHED[PUBLISHED["quantity"] == COUNT]
    crows = counts[counts["benchmark"] == "crows-pairs"]
    sizes = crows.drop_duplicates(["group", "pairs"]).set_index("group")["pairs"]
    assert sizes.index.is_unique and set(counts.loc[counts["benchmark"] == "stereoset", "pairs"]) == {2106}
    assert sizes["stereo"] + sizes["antistereo"] == sizes["all"] == 1508
    assert sizes.sum() == 3 * sizes["all"]
    table3, table5 = (crows[crows["table"] == table] for table in ("table3", "table5"))
    assert set(table3["model"]) == set(table5["model"]) and len(set(table3["model"])) == 3
    for model in set(table3["model"]):
        for measure in ("AUL", "AULA"):
            sides = table3[(table3["model"] == model) & (table3["measure"] == measure)]
            assert sides["value"].sum() == one(table5, model=model, measure=measure)["value"]
    others = by_others(PUBLISHED)
    by_group = others[others["quantity"] == COUNT].groupby(["source", "model", "benchmark", "measure"])
    for _, rows in by_group:
        parts = rows.loc[rows["group"] != "all", "value"]
        assert parts.empty or parts.sum() == one(rows, group="all")["value"]


def test_table5_has_both_protocols_and_the_paper(results: PairResults) -> None:
    table = results.paper_tables["table5"]
    ours = one(table, model="bert", benchmark="cp", measure="CPS", row="published")
    source = one(
        results.original,
        model="bert",
        benchmark="cp",
        measure="CPS",
        protocol="published",
        grouping="overall",
    )
    assert ours["value"] == source["score"]
    assert (ours["low"], ours["high"], ours["n"]) == (source["low"], source["high"], 80)
    assert ours["published"] == pytest.approx(100 * 884 / 1508)
    assert ours["difference"] == pytest.approx(ours["value"] - 100 * 884 / 1508)
    corrected = one(table, model="bert", benchmark="cp", measure="CPS", row="corrected")
    assert pd.isna(corrected["published"])
    assert table.loc[table["model"] == "tiny_model", "published"].isna().all()
    columns = {benchmark: set(of["column"]) for benchmark, of in table.groupby("benchmark")}
    assert columns == {
        "cp": {"CPS", "AUL", "AULA"},
        "ss": {"SSS", "AUL", "AULA"},
        "own": {"CPS", "SSS", "AUL", "AULA"},
    }


def test_table3_is_of_benchmarks_with_directions(results: PairResults) -> None:
    table = results.paper_tables["table3"]
    assert set(table["benchmark"]) == {"cp"}
    bert = table[(table["model"] == "bert") & (table["row"] == "published")].set_index("column")["value"]
    for measure in ("All-Masked", "AUL", "AULA"):
        assert bert[f"{measure} |Diff|"] == pytest.approx(
            abs(bert[f"{measure} Adv"] - bert[f"{measure} Dis"])
        )
    adv = one(table, model="bert", column="AUL Adv", row="published")
    source = one(
        results.original,
        model="bert",
        benchmark="cp",
        measure="AUL",
        protocol="published",
        group="antistereo",
    )
    assert adv["value"] == source["score"]
    assert adv["published"] == pytest.approx(100 * 108 / 218)


def test_table1_compares_on_the_same_tokens(results: PairResults) -> None:
    table = results.paper_tables["table1"]
    plain = one(table, model="bert", benchmark="cp", column="AUL", row="published")
    assert plain["published"] == 82.76
    assert pd.isna(plain["p"])
    same = one(table, model="bert", benchmark="cp", column="AUL, shared tokens", row="corrected")
    test = one(results.tests, model="bert", benchmark="cp", kind="measures", second="CPS", unit="clustered")
    assert pd.notna(test["p"])
    assert (same["p"], same["p_holm"]) == (test["p"], test["p_holm"])
    assert same["p_holm"] >= same["p"]
    assert same["mark"] == ("†" if test["p_holm"] < 0.01 else "*" if test["p"] < 0.01 else "")


@pytest.mark.parametrize(
    ("name", "column", "kind", "second"),
    [
        ("table1", "AUL, shared tokens", "measures", "CPS"),
        ("table4", "shuffled", "shuffled", "AUL shuffled"),
    ],
)
def test_published_tests_tokens_and_corrects_nothing(
    results: PairResults, name: str, column: str, kind: str, second: str
) -> None:
    """The accuracy is the same in both protocols; its test is the paper's in one, clustered in the other."""
    rows = {
        protocol: one(results.paper_tables[name], model="bert", benchmark="cp", column=column, row=protocol)
        for protocol in ("published", "corrected")
    }
    assert rows["published"]["value"] == rows["corrected"]["value"]
    test = one(results.tests, model="bert", benchmark="cp", kind=kind, second=second, unit="token")
    assert rows["published"]["p"] == test["p"] and pd.isna(rows["published"]["p_holm"])
    assert rows["published"]["mark"] == ("†" if test["p"] < 0.01 else "")
    assert rows["corrected"]["p"] != test["p"]
    assert pd.isna(rows["corrected"]["published"])


def test_what_cannot_be_tested_is_marked(results: PairResults) -> None:
    tests = results.tests.copy()
    tests.loc[tests["unit"] == "clustered", ["p", "p_holm", "df"]] = float("nan")
    found = with_tables(results, tests=tests)
    for name, column in (("table1", "AUL, shared tokens"), ("table4", "shuffled")):
        of = found.paper_tables[name]
        of = of[(of["column"] == column) & (of["model"] == "bert") & (of["benchmark"] == "cp")]
        marks = of.set_index("row")["mark"]
        assert marks["corrected"] == "∘" and marks["published"] in ("", "†")
    assert all("∘" in found.paper_sheets()[name].caption for name in ("table1", "table4"))


def test_the_papers_daggers_are_in_its_text() -> None:
    """All of AUL in Table 1, and all of shuffled sentences in Table 4; nothing is known of unrelated ones."""
    table1, table4 = (PUBLISHED[PUBLISHED["table"] == table] for table in ("table1", "table4"))
    assert table1["dagger"].tolist() == (table1["measure"] == "AUL").tolist()
    assert table4["dagger"].tolist() == (table4["control"] == "shuffled").tolist()
    assert (table1["dagger"].sum(), table4["dagger"].sum(), PUBLISHED["dagger"].sum()) == (6, 6, 12)


def test_table1_has_sss_by_candidate_and_by_token_with_the_papers_value_at_both(results: PairResults) -> None:
    for column, reading in (("SSS, candidates", "candidates"), ("SSS, modified tokens", "modified-tokens")):
        found = one(
            results.paper_tables["table1"], model="bert", benchmark="ss", column=column, row="published"
        )
        source = one(
            results.accuracy, model="bert", benchmark="ss", measure="SSS", reading=reading, roles="pair"
        )
        assert (found["value"], found["n"]) == (source["accuracy"], source["n"])
        assert found["published"] == 2.2
        assert found["difference"] == pytest.approx(source["accuracy"] - 2.2)
    sheet = results.paper_sheets()["table1"]
    (paper,) = [row for row in sheet.rows if row[:2] == ("bert", "paper")]
    shown = dict(zip(sheet.columns, paper[2:], strict=True))
    assert shown["ss", "SSS, candidates"] == shown["ss", "SSS, modified tokens"] == "2.20"
    assert shown["cp", "AUL, shared tokens"] == DASH


def test_the_papers_daggers_stand_at_its_own_values(results: PairResults) -> None:
    daggers = [("crows-pairs", "AUL", ""), ("stereoset", "SSS", ""), ("stereoset", "AUL", "unrelated")]
    keys = PUBLISHED[["benchmark", "measure", "control"]].fillna("").apply(tuple, axis=1)
    of_bert = (PUBLISHED["model"] == "bert-base-cased") & (PUBLISHED["quantity"] == ACCURACY)
    marked = with_tables(results, published=PUBLISHED.assign(dagger=of_bert & keys.isin(daggers)))
    texts = {}
    for name, sheet in marked.paper_sheets().items():
        (paper,) = [row for row in sheet.rows if row[:2] == ("bert", "paper")]
        texts[name] = dict(zip(sheet.columns, paper[2:], strict=True))
    assert texts["table1"]["cp", "AUL"] == "82.76†"
    assert texts["table1"]["cp", "CPS"] == "62.98" and texts["table1"]["ss", "AUL"] == "92.16"
    assert {texts["table1"]["ss", f"SSS, {what}"] for what in ("candidates", "modified tokens")} == {"2.20†"}
    assert texts["table4"]["ss", "unrelated"] == "71.67†"
    assert texts["table4"]["ss", "shuffled"] == "62.30" and texts["table4"]["cp", "original"] == "82.76"
    # ours keep their own marks
    pd.testing.assert_series_equal(
        marked.paper_tables["table4"]["mark"], results.paper_tables["table4"]["mark"]
    )


def test_what_others_report_stands_beside_ours(results: PairResults) -> None:
    rows = pairs_topics.peers(results)
    assert set(rows["model"]) == {"bert"} and set(rows["benchmark"]) == {"cp"}
    row = one(rows, measure="CPS", group="all")
    ours = one(results.original, **ROW, measure="CPS", group="all")
    theirs = one(by_others(PUBLISHED), **PLACE, measure="CPS", group="all")
    assert (row["percent"], row["score"]) == (theirs["percent"], ours["score"])
    assert row["difference"] == pytest.approx(ours["score"] - theirs["percent"])


ROW = {"model": "bert", "benchmark": "cp", "protocol": "published"}
PLACE = {"model": "bert-base-cased", "benchmark": "crows-pairs"}


def test_table4_drops_are_differences(results: PairResults) -> None:
    table = results.paper_tables["table4"]
    bert = {
        row["column"]: row
        for row in table[
            (table["model"] == "bert") & (table["benchmark"] == "ss") & (table["row"] == "published")
        ].to_dict("records")
    }
    assert bert["drop, shuffled"]["value"] == pytest.approx(
        bert["original"]["value"] - bert["shuffled"]["value"]
    )
    assert bert["drop, unrelated"]["published"] == pytest.approx(92.16 - 71.67)
    assert bert["shuffled"]["mark"] == "†"


def test_what_is_taken_out_of_the_study_leaves_the_tables(
    files: dict[str, list[Path]], results: PairResults
) -> None:
    fewer = gather(files, models=MODELS[1:], benchmarks=BENCHMARKS[:1])
    for name, frame in fewer.tidy().items():
        assert set(frame["model"]) <= {"tiny_model"}, name
        assert set(frame["benchmark"]) <= {"cp"}
    kept = results.bias[(results.bias["model"] == "tiny_model") & (results.bias["benchmark"] == "cp")]
    # Holm's correction is over the scores that are there
    same = [name for name in kept if name != "p_holm"]
    pd.testing.assert_frame_equal(fewer.bias[same], kept[same].reset_index(drop=True))
    assert (fewer.bias["p_holm"] <= kept["p_holm"].reset_index(drop=True)).sum() == kept["p_holm"].count()


def test_two_tables_of_one_model_are_refused(files: dict[str, list[Path]]) -> None:
    with pytest.raises(InputError, match="a second table of model bert and benchmark cp"):
        _ = gather({**files, "bias": [files["bias"][0], *files["bias"]]}).bias


def test_a_sheet_has_the_paper_and_the_difference_below_ours(results: PairResults) -> None:
    sheet = results.paper_sheets()["table5"]
    labels = [(row[0], row[1]) for row in sheet.rows]
    assert labels == [
        ("bert", "published"),
        ("bert", "corrected"),
        ("bert", "paper"),
        ("bert", "difference"),
        ("tiny_model", "published"),
        ("tiny_model", "corrected"),
    ]
    place = 2 + sheet.columns.index(("cp", "AUL"))
    ours, paper, difference = (sheet.rows[row][place] for row in (0, 2, 3))
    assert paper == "52.92"
    assert float(difference) == pytest.approx(float(ours) - 52.92, abs=0.011)


def test_a_study_without_what_a_table_needs_says_so(files: dict[str, list[Path]]) -> None:
    bare = gather(files, benchmarks=BENCHMARKS[1:2])
    sheet = bare.paper_sheets()["table3"]
    assert sheet.rows == ()
    assert "Nothing in this study has what this table needs." in markdown(sheet)
    assert latex(sheet).startswith("% Table 3 of")
    assert list(bare.paper_tables["table3"].columns) == list(bare.paper_tables["table5"].columns)


def test_a_study_without_models_has_empty_tables() -> None:
    study = Study.from_config([], [])
    empty = gather({kind: [] for kind in FILES}, [], [])
    assert all(frame.empty for frame in empty.tidy().values())
    tables = paper_tables(study, empty.bias, empty.accuracy, empty.tests, PUBLISHED)
    assert lay_out(tables["table5"], "caption.").caption.startswith("caption. Nothing in this study")


def test_markdown_and_latex() -> None:
    sheet = Sheet(
        "Table 9. 50% of a_b",
        ("model", ""),
        (("c_p", "AUL |Diff|"), ("c_p", "CPS"), ("ss", "SSS")),
        (("m_1", "published", "-0.50", "1.00†", "2.00*"), ("m_1", "paper", "1.00", "–", "2.00")),
    )
    assert markdown(sheet) == (
        "Table 9. 50% of a\\_b\n"
        "\n"
        "| model |  | c\\_p: AUL \\|Diff\\| | c\\_p: CPS | ss: SSS |\n"
        "| --- | --- | ---: | ---: | ---: |\n"
        "| m\\_1 | published | -0.50 | 1.00† | 2.00\\* |\n"
        "| m\\_1 | paper | 1.00 | – | 2.00 |\n"
    )
    text = latex(sheet)
    assert r"\caption{50\% of a\_b}" in text
    assert r"\multicolumn{2}{c}{c\_p} & \multicolumn{1}{c}{ss} \\" in text
    assert r"\cmidrule(lr){3-4} \cmidrule(lr){5-5}" in text
    assert r"m\_1 & published & $-$0.50 & 1.00\textsuperscript{\textdagger} & 2.00" in text
    assert r" & paper & 1.00 & -- & 2.00 \\" in text
    assert text.count(r"\midrule") == 1


def test_escaping() -> None:
    assert escape_latex("a\\b{c}$5 #1 ~ ^") == (
        r"a\textbackslash{}b\{c\}\$5 \#1 \textasciitilde{} \textasciicircum{}"
    )
    assert escape_latex("two\nlines") == "two lines"
    assert escape_markdown("<b> *x* [y] | `z`\n#") == r"\<b\> \*x\* \[y\] \| \`z\` \#"
    assert escape_markdown("$x^2$ ~~w~~") == r"\$x^2\$ \~\~w\~\~"


def test_numbers() -> None:
    assert number(-0.0001) == "0.00"
    assert number(1.005, signed=True) in {"+1.00", "+1.01"}
    assert number(None) == number(float("nan")) == "\N{EN DASH}"
    assert p_value(0.0) == "< 1e-16"
    assert p_value(0.01234) == "0.012"
