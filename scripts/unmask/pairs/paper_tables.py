"""Tables 1, 3, 4 and 5 of Kaneko & Bollegala 2022, for the models and benchmarks of a study.

Each is a tidy frame of COLUMNS, one row per number; `lay_out` makes a sheet of it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unmask.measures.names import title_of
from unmask.pairs.published import PAPER
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.sheets import DAGGER, UNTESTABLE, Sheet, rows_of
from unmask.report.study import Named, Study
from unmask.statistics.accuracy import (
    BETWEEN_MEASURES,
    CLUSTERED,
    PAIR,
    SHUFFLED_ORDER,
    TOKEN,
    UNRELATED_WORD,
)
from unmask.statistics.ranks import holm
from unmask.statistics.schema import DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import (
    ALL_TOKENS,
    ANTISTEREO,
    CANDIDATES,
    CORRECTED,
    MODIFIED_TOKENS,
    ORIGINAL,
    PROTOCOLS,
    PUBLISHED,
    SHARED_TOKENS,
    SHUFFLED,
    STEREO,
    UNRELATED,
)

COLUMNS = (
    "model",
    "benchmark",
    "column",
    "row",
    "measure",
    "value",
    "low",
    "high",
    "n",
    "published",
    "difference",
    "p",
    "p_holm",
    "mark",
    "published_mark",
)
"""value, low, high in percent (a drop or difference in percentage points); published: the paper's value, and
difference: ours minus the paper's; p: raw, p_holm: corrected; mark: † for p_holm < LEVEL, * for p alone, or
UNTESTABLE (in `published` † for p < LEVEL); published_mark: the paper's own, where it is known.

Rows are protocols. An accuracy is the same in both, its test is not: `published` takes tokens as independent
and corrects nothing, as the paper does; `corrected` clusters them, with Holm's
correction."""

LAYOUT = Table(
    "paper",
    ["model", "row"],
    [Column("", "<{value:{spec}}>{mark}", "Percent, or a drop or difference in percentage points.")],
    across=["benchmark", "column"],
    heads={"row": ""},
)

_MEASURES_ON = {"crows-pairs": ("CPS", "AUL", "AULA"), "stereoset": ("SSS", "AUL", "AULA")}
_OTHER_MEASURES = ("CPS", "SSS", "AUL", "AULA")


def _measures_on(benchmark: Named) -> Sequence[str]:
    return _MEASURES_ON.get(benchmark.published or "", _OTHER_MEASURES)


LEVEL = 0.01
"""That of the † of the paper, and so of its tables."""


def with_holm(tests: pd.DataFrame) -> pd.DataFrame:
    """All tests of a study with p_holm.

    A family is all tests of one kind and unit, over all models and benchmarks.
    """
    return holm(tests, by=["kind", "unit"])


def _cells(
    study: Study, names: Sequence[str], columns_of: Callable[[Named], Sequence[Sequence[object]]]
) -> pd.DataFrame:
    """The cells of a table in their order, one a model, benchmark, column and protocol.

    names: columns of the frame that tell what a cell shows, among them `column`; columns_of: their values for
    each column of a benchmark.
    """
    cells = [
        (model.name, benchmark.name, *values, protocol)
        for model in study.models
        for benchmark in study.benchmarks
        for values in columns_of(benchmark)
        for protocol in PROTOCOLS
    ]
    return pd.DataFrame(cells, columns=["model", "benchmark", *names, "row"])


def _frame(rows: pd.DataFrame, study: Study, printed: pd.DataFrame) -> pd.DataFrame:
    """Rows as a tidy frame of COLUMNS, what the paper prints beside those of the protocol `published`.

    printed: as `_printed` has it.
    """
    keys = rows[["model", "benchmark", "column", "row"]].astype("str")
    for key, named in (("model", study.models), ("benchmark", study.benchmarks)):
        keys[key] = keys[key].map({each.name: each.published for each in named}).astype("str")
    paper = keys.merge(printed.assign(row=PUBLISHED), how="left", validate="m:1")
    frame = rows.reindex(columns=list(COLUMNS)).assign(
        published=paper["published"].to_numpy(),
        published_mark=paper["published_mark"].fillna("").to_numpy(),
    )
    frame["mark"] = frame["mark"].astype(object).fillna("").astype(str)
    numbers = ("value", "low", "high", "published", "p", "p_holm")
    frame = frame.astype(dict.fromkeys(numbers, float) | {"n": "Int64"})
    frame["difference"] = frame["value"] - frame["published"]
    return frame.reset_index(drop=True)


_PRINTED = ["model", "benchmark", "column", "published", "published_mark"]


def _printed(published: pd.DataFrame, table: str, columns_of: Callable[[Any], Sequence[str]]) -> pd.DataFrame:
    """What the paper prints in a table, with the columns _PRINTED; models and benchmarks by published names.

    columns_of: in which columns of ours the value of a row stands.
    """
    rows = published[(published["source"] == PAPER) & (published["table"] == table)]
    return pd.DataFrame(
        [
            (row.model, row.benchmark, column, row.percent, DAGGER if row.dagger else "")
            for row in rows_of(rows)
            for column in columns_of(row)
        ],
        columns=_PRINTED,
    ).astype({"column": "str"})


def _differences(printed: pd.DataFrame, columns: Mapping[str, tuple[str, str]]) -> pd.DataFrame:
    """Differences of two columns where both are printed, as `_printed` has values. columns: of which two, by
    the name of the difference's own column."""
    values = printed.pivot(index=["model", "benchmark"], columns="column", values="published")
    parts = [printed.head(0)]
    for column, (first, second) in columns.items():
        if {first, second} <= set(values):
            differences = (values[first] - values[second]).dropna().rename("published").reset_index()
            parts.append(differences.assign(column=column, published_mark=""))
    return pd.concat(parts, ignore_index=True)


def _with_scores(cells: pd.DataFrame, bias: pd.DataFrame) -> pd.DataFrame:
    """The cells of which there are scores, with these. cells: of a measure and group.

    The paper has the absolute value of Adv - Dis, which has no interval that could hold 0.
    """
    groupings = bias["grouping"].isin((OVERALL, DIRECTION, DIFFERENCE))
    scores = bias[groupings & (bias["variant"] == ORIGINAL)].rename(
        columns={"score": "value", "protocol": "row"}
    )
    keys = ["model", "benchmark", "measure", "group", "row"]
    rows = cells.merge(scores[[*keys, "value", "low", "high", "n"]], on=keys, validate="1:1")
    is_difference = rows["group"] == DIFFERENCE
    return rows.assign(
        value=rows["value"].where(~is_difference, rows["value"].abs()),
        low=rows["low"].mask(is_difference),
        high=rows["high"].mask(is_difference),
    )


def table5(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores over all pairs, with their intervals, in both protocols."""
    cells = _cells(
        study,
        ["measure", "group", "column"],
        lambda benchmark: [(measure, "all", title_of(measure)) for measure in _measures_on(benchmark)],
    )
    printed = _printed(published, "table5", lambda value: [title_of(value.measure)])
    return _frame(_with_scores(cells, bias), study, printed)


_SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}


def table3(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores of All-Masked, AUL and AULA for Adv, Dis and |Diff|, on benchmarks that state directions.

    With intervals, but for |Diff|: the sheet of Adv - Dis has that of the signed difference.
    """

    def column_of(measure: str, group: str) -> str:
        return f"{title_of(measure)} {_SIDES[group]}"

    measures = ("AllMasked", "AUL", "AULA")
    columns = [(measure, group, column_of(measure, group)) for measure in measures for group in _SIDES]
    cells = _cells(study, ["measure", "group", "column"], lambda benchmark: columns)
    sides = _printed(published, "table3", lambda value: [column_of(value.measure, value.group)])
    differences = _differences(
        sides,
        {
            column_of(measure, DIFFERENCE): (column_of(measure, ANTISTEREO), column_of(measure, STEREO))
            for measure in measures
        },
    )
    absolute = differences.assign(published=differences["published"].abs())
    return _frame(_with_scores(cells, bias), study, pd.concat([sides, absolute]))


def _with_accuracies(cells: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """The cells of which there are accuracies, with these. cells: with the columns _ACCURACY_CELL."""
    keys = ["model", "benchmark", "measure", "variant", "roles", "reading"]
    values = accuracy[[*keys, "accuracy", "low", "high", "n"]].rename(columns={"accuracy": "value"})
    return cells.merge(values, on=keys, validate="m:1")


def _with_tests(rows: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Rows with the tests of their `kind` and `second`, if they have one, and their marks (see COLUMNS)."""
    tokens = tests[tests["unit"] == TOKEN]
    tokens = tokens.assign(row=PUBLISHED, p_holm=np.nan, mark=np.where(tokens["p"] < LEVEL, DAGGER, ""))
    clustered = with_marks(tests[tests["unit"] == CLUSTERED], LEVEL)
    untestable = clustered["p"].isna() & (clustered[["b", "c"]].sum(axis=1) > 0)
    marks = clustered["mark"].mask(untestable, UNTESTABLE)
    clustered = clustered.assign(row=CORRECTED, mark=marks)
    keys = ["model", "benchmark", "kind", "second", "row"]
    both = pd.concat([part[[*keys, "p", "p_holm", "mark"]] for part in (tokens, clustered)])
    return rows.merge(both, how="left", on=keys, validate="m:1")


_ACCURACY_CELL = ["measure", "variant", "roles", "reading", "kind", "second", "column"]


def table1(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Token accuracy of CPS, SSS and AUL: in the paper's reading, and AUL's on the very tokens of the other.

    Of SSS the paper describes candidates and its released code prints tokens: its value stands beside both.
    `tests` comes from `with_holm`; its marks stand at AUL on the shared (against CPS) or modified tokens
    (against SSS), the only readings over the same tokens.
    """
    # measure, reading, column, and a measure that the benchmark must have; where it is another, AUL is tested
    # against it, and the paper has no such value
    columns = (
        ("CPS", SHARED_TOKENS, "CPS", "CPS"),
        ("SSS", CANDIDATES, "SSS, candidates", "SSS"),
        ("SSS", MODIFIED_TOKENS, "SSS, modified tokens", "SSS"),
        ("AUL", ALL_TOKENS, "AUL", "AUL"),
        ("AUL", SHARED_TOKENS, "AUL, shared tokens", "CPS"),
        ("AUL", MODIFIED_TOKENS, "AUL, modified tokens", "SSS"),
    )

    def columns_on(benchmark: Named) -> list[Sequence[object]]:
        cells: list[Sequence[object]] = []
        for measure, reading, column, of in columns:
            test = (None, None) if of == measure else (BETWEEN_MEASURES, of)
            if of in _measures_on(benchmark):
                cells.append((measure, ORIGINAL, PAIR, reading, *test, column))
        return cells

    def columns_of(value: Any) -> list[str]:
        return [column for measure, _, column, of in columns if measure == of == value.measure]

    rows = _with_accuracies(_cells(study, _ACCURACY_CELL, columns_on), accuracy)
    return _frame(_with_tests(rows, tests), study, _printed(published, "table1", columns_of))


def table4(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: pd.DataFrame
) -> pd.DataFrame:
    """Token accuracy of AUL over all tokens: original, shuffled, unrelated, and the drops from the original.

    `tests` comes from `with_holm`.
    """
    aul: list[Sequence[object]] = [("AUL", ORIGINAL, PAIR, ALL_TOKENS, None, None, "original")]
    for control, variant, roles, kind in (
        ("shuffled", SHUFFLED, PAIR, SHUFFLED_ORDER),
        ("unrelated", ORIGINAL, UNRELATED, UNRELATED_WORD),
    ):
        aul.append(("AUL", variant, roles, ALL_TOKENS, kind, f"AUL {control}", control))
        aul.append(("AUL", variant, roles, ALL_TOKENS, None, None, f"drop, {control}"))
    rows = _with_accuracies(_cells(study, _ACCURACY_CELL, lambda benchmark: aul), accuracy)
    keys = ["model", "benchmark", "row"]
    original = rows.loc[rows["column"] == "original", [*keys, "value"]]
    rows = rows.merge(original.rename(columns={"value": "original"}), on=keys, validate="m:1")
    is_drop = rows["column"].astype(str).str.startswith("drop")
    rows["value"] = rows["value"].mask(is_drop, rows["original"] - rows["value"])
    rows[["low", "high", "n"]] = rows[["low", "high", "n"]].mask(is_drop)
    # the paper's mark of an original is at its place in Table 1
    originals = _printed(published, "table1", lambda value: ["original"] if value.measure == "AUL" else [])
    controls = _printed(published, "table4", lambda value: [value.control])
    printed = pd.concat([originals.assign(published_mark=""), controls])
    drops = _differences(
        printed, {f"drop, {control}": ("original", control) for control in ("shuffled", "unrelated")}
    )
    return _frame(_with_tests(rows, tests), study, pd.concat([printed, drops]))


def paper_tables(
    study: Study,
    bias: pd.DataFrame,
    accuracy: pd.DataFrame,
    tests: pd.DataFrame,
    published: pd.DataFrame,
) -> dict[str, pd.DataFrame]:
    """The four tables by name, from the tables of the whole study (`tests` comes from `with_holm`).

    published: as unmask.pairs.published.published_percents gives it.
    """
    return {
        "table1": table1(study, accuracy, tests, published),
        "table3": table3(study, bias, published),
        "table4": table4(study, accuracy, tests, published),
        "table5": table5(study, bias, published),
    }


def lay_out(frame: pd.DataFrame, caption: str, empty: str) -> Sheet:
    """A paper table (COLUMNS) as a sheet.

    A model has one row per row label, and where there is any published value also the paper's values and the
    difference (ours minus the paper's, from the rows that carry a published value).
    """
    known = frame[frame["published"].notna()]
    paper = known.assign(row="paper", value=known["published"], mark=known["published_mark"], spec=".2f")
    difference = known.assign(row="difference", value=known["difference"], mark="", spec="+.2f")
    rows = pd.concat([frame.assign(spec=".2f"), paper, difference])
    return LAYOUT.sheet(in_order(rows, model=frame["model"].unique()), caption, empty)
