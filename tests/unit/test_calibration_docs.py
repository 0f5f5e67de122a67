"""The page on calibration: its numbers are those of its CSV files, and of nothing else."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import closed_forms as theory
from calibration_studies import Study
from study_schema import FAMILIES
from unmask.calibration import artifacts, documenting
from unmask.calibration.documenting import ABSENT, FOLDER, PAGE, ROOT, TABLES, copy_tables, documented
from unmask.calibration.exact_left import ExactLeftModel
from unmask.calibration.exact_model import TRUSTED, ExactModel
from unmask.calibration.planted_pairs import observe_exact, planted_pairs
from unmask.calibration.population import ORACLE, Member, Observed
from unmask.calibration.presenting import PRESENTS
from unmask.calibration.results import CalibrationResults
from unmask.calibration.tables import CUT_FROM
from unmask.configuration import read_config
from unmask.errors import InputError
from unmask.measures.registry import kind_for, title_of
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.schemas import complete
from unmask.worlds.grammar import LENGTH, WEIGHTS, World
from unmask.worlds.pairs import Counts
from unmask.worlds.recipe import Corruption


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of results of a whole study, with what the workflow calls its tables."""
    folder = tmp_path_factory.mktemp("study")
    study = Study(folder)
    (folder / "tables").mkdir()
    names = [f"{table}_csv" for table in artifacts.TABLES]
    for name, text in PRESENTS.table_texts(CalibrationResults(study.files, study.settings), names):
        (folder / "tables" / f"calibration_{name.removesuffix('_csv')}.csv").write_text(text)
    merits = folder / "tables/calibration_merits.csv"
    rows = pd.read_csv(merits, dtype=str, keep_default_na=False)
    of_decoders = rows[rows["measure"] == "SSS"].assign(measure="LL")
    pd.concat([rows, of_decoders]).to_csv(merits, index=False, lineterminator="\n")
    return folder


def test_the_page_is_what_its_tables_make_of_it() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert documented(text, FOLDER) == text


def test_the_page_has_the_margins_of_names_in_pieces() -> None:
    """test_calibration_exact_evidence compares the closed form with a perfect model."""
    study = complete(read_config(ROOT / "configs/pll.yaml"), FAMILIES)
    (name, settings) = next(iter(study["worlds"].items()))
    groups = World.from_config(name, settings).group_pairs
    pieces = sum(1 for pair in groups if pair.factor == LENGTH)
    # of each other pair both names have one token
    one = pieces + sum(2 * WEIGHTS[pair.factor] for pair in groups if pair.factor != LENGTH)
    assert (one, pieces) == (16, 10)
    expected = [theory.split_margins(one, pieces), theory.split_margins(6, 6)]
    section = PAGE.read_text(encoding="utf-8").split("## Names in pieces")[1].split("\n## ")[0]
    for version in study["measures"]:
        (line,) = [line for line in section.splitlines() if line.startswith(f"| {title_of(version)} |")]
        stated = [float(cell.replace("−", "-")) for cell in line.strip("| ").split(" | ")[2:]]
        assert stated == pytest.approx([margins[version] for margins in expected], abs=0.005)


def test_the_page_has_every_table_once() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert sorted(re.findall(r"<!-- table (\w+) -->", text)) == sorted(TABLES)
    assert {CUT_FROM.get(name, name) for name in TABLES} <= set(artifacts.TABLES)


def test_all_tables_of_a_study_appear(results: Path, tmp_path: Path) -> None:
    copy_tables([results], tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == set(TABLES)
    page = documented(PAGE.read_text(encoding="utf-8"), tmp_path)
    assert ABSENT not in page
    parts = re.findall(r"<!-- table (\w+) -->\n(.*?)\n<!-- end \1 -->", page, re.DOTALL)
    for name, part in parts:
        lines = part.strip().splitlines()
        assert lines[0].startswith("| ") and lines[1].startswith("| ---"), name
        rows = documenting._rows(name, tmp_path)
        assert rows is not None
        assert len(lines) == 2 + len(documenting._sheet(name, rows).rows)
    # once more changes nothing
    assert documented(page, tmp_path) == page


def test_the_files_are_those_of_the_study_to_the_byte(results: Path, tmp_path: Path) -> None:
    copy_tables([results], tmp_path)
    for path in tmp_path.iterdir():
        if path.stem not in CUT_FROM:
            assert path.read_bytes() == (results / "tables" / f"calibration_{path.name}").read_bytes()
    whole = (results / "tables/calibration_merits.csv").read_text().splitlines()
    cut = (tmp_path / "decoders.csv").read_text().splitlines()
    assert cut == [whole[0], *(line for line in whole[1:] if line.startswith("LL,"))] and len(cut) > 10


def test_decoders_have_a_table_of_their_own(results: Path, tmp_path: Path) -> None:
    copy_tables([results], tmp_path)
    of_measures = {}
    for name in ("merits", "decoders", "power", "false_alarms"):
        rows = documenting._rows(name, tmp_path)
        assert rows is not None
        of_measures[name] = {row[0] for row in documenting._sheet(name, rows).rows}
    assert of_measures["decoders"] == {"LL"}
    assert all("LL" not in of_measures[name] and "SSS" in of_measures[name] for name in ("merits", "power"))
    # a study of masked models alone has none
    merits = pd.read_csv(results / "tables/calibration_merits.csv")
    masked = tmp_path / "masked"
    (masked / "tables").mkdir(parents=True)
    merits[merits["measure"] != "LL"].to_csv(masked / "tables/calibration_merits.csv", index=False)
    folder = tmp_path / "docs"
    copy_tables([masked], folder)
    assert [path.name for path in folder.iterdir()] == ["merits.csv"]
    copy_tables([masked, results], folder)
    assert (folder / "decoders.csv").is_file()


def test_a_table_comes_from_the_first_study_that_has_rows_of_it(results: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    (bare / "tables").mkdir(parents=True)
    source = (results / "tables" / "calibration_explained.csv").read_text()
    (bare / "tables" / "calibration_explained.csv").write_text(source.splitlines()[0] + "\n")
    (bare / "tables" / "calibration_power.csv").write_text("measure\nof the first\n")
    folder = tmp_path / "docs"
    copy_tables([bare, results], folder)
    assert (folder / "explained.csv").read_text() == source
    assert (folder / "power.csv").read_text() == "measure\nof the first\n"
    copy_tables([bare], folder)
    assert [path.name for path in folder.iterdir()] == ["power.csv"]


def test_a_study_without_tables_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no tables of calibration"):
        copy_tables([tmp_path], tmp_path / "docs")


def test_what_is_absent_is_said_to_be(tmp_path: Path) -> None:
    page = "<!-- table power -->\n| 1 |\n<!-- end power -->\n"
    asked = "<!-- number power; value; measure=AUL -->3<!-- end number -->"
    made = documented(page + asked, tmp_path)
    assert ABSENT in made and "| 1 |" not in made
    assert made.endswith("-->?<!-- end number -->")


def test_numbers_in_the_text(results: Path, tmp_path: Path) -> None:
    copy_tables([results], tmp_path)
    rows = pd.read_csv(tmp_path / "merits.csv")
    row = rows.query("measure == 'SSS' and kind == 'trained' and merit == 'exchange'").iloc[0]
    asked = "merits; value; measure=SSS; kind=trained; merit=exchange; condition="
    made = documented(f"It is <!-- number {asked} -->old<!-- end number --> units.", tmp_path)
    assert made == f"It is <!-- number {asked} -->{row['value']:.3g}<!-- end number --> units."
    asked = "merits; value; measure=SSS; kind=trained; merit=power; condition=n=500"
    assert "-->96.4<!--" in documented(f"<!-- number {asked} --><!-- end number -->", tmp_path)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("sizes; value", "no table"),
        ("merits; values; measure=AUL; kind=oracle; merit=slope; condition=", "no column 'values'"),
        ("merits; value; colour=red", "no column 'colour'"),
        ("merits; value; measure=AUL", "rows, not one"),
    ],
)
def test_a_marker_that_asks_for_nothing_is_one_line(
    results: Path, tmp_path: Path, asked: str, message: str
) -> None:
    copy_tables([results], tmp_path)
    with pytest.raises(InputError, match=message):
        documented(f"<!-- number {asked} -->1<!-- end number -->", tmp_path)


def test_the_command_fills_the_page(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, folder = tmp_path / "calibration.md", tmp_path / "calibration"
    shutil.copyfile(PAGE, page)
    monkeypatch.setattr(documenting, "PAGE", page)
    monkeypatch.setattr(documenting, "FOLDER", folder)
    monkeypatch.setattr("sys.argv", ["documenting", str(results)])
    documenting.main()
    assert page.read_text() == documented(PAGE.read_text(), folder) and ABSENT not in page.read_text()
    monkeypatch.setattr("sys.argv", ["documenting", str(tmp_path / "nothing")])
    with pytest.raises(SystemExit, match=r"error: .*no tables of calibration"):
        documenting.main()


@pytest.mark.thorough
def test_the_oracles_numbers_are_those_of_an_exact_model() -> None:
    """The page's slopes, made anew from the study's settings: no training, so they hold on every machine."""
    study = complete(read_config(ROOT / "configs/calibration.yaml"), FAMILIES)
    settings = study["worlds"][study["models"]["oracle"]["world"]]
    world = World.from_config("dose-1", settings)
    pairs, facts = planted_pairs(world, Counts.from_config("dose-1", settings))
    corruption = Corruption.from_config("dose-1", settings)
    member = Member("oracle", ORACLE, None, "dose-1", TRUSTED, corruption._asdict())
    model = ExactModel(world, corruption, TRUSTED)
    masked = [measure for measure in study["measures"] if kind_for(measure) == MASKED_LM]
    check_slopes(observe_exact(member, pairs, facts, model, masked), "merits")


@pytest.mark.thorough
def test_the_perfect_decoders_numbers_are_those_of_an_exact_model() -> None:
    study = complete(read_config(ROOT / "configs/calibration.yaml"), FAMILIES)
    settings = study["worlds"][study["models"]["oracle-left"]["world"]]
    world = World.from_config("dose-1", settings)
    pairs, facts = planted_pairs(world, Counts.from_config("dose-1", settings))
    member = Member("oracle-left", ORACLE, None, "dose-1", None, None)
    of_decoders = [measure for measure in study["measures"] if kind_for(measure) == CAUSAL_LM]
    check_slopes(observe_exact(member, pairs, facts, ExactLeftModel(world), of_decoders), "decoders")


def check_slopes(observed: Observed, table: str) -> None:
    """The page's slopes of the oracle are those of these margins, by numpy's own least squares."""
    rows = observed.pairs.assign(
        logit=np.log(observed.pairs["p"] / (1 - observed.pairs["p"])),
        towards=np.log(observed.pairs["ratio"])
        * observed.pairs["direction"].map({"stereo": -1.0, "antistereo": 1.0}),
        **dict(zip(observed.measures, observed.margin.T, strict=True)),
    )

    def slope(measure: str, factor: str, dose: str) -> float:
        of_factor = rows[rows["factor"] == factor]
        means = of_factor.groupby(["unit", "direction"])[[dose, measure]].mean()
        return float(np.polyfit(means[dose], means[measure], 1)[0])

    found = pd.read_csv(FOLDER / f"{table}.csv").query("kind == 'oracle' and condition.isna()")
    values = found.set_index(["measure", "merit"])["value"]
    assert set(observed.measures) <= set(found["measure"])
    for measure in observed.measures:
        association = slope(measure, "association", "logit")
        frequency = slope(measure, "frequency", "towards")
        assert values[measure, "slope"] == pytest.approx(association, abs=1e-6)
        assert values[measure, "frequency"] == pytest.approx(frequency, abs=1e-6)
        if abs(association) > 1e-6:
            assert values[measure, "exchange"] == pytest.approx(frequency / association, abs=1e-5)
    whole = {"merits": ("CPS", "SSS"), "decoders": ("LL", "LL")}[table]
    assert (values[whole[0], "slope"], values[whole[1], "frequency"]) == pytest.approx((1, 1), abs=1e-6)
