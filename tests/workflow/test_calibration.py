"""Calibration in a study: what a run comes to, and what is made anew when the study changes."""

import copy
import json
from typing import Any

import pandas as pd
import pytest

from small_study import Workflow
from test_families import errors, section_names
from unmask.benchmarks.schema import PAIRS
from unmask.calibration.schema import CONTROLS, DOSES, METRICS
from unmask.measures.schema import SCORES
from unmask.results.verifying import verify
from unmask.tables import read_metadata, read_table

AGGREGATES = (
    "comparisons/",
    "tables/",
    "figures/",
    "report/",
    "SHA256SUMS",
    "settings.json",
    "register.json",
)
OWN = {f"calibration/{name}.parquet" for name in ("doses", "merits", "controls", "kept")}
EXACT = {"calibration/drawn.parquet"}
KEPT = {"calibration/kept_exact.parquet"}


@pytest.fixture
def changed(whole: Workflow) -> Workflow:
    """The finished study with a configuration of its own, to plan with."""
    return Workflow(whole.folder, copy.deepcopy(whole.config))


def own(planned: set[str]) -> set[str]:
    """What is planned but for what is made of all models."""
    return {output for output in planned if not output.startswith(AGGREGATES)}


def test_the_oracle_is_scored_like_any_model_and_says_what_is_planted(whole: Workflow) -> None:
    results = whole.folder / "results/small"
    truth = json.loads((results / "planted/planted/truth.json").read_text())["benchmarks"]["crows-pairs"]
    path = results / "scores/oracle/pairs/original.parquet"
    scores = read_table(path, SCORES).query("protocol == 'corrected'")
    assert read_metadata(path)["model"] == "oracle"
    for measure in ("CPS", "SSS"):
        margins = scores[scores["measure"] == measure].set_index("pair_id")["margin"]
        known = {
            pair: facts["margins"][measure]
            for pair, facts in truth.items()
            # the oracle reads tokens: a name in two pieces is another sentence to it
            if facts["longer_side"] is None
        }
        assert len(known) > 100
        assert margins[list(known)].to_numpy() == pytest.approx(list(known.values()), abs=1e-6)
    table = pd.read_csv(results / "tables/bias.csv")
    assert set(table["model"]) == {"oracle", "bert", "untrained", "bert-cda"}
    # it reads no shuffled sentences
    assert set(table.loc[table["variant"] == "shuffled", "model"]) == {"bert", "untrained", "bert-cda"}
    manifest = json.loads((results / "models/oracle/manifest.json").read_text())
    assert manifest["entry"]["source"] == "oracle"
    assert verify(results).problems == []


def test_what_a_study_of_calibration_comes_to(whole: Workflow) -> None:
    results = whole.folder / "results/small"
    assert "calibration" in section_names(whole)
    merits = read_table(results / "calibration/merits.parquet", METRICS)
    oracle = merits[merits["kind"] == "oracle"].set_index(["measure", "merit", "condition"])["value"]
    assert oracle["CPS", "slope", ""] == pytest.approx(1, abs=1e-6)
    assert oracle["CPS", "frequency", ""] == pytest.approx(0, abs=1e-6)
    assert oracle["SSS", "frequency", ""] == pytest.approx(1, abs=1e-6)
    # five words, however unanimous, are too few for the test; twenty are not
    assert oracle["CPS", "power", "n=50"] == 0
    assert oracle["CPS", "power", "n=200"] == 100
    assert set(merits["kind"]) == {"oracle", "bert", "trained"}
    doses = read_table(results / "calibration/doses.parquet", DOSES)
    assert set(doses["role"]) == {"oracle", "trained", "untrained"}
    assert {"association", "frequency", "both", "length", "longer"} == set(doses["factor"])
    controls = read_table(results / "calibration/controls.parquet", CONTROLS)
    assert set(controls["control"]) == {"identical", "swapped", "untrained"}
    assert controls[controls["control"] != "untrained"]["holds"].all()
    pairs, swapped = (
        read_table(results / f"benchmarks/{name}.parquet", PAIRS) for name in ("pairs", "swapped")
    )
    assert swapped["stereotype"].tolist() == pairs["antistereotype"].tolist()
    assert (results / "tables/calibration_merits.csv").is_file()
    assert (results / "figures/calibration_response.svg").is_file()


def test_only_what_is_new_runs(changed: Workflow) -> None:
    assert changed.planned() == set()
    # how chance is asked concerns the merits alone
    changed.config["calibration"]["power"]["draws"] = 200
    assert own(changed.planned()) == OWN
    changed.config["calibration"]["power"]["draws"] = 100
    changed.config["calibration"]["drawn"]["worlds"] = 11
    assert own(changed.planned()) == OWN | EXACT
    changed.config["calibration"]["kept_rates"] = True
    assert own(changed.planned()) == OWN | EXACT | KEPT
    changed.config["calibration"]["kept_rates"] = False
    # a model more is made and scored; of the others nothing is
    changed.config["calibration"]["drawn"]["worlds"] = 10
    changed.config["models"]["as-trained"] = {"source": "oracle", "world": "planted", "context": "corrupted"}
    planned = own(changed.planned())
    assert planned >= OWN | {"models/as-trained/manifest.json", "scores/as-trained/pairs/original.parquet"}
    assert not planned & EXACT
    assert all("as-trained" in output for output in planned - OWN)


def test_without_the_key_there_is_no_trace(changed: Workflow) -> None:
    del changed.config["calibration"]
    assert own(changed.planned()) == set()


def test_bad_input_is_one_line(changed: Workflow) -> None:
    for models, line in (
        ({"a": {"source": "oracle", "world": "none"}}, "config key models.a.world: 'none' is none of"),
        ({"a": {"source": "oracle"}}, "config key models.a: 'world' is a required property"),
        (
            {
                "a": {
                    "source": "oracle",
                    "world": "planted",
                    "corruption": {"masked": 1, "kept": 1, "random": 0},
                }
            },
            "config key models.a.corruption: masked, kept and random are shares that sum to 1",
        ),
        ({"a": {"source": "oracle", "world": "planted", "context": "x"}}, "config key models.a.context: 'x'"),
    ):
        found = errors(
            changed.snakemake("-n", config={**changed.config, "models": changed.config["models"] | models})
        )
        assert len(found) == 1 and found[0].startswith(f"error: {line}"), found
    for calibration, line in (
        (
            {"power": {"association": 0.4}},
            "config key calibration.power.association: 0.4 is less than or equal",
        ),
        ({"power": {"pairs": []}}, "config key calibration.power.pairs: [] should be non-empty"),
        ({"drawn": {"world": 3}}, "config key calibration.drawn: unknown key world"),
    ):
        found = errors(changed.snakemake("-n", config={**changed.config, "calibration": calibration}))
        assert len(found) == 1 and found[0].startswith(f"error: {line}"), found


DECODERS: dict[str, Any] = {
    "study": "small",
    "worlds": {"planted": {"sentences": 4000}},
    "models": {
        "left": {"source": "oracle", "kind": "causal-lm", "world": "planted"},
        "gpt2": {"source": "train", "architecture": "gpt2", "world": "planted", "gate": False},
    },
    "benchmarks": {"pairs": {"format": "crows-pairs", "world": "planted"}},
    "measures": ["LL", "StartAlone"],
    "calibration": {},
}


def test_a_study_of_decoders_alone_is_calibrated(fresh: Workflow) -> None:
    planned = fresh.planned(DECODERS)
    evidence = {f"evidence/left/pairs/original/{masking}.parquet" for masking in ("left", "start")}
    assert planned >= OWN | EXACT | evidence | {"models/left/manifest.json", "models/gpt2/manifest.json"}
    # what training hides and keeps is nothing to them
    assert not planned & KEPT


def test_what_training_hides_is_no_key_of_a_decoder(fresh: Workflow) -> None:
    shares = {"masked": 0.5, "kept": 0.5, "random": 0}
    for name, keys, line in (
        ("gpt2", {"corruption": shares}, "corruption: a causal-lm model reads its text as it is"),
        ("left", {"corruption": shares}, "corruption: a causal-lm model reads its text as it is"),
        ("left", {"context": "corrupted"}, "context: corrupted is what training does to masked-lm models"),
    ):
        models = {**DECODERS["models"], name: {**DECODERS["models"][name], **keys}}
        found = errors(fresh.snakemake("-n", config={**DECODERS, "models": models}))
        assert len(found) == 1 and found[0].startswith(f"error: config key models.{name}.{line}"), found
