"""Grounded tests of encoders whose every bias is known: what was planted is found, and nothing else."""

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from association_files import stimuli
from hand_set import World, truths, write_world
from library import (
    GROUNDED,
    check_model,
    embed_with_images,
    load_encoder,
    open_region_features,
    pick_device,
    spans_of,
    weat,
)

WORLDS: dict[str, tuple[World, dict[str, int]]] = {
    "none": (World(), {}),
    "both": (World(language=0.3, vision=0.3), {"E1": 1, "E2": 1}),
    "shifted interaction": (World(interaction=0.3, shift=0.9), {"E3x": 1, "E3y": -1}),
}
"""With the signs of the mean differences that are planted."""

ALL_BIASES = World(language=0.3, vision=-0.2, interaction=0.1, counter=0.4, shift=0.2)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weat, "PERMUTATIONS", 999)
    monkeypatch.setattr(weat, "RESAMPLES", 10)


def results_of(folder: Path, world: World, turned: bool = False, same: bool = False) -> pd.DataFrame:
    """The rows of a world that is written to files and read again, by pooling, experiment and unit.

    turned: with X and Y exchanged, and with them whose pictures are whose. same: with the names of men, and
    their pictures, on both sides.
    """
    files = write_world(folder, world)
    check_model(files.model, "vision-and-language", "made")
    test = json.loads(files.test.read_text())
    if turned:
        test["targ1"], test["targ2"] = test["targ2"], test["targ1"]
    files.test.write_text(json.dumps(test))
    rows, _ = stimuli([files.test], format="grounded")
    distinct = rows.drop_duplicates("stimulus")
    encoder = load_encoder(files.model, "vision-and-language", pick_device("cpu"), None)
    texts, images = distinct["text"].tolist(), distinct["image"].tolist()
    regions = open_region_features(files.features, 6)
    vectors = embed_with_images(encoder, texts, spans_of(distinct, {}), images, regions, GROUNDED)
    if same:
        others = rows[rows["set"].eq("X")].assign(set="Y", cell="Y")
        rows = pd.concat([rows[rows["set"].ne("Y")], others], ignore_index=True)
    return weat.association_tests(rows, vectors, 0, 0.95).set_index(["pooling", "experiment", "unit"])


@pytest.mark.parametrize("name", WORLDS)
def test_a_bias_is_found_where_it_was_planted_and_nowhere_else(name: str, tmp_path: Path) -> None:
    world, planted = WORLDS[name]
    rows: dict[Any, Any] = results_of(tmp_path, world)[["mean_difference", "d", "p_two"]].T.to_dict("list")
    for (pooling, experiment, unit), expected in truths(world).items():
        difference, d, p = map(float, rows[pooling, experiment, unit])
        assert difference == pytest.approx(expected, abs=1e-6)
        if sign := planted.get(experiment, 0):
            assert sign * difference > 0.01 and sign * d > 0.5
        else:
            assert abs(difference) < 1e-6 and (math.isnan(d) or abs(d) < 1e-4)
        if experiment == "E2":
            assert math.isnan(p)
        else:
            # names are less alike by their own vectors than by those of their sentences
            assert p < (0.01 if pooling == "joint" else 0.06) if sign else p > 0.9


def test_exchanged_targets_turn_all_differences(tmp_path: Path) -> None:
    before, after = (
        results_of(tmp_path / str(turned), ALL_BIASES, turned)["mean_difference"] for turned in (False, True)
    )
    for (pooling, experiment, unit), truth in truths(ALL_BIASES).items():
        other = {"E3x": "E3y", "E3y": "E3x"}.get(experiment, experiment)
        # every word is one token, the first
        for vectors in (pooling, "word-first") if pooling == "word" else (pooling,):
            assert before[vectors, experiment, unit] == pytest.approx(truth, abs=1e-6)
            assert after[vectors, other, unit] == pytest.approx(-truth, abs=1e-6)


def test_identical_sides_tie(tmp_path: Path) -> None:
    rows = results_of(tmp_path, World(language=0.3, vision=0.3), same=True)
    e1 = rows.xs("E1", level="experiment")
    assert len(e1) == 6 and (e1["mean_difference"].abs() < 1e-12).all() and (e1["p_two"] == 1).all()
