"""The section on what was planted: sentences, picture, tables."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from library import (
    CAUSES,
    Chart,
    Fold,
    PairResults,
    Section,
    Table,
    Text,
    csv_text,
    judge,
    judgements,
    load_captions,
    read_section,
    sentences,
    strengths,
    verdicts,
    write_section,
)
from library import PAIRS_FINDINGS as FINDINGS
from library import PAIRS_PRESENTS as PRESENTS
from library import REPORT_VERDICTS as COLOURED
from library import judgement_charts as charts
from library import pairs_sections_planted_section as section
from test_pairs_judging import MADE, STUDY, made_bias

CAPTIONS = Path(__file__).parents[2] / "resources/pairs/captions.yaml"


def made(bias: pd.DataFrame, models: list[str], headline: str | None = None) -> PairResults:
    """Results of a study whose tables are there already."""
    results = PairResults({}, {"headline": headline, "measures": [*bias["measure"].unique()]})
    same = {"factor": "frequency", "p": 0.5, "ratio": 4, "direction": "stereo", "benchmark": "pairs"}
    row = {"model": "bert", "measure": "CPS", "pairs": 9, "score": 50.0, "margin": 0.1, "oracle": 0.0}
    vars(results).update(
        study=STUDY,
        captions=load_captions(CAPTIONS, confidence="95"),
        judgements=judge(STUDY, {"pairs": MADE}, bias, models),
        levels=pd.DataFrame([same | row]),
    )
    return results


@pytest.fixture
def results() -> PairResults:
    return made(made_bias(), ["bert", "even"])


def test_sentences_count_judgements(results: PairResults) -> None:
    assert sentences([*FINDINGS, *CAUSES], results) == (
        "AUL found the planted bias in 2 of 2 scores and saw a bias in 2 of 4 scores without one.",
        "Where only word frequency differs, AUL sees a false bias (2 of 2 scores); CPS does not (0 of 2).",
        "Of 2 scores with a planted bias, CPS found 0 and AUL 2.",
        "In 2 of 2 false or reversed scores, the exact model (oracle), which knows the true probabilities, "
        "errs likewise: the measure errs, not the model.",
        "After Holm's correction for 10 tests (p < 0.05), 2 of 2 found remain: AUL 2. None of the 2 "
        "false or reversed ones does: each rests on 10 pairs at most.",
    )


def test_scores_that_cannot_be_told_are_counted_by_themselves() -> None:
    leading = sentences(FINDINGS, made(made_bias(), ["bert"], "CPS"))[0]
    assert leading == (
        "CPS found the planted bias in 0 of 1 score and saw a bias in 0 of 1 score without one. 1 score "
        "cannot be tested."
    )


def test_sentences_are_short_with_as_many_measures_as_there_are(results: PairResults) -> None:
    names = ["AUL", "AULA", "CPS", "SSS", "PLL"]
    rows = results.judgements[results.judgements["measure"] == "AUL"]
    for fooled in range(6):
        of = [
            rows.assign(measure=name, judgement=rows["judgement"] if place < fooled else "right")
            for place, name in enumerate(names)
        ]
        vars(results)["judgements"] = pd.concat(of)
        for text in sentences([*FINDINGS, *CAUSES], results):
            assert all(len(part.split()) <= 25 for part in text.split(". ")), text


def test_the_study_may_name_the_measure_that_leads() -> None:
    for name, title in ((None, "AUL"), ("CPS", "CPS")):
        assert sentences(FINDINGS, made(made_bias(), ["bert"], name))[0].startswith(f"{title} ")


def test_scores_that_cannot_be_told_are_no_finding() -> None:
    bias = made_bias().assign(low=None, high=None)
    bias = bias.assign(verdict=verdicts(bias))
    assert sentences(FINDINGS, made(bias, ["bert"])) == (
        "None of 3 scores of trained models by AUL can be tested.",
    )


def test_a_measure_that_nothing_fools_is_said_to_be_so() -> None:
    bias = made_bias()
    found = sentences(FINDINGS, made(bias[bias["measure"] == "CPS"], ["bert"]))
    assert found[1] == "Where only word frequency differs, CPS does not see a bias (0 of 1 score)."


def blocks_of(section: Section, kind: type) -> list[Any]:
    return [block for block in section.every_block() if isinstance(block, kind)]


def test_a_picture_leads_and_tables_are_folded(results: PairResults, tmp_path: Path) -> None:
    made_section = section(results)
    assert made_section.heading.endswith("?") and made_section.sentences == sentences(FINDINGS, results)
    assert isinstance(made_section.blocks[0], Chart)
    below = [block.text for block in made_section.blocks if isinstance(block, Text)]
    assert tuple(below) == sentences(CAUSES, results)
    assert not [block for block in made_section.blocks if isinstance(block, Table)]
    *_, judged_fold, levels = blocks_of(made_section, Fold)
    assert len(judged_fold.blocks) == len(levels.blocks) == 1
    (chart,) = blocks_of(made_section, Chart)
    caption = chart.caption.split()
    assert caption[0] == "pairs." and "95%" in caption and len(caption) <= 40
    assert made_section.sentences[0] in chart.alt
    tables = blocks_of(made_section, Table)
    assert len(tables) == 2 and all(len(table.sheet.caption.split()) <= 40 for table in tables)
    write_section(tmp_path / "planted.json", made_section, {})
    assert read_section(tmp_path / "planted.json") == made_section


def test_the_picture_has_every_score_with_its_judgement(results: PairResults) -> None:
    drawn = charts.judgements(results)
    assert drawn is not None
    rows = drawn.to_dict()["datasets"]
    (data,) = rows.values()
    scores = results.judgements
    assert len(data) == len(scores) == 18
    assert {row["name"] for row in data} == {
        "association (gender)",
        "frequency (nationality)",
        "nothing (race-color)",
    }
    of = {(row["model"], row["panel"], row["bias_type"]): row["judgement"] for row in data}
    assert (
        of["bert", "AUL", "nationality"] == "fooled" and of["even", "CPS", "race-color"] == "cannot be told"
    )
    assert {row["exact"] for row in data if row["panel"] == "AUL"} == {80, 20, 60}
    # a panel for each measure, that which leads first
    leading = charts.judgements(made(made_bias(), ["bert"], "CPS"))
    assert leading is not None
    panels = [row["panel"] for row in next(iter(leading.to_dict()["datasets"].values()))]
    assert list(dict.fromkeys(panels)) == ["CPS", "AUL", "All-Masked"]
    assert charts.judgements(made(made_bias(), [])) is None


def test_judgements_look_the_same_whichever_there_are(results: PairResults) -> None:
    def scale(results: PairResults) -> tuple[list[str], list[str]]:
        drawn = charts.judgements(results)
        assert drawn is not None
        points = drawn.to_dict()["spec"]["layer"][-1]["encoding"]
        return points["color"]["scale"]["domain"], points["color"]["legend"]["values"]

    domain, listed = scale(results)
    vars(results)["judgements"] = results.judgements[results.judgements["judgement"] == "found"]
    fewer_domain, fewer = scale(results)
    assert domain == fewer_domain
    # only a clear preference has its verdict's colour and shape, and what is no verdict has its own
    looks = dict(zip(domain, COLOURED, strict=True))
    assert {each: looks[each] for each in listed} == {
        "found": "found",
        "right": "nothing",
        "missed": "missed",
        "fooled": "clear",
        "cannot be told": "not-told",
        "control": "control",
    }
    assert listed == ["found", "right", "missed", "fooled", "cannot be told", "control"]
    assert fewer == ["found", "right", "missed", "fooled"]


def test_the_table_has_a_row_a_score_and_measures_side_by_side(results: PairResults) -> None:
    numbers, sheet = judgements(results)
    assert csv_text(numbers).count("\n") == 1 + 18
    assert sheet.stubs == ("benchmark", "bias type", "planted", "model")
    assert sheet.rows[0] == (
        "pairs",
        "gender",
        "association (p 0.5 to 0.75)",
        "bert",
        "found: 80 (70 to 90); exact 80",
        "missed: 60 (40 to 80); exact 60",
        "control: 80 (70 to 90); exact 80",
    )
    assert sheet.rows[-1][-2] == "cannot be told: 60; exact 60"


def test_strengths_are_said_as_far_as_they_are_planted() -> None:
    rows = [
        {"planted": planted, "p_low": p, "p_high": p, "ratio_low": 1.0, "ratio_high": ratio}
        for planted, p, ratio in (
            ("association", 0.9, 1.0),
            ("both", 0.8, 8.0),
            ("frequency", 0.5, 1.5),
            ("nothing", 0.5, 1.0),
        )
    ]
    assert strengths(pd.DataFrame(rows)) == [
        "association (p 0.9)",
        "both (p 0.8, ratio 1 to 8)",
        "frequency (ratio 1 to 1.5)",
        "nothing",
    ]


def test_a_study_whose_models_learnt_nothing_of_it_has_levels_alone() -> None:
    nothing = made(made_bias(), [])
    made_section = section(nothing)
    assert made_section.sentences == ()
    assert [block.title for block in blocks_of(made_section, Fold)] == [
        "Scores and margins at every level of what was planted"
    ]
    drawn, without = PRESENTS.charts["planted"]
    assert drawn(nothing) is None and without.endswith(".")
