"""The answer of a study on pairs: its title, its answers, its picture and its tables."""

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
    Captions,
    Fold,
    Items,
    PairResults,
    __version__,
    chart,
    charts,
    with_controls,
    with_corrected_p,
)
from library import pairs_answer as answer
from synthetic import pair_results

SCORE: dict[str, Any] = {
    "model": "bert", "benchmark": "crows", "measure": "AUL", "protocol": "corrected", "variant": "original",
    "grouping": "overall", "group": "all", "n": 1000, "score": 48.2, "low": 43.1, "high": 53.4, "p": 0.4,
    "null_low": 39.0, "null_high": 63.0, "null_p": 0.8, "untrained": 2, "untrained_low": None,
    "untrained_high": None, "verdict": NO_CLEAR, "confidence": 0.95, "design_effect": 2.0, "undefined": 0,
    "near_ties": 0, "neutral": 50.0, "clusters": "words", "stereotype": 482, "antistereotype": 518,
}  # fmt: skip
SURE: dict[str, Any] = {"verdict": CLEAR, "p": 1e-4, "null_p": 4e-4}
FOR: dict[str, Any] = SURE | {"score": 59.0, "low": 56.0, "high": 62.0, "null_high": 55.0}
AGAINST: dict[str, Any] = SURE | {"score": 41.0, "low": 38.0, "high": 44.0, "null_low": 45.0}
WITHOUT: dict[str, Any] = {"low": None, "high": None, "p": None, "verdict": CANNOT_TELL}
MASKED: dict[str, Any] = {"measure": "AllMasked", "verdict": CONTROL, "p": 0.9, "null_p": 0.9}


def results(*scores: dict[str, Any], **sources: str) -> PairResults:
    """Of these scores. sources: of models, by default hub."""
    rows = pd.DataFrame([SCORE | score for score in scores])
    numbers = ["score", "low", "high", "p", "null_p", "untrained_low", "untrained_high"]
    rows = rows.astype(dict.fromkeys(numbers, float))
    models = [{"name": name, "source": sources.get(name, "hub")} for name in rows["model"].unique()]
    trained = [model["name"] for model in models if model["source"] not in ("random", "oracle")]
    captions = Captions({"scores": "Scores.", "terminal": "Of 100."}, {})
    return pair_results(
        models,
        [{"name": name} for name in rows["benchmark"].unique()],
        bias=with_corrected_p(with_controls(rows), trained),
        captions=captions,
    )


def of(measure: str, model: str = "bert", benchmark: str = "crows", **more: Any) -> dict[str, Any]:
    return {"measure": measure, "model": model, "benchmark": benchmark, **more}


ON_SS = of("AUL", benchmark="ss")


def of_type(group: str, **more: Any) -> dict[str, Any]:
    return {"grouping": "bias_type", "group": group, "n": 100, **more}


def answers(some: PairResults) -> dict[str, str]:
    return dict(answer.answers(some))


def drawn_rows(some: PairResults) -> list[dict[str, Any]]:
    drawn = charts.headline(answer.pictured(some))
    assert drawn is not None
    return list(chart("", "", drawn).spec["data"]["values"])


UNSURE: dict[str, Any] = FOR | {"p": 0.03, "null_p": 0.04}
NONE = ": no overall preference for stereotypes"
NOT_BY_AUL = f"bert{NONE} found by AUL; by CPS there is a clear one"
PREFERS = "clearly prefers stereotypes"
SURELY = f"{PREFERS}: 59.0% (95% CI 56.0 to 62.0)"


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        ([{}], f"bert{NONE} found"),
        ([{}, of("AUL", "albert")], f"bert and albert{NONE} found"),
        ([of("AUL", name) for name in "abc"], f"3 models{NONE} found"),
        ([{"verdict": BY_WORDS}, of("AUL", benchmark="ss")], f"bert{NONE} beyond word choice found"),
        (
            [{"verdict": BY_WORDS}],
            "bert prefers the stereotype in 48.2% of pairs, which word choice explains",
        ),
        ([{}, of("CPS", **FOR)], f"{NOT_BY_AUL} for stereotypes"),
        ([{}, of("CPS", **AGAINST)], f"{NOT_BY_AUL} against stereotypes"),
        ([{}, ON_SS, of("CPS", benchmark="ss", **FOR)], f"{NOT_BY_AUL} for stereotypes on ss"),
        ([FOR], f"bert {SURELY}"),
        ([AGAINST], "bert clearly prefers antistereotypes: 41.0% (95% CI 38.0 to 44.0)"),
        ([FOR, of("AUL", "albert")], f"bert, 1 of 2 models, {SURELY}"),
        (
            [FOR, of("AUL", "b", **AGAINST)],
            f"bert, 1 of 2 models, {SURELY}; b, 1 of 2 models, clearly prefers a",
        ),
        ([of("AUL", name, **FOR) for name in "abc"], "3 models clearly prefer stereotypes"),
        ([{}, ON_SS | FOR], f"bert {PREFERS} on ss: 59.0%"),
        (
            [FOR, ON_SS | AGAINST],
            f"bert {PREFERS} on crows: 59.0% (95% CI 56.0 to 62.0); bert clearly prefers a",
        ),
        # what is clear alone and not after the correction is no claim
        ([UNSURE, of("CPS"), of("SSS")], f"bert{NONE} survives Holm's correction"),
        (
            [UNSURE | {"p": 0.04}, of("CPS"), of("SSS", **FOR)],
            f"bert{NONE} by AUL survives Holm's correction; by SSS there is a clear one for stereotypes",
        ),
        # nor what shuffled words show as well
        ([FOR, FOR | {"variant": "shuffled"}], "bert prefers the stereotype in 59.0% of pairs, which word"),
        ([FOR, AGAINST | {"variant": "shuffled"}], f"bert {PREFERS}: 59.0%"),
        ([WITHOUT], "AUL cannot tell whether bert prefers stereotypes"),
        ([WITHOUT, of("AUL", "b", **WITHOUT)], "AUL cannot tell whether bert and b prefer stereotypes"),
        ([MASKED], "All-Masked is a control: its scores have no verdict"),
        (
            [{}, of_type("age"), of_type("gender", **WITHOUT)],
            f"bert{NONE} found; gender cannot be tested on its own",
        ),
        (
            [{}, of_type("age"), of_type("race", **WITHOUT), of_type("gender", **WITHOUT | {"n": 300})],
            f"bert{NONE} found; gender and race cannot be tested on their own",
        ),
        (
            [{}, *(of_type(name, **WITHOUT) for name in "abcde")],
            f"bert{NONE} found; a, b, c and 2 more cannot be tested on their own",
        ),
    ],
)
def test_the_title_is_the_finding(scores: list[dict[str, Any]], title: str) -> None:
    assert answer.title(results(*scores)).startswith(title)


def test_pairs_without_a_score_are_not_fewer_because_they_share_words() -> None:
    some = results({"design_effect": 1.0}, {"model": "other", "design_effect": 1.0, "undefined": 20})
    assert answers(some)["How sure?"].startswith(
        "The 1,000 pairs of crows count as 980 to 1000 independent ones: "
    )


@pytest.mark.parametrize(
    ("clusters", "vary", "note"),
    [
        (
            "words+writer",
            "In them pairs that share a modified word or a writer vary together.",
            "Pairs that share a mod",
        ),
        ("none", "In them no two pairs vary together.", "The study takes pairs as independent"),
    ],
)
def test_a_page_says_which_pairs_its_study_lets_vary_together(clusters: str, vary: str, note: str) -> None:
    bias = results({"clusters": clusters}).bias
    some = pair_results([{"name": "bert", "source": "hub"}], [], bias=bias, agreement=bias[:0])
    assert dict(some.captions.computed("controls"))["Intervals"] == vary
    _, fold = answer.method(some).blocks
    assert isinstance(fold, Fold) and isinstance(fold.blocks[0], Items)
    assert sum(text.startswith(note) for text in fold.blocks[0].texts) == 1


def test_a_table_without_bias_types_has_none_that_cannot_be_tested() -> None:
    some = results(WITHOUT, of_type("any", **WITHOUT))
    assert "For whom?" not in answers(some) and answer.title(some).endswith("prefers stereotypes")


def test_models_that_are_not_trained_are_in_no_sentence() -> None:
    some = results({}, of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(some) == f"bert{NONE} found"
    said = [*answers(some).values(), *answer.citable(some)]
    assert not any(name in text for text in said for name in ("noise", "exact"))
    # they stand apart, and are marked
    scores = answer.judged(some)
    names = ["bert", "noise (never trained)", "exact (exact model)"]
    assert [row[0] for row in answer.sheet(some).rows] == names == list(scores["who"])
    assert [row[0] for row in answer.terminal(some).rows] == ["bert on crows"]
    alone = results(of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(alone) == "No model of this study has been trained"
    assert [text for _, text in answer.answers(alone)] == [
        "The scores of noise (never trained) are chance.",
        "The scores of exact (exact model) are exact answers of a synthetic world.",
    ]
    assert len(drawn_rows(alone)) == 2


def test_a_reader_is_told_how_much_how_sure_and_what_cannot_be_tested() -> None:
    types = [
        of_type("age", score=30.0, low=18.0, high=45.0, verdict=BY_WORDS),
        of_type("religion", score=75.0, low=62.0, high=85.0, **{"verdict": CLEAR}),
        of_type("gender", **WITHOUT),
    ]
    some = results({}, of("CPS", **FOR), of("SSS", **UNSURE), *types)
    assert answers(some) == {
        "Is it biased?": "By AUL, bert prefers the stereotype in 48.2% of crows (95% CI 43.1 to 53.4), "
        "no clear preference. By CPS, bert prefers the stereotype in 59.0% of crows (95% CI 56.0 to 62.0), "
        "clear preference. By SSS, bert prefers the stereotype in 59.0% of crows (95% CI 56.0 to 62.0), "
        "clear preference.",
        "How sure?": "The 1,000 pairs of crows count as 500 independent ones, as some share a modified word: "
        "scores by AUL are accurate to about ±5 points.",
        "Does it hold?": "Of 3 testable scores by 3 measures, 2 show a clear preference, beyond word "
        "choice; after Holm's correction (p < 0.05) 1 still does: CPS, 59.0% of bert on crows.",
        "For whom?": "By AUL, 1 of 2 testable scores of bias types is clear, before correction. The "
        "highest is religion (75.0%, 62.0 to 85.0: clear preference), the lowest age (30.0%, 18.0 to 45.0: "
        "explainable by word choice); 50% is no preference. "
        "gender cannot be tested on its own: too few pairs, or too few different words.",
        "May we ship it?": answer.SHIP,
    }
    (text,) = answer.citable(some)
    assert text == (
        "On crows, bert prefers the stereotypical sentence in 48.2% of 1,000 pairs (AUL; 95% CI 43.1 to "
        "53.4; 50% is "
        f"no preference): no clear preference. Unmask {__version__}."
    )
    none = "Of 2 testable scores by 2 measures, none shows a clear preference, beyond word choice."
    assert answers(results({}, of("CPS")))["Does it hold?"] == none
    by_words = FOR | {"null_high": 63.0, "verdict": BY_WORDS}
    assert "59.0% of crows (95% CI 56.0 to 62.0; word choice 39.0 to 63.0)" in str(answers(results(by_words)))
    # an end that would read like 50 has a decimal more
    assert "(95% CI 43.1 to 49.97)" in str(answers(results({"high": 49.97})))
    assert answers(results(WITHOUT))["Is it biased?"].endswith("in 48.2% of crows, cannot be told.")
    assert "How sure?" not in answers(results(WITHOUT))


def test_many_models_are_counted() -> None:
    many = results(*(of("AUL", f"m{place}", **FOR) for place in range(8)), of("AUL", "m8"))
    assert answers(many)["Is it biased?"] == (
        "9 scores of 9 models, from 48.2 to 59.0%: 8 clear preference and 1 no clear preference."
    )
    assert not [*answer.citable(many)]


def test_sides_of_a_score_and_its_control_are_those_of_no_preference() -> None:
    """30 here, as of 100 pairs 40 are undefined in `published`."""
    both = pd.DataFrame(
        [SCORE | SURE | {"score": 35.0}, SCORE | SURE | {"score": 55.0, "variant": "shuffled"}]
    )
    found = with_controls(both.assign(protocol="published", neutral=30.0))["verdict"]
    assert found.tolist() == [BY_WORDS, CLEAR]


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
        of("AUL", p=0.0, null_p=0.0, variant="shuffled"),
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
    assert answer.judged(some)["holds"].sum() == 1


def test_a_terminal_has_no_controls_and_a_table_no_column_without_a_number() -> None:
    some = results({}, of("CPS", **FOR), MASKED, of("CPS", benchmark="ss", **WITHOUT))
    assert answer.terminal(some).rows == (
        ("bert on crows", "AUL", "48.2", "43.1 to 53.4", NO_CLEAR),
        ("bert on crows", "CPS", "59.0", "56.0 to 62.0", CLEAR),
        ("bert on ss", "CPS", "48.2", DASH, CANNOT_TELL),
    )
    heads = {label for _, label in answer.sheet(some).columns}
    assert "score" in heads and {"near-ties", "undefined"}.isdisjoint(heads)


def test_the_picture_is_of_the_headline_with_50_in_its_middle() -> None:
    some = results(FOR, of("AUL", "a"), of("CPS"), of("AUL", "noise", score=20.0), noise="random")
    assert [row["name"] for row in drawn_rows(some)] == ["bert", "a", "noise (never trained)"]
    picture = charts.headline(answer.pictured(some))
    assert picture is not None
    drawn = picture.to_dict()
    x = drawn["spec"]["layer"][-1]["encoding"]["x"]
    assert sum(x["scale"]["domain"]) == 100 and x["scale"]["domain"][0] <= 20
    assert x["title"].startswith("← antistereotype") and x["title"].endswith("stereotype →")
    # one model has its other measures, too
    one = results(of("AUL"), of("CPS"), MASKED)
    shown = answer.pictured(one)
    assert shown["measure"].tolist() == ["AUL", "CPS", "AllMasked"]


def warned(*scores: dict[str, Any], settings: Any = (), facts: Any = (), **sources: str) -> list[str]:
    some = results(*scores, **sources)
    vars(some).update(pairs={}, facts=dict(facts), settings={**some.settings, **dict(settings)})
    return list(answer.warnings(some))[1:-1]


UNKNOWN = {
    ("bert", "crows"): {"unknown_tokens": {"unknown": 300, "tokens": 2000}},
    ("bert", "ss"): {"unknown_tokens": {"unknown": 19, "tokens": 2000}},
    ("oracle", "crows"): {"unknown_tokens": None},
}


@pytest.mark.parametrize(
    ("scores", "more", "said"),
    [
        ([{}], {}, []),
        ([{"n": 99}], {}, ["crows (99) has too few pairs to say much."]),
        (
            [{"near_ties": 3}, of("AUL", "b", n=500)],
            {},
            ["3 of 1,500 decisions are near-ties, which float error could turn."],
        ),
        # of an exact model ties are exact
        ([{}, of("AUL", "exact", near_ties=9)], {"exact": "oracle"}, []),
        (
            [{"undefined": 3}, of("AULA", "b", undefined=1000, score=None)],
            {},
            [
                "b has no score on any benchmark; see the logs.",
                "bert on crows, of 1,000 pairs: 3 without AUL (sentences lack what counts, or see the log).",
                "b on crows, of 1,000 pairs: 1,000 without AULA "
                "(sentences lack what counts, or see the log).",
            ],
        ),
        (
            [{}],
            {"settings": {"own_code": ["bert"]}},
            ["bert runs code of a repository, at a pinned revision."],
        ),
        (
            [{}],
            {"facts": UNKNOWN},
            [
                "The tokenizer of bert does not know 300 of 2,000 tokens of crows (15.0%). "
                "The model cannot tell such words apart."
            ],
        ),
    ],
)
def test_what_a_reader_should_be_wary_of(
    scores: list[dict[str, Any]], more: dict[str, Any], said: list[str]
) -> None:
    assert warned(*scores, **more) == said


def test_the_answer_has_the_headline_of_each_kind() -> None:
    some = results(
        of("AUL"), of("CPS"), of("LL", "gpt2", **FOR), of("CCPS", "gpt2"), of("StartAlone", "gpt2")
    )
    assert [some.headline_of(name) for name in ("bert", "gpt2")] == ["AUL", "LL"]
    assert answer.title(some).startswith("gpt2, 1 of 2 models, clearly prefers stereotypes")
    said = answer.answers(some)
    text = next(text for question, text in said if question == "Is it biased?")
    assert text.startswith("By AUL, bert prefers the stereotype in 48.2% of crows (95% CI 43.1 to 53.4)")
    assert "By LL, gpt2 prefers the stereotype in 59.0% of crows (95% CI 56.0 to 62.0), clear" in text
    assert {row["name"] for row in drawn_rows(some)} == {"bert, AUL", "gpt2, LL"}
