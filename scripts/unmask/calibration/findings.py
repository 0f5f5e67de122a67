"""What the numbers of calibration say, in plain sentences."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.calibration.results import TOLD, Found
from unmask.calibration.tables import ALARMS, OF_WORLDS, beside_chance, percent
from unmask.measures.registry import title_of
from unmask.report.declared_tables import ROUNDING, magnitude
from unmask.report.sheets import counted, number, rows_of

MODELS = {"oracle": "perfect models", "trained": "trained models"}
"""Kinds of figures of merit, in plain words."""

NO_ASSOCIATION, SUBTOKEN, LONGER = "no association", "subtoken", "longer"
"""Conditions of false alarms, beside ratio=N."""

NEARLY_ALWAYS = 90
"""Percent of benchmarks from which on a sentence names a measure for its false alarms."""

RANKED = {
    "over all pairs, where frequency cancels,": "margin",
    "over pairs on the disadvantaged group": "margin, disadvantaged",
}
"""Conditions of ranks of worlds, and of which pairs they are in plain words."""

EXACT_CONTROLS = ("identical", "swapped")
"""Controls of which every pair is known."""


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _titles(rows: pd.DataFrame) -> str:
    return listed([title_of(name) for name in rows["measure"]]) if len(rows) else "none"


def _of(found: Found, merit: str, kind: str, condition: str = "") -> pd.DataFrame:
    rows = found.merits
    wanted = (rows["merit"] == merit) & (rows["kind"] == kind) & (rows["condition"] == condition)
    return rows[wanted & rows["value"].notna()]


def _worlds(rows: pd.DataFrame) -> int:
    return int(rows["families"].max()) if len(rows) else 0


def _above(rows: pd.DataFrame, bound: float) -> "pd.Series[bool]":
    """Whether a merit is above a bound: its interval, where it has one, else its value."""
    return rows["low"].fillna(rows["value"]) > bound


def _below(rows: pd.DataFrame, bound: float) -> "pd.Series[bool]":
    return rows["high"].fillna(rows["value"]) < bound


def _uncertain(rows: pd.DataFrame, kind: str) -> bool:
    """Whether nothing says how far merits may be off: of trained models in one world."""
    return kind != "oracle" and not rows["low"].notna().any()


def _by(found: Found, rows: pd.DataFrame) -> str:
    """By what it is said that something is above a bound."""
    if rows["low"].notna().any():
        return (
            f"by {100 * found.confidence:g}% intervals over {_worlds(rows)} worlds, uncorrected for "
            f"{counted(rows['measure'].nunique(), 'measure')}"
        )
    return "in one world, so without an interval"


def shares(rows: pd.DataFrame, text: Callable[[Any], str]) -> str:
    """The values of measures, those that read alike together: `AUL and AULA 0.60, SSS 1.00`."""
    alike: dict[str, list[str]] = {}
    for row in rows_of(rows):
        alike.setdefault(text(row.value), []).append(title_of(row.measure))
    return ", ".join(f"{listed(names)} {value}" for value, names in alike.items())


def associations_found(found: Found) -> Iterator[str]:
    """Which margins grow with the association that was planted."""
    for kind in TOLD:
        rows = _of(found, "slope", kind)
        if rows.empty:
            continue
        if _uncertain(rows, kind):
            yield (
                f"Margins of {MODELS[kind]} gain by one log-odd of association (in one world, so without an "
                f"interval): {shares(rows, magnitude)}."
            )
            continue
        up, down = _above(rows, ROUNDING), _below(rows, -ROUNDING)
        told = [f"Margins of {MODELS[kind]} that grow with the planted association: {_titles(rows[up])}"]
        told += [f"not: {_titles(rows[~up & ~down])}"] if (~up & ~down).any() else []
        told += [f"falling: {_titles(rows[down])}"] if down.any() else []
        yield f"{'; '.join(told)} ({_by(found, rows)})."


def frequency_followed(found: Found) -> Iterator[str]:
    """Which margins go with the frequency of words where nothing is associated, and what that passes for."""
    for kind in TOLD:
        rows = _of(found, "frequency", kind)
        if rows.empty:
            continue
        if _uncertain(rows, kind):
            yield (
                f"Where nothing is associated, margins of {MODELS[kind]} gain by one log ratio of "
                f"frequencies (in one world, so without an interval): {shares(rows, magnitude)}."
            )
        else:
            yield (
                f"Where nothing is associated, margins of {MODELS[kind]} go, by one log ratio of "
                f"frequencies, {_ways(rows)} ({_by(found, rows)})."
            )
        exchange = _of(found, "exchange", kind)
        exchange = exchange[exchange["value"].abs() > ROUNDING]
        if len(exchange):
            yield (
                f"With {MODELS[kind]}, a word that is e times as frequent passes for so many log-odds of "
                f"association: {shares(exchange, number)}."
            )


def _ways(rows: pd.DataFrame) -> str:
    """Which measures follow frequency one way, the other, or neither, and by how much."""
    up, down = _above(rows, ROUNDING), _below(rows, -ROUNDING)
    ways = (
        ("towards the more frequent word with", up),
        ("towards the rarer with", down),
        ("neither way with", ~up & ~down),
    )
    return "; ".join(f"{way} {shares(rows[which], magnitude)}" for way, which in ways if which.any())


def power_had(found: Found) -> Iterator[str]:
    """How often the association at which power is asked for is found, with the fewest and the most pairs."""
    rows = found.merits
    numbers = rows.loc[rows["merit"] == "power", "condition"].str.extract(r"^n=(\d+)$")[0].dropna()
    counts = sorted(set(map(int, numbers)))
    for kind in TOLD:
        told = []
        for count in dict.fromkeys(counts[:1] + counts[-1:]):
            own = _of(found, "power", kind, f"n={count}")
            if len(own):
                told.append(f"with {count} pairs {shares(own, _whole)}")
        if told:
            yield (
                "How often, in percent, the test finds an association of p = "
                f"{found.power['association']:g} with {MODELS[kind]}: {'; '.join(told)}."
            )


def _whole(value: float) -> str:
    return number(value, 0)


def alarms_raised(found: Found) -> Iterator[str]:
    """Which measures nearly always raise a false alarm, and where; beside it what units that lean by chance
    would give, which is much where they are few."""
    rows = beside_chance(found.merits)
    alarms = rows[(rows["merit"] == ALARMS) & rows["value"].notna()]
    for kind in TOLD:
        own = alarms[alarms["kind"] == kind]
        if own.empty:
            continue
        many = own[own["value"] >= NEARLY_ALWAYS]
        told = [
            f"{where(str(condition))} {_titles(some)}"
            for condition, some in many.groupby("condition", sort=False)
        ]
        yield (
            f"Measures that raise a false alarm with {MODELS[kind]} in {NEARLY_ALWAYS} of 100 benchmarks or "
            f"more, of 500 pairs in which nothing is associated ({found.nominal:g} are allowed"
            f"{_by_coin(many)}): {'; '.join(told) if told else 'none'}."
        )


def _by_coin(rows: pd.DataFrame) -> str:
    """What the few words of such pairs would give if each leant to either side by a coin."""
    known = rows["chance"].dropna()
    if known.empty:
        return ""
    ends = list(dict.fromkeys(_whole(value) for value in (known.min(), known.max())))
    return f"; the same few words, each leaning by a coin, would give {' to '.join(ends)}"


def where(condition: str) -> str:
    """In what pairs alarms are false."""
    if condition.startswith("ratio="):
        ratio = condition.removeprefix("ratio=")
        return "between groups of one frequency" if ratio == "1" else f"against groups {ratio} times as rare"
    return {
        NO_ASSOCIATION: "about occupations",
        SUBTOKEN: "where a name has a subtoken more",
        LONGER: "where a name has a word more",
    }.get(condition, condition)


def worlds_ranked(found: Found) -> Iterator[str]:
    """Whether a measure ranks drawn worlds by their association."""
    told = []
    for among, condition in RANKED.items():
        rows = _of(found, OF_WORLDS, "oracle", condition)
        if len(rows):
            told.append(f"{among} {shares(rows, lambda value: number(value, signed=True))}")
    if told:
        yield (
            "Does a higher margin mean a stronger association? Spearman's correlation of the two over worlds "
            f"drawn at random, with perfect models: {'; '.join(told)}."
        )


def controls_hold(found: Found) -> Iterator[str]:
    """Whether controls came out as they should, and how many chance would deny."""
    rows = found.controls
    exact = rows[rows["control"].isin(EXACT_CONTROLS)]
    if len(exact):
        failed = exact[~exact["holds"]]
        if failed.empty:
            yield (
                f"Controls that must come out exactly do, all {len(exact)} of them: the same sentence twice "
                "ties, and exchanged sides change the sign."
            )
        else:
            worst = ", ".join(
                f"{row.control} ({row.model}, {title_of(row.measure)})" for row in rows_of(failed.head(3))
            )
            yield f"Of {len(exact)} controls that must come out exactly, {len(failed)} do not: {worst}."
    for control, part in rows[~rows["control"].isin(EXACT_CONTROLS)].groupby("control", sort=False):
        missed = int((~part["holds"]).sum())
        # elsewhere each word stands on either side equally often, so that chance hardly leans
        by_chance = (
            f"; chance alone would in about {_about(found.nominal * len(part) / 100)}"
            if control == "permuted"
            else ""
        )
        yield (
            f"Control {control}: the interval of the score leaves 50 out in {missed} of {len(part)} models "
            f"and measures{by_chance}."
        )


def _about(count: float) -> str:
    return f"{count:.0f}" if count >= 10 else f"{count:.2g}"


def keep_rates(found: Found) -> Iterator[str]:
    """What keeping tokens in training does to a perfect model's AUL."""
    rows = found.kept[(found.kept["context"] == "trusted") & (found.kept["measure"] == "AUL")]
    line = rows[rows["random"] > 0].sort_values("kept")
    if len(line) > 1:
        first, last = line.iloc[0], line.iloc[-1]
        yield (
            f"AUL of a perfect model gains {magnitude(first['association'])} by one log-odd of association "
            f"where training keeps {_share(first)} of the chosen tokens, and "
            f"{magnitude(last['association'])} where it keeps {_share(last)}; its exchange rate of frequency "
            f"is {number(first['exchange'])} and {number(last['exchange'])}."
        )
    for row in rows_of(rows[rows["random"] == 0]):
        strengths = [value for value in (row.association, row.frequency) if not math.isnan(value)]
        if strengths and max(map(abs, strengths)) < ROUNDING:
            yield (
                "Where training replaces no token at random, AUL of a perfect model is 0 for every pair: "
                "it says nothing."
            )
        elif strengths:
            yield (
                "Where training replaces no token at random, AUL of a perfect model gains "
                f"{magnitude(row.association)} by one log-odd, {magnitude(row.frequency)} by one log ratio."
            )


def _share(row: Any) -> str:
    return f"{100 * row['kept']:g}%"


def explained_by_frequency(found: Found) -> Iterator[str]:
    """Which scores go with the frequency of words in real pairs, and what of the differences between measures
    does."""
    for (model, benchmark), part in found.explained.groupby(["model", "benchmark"], sort=False):
        alone, two = part[part["second"].isna()], part[part["second"].notna()]
        with_words = alone[_apart(alone, "slope_low", "slope_high")]
        told = [f"{title_of(row.first)} {number(row.slope, 1, signed=True)}" for row in rows_of(with_words)]
        yield (
            f"{model} on {benchmark}: under {len(with_words)} of {len(alone)} measures what is "
            f"preferred follows the frequency of words by a {100 * found.confidence:g}% interval of the slope"
            + (f" (points per log ratio): {', '.join(told)}." if told else ".")
        )
        if len(two):
            yield from _of_two(two)


def _of_two(rows: pd.DataFrame) -> Iterator[str]:
    """What of the differences between measures goes with the frequency of words."""
    apart, by_words, left = (
        rows[_apart(rows, f"{part}low", f"{part}high")] for part in ("", "explained_", "rest_")
    )
    yield (
        f"Of {len(rows)} differences between measures {len(apart)} are clear by such an interval; a part "
        f"that goes with the frequency of words is clear in {len(by_words)}, a difference at equal frequency "
        f"in {len(left)}."
    )
    if len(by_words):
        most = max(rows_of(by_words), key=lambda row: abs(row.explained))
        first = title_of(most.first)
        agreed = ""
        if pd.notna(most.towards_frequent):
            share = percent(most.towards_frequent)
            agreed = f"; where the two disagree, {first} goes with the more frequent words in {share}%"
        yield (
            f"The largest such part: {first} less {title_of(most.second)}, "
            f"{number(most.explained, 1, signed=True)} points of a difference of "
            f"{number(most.value, 1, signed=True)}{agreed}."
        )


def _apart(rows: pd.DataFrame, low: str, high: str) -> "pd.Series[bool]":
    """Whether an interval is on one side of 0."""
    return (rows[low] > 0) | (rows[high] < 0)
