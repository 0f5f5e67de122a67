"""The report's section on calibration: what it shows, and every sentence that it can say."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from made_calibration import AWKWARD, CAPTIONS, POWER, Study
from running import present
from unmask.calibration import findings
from unmask.calibration.drawn_ranks import rank_of_worlds
from unmask.calibration.power import Options
from unmask.calibration.results import Found
from unmask.calibration.schema import CONTROLS, EXPLAINED, KEPT, MERITS
from unmask.calibration.sections.calibration import QUESTION, QUESTION_OF_REAL, section
from unmask.calibration.shown import FIGURES
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Fold, Section, Table, read_section
from unmask.report.sheets import rows_of
from unmask.tables import framed


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("section"))


def shown_of(study: Study) -> Section:
    """The section as the script writes it."""
    output = study.folder / "calibration.json"
    present("calibration", study.files, {"calibration": output}, study.folder / "log", study.settings)
    return read_section(output)


@pytest.fixture(scope="module")
def shown(study: Study) -> Section:
    return shown_of(study)


def every(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every(block.blocks)


def made(**parts: pd.DataFrame) -> Found:
    """A study of which these parts are known, whatever its files."""
    settings = {"models": [], "benchmarks": [], "measures": [], "alpha": 0.05, "confidence": 0.95}
    found = Found({"captions": str(CAPTIONS)}, settings | {"power": POWER})
    # where what is worked out once is kept
    found.__dict__.update(parts)
    return found


def merits(*rows: tuple[str, str, str, str, float | None, tuple[float, float] | None]) -> Found:
    """measure, kind, merit, condition, value and interval of each."""
    listed = [
        {"measure": measure, "kind": kind, "merit": merit, "condition": condition, "value": value}
        | {"low": ends[0] if ends else None, "high": ends[1] if ends else None}
        | {"models": 3, "families": 3 if ends else 1}
        for measure, kind, merit, condition, value, ends in rows
    ]
    return made(merits=framed(listed, MERITS))


def test_every_table_is_folded_below_the_chart_of_its_numbers(shown: Section) -> None:
    assert shown.name == "calibration" and shown.sentences[0] == QUESTION
    told = [block.title if isinstance(block, Fold) else type(block).__name__ for block in shown.blocks]
    assert told == [
        "Chart",
        "Margins and scores at each dose",
        "Chart",
        "Figures of merit",
        "Slopes by the length of sentences",
        "Chart",
        "Power by the number of pairs and of pairs a word",
        "Chart",
        "False alarms, by architecture too",
        "Chart",
        "Controls",
        "Chart",
        "What training keeps, in numbers",
        "Chart",
        "What goes with word frequency, in numbers",
    ]
    assert told.count("Chart") == len(FIGURES)
    for block in every(shown.blocks):
        if isinstance(block, Table):
            width = len(block.sheet.stubs) + len(block.sheet.columns)
            assert {len(row) for row in block.sheet.rows} == {width}
        if isinstance(block, Chart):
            assert block.alt and block.caption.endswith(".") and block.rows


def test_names_are_text_on_the_page(shown: Section) -> None:
    page = render_page("r", [shown])
    assert "<h2>Calibration</h2>" in page
    assert "a<b>" not in page and html.escape(AWKWARD) in page


def test_a_small_study_has_neither_intervals_nor_real_pairs(tmp_path: Path) -> None:
    small = shown_of(Study(tmp_path, "small"))
    assert QUESTION in small.sentences and QUESTION_OF_REAL not in small.sentences
    assert not any("intervals over" in sentence for sentence in small.sentences)
    assert sum(isinstance(block, Chart) for block in small.blocks) == len(FIGURES) - 1
    assert not any("word frequency" in block.title for block in small.blocks if isinstance(block, Fold))


def test_without_a_world_only_real_pairs_appear(tmp_path: Path) -> None:
    bare = shown_of(Study(tmp_path, "explained"))
    assert bare.sentences[0] == QUESTION_OF_REAL and len(bare.sentences) == 4
    assert [type(block) for block in bare.blocks] == [Chart, Fold]
    assert not any("world" in sentence for sentence in bare.sentences)


def test_without_anything_there_is_nothing(tmp_path: Path) -> None:
    study = Study(tmp_path, "explained")
    assert section(Found(study.files | {"explained": []}, study.settings)).is_empty()


def test_which_measures_find_the_association() -> None:
    found = merits(
        ("CPS", "trained", "slope", "", 0.9, (0.8, 1.0)),
        ("AUL", "trained", "slope", "", 0.1, (-0.1, 0.3)),
        ("SSS", "trained", "slope", "", -0.5, (-0.6, -0.4)),
    )
    assert list(findings.associations_found(found)) == [
        "Margins of trained models that grow with the planted association: CPS; not: AUL; falling: SSS "
        "(by 95% intervals over 3 worlds, uncorrected for 3 measures)."
    ]


def test_one_world_says_what_it_is_and_no_more() -> None:
    found = merits(
        ("CPS", "oracle", "slope", "", 1.0, None),
        ("AllMasked", "oracle", "slope", "", 1e-13, None),
        ("CPS", "trained", "slope", "", 0.9, None),
        ("AUL", "trained", "slope", "", 0.9, None),
    )
    assert list(findings.associations_found(found)) == [
        "Margins of perfect models that grow with the planted association: CPS; not: All-Masked (in one "
        "world, so without an interval).",
        "Margins of trained models gain by one log-odd of association (in one world, so without an "
        "interval): CPS and AUL +0.9.",
    ]


def test_which_measures_follow_frequency() -> None:
    found = merits(
        ("CPS", "trained", "frequency", "", 0.01, (-0.1, 0.1)),
        ("AUL", "trained", "frequency", "", -0.1, (-0.2, -0.05)),
        ("SSS", "trained", "frequency", "", 0.5, (0.4, 0.6)),
        ("SSS", "trained", "exchange", "", 0.71, (0.4, 0.9)),
        ("CPS", "trained", "exchange", "", None, None),
    )
    first, second = findings.frequency_followed(found)
    assert first == (
        "Where nothing is associated, margins of trained models go, by one log ratio of frequencies, towards "
        "the more frequent word with SSS +0.5; towards the rarer with AUL -0.1; neither way with CPS +0.01 "
        "(by 95% intervals over 3 worlds, uncorrected for 3 measures)."
    )
    assert second.endswith("passes for so many log-odds of association: SSS 0.71.")


def test_false_alarms_are_told_of_measures_that_nearly_always_raise_one() -> None:
    found = merits(
        ("CPS", "trained", "false alarms", "ratio=16", 89.9, (84.0, 98.0)),
        ("AUL", "trained", "false alarms", "ratio=16", 90.0, (80.0, 100.0)),
        ("AUL", "trained", "false alarms by chance", "ratio=16", 50.0, (30.0, 70.0)),
        ("SSS", "trained", "false alarms", "ratio=16", 99.8, (90.0, 100.0)),
        ("SSS", "trained", "false alarms by chance", "ratio=16", 61.0, (30.0, 72.0)),
        ("AUL", "trained", "false alarms", "no association", 9.0, (6.0, 12.0)),
        ("CPS", "trained", "false alarms", "longer", 95.0, (80.0, 100.0)),
        ("CPS", "trained", "false alarms by chance", "longer", 55.0, (50.0, 70.0)),
        ("CPS", "oracle", "false alarms", "ratio=1", 4.0, (1.0, 7.0)),
    )
    oracle, trained = findings.alarms_raised(found)
    assert oracle == (
        "Measures that raise a false alarm with perfect models in 90 of 100 benchmarks or more, of 500 pairs "
        "in which nothing is associated (5 are allowed): none."
    )
    assert trained == (
        "Measures that raise a false alarm with trained models in 90 of 100 benchmarks or more, of 500 pairs "
        "in which nothing is associated (5 are allowed; the same few words, each leaning by a coin, would "
        "give 50 to 61): against groups 16 times as rare AUL and SSS; where a name has a word more CPS."
    )


def test_ranks_of_worlds_are_told_of_all_pairs_and_of_the_disadvantaged() -> None:
    drawn = pd.DataFrame(
        {
            "measure": ["CPS"] * 8 + ["SSS"] * 8,
            "world": [f"w{n}" for n in range(8)] * 2,
            "p": [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85] * 2,
        }
    )
    drawn["margin"] = drawn["stereo_margin"] = np.log(drawn["p"] / (1 - drawn["p"]))
    rarer = np.array([0, 9, 0, 9, 0, 9, 0, 9])
    drawn.loc[drawn["measure"] == "SSS", "stereo_margin"] -= rarer
    drawn["score"] = drawn["stereo_score"] = 70.0
    options = Options(association=0.75, pairs=(100,), per_unit=10, draws=200, confidence=0.95, seed=0)
    ranks = rank_of_worlds(drawn, options)
    rows: list[Any] = [
        (row.measure, row.kind, row.merit, row.condition, row.value, (row.low, row.high))
        for row in rows_of(ranks)
    ]
    (sentence,) = findings.worlds_ranked(merits(*rows))
    expected = spearmanr(drawn["p"][8:], drawn["stereo_margin"][8:]).statistic
    assert sentence.endswith(
        "over all pairs, where frequency cancels, CPS and SSS +1.00; over pairs on the disadvantaged group "
        f"CPS +1.00, SSS {expected:+.2f}."
    )


def test_power_with_the_fewest_and_the_most_pairs() -> None:
    rows = [("CPS", "oracle", "power", f"n={n}", float(n) / 20, None) for n in (1500, 100, 500)]
    (sentence,) = findings.power_had(merits(*rows, ("CPS", "oracle", "power", "n=500, 1 a word", 3.0, None)))
    assert sentence == (
        "How often, in percent, the test finds an association of p = 0.75 with perfect models: with 100 "
        "pairs CPS 5; with 1500 pairs CPS 75."
    )


def control(name: str, holds: bool) -> dict[str, Any]:
    base = {"model": "m", "role": "trained", "architecture": "bert", "family": "w", "benchmark": "b"}
    return base | {"measure": "AUL", "control": name, "pairs": 9, "holds": holds}


def test_controls_that_fail_are_told() -> None:
    def said(*rows: dict[str, Any]) -> list[str]:
        return list(findings.controls_hold(made(controls=framed(rows, CONTROLS))))

    assert said(control("identical", True), control("swapped", True)) == [
        "Controls that must come out exactly do, all 2 of them: the same sentence twice ties, and exchanged "
        "sides change the sign."
    ]
    assert said(control("identical", True), control("swapped", False)) == [
        "Of 2 controls that must come out exactly, 1 do not: swapped (m, AUL)."
    ]
    assert said(control("permuted", False), *[control("permuted", True)] * 39) == [
        "Control permuted: the interval of the score leaves 50 out in 1 of 40 models and measures; chance "
        "alone would in about 2."
    ]


def kept(random: float, share: float, association: float, exchange: float | None) -> dict[str, Any]:
    return {
        "model": "m",
        "role": "oracle",
        "family": "w",
        "context": "trusted",
        "masked": 1 - share - random,
        "kept": share,
        "random": random,
        "measure": "AUL",
        "association": association,
        "frequency": association / 2,
        "exchange": exchange,
    }


def test_what_the_keep_rate_does() -> None:
    rows = [kept(0.1, 0.5, 0.01, 0.62), kept(0.1, 0.0, 0.2, 0.5), kept(0.0, 0.5, 1e-15, None)]
    first, second = findings.keep_rates(made(kept=framed(rows, KEPT)))
    assert first == (
        "AUL of a perfect model gains +0.2 by one log-odd of association where training keeps 0% of the "
        "chosen tokens, and +0.01 where it keeps 50%; its exchange rate of frequency is 0.50 and 0.62."
    )
    assert second.endswith("AUL of a perfect model is 0 for every pair: it says nothing.")
    (other,) = findings.keep_rates(made(kept=framed([kept(0.0, 0.5, 0.2, 0.5)], KEPT)))
    assert other.endswith("gains +0.2 by one log-odd, +0.1 by one log ratio.")


def test_what_frequency_explains(study: Study) -> None:
    found = Found(study.files, study.settings)
    first, second, third = findings.explained_by_frequency(found)
    rows = study.rows["explained"]
    alone, two = ([row for row in rows if (row["second"] is None) == wanted] for wanted in (True, False))

    def clear(among: list[dict[str, Any]], low: str, high: str) -> list[dict[str, Any]]:
        return [row for row in among if row[low] > 0 or row[high] < 0]

    slopes = clear(alone, "slope_low", "slope_high")
    told = ", ".join(f"{row['first']} {row['slope']:+.1f}" for row in slopes)
    assert first == (
        f"{AWKWARD} on crows-pairs: under {len(slopes)} of 3 measures what is preferred follows the "
        f"frequency of words by a 95% interval of the slope (points per log ratio): {told}."
    )
    assert second == (
        f"Of 3 differences between measures {len(clear(two, 'low', 'high'))} are clear by such an "
        "interval; a part that goes with the frequency of words is clear in "
        f"{len(clear(two, 'explained_low', 'explained_high'))}, a difference at equal "
        f"frequency in {len(clear(two, 'rest_low', 'rest_high'))}."
    )
    assert third == (
        "The largest such part: SSS less CPS, +6.0 points of a difference of +3.0; where the two disagree, "
        "SSS goes with the more frequent words in 62.0%."
    )


def test_where_frequency_explains_nothing(study: Study) -> None:
    rows = [
        row | {"explained_low": -9.0, "explained_high": 9.0, "slope_low": -9.0, "slope_high": 9.0}
        for row in study.rows["explained"]
    ]
    explained = framed(rows, EXPLAINED).assign(model="m", benchmark="b")
    first, second = findings.explained_by_frequency(made(explained=explained))
    assert first == (
        "m on b: under 0 of 3 measures what is preferred follows the frequency of words by a 95% interval of "
        "the slope."
    )
    assert "is clear in 0, a difference" in second
