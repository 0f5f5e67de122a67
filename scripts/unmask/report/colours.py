"""All colours of the report, by what they mean: one colour has one meaning on the whole page.

Verdicts have theirs, and nothing else has these. Sides of a pair, and series (models, protocols, groups and
so on) have others.
"""

from collections.abc import Mapping, Sequence

MODES = ("light", "dark")
"""Grounds; paper is light."""

COLOURS: Mapping[str, tuple[str, str]] = {
    "text": ("#1c1c1e", "#e8e8ea"),
    # captions
    "faint": ("#5c5c63", "#a9aab2"),
    # the ground, and one beside it
    "back": ("#ffffff", "#17181b"),
    "soft": ("#f3f3f5", "#24262b"),
    # between things, of charts and of buttons
    "line": ("#c9c9ce", "#45474e"),
    "grid": ("#e2e2e6", "#34363c"),
    "edge": ("#8a8a92", "#80838d"),
    "link": ("#0b5cad", "#7db7f5"),
    # the ground of a warning
    "warn": ("#fff4d6", "#3a3013"),
    # what chance, and what untrained networks give
    "band": ("#d3d3d9", "#484a52"),
    "dark-band": ("#8b8b94", "#8b8d97"),
    # what speaks for the stereotype, and for the antistereotype
    "for": ("#7B4BA8", "#B78AE0"),
    "against": ("#1B7F6B", "#4CC2A5"),
}
"""Colours on the grounds of MODES."""

RANGES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "light": {
        "ordinal": ["#767676", "#0072B2", "#D55E00", "#8a8a8a", "#555555", "#1D9A1D", "#D9003F"],
        "category": ["#3B3F9E", "#2E8B57", "#8E2A5B", "#00838F", "#7B4A2D", "#C05AA8", "#000000"],
        "heatmap": ["#DCE9A0", "#93CDA0", "#48A6B0", "#2A74A9", "#25347A"],
    },
    "dark": {
        "ordinal": ["#a0a2ab", "#56B4E9", "#F58B4C", "#8a8c95", "#B5B7C0", "#5CE65C", "#FF4D7D"],
        "category": ["#9A9DF5", "#6CCB8E", "#E5809F", "#3FD6D0", "#D0A283", "#DDA0EE", "#F2F2F2"],
        "heatmap": ["#31418C", "#2F72A8", "#45A3AE", "#93CDA0", "#F0F5C4"],
    },
}
"""Ranges of charts: `ordinal`, what may be claimed (no clear preference, explainable, clear, cannot be told,
control), and what was found and missed; `category`, what has no verdict; `heatmap`, numbers as colours."""


def style_sheet() -> str:
    """The colours as custom properties for style sheets."""
    names = " ".join(f"--{name}: light-dark({light}, {dark});" for name, (light, dark) in COLOURS.items())
    on_paper = "@media print { :root { color-scheme: light; } }"
    return f":root {{ color-scheme: light dark; {names} }}\n{on_paper}\n"
