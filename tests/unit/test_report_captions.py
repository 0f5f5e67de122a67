"""Captions are filled in with facts; how numbers are computed stands under its own key."""

import pytest

from library import COMPUTED, HOW_COMPUTED, Captions, Facts, with_parts_of


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
