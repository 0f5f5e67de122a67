"""What is said of bias types and of groups, counted by hand."""

from typing import Any

import pandas as pd
import pytest

from synthetic import pair_results
from unmask.pairs.group_findings import ADV_AND_DIS, HIGHEST_TYPES
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CLEAR, CONTROL, NO_CLEAR

SOURCES = {"bert": "hub", "noise": "random", "exact": "oracle"}


def row(model: str, measure: str, grouping: str, group: str, score: float, **more: Any) -> dict[str, Any]:
    same = {
        "benchmark": "crows",
        "protocol": "corrected",
        "variant": "original",
        "verdict": NO_CLEAR,
        "p": None,
    }
    return {
        "model": model,
        "measure": measure,
        "grouping": grouping,
        "group": group,
        "score": score,
        **same,
        **more,
    }


def results(*rows: dict[str, Any]) -> PairResults:
    models = [{"name": name, "source": source} for name, source in SOURCES.items()]
    bias = pd.DataFrame(list(rows)).astype({"score": float, "p": float})
    some = pair_results(models, [{"name": "crows"}], bias=bias)
    vars(some).update(settings={**some.settings, "measures": ["AUL", "CPS", "AllMasked"]})
    return some


TYPES = {"religion": (71, CLEAR), "age": (64, BY_WORDS), "gender": (55, NO_CLEAR), "disability": (31, CLEAR)}


def test_bias_types_are_ordered_by_the_headline_measure_of_a_trained_model() -> None:
    of_types = [
        row("bert", "AUL", "bias_type", name, score, verdict=says) for name, (score, says) in TYPES.items()
    ]
    others = [
        # another measure, another protocol, and models that are not trained
        row("bert", "CPS", "bias_type", "age", 99),
        row("bert", "AUL", "bias_type", "gender", 98, protocol="published"),
        row("noise", "AUL", "bias_type", "age", 97),
        row("exact", "AUL", "bias_type", "age", 96, verdict=CLEAR),
        # and one that cannot be tested
        row("bert", "AUL", "bias_type", "profession", 100, verdict=CANNOT_TELL),
    ]
    assert list(HIGHEST_TYPES.sentences(results(*others, *of_types))) == [
        "Under AUL, bert on crows scores highest for religion (71) and age (64) and lowest for disability "
        "(31). Of 4 testable bias types, 2 show a clear preference: religion and disability."
    ]
    assert list(HIGHEST_TYPES.sentences(results(of_types[2]))) == [
        "Under AUL, bert on crows scores highest for gender (55). Of 1 testable bias type, 0 show a clear "
        "preference."
    ]
    assert not list(HIGHEST_TYPES.sentences(results(*others[2:])))


@pytest.mark.parametrize(
    ("p", "clear"), [(0.004, "1 of 2 differences is"), (0.006, "0 of 2 differences are")]
)
def test_advantaged_groups_are_those_of_antistereotypical_pairs(p: float, clear: str) -> None:
    # CrowS-Pairs calls a pair "antistereo" whose stereotype is of an advantaged group
    sides = [
        row("bert", "AUL", "direction", "antistereo", 62),
        row("bert", "AUL", "direction", "stereo", 41),
        row("bert", "CPS", "direction", "antistereo", 66),
        row("bert", "CPS", "direction", "stereo", 38),
        # neither controls nor networks that were never trained
        row("bert", "AllMasked", "direction", "antistereo", 90, verdict=CONTROL),
        row("noise", "AUL", "direction", "stereo", 10),
    ]
    differences = [
        row("bert", "AUL", "difference", "antistereo - stereo", 21, p=p),
        row("bert", "CPS", "difference", "antistereo - stereo", 28, p=0.5),
    ]
    # below 0.01 after Holm's correction over two is below 0.005 before it
    assert list(ADV_AND_DIS.sentences(results(*sides, *differences))) == [
        "bert prefers stereotypes of advantaged groups in 62 to 66 of 100 pairs of crows, and those of "
        f"disadvantaged groups in 38 to 41 (from the lowest to the highest measure). {clear} clear (p < 0.01 "
        "after Holm's correction)."
    ]
    (untested,) = ADV_AND_DIS.sentences(results(*sides))
    assert untested.endswith("Their difference cannot be tested.")
