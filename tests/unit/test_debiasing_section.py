"""Changes of bias scores by debiasing, and which of them can be tested."""

import math
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from library import COMPARISONS, DebiasingResults, framed, margins_left, write_table

BASE = "a <b>"
MODELS = [
    {"name": f"a-{method}", "from": BASE, "method": method, "protocol": protocol}
    for method, protocol in (("continued", "corrected"), ("cda", "corrected"), ("at", "published"))
]
SETTINGS: dict[str, Any] = {"models": MODELS, "measures": ["AULA", "CPS"], "alpha": 0.05, "confidence": 0.9}


def compared(first: str, second: str, scores: tuple[float, float]) -> list[dict[str, object]]:
    """COMPARISONS of two models by both measures."""
    difference = scores[0] - scores[1]
    row = {"first": first, "second": second, "first_score": scores[0], "second_score": scores[1]}
    row |= {"difference": difference, "low": difference - 4, "high": difference + 4, "confidence": 0.95}
    row |= {"error": 2.0, "df": 30.0, "p": 0.001 if abs(difference) > 5 else 0.6, "agreement": 80.0}
    row |= {"n": 100, "both": 50, "b": 10, "c": 10, "neither": 30}
    return [
        {**row, "measure": measure, "protocol": protocol}
        for measure, protocol in product(SETTINGS["measures"], ("published", "corrected"))
    ]


def written(folder: Path, rows: list[dict[str, object]], benchmark: str = "cp") -> Path:
    write_table(folder / benchmark, framed(rows, COMPARISONS), COMPARISONS, {"benchmark": benchmark})
    return folder / benchmark


def changed_scores(*paths: Path) -> pd.DataFrame:
    return DebiasingResults({"comparisons": list(paths)}, SETTINGS).changed


def test_changes_are_those_from_the_model_before(tmp_path: Path) -> None:
    after = {"a-continued": 79.0, "a-cda": 52.0, "a-at": 90.0}
    every = [row for model, score in after.items() for row in compared(model, BASE, (score, 80.0))]
    changed = changed_scores(written(tmp_path, [*every, *compared("a-cda", "a-at", (52.0, 90.0))]))
    rows = changed[["model", "measure", "before", "after", "change"]].to_numpy().tolist()
    expected = [[m, of, 80.0, after[m], after[m] - 80] for m in after for of in ("AULA", "CPS")]
    assert rows == expected
    np.testing.assert_allclose((changed["low"] + changed["high"]) / 2, changed["change"])
    assert (changed["low"] < changed["high"]).all()


def test_where_all_pairs_share_a_word_nothing_is_claimed(tmp_path: Path) -> None:
    """What does not change is not untestable."""
    nothing = {"low": None, "high": None, "p": None, "b": 0, "c": 0}
    for after, decided, untestable in ((80.0, {}, 0), (52.0, {"b": 33, "c": 5}, 2)):
        path = written(tmp_path, [row | nothing | decided for row in compared("a-cda", BASE, (after, 80.0))])
        changed = changed_scores(path)
        assert changed[["low", "high", "p", "p_holm"]].isna().all(axis=None)
        assert changed["untestable"].sum() == untestable


def test_holm_is_over_what_a_sentence_counts(tmp_path: Path) -> None:
    """All changes by a method, whatever the benchmark and measure; untestable ones are none of them."""
    p = {("one", "AULA"): 0.02, ("one", "CPS"): 0.03, ("two", "AULA"): 0.04, ("two", "CPS"): None}
    paths = []
    for name in ("one", "two"):
        rows = [row | {"p": p[name, str(row["measure"])]} for row in compared("a-cda", BASE, (52.0, 80.0))]
        paths.append(written(tmp_path, [*rows, *compared("a-at", BASE, (52.0, 80.0))], name))
    changed = changed_scores(*paths)
    cda = changed[changed["method"] == "cda"]
    # 3 · 0.02, and no less for the others
    expected = {key: math.nan if of is None else 0.06 for key, of in p.items()}
    corrected = cda.set_index(["benchmark", "measure"])["p_holm"].to_dict()
    assert corrected == pytest.approx(expected, nan_ok=True)
    assert changed.loc[changed["method"] == "at", "p_holm"].eq(4 * 0.001).all()


def test_what_is_left_is_a_median_without_margins_that_are_rounding() -> None:
    before, after = (2.0, 1.0, 4.0, 1e-18, math.nan), (0.2, 0.5, 4.0, 1e-17, math.nan)
    changed = pd.DataFrame({"typical_before": before, "typical_after": after})
    # of 0.1, 0.5 and 1
    assert margins_left(changed) == pytest.approx(0.5)
    assert margins_left(changed[3:]) is None
