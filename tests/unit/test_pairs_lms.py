"""The language model score as it is shown: which numbers, beside which printed ones, and in words."""

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synthetic
from library import (
    DASH,
    LMS,
    PROTOCOLS,
    PairResults,
    Sheet,
    decisions,
    framed,
    lms_table,
    printed,
    printed_scores,
    sharing_of,
)
from library import PAIRS_STEREOSET as STEREOSET
from synthetic import pair_results, with_tables

MODELS = [
    {"name": "bert", "published": "bert-base-cased", "source": "hub"},
    {"name": "made", "source": "train"},
    {"name": "blank", "source": "random"},
]
BENCHMARKS = [{"name": "ss", "published": "stereoset"}, {"name": "cp", "published": "crows-pairs"}]


@pytest.fixture(scope="module")
def results() -> PairResults:
    """Three models on a benchmark with unrelated sentences; SSS reads them, as AUL does."""
    rng, tables = np.random.default_rng(0), []
    for place, model in enumerate(MODELS):
        made = synthetic.make(60, seed=place)
        pairs = made.pairs.assign(bias_type=["gender", "race"] * 30)
        series = product(("AUL", "SSS"), PROTOCOLS)
        margins = {each: rng.normal(1, 1, (2, len(pairs))) for each in series}
        rows = lms_table(pairs, decisions(pairs, made.scores), margins, sharing_of(pairs, ["words"]), 0.95)
        tables.append(rows.assign(model=model["name"], benchmark="ss"))
    bias = pd.DataFrame({"measure": ["AUL", "SSS"], "clusters": "words", "confidence": 0.95})
    none = pd.DataFrame()
    return pair_results(MODELS, BENCHMARKS, lms=pd.concat(tables), bias=bias, agreement=none, pairs={})


def sheet(results: PairResults) -> Sheet:
    return printed.lms_sheet(results, printed.lms(results))


def test_each_row_is_of_pairs_and_of_targets_beside_what_is_printed(results: PairResults) -> None:
    made = sheet(results)
    assert made.stubs == ("model", "benchmark", "measure", "group")
    groups = list(dict.fromkeys(group for group, _ in made.columns))
    assert groups == ["of all pairs", "mean over targets", "printed, mean over targets"]
    keys = ["model", "measure", "group"]
    rows = {(row[0], row[2], row[3]): row[4:] for row in made.rows}
    assert len(rows) == len(made.rows) == 3 * 2 * 3
    of_authors = results.published[results.published["source"] == STEREOSET]
    values = of_authors.set_index(["model", "measure", "group", "quantity"])["value"]
    by_protocol: dict[Any, Any] = {
        name: part.set_index(keys) for name, part in results.lms.groupby("protocol")
    }
    for (model, measure, group), cells in rows.items():
        one, other = (by_protocol[name].loc[(model, measure, group)] for name in ("corrected", "published"))
        assert cells[0].startswith(f"{one['lms']:.1f} (") and cells[1] == f"{one['score']:.1f}"
        assert cells[2].startswith(f"{one['icat']:.1f} (")
        assert cells[3:6] == tuple(f"{other[f'{name}_by_target']:.1f}" for name in ("lms", "score", "icat"))
        printed = [
            values.get(("bert-base-cased", measure, group, f"{name} by target"))
            for name in ("LMS", "SS", "ICAT")
        ]
        # of AUL, and of another model, nothing is printed
        expected = [f"{value:.1f}" for value in printed if value is not None] if model == "bert" else []
        assert list(cells[6:]) == (expected or [DASH] * 3)
    assert rows["bert", "SSS", "all"][6:] == ("83.0", "58.7", "68.6")


def test_what_is_not_known_has_no_columns(results: PairResults) -> None:
    no_targets = results.lms.assign(
        **dict.fromkeys(["lms_by_target", "score_by_target", "icat_by_target"], float("nan"))
    )
    without = sheet(with_tables(results, lms=no_targets))
    assert "mean over targets" not in {group for group, _ in without.columns}
    some = sheet(with_tables(results, published=results.published.iloc[:0]))
    assert "printed, mean over targets" not in {group for group, _ in some.columns}
    empty = framed([], LMS).assign(model="", benchmark="")
    assert sheet(with_tables(results, lms=empty)).rows == ()


def test_printed_values_are_whole_and_none_of_them_is_a_score_of_all_pairs(results: PairResults) -> None:
    published = results.published
    of_authors = published[published["source"] == STEREOSET]
    wide = of_authors.pivot(index=["model", "measure", "group"], columns="quantity", values="value")
    assert len(wide) == 4 * 5 and wide.notna().all(axis=None)
    lms, score, icat = (wide[f"{name} by target"] for name in ("LMS", "SS", "ICAT"))
    pd.testing.assert_series_equal(icat, lms * score.where(score < 50, 100 - score) / 50, check_names=False)
    assert STEREOSET not in set(printed_scores(published)["source"])
    assert set(of_authors["measure"]) == {"SSS"}
