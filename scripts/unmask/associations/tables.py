"""The tables of association tests as they are shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from unmask.associations.chance import by_word, counts
from unmask.associations.results import Found
from unmask.associations.terms import ITEM
from unmask.measures.registry import title_of
from unmask.report.sheets import DASH, Sheet, interval, mark, number, p_value, rows_of, wide
from unmask.report.table_files import Made
from unmask.terms import CORRECTED, PUBLISHED

DECIMALS = 3
"""Of gaps and of means of s, which are differences of cosines; d has two."""

CANNOT_REJECT = "cannot reject"
"""What is said of a test whose smallest p is not below alpha, in place of its p."""

OVER = ["encoder", "suite", "pooling"]
"""What the overview has a row for."""


def table1(found: Found) -> Made:
    """Every test by pooling down, encoders across; the frame has both levels and protocols."""
    printed = {
        (row.encoder, row.suite, row.test, row.pooling): row
        for row in rows_of(found.weat[(found.weat["level"] == ITEM) & (found.weat["protocol"] == PUBLISHED)])
    }
    labels = ("d", "interval", "gap", "p (Holm)", "d by item, published", "p")

    def cells(row: Any) -> list[str]:
        item = printed.get((row.encoder, row.suite, row.test, row.pooling))
        return [
            number(row.d, signed=True) + _mark(row, found.alpha),
            interval(row.d_low, row.d_high, 2, signed=True),
            number(row.gap, DECIMALS, signed=True),
            _corrected(row),
            DASH if item is None else number(item.d, signed=True),
            DASH if item is None else p_value(item.p),
        ]

    rows = found.main
    lines = []
    encoders = [name for name in found.names if (rows["encoder"] == name).any()]
    for key, own in groups(rows.sort_values("pooling", key=_ranks(found), kind="stable"), ["pooling"]):
        for (suite, test), part in groups(own, ["suite", "test"]):
            by_encoder = {row.encoder: row for row in rows_of(part)}
            expected = sorted(part["expected_d"].dropna())
            line = [key[0], suite, test, " or ".join(dict.fromkeys(part["level"])), _ends(expected)]
            for encoder in encoders:
                row = by_encoder.get(encoder)
                line += [DASH] * len(labels) if row is None else cells(row)
            lines.append(tuple(line))
    heads = [("", "|d| without bias"), *((encoder, label) for encoder in encoders for label in labels)]
    stubs = ("pooling", "suite", "test", "unit")
    return found.weat, _sheet(found, "table1", stubs, heads, lines)


def overview(found: Found) -> Made:
    """How many tests are beyond chance, and mean |d| beside what it would be without bias."""
    frame = counts(_by_encoder(found, found.main), OVER, found.alpha)
    lines = [
        (
            row.encoder,
            row.suite,
            row.pooling,
            str(row.tests),
            f"{row.beyond} of {row.able}" if row.able else DASH,
            f"{row.before} of {row.able_before}" if row.able_before else DASH,
            number(row.by_chance) if row.able_before else DASH,
            number(row.mean_d),
            number(row.expected_d),
        )
        for row in rows_of(frame)
    ]
    heads = [
        ("", "tests"),
        ("beyond chance", "after Holm's correction"),
        ("beyond chance", "before it"),
        ("beyond chance", "before it, by chance"),
        ("mean |d|", "found"),
        ("mean |d|", "without bias"),
    ]
    return frame, _sheet(found, "overview", ("encoder", "suite", "pooling"), heads, lines)


PUBLISHED_COLUMNS = [
    "encoder",
    "suite",
    "source",
    "test",
    "pooling",
    "level",
    "published_d",
    "d",
    "difference",
    "published_p",
    "p",
    "note",
]


def published(found: Found) -> Made:
    """What others have published, beside ours in the same pooling and level, with the same deviation."""
    places: dict[tuple[str, ...], Any] = {
        (row.encoder, row.suite, row.test, row.pooling, row.level): row
        for row in rows_of(found.weat)
        if row.protocol == (PUBLISHED if row.level == ITEM else CORRECTED)
    }
    frame = pd.DataFrame(
        [line for encoder in found.names for line in _compared(found, encoder, places)],
        columns=PUBLISHED_COLUMNS,
    ).astype(dict.fromkeys(["published_d", "d", "difference", "published_p", "p"], float))
    lines = [
        (
            row.encoder,
            row.suite,
            row.test,
            row.source,
            row.pooling,
            row.level,
            number(row.published_d, signed=True),
            number(row.d, signed=True),
            number(row.difference, DECIMALS, signed=True),
            p_value(row.published_p),
            p_value(row.p),
            DASH if pd.isna(row.note) else row.note,
        )
        for row in rows_of(frame)
    ]
    heads = [("d", label) for label in ("published", "ours", "difference")]
    heads += [("one-sided p", "published"), ("one-sided p", "ours"), ("", "note")]
    stubs = ("encoder", "suite", "test", "source", "pooling", "unit")
    return frame, _sheet(found, "published", stubs, heads, lines)


def _compared(found: Found, encoder: str, places: Mapping[tuple[str, ...], Any]) -> list[dict[str, Any]]:
    """Of one encoder: all values of tests of the study, and means over tests that a suite has all of."""
    name = found.printed_name(encoder)
    printed = [(row, row.tests.split()) for row in rows_of(found.published[found.published["model"] == name])]
    own = found.weat[found.weat["encoder"] == encoder]
    lines = []
    for suite, part in own.groupby("suite", sort=False):
        if suite not in found.released:
            continue
        of_suite = list(part["test"].drop_duplicates())
        values = [value for test in of_suite for value in printed if value[1] == [test]]
        values += [value for value in printed if len(value[1]) > 1 and set(value[1]) <= set(of_suite)]
        for value, tests in values:
            rows = [places.get((encoder, str(suite), test, value.pooling, value.level)) for test in tests]
            d = _own_d(rows, value.ddof)
            one = rows[0] if len(rows) == 1 else None
            lines.append(
                {
                    "encoder": encoder,
                    "suite": suite,
                    "source": value.source,
                    "test": tests[0] if len(tests) == 1 else f"mean |d| of {', '.join(tests)}",
                    "pooling": value.pooling,
                    "level": value.level,
                    "published_d": value.value,
                    "d": d,
                    "difference": None if d is None else d - value.value,
                    "published_p": value.p,
                    "p": None if one is None else one.p,
                    "note": value.why,
                }
            )
    return lines


def _own_d(rows: Sequence[Any], ddof: str) -> float | None:
    """d over the deviation that the source has; of several tests the mean of |d|; none if one lacks it."""
    ds = [None if row is None else row.d0 if ddof == "0" else row.d for row in rows]
    known = [float(d) for d in ds if d is not None and not pd.isna(d)]
    if len(known) < len(ds):
        return None
    return known[0] if len(known) == 1 else sum(map(abs, known)) / len(known)


EFFECTS = ("target_effect", "image_effect", "interaction")


def with_effects(means: pd.DataFrame) -> pd.DataFrame:
    """The 2×2 of grounded tests with EFFECTS, as unmask.associations.grounded.Means has them."""
    x1, x2, y1, y2 = (means[key].astype(float) for key in ("x1", "x2", "y1", "y2"))
    return means.assign(
        target_effect=(x1 + x2 - y1 - y2) / 2,
        image_effect=(x1 - x2 + y1 - y2) / 2,
        interaction=(x1 - x2 - y1 + y2) / 2,
    )


def grounded(found: Found) -> Made:
    """The 2×2 of grounded tests and its effects; the sheet has them by word where words are known."""
    frame = with_effects(found.means)
    shown = main_means(frame)
    lines = [
        (
            row.encoder,
            row.suite,
            row.test,
            row.level,
            *(number(getattr(row, key), DECIMALS, signed=True) for key in ("x1", "x2", "y1", "y2")),
            *(number(getattr(row, key), DECIMALS, signed=True) for key in EFFECTS),
        )
        for row in rows_of(shown)
    ]
    heads = [("X", "pictures of X"), ("X", "pictures of Y"), ("Y", "pictures of X"), ("Y", "pictures of Y")]
    heads += [("effect", label) for label in ("of the words", "of the pictures", "of both together")]
    return frame, _sheet(found, "grounded", ("encoder", "suite", "test", "unit"), heads, lines)


def main_means(means: pd.DataFrame) -> pd.DataFrame:
    """Of the 2×2 of each test that by word, or by item where words are not known."""
    return by_word(means, ["encoder", "suite", "test", "pooling"])


def experiments(found: Found) -> Made:
    """Experiments 1 to 4 of grounded tests, a row each; one whose smallest p is not below alpha has none."""
    rows = found.grounded
    lines = []
    for row in rows_of(rows):
        why_not = DASH if pd.isna(row.reason) else str(row.reason)
        shown = p_value(row.p_two), _corrected(row)
        if row.least_p >= found.alpha:
            shown = DASH, DASH
            why_not = CANNOT_REJECT if why_not == DASH else f"{CANNOT_REJECT}: {why_not}"
        line = (
            row.encoder,
            row.suite,
            row.test,
            row.experiment,
            row.level,
            number(row.gap, DECIMALS, signed=True),
            number(row.d, signed=True) + _mark(row, found.alpha),
            interval(row.d_low, row.d_high, 2, signed=True),
            number(row.expected_d),
            *shown,
            p_value(row.least_p),
            why_not,
        )
        lines.append(line)
    labels = ("gap", "d", "interval", "|d| without bias", "p", "p (Holm)", "smallest p", "why not")
    stubs = ("encoder", "suite", "test", "experiment", "unit")
    return rows, _sheet(found, "experiments", stubs, [("", label) for label in labels], lines)


def poolings(found: Found) -> Made:
    """How far two poolings of one encoder agree."""
    frame = found.poolings_compared
    lines = [
        (
            row.encoder,
            row.first,
            row.second,
            str(row.tests),
            f"{100 * row.same_sign:.0f}%",
            number(row.tau, signed=True),
        )
        for row in rows_of(frame)
    ]
    heads = [("", label) for label in ("tests", "same sign", "Kendall's tau of d")]
    return frame, _sheet(found, "poolings", ("encoder", "first", "second"), heads, lines)


def differences(found: Found) -> Made:
    """d of one encoder less that of another, by word where words are known; the frame has both levels."""
    frame = found.differences
    shown = main_differences(frame)
    told = shown.assign(
        group=shown["first"],
        label=[f"\N{MINUS SIGN} {second}" for second in shown["second"]],
        cell=[number(row.difference, signed=True) + _ends_of(row.low, row.high) for row in rows_of(shown)],
    )
    stubs = ("suite", "test", "experiment", "pooling")
    sheet = wide(told, stubs, ("group", "label"), "cell", found.captions["differences"])
    return frame, sheet if sheet.rows else _sheet(found, "differences", stubs, [], [])


def _ends_of(low: float, high: float) -> str:
    return "" if pd.isna(low) else f" ({interval(low, high, 2, signed=True)})"


def main_differences(frame: pd.DataFrame) -> pd.DataFrame:
    """Those by word, or by item where one of the two encoders has no others."""
    return by_word(frame, ["suite", "test", "experiment", "pooling", "first", "second"])


def pairs(found: Found) -> Made:
    """Spearman's ρ of mean d and bias score over models; why there is no p at all stands in the caption."""
    frame = found.with_pairs
    reasons = set(frame["reason"])
    shared = next(iter(reasons)) if len(reasons) == 1 and frame["reason"].notna().all() else None
    lines: list[tuple[str, ...]] = [
        (
            row.suite,
            row.pooling,
            row.benchmark,
            title_of(row.measure),
            str(row.models),
            str(row.tests),
            number(row.rho, signed=True) + mark(_none(row.p), _none(row.p_holm), found.alpha),
            p_value(row.p),
            p_value(row.p_holm),
            DASH if pd.isna(row.reason) else str(row.reason),
        )
        for row in rows_of(frame)
    ]
    stubs = ("suite", "pooling", "benchmark", "measure")
    heads = [("", label) for label in ("models", "tests", "Spearman's rho", "p", "p (Holm)", "why not")]
    if shared is None:
        return frame, _sheet(found, "pairs", stubs, heads, lines)
    sheet = _sheet(found, "pairs", stubs, heads[:3], [line[: len(stubs) + 3] for line in lines])
    return frame, replace(sheet, caption=f"{sheet.caption} There is no p here: {shared}.")


def constructed(found: Found) -> Made:
    """What is measured of hand-set weights beside what they are."""
    frame = found.constructed.assign(difference=found.constructed["gap"] - found.constructed["truth"])
    lines = [
        (
            row.world,
            row.experiment,
            row.level,
            number(row.truth, 6, signed=True),
            number(row.gap, 6, signed=True),
            "0" if row.difference == 0 else f"{abs(row.difference):.0e}",
            number(row.d, signed=True),
            p_value(row.p_two),
        )
        for row in rows_of(frame)
    ]
    heads = [("gap", "truth"), ("gap", "measured"), ("gap", "off by"), ("", "d"), ("", "p")]
    return frame, _sheet(found, "constructed", ("world", "experiment", "unit"), heads, lines)


def planted(found: Found) -> Made:
    """Gap and d by the strength of what was planted."""
    rows = _by_encoder(found, found.planted)
    lines = [
        (
            row.encoder,
            row.series,
            row.pooling,
            row.test,
            f"{row.strength:g}",
            number(row.gap, DECIMALS, signed=True),
            interval(row.gap_low, row.gap_high, DECIMALS, signed=True),
            number(row.d, signed=True) + _mark(row, found.alpha),
            _corrected(row),
        )
        for row in rows_of(rows)
    ]
    heads = [("", label) for label in ("strength", "gap", "interval", "d", "p (Holm)")]
    return rows, _sheet(found, "planted", ("encoder", "targets", "pooling", "test"), heads, lines)


def groups(frame: pd.DataFrame, keys: Sequence[str]) -> Iterable[tuple[tuple[str, ...], pd.DataFrame]]:
    """The rows of each key in order of appearance, with the key as text."""
    for key, part in frame.groupby(list(keys), sort=False):
        yield tuple(map(str, key)), part


def _by_encoder(found: Found, rows: pd.DataFrame) -> pd.DataFrame:
    """Encoders in the order of the study, then suites as they are and poolings in the order of the study."""
    suites = {name: place for place, name in enumerate(rows["suite"].drop_duplicates())}
    ranks = {
        "encoder": {name: place for place, name in enumerate(found.names)},
        "suite": suites,
        "pooling": {name: place for place, name in enumerate(found.poolings)},
    }
    return rows.sort_values(
        list(ranks), key=lambda column: column.map(ranks[str(column.name)]), kind="stable"
    )


def _ranks(found: Found) -> Callable[["pd.Series[Any]"], "pd.Series[Any]"]:
    places = {name: place for place, name in enumerate(found.poolings)}
    return lambda column: column.map(places)


def _mark(row: Any, alpha: float) -> str:
    """† and * of a test's two-sided p."""
    return mark(_none(row.p_two), _none(row.p_holm), alpha)


def _corrected(row: Any) -> str:
    """p after Holm's correction, in brackets where the test could not be beyond chance."""
    text = p_value(row.p_holm)
    return text if text == DASH or row.able else f"({text})"


def _none(p: float) -> float | None:
    return None if pd.isna(p) else float(p)


def _ends(values: Sequence[float]) -> str:
    """The value, or the least and the most where they differ."""
    if not values:
        return DASH
    ends = number(values[0]), number(values[-1])
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def _sheet(
    found: Found,
    name: str,
    stubs: tuple[str, ...],
    heads: Sequence[tuple[str, str]],
    lines: Sequence[tuple[str, ...]],
) -> Sheet:
    """The sheet under its caption; where there is nothing the caption says so."""
    if lines:
        return Sheet(found.captions[name], stubs, tuple(heads), tuple(lines))
    return Sheet(f"{found.captions[name]} {found.captions['empty']}", stubs, (), ())
