"""Tables, figures and the section on downstream tasks, made by the scripts that the workflow runs."""

import html
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import (
    DASH,
    MAKERS,
    PAIRS,
    PUBLISHED_COLUMNS,
    TAU,
    Block,
    Chart,
    DownstreamResults,
    Fold,
    Section,
    Table,
    doubts,
    printed_taus,
    read_published,
    read_section,
    render_page,
    tables,
    write_table,
)
from made_study import RESOURCES, Study, make_study
from page_words import check_first_sentence
from running import present, run_script

PUBLISHED = read_published(RESOURCES / "downstream/published.csv", PUBLISHED_COLUMNS)

FIGURES = tuple(MAKERS)
AWKWARD = "a <b> $x_1$ & co"
ORIGIN = {"name": AWKWARD, "family": AWKWARD, "role": ""}
DEBIASED = [
    {"name": f"b-{method}", "family": AWKWARD, "role": method, "origin": AWKWARD} for method in ("cda", "at")
]
MANY = [
    {"name": f"m{n}{role}", "family": f"m{n}", "role": role, **({"origin": f"m{n}"} if role else {})}
    for n in range(4)
    for role in ("", "-cda")
]


def draw(study: Study) -> dict[str, str]:
    files = {
        f"{name}_{form}": str(study.folder / f"{name}.{form}") for name in FIGURES for form in ("svg", "png")
    }
    present("downstream", study.files, files, study.folder / "log", study.settings)
    return files


def make_tables(study: Study) -> dict[str, str]:
    names = [
        f"{table}_{form}"
        for table in tables.MAKERS
        for form in ("csv", "md", "tex")
        if table not in ("occupations", "values")
    ]
    files = {name: str(study.folder / name) for name in [*names, "occupations_csv", "values_csv"]}
    present("downstream", study.files, files, study.folder / "log", study.settings)
    return files


def write_section(study: Study) -> Section:
    output = study.folder / "downstream.json"
    present("downstream", study.files, {"downstream": output}, study.folder / "log", study.settings)
    return read_section(output)


def blocks_of(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from blocks_of(block.blocks)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("whole"), [ORIGIN, *DEBIASED], seeds=(0, 1), steps=(0, 10, 20))


def texts_of(svg: str) -> str:
    return " ".join(
        "".join(node.itertext()) for node in ElementTree.parse(svg).iter() if node.tag.endswith("text")
    )


@pytest.mark.slow
def test_all_of_a_whole_study_is_shown(whole: Study) -> None:
    figures = draw(whole)
    for name in FIGURES:
        assert MAKERS[name][1] not in texts_of(figures[f"{name}_svg"])
    for name in ("extrinsic_figure", "intrinsic_figure", "changes_figure", "steps_figure"):
        assert AWKWARD in texts_of(figures[f"{name}_svg"])
    assert "AULA on cp" in texts_of(figures["against_figure_svg"])
    assert "steps of fine-tuning" in texts_of(figures["steps_figure_svg"])
    section = write_section(whole)
    check_first_sentence(section)
    text = " ".join(section.sentences)
    assert "On bios, true positive rates (TPR) of women and men differ by" in text
    assert "A model that has learnt this synthetic task gives 0.300" in text
    assert re.search("No change of extrinsic bias by .* is clear .*; 6 testable changes on bios, sts", text)
    # two runs each
    assert "once" not in text and "one run" not in text
    assert "is not known: 3 models" in text
    page = render_page("r", [section])
    assert "<h2>Extrinsic bias</h2>" in page
    assert "<b> $x_1$" not in page
    assert html.escape(AWKWARD) in page
    # every table is in a fold below its picture
    open_ones = [block for block in section.blocks if not isinstance(block, Fold)]
    assert len(open_ones) == len(FIGURES) and all(isinstance(block, Chart) for block in open_ones)
    assert section.blocks[0] is open_ones[0]
    tables_of_section = [block for block in blocks_of(section.blocks) if isinstance(block, Table)]
    assert len(tables_of_section) == 3
    for block in tables_of_section:
        for row in block.sheet.rows:
            assert len(row) == len(block.sheet.stubs) + len(block.sheet.columns)


def test_tables_say_what_was_measured(whole: Study) -> None:
    files = make_tables(whole)
    read = {name: Path(path).read_text(encoding="utf-8") for name, path in files.items()}
    values = pd.read_csv(io.StringIO(read["values_csv"]))
    rows = values[(values["model"] == "b-cda") & (values["task"] == "bios")]
    assert rows.loc[rows["metric"] == "tpr_gap", "truth"].item() == pytest.approx(0.3)
    assert rows.loc[rows["metric"] == "tpr_gap", "value"].item() == pytest.approx(0.3, abs=0.1)
    assert "AULA on cp, all pairs, after" in set(rows["metric"])
    assert len(pd.read_csv(io.StringIO(read["overview_csv"]))) == 9
    occupations = pd.read_csv(io.StringIO(read["occupations_csv"]))
    assert len(occupations) == 9 * 8
    first = occupations[(occupations["task"] == "bios") & (occupations["occupation"] == "occupation 00")]
    assert first["truth"].tolist() == pytest.approx([0.3] * 3)
    assert "a \\<b\\> \\$x\\_1\\$ & co" in read["overview_md"]
    assert r"\$x\_1\$ \& co" in read["overview_tex"]
    assert "20720?" in read["table1_md"]
    assert "↑" in read["table2_md"]
    assert "0.30†" in read["table2_md"]
    assert "fewer than 8" in read["table2_md"]


def test_a_tau_is_shown_with_both_tests(tmp_path: Path) -> None:
    study = make_study(tmp_path, MANY, tasks=("bios",))
    rows, sheet = tables.table2(DownstreamResults(study.files, study.settings))
    assert len(rows) == 8
    assert len(sheet.rows) == 4 + 1
    row = next(row for row in sheet.rows if row[3:5] == ("AULA", "published"))
    # tau, its p, that of families, and the models
    assert row[5] == "100"
    assert row[6] != DASH
    assert row[7] != DASH
    assert row[8] != DASH
    assert row[9] == "8"
    # of which benchmark the printed ones of AULA are is not known
    assert row[14:16] == (DASH, DASH)
    row = next(row for row in sheet.rows if row[1] == DASH)
    assert row[3:5] == ("AULA", "published") and row[5:14] == (DASH,) * 9
    assert row[14:16] == ("\N{MINUS SIGN}0.20", "0.11 ↑")
    assert next(row for row in sheet.rows if row[3:5] == ("CPS", "published"))[14:16] == (
        "\N{MINUS SIGN}0.17",
        "\N{MINUS SIGN}0.17",
    )
    assert all(row[14:16] == (DASH, DASH) for row in sheet.rows if row[4] == "corrected")


def test_both_numbers_of_pairs_are_named(tmp_path: Path) -> None:
    """All test instances, the paper's N, have the printed taus; sentences are of the pairs about gender."""
    study = make_study(tmp_path, MANY, tasks=("bios",))
    names = [f"p{n}" for n in range(100)]
    rows = [{"pair_id": name, "bias_type": ("gender", "age")[n >= 30]} for n, name in enumerate(names)]
    sides = {"stereotype": "one", "antistereotype": "other", "direction": "stereo"}
    study.files["pairs"] = [str(tmp_path / "cp.parquet")]
    pairs = pd.DataFrame([row | sides for row in rows]).reindex(columns=PAIRS.names).astype(object)
    write_table(study.files["pairs"][0], pairs, PAIRS, {"benchmark": "cp"})
    run_script(
        "correlate_downstream",
        {
            "scores_before": study.files["scores_before"],
            "scores_after": study.files["scores_after"],
            "pairs": study.files["pairs"],
            "extrinsic": study.files["scores"],
        },
        [study.files["correlations"]],
        tmp_path / "log",
        models=study.settings["models"],
        tasks=["bios"],
        benchmarks=["cp"],
        measures=study.settings["measures"],
        bias_type="gender",
    )
    results = DownstreamResults(study.files, study.settings | {"bias_type": "gender"})
    _, sheet = tables.table2(results)
    of_cps = {row[2]: row for row in sheet.rows if row[3:5] == ("CPS", "published")}
    assert {pairs: row[5] for pairs, row in of_cps.items()} == {"all": "100", "gender": "30"}
    assert of_cps["all"][14:16] == ("\N{MINUS SIGN}0.17", "\N{MINUS SIGN}0.17")
    assert of_cps["gender"][14:16] == (DASH, DASH)
    assert of_cps["all"][6] != of_cps["gender"][6]
    # by hand: the pairs about gender that prefer the stereotype
    paths = [path for path in study.files["scores_before"] if Path(path).stem == "m0"]
    raw = pd.read_parquet(paths[0]).query("measure == 'CPS' and protocol == 'corrected'")
    prefers = raw["pair_id"].astype(str).isin(names[:30]) & (raw["outcome"].astype(str) == "stereotype")
    values = tables.values(results).query("model == 'm0'").set_index("metric")
    assert values["value"]["CPS on cp, gender pairs, before"] == pytest.approx(100 * prefers.sum() / 30)
    assert values["n"]["CPS on cp, gender pairs, before"] == 30
    assert values["n"]["CPS on cp, all pairs, before"] == 100
    assert set(results.that_count(results.correlations)["pairs"]) == {"gender"}
    assert set(results.that_count(results.intrinsic["before"])["n"]) == {30}


def test_printed_taus_stand_beside_their_own_benchmark(tmp_path: Path) -> None:
    """SSS is of StereoSet and CPS of CrowS-Pairs, whatever else a study scores them on."""
    study = make_study(tmp_path, MANY, tasks=("bios",))
    of_benchmarks = {
        "crows-pairs": {"CPS"},
        "stereoset": {"SSS"},
        None: {"AULA"},
    }
    assert {(measure, name) for _, measure, name in printed_taus(PUBLISHED)} == {
        (measure, name) for name, measures in of_benchmarks.items() for measure in measures
    }
    # ours are scored on StereoSet alone, or on a benchmark of no published name
    for names in ({"cp": "stereoset"}, {}):
        _, sheet = tables.table2(DownstreamResults(study.files, study.settings | {"published": names}))
        assert [row[3] for row in sheet.rows if row[14] != DASH] == ["AULA"]
        assert all(row[1] == DASH for row in sheet.rows if row[14] != DASH)


def test_one_run_is_said_wherever_it_is_claimed_from(tmp_path: Path) -> None:
    study = make_study(tmp_path, [ORIGIN, *DEBIASED])
    results = DownstreamResults(study.files, study.settings)
    tidy, sheet = tables.overview(results)
    assert tidy["runs"].eq(1).all() and {row[-1] for row in sheet.rows} == {"1"}
    claims = write_section(study).sentences
    for start in ("Models were fine-tuned once on bios, sts and nli", "After cda", "After at", "No change "):
        (claim,) = [one for one in claims if one.startswith(start)]
        assert "once" in claim or "one run each" in claim


def test_changes_are_corrected_over_all_that_a_sentence_counts(whole: Study) -> None:
    results = DownstreamResults(whole.files, whole.settings)
    p = results.changes["p"].dropna().sort_values()
    assert len(p) == 6
    corrected = np.minimum(1, np.maximum.accumulate(p * np.arange(len(p), 0, -1)))
    np.testing.assert_allclose(results.changes.loc[p.index, "p_holm"], corrected)


@pytest.mark.parametrize(
    ("models", "options"),
    [
        ([ORIGIN], {"tasks": ("bios",)}),
        ([ORIGIN, *DEBIASED], {"tasks": ("nli",), "benchmark": False}),
        ([{"name": "x", "family": "x"}, {"name": "y", "family": "y"}], {"tasks": ("bios",)}),
    ],
    ids=["one model", "debiased without a benchmark", "none debiased"],
)
def test_less_of_a_study_is_shown_too(
    models: list[dict[str, Any]], options: dict[str, Any], tmp_path: Path
) -> None:
    study = make_study(tmp_path, models, **options)
    figures = draw(study)
    section = write_section(study)
    check_first_sentence(section)
    files = make_tables(study)
    assert all(Path(path).stat().st_size for path in files.values())
    has_debiased = any(model.get("origin") for model in models)
    has_benchmark = options.get("benchmark", True)
    known = {
        "extrinsic_figure": True,
        "intrinsic_figure": has_benchmark,
        "changes_figure": has_debiased,
        "against_figure": has_benchmark and len(models) > 2,
        "steps_figure": False,
    }
    assert {name: MAKERS[name][1] not in texts_of(figures[f"{name}_svg"]) for name in FIGURES} == known
    drawings = [block for block in section.blocks if isinstance(block, Chart)]
    assert len(drawings) == sum(known.values())


def test_the_papers_daggers_and_bold_are_those_of_its_taus() -> None:
    taus = PUBLISHED[PUBLISHED["quantity"] == "tau"].set_index(["task", "measure", "when"])
    assert len(taus) == 18 and taus["dagger"].sum() == 3
    assert (taus["models"] == 28).all() and (taus["alpha"] == 0.05).all()
    # tau's own test of 28 models: its normal deviate is 3 tau sqrt(n (n - 1) / (2 (2 n + 5)))
    deviate = 3 * taus["value"].abs() * (28 * 27 / (2 * 61)) ** 0.5
    assert taus["dagger"].equals(deviate > 1.96)
    before, after = (taus.xs(when, level="when") for when in ("before", "after"))
    assert after["larger"].equals(after["value"] > before["value"]) and not before["larger"].any()


def test_the_papers_doubtful_words() -> None:
    words = PUBLISHED[PUBLISHED["table"] == "table1"].pivot(index="task", columns="quantity")
    value = words["value"]
    ilps = np.log(value["feminine"] / value["masculine"])
    # none is rounded as it should be
    assert words["doubtful"]["ilps"].all() and (ilps.round(2) != value["ilps"]).all()
    assert (ilps - value["ilps"]).abs().max() < 0.02
    of_tasks = [reason.partition(" ")[0] for reason in doubts(PUBLISHED)]
    assert of_tasks == ["MNLI", "BiasBios", "STS-B", "BiasBios"]


def test_without_a_tau_there_are_printed_ones_alone(tmp_path: Path) -> None:
    study = make_study(tmp_path, [ORIGIN], tasks=("bios",))
    results = DownstreamResults(study.files, study.settings)
    rows, sheet = tables.table2(results)
    assert len(rows) == 8 and rows["tau"].isna().all()
    assert [row[1:5] for row in sheet.rows] == [
        ("cp", "all", "CPS", "published"),
        (DASH, "all", "AULA", "published"),
    ]
    assert all(row[14] != DASH for row in sheet.rows)
    assert sheet.rows[0][16] == "1 models; fewer than 8 tell nothing"
    results.__dict__["published"] = PUBLISHED[PUBLISHED["quantity"] != TAU]
    again, sheet = tables.table2(results)
    assert again.equals(rows) and sheet.rows == ()
    assert sheet.caption.endswith(" There is no tau: 1 models; fewer than 8 tell nothing.")
