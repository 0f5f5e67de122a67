"""One model in many states, from the example of the documentation to the page."""

import copy
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from library import COMPARISONS, read_metadata, read_table
from small_study import AGGREGATES, Workflow, random_model, write_crows_pairs
from tiny_models import tiny_decoder
from workflow_copy import copy_workflow, docs_section


@pytest.mark.thorough
def test_states_are_models_and_are_compared_with_the_first(tmp_path: Path) -> None:
    folder = copy_workflow(tmp_path / "unmask")
    config = yaml.safe_load(
        docs_section("data.md", "One model in many states").split("```yaml\n")[1].split("```")[0]
    )
    config |= {"study": "small", "measures": ["AUL", "LL", "CCPS"], "explorer": None}
    (folder / "data").mkdir(exist_ok=True)
    write_crows_pairs(folder / config["benchmarks"]["mine"]["path"], times=4)
    config["benchmarks"]["mine"]["published"] = "crows-pairs-revised"
    tiny_decoder("gpt2", folder / config["models"]["my-decoder"]["path"])
    # the same checkpoints of a folder, one with what others report
    for number, step in enumerate((500, 1000)):
        tiny_decoder("gpt2", folder / f"runs/checkpoint-{step}", seed=number)
    run = {"source": "path", "published": "pythia-70m-{state}"}
    config["models"]["run"] = run | {
        "states": {"path": {"step0": "runs/checkpoint-500", "step32": "runs/checkpoint-1000"}}
    }
    untrained = {key: value for key, value in random_model("bert", folder).items() if key != "seed"}
    config["models"]["untrained"] = untrained | {"states": {"seed": [1, 2, 3]}}
    config["series"] = {"mixed": ["untrained-2", "my-decoder-float32", "untrained-1"]}
    study = Workflow(folder, config)
    study.run()

    def table(name: str) -> pd.DataFrame:
        return pd.read_csv(folder / "results/small/tables" / f"{name}.csv")

    compared, bias = table("compared"), table("bias")
    states = compared[compared["kind"] == "states"]
    assert states["series"].unique().tolist() == ["mixed", "my-decoder", "run", "untrained"]
    of_untrained = states[(states["series"] == "untrained") & (states["protocol"] == "corrected")]
    assert of_untrained["first"].tolist() == ["2", "3"] and set(of_untrained["measure"]) == {"AUL"}
    scores = bias[
        (bias["grouping"] == "overall") & (bias["variant"] == "original") & (bias["protocol"] == "corrected")
    ]
    score = scores.set_index(["model", "measure"])["score"]
    for row in of_untrained.to_dict("records"):
        moved = score[f"untrained-{row['first']}", "AUL"] - score["untrained-1", "AUL"]
        assert row["difference"] == pytest.approx(moved)
        assert row["low"] <= row["difference"] <= row["high"]
    # of a masked and a causal model the measures of both alone
    mixed = states[states["series"] == "mixed"]
    assert set(mixed["first"]) == {"untrained-1"} and set(mixed["measure"]) == {"AUL"}
    # another arithmetic is read, and its change is small
    decoder = folder / "results/small/scores"
    margins = [
        pd.read_parquet(decoder / f"my-decoder-{name}/mine/original.parquet")["margin"]
        for name in ("float32", "bfloat16")
    ]
    assert not margins[0].equals(margins[1])

    sections = json.loads(study.read("report/sections/pairs.json"))["sections"]
    (section,) = [each for each in sections if each["name"] == "series"]
    assert section["heading"] == "One model, many states"
    reported = {
        row["state"]: row["reported"]
        for block in section["blocks"]
        for row in block.get("spec", {}).get("data", {}).get("values", [])
        if row["model"].startswith("run-")
    }
    assert reported["step0"] == pytest.approx(100 * 765 / 1677)
    assert reported["step32"] == pytest.approx(100 * 769 / 1677)
    assert "One model, many states" in study.read("report/index.html")
    assert (folder / "results/small/figures/series.svg").is_file()
    facts = read_metadata(folder / "results/small/series/untrained/mine.parquet")
    assert (facts["series"], facts["states"]) == ("untrained", ["1", "2", "3"])
    assert len(read_table(folder / "results/small/series/untrained/mine.parquet", COMPARISONS)) == 4

    more: dict[str, Any] = copy.deepcopy(config)
    more["models"]["untrained"]["states"]["seed"].append(4)
    planned = study.planned(more)
    assert "series/untrained/mine.parquet" in planned
    own = {place for place in planned if not place.startswith((*AGGREGATES, "series/"))}
    assert own and all("/untrained-4/" in place for place in own)
    assert {place for place in planned if place.startswith("series/")} == {"series/untrained/mine.parquet"}
