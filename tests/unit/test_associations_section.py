"""The report's section on association tests: what it shows, and every sentence that it can say."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from association_files import PUBLISHED_HEAD
from made_associations import AWKWARD, RESOURCES, SETTINGS, SUITES, Study, make_study
from page_words import check_first_sentence
from running import present
from unmask.associations.comparisons import PAIR_COLUMNS
from unmask.associations.findings import FINDINGS
from unmask.associations.results import MEANS, AssociationResults
from unmask.associations.sections.associations import section
from unmask.associations.shown import FIGURES, TABLES
from unmask.report.page import render_page
from unmask.report.sections import Block, Chart, Choice, Facts, Fold, Items, Section, Table, read_section

BLANK = "blank"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("section"))


@pytest.fixture(scope="module")
def associations(study: Study) -> Section:
    output = study.folder / "associations.json"
    present("associations", study.files, {"associations": output}, study.folder / "log", study.settings)
    return read_section(output)


def every(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold | Choice):
            yield from every(block.blocks if isinstance(block, Fold) else block.options)


def results_of(settings: dict[str, Any] | None = None, **parts: pd.DataFrame) -> AssociationResults:
    """A study of which these parts are known, whatever its files."""
    results = AssociationResults({}, SETTINGS | (settings or {}))
    # where what is worked out once is kept
    results.__dict__.update(parts)
    return results


def test_pictures_stand_before_tables_and_long_tables_in_folds(associations: Section) -> None:
    check_first_sentence(associations)
    assert associations.name == "associations"
    assert not any(isinstance(block, Table) for block in associations.blocks)
    # those of tests and of poolings once for each of the two encoders
    assert sum(isinstance(block, Chart) for block in every(associations.blocks)) == len(FIGURES) + 2
    kinds = [type(block) for block in every(associations.blocks) if not isinstance(block, Fold | Choice)]
    assert kinds[0] is Chart
    assert sum(isinstance(block, Table) for block in every(associations.blocks)) == len(TABLES)
    for block in every(associations.blocks):
        if isinstance(block, Table):
            assert {len(row) for row in block.sheet.rows} == {
                len(block.sheet.stubs) + len(block.sheet.columns)
            }
    choices = [block for block in associations.blocks if isinstance(block, Choice)]
    assert [choice.label for choice in choices] == ["Tests of the encoder", "Poolings of the encoder"]
    assert {choice.options[0].title for choice in choices} == {AWKWARD}
    facts = next(block for block in every(associations.blocks) if isinstance(block, Facts))
    x, y, a, b = (f"{key} of {AWKWARD} ({key})" for key in "XYAB")
    assert facts.lines[0] == ("weat6 (words)", f"{x} against {y}: nearer to {a} than to {b}?")
    items = next(block for block in every(associations.blocks) if isinstance(block, Items))
    # once, although both encoders say it, and behind what was said of files
    read = [text for text in items.texts if ": read " in text]
    assert items.texts == (*read, "words: of words", "pics: of pics", "world: of world") and items.warning


def test_names_are_text_on_the_page(associations: Section) -> None:
    page = render_page("r", [associations])
    assert "<h2>Association tests</h2>" in page
    assert "a<b>" not in page and html.escape(AWKWARD) in page


def test_what_a_study_lacks_is_not_shown(study: Study) -> None:
    files = {key: study.files[key] for key in ("captions", "published")}
    bare = section(AssociationResults(files | {"associations": []}, SETTINGS))
    assert bare.is_empty()
    words = files | {"associations": study.files["associations"][:1]}
    small = section(AssociationResults(words, study.settings))
    titles = [block.title for block in small.blocks if isinstance(block, Fold)]
    assert "All association tests" in titles and "Differences between encoders" not in titles
    # one encoder with one suite: its tests and its poolings, in no fold
    assert [block.alt.split(" ")[0] for block in small.blocks if isinstance(block, Chart)] == ["Effect"] * 2
    assert not any(word in " ".join(small.sentences) for word in ("grounded", "hand-set", "planted", BLANK))


def test_captions_name_what_there_is() -> None:
    results = AssociationResults({"captions": RESOURCES / "captions.yaml", "associations": []}, SETTINGS)
    names = [
        "table1",
        "overview",
        "published",
        "grounded",
        "cells",
        "experiments",
        "poolings",
        "pairs",
    ]
    for name in [*names, "empty", *FIGURES]:
        assert results.captions[name] and "{" not in results.captions[name]
    assert "p < 0.05" in results.captions["table1"] and "90%" in results.captions["tests_figure"]


def test_how_many_tests_are_beyond_chance(study: Study, associations: Section) -> None:
    for encoder in (AWKWARD, BLANK):
        counts: list[str] = []
        beyond: list[int] = []
        sizes: list[str] = []
        for pooling in ("mean", "cls"):
            rows = pd.concat([study.rows[encoder, name] for name in ("words", "world")])
            rows = rows[(rows["protocol"] == "corrected") & (rows["pooling"] == pooling)]
            rows = rows[(rows["level"] == "word") | (rows["test"] == "unworded")]
            able = rows[rows["test"] != "small"]
            beyond.append(int((able["p_holm"] < 0.05).sum()))
            counts.append(f"{beyond[-1]} of 6")
            sizes.append(f"{rows['d'].abs().mean():.2f} with {pooling}")
        named = f"{encoder} (never trained)" if encoder == BLANK else encoder
        said = [
            s for s in associations.sentences if s.startswith((f"For {encoder}", f"Mean |d| of {encoder}"))
        ]
        same = counts[0] == counts[1]
        with_poolings = (
            f"{counts[0]} with mean and cls" if same else f"{counts[0]} with mean, {counts[1]} with cls"
        )
        assert said[0] == (
            f"For {named}, {sum(beyond)} of 12 testable associations {'is' if sum(beyond) == 1 else 'are'} "
            f"beyond chance (p < 0.05 after Holm's correction). By pooling: {with_poolings}. 2 more cannot "
            "be tested, as sets are too small. The unit is the item in 1 of 7 tests, as words are not known."
        )
        expected = rows["expected_d"].mean()
        assert said[1] == (
            f"Mean |d| of {encoder} is {', '.join(sizes)}; without bias it would be about {expected:.2f}."
        )
    (untrained,) = [s for s in associations.sentences if "random weights" in s]
    assert untrained.startswith("blank has random weights: it was never trained")


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


def said(name: str, settings: dict[str, Any] | None = None, **parts: pd.DataFrame) -> list[str]:
    """The sentences of one finding."""
    (finding,) = (finding for finding in FINDINGS if finding.name == name)
    return list(finding.sentences(results_of(settings, **parts)))


def test_a_test_that_cannot_reject_is_no_finding() -> None:
    dumb = {"able": False, "least_p": 1 / 3, "p_two": 1 / 3, "p_holm": 1.0}
    start = "no association can be tested (p < 0.05 after Holm's correction), as sets are too small"
    assert said("beyond chance", main=of(dumb)) == [f"For blank (never trained), {start}."]
    # one that correction alone takes away counts before it
    assert said("beyond chance", main=of({"able": False, "p_holm": 0.4}, dumb | {"test": "u"})) == [
        f"For blank (never trained), {start} for so many tests. Before correction, p < 0.05 in 1 of 1 with "
        "cls, where chance alone gives about 0.05."
    ]
    (many,) = said("beyond chance", main=of(*({"test": f"t{n}", "able": False} for n in range(300))))
    assert "in 300 of 300 with cls, where chance alone gives about 15." in many
    some = [{"test": f"t{n}", **dumb} for n in range(3)]
    (text,) = said("beyond chance", main=of({}, *some, {"pooling": "mean"}))
    assert text.endswith(
        "By pooling: 1 of 1 with mean and cls. 3 more cannot be tested, as sets are too small."
    )
    without = dumb | {"d": float("nan"), "p_two": 1.0, "least_p": 1.0}
    (text,) = said("beyond chance", main=of({}, without | {"test": "u"}, without | {"test": "v"}))
    assert "1 of 1 with cls. 2 more cannot be tested, as sets are too small or have no d." in text
    (text,) = said("beyond chance", main=of({}, {"test": "u", "p_holm": 0.5}))
    assert text.endswith("By pooling: 1 of 2 with cls.")


def test_units_and_what_is_without_bias_by_pooling() -> None:
    rows = of({"level": "item"}, {"level": "item", "pooling": "mean", "expected_d": 0.6})
    assert said("beyond chance", main=rows)[0].endswith("item in 1 of 1 test, as words are not known.")
    assert said("mean |d|", main=rows) == [
        "Mean |d| of blank is 1.00 with mean and cls; without bias it would be about 0.60 with mean, 0.40 "
        "with cls."
    ]
    assert said("mean |d|", main=of({"d": float("nan"), "expected_d": float("nan")})) == []


def test_encoders_without_training_are_named_once() -> None:
    two = {"encoders": [{"name": name, "source": "random"} for name in ("a", "b", "absent")]}
    assert said("untrained", two, main=of({"encoder": "a"}, {"encoder": "b"})) == [
        "a and b have random weights: they were never trained, so whatever their tests find is not learnt."
    ]


def test_poolings_that_agree_and_that_do_not() -> None:
    def flips(*rows: tuple[str, int, int, int]) -> list[str]:
        table = pd.DataFrame(list(rows), columns=["encoder", "tests", "flipped", "both_clear"])
        return said("flips", flips=table.assign(by_chance=table["tests"] * 0.5))

    assert flips() == []
    assert flips(("a", 1, 0, 0), ("b", 7, 0, 0)) == [
        "All poolings give d of the same sign in every test of a and b."
    ]
    assert flips(("a", 7, 3, 2), ("b", 1, 0, 0), ("c", 7, 1, 1)) == [
        "Of all tests, the sign of d depends on the pooling in 3 of 7 for a, 0 of 1 for b and 1 of 7 for c; "
        "unrelated poolings would give about 3.5 and 0.5. Both signs have p < 0.05 before correction in 2 "
        "for a and 1 for c."
    ]


def test_which_effect_grounded_tests_have() -> None:
    # E3 has units of its own, the attribute words, which may be too few
    unable = {"able": False, "p_holm": 1.0, "least_p": 1 / 3}
    rows = of(
        {"experiment": "E1", "p_holm": 0.01},
        {"experiment": "E1", "p_holm": 0.5, "test": "u"},
        {"experiment": "E2", "p_two": None, "p_holm": None, "able": False},
        {"experiment": "E3x", "p_holm": 0.5},
        {"experiment": "E3y", "p_holm": 0.03},
        {"experiment": "E3x", "test": "u"} | unable,
    )
    assert said("grounded tests", grounded=rows) == [
        "Effects of blank that are beyond chance (p < 0.05 after Holm's correction), of those that can be "
        "tested, are in grounded tests: of the words, whatever the picture (E1) 1 of 2; of the pictures on "
        "the same words (E3) 1 of 1 (1 more cannot)."
    ]
    # vectors of words apart from joint ones
    of_words = of(
        {"experiment": "E1", "p_holm": 0.01},
        {"experiment": "E1", "p_holm": 0.5, "pooling": "word"},
        {"experiment": "E1", "p_holm": 0.6, "pooling": "word-first"},
        {"experiment": "E3x", "p_holm": 0.01},
        {"experiment": "E3x", "p_holm": 0.02, "pooling": "word"},
        {"experiment": "E3y", "pooling": "word-first"} | unable,
    ).replace({"pooling": {"cls": "joint"}})
    (text,) = said("grounded tests", grounded=of_words)
    assert text.endswith(
        ": of the words, whatever the picture (E1) 1 of 1 with joint, 0 of 1 with word and word-first; of "
        "the pictures on the same words (E3) 1 of 1 with joint and word, 0 of 0 (1 more cannot) with "
        "word-first."
    )
    assert said("grounded tests", grounded=of({"experiment": "E1"} | unable)) == [
        "No grounded test of blank has enough words to be tested."
    ]
    cells = pd.DataFrame(
        [
            (BLANK, "s", "t", "joint", "word", 0.3, 0.1, 0.0, 0.0),
            (BLANK, "s", "u", "joint", "word", -0.3, -0.1, 0, 0),
        ],
        columns=MEANS,
    )
    of_words = cells.assign(pooling="word", x1=0.9)
    first = cells.assign(pooling="word-first", x1=0.5)
    (of_joint, of_word) = said("sizes of grounded tests", means=pd.concat([of_words, first, cells]))
    assert [of_joint] == said("sizes of grounded tests", means=cells)
    assert of_word.startswith(
        "On average over 2 tests of blank, in the vectors of words (mean of their tokens), the words change "
        "s by 0.450 and the pictures by 0.450"
    )
    assert said("sizes of grounded tests", means=cells) == [
        "On average over 2 tests of blank, the words change s by 0.200 and the pictures by 0.100, whatever "
        "the sign. Pictures change it by 0.100 more for one set of words than for the other."
    ]


def test_agreement_with_pairs_of_sentences() -> None:
    def rho(*rows: dict[str, Any]) -> list[str]:
        base = {"suite": "s", "pooling": "cls", "benchmark": "cp", "measure": "AULA", "tests": 3, "models": 6}
        return said("pairs", with_pairs=pd.DataFrame([base | row for row in rows], columns=PAIR_COLUMNS))

    alike = {"reason": "all models have the same"}
    assert rho(
        {"rho": 0.9, "p": 0.01, "p_holm": 0.02}, {"rho": -0.8, "p": 0.2, "p_holm": 0.2, "models": 7}, alike
    ) == [
        "Spearman's rho of mean d with the bias score over pairs of sentences is "
        "\N{MINUS SIGN}0.80 to +0.90 over 2 "
        "combinations of suite, pooling, benchmark and measure (6 to 7 models); 1 is beyond chance (p < 0.05 "
        "after Holm's correction)."
    ]
    assert rho({"rho": 1.0, "models": 4}, {"models": 1})[0].endswith(
        "cannot be told (4 models; 5 are needed)."
    )
    assert rho(alike)[0].endswith("cannot be told (all models have the same).")
    assert rho() == []


def test_beside_published_values(study: Study, tmp_path: Path) -> None:
    text = f"{PUBLISHED_HEAD}s,,m,weat6,POOLING,item,1,,,0.25,,\n"
    more = "s,,m,sent-weat6,cls,item,1,,,OURS,,\n"
    d = study.rows[BLANK, "words"].query("pooling == 'cls' and level == 'item' and protocol == 'published'")
    ours = dict(zip(d["test"], d["d"], strict=True))

    def values(facts: str) -> list[str]:
        path = tmp_path / "published.csv"
        path.write_text(facts.replace("OURS", f"{ours['sent-weat6'] + 0.004:.6f}"))
        settings = study.settings | {"published": {BLANK: "m"}}
        (finding,) = (finding for finding in FINDINGS if finding.name == "published values")
        return list(finding.sentences(AssociationResults(study.files | {"published": str(path)}, settings)))

    assert values(text.replace("POOLING", "cls") + more) == [
        "For blank, 1 of 2 published values of d is within 0.01 of ours; furthest is weat6 (s): published "
        f"+0.25, ours {ours['weat6']:+.2f}.".replace("-", "\N{MINUS SIGN}")
    ]
    assert values(text.replace("POOLING", "bare-first")) == [
        "For blank, there are published values, but none for the poolings and tests of this study."
    ]
    assert values(text.replace("weat6", "other").replace("POOLING", "cls")) == []


def test_what_was_read_is_told(study: Study, associations: Section) -> None:
    """Remarks on files, and how many pictures the cells of grounded tests have."""
    folds = {block.title: block.blocks for block in associations.blocks if isinstance(block, Fold)}
    (warned,) = folds["What was left out, and what to be wary of"]
    assert isinstance(warned, Items)
    for suite, rows in SUITES.items():
        for test in rows["test"].drop_duplicates():
            assert f"{suite}: {test}: read {test}" in warned.texts
    (facts,) = folds["What each test compares"]
    assert isinstance(facts, Facts)
    counted = {name for name, text in facts.lines if text.endswith("Pictures: A_X 3, X 2.")}
    seeing = {name for name, rows in SUITES.items() if rows["cell"].notna().any()}
    assert counted == {f"{t} ({name})" for name in seeing for t in SUITES[name]["test"].drop_duplicates()}
