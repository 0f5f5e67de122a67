"""Captions of every family are short; how numbers are computed stands under its own key."""

from pathlib import Path
from string import Formatter

import pytest
import yaml

from page_words import CAPTION
from unmask.report.captions import COMPUTED, HOW_COMPUTED, Captions, load_captions
from unmask.report.sections import Facts

RESOURCES = Path(__file__).parents[2] / "resources"
FILES = sorted(RESOURCES.glob("*/captions.yaml"))

LONG = {
    "unit": "by pair, with pairs that share a modified word or a target varying together",
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
    words = text.format(**{fact: LONG.get(fact, "1") for fact in names}).split()
    assert len(words) <= CAPTION, f"{family}, {name}: {len(words)} words"


def test_every_family_has_captions() -> None:
    assert {"pairs", "frequency", "regional", "debiasing", "downstream", "associations", "calibration"} <= {
        path.parent.name for path in FILES
    }


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


def test_captions_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "captions.yaml"
    path.write_text("one: >-\n  Level\n  {alpha}.\n")
    assert load_captions(path, alpha="0.05")["one"] == "Level 0.05."
