"""All colours of the report, by what they mean: one colour has one meaning on the whole page.

Verdicts have theirs, and nothing else has these. Sides of a pair, and series (models, protocols, groups and
so on) have others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

VERDICTS = ("nothing", "explainable", "clear", "not-told", "control", "found", "missed")
"""Verdicts, and judgements that are no verdicts: the order of their colours, and their names in CSS."""


@dataclass(frozen=True)
class Palette:
    """The colours on a light or a dark ground.

    text, faint (captions), back (the ground), soft (a ground beside it), line (between things), grid (of
    charts), edge (of buttons), link, warning (the ground of one). band, dark_band: what chance, and what
    untrained networks give.

    verdicts: those of VERDICTS. stereotype, antistereotype: sides of a pair, and what speaks for either.
    series: what has no verdict, in the order of use. heatmap: numbers as colours of areas, in five steps.
    """

    text: str
    faint: str
    back: str
    soft: str
    line: str
    grid: str
    edge: str
    link: str
    warning: str
    band: str
    dark_band: str
    verdicts: Sequence[str]
    stereotype: str
    antistereotype: str
    series: Sequence[str]
    heatmap: Sequence[str]


LIGHT = Palette(
    text="#1c1c1e",
    faint="#5c5c63",
    back="#ffffff",
    soft="#f3f3f5",
    line="#c9c9ce",
    grid="#e2e2e6",
    edge="#8a8a92",
    link="#0b5cad",
    warning="#fff4d6",
    band="#d3d3d9",
    dark_band="#8b8b94",
    verdicts=["#767676", "#0072B2", "#D55E00", "#8a8a8a", "#555555", "#1D9A1D", "#D9003F"],
    stereotype="#7B4BA8",
    antistereotype="#1B7F6B",
    series=["#3B3F9E", "#2E8B57", "#8E2A5B", "#00838F", "#7B4A2D", "#C05AA8", "#000000"],
    heatmap=["#DCE9A0", "#93CDA0", "#48A6B0", "#2A74A9", "#25347A"],
)
DARK = Palette(
    text="#e8e8ea",
    faint="#a9aab2",
    back="#17181b",
    soft="#24262b",
    line="#45474e",
    grid="#34363c",
    edge="#80838d",
    link="#7db7f5",
    warning="#3a3013",
    band="#484a52",
    dark_band="#8b8d97",
    verdicts=["#a0a2ab", "#56B4E9", "#F58B4C", "#8a8c95", "#B5B7C0", "#5CE65C", "#FF4D7D"],
    stereotype="#B78AE0",
    antistereotype="#4CC2A5",
    series=["#9A9DF5", "#6CCB8E", "#E5809F", "#3FD6D0", "#D0A283", "#DDA0EE", "#F2F2F2"],
    heatmap=["#31418C", "#2F72A8", "#45A3AE", "#93CDA0", "#F0F5C4"],
)

PALETTES: Mapping[str, Palette] = {"light": LIGHT, "dark": DARK}


def style_sheet() -> str:
    """The colours as custom properties for style sheets: paper is light."""
    light, dark = (_properties(palette) for palette in (LIGHT, DARK))
    return f":root {{ {light} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def _properties(palette: Palette) -> str:
    names = {
        "text": palette.text,
        "faint": palette.faint,
        "back": palette.back,
        "soft": palette.soft,
        "line": palette.line,
        "edge": palette.edge,
        "link": palette.link,
        "warn": palette.warning,
        "for": palette.stereotype,
        "against": palette.antistereotype,
        **dict(zip(VERDICTS, palette.verdicts, strict=True)),
    }
    return " ".join(f"--{name}: {colour};" for name, colour in names.items())
