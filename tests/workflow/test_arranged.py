"""Benchmarks that are arranged from others in the workflow: scored like these, and all else goes on."""

import copy
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from small_study import Workflow, small_study
from workflow_copy import copy_workflow

ARRANGED = {
    "crows-identical": {"format": "arranged", "of": "crows", "as": "identical"},
    "crows-permuted": {"format": "arranged", "of": "crows", "as": "permuted"},
    "crows-swapped": {"format": "arranged", "of": "crows", "as": "swapped"},
    "stereo-swapped": {"format": "arranged", "of": "stereo", "as": "swapped"},
}


pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def arranged(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A small study with arrangements of its benchmarks, and a corpus, run."""
    folder = copy_workflow(tmp_path_factory.mktemp("arranged") / "unmask")
    (folder / "text.txt").write_text(
        "the rich man and his poor friend\nmen want to drive and women to cook\n"
    )
    study = small_study(folder)
    study["benchmarks"] |= ARRANGED
    del study["models"]["roberta"]
    study["corpora"] = {"text": {"format": "text", "path": "text.txt"}}
    study["frequency"] = {"min_pairs": 1}
    study["measures"] = ["AUL", "AULA", "CPS", "SSS", "AllMasked", "AllMaskedSum"]
    study["measures"] += ["PLL", "PLLWordL2R", "PLLWholeWord"]
    workflow = Workflow(folder, study)
    workflow.run()
    return workflow


def margins(workflow: Workflow, benchmark: str) -> pd.DataFrame:
    """The corrected margins of a model on a benchmark: a row per pair, a column per measure."""
    path = workflow.folder / f"results/small/scores/bert/{benchmark}/original.parquet"
    scores = pd.read_parquet(path)
    scores = scores[scores["protocol"] == "corrected"].astype({"measure": str})
    return scores.assign(margin=scores["stereotype"] - scores["antistereotype"]).pivot_table(
        index="pair_id", columns="measure", values="margin", sort=True
    )


def test_what_must_hold_of_an_arrangement_holds_of_its_scores(arranged: Workflow) -> None:
    original = margins(arranged, "crows")
    assert list(original) == sorted(arranged.config["measures"]) and len(original) >= 3
    pd.testing.assert_frame_equal(margins(arranged, "crows-swapped"), -original, atol=1e-5)
    permuted = margins(arranged, "crows-permuted")
    assert (permuted.abs() - original.abs()).abs().max().max() == pytest.approx(0, abs=1e-5)
    identical = margins(arranged, "crows-identical")
    # nothing is modified, and SSS not defined
    assert set(original) - set(identical) == {"SSS"}
    assert identical.abs().max().max() == 0
    items = margins(arranged, "stereo")
    pd.testing.assert_frame_equal(margins(arranged, "stereo-swapped"), -items, atol=1e-5)


def test_the_versions_of_pll_are_compared_on_every_benchmark(arranged: Workflow) -> None:
    table = pd.read_csv(arranged.folder / "results/small/tables/pll_versions.csv")
    assert set(table["benchmark"]) == set(arranged.config["benchmarks"])
    identical = table[table["benchmark"] == "crows-identical"]
    assert (
        identical["changed"].eq(0).all() and identical.loc[identical["tokens"] == "unequal", "n"].eq(0).all()
    )
    assert "Decisions that change between versions of PLL" in arranged.read("report", "index.html")
    # a single one has nothing to be compared with
    single = {**arranged.config, "measures": ["PLL"]}
    assert any(name.endswith("disputed.csv") for name in arranged.planned(single))
    assert not any("pll_versions" in name for name in arranged.planned(single))


def test_words_are_looked_up_for_the_origin_alone(arranged: Workflow) -> None:
    results = arranged.folder / "results/small"
    looked_up = {path.parent.name for path in (results / "group_words").glob("*/words.parquet")}
    assert looked_up == {"crows", "stereo"}
    assert arranged.planned() == set()
    page = (results / "report/index.html").read_text()
    assert "crows-swapped" in page


def test_the_models_of_its_origin_are_scored_on_it(arranged: Workflow) -> None:
    config: dict[str, Any] = {
        "study": "small",
        "worlds": {"one": {}, "other": {"seed": 1}},
        "models": {
            f"in-{world}": {"source": "train", "architecture": "bert", "world": world}
            for world in ("one", "other")
        },
        "benchmarks": {
            "pairs": {"format": "crows-pairs", "world": "one"},
            "swapped": {"format": "arranged", "of": "pairs", "as": "swapped"},
        },
    }
    planned = arranged.planned(config)
    scored = {str(Path(name).parent) for name in planned if name.startswith("scores/")}
    assert scored == {"scores/in-one/pairs", "scores/in-one/swapped"}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"of": "none"}, "benchmarks.crows-swapped.of: 'none' is none of the study's benchmarks"),
        (
            {"of": "crows-permuted"},
            "benchmarks.crows-swapped.of: crows-permuted is itself arranged; name its",
        ),
        ({"of": "crows-swapped"}, "benchmarks.crows-swapped.of: crows-swapped is itself arranged; name its"),
        ({"as": "turned"}, "benchmarks.crows-swapped.as: 'turned' is not one of identical, swapped, "),
    ],
)
def test_what_cannot_be_arranged_is_one_line(arranged: Workflow, changes: dict[str, str], line: str) -> None:
    config = copy.deepcopy(arranged.config)
    config["benchmarks"]["crows-swapped"] |= changes
    done = arranged.snakemake("-n", config=config)
    told = (done.stdout + done.stderr).splitlines()
    assert done.returncode != 0
    assert [each for each in told if each.startswith(f"error: config key {line}")]
    assert "Traceback" not in done.stdout + done.stderr
