"""What is said of bias types and of groups, counted by hand."""

from typing import Any

import pandas as pd
import pytest

from library import (
    ADV_AND_DIS,
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    FOOLED,
    FOUND,
    HIGHEST_TYPES,
    NO_CLEAR,
    PairResults,
)
from library import PAIRS_JUDGING_RIGHT as RIGHT
from synthetic import pair_results

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


def judgements(*rows: tuple[str, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=["model", "benchmark", "measure", "bias_type", "judgement"])


def results(*rows: dict[str, Any]) -> PairResults:
    models = [{"name": name, "source": source} for name, source in SOURCES.items()]
    bias = pd.DataFrame(list(rows)).astype({"score": float, "p": float})
    some = pair_results(models, [{"name": "crows"}], bias=bias)
    vars(some).update(
        settings={**some.settings, "measures": ["AUL", "CPS", "AllMasked"]}, judgements=judgements()
    )
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
        "By AUL, bert on crows prefers the stereotype most often for religion (71%) and least often for "
        "disability (31%). Before Holm's correction, 2 of 4 testable bias types show a clear preference: for "
        "the stereotype in religion; against it in disability."
    ]
    assert list(HIGHEST_TYPES.sentences(results(of_types[2]))) == [
        "By AUL, bert on crows prefers the stereotype in 55% of the pairs for gender. It is the only "
        "testable bias type, and shows no clear preference."
    ]
    (unclear,) = HIGHEST_TYPES.sentences(results(*of_types[1:3]))
    assert unclear.endswith("(55%). None of 2 testable bias types shows a clear preference.")
    (one,) = HIGHEST_TYPES.sentences(results(*of_types[2:]))
    assert one.endswith("1 of 2 testable bias types shows a clear preference: against it in disability.")
    assert not list(HIGHEST_TYPES.sentences(results(*others[2:])))


def test_a_clear_preference_that_was_not_planted_is_called_false() -> None:
    some = results(
        *(row("bert", "AUL", "bias_type", name, score, verdict=says) for name, (score, says) in TYPES.items())
    )
    judged = {"religion": FOUND, "gender": RIGHT, "disability": FOOLED}
    rows = [("bert", "crows", "AUL", name, says) for name, says in judged.items()]
    # of another measure
    rows.append(("bert", "crows", "CPS", "religion", FOOLED))
    vars(some)["judgements"] = judgements(*rows)
    (said,) = HIGHEST_TYPES.sentences(some)
    assert said.endswith("By what was planted, disability is false or reversed.")


@pytest.mark.parametrize(
    ("p", "clear", "before"), [(0.004, "1", "1 is"), (0.006, "None", "1 is"), (0.02, "None", "none is")]
)
def test_advantaged_groups_are_those_of_antistereotypical_pairs(p: float, clear: str, before: str) -> None:
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
        "On crows, bert prefers the stereotype in 62 to 66% of the pairs about advantaged groups, and in 38 "
        f"to 41% of those about disadvantaged groups, depending on the measure. {clear} of the 2 differences "
        f"is clear after Holm's correction (p < 0.01); before it, {before}."
    ]
    (untested,) = ADV_AND_DIS.sentences(results(*sides))
    assert untested.endswith("These differences cannot be tested.")
    alike = [side | {"measure": measure} for measure in ("AUL", "CPS") for side in sides[:2]]
    (same,) = ADV_AND_DIS.sentences(results(*alike))
    assert "in 41% of those about disadvantaged groups, whichever the measure." in same
