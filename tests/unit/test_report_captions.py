"""Captions of every family are short; how numbers are computed stands under its own key."""

import re
from pathlib import Path
from string import Formatter

import pytest
import yaml

from library import COMPUTED, HOW_COMPUTED, Captions, Facts, with_parts_of
from shown import CAPTION, SENTENCE

RESOURCES = Path(__file__).parents[2] / "resources"
FILES = sorted(RESOURCES.glob("*/captions.yaml"))

LONG = {
    "clusters": "a modified word or a target",
    "reading": "A pair is positive where at least 3 of 4 to 6 raters chose some bias type; score: margin.",
    "template": "People in {region} are {word}.",
}
"""The facts that are more than a word, as long as they are in studies; any other counts as one word."""


def declared() -> list[tuple[str, str, str]]:
    """Every caption: family, name, text."""
    return [
        (path.parent.name, name, text)
        for path in FILES
        for name, text in yaml.safe_load(path.read_text()).items()
        if name != COMPUTED
    ]


@pytest.mark.parametrize(("family", "name", "text"), declared(), ids=lambda value: value[:20])
def test_a_caption_is_short(family: str, name: str, text: str) -> None:
    names = {field for _, field, _, _ in Formatter().parse(text) if field}
    # as long as where all its parts stand
    whole = re.sub(r"\[\w+: ([^\]]*)\]", r"\1", text)
    words = whole.format(**{fact: LONG.get(fact, "1") for fact in names}).split()
    assert len(words) <= CAPTION, f"{family}, {name}: {len(words)} words"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name)
def test_no_sentence_of_captions_is_long(path: Path) -> None:
    captions = yaml.safe_load(path.read_text())
    folds = [text for fold in captions.pop(COMPUTED, {}).values() for text in fold.values()]
    sentences = [
        sentence
        for text in [*captions.values(), *folds]
        for sentence in re.split(r"(?<=[.?!])\s+", re.sub(r"\[\w+: ([^\]]*)\]", r"\1", text).strip())
    ]
    # signs are no words
    long = [text for text in sentences if len(re.findall(r"\S*\w\S*", text)) > SENTENCE]
    assert sentences and not long, long


def test_facts_are_filled_in_and_what_is_computed_stands_in_a_fold() -> None:
    captions = Captions(
        {"one": "At {alpha}.\n", COMPUTED: {"part": {"p": "Below {alpha}.\n", "d": "A mean."}}},
        {"alpha": "0.01"},
    )
    assert captions["one"] == "At 0.01."
    fold = captions.computed("part")
    assert fold.title == HOW_COMPUTED and not fold.open
    assert fold.blocks == (Facts((("p", "Below 0.01."), ("d", "A mean."))),)
    with pytest.raises(KeyError):
        captions.computed("other")


def test_a_part_of_a_caption_stands_where_the_chart_has_what_it_speaks_of() -> None:
    caption = "Scores [low: , with intervals]. [band: Bands: chance.] Colour: verdict."
    neither: list[dict[str, float | None]] = [{"score": 1.0, "low": None}, {"score": 0.0}]
    assert with_parts_of(caption, neither) == "Scores. Colour: verdict."
    # 0 is a value
    with_low = [*neither, {"low": 0.0, "band": None}]
    assert with_parts_of(caption, with_low) == "Scores, with intervals. Colour: verdict."
    with_band = [{"band": 2.0}]
    assert with_parts_of(caption, with_band) == "Scores. Bands: chance. Colour: verdict."
    assert with_parts_of("By type (all).", []) == "By type (all)."


def test_parts_of_captions_are_of_fields_that_no_caption_shows_in_brackets() -> None:
    """A bracket that is no part would be printed as it is."""
    texts = [text for *_, text in declared() if "[" in text]
    assert len(texts) >= 10
    for text in texts:
        assert "[" not in with_parts_of(text, []) and "]" not in with_parts_of(text, []), text
