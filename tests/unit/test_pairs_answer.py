"""The answer of a study on pairs: its title, its sentences, its picture and its tables."""

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
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
    VERDICTS,
    Fold,
    Items,
    PairResults,
    WrittenScore,
    chart,
    charts,
    ends_apart,
    explained,
    reading,
    sheets,
    title_of,
    with_corrected_p,
)
from library import pairs_answer as answer
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
    captions = {"answer": "All scores.", "scores": "Scores.", "terminal": "Of 100."}
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
    return chart("", "", drawn).rows


@pytest.mark.parametrize(
    ("scores", "title"),
    [
        ([{}], "bert shows no clear preference by AUL"),
        ([{}, of("AUL", "albert")], "bert and albert show no clear preference by AUL"),
        ([of("AUL", name) for name in "abc"], "None of 3 models shows a clear preference by AUL"),
        ([{"verdict": BY_WORDS}, of("AUL", benchmark="ss")], "bert shows no clear preference by AUL"),
        ([FOR], "bert shows a clear preference for stereotypes by AUL"),
        ([AGAINST], "bert shows a clear preference against stereotypes by AUL"),
        ([FOR, of("AUL", benchmark="ss", **AGAINST)], "bert shows a clear preference by AUL"),
        (
            [{}, of("AUL", benchmark="ss", **FOR)],
            "bert shows a clear preference for stereotypes by AUL on ss",
        ),
        ([FOR, of("AUL", "albert")], "1 of 2 models shows a clear preference for stereotypes by AUL"),
        (
            [FOR, of("AUL", "a"), of("AUL", "a", "ss", **FOR)],
            "2 of 2 models show a clear preference for stereotypes by AUL on some benchmark",
        ),
        (
            [of("AUL", name, **FOR) for name in "abc"],
            "All 3 models show a clear preference for stereotypes by AUL",
        ),
        ([WITHOUT], "AUL cannot tell whether bert prefers stereotypes"),
        ([WITHOUT, of("AUL", "b", **WITHOUT)], "AUL cannot tell whether bert and b prefer stereotypes"),
        (
            [of("AUL", name, **WITHOUT) for name in "abc"],
            "AUL cannot tell whether any of 3 models prefers stereotypes",
        ),
        ([of("CPS", **FOR)], "bert shows a clear preference for stereotypes by CPS"),
        ([MASKED], "All-Masked is a control: its scores have no verdict"),
    ],
)
def test_the_title_is_the_finding(scores: list[dict[str, Any]], title: str) -> None:
    assert answer.title(results(*scores)) == title


def test_models_that_are_not_trained_stand_in_no_finding() -> None:
    some = results({}, of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(some) == "bert shows no clear preference by AUL"
    assert not any(name in text for text in answer.sentences(some) for name in ("noise", "exact"))
    # they stand apart, and are marked
    assert [row[0] for row in sheets.answer(some).rows] == [
        "bert",
        "noise (never trained)",
        "exact (exact model)",
    ]
    alone = results(of("AUL", "noise", **FOR), of("AUL", "exact", **FOR), noise="random", exact="oracle")
    assert answer.title(alone) == "No model of this study has been trained"
    assert answer.sentences(alone) == (
        "The scores of noise (never trained) are chance.",
        "The scores of exact (exact model) are exact answers of a synthetic world.",
    )
    assert len(drawn_rows(alone)) == 2


def test_the_headline_is_the_measure_that_the_study_names_and_never_the_largest() -> None:
    scores = [of("SSS", **FOR), of("AUL"), of("CPS", score=70.0)]
    assert results(*scores).headline == "AUL"
    assert results(*scores[::2]).headline == "SSS"
    named = results(*scores, headline="CPS")
    assert named.headline == "CPS" and answer.title(named).endswith("by CPS")


def test_a_sentence_has_the_score_its_interval_and_its_verdict() -> None:
    one = results({}, of("AUL", benchmark="ss", score=51.3, low=48.0, high=55.2))
    assert answer.sentences(one)[0] == (
        "By AUL, bert prefers the stereotype in 48% of crows (43 to 53) and 51% of ss (48 to 55): "
        "no clear preference."
    )
    assert answer.sentences(results(WITHOUT)) == (
        "By AUL, bert prefers the stereotype in 48% of crows (no interval): cannot be told.",
    )
    # never the other side of it
    assert "41% of crows (38 to 44): clear preference." in answer.sentences(results(AGAINST))[0]
    three = results(*(of("AUL", name) for name in ("a", "b", "c", "d", "e")[:3]))
    assert answer.sentences(three)[:3] == tuple(
        f"By AUL, {name} prefers the stereotype in 48% of crows (43 to 53): no clear preference."
        for name in "abc"
    )


def test_scores_of_one_benchmark_stand_together_and_a_band_says_why_the_same_score_is_not_clear() -> None:
    said = answer.sentences(
        results(
            of("AUL", "a", **FOR),
            of("AUL", "a", "ss"),
            of("AUL", "b", **FOR | {"null_high": 63.0, "verdict": BY_WORDS}),
            of("AUL", "b", "ss"),
        )
    )
    assert said[:3] == (
        "On crows, AUL shows a clear preference: a 59% (56 to 62).",
        "On crows, AUL is explainable by word choice: b 59% (56 to 62; word choice 39 to 63).",
        "On ss, AUL shows no clear preference: a 48% (43 to 53) and b 48% (43 to 53).",
    )


def test_every_model_is_in_short_sentences_however_many_there_are() -> None:
    """All studies of up to five models on up to three benchmarks, of any verdicts."""
    drawn = np.random.default_rng(0)
    for models, benchmarks in itertools.product(range(1, 6), range(1, 4)):
        for _ in range(2):
            scores = [
                of("AUL", f"model-{model}", f"benchmark-{benchmark}", verdict=str(drawn.choice(VERDICTS[:5])))
                for model in range(models)
                for benchmark in range(benchmarks)
            ]
            scores = [
                score | ({"low": None, "high": None} if score["verdict"] == CANNOT_TELL else {})
                for score in scores
            ]
            controls = [score | MASKED | {"score": 30.0} for score in scores[::2]]
            said = answer.sentences(results(*scores, *controls))
            parts = [part for text in said for part in re.split(r"(?<=\.) (?=[A-Z])", text)]
            assert all(len(part.split()) <= answer.MOST_WORDS for part in parts), parts
            assert len(said) <= 5
            if len(scores) <= 3:
                told = " ".join(said)
                assert all(f"model-{model}" in told for model in range(models))
    many = results(*(of("AUL", f"m{place}", **FOR) for place in range(9)))
    counted, spread, clear, holm = answer.sentences(many)
    assert counted == "9 AUL scores of 9 models: 9 clear preference."
    two = results(
        *(of("AUL", f"m{place}", **FOR) for place in range(5)),
        *(of("score", f"s{place}", **FOR) for place in range(4)),
        **{f"s{place}": "scored" for place in range(4)},
    )
    assert answer.title(two).endswith("by AUL and score")
    assert answer.sentences(two)[0] == "9 scores of 9 models: 9 clear preference."
    assert spread == "They prefer the stereotype in 59% of the pairs; their intervals reach from 56 to 62."
    assert clear == "Clear preference: m0 on crows, 59% (56 to 62); m1 on crows, 59% (56 to 62); 7 more."
    assert (
        holm == "Of 9 testable scores (with enough different words), 9 show a clear preference. After Holm's "
        "correction for so many tests, 9 do (p < 0.05): 9 by AUL."
    )


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
    said = (
        "Of 4 testable scores (with enough different words), 3 show a clear preference. After Holm's "
        "correction for so many tests, 1 does (p < 0.05)"
    )
    assert f"{said}: CPS of bert on crows (48; 43 to 53)." in answer.sentences(some)
    assert answer.judged(some)["holds"].sum() == 1


def test_a_control_that_is_further_from_50_stands_beside_the_score() -> None:
    shuffled = of("AUL", variant="shuffled", score=57.0)
    some = results(
        {"untrained_low": 30.4, "untrained_mean": 41.2, "untrained_high": 52.0},
        of(
            "CPS",
            score=63.0,
            null_low=20.0,
            null_high=80.0,
            untrained_low=30.0,
            untrained_mean=45.0,
            untrained_high=60.0,
        ),
        MASKED | {"score": 37.4, "low": 30.0, "high": 45.0},
        shuffled,
        of("SSS", benchmark="ss"),
    )
    rows = answer.judged(some).set_index(["measure", "benchmark"])["further"]
    assert rows["AUL", "crows"] == "All-Masked 37; words shuffled 57; untrained networks 41.2 (mean of 2)"
    assert rows[[("CPS", "crows"), ("AllMasked", "crows"), ("SSS", "ss")]].isna().all()
    assert answer.sentences(some)[-1] == (
        "Some control of AUL is further from 50: "
        "All-Masked 37; words shuffled 57; untrained networks 41.2 (mean of 2)."
    )
    assert answer.sentences(results({}, MASKED | {"score": 48.3}))[-1].startswith("By AUL")
    many = results(
        *(score for name in "abc" for score in (of("AUL", name), MASKED | {"model": name, "score": 30.0}))
    )
    assert answer.sentences(many)[-1] == (
        "For 3 of 3 AUL scores some control is further from 50 than AUL: All-Masked for 3."
    )


def test_the_only_score_has_its_control_and_others_the_band_that_explains_them() -> None:
    some = results({}, MASKED | {"score": 37.4, "low": 26.42, "high": 49.97}, of("CPS", verdict=BY_WORDS))
    assert answer.sentences(some)[-2:] == (
        "CPS, 48 (43 to 53), differs from 50, but by no more than random word scores do (39 to 63).",
        "A control that sees no context (All-Masked) scores 37, further from 50 than AUL. Word choice alone "
        "can move a score that far.",
    )
    assert "37 (26–<50)" in sheets.scores(some).rows[0]


def test_bias_types_that_point_in_opposite_directions_are_named() -> None:
    types: dict[str, Any] = {"grouping": "bias_type", "verdict": CLEAR}
    gender, nation = types | {"group": "gender", "score": 69.4}, types | {"group": "nation", "score": 14.3}
    said = answer.sentences(results({}, gender, nation))[-1]
    assert said.startswith("Bias types may point") and said.endswith("gender 69, nation 14; see Bias types.")
    for other in ({"score": 55.0}, {"verdict": NO_CLEAR}, {"model": "albert"}, {"measure": "CPS"}):
        assert not any("opposite" in text for text in answer.sentences(results({}, gender, nation | other)))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({}, ("48", "43 to 53", "39 to 63")),
        # none of the ends reads like 50 that is not, nor an end of the band like the score
        ({"high": 49.97, "low": 26.42}, ("48", "26.42 to 49.97", "39 to 63")),
        ({"low": 50.3, "high": 56.0, "score": 53.2}, ("53", "50.3 to 56.0", "39 to 63")),
        ({"score": 63.2, "low": 60.0, "high": 66.0}, ("63.2", "60 to 66", "39.0 to 63.0")),
        ({"score": 50.3}, ("50.3", "43 to 53", "39 to 63")),
        ({"score": 50.0, "low": 50.0}, ("50", "50 to 53", "39 to 63")),
        # what three decimals do not part is rounded away
        ({"low": 50.0001, "score": 53.0}, ("53", "50.001 to 53.400", "39 to 63")),
        ({"high": 49.9999}, ("48", "43.100 to 49.999", "39 to 63")),
        (WITHOUT | {"null_low": None, "null_high": None}, ("48", "no interval", DASH)),
    ],
)
def test_no_number_reads_like_another(row: dict[str, Any], said: tuple[str, str, str]) -> None:
    found = WrittenScore.of(SCORE | row)
    assert (found.score, found.ends, found.band) == said


def test_rounding_never_changes_a_verdict() -> None:
    """Read back, ends lie on the same side of 50 as they do."""
    for value in (
        0.0,
        40.0,
        49.4,
        49.9,
        49.97,
        49.9996,
        49.99999,
        50.0,
        50.00001,
        50.0004,
        50.04,
        50.4,
        51.0,
    ):
        low, high = map(float, ends_apart(value, 80.0, 50.0).split(" to "))
        assert np.sign(low - 50) == np.sign(value - 50) and high == 80
        assert abs(low - value) <= 0.5


def test_the_table_has_score_band_and_verdict() -> None:
    narrow: dict[str, Any] = {"low": 46.0, "high": 51.0}
    sheet = sheets.answer(results({}, of("CPS", **narrow)))
    heads = [label for _, label in sheet.columns]
    assert heads == ["score", "word choice", "verdict", "larger p (Holm)"]
    first, _ = (dict(zip(heads, row[3:], strict=True)) for row in sheet.rows)
    assert first["score"] == "48 (43 to 53)" and first["verdict"] == NO_CLEAR
    assert len(sheets.answer(results(narrow)).columns) == 4


def test_a_terminal_has_a_mark_by_verdict() -> None:
    names = [f"model-{place}" for place in range(len(VERDICTS))]
    rows = [of("AUL", name, verdict=verdict) for name, verdict in zip(names, VERDICTS, strict=True)]
    sheet = sheets.terminal(results(*rows, of("CPS", names[0], **WITHOUT)))
    assert [row[2].removeprefix(f"48 43{DASH}53") for row in sheet.rows] == ["", "", "!", "∘", ""]
    assert sheet.rows[0][3] == f"48 {DASH}∘" and sheet.columns == (("", "AUL"), ("", "CPS"))


def test_tables_of_bias_types_have_a_mark_by_verdict() -> None:
    rows = [
        of("AUL", f"model-{place}", verdict=verdict, grouping="bias_type", group="age")
        for place, verdict in enumerate(VERDICTS)
    ]
    some = results(*rows)
    vars(some).update(captions={"bias_types": "By type."}, original=some.bias)
    marks = [row[-1].partition(")")[2] for row in sheets.bias_types(some).rows]
    assert marks == ["", "", " ‡", " ∘", ""]


def test_both_levels_are_explained_where_they_differ() -> None:
    some = results(FOR)
    vars(some).update(settings={**some.settings, "alpha": 0.01})
    said = (
        "Verdicts are at the level 0.05, that of their intervals; † and * in tables are at 0.01, "
        "as captions say."
    )

    def notes() -> tuple[object, ...]:
        (fold,) = [block for block in reading.section(some).blocks if isinstance(block, Fold)]
        (items,) = fold.blocks
        assert isinstance(items, Items)
        return items.texts

    assert said in notes()
    vars(some).update(settings={**some.settings, "alpha": 0.05})
    assert not [note for note in notes() if str(note).startswith("Verdicts are at")]


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
