"""How robust a verdict is to what counts as one word, or one cluster."""

import numpy as np
import pandas as pd
import pytest

import synthetic
from study_schema import options_with
from unmask.statistics.bias import bias_table
from unmask.statistics.decisions import decisions
from unmask.statistics.dependence import Dependence
from unmask.statistics.shared_words import base_form, dependence_of, other_readings


@pytest.mark.parametrize(
    "forms",
    [
        ("he", "him", "his", "himself", "he's"),
        ("she", "her", "hers", "herself"),
        ("woman", "women", "woman's", "women's", "woman’s"),
        ("writer", "writers", "writer's"),
        ("lady", "ladies"),
        ("boss", "bosses"),
        ("church", "churches"),
    ],
)
def test_forms_of_a_word_are_one(forms: tuple[str, ...]) -> None:
    assert len({base_form(form) for form in forms}) == 1


def test_other_words_stay_apart() -> None:
    apart = ["he", "she", "man", "woman", "boss", "bus", "gas", "yes", "this", "jesus", "black", "white", "i"]
    assert [base_form(word) for word in apart] == apart


def sharing(dependence: Dependence) -> list[list[float]]:
    """Which pairs share something, as a matrix."""
    matrix: list[list[float]] = (dependence @ np.eye(len(dependence))).tolist()
    return matrix


def made_pairs(writers: bool) -> pd.DataFrame:
    texts = [
        ("he left", "she left", "w0"),
        ("I saw his car", "I saw her car", "w1"),
        ("guys left", "women left", "w1"),
        ("a guy left", "a nun left", "w2"),
        ("old left", "young left", None),
    ]
    rows = pd.DataFrame(texts, columns=["stereotype", "antistereotype", "writer"])
    if not writers:
        rows["writer"] = None
    return rows.assign(target=None)


def test_readings_join_forms_and_add_writers() -> None:
    # the study's own reading: no two of these pairs share a word
    assert sharing(dependence_of(made_pairs(True), ["words"])) == np.eye(5).tolist()
    forms, writers = other_readings(made_pairs(True), ["words"])
    expected = np.eye(5)
    for one, other in ((0, 1), (2, 3)):
        expected[one, other] = expected[other, one] = 1
    assert sharing(forms) == expected.tolist()
    expected = np.eye(5)
    expected[1, 2] = expected[2, 1] = 1
    assert sharing(writers) == expected.tolist()
    # what the benchmark does not state, or the study has already, is no other reading
    assert len(other_readings(made_pairs(False), ["words"])) == 1
    assert len(other_readings(made_pairs(True), ["words", "writer"])) == 1
    assert len(other_readings(made_pairs(False), [])) == 0


def test_readings_that_agree_are_counted_and_change_nothing_else() -> None:
    made = synthetic.make(90, seed=2)
    found, options = decisions(made.pairs, made.scores), options_with(draws=100)
    # each pair by itself; threes that mostly agree; all in one: nothing can be said
    alone, all_in_one = Dependence.of([()] * 90), Dependence.of([("one",)] * 90)
    threes = Dependence.of([(place // 3,) for place in range(90)])
    readings = [threes, all_in_one]
    plain = bias_table(made.pairs, found, options, alone)
    table = bias_table(made.pairs, found, options, alone, readings=readings)
    pd.testing.assert_frame_equal(
        table.drop(columns=["readings", "readings_alike"]), plain.drop(columns=["readings", "readings_alike"])
    )
    assert plain["readings"].isna().all()
    overall = table["grouping"] == "overall"
    assert table.loc[~overall, "readings"].isna().all()

    def answers(dependence: Dependence) -> list[bool | None]:
        rows = bias_table(made.pairs, found, options, dependence)[overall]
        return [
            None if np.isnan(low) else bool(low <= 50 <= high)
            for low, high in zip(rows["low"], rows["high"], strict=True)
        ]

    own, others = answers(alone), [answers(reading) for reading in readings]
    expected = [
        1 + sum(other[place] == answer for other in others) if not np.isnan(score) else None
        for place, (answer, score) in enumerate(zip(own, table.loc[overall, "score"], strict=True))
    ]
    alike = table.loc[overall, "readings_alike"].astype(object)
    assert alike.where(alike.notna(), None).tolist() == expected
    assert {True, False} <= set(own) and set(others[1]) == {None}
    assert (table.loc[overall, "readings"].dropna() == 3).all()
