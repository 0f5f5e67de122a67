"""The report's colours are seen, and one colour has one meaning."""

from itertools import pairwise

import pytest

from library import COLOURS, MODES, RANGES, theme

ON_BOTH = pytest.mark.parametrize("mode", MODES)


def linear(colour: str) -> list[float]:
    """Red, green and blue of sRGB as light."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 has it."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@ON_BOTH
def test_marks_stand_out_and_a_colour_of_a_verdict_is_nothing_elses(mode: str) -> None:
    colours = {name: pair[MODES.index(mode)] for name, pair in COLOURS.items()}
    every = [*RANGES[mode]["ordinal"], *RANGES[mode]["category"], colours["for"], colours["against"]]
    # WCAG 2.2, 1.4.11
    assert min(contrast(colour, colours["back"]) for colour in every) >= 3
    _, explainable, clear, _, _, found, missed = RANGES[mode]["ordinal"]
    assert all(every.count(colour) == 1 for colour in (explainable, clear, found, missed))


@ON_BOTH
def test_lines_and_texts_of_charts_stand_out_and_areas_are_told_apart_by_lightness(mode: str) -> None:
    look = theme(mode)
    ground, heatmap = look["background"], look["range"]["heatmap"]
    texts = [look[part][name] for part in ("axis", "legend") for name in ("labelColor", "titleColor")]
    assert min(contrast(colour, ground) for colour in texts) >= 4.5
    lines = [look["style"][name]["color"] for name in ("neutral", "untrained")]
    assert min(contrast(colour, ground) for colour in (*lines, look["style"]["no-score"]["stroke"])) >= 3
    # more is farther from the ground, by so much that greys would do
    steps = [1.0, *(contrast(colour, ground) for colour in heatmap)]
    assert all(other / one >= 1.25 for one, other in pairwise(steps))
