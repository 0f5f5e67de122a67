"""The report's section on association tests: what it shows, and every sentence that it can say."""

import html
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from association_files import PUBLISHED_HEAD
from made_associations import AWKWARD, CONSTRUCTED_ROWS, RESOURCES, SETTINGS, SUITES, Study, make_study
from running import present
from unmask.associations.agreement import PAIR_COLUMNS
from unmask.associations.findings import (
    agrees_with_pairs,
    beside_published,
    beyond_chance,
    constructed_world,
    encoders_differ,
    false_alarms,
    grounded_effects,
    grows_with_planted,
    poolings_flip,
)
from unmask.associations.results import Found
from unmask.associations.schema import CONSTRUCTED
from unmask.associations.sections.associations import QUESTION, section
from unmask.associations.shown import FIGURES
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Facts, Fold, Items, Section, Table, read_section
from unmask.tables import framed

BLANK = "blank"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("section"))


@pytest.fixture(scope="module")
def shown(study: Study) -> Section:
    output = study.folder / "associations.json"
    present("associations", study.files, {"associations": output}, study.folder / "log", study.settings)
    return read_section(output)


def every(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every(block.blocks)


def made(settings: dict[str, Any] | None = None, **parts: pd.DataFrame) -> Found:
    """A study of which these parts are known, whatever its files."""
    found = Found({}, SETTINGS | (settings or {}))
    # where what is worked out once is kept
    found.__dict__.update(parts)
    return found


def test_pictures_stand_before_tables_and_long_tables_in_folds(shown: Section) -> None:
    assert shown.sentences[0] == QUESTION and shown.name == "associations"
    assert not any(isinstance(block, Table) for block in shown.blocks)
    # those of tests and of poolings once for each of the two encoders
    assert sum(isinstance(block, Chart) for block in every(shown.blocks)) == len(FIGURES) + 2
    kinds = [type(block) for block in every(shown.blocks) if not isinstance(block, Fold)]
    assert kinds[0] is Chart
    titles = [block.title for block in shown.blocks if isinstance(block, Fold)]
    assert titles == [
        f"Tests: {AWKWARD}",
        f"Tests: {BLANK}",
        "How many tests are beyond chance",
        "Table 1: all tests",
        "Published values beside ours",
        "Differences between encoders",
        f"Poolings: {AWKWARD}",
        f"Poolings: {BLANK}",
        "How far poolings agree",
        "Tests with pictures, in numbers",
        "Experiments of grounded tests",
        "Association tests and pairs of sentences",
        "The constructed world, in numbers",
        "What was planted, in numbers",
        "What each test holds against what",
        "What was left out, and what to be wary of",
    ]
    for block in every(shown.blocks):
        if isinstance(block, Table):
            assert {len(row) for row in block.sheet.rows} == {
                len(block.sheet.stubs) + len(block.sheet.columns)
            }
    opened = [block.title for block in shown.blocks if isinstance(block, Fold) and block.open]
    assert opened == [f"Tests: {AWKWARD}", f"Poolings: {AWKWARD}"]
    facts = next(block for block in every(shown.blocks) if isinstance(block, Facts))
    x, y, a, b = (f"{key} of {AWKWARD} ({key})" for key in "XYAB")
    assert facts.lines[0] == ("weat6 (words)", f"{x} against {y}: nearer to {a} than to {b}?")
    items = next(block for block in every(shown.blocks) if isinstance(block, Items))
    # once, although both encoders say it, and behind what was said of files
    read = [text for text in items.texts if ": read " in text]
    assert items.texts == (*read, "words: of words", "pics: of pics", "world: of world") and items.warning


def test_names_are_text_on_the_page(shown: Section) -> None:
    page = render_page("r", [shown])
    assert "<h2>Association tests</h2>" in page
    assert "a<b>" not in page and html.escape(AWKWARD) in page


def test_what_a_study_lacks_is_not_shown(study: Study) -> None:
    files = {key: study.files[key] for key in ("captions", "published")}
    bare = section(Found(files | {"associations": []}, SETTINGS))
    assert bare.sentences == (QUESTION,) and bare.blocks == ()
    words = files | {"associations": study.files["associations"][:1]}
    small = section(Found(words, study.settings))
    titles = [block.title for block in small.blocks if isinstance(block, Fold)]
    assert "Table 1: all tests" in titles and "Differences between encoders" not in titles
    # one encoder with one suite: its tests and its poolings, in no fold
    assert [block.alt.split(" ")[0] for block in small.blocks if isinstance(block, Chart)] == ["Effect"] * 2
    assert not any(word in " ".join(small.sentences) for word in ("grounded", "hand-set", "planted", BLANK))


def test_captions_name_what_there_is() -> None:
    found = Found({"captions": RESOURCES / "captions.yaml", "associations": []}, SETTINGS)
    names = ["table1", "overview", "published", "grounded", "experiments", "poolings", "differences", "pairs"]
    for name in [*names, "constructed", "planted", "empty", *FIGURES]:
        assert found.captions[name] and "{" not in found.captions[name]
    assert "p < 0.05" in found.captions["table1"] and "90%" in found.captions["tests_figure"]


def test_how_many_tests_are_beyond_chance(study: Study, shown: Section) -> None:
    for encoder in (AWKWARD, BLANK):
        counts: list[str] = []
        sizes: list[str] = []
        for pooling in ("mean", "cls"):
            rows = pd.concat([study.rows[encoder, name] for name in ("words", "world")])
            rows = rows[(rows["protocol"] == "corrected") & (rows["pooling"] == pooling)]
            rows = rows[(rows["level"] == "word") | (rows["test"] == "unworded")]
            able = rows[rows["test"] != "small"]
            counts.append(f"{int((able['p_holm'] < 0.05).sum())} of 6")
            sizes.append(f"{rows['d'].abs().mean():.2f} with {pooling}")
        said = [s for s in shown.sentences if s.startswith(f"For {encoder}")]
        same = counts[0] == counts[1]
        told = f"{counts[0]} with mean and cls" if same else f"{counts[0]} with mean, {counts[1]} with cls"
        assert said[0] == (
            f"For {encoder} (by word, but 1 of 7 by item, as their words are not known), tests beyond chance "
            f"(p < 0.05 after Holm's correction), of those that could be: {told}; 1 more could not be, as "
            "its sets are too small, and says nothing either way."
        )
        expected = rows["expected_d"].mean()
        assert said[1] == (
            f"For {encoder}, mean |d| is {', '.join(sizes)}; without bias it would be about {expected:.2f}."
        )
    untrained = [s for s in shown.sentences if "never trained" in s]
    assert len(untrained) == 1 and untrained[0].startswith("blank has random weights: it was never")


ROW: dict[str, Any] = {
    "encoder": BLANK,
    "suite": "s",
    "test": "t",
    "experiment": "weat",
    "pooling": "cls",
    "level": "word",
    "d": 1.0,
    "gap": 0.1,
    "expected_d": 0.4,
    "p_two": 0.01,
    "p_holm": 0.01,
    "able": True,
    "least_p": 0.001,
}


def of(*changes: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame([ROW | change for change in changes], columns=[*ROW, *changes[0].keys() - ROW.keys()])


def test_a_test_that_cannot_reject_is_no_finding() -> None:
    dumb = {"able": False, "least_p": 1 / 3, "p_two": 1 / 3, "p_holm": 1.0}
    start = "no test could be beyond chance (p < 0.05 after Holm's correction), as sets are too small"
    said = list(beyond_chance(made(main=of(dumb))))
    assert said[0] == f"For blank (by word), {start}: they say nothing either way."
    # one that correction alone takes away counts before it
    said = list(beyond_chance(made(main=of({"able": False, "p_holm": 0.4}, dumb | {"test": "u"}))))
    assert said[0] == (
        f"For blank (by word), {start} for so many tests; before it, p < 0.05 in 1 of 1 with cls, "
        "where chance alone gives about 0.05."
    )
    many = of(*({"test": f"t{n}", "able": False} for n in range(300)))
    assert "in 300 of 300 with cls, where chance alone gives about 15." in next(
        beyond_chance(made(main=many))
    )
    some = [{"test": f"t{n}", **dumb} for n in range(3)]
    said = list(beyond_chance(made(main=of({}, *some, {"pooling": "mean"}, *some[:0]))))
    assert said[0].endswith(
        "of those that could be: 1 of 1 with mean and cls; more could not be (3 with cls), as their sets are "
        "too small, and say nothing either way."
    )
    without = dumb | {"d": float("nan"), "p_two": 1.0, "least_p": 1.0}
    said = list(beyond_chance(made(main=of({}, without | {"test": "u"}, without | {"test": "v"}))))
    assert said[0].endswith(
        "1 of 1 with cls; 2 more could not be, as their sets are too small, or they have no d, and say "
        "nothing either way."
    )


def test_those_that_could_not_be_are_not_told_where_there_are_none() -> None:
    said = next(beyond_chance(made(main=of({}, {"test": "u", "p_holm": 0.5}))))
    assert said.endswith("of those that could be: 1 of 2 with cls.")


def test_word_vectors_have_no_pooling() -> None:
    said, size, _ = beyond_chance(made(main=of({"pooling": "vectors"})))
    assert said.endswith("of those that could be: 1 of 1.")
    assert size == "For blank, mean |d| is 1.00; without bias it would be about 0.40."


def test_encoders_without_training_are_told_once() -> None:
    two = {"encoders": [{"name": name, "source": "random"} for name in ("a", "b", "absent")]}
    rows = of({"encoder": "a"}, {"encoder": "b"})
    *_, said = beyond_chance(made(two, main=rows))
    assert said == (
        "a and b have random weights: they were never trained, so whatever their tests find is no stereotype."
    )


def test_units_and_what_is_without_bias_by_pooling() -> None:
    rows = of({"level": "item"}, {"level": "item", "pooling": "mean", "expected_d": 0.6})
    said = list(beyond_chance(made(main=rows)))
    assert "(by item, as words are not known)" in said[0]
    assert said[1].endswith("without bias it would be about 0.60 with mean, 0.40 with cls.")
    assert "(by word)" in next(beyond_chance(made(main=of({}))))
    alone = of({"d": float("nan"), "expected_d": float("nan"), "p_holm": 1.0, "p_two": 1.0, "able": False})
    assert not any("mean |d|" in s for s in beyond_chance(made(main=alone)))


def test_poolings_that_agree_and_that_do_not() -> None:
    def told(*rows: tuple[str, int, int, int]) -> list[str]:
        columns = ["encoder", "tests", "flipped", "both_clear"]
        table = pd.DataFrame(list(rows), columns=columns)
        return list(poolings_flip(made(flips=table.assign(by_chance=table["tests"] * 0.5))))

    assert told() == []
    assert told(("a", 1, 0, 0)) == ["All poolings give d of the same sign in every test of a."]
    assert told(("a", 1, 0, 0), ("b", 7, 0, 0)) == [
        "All poolings give d of the same sign in every test of a and b."
    ]
    assert told(("a", 1, 1, 0), ("b", 7, 0, 0)) == [
        "Tests in which the sign of d depends on the pooling: 1 of 1 for a and 0 of 7 for b (about 0.5 and "
        "3.5 if poolings had nothing in common)."
    ]
    assert told(("a", 7, 3, 2), ("b", 1, 0, 0), ("c", 7, 1, 1)) == [
        "Tests in which the sign of d depends on the pooling: 3 of 7 for a, 0 of 1 for b and 1 of 7 for c "
        "(about 3.5 and 0.5 if poolings had nothing in common); "
        "either sign is below 0.05 by itself, before correction, in 2 for a and 1 for c."
    ]


def test_differences_with_an_interval_without_0() -> None:
    def told(*ends: tuple[float, float]) -> list[str]:
        keys = ["suite", "test", "experiment", "pooling", "first", "second", "level", "low", "high"]
        rows = [("s", f"t{n}", "weat", "cls", "a", "b", "word", *pair) for n, pair in enumerate(ends)]
        return list(encoders_differ(made(differences=pd.DataFrame(rows, columns=keys))))

    start = "of d between encoders on the same test and pooling,"
    assert told((0.1, 1.0), (-1.0, -0.1), (-1.0, 1.0)) == [
        f"Of 3 differences {start} 2 have a 90% interval without 0; if encoders were alike, about 0.3 would."
    ]
    assert told((-0.1, 1.0)) == [
        f"Of the one difference {start} none has a 90% interval without 0; if encoders were alike, about 0.1 "
        "would."
    ]
    assert told((math.nan, math.nan)) == [] and told() == []


def means(*tests: tuple[float, float, float, float]) -> pd.DataFrame:
    rows = [(BLANK, "s", f"t{n}", "joint", "word", *four) for n, four in enumerate(tests)]
    return pd.DataFrame(
        rows, columns=["encoder", "suite", "test", "pooling", "level", "x1", "x2", "y1", "y2"]
    )


def test_which_effect_grounded_tests_have() -> None:
    rows = of(
        {"experiment": "E1", "p_holm": 0.01},
        {"experiment": "E1", "p_holm": 0.5, "test": "u"},
        {"experiment": "E2", "p_two": None, "p_holm": None, "able": False},
        {"experiment": "E3x", "p_holm": 0.5},
        {"experiment": "E3y", "p_holm": 0.03},
        {"experiment": "E4-text", "p_holm": 0.6},
    )
    said = list(
        grounded_effects(made(grounded=rows, means=means((0.3, 0.1, 0.0, 0.0), (-0.3, -0.1, 0.0, 0.0))))
    )
    assert said == [
        "For blank, grounded tests with an effect beyond chance (p < 0.05 after Holm's correction): of the "
        "words, whatever the picture (E1) 1 of 2; of the pictures on the same words (E3) 1 of 1; of what is "
        "left of E1 with the word hidden (E4) 0 of 1.",
        "For blank, the words make 0.200 of difference in s on average over 2 tests, the pictures 0.100, and "
        "pictures do 0.100 more to one set of words than to the other (sizes, without signs).",
    ]
    # E3 has units of its own, the attribute words, which may be too few
    unable = {"experiment": "E3x", "able": False, "p_holm": 1.0, "least_p": 1 / 3}
    few = of({"experiment": "E1", "p_holm": 0.01}, unable, unable | {"test": "u"})
    said = list(grounded_effects(made(grounded=few, means=means((0.3, 0.1, 0.0, 0.0)))))
    assert "(E1) 1 of 1;" in said[0] and "(E3) none, as none of 2 can reject." in said[0]
    some = of(
        {"experiment": "E1", "p_holm": 0.01}, {"experiment": "E3x", "p_holm": 0.5}, unable | {"test": "u"}
    )
    said = list(grounded_effects(made(grounded=some, means=means((0.3, 0.1, 0.0, 0.0)))))
    assert "(E3) 0 of 1 (1 more cannot reject)." in said[0]
    nothing = of({"experiment": "E1", "able": False, "p_holm": 1.0})
    said = list(grounded_effects(made(grounded=nothing, means=means((0.3, 0.1, 0.0, 0.0)))))
    assert said[0] == "For blank, grounded tests have too few words to be beyond chance: they tell nothing."
    assert "in its one grounded test" in said[1]


def with_pairs(*rows: dict[str, Any]) -> Found:
    base = {"suite": "s", "pooling": "cls", "benchmark": "cp", "measure": "AULA", "tests": 3, "models": 6}
    return made(with_pairs=pd.DataFrame([base | row for row in rows], columns=PAIR_COLUMNS))


def test_agreement_with_pairs_of_sentences() -> None:
    (said,) = agrees_with_pairs(with_pairs({"rho": 0.5, "p": 0.2, "p_holm": 0.2}))
    assert said == (
        "Spearman's rho of mean d with the bias score over pairs of sentences is +0.50 in the one "
        "combination (6 models); none is beyond chance after Holm's correction (p < 0.05)."
    )
    (said,) = agrees_with_pairs(
        with_pairs(
            {"rho": 0.9, "p": 0.01, "p_holm": 0.02},
            {"rho": -0.8, "p": 0.01, "p_holm": 0.02, "models": 7},
            {"reason": "all models have the same"},
        )
    )
    assert "is -0.80 to +0.90 over 2 combinations" in said and "(6 to 7 models); 2 are beyond" in said
    (said,) = agrees_with_pairs(with_pairs({"rho": 1.0, "models": 4}, {"models": 1}))
    assert said.endswith("cannot be told (4 models; 5 are needed).")
    (said,) = agrees_with_pairs(with_pairs({"models": 1}))
    assert "(1 model; 5 are needed)" in said
    (said,) = agrees_with_pairs(with_pairs({"reason": "all models have the same"}))
    assert said.endswith("cannot be told (all models have the same).")
    assert list(agrees_with_pairs(with_pairs())) == []


def test_the_constructed_world() -> None:
    def told(rows: list[dict[str, Any]]) -> str:
        return " ".join(constructed_world(made(constructed=framed(rows, CONSTRUCTED))))

    assert "all 6 gaps measured are within 1e-06 of the truth (at most 3e-07 off)" in told(CONSTRUCTED_ROWS)
    assert "the one gap measured is within" in told(CONSTRUCTED_ROWS[:1])
    wrong = [CONSTRUCTED_ROWS[0] | {"gap": -0.02}]
    assert (
        "1 of 1 measured is further than 1e-06 from the truth: at most 0.02 off (none, E1, by word)."
        in told(wrong)
    )
    worse = [*wrong, CONSTRUCTED_ROWS[3] | {"gap": 0.5}, CONSTRUCTED_ROWS[1]]
    assert "2 of 3 measured are further" in told(worse) and "at most 0.5 off (language, E3x" in told(worse)
    assert told([]) == ""


def planted_of(*changes: dict[str, Any]) -> pd.DataFrame:
    return of(*({"series": "x against y", "whole": False} | change for change in changes))


def test_what_is_found_where_nothing_was_planted() -> None:
    rows = planted_of(
        {"strength": 0.5, "p_holm": 0.01},
        {"strength": 0.5, "p_holm": 0.5, "pooling": "mean"},
        {"strength": 0.5, "p_holm": 0.01, "able": False, "test": "u"},
        {"strength": 0.6, "p_holm": 0.01, "test": "v"},
    )
    start = (
        "Where nothing was planted (strength 0.5), tests and poolings beyond chance after Holm's correction"
    )
    assert list(false_alarms(made(planted=rows))) == [f"{start}, of those that could be: 1 of 2 for blank."]
    assert list(false_alarms(made(planted=rows.iloc[1:2]))) == [
        f"{start}, of those that could be: 0 of 1 for blank."
    ]
    assert list(false_alarms(made(planted=rows.iloc[3:]))) == []
    both = pd.concat([rows, rows.assign(encoder=AWKWARD)])
    assert list(false_alarms(made(planted=both))) == [
        f"{start}, of those that could be: 1 of 2 for {AWKWARD} and 1 of 2 for blank."
    ]


def test_the_gap_grows_with_what_was_planted(study: Study, shown: Section) -> None:
    planted = planted_of(
        {"strength": 0.7, "gap": -9.0, "whole": True},
        {"strength": 0.5, "gap": 0.0},
        {"strength": 0.6, "gap": 0.1},
        {"strength": 0.9, "gap": 0.2},
        {"strength": 0.5, "gap": 0.0, "pooling": "mean"},
        {"strength": 0.6, "gap": 0.3, "pooling": "mean"},
        {"strength": 0.9, "gap": 0.2, "pooling": "mean"},
        {"strength": 0.5, "gap": 0.2, "pooling": "word"},
    )
    question = "In the tests of x against y (s), does the gap grow with every step of what was planted?"
    chance = "By chance a pooling's does once in 6."
    assert list(grows_with_planted(made(planted=planted))) == [
        f"{question} blank yes with cls, no with mean. {chance}"
    ]
    # gaps that are alike do not grow
    level = planted_of({"strength": 0.5, "gap": 0.1}, {"strength": 0.9, "gap": 0.1})
    two = pd.concat([planted, level.assign(encoder=AWKWARD)])
    assert list(grows_with_planted(made(planted=two))) == [
        f"{question} {AWKWARD} no with cls; blank yes with cls, no with mean. By chance a pooling's does "
        "once in 2 or 6."
    ]
    vectors = planted[planted["pooling"] == "cls"].assign(pooling="vectors")
    assert list(grows_with_planted(made(planted=vectors))) == [f"{question} blank yes. {chance}"]
    (said,) = [s for s in shown.sentences if "every step" in s]
    gaps = {
        pooling: own.set_index("test")["gap"]
        for pooling, own in study.rows[AWKWARD, "world"]
        .query("protocol == 'corrected' and level == 'word'")
        .groupby("pooling")
    }
    assert all(gap["strong"] > gap["weak"] for gap in gaps.values())
    assert f"{AWKWARD} yes with mean and cls; {BLANK} " in said and "once in 2." in said


def test_beside_published_values(study: Study, tmp_path: Path) -> None:
    text = f"{PUBLISHED_HEAD}s,,m,weat6,POOLING,item,1,,,0.25,,\n"
    more = "s,,m,sent-weat6,cls,item,1,,,OURS,,\n"
    d = study.rows[BLANK, "words"].query("pooling == 'cls' and level == 'item' and protocol == 'published'")
    ours = dict(zip(d["test"], d["d"], strict=True))

    def told(facts: str) -> list[str]:
        path = tmp_path / "published.csv"
        path.write_text(facts.replace("OURS", f"{ours['sent-weat6'] + 0.004:.6f}"))
        settings = study.settings | {"published": {BLANK: "m"}}
        return list(beside_published(Found(study.files | {"published": str(path)}, settings)))

    assert told(text.replace("POOLING", "cls")) == [
        f"For blank, the published d of weat6 (s) is +0.25; ours is {ours['weat6']:+.2f}."
    ]
    assert told(text.replace("POOLING", "cls") + more) == [
        "For blank, of 2 published values of d 1 is within 0.01 of ours; furthest is weat6 (s): published "
        f"+0.25, ours {ours['weat6']:+.2f}."
    ]
    (said,) = told(text.replace("POOLING", "static"))
    assert "none in a pooling and of tests that this study has" in said
    assert told(text.replace("weat6", "other").replace("POOLING", "cls")) == []


def test_what_was_read_is_told(study: Study, shown: Section) -> None:
    """Remarks on files, and how many pictures the cells of grounded tests have."""
    folds = {block.title: block.blocks for block in shown.blocks if isinstance(block, Fold)}
    (warned,) = folds["What was left out, and what to be wary of"]
    assert isinstance(warned, Items)
    for suite, rows in SUITES.items():
        for test in rows["test"].drop_duplicates():
            assert f"{suite}: {test}: read {test}" in warned.texts
    (facts,) = folds["What each test holds against what"]
    assert isinstance(facts, Facts)
    counted = {name for name, told in facts.lines if told.endswith("Pictures: A_X 3, X 2.")}
    seeing = {name for name, rows in SUITES.items() if rows["cell"].notna().any()}
    assert counted == {f"{t} ({name})" for name in seeing for t in SUITES[name]["test"].drop_duplicates()}
