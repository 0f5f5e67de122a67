"""The section on calibration: what it shows, and the numbers of every sentence that it can say."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from calibration_studies import AWKWARD, CAPTIONS, POWER, Study
from page_words import check_first_sentence
from running import present
from unmask.calibration.artifacts import FIGURES
from unmask.calibration.findings import FINDINGS
from unmask.calibration.metrics import rank_of_worlds
from unmask.calibration.power import Options
from unmask.calibration.results import CalibrationResults
from unmask.calibration.schema import CONTROLS, EXPLAINED, KEPT, METRICS
from unmask.calibration.sections.calibration import section
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Fold, Section, Table, read_section
from unmask.report.sheets import number, rows_of
from unmask.tables import framed


def section_of(study: Study) -> Section:
    """The section as the script writes it."""
    output = study.folder / "calibration.json"
    present("calibration", study.files, {"calibration": output}, study.folder / "log", study.settings)
    return read_section(output)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Study(tmp_path_factory.mktemp("section"))


@pytest.fixture(scope="module")
def whole(study: Study) -> Section:
    return section_of(study)


def every(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every(block.blocks)


def results_of(**parts: pd.DataFrame) -> CalibrationResults:
    """A study of which these parts are known, whatever its files."""
    settings = {"models": [], "benchmarks": [], "measures": [], "alpha": 0.05, "confidence": 0.95}
    results = CalibrationResults({"captions": str(CAPTIONS)}, settings | {"power": POWER})
    # where a cached property keeps what it has computed
    results.__dict__.update(parts)
    return results


def metrics(*rows: tuple[str, str, str, str, float | None, tuple[float, float] | None]) -> CalibrationResults:
    """measure, kind, metric, condition, value and interval of each."""
    frame = [
        {"measure": measure, "kind": kind, "merit": metric, "condition": condition, "value": value}
        | {"low": ends[0] if ends else None, "high": ends[1] if ends else None}
        | {"models": 3, "families": 3 if ends else 1}
        for measure, kind, metric, condition, value, ends in rows
    ]
    return results_of(metrics=framed(frame, METRICS))


def said(name: str, results: CalibrationResults) -> list[str]:
    """The sentences of one finding."""
    (finding,) = (finding for finding in FINDINGS if finding.name == name)
    return list(finding.sentences(results))


def test_every_chart_is_there_and_the_tables_of_its_numbers_are_below_it(whole: Section) -> None:
    assert whole.name == "calibration"
    check_first_sentence(whole)
    kinds = [type(block) for block in whole.blocks]
    charts = [place for place, kind in enumerate(kinds) if kind is Chart]
    assert len(charts) == len(FIGURES) and all(kinds[place + 1] is Fold for place in charts)
    for block in every(whole.blocks):
        if isinstance(block, Table):
            width = len(block.sheet.stubs) + len(block.sheet.columns)
            assert {len(row) for row in block.sheet.rows} == {width}
        if isinstance(block, Chart):
            assert block.alt and block.caption.endswith(".") and block.rows


def test_names_are_text_on_the_page(whole: Section) -> None:
    page = render_page("r", [whole])
    assert "<h2>Calibration</h2>" in page
    assert "a<b>" not in page and html.escape(AWKWARD) in page


def test_a_small_study_has_neither_intervals_nor_real_pairs(tmp_path: Path) -> None:
    small = section_of(Study(tmp_path, "small"))
    check_first_sentence(small)
    assert not any("intervals over" in sentence for sentence in small.sentences)
    assert sum(isinstance(block, Chart) for block in small.blocks) == len(FIGURES) - 2
    assert not any("word frequency" in block.title for block in small.blocks if isinstance(block, Fold))


def test_without_a_world_only_real_pairs_appear(tmp_path: Path) -> None:
    study = Study(tmp_path, "explained")
    bare = section_of(study)
    check_first_sentence(bare)
    assert "depends on word frequency" in bare.sentences[0] and len(bare.sentences) == 2
    assert [type(block) for block in bare.blocks] == [Chart, Fold, Fold]
    assert section(CalibrationResults(study.files | {"explained": []}, study.settings)).is_empty()


def test_what_debiasing_leaves_is_said_by_method(study: Study) -> None:
    results = CalibrationResults(study.files, study.settings)
    assert said("debiased", results) == [
        "Training on the same text without debiasing (a control) leaves 102% of the planted association (1 "
        "model, 2 measures; all should be left). By 95% intervals over occupations: no clear change 2.",
        "Debiasing by cda leaves 1% of the planted association (1 model, 2 measures; none should be left). "
        "By 95% intervals over occupations: removed 2.",
        "Debiasing by dropout leaves 80% of the planted association (1 model, 2 measures; none should be "
        "left, but its text has it as it was). By 95% intervals over occupations: reduced 2.",
    ]


def test_which_measures_find_the_association() -> None:
    results = metrics(
        ("CPS", "trained", "slope", "", 0.9, (0.8, 1.0)),
        ("AUL", "trained", "slope", "", 0.1, (-0.1, 0.3)),
        ("SSS", "trained", "slope", "", -0.5, (-0.6, -0.4)),
    )
    assert said("association", results) == [
        "Margins of trained models grow with the planted association under 1 of 3 measures: CPS. They do not "
        "under AUL. They fall under SSS. Slopes are judged by 95% intervals over 3 worlds, uncorrected for 3 "
        "measures."
    ]


def test_in_one_world_slopes_of_trained_models_have_no_verdict() -> None:
    results = metrics(
        ("CPS", "oracle", "slope", "", 1.0, None),
        ("AllMasked", "oracle", "slope", "", 1e-13, None),
        ("CPS", "trained", "slope", "", 0.9, None),
        ("AUL", "trained", "slope", "", 0.9, None),
    )
    perfect, trained = said("association", results)
    assert "association under 1 of 2 measures: CPS. They do not under All-Masked." in perfect
    assert trained.endswith("gain: CPS and AUL +0.9.")
    # said once
    assert perfect.endswith("These slopes are of one synthetic world, so they have no interval.")


def test_which_measures_follow_frequency() -> None:
    results = metrics(
        ("CPS", "trained", "frequency", "", 0.01, (-0.1, 0.1)),
        ("AUL", "trained", "frequency", "", -0.1, (-0.2, -0.05)),
        ("SSS", "trained", "frequency", "", 0.5, (0.4, 0.6)),
        ("SSS", "trained", "exchange", "", 0.71, (0.4, 0.9)),
        ("CPS", "trained", "exchange", "", None, None),
    )
    (sentence,) = said("frequency", results)
    assert (
        "Towards the more frequent word: SSS +0.5. Towards the rarer word: AUL −0.1. Neither way: CPS"
        in sentence
    )
    (sentence,) = said("exchange", results)
    assert sentence.endswith("this many log-odds of association: SSS 0.71.")


def test_measures_that_nearly_always_raise_a_false_alarm() -> None:
    results = metrics(
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
    perfect, trained = said("false alarms", results)
    assert perfect.startswith("With perfect models, no measure has false alarms in at least 90% of")
    assert trained.endswith(
        "(5% are allowed): AUL and SSS against groups 16 times as rare; CPS where a name has a word more. "
        "The same few words, each leaning at random, would give 50 to 61%."
    )


def test_ranks_of_worlds_are_of_all_pairs_and_of_the_disadvantaged() -> None:
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
    rows: list[Any] = [
        (row.measure, row.kind, row.merit, row.condition, row.value, (row.low, row.high))
        for row in rows_of(rank_of_worlds(drawn, options))
    ]
    (sentence,) = said("rank of worlds", metrics(*rows))
    expected = spearmanr(drawn["p"][8:], drawn["stereo_margin"][8:]).statistic
    assert sentence.endswith(
        "over all pairs, where frequency cancels, CPS and SSS +1.00. Over pairs on the disadvantaged group, "
        f"CPS +1.00, SSS {number(expected, signed=True)}."
    )


def test_power_with_the_fewest_and_the_most_pairs() -> None:
    rows = [("CPS", "oracle", "power", f"n={n}", float(n) / 20, None) for n in (1500, 100, 500)]
    (sentence,) = said("power", metrics(*rows, ("CPS", "oracle", "power", "n=500, 1 a word", 3.0, None)))
    assert "p = 0.75 with perfect models" in sentence
    assert "With 100 pairs it is CPS 5. With 1500 pairs it is CPS 75. These benchmarks have " in sentence


def control(name: str, holds: bool) -> dict[str, Any]:
    base = {"model": "m", "role": "trained", "architecture": "bert", "family": "w", "benchmark": "b"}
    return base | {"measure": "AUL", "control": name, "pairs": 9, "holds": holds}


def test_controls_that_fail_are_counted_and_named() -> None:
    def controls(*rows: dict[str, Any]) -> CalibrationResults:
        return results_of(controls=framed(rows, CONTROLS))

    (held,) = said("exact controls", controls(control("identical", True), control("swapped", True)))
    assert held.startswith("All 2 controls of known outcome pass:")
    assert said("exact controls", controls(control("identical", True), control("swapped", False))) == [
        "1 of 2 controls of known outcome fails: swapped (m, AUL)."
    ]
    permuted = controls(control("permuted", False), *[control("permuted", True)] * 39)
    assert said("controls by chance", permuted) == [
        "In control permuted, the interval of the score excludes 50 in 1 of 40 models and measures; chance "
        "alone would give about 2."
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


def test_what_kept_tokens_do() -> None:
    rows = [kept(0.1, 0.5, 0.01, 0.62), kept(0.1, 0.0, 0.2, 0.5), kept(0.0, 0.5, 1e-15, None)]
    results = results_of(kept=framed(rows, KEPT))
    assert said("kept tokens", results) == [
        "AUL of a perfect model gains +0.2 per unit of log-odds where training keeps 0% of the chosen "
        "tokens, and +0.01 where it keeps 50%. Its exchange rate of frequency is 0.50 and 0.62."
    ]
    (silent,) = said("no random tokens", results)
    assert silent.endswith("is 0 for every pair, so it finds nothing.")
    (other,) = said("no random tokens", results_of(kept=framed([kept(0.0, 0.5, 0.2, 0.5)], KEPT)))
    assert other.endswith("gains +0.2 per unit of log-odds, +0.1 per unit of log frequency ratio.")


def test_what_frequency_explains(study: Study) -> None:
    results = CalibrationResults(study.files, study.settings)
    rows = study.rows["explained"]
    alone, two = ([row for row in rows if (row["second"] is None) == single] for single in (True, False))

    def clear(among: list[dict[str, Any]], low: str, high: str) -> list[dict[str, Any]]:
        return [row for row in among if row[low] > 0 or row[high] < 0]

    slopes = clear(alone, "slope_low", "slope_high")
    values = ", ".join(f"{row['first']} {row['slope']:+.1f}" for row in slopes)
    (scores,) = said("scores by frequency", results)
    assert scores == (
        f"The score of {AWKWARD} on crows-pairs depends on word frequency under {len(slopes)} of 3 measures "
        f"(95% intervals). Per unit of log frequency ratio it changes by these points: {values}."
    )
    (differences,) = said("differences by frequency", results)
    assert differences == (
        f"Of 3 differences between measures of {AWKWARD} on crows-pairs, {len(clear(two, 'low', 'high'))} "
        "are clear. The part that goes with word frequency is clear in "
        f"{len(clear(two, 'explained_low', 'explained_high'))}, the difference at equal frequency in "
        f"{len(clear(two, 'rest_low', 'rest_high'))}. The largest such part is +6.0 points of the "
        "difference of +3.0 between SSS and CPS. Where the two disagree, SSS prefers the more frequent words "
        "in 62.0%."
    )


def test_where_frequency_explains_nothing(study: Study) -> None:
    rows = [
        row | {"explained_low": -9.0, "explained_high": 9.0, "slope_low": -9.0, "slope_high": 9.0}
        for row in study.rows["explained"]
    ]
    results = results_of(explained=framed(rows, EXPLAINED).assign(model="m", benchmark="b"))
    (scores,) = said("scores by frequency", results)
    assert scores.endswith("under 0 of 3 measures (95% intervals).")
    (differences,) = said("differences by frequency", results)
    assert "clear in 0, the difference at equal frequency" in differences and "largest" not in differences


def test_what_frequency_explains_has_the_titles_of_measures(study: Study) -> None:
    rows = [
        row | {"first": "AllMasked", "slope": 1.5, "slope_low": 1.0, "slope_high": 2.0}
        for row in study.rows["explained"]
        if row["second"] is None
    ]
    results = results_of(explained=framed(rows[:1], EXPLAINED).assign(model="m", benchmark="b"))
    (scores,) = said("scores by frequency", results)
    assert scores.endswith("it changes by these points: All-Masked +1.5.")
