"""The report's colours are seen, and one colour has one meaning."""

from itertools import combinations, pairwise, product

import pytest

from library import DARK, LIGHT, PALETTES, Palette, style_sheet, theme
from library import REPORT_VERDICTS as VERDICTS

BOTH = pytest.mark.parametrize("palette", PALETTES.values(), ids=list(PALETTES))


def linear(colour: str) -> list[float]:
    """Red, green and blue of sRGB as light."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab(colour: str) -> tuple[float, float, float]:
    """In CIE L*a*b* under D65, where a distance of 2 is just seen."""
    red, green, blue = linear(colour)
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, luminance(colour), z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str) -> float:
    return float(sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5)


def test_distances_are_those_of_the_literature() -> None:
    # white and black; and the red of sRGB (Lindbloom)
    assert apart("#ffffff", "#000000") == pytest.approx(100, abs=0.1)
    assert lab("#ff0000") == pytest.approx((53.2, 80.1, 67.2), abs=0.3)


@BOTH
def test_marks_stand_out_from_their_ground(palette: Palette) -> None:
    for colour in (*palette.verdicts, *palette.series, palette.stereotype, palette.antistereotype):
        # WCAG 2.2, 1.4.11
        assert contrast(colour, palette.back) >= 3, colour


@BOTH
def test_a_colour_of_a_verdict_is_nothing_elses(palette: Palette) -> None:
    named = dict(zip(VERDICTS, palette.verdicts, strict=True))
    coloured = [named[verdict] for verdict in ("explainable", "clear", "found", "missed")]
    others = [*palette.series, palette.stereotype, palette.antistereotype]
    assert min(apart(one, other) for one, other in product(coloured, others)) > 30
    assert min(apart(one, other) for one, other in combinations(coloured, 2)) > 30
    assert min(apart(one, other) for one, other in product(palette.verdicts, others)) > 20
    assert min(apart(one, other) for one, other in combinations(palette.series, 2)) > 20


def contrast(one: str, other: str) -> float:
    """As WCAG 2 has it."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
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


def test_charts_and_style_sheets_have_the_same() -> None:
    for mode, palette in PALETTES.items():
        ranges = theme(mode)["range"]
        assert ranges["ordinal"] == palette.verdicts and ranges["category"] == palette.series
    light, dark = style_sheet().split("@media", 1)
    for palette, text in ((LIGHT, light), (DARK, dark)):
        assert f"--back: {palette.back};" in text and f"--for: {palette.stereotype};" in text
