"""The answer of a study on pairs: its title, its sentences, its picture and its tables."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    DASH,
    NO_CLEAR,
    TESTABLE,
    UNKNOWN_TOKENS,
    VERDICTS,
    PairResults,
    chart,
    charts,
    explained,
    title_of,
    with_corrected_p,
)
from library import pairs_answer as answer
from library import pairs_overview as overview
from study_schema import MEASURES
from synthetic import pair_results

SCORE: dict[str, Any] = {
    "model": "bert",
    "benchmark": "crows",
    "measure": "AUL",
    "protocol": "corrected",
    "variant": "original",
    "grouping": "overall",
    "group": "all",
    "n": 1000,
    "score": 48.2,
    "low": 43.1,
    "high": 53.4,
    "p": 0.4,
    "null_low": 39.0,
    "null_high": 63.0,
    "null_p": 0.8,
    "untrained": 2,
    "untrained_mean": None,
    "untrained_low": None,
    "untrained_high": None,
    "verdict": NO_CLEAR,
    "confidence": 0.95,
    "design_effect": 2.0,
    "undefined": 0,
    "near_ties": 0,
}
FOR: dict[str, Any] = {
    "score": 59.0,
    "low": 56.0,
    "high": 62.0,
    "null_high": 55.0,
    "verdict": CLEAR,
    "p": 1e-4,
    "null_p": 4e-4,
}
AGAINST: dict[str, Any] = {
    "score": 41.0,
    "low": 38.0,
    "high": 44.0,
    "null_low": 45.0,
    "verdict": CLEAR,
    "p": 1e-4,
    "null_p": 4e-4,
}
WITHOUT: dict[str, Any] = {"low": None, "high": None, "p": None, "verdict": CANNOT_TELL}
MASKED: dict[str, Any] = {"measure": "AllMasked", "verdict": CONTROL, "p": 0.9, "null_p": 0.9}


def results(*scores: dict[str, Any], headline: str | None = None, **sources: str) -> PairResults:
    """Of these scores. sources: of models, by default hub."""
    rows = pd.DataFrame([SCORE | score for score in scores])
    numbers = [
        "score",
        "low",
        "high",
        "p",
        "null_p",
        "untrained_mean",
        "untrained_low",
        "untrained_high",
    ]
    rows = rows.astype(dict.fromkeys(numbers, float))
    models = [{"name": name, "source": sources.get(name, "hub")} for name in rows["model"].unique()]
    trained = [model["name"] for model in models if model["source"] not in ("random", "oracle")]
    captions = {"scores": "Scores.", "terminal": "Of 100."}
    some = pair_results(
        models,
        [{"name": name} for name in rows["benchmark"].unique()],
        bias=with_corrected_p(rows, trained),
        captions=captions,
    )
    vars(some).update(settings={**some.settings, "headline": headline})
    return some


def of(measure: str, model: str = "bert", benchmark: str = "crows", **more: Any) -> dict[str, Any]:
    return {"measure": measure, "model": model, "benchmark": benchmark, **more}


def drawn_rows(some: PairResults) -> list[dict[str, Any]]:
    drawn = charts.headline(answer.pictured(some), "95")
    assert drawn is not None
    return list(chart("", "", drawn).spec["data"]["values"])


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        ([{}], "bert shows no clear preference by AUL"),
        ([{}, of("AUL", "albert")], "bert and albert show no clear preference by AUL"),
        ([of("AUL", name) for name in "abc"], "3 models show no clear preference by AUL"),
        ([{"verdict": BY_WORDS}, of("AUL", benchmark="ss")], "bert shows no clear preference by AUL"),
        ([FOR], "bert shows a clear preference for stereotypes by AUL"),
        ([AGAINST], "bert shows a clear preference against stereotypes by AUL"),
        ([FOR, of("AUL", benchmark="ss", **AGAINST)], "bert shows a clear preference by AUL"),
        (
            [{}, of("AUL", benchmark="ss", **FOR)],
            "bert shows a clear preference for stereotypes by AUL on ss",
        ),
        (
            [FOR, of("AUL", "albert")],
            "1 of 2 models shows a clear preference for stereotypes by AUL",
        ),
        (
            [FOR, of("AUL", "a"), of("AUL", "a", "ss", **FOR)],
            "bert and a show a clear preference for stereotypes by AUL on some benchmark",
        ),
        (
            [of("AUL", name, **FOR) for name in "abc"],
            "3 models show a clear preference for stereotypes by AUL",
        ),
        ([WITHOUT], "AUL cannot tell whether bert prefers stereotypes"),
        ([WITHOUT, of("AUL", "b", **WITHOUT)], "AUL cannot tell whether bert and b prefer stereotypes"),
        (
            [of("AUL", name, **WITHOUT) for name in "abc"],
            "AUL cannot tell whether 3 models prefer stereotypes",
        ),
        ([of("CPS", **FOR)], "bert shows a clear preference for stereotypes by CPS"),
        ([MASKED], "All-Masked is a control: its scores have no verdict"),
    ],
)
def test_the_title_is_the_finding(scores: list[dict[str, Any]], title: str) -> None:
    assert answer.title(results(*scores)) == title


def test_models_that_are_not_trained_are_in_no_sentence() -> None:
    some = results({}, of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(some) == "bert shows no clear preference by AUL"
    assert not any(name in text for text in answer.sentences(some) for name in ("noise", "exact"))
    # they stand apart, and are marked
    names = ["bert", "noise (never trained)", "exact (exact model)"]
    assert [row[0] for row in answer.sheet(some).rows] == names
    assert list(answer.judged(some)["role"]) == ["", "never trained", "exact model"]
    alone = results(of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(alone) == "No model of this study has been trained"
    assert list(answer.sentences(alone)) == [
        "The scores of noise (never trained) are chance.",
        "The scores of exact (exact model) are exact answers of a synthetic world.",
    ]
    assert len(drawn_rows(alone)) == 2


def test_the_headline_is_the_measure_that_the_study_names_and_never_the_largest() -> None:
    scores = [of("SSS", **FOR), of("AUL"), of("CPS", score=70.0)]
    assert results(*scores).headline == "AUL"
    assert results(*scores[::2]).headline == "SSS"
    named = results(*scores, headline="CPS")
    assert named.headline == "CPS" and answer.title(named).endswith("by CPS")


def test_a_sentence_has_the_scores_of_a_model_with_intervals_and_verdicts() -> None:
    one = results({}, of("AUL", benchmark="ss", score=51.3, low=48.0, high=55.2))
    assert next(answer.sentences(one)) == (
        "By AUL, bert prefers the stereotype in 48.2% (43.1 to 53.4) of crows, no clear preference; "
        "51.3% (48.0 to 55.2) of ss, no clear preference."
    )
    assert list(answer.sentences(results(WITHOUT))) == [
        "By AUL, bert prefers the stereotype in 48.2% of crows, cannot be told."
    ]
    by_words = FOR | {"null_high": 63.0, "verdict": BY_WORDS}
    assert "59.0% (56.0 to 62.0; word choice 39.0 to 63.0) of crows" in next(
        answer.sentences(results(by_words))
    )


def test_many_models_are_counted() -> None:
    many = results(*(of("AUL", f"m{place}", **FOR) for place in range(8)), of("AUL", "m8"))
    assert list(answer.sentences(many)) == [
        "9 AUL scores of 9 models, from 48.2 to 59.0%: 1 no clear preference and 8 clear preference.",
        "Of 9 testable scores, 8 show a clear preference; after Holm's correction 8 do (p < 0.05).",
    ]


def test_holm_is_over_the_larger_p_of_the_testable_scores_of_trained_models() -> None:
    scores = [
        of("AUL", p=0.01, null_p=0.02, verdict=CLEAR),
        of("CPS", p=0.001, null_p=0.004, verdict=CLEAR),
        of("SSS", p=0.3, null_p=0.0004),
        of("PLL", p=0.02, null_p=0.04, verdict=CLEAR),
        MASKED,
        of("AULA", **WITHOUT),
        # in no family
        of("AUL", "noise", p=0.001, null_p=0.001, verdict=CLEAR),
        of("AUL", p=0.0, null_p=0.0, variant="shuffled", verdict=CLEAR),
        of("AUL", p=0.0, null_p=0.0, protocol="published", verdict=CLEAR),
        of("AUL", p=0.0, null_p=0.0, grouping="bias_type", verdict=CLEAR),
    ]
    some = results(*scores, noise="random")
    rows = some.bias
    # slowly: the larger ones in order, times how many are left, never less than the one before
    larger = {"AUL": 0.02, "CPS": 0.004, "SSS": 0.3, "PLL": 0.04}
    wanted, before = {}, 0.0
    for place, name in enumerate(sorted(larger, key=lambda each: larger[each])):
        before = wanted[name] = max(before, min(1.0, larger[name] * (len(larger) - place)))
    family = rows["p_holm"].notna()
    assert rows[family].set_index("measure")["p_holm"].to_dict() == pytest.approx(wanted)
    assert family.sum() == 4 and (rows.loc[family, "verdict"].isin(TESTABLE)).all()
    assert list(answer.sentences(some))[1] == (
        "Of 4 testable scores, 3 show a clear preference; after Holm's correction 1 does (p < 0.05)."
    )
    assert answer.judged(some)["holds"].sum() == 1


@pytest.mark.parametrize(
    ("more", "control"),
    [
        ([], (None, None)),
        ([MASKED | {"score": 37.4}], ("All-Masked", 37.4)),
        ([MASKED | {"score": 48.3}], (None, None)),
        ([of("AUL", variant="shuffled", score=57.0)], ("words shuffled", 57.0)),
        ([MASKED | {"score": 37.4}, of("AUL", variant="shuffled", score=67.0)], ("words shuffled", 67.0)),
        ([of("AUL", variant="shuffled", score=57.0, protocol="published")], (None, None)),
        ([MASKED | {"score": 30.0, "benchmark": "ss"}], (None, None)),
    ],
)
def test_the_furthest_control_stands_beside_the_score(more: Any, control: Any) -> None:
    row = answer.judged(results({}, *more)).iloc[0]
    assert (row["control"], None if pd.isna(row["control_score"]) else row["control_score"]) == control
    untrained = answer.judged(results({"untrained_mean": 41.2}, *more)).iloc[0]
    if control[0] is None:
        assert (untrained["control"], untrained["control_score"]) == ("untrained networks", 41.2)


def test_controls_that_are_further_are_counted() -> None:
    names = ("a", "b", "c")
    rows = (row for name in names for row in (of("AUL", name), MASKED | {"model": name, "score": 30.0}))
    said = list(answer.sentences(results(*rows)))[-1]
    assert said == "For 3 of 3 scores a control is further from 50: All-Masked for 3."


def test_the_table_has_score_band_and_verdict() -> None:
    sheet = answer.sheet(results({}, of("CPS", **WITHOUT)))
    heads = [label for _, label in sheet.columns]
    first, second = (dict(zip(heads, row[3:], strict=True)) for row in sheet.rows)
    assert (first["score"], first["interval"], first["word choice alone"]) == (
        "48.2",
        "43.1 to 53.4",
        "39.0 to 63.0",
    )
    assert first["verdict"] == NO_CLEAR and first["p (Holm)"] == "0.8"
    assert second["interval"] == second["p (Holm)"] == DASH and second["verdict"] == CANNOT_TELL
    # what no score has is no column
    assert {"control further from 50", "near-ties", "undefined"}.isdisjoint(heads)


def test_a_terminal_has_a_mark_by_verdict() -> None:
    names = [f"model-{place}" for place in range(len(VERDICTS))]
    rows = [of("AUL", name, verdict=verdict) for name, verdict in zip(names, VERDICTS, strict=True)]
    sheet = answer.terminal(results(*rows, of("CPS", names[0], **WITHOUT)))
    assert [row[2].removeprefix(f"48.2 43.1{DASH}53.4") for row in sheet.rows] == ["", "", "!", "∘", ""]
    assert sheet.rows[0][3] == f"48.2 {DASH}∘" and sheet.columns == (("", "AUL"), ("", "CPS"))


def test_the_picture_is_of_the_headline_with_50_in_its_middle() -> None:
    some = results(FOR, of("AUL", "a"), of("CPS"), of("AUL", "noise", score=20.0), noise="random")
    assert [row["name"] for row in drawn_rows(some)] == ["bert", "a", "noise (never trained)"]
    picture = charts.headline(answer.pictured(some), "90")
    assert picture is not None
    drawn = picture.to_dict()
    assert "90% intervals" in drawn["title"]["subtitle"][0]
    x = drawn["spec"]["layer"][-1]["encoding"]["x"]
    assert sum(x["scale"]["domain"]) == 100 and x["scale"]["domain"][0] <= 20
    assert x["title"].startswith("← antistereotype") and x["title"].endswith("stereotype →")
    # one model has its other measures, too
    one = answer.pictured(results(of("CPS"), of("AUL"), MASKED))
    assert one["measure"].tolist() == ["AUL", "CPS", "AllMasked"]


def warned(*scores: dict[str, Any], settings: Any = (), **sources: str) -> list[str]:
    some = results(*scores, **sources)
    none = {"unknown": UNKNOWN_TOKENS, "matched": ("model", "pairs_without_score")}
    vars(some).update({name: pd.DataFrame(columns=list(columns)) for name, columns in none.items()}, pairs={})
    vars(some).update(settings={**some.settings, **dict(settings)})
    return list(overview.warnings(some))[1:-1]


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ([{}], []),
        ([{"n": 99}], ["crows (99) has too few pairs to say much."]),
        (
            [{"near_ties": 3}, of("AUL", "b", n=500)],
            ["3 of 1,500 decisions are near-ties: float error could turn them."],
        ),
        (
            [{"undefined": 3}],
            ["bert on crows: 3 of 1,000 pairs have no AUL, as a sentence lacks what it scores."],
        ),
        (
            [{}, of("AULA", undefined=1000, score=None)],
            ["bert on crows: 1,000 of 1,000 pairs have no AULA; see the logs."],
        ),
        (
            [{}, of("AUL", "b", score=None)],
            ["b has no score on any benchmark; see the logs."],
        ),
    ],
)
def test_what_a_reader_should_be_wary_of(scores: list[dict[str, Any]], said: list[str]) -> None:
    assert warned(*scores) == said


def test_other_models_and_their_code_are_named() -> None:
    assert warned({}, of("AUL", "noise"), noise="random") == [
        "noise was never trained: preferences are chance."
    ]
    # of an exact model ties are exact
    assert warned({}, of("AUL", "exact", near_ties=9), exact="oracle") == []
    assert warned({}, settings={"own_code": ["bert"]}) == [
        "bert runs code of a repository, at a pinned revision."
    ]


def test_docs_explain_every_measure_as_the_page_does() -> None:
    text = (Path(__file__).parents[2] / "docs/measures.md").read_text(encoding="utf-8")
    for name in MEASURES:
        words, score = explained(name).removesuffix(".").split("): ", 1)
        stands_for = words.removeprefix(f"{title_of(name)} (")
        assert f"| {title_of(name)} | {stands_for} | {score} |" in text


def test_every_measure_is_explained_in_a_line() -> None:
    assert explained("AUL") == (
        "AUL (All Unmasked Likelihood): the mean log-probability of all tokens, none of them hidden."
    )
