"""Which models are part of a calibration, and what is read of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from planted_models import (
    CORRUPTION,
    follows,
    made_pairs,
    member,
    observed,
    write_pairs,
    write_scores,
    write_truth,
)
from unmask.calibration.families import over_families
from unmask.calibration.population import Population, read_population, role_of
from unmask.errors import InputError

TRAINED = {"source": "train", "world": "w", "architecture": "bert"}
ORACLE = {"source": "oracle", "world": "w"}
BENCHMARKS = [{"name": "pairs", "world": "w", "format": "crows-pairs", "of": None, "as": None}]


@pytest.mark.parametrize(
    ("entry", "role"),
    [
        (TRAINED, "trained"),
        (TRAINED | {"steps": 500, "text": "planted", "corruption": None}, "trained"),
        (TRAINED | {"steps": 0, "text": "balanced"}, "untrained"),
        (TRAINED | {"text": "balanced"}, "balanced"),
        (TRAINED | {"corruption": CORRUPTION}, "kept"),
        (ORACLE, "oracle"),
        (ORACLE | {"context": "trusted"}, "oracle"),
        (ORACLE | {"context": "corrupted"}, "exact"),
        (ORACLE | {"context": "corrupted", "corruption": CORRUPTION}, "kept"),
        (ORACLE | {"text": "balanced"}, "balanced"),
        ({"source": "hub", "repo": "x"}, None),
        ({"source": "random", "from": "x"}, None),
    ],
)
def test_roles(entry: dict[str, Any], role: str | None) -> None:
    assert role_of(entry) == role


def read(
    folder: Path,
    pairs: pd.DataFrame,
    shuffle: bool = False,
    models: list[dict[str, Any]] | None = None,
    benchmarks: list[dict[str, Any]] | None = None,
    known: dict[str, pd.DataFrame] | None = None,
) -> Population:
    """The population of files of model m (and another, from a hub) on one benchmark."""
    folder.mkdir()
    one = observed({"CPS": follows(1.0), "AUL": follows(0.1, 0.3, noise=0.1)}, pairs)
    other = replace(one, member=replace(one.member, model="hub-model"))
    files = [
        write_scores(folder / f"{each.member.model}.parquet", each, shuffle=shuffle) for each in (one, other)
    ]
    listed = pairs.sample(frac=1, random_state=2) if shuffle else pairs
    return read_population(
        models or [TRAINED | {"name": "m"}, {"name": "hub-model", "source": "hub"}],
        benchmarks or BENCHMARKS,
        {"w": CORRUPTION, "other": CORRUPTION},
        list(reversed(files)) if shuffle else files,
        [write_pairs(folder / "pairs.parquet", listed, "pairs")],
        [write_truth(folder / "truth.json", "w", known or {"crows-pairs": pairs})],
    )


def test_what_is_read_is_what_was_shown(tmp_path: Path) -> None:
    pairs = made_pairs()
    (one,) = read(tmp_path / "a", pairs).planted
    expected = observed({"CPS": follows(1.0), "AUL": follows(0.1, 0.3, noise=0.1)}, pairs)
    assert one.measures == ("AUL", "CPS")
    for name in ("margin", "credit", "trial"):
        assert np.array_equal(getattr(one, name), getattr(expected, name)), name
    columns = ["pair_id", "factor", "p", "ratio", "direction", "longer_side", "unit", "words"]
    pd.testing.assert_frame_equal(one.pairs[columns], pairs[columns], check_dtype=False)
    longer = pairs["factor"] == "longer"
    assert (one.pairs["even"] == ~longer).all()
    assert one.member == replace(member(), corruption=CORRUPTION)


def test_order_of_rows_and_files_does_not_matter(tmp_path: Path) -> None:
    pairs = made_pairs()
    (one,), (other,) = (read(tmp_path / str(s), pairs, shuffle=s).planted for s in (False, True))
    pd.testing.assert_frame_equal(one.pairs, other.pairs)
    assert np.array_equal(one.margin, other.margin)
    assert np.array_equal(one.credit, other.credit)


def test_a_model_of_another_world_is_left_out(tmp_path: Path) -> None:
    models = [TRAINED | {"name": "m", "world": "other"}]
    assert read(tmp_path / "a", made_pairs(), models=models) == Population((), ())


def test_arranged_benchmarks_stand_apart_and_have_their_origins_truth(tmp_path: Path) -> None:
    pairs = made_pairs()
    arranged = [{"name": "origin", "world": "w", "format": "crows-pairs"}]
    arranged.append({"name": "pairs", "format": "arranged", "of": "origin", "as": "swapped"})
    found = read(tmp_path / "a", pairs, benchmarks=arranged)
    assert found.planted == ()
    assert (found.arranged[0].as_, found.arranged[0].origin) == ("swapped", "origin")
    assert found.arranged[0].pairs["unit"].tolist() == pairs["unit"].tolist()


def test_arranged_benchmarks_of_real_ones_are_left_out(tmp_path: Path) -> None:
    arranged = [{"name": "real", "format": "table"}, {"name": "pairs", "format": "arranged", "of": "real"}]
    assert read(tmp_path / "a", made_pairs(), benchmarks=arranged) == Population((), ())


def test_a_truth_of_before_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"pair p00003 of benchmark pairs .* make its world again"):
        read(tmp_path / "a", made_pairs(), known={"crows-pairs": made_pairs().iloc[:3]})
    with pytest.raises(InputError, match="none of benchmark pairs"):
        read(tmp_path / "b", made_pairs(), known={"stereoset": made_pairs()})


def test_scores_of_other_pairs_are_refused(tmp_path: Path) -> None:
    pairs = made_pairs()
    few = observed({"CPS": follows(1.0)}, pairs.iloc[:9])
    with pytest.raises(InputError, match="model m, benchmark pairs: scores: CPS"):
        read_population(
            [TRAINED | {"name": "m"}],
            BENCHMARKS,
            {"w": CORRUPTION},
            [write_scores(tmp_path / "m.parquet", few)],
            [write_pairs(tmp_path / "pairs.parquet", pairs, "pairs")],
            [write_truth(tmp_path / "truth.json", "w", {"crows-pairs": pairs})],
        )


def test_a_pair_that_two_benchmarks_have_counts_once() -> None:
    first, second = made_pairs(each=4), made_pairs(each=6, benchmark="items")
    parts = tuple(observed({"CPS": follows(1.0, noise=0.1)}, pairs) for pairs in (first, second))
    (whole,) = Population(parts, ()).by_model()
    texts = {*first["stereotype"], *second["stereotype"]}
    assert sorted(whole.pairs["stereotype"]) == sorted(texts)
    assert len(whole.margin) == len(texts) < len(first) + len(second)
    with pytest.raises(InputError, match="model m: not the same measures"):
        Population((parts[0], observed({"AUL": follows(1.0)}, second)), ()).by_model()


def test_families_count_once_each() -> None:
    values = {"a1": 1.0, "a2": 3.0, "b1": 4.0, "c1": 9.0}
    families = {"a1": "a", "a2": "a", "b1": "b", "c1": "c"}
    found = over_families(values, families, 0.95)
    means = [2.0, 4.0, 9.0]
    error = np.std(means, ddof=1) / np.sqrt(3)
    # Student's t of two degrees of freedom
    assert found == pytest.approx((5.0, 5 - 4.302653 * error, 5 + 4.302653 * error, 3), rel=1e-6)
    alone = over_families({"a1": 1.0, "a2": 3.0}, families, 0.95)
    assert alone[0] == 2.0
    assert np.isnan(alone[1:3]).all()
    assert np.isnan(over_families(values | {"c1": float("nan")}, families, 0.95)[:3]).all()
