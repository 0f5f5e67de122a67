"""What papers print, beside ours: tables, the language model score, and what others report."""

import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import (
    COUNT,
    DASH,
    PAIRS,
    PROTOCOLS,
    SCHEMAS,
    PairResults,
    Sheet,
    decisions,
    escape_latex,
    escape_markdown,
    latex,
    lms_table,
    markdown,
    pairs_presenting,
    printed,
    sharing_of,
    title_of,
    write_table,
)
from library import PAIRS_STEREOSET as STEREOSET
from library import UNMASKING_THE_MASK as PAPER
from study_schema import options_with
from synthetic import pair_results, with_tables

PUBLISHED = pair_results([], []).published
OTHERS = printed.printed_scores(PUBLISHED[PUBLISHED["source"] != PAPER])
MODELS = [
    {"name": "bert", "published": "bert-base-cased", "source": "hub"},
    {"name": "tiny_model", "source": "train"},
]
BENCHMARKS = [
    {"name": "cp", "published": "crows-pairs"},
    {"name": "ss", "published": "stereoset"},
    {"name": "own"},
]
KINDS = (*pairs_presenting.TIDY, "measures_compared")
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


@pytest.fixture(scope="module")
def results(files: dict[str, list[Path]]) -> PairResults:
    return pair_results(MODELS, BENCHMARKS, files)


def one(frame: pd.DataFrame, **wanted: object) -> Any:
    for key, value in wanted.items():
        frame = frame[frame[key] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_published_values_are_the_papers() -> None:
    """Those of bert stand beside ours in another test."""
    known = PUBLISHED[PUBLISHED["source"] == PAPER]
    for of, value in (
        ({"table": "table5", "model": "roberta-large", "measure": "AULA"}, 100 * 1179 / 2106),
        ({"table": "table1", "model": "albert-large-v2", "measure": "SSS"}, 2.21),
        ({"table": "table4", "model": "roberta-large", "control": "unrelated"}, 93.88),
    ):
        assert one(known, benchmark="stereoset", **of)["percent"] == pytest.approx(value)
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
    by_group = OTHERS[OTHERS["quantity"] == COUNT].groupby(["source", "model", "benchmark", "measure"])
    for _, rows in by_group:
        parts = rows.loc[rows["group"] != "all", "value"]
        assert parts.empty or parts.sum() == one(rows, group="all")["value"]


def test_printed_counts_of_gpt2_add_up_to_the_printed_share() -> None:
    """The pull request prints 0.593501326259947 for all pairs, and shares by bias type."""
    rows = PUBLISHED.query("model == 'gpt2-no-start'").set_index("group")
    types = rows.drop("all")
    assert (types["pairs"].sum(), types["value"].sum()) == (1508, 895) and len(types) == 9
    assert rows.loc["all", "percent"] == pytest.approx(59.3501326259947, abs=1e-12)
    assert rows.loc["socioeconomic", "percent"] == pytest.approx(66.86046511627907, abs=1e-12)


def test_printed_counts_of_pythia_are_whole_numbers_of_pairs_at_every_checkpoint() -> None:
    rows = PUBLISHED.query("source == 'EleutherAI/pythia'")
    sizes = rows["model"].str.extract(r"pythia-(70m|410m)-step(\d+)$")
    assert sizes.notna().all(axis=None) and len(rows) == 2 * 2 * 12
    assert (rows.groupby(["benchmark", sizes[0]])["value"].count() == 12).all()
    assert set(rows["pairs"]) == {1677} and (rows["value"] == rows["value"].round()).all()
    last = rows[sizes[1] == "143000"].set_index(["model", "benchmark"])["percent"]
    of_70m = last["pythia-70m-step143000"]
    assert of_70m["crows-pairs-revised"] == pytest.approx(51.93798449612403, abs=1e-12)
    assert of_70m["crows-pairs-french"] == pytest.approx(42.695289206917114, abs=1e-12)


READINGS = {
    "CPS": ("CPS", "shared-tokens", ""),
    "SSS, candidates": ("SSS", "candidates", ""),
    "SSS, modified tokens": ("SSS", "modified-tokens", ""),
    "AUL": ("AUL", "all-tokens", ""),
    "AUL, shared tokens": ("AUL", "shared-tokens", "CPS"),
    "AUL, modified tokens": ("AUL", "modified-tokens", "SSS"),
}
"""The measure of each column of Table 1, which tokens count, and the measure that it is tested against."""

CONTROLS = {
    "original": ("original", "pair", ""),
    "shuffled": ("shuffled", "pair", "shuffled"),
    "unrelated": ("original", "unrelated", "unrelated"),
}
"""The variant and roles of each column of Table 4, and what its test is of."""


def expected(results: PairResults, table: str, row: Mapping[Any, Any]) -> tuple[float, dict[str, str]]:
    """A number of a table of the paper, looked up in the statistics, and which test stands at it."""
    place, column = {name: row[name] for name in ("model", "benchmark")}, row["column"]
    if table in ("table3", "table5"):
        title, _, side = column.partition(" ")
        scores = results.original.query("grouping in ['overall', 'direction']")
        scores = scores[scores["measure"] == title.replace("-", "")]
        of = {**place, "protocol": row["row"]}
        if not side:
            return one(scores, **of, group="all")["score"], {}
        adv, dis = (float(one(scores, **of, group=group)["score"]) for group in ("antistereo", "stereo"))
        return {"Adv": adv, "Dis": dis, "|Diff|": abs(adv - dis)}[side], {}
    if table == "table1":
        measure, reading, second = READINGS[column]
        of = {**place, "measure": measure, "reading": reading, "variant": "original", "roles": "pair"}
        test = {"kind": "measures", "second": second} if second else {}
        return one(results.accuracy, **of)["accuracy"], test
    of = {**place, "measure": "AUL", "reading": "all-tokens"}
    numbers = {
        name: one(results.accuracy, **of, variant=variant, roles=roles)["accuracy"]
        for name, (variant, roles, _) in CONTROLS.items()
    }
    if column.startswith("drop"):
        return numbers["original"] - numbers[column.removeprefix("drop, ")], {}
    kind = CONTROLS[column][2]
    return numbers[column], {"kind": kind, "second": f"AUL {kind}"} if kind else {}


def test_every_number_is_looked_up_in_the_statistics(results: PairResults) -> None:
    """The test of a protocol is the paper's, of tokens and without a correction, or is clustered."""
    for name, table in printed.paper_tables(results).items():
        assert len(table) >= 2 * 2 * 9
        for row in table.to_dict("records"):
            value, test = expected(results, name, row)
            assert row["value"] == pytest.approx(value, nan_ok=True), row
            # a drop is of two shares, and has no interval
            assert not row["column"].startswith("drop") or pd.isna([row["low"], row["high"]]).all()
            if not test:
                assert pd.isna(row["p"]) and row["mark"] == ""
                continue
            unit = {"published": "token", "corrected": "clustered"}[row["row"]]
            found = one(results.tests, model=row["model"], benchmark=row["benchmark"], unit=unit, **test)
            corrected = found["p_holm"] if unit == "clustered" else math.nan
            assert [row["p"], row["p_holm"]] == pytest.approx([found["p"], corrected], nan_ok=True)
            below = found["p"] if unit == "token" else found["p_holm"]
            unmarked = "*" if unit == "clustered" and found["p"] < 0.01 else ""
            assert row["mark"] == ("†" if below < 0.01 else unmarked)


def test_printed_values_stand_beside_the_protocol_published(results: PairResults) -> None:
    values = {
        ("table1", "cp", "AUL"): 82.76,
        # of both readings of its candidates
        ("table1", "ss", "SSS, candidates"): 2.2,
        ("table1", "ss", "SSS, modified tokens"): 2.2,
        ("table3", "cp", "AUL Adv"): 100 * 108 / 218,
        ("table3", "cp", "AUL |Diff|"): 100 * (690 / 1290 - 108 / 218),
        ("table4", "ss", "drop, unrelated"): 92.16 - 71.67,
        ("table5", "cp", "CPS"): 100 * 884 / 1508,
    }
    for (name, benchmark, column), value in values.items():
        table = printed.paper_tables(results)[name]
        of = {"benchmark": benchmark, "column": column}
        ours = one(table, **of, model="bert", row="published")
        assert ours["published"] == pytest.approx(value)
        assert ours["difference"] == pytest.approx(ours["value"] - value)
        assert pd.isna(one(table, **of, model="bert", row="corrected")["published"])
        assert pd.isna(one(table, **of, model="tiny_model", row="published")["published"])


def test_what_cannot_be_tested_is_marked(results: PairResults) -> None:
    tests = results.tests.copy()
    tests.loc[tests["unit"] == "clustered", ["p", "p_holm", "df"]] = float("nan")
    found = with_tables(results, tests=tests)
    for name, column in (("table1", "AUL, shared tokens"), ("table4", "shuffled")):
        of = printed.paper_tables(found)[name]
        of = of[(of["column"] == column) & (of["model"] == "bert") & (of["benchmark"] == "cp")]
        marks = of.set_index("row")["mark"]
        assert marks["corrected"] == "∘" and marks["published"] in ("", "†")
    assert all("∘" in printed.of_paper(name, found)[1].caption for name in ("table1", "table4"))


def test_areas_without_intervals_are_not_counted(results: PairResults) -> None:
    assert [text[:2] for text in printed.says_of_areas(results)][1:] == ["Gi"]
    bare = results.agreement.assign(low=math.nan, high=math.nan)
    (said,) = printed.says_of_areas(with_tables(results, agreement=bare))
    assert said.startswith("Given one pair that raters call biased")


def test_a_printed_value_counts_once(results: PairResults) -> None:
    """Those of the file and three differences of Table 3; of SSS in Table 1 the nearer reading is taken."""
    (said,) = printed.says_of_paper(results)
    off: dict[tuple[str, ...], float] = {}
    for name, rows in printed.paper_tables(results).items():
        for row in rows[rows["published"].notna()].to_dict("records"):
            key = (name, row["benchmark"], "SSS" if row["column"].startswith("SSS") else row["column"])
            if name != "table4" or row["column"] in ("shuffled", "unrelated"):
                off[key] = min(abs(row["value"] - row["published"]), off.get(key, math.inf))
    assert len(off) == 3 + ((PUBLISHED["source"] == PAPER) & (PUBLISHED["model"] == "bert-base-cased")).sum()
    close = sum(value <= 1 for value in off.values())
    assert said.startswith(f"{close} of {len(off)} values printed by {PAPER} ")
    assert said.endswith(f"difference is {max(off.values()):.1f}.")


def test_the_papers_daggers_stand_at_its_own_values(results: PairResults) -> None:
    daggers = [("crows-pairs", "AUL", ""), ("stereoset", "SSS", ""), ("stereoset", "AUL", "unrelated")]
    keys = PUBLISHED[["benchmark", "measure", "control"]].fillna("").apply(tuple, axis=1)
    of_bert = (PUBLISHED["model"] == "bert-base-cased") & (PUBLISHED["quantity"] == "accuracy")
    marked = with_tables(results, published=PUBLISHED.assign(dagger=of_bert & keys.isin(daggers)))
    texts = {}
    for name in printed.paper_tables(marked):
        sheet = printed.of_paper(name, marked)[1]
        (paper,) = [row for row in sheet.rows if row[:2] == ("bert", "paper")]
        texts[name] = dict(zip(sheet.columns, paper[2:], strict=True))
    assert texts["table1"]["cp", "AUL"] == "82.76†"
    assert texts["table1"]["cp", "CPS"] == "62.98" and texts["table1"]["ss", "AUL"] == "92.16"
    assert {texts["table1"]["ss", f"SSS, {what}"] for what in ("candidates", "modified tokens")} == {"2.20†"}
    assert texts["table4"]["ss", "unrelated"] == "71.67†"
    assert texts["table4"]["ss", "shuffled"] == "62.30" and texts["table4"]["cp", "original"] == "82.76"
    # ours keep their own marks
    pd.testing.assert_series_equal(
        printed.paper_tables(marked)["table4"]["mark"], printed.paper_tables(results)["table4"]["mark"]
    )


def test_what_others_report_stands_beside_ours(results: PairResults) -> None:
    rows = printed.peers(results)
    assert set(rows["model"]) == {"bert"} and set(rows["benchmark"]) == {"cp"}
    row = one(rows, measure="CPS", group="all")
    ours = one(results.original, **ROW, measure="CPS", group="all")
    theirs = one(OTHERS, **PLACE, measure="CPS", group="all")
    assert (row["percent"], row["score"]) == (theirs["percent"], ours["score"])
    assert row["difference"] == pytest.approx(ours["score"] - theirs["percent"])


@pytest.fixture(scope="module")
def read_by_sss(results: PairResults) -> PairResults:
    """SSS reads unrelated sentences, as AUL does."""
    made, rng = synthetic.make(60), np.random.default_rng(0)
    margins = {each: rng.normal(1, 1, (2, 60)) for each in product(("AUL", "SSS"), PROTOCOLS)}
    sharing = sharing_of(made.pairs, ["words"])
    rows = lms_table(made.pairs, decisions(made.pairs, made.scores), margins, sharing, 0.95)
    tables = [rows.assign(model=model["name"], benchmark="ss") for model in MODELS]
    return with_tables(results, lms=pd.concat(tables, ignore_index=True))


def test_the_language_model_score_is_of_pairs_and_of_targets_beside_what_is_printed(
    read_by_sss: PairResults,
) -> None:
    results = read_by_sss
    made = printed.lms_sheet(results, printed.lms(results))
    assert made.stubs == ("model", "benchmark", "measure", "group")
    groups = list(dict.fromkeys(group for group, _ in made.columns))
    assert groups == ["of all pairs", "mean over targets", "printed, mean over targets"]
    keys = ["model", "benchmark", "measure", "group"]
    rows = {row[:4]: row[4:] for row in made.rows}
    known: Any = results.lms[results.lms["grouping"].isin(["overall", "bias_type"])]
    known = known.assign(measure=known["measure"].map(title_of)).set_index([*keys, "protocol"])
    assert len(rows) == len(made.rows) == len(known) / 2
    of_bert = (PUBLISHED["source"] == STEREOSET) & (PUBLISHED["model"] == "bert-base-cased")
    values = PUBLISHED[of_bert].set_index(["measure", "group", "quantity"])["value"]
    for key, cells in rows.items():
        one, other = (known.loc[(*key, protocol)] for protocol in ("corrected", "published"))
        assert cells[0].startswith(f"{one['lms']:.1f}") and cells[1] == f"{one['score']:.1f}"
        assert cells[2].startswith(f"{one['icat']:.1f}")
        names = {"LMS": "lms", "SS": "score", "ICAT": "icat"}
        by_target = [other[f"{name}_by_target"] for name in names.values()]
        # of AUL, and of another model or benchmark, nothing is printed
        theirs = [values.get((*key[2:], f"{name} by target")) for name in names if key[:2] == ("bert", "ss")]
        assert list(cells[3:]) == [
            DASH if number is None or pd.isna(number) else f"{number:.1f}"
            for number in (*by_target, *(theirs or [None] * 3))
        ]
    assert rows["bert", "ss", "SSS", "all"][6:] == ("83.0", "58.7", "68.6")


@pytest.mark.parametrize("name", ["all", "stereo"])
def test_a_bias_type_may_be_called_as_another_group_is(read_by_sss: PairResults, name: str) -> None:
    before, tables = read_by_sss, {}
    for each in ("lms", "bias"):
        rows = getattr(before, each)
        is_gender = (rows["grouping"] == "bias_type") & (rows["group"] == "gender")
        tables[each] = rows.assign(group=rows["group"].astype(str).mask(is_gender, name))
    after = with_tables(before, **tables)
    peers, again = (printed.peers(each).query("group == 'all'")["score"] for each in (before, after))
    pd.testing.assert_series_equal(peers, again)
    sheets = [printed.lms_sheet(results, printed.lms(results)).rows for results in (before, after)]
    assert [row[3] for row in sheets[1]] == [name if row[3] == "gender" else row[3] for row in sheets[0]]
    # as the paper has nothing of that name
    assert [row[4:10] for row in sheets[1]] == [row[4:10] for row in sheets[0]]
    groups, of_type = (
        [row for row in pairs_presenting.BIAS_TYPES.sheet(pairs_presenting.bias_types(each)).rows]
        for each in (before, after)
    )
    assert [row[2] for row in of_type] == [name if row[2] == "gender" else row[2] for row in groups]


def test_what_is_not_known_of_the_language_model_score_has_no_columns(read_by_sss: PairResults) -> None:
    results = read_by_sss
    nothing = dict.fromkeys(["lms_by_target", "score_by_target", "icat_by_target"], float("nan"))
    for changed, group in (
        ({"lms": results.lms.assign(**nothing)}, "mean over targets"),
        ({"published": PUBLISHED.iloc[:0]}, "printed, mean over targets"),
    ):
        some = with_tables(results, **changed)
        assert group not in {of for of, _ in printed.lms_sheet(some, printed.lms(some)).columns}
    none = with_tables(results, lms=results.lms.iloc[:0])
    assert printed.lms_sheet(none, printed.lms(none)).rows == ()


def test_printed_means_over_targets_are_whole_and_none_is_a_score_of_all_pairs() -> None:
    of_authors = PUBLISHED[PUBLISHED["source"] == STEREOSET]
    wide = of_authors.pivot(index=["model", "measure", "group"], columns="quantity", values="value")
    assert len(wide) == 4 * 5 and wide.notna().all(axis=None) and set(of_authors["measure"]) == {"SSS"}
    share, score, icat = (wide[f"{name} by target"] for name in ("LMS", "SS", "ICAT"))
    pd.testing.assert_series_equal(icat, share * score.where(score < 50, 100 - score) / 50, check_names=False)
    assert STEREOSET not in set(OTHERS["source"])


ROW = {"model": "bert", "benchmark": "cp", "protocol": "published"}
PLACE = {"model": "bert-base-cased", "benchmark": "crows-pairs"}


def test_a_sheet_has_the_paper_and_the_difference_below_ours(results: PairResults) -> None:
    sheet = printed.of_paper("table5", results)[1]
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
    bare = pair_results(MODELS, BENCHMARKS[1:2], files)
    sheet = printed.of_paper("table3", bare)[1]
    assert sheet.rows == ()
    assert "Nothing in this study has what this table needs." in markdown(sheet)
    assert latex(sheet).startswith("% Table 3 of")
    table3, table5 = (printed.paper_tables(bare)[name] for name in ("table3", "table5"))
    assert list(table3) == list(table5)


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
