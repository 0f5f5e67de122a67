"""Regional bias in a study: what a run comes to, and what is made anew when the study changes."""

import copy
import shutil
from pathlib import Path

import pandas as pd
import pytest

from library import removable, remove, verify
from small_study import Workflow, random_model
from test_families import errors, section_names
from workflow_copy import copy_workflow

REGIONS = """\
name,parent,level
everywhere,,world
North,everywhere,part
<b>South</b>,everywhere,part
Alder,North,town
Birch,North,town
Cedar,North,town
Dale,<b>South</b>,town
100% Elm,<b>South</b>,town
"""
AGGREGATES = ("tables/", "figures/", "report/", "SHA256SUMS", "settings.json")
LIKELIHOODS, SCORES = "regional/bert/likelihoods/traits.parquet", "regional/bert/scores.parquet"


@pytest.fixture(scope="module")
def regional(tmp_path_factory: pytest.TempPathFactory) -> Workflow:
    """A study of one model and eight regions, run to its report. Tests plan with it, or change copies."""
    workflow = Workflow(copy_workflow(tmp_path_factory.mktemp("regional") / "unmask"))
    folder = workflow.folder
    (folder / "regions.csv").write_text(REGIONS)
    (folder / "words.yaml").write_text("character: [kind, rude]\nmind: [clever, dull]\n")
    (folder / "virtues.yaml").write_text("virtues: [kind, brave, shy]\n")
    for part, texts in (("train", 12), ("test", 6)):
        rows = [f"the {'kind' if n % 2 else 'rude'} man {n},{n % 2}" for n in range(texts)]
        (folder / f"{part}.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    judge = {"source": "fine-tuned-classifier", "from": "bert", "table": "posts", "epochs": 1, "batch": 4}
    workflow.config = {
        "study": "small",
        "models": {"bert": random_model("bert", folder), "judge": judge},
        "regional": {
            "regions": {"source": "table", "path": "regions.csv"},
            "words": {"traits": "words.yaml"},
            "draws": 20,
            "name_vectors": True,
            "prefixes": {
                "posts": {
                    "files": {part: {"path": f"{part}.csv"} for part in ("train", "test")},
                    "labels": {"negative": [0], "positive": [1]},
                    "prefixes": [{"template": "I am from {region}.", "level": "part", "without": ["North"]}],
                }
            },
        },
    }
    workflow.run()
    return workflow


@pytest.fixture
def changed(regional: Workflow) -> Workflow:
    """The finished study with a configuration of its own, to plan with."""
    return Workflow(regional.folder, copy.deepcopy(regional.config))


def own(planned: set[str]) -> set[str]:
    """What is planned but for what is made of all models."""
    return {output for output in planned if not output.startswith(AGGREGATES)}


def test_a_study_comes_to_a_section_with_its_tables(regional: Workflow) -> None:
    assert section_names(regional) == ["regional", "provenance", "cite"]
    page = regional.read("report", "index.html")
    assert "<b>South</b>" not in page and "&lt;b&gt;South&lt;/b&gt;" in page
    table = pd.read_csv(regional.folder / "results/small/tables/regional_table1.csv")
    assert set(table["model"]) == {"bert"} and {"corrected", "paper"} == set(table["protocol"])
    likelihoods = pd.read_parquet(regional.folder / "results/small" / LIKELIHOODS)
    # each name alone and with each word
    assert len(likelihoods) == 8 * (1 + 4) and likelihoods["log_prob"].notna().all()
    prefixes = pd.read_parquet(regional.folder / "results/small/regional/prefixes/judge/posts.parquet")
    assert list(prefixes["level"]) == ["none", "control", *["part"] * 4]
    names = pd.read_parquet(regional.folder / "results/small/regional/bert/name_vectors.parquet")
    assert list(names["region"]) and names["vector"].map(len).nunique() == 1
    assert list(prefixes["without"].dropna()) == ["North"]
    for name in ("table2", "table3", "table4", "table5"):
        assert regional.read("tables", f"regional_{name}.md")
    assert regional.planned() == set()
    assert verify(regional.folder / "results/small").problems == []


def test_another_model_leaves_the_first_alone(changed: Workflow) -> None:
    changed.config["models"]["other"] = changed.config["models"]["bert"] | {"seed": 2}
    planned = changed.planned()
    assert {"regional/other/likelihoods/traits.parquet", "regional/other/scores.parquet"} <= planned
    assert all("/other/" in output for output in own(planned))
    assert "tables/regional_table1.csv" in planned


@pytest.mark.thorough
def test_another_list_scores_the_new_words_alone(regional: Workflow, tmp_path: Path) -> None:
    folder = shutil.copytree(regional.folder, tmp_path / "unmask", symlinks=True)
    workflow = Workflow(folder, copy.deepcopy(regional.config))
    workflow.config["regional"]["words"]["virtues"] = "virtues.yaml"
    before = pd.read_parquet(folder / "results/small" / LIKELIHOODS)
    done = workflow.snakemake("results/small/" + SCORES)
    assert done.returncode == 0, done.stdout + done.stderr
    new = pd.read_parquet(folder / "results/small/regional/bert/likelihoods/virtues.parquet")
    assert set(new["word"]) == {"brave", "shy"}
    # those of the first list are not scored again
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "results/small" / LIKELIHOODS), before)
    log = workflow.read("logs", "regional", "bert", "likelihoods", "traits.log")
    assert "nothing is left to do" in log
    assert set(pd.read_parquet(folder / "results/small" / SCORES)["words"]) >= {"full", "virtues"}
    # and likelihoods that only scores are made of may go: another model is scored alone
    assert workflow.snakemake("results/small/SHA256SUMS").returncode == 0
    remove(removable(folder / "results/small"), folder / "results/small")
    left = {path.name for path in (folder / "results/small/regional/bert/likelihoods").glob("*.parquet")}
    assert left == {"traits.parquet"}
    workflow.config["models"]["other"] = workflow.config["models"]["bert"] | {"seed": 2}
    assert not [output for output in workflow.planned() if "/bert/" in output]


def test_another_training_table_makes_its_classifier_anew(changed: Workflow) -> None:
    table = changed.folder / "train.csv"
    before = table.read_text()
    table.write_text(before + "the kind woman,1\n")
    planned = own(changed.planned())
    table.write_text(before)
    assert "models/judge/files" in planned and "regional/prefixes/judge/posts.parquet" in planned
    assert not [output for output in planned if "bert" in output]


def test_another_template_makes_likelihoods_anew(changed: Workflow) -> None:
    changed.config["regional"]["template"] = "{region} has {word} people."
    assert own(changed.planned()) == {LIKELIHOODS, SCORES}


def test_another_number_of_draws_makes_scores_anew_and_no_likelihoods(changed: Workflow) -> None:
    changed.config["regional"]["draws"] = 21
    assert own(changed.planned()) == {SCORES}


def test_a_study_without_the_key_has_no_trace(changed: Workflow) -> None:
    del changed.config["regional"], changed.config["models"]["judge"]
    (changed.folder / "text.txt").write_text("the rich man\n")
    changed.config["corpora"] = {"text": {"format": "text", "path": "text.txt"}}
    done = changed.snakemake("--summary")
    assert done.returncode == 0 and "frequency/text.parquet" in done.stdout
    assert "regional" not in done.stdout


def test_what_cannot_be_is_one_line(changed: Workflow) -> None:
    """The rest is in tests/unit/test_regional_study.py; this is that planning asks."""
    changed.config["regional"]["words"] = {"full": "words.yaml"}
    (line,) = errors(changed.snakemake("-n"))
    assert line.startswith("error: config key regional.words: 'full' is the name of a part of a list")
