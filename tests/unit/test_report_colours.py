"""The report's colours are seen, and one colour has one meaning."""

from itertools import combinations, pairwise, product

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


def lab(colour: str) -> tuple[float, float, float]:
    """In CIE L*a*b* under D65, where a distance of 2 is just seen."""
    red, green, blue = linear(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, luminance(colour), z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


@ON_BOTH
def test_marks_stand_out_and_a_colour_of_a_verdict_is_nothing_elses(mode: str) -> None:
    colours = {name: pair[MODES.index(mode)] for name, pair in COLOURS.items()}
    verdicts, series = RANGES[mode]["ordinal"], RANGES[mode]["category"]
    others = [*series, colours["for"], colours["against"]]
    # WCAG 2.2, 1.4.11
    assert min(contrast(colour, colours["back"]) for colour in (*verdicts, *others)) >= 3
    _, explainable, clear, _, _, found, missed = verdicts
    coloured = [explainable, clear, found, missed]
    assert min(apart(one, other) for one, other in product(coloured, others)) > 30
    assert min(apart(one, other) for one, other in combinations(coloured, 2)) > 30
    assert min(apart(one, other) for one, other in product(verdicts, others)) > 20
    assert min(apart(one, other) for one, other in combinations(series, 2)) > 20


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
