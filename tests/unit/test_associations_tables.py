"""Tables of association tests, each number recomputed from the rows that they are made of."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from association_files import PUBLISHED_HEAD
from literal_associations import holm
from made_associations import AWKWARD, SETTINGS, Study, make_study
from running import present
from unmask.associations.chance import least_p
from unmask.associations.comparisons import PAIR_COLUMNS
from unmask.associations.permutations import partitions
from unmask.associations.presenting import PRESENTS
from unmask.associations.results import AssociationResults
from unmask.associations.shown import TABLES
from unmask.associations.tables import (
    CANNOT_REJECT,
    experiments,
    grounded,
    overview,
    pairs,
    published,
    table1,
)
from unmask.associations.tables import cells as cells_table
from unmask.associations.testing import E2_HAS_NO_PERMUTATION_TEST
from unmask.report.sheets import DASH, MINUS, Sheet

BLANK = "blank"
KEYS_OF_CELLS = ("pooling", "words", "pictured_with", "level")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("tables"))


@pytest.fixture(scope="module")
def results(study: Study) -> AssociationResults:
    return AssociationResults(study.files, study.settings)


@pytest.fixture(scope="module")
def csv(study: Study) -> dict[str, pd.DataFrame]:
    """The files that the script writes, read again."""
    names = [f"{table}_{form}" for table in TABLES for form in ("csv", "md", "tex")]
    files = {name: study.folder / name for name in names}
    present("associations", study.files, files, study.folder / "log", study.settings)
    for name, path in files.items():
        text = path.read_text(encoding="utf-8")
        if name.endswith("_md"):
            lines = [line for line in text.splitlines() if line.startswith("|")]
            assert len({line.replace("\\|", "").count("|") for line in lines}) == 1, name
            assert AWKWARD not in text, name
    return {table: pd.read_csv(files[f"{table}_csv"]) for table in TABLES}


def one(rows: pd.DataFrame, **equal: str) -> Any:
    for column, value in equal.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1, equal
    return rows.iloc[0]


def cells(sheet: Sheet, *stubs: str) -> dict[tuple[str, str], str]:
    """The row that begins so, by head."""
    (row,) = (row for row in sheet.rows if row[: len(stubs)] == stubs)
    return dict(zip(sheet.columns, row[len(sheet.stubs) :], strict=True))


def test_every_sheet_is_as_wide_as_its_heads(study: Study, csv: dict[str, pd.DataFrame]) -> None:
    assert set(csv) == set(TABLES)
    assert all(len(frame) for frame in csv.values())


@pytest.mark.parametrize(("test", "level"), [("weat6", "word"), ("sent-weat6", "word"), ("unworded", "item")])
def test_table1_has_words_first_and_the_released_numbers_beside(
    study: Study, results: AssociationResults, test: str, level: str
) -> None:
    sheet = table1(results)[1]
    for encoder in (AWKWARD, BLANK):
        rows = study.rows[encoder, "words"]
        for pooling in ("cls", "mean"):
            row = one(rows, test=test, pooling=pooling, level=level, protocol="corrected")
            item = one(rows, test=test, pooling=pooling, level="item", protocol="published")
            row_cells = cells(sheet, pooling, "words", test)
            sign = "†" if row["p_holm"] < 0.05 else "*" if row["p_two"] < 0.05 else ""
            assert row_cells[encoder, "d"] == f"{row['d']:+.2f}{sign}".replace("-", MINUS)
            assert row_cells[encoder, "interval"] == f"{row['d_low']:+.2f} to {row['d_high']:+.2f}".replace(
                "-", MINUS
            )
            assert row_cells[encoder, "gap"] == f"{row['gap']:+.3f}".replace("-", MINUS)
            assert row_cells[encoder, "p (Holm)"] == f"{row['p_holm']:.2g}"
            assert row_cells[encoder, "d by item, published"] == f"{item['d']:+.2f}".replace("-", MINUS)
            assert row_cells[encoder, "p"] == f"{item['p']:.2g}"
            assert row_cells["", "|d| without bias"] == f"{row['expected_d']:.2f}"
    unit = {row[2]: row[3] for row in sheet.rows}
    assert unit[test] == level


def test_poolings_and_encoders_are_in_the_order_of_the_study(results: AssociationResults) -> None:
    sheet = table1(results)[1]
    assert list(dict.fromkeys(row[0] for row in sheet.rows)) == ["mean", "cls"]
    assert [group for group, _ in sheet.groups()] == ["", AWKWARD, BLANK]
    frame = overview(results)[0]
    assert frame["encoder"].drop_duplicates().tolist() == [AWKWARD, BLANK]
    assert frame["pooling"].tolist() == ["mean", "cls"] * 4


def test_a_positive_d_is_of_x_with_a(study: Study) -> None:
    """The first encoder has X near A in weat6, strong and seen; no table turns that round."""
    assert (study.rows[AWKWARD, "words"].query("test == 'weat6'")["d"] > 1.5).all()
    results = AssociationResults(study.files, study.settings)
    row_cells = cells(table1(results)[1], "mean", "words", "weat6")
    assert row_cells[AWKWARD, "d"].startswith("+1.") and row_cells[AWKWARD, "gap"].startswith("+")
    two = cells(grounded(results)[1], AWKWARD, "pics", "seen", "joint")
    assert two["X", "pictures of X"].startswith("+") and two["Y", "pictures of Y"].startswith(MINUS)
    assert two["effect", "of the words"].startswith("+")


def test_overview_counts(study: Study, csv: dict[str, pd.DataFrame]) -> None:
    for encoder in (AWKWARD, BLANK):
        for pooling in ("cls", "mean"):
            rows = study.rows[encoder, "words"]
            rows = rows[(rows["protocol"] == "corrected") & (rows["pooling"] == pooling)]
            main = rows[(rows["level"] == "word") | (rows["test"] == "unworded")]
            # 2 + 2 words have six partitions: p is a third at the least
            able = main[main["test"] != "small"]
            row = one(csv["overview"], encoder=encoder, suite="words", pooling=pooling)
            assert (row["tests"], row["able"], row["able_before"], row["by_word"]) == (4, 3, 3, 3)
            assert row["beyond"] == (able["p_holm"] < 0.05).sum()
            assert row["before"] == (able["p_two"] < 0.05).sum()
            assert row["by_chance"] == pytest.approx(0.15)
            assert row["mean_d"] == pytest.approx(sum(abs(d) for d in main["d"]) / 4)
            assert row["expected_d"] == pytest.approx(main["expected_d"].mean())
    assert one(csv["overview"], encoder=AWKWARD, suite="words", pooling="cls")["beyond"] >= 1


def test_what_could_be_beyond_chance(study: Study, results: AssociationResults) -> None:
    """From the numbers of partitions, by hand: two of C(12, 6) and of C(10, 5), and two of 6."""
    rows = study.rows[AWKWARD, "words"].assign(encoder=AWKWARD, suite="words")
    by_item = rows[(rows["protocol"] == "corrected") & (rows["level"] == "item") & (rows["pooling"] == "cls")]
    least = dict(zip(by_item["test"], least_p(by_item), strict=True))
    assert least["weat6"] == pytest.approx(2 / 924)
    assert least["unworded"] == pytest.approx(2 / 252)
    assert least["small"] == pytest.approx(2 / 6)
    # 24 sentences are 2.7 million partitions, all of them counted
    assert least["sent-weat6"] == pytest.approx(2 / 2704156)
    able = results.rows.query("suite == 'words' and level == 'item' and protocol == 'corrected'")
    names = list(least)
    expected = dict(zip(names, holm([least[name] for name in names]), strict=True))
    for test, value in zip(able["test"], able["able"], strict=True):
        assert value == (expected[test] < 0.05)


@pytest.mark.parametrize(("x", "y"), [(1, 1), (2, 2), (3, 3), (2, 3), (1, 5), (6, 4)])
@pytest.mark.parametrize(("experiment", "names"), [("weat", "xy"), ("E3x", "ab")])
def test_the_smallest_p_is_that_of_sets_that_are_furthest_apart(
    x: int, y: int, experiment: str, names: str
) -> None:
    furthest = partitions(np.array([[1.0] * x + [0.0] * y]), x)
    row = {"experiment": experiment, "x": 7, "y": 7, "a": 7, "b": 8, names[0]: x, names[1]: y}
    row |= {"partitions": furthest.partitions, "exact": True, "p_two": 0.5}
    assert least_p(pd.DataFrame([row])).tolist() == furthest.p_two.tolist()


def test_least_p_of_draws_of_unequal_sets_and_of_what_has_none() -> None:
    rows = pd.DataFrame(
        {
            "experiment": ["weat", "weat", "E3x", "weat", "E2"],
            "x": [30, 3, 4, 3, 3],
            "y": [30, 4, 5, 3, 3],
            "a": [2, 2, 2, 2, 2],
            "b": [2, 2, 2, 2, 2],
            "partitions": [999, 35, 6, None, None],
            "exact": [False, True, True, None, None],
            "p_two": [0.5, 0.5, 0.5, 1.0, None],
        }
    )
    assert least_p(rows).tolist()[:4] == [1 / 1000, 1 / 35, 2 / 6, 1.0]
    assert pd.isna(least_p(rows).iloc[4])


def test_published_values_beside_ours(
    study: Study, results: AssociationResults, csv: dict[str, pd.DataFrame]
) -> None:
    frame = csv["published"]
    assert set(frame["encoder"]) == {AWKWARD}
    row = one(frame, test="weat6", source="may-corrected")
    ours = one(study.rows[AWKWARD, "words"], test="weat6", pooling="cls", level="item", protocol="published")
    assert row["published_d"] == 0.48 and row["d"] == pytest.approx(ours["d"])
    assert row["difference"] == pytest.approx(ours["d"] - 0.48) and row["p"] == pytest.approx(ours["p"])
    # bare-first is no pooling of this study
    row_cells = cells(published(results)[1], AWKWARD, "words", "weat6", "may")
    assert row_cells["d", "published"] == "+0.21" and row_cells["d", "ours"] == DASH


def test_published_means_and_other_deviations(study: Study, tmp_path: Path) -> None:
    text = f"""{PUBLISHED_HEAD}\
s,,m,weat6 sent-weat6,cls,word,0,,,0.5,,
s,,m,weat6,cls,word,0,0.018,,0.25,,n
s,,m,weat6 absent,cls,word,0,,,0.5,,
"""
    path = tmp_path / "published.csv"
    path.write_text(text)
    results = AssociationResults(
        study.files | {"published": str(path)}, study.settings | {"published": {BLANK: "m"}}
    )
    frame = published(results)[0]
    assert len(frame) == 2
    rows = study.rows[BLANK, "words"].query("pooling == 'cls' and level == 'word'")
    d0 = dict(zip(rows["test"], rows["d0"], strict=True))
    assert frame["d"].tolist() == pytest.approx([d0["weat6"], (abs(d0["weat6"]) + abs(d0["sent-weat6"])) / 2])
    # suites that are not the released ones are not held against what is published
    assert published(AssociationResults(study.files, study.settings | {"released": ["world"]}))[0].empty
    assert frame["note"].tolist()[0] == "n" and frame["published_p"].tolist()[0] == 0.018


def test_two_by_two(study: Study, results: AssociationResults, csv: dict[str, pd.DataFrame]) -> None:
    for encoder in (AWKWARD, BLANK):
        for means in study.means[encoder, "pics"]:
            row = one(csv["grounded"], encoder=encoder, pooling=means["pooling"], level=means["level"])
            x1, x2, y1, y2 = (means[key] for key in ("x1", "x2", "y1", "y2"))
            assert row["target_effect"] == pytest.approx((x1 + x2) / 2 - (y1 + y2) / 2)
            assert row["image_effect"] == pytest.approx((x1 + y1) / 2 - (x2 + y2) / 2)
            assert row["interaction"] == pytest.approx(((x1 - x2) - (y1 - y2)) / 2)
    by_word = [means for means in study.means[BLANK, "pics"] if means["level"] == "word"]
    assert [means["pooling"] for means in by_word] == ["joint", "word"]
    for means in by_word:
        row_cells = cells(grounded(results)[1], BLANK, "pics", "seen", means["pooling"], "word")
        assert row_cells["X", "pictures of Y"] == f"{means['x2']:+.3f}".replace("-", MINUS)
        assert row_cells["Y", "pictures of X"] == f"{means['y1']:+.3f}".replace("-", MINUS)


def test_all_cells_stand_with_what_they_show(
    study: Study, results: AssociationResults, csv: dict[str, pd.DataFrame]
) -> None:
    """A mean that is not there is a dash: of B there are no pictures that show it alone."""
    seen, columns = "pictures of A and B", {"alone": "alone", "with X": "with_x", "with Y": "with_y"}
    sheet = cells_table(results)[1]
    for encoder in (AWKWARD, BLANK):
        records = study.cells[encoder, "pics"]
        assert len(records) == 2 * 2 * 6
        for record in records:
            row = one(csv["cells"], encoder=encoder, **{key: record[key] for key in KEYS_OF_CELLS})
            assert np.isnan(row["alone"]) and record["alone"] is None
            assert (row["with_x"], row["with_y"]) == (record["with_x"], record["with_y"])
        for record in (record for record in records if record["level"] == "word"):
            start = [record[key] for key in KEYS_OF_CELLS]
            row_cells = cells(sheet, encoder, "pics", "seen", *start)
            for head, name in columns.items():
                if record[name] is None:
                    assert row_cells[seen, head] == DASH
                else:
                    assert float(row_cells[seen, head].replace(MINUS, "-")) == pytest.approx(
                        record[name], abs=5.001e-4
                    )
    assert len(sheet.rows) == 2 * 2 * 6


def test_experiments(study: Study, results: AssociationResults) -> None:
    sheet = experiments(results)[1]
    rows = study.rows[AWKWARD, "pics"].query("protocol == 'corrected' and level == 'word'")
    assert rows.groupby("pooling", sort=False)["experiment"].agg(list).to_dict() == {
        "joint": ["E1", "E2", "E3x", "E3y"],
        "word": ["E1", "E2", "E3x", "E3y"],
    }
    assert rows.loc[rows["experiment"] == "E2", "p_two"].isna().all()
    for _, row in rows.iterrows():
        row_cells = cells(sheet, AWKWARD, "pics", "seen", row["pooling"], row["experiment"])
        assert row_cells["", "gap"] == f"{row['gap']:+.3f}".replace("-", MINUS)
        assert row_cells["", "d"].rstrip("†*") == f"{row['d']:+.2f}".replace("-", MINUS)
        if row["experiment"] == "E2":
            assert (row_cells["", "p"], row_cells["", "p (Holm)"], row_cells["", "why not"]) == (
                DASH,
                DASH,
                E2_HAS_NO_PERMUTATION_TEST,
            )
        else:
            assert (
                row_cells["", "p"] == f"{row['p_two']:.2g}"
                and row_cells["", "p (Holm)"] == f"{row['p_holm']:.2g}"
            )
            # of 6 and 6 targets, and of 8 and 8 attribute words
            count = 12870 if row["experiment"] in ("E3x", "E3y") else 924
            assert row_cells["", "smallest p"] == f"{2 / count:.2g}"
    assert not results.rows.loc[results.rows["experiment"] == "E2", "able"].any()


def test_an_experiment_that_cannot_reject_has_no_p_in_its_table(study: Study) -> None:
    results = AssociationResults(study.files, study.settings)
    rows = results.grounded.copy()
    e3 = rows["experiment"].isin(["E3x", "E3y"])
    # three words of A and three of B
    rows.loc[e3, ["p_two", "p_holm", "least_p"]] = 2 / 20
    rows.loc[e3, "able"] = False
    results.__dict__["grounded"] = rows
    sheet = experiments(results)[1]
    for experiment, blank in (("E1", False), ("E3x", True), ("E3y", True)):
        row_cells = cells(sheet, AWKWARD, "pics", "seen", "joint", experiment)
        assert (row_cells["", "p"] == DASH) == (row_cells["", "p (Holm)"] == DASH) == blank
        assert (row_cells["", "why not"] == CANNOT_REJECT) == blank
        assert not blank or row_cells["", "smallest p"] == "0.1"


def test_nothing_makes_tables_without_rows(study: Study) -> None:
    bare = {key: study.files[key] for key in ("captions", "published")} | {"associations": []}
    names = [f"{table}_{form}" for table in TABLES for form in ("csv", "md", "tex")]
    for name, text in PRESENTS.table_texts(AssociationResults(bare, SETTINGS), names):
        if name.endswith("csv"):
            assert pd.read_csv(io.StringIO(text)).empty, name
        else:
            assert "Nothing in this study has what this table needs." in text, name


def test_what_could_not_be_beyond_chance_is_not_shown_as_if_it_could(
    study: Study, results: AssociationResults
) -> None:
    """2 + 2 words have six partitions, so p is a third at the least."""
    for encoder in (AWKWARD, BLANK):
        row_cells = cells(table1(results)[1], "mean", "words", "small")
        assert row_cells[encoder, "p (Holm)"].startswith("(") and row_cells[encoder, "p (Holm)"].endswith(")")
        assert not row_cells[encoder, "d"].endswith(("†", "*"))
    only = results.rows[results.rows["test"] == "small"]
    few = AssociationResults(study.files, study.settings)
    few.__dict__["main"] = only[(only["level"] == "word") & (only["protocol"] == "corrected")]
    sheet = overview(few)[1]
    row_cells = cells(sheet, AWKWARD, "words", "mean")
    assert row_cells["", "tests"] == "1"
    heads = [label for group, label in sheet.columns if group == "beyond chance"]
    assert len(heads) == 3 and {row_cells["beyond chance", head] for head in heads} == {DASH}
    many = cells(overview(results)[1], AWKWARD, "words", "mean")
    assert many["beyond chance", "before it"].endswith(" of 3")


def test_a_reason_that_all_rows_share_is_told_once(results: AssociationResults) -> None:
    def sheet_of(*rows: dict[str, Any]) -> Sheet:
        with_rows = AssociationResults(results.files, results.settings)
        base = {"suite": "s", "pooling": "cls", "benchmark": "b", "measure": "AULA", "models": 3, "tests": 2}
        with_rows.__dict__["with_pairs"] = pd.DataFrame([base | row for row in rows], columns=PAIR_COLUMNS)
        return pairs(with_rows)[1]

    few = {"rho": 0.5, "reason": "too few models (3 models, and 5 are needed)"}
    sheet = sheet_of(few, few | {"measure": "AUL"})
    assert sheet.caption.endswith("There is no p here: too few models (3 models, and 5 are needed).")
    assert [label for _, label in sheet.columns] == ["models", "tests", "Spearman's rho"]
    assert all(len(row) == 7 and row[-1] == "+0.50" for row in sheet.rows)
    for other in ({"rho": 0.1, "p": 0.5, "p_holm": 0.5}, {"reason": "all models have the same"}):
        sheet = sheet_of(few, other)
        assert "There is no p here" not in sheet.caption and sheet.columns[-1] == ("", "why not")
        assert sheet.rows[0][-1] == few["reason"]
    assert sheet_of().rows == ()
