"""Tables 1, 3, 4 and 5 of Kaneko & Bollegala 2022, for the models and benchmarks of a study.

Each is a tidy frame of COLUMNS, one row per number; `lay_out` makes a sheet of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.published import PAPER
from unmask.report.declared_tables import Column, Table, in_order
from unmask.report.sheets import DAGGER, UNTESTABLE, Sheet, mark, rows_of
from unmask.report.study import Named, Study
from unmask.statistics.accuracy import PAIR
from unmask.statistics.correction import holm
from unmask.statistics.mcnemar import BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD
from unmask.statistics.options import TOKEN
from unmask.statistics.schema import DIFFERENCE, OVERALL
from unmask.terms import (
    ALL_TOKENS,
    ANTISTEREO,
    CANDIDATES,
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
difference: ours minus the paper's; p: raw, p_holm: corrected; mark: † for p_holm < alpha, * for p alone, or
UNTESTABLE (in `published` † for p < alpha); published_mark: the paper's own, where it is known.

Rows are protocols. An accuracy is the same in both, its test is not: `published` takes tokens as independent
and corrects nothing, as the paper does; `corrected` has the unit that the study asks for, with Holm's
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


def with_holm(tests: pd.DataFrame) -> pd.DataFrame:
    """All tests of a study with p_holm.

    A family is all tests of one kind and unit, over all models and benchmarks.
    """
    return holm(tests, by=["kind", "unit"])


def _cells(study: Study) -> Iterator[tuple[Named, Named]]:
    for model in study.models:
        for benchmark in study.benchmarks:
            yield model, benchmark


def _only(frame: pd.DataFrame, **wanted: str | bool) -> "pd.Series[Any] | None":
    """The one row with these values, None where there is none."""
    rows = frame
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    if len(rows) > 1:
        raise ValueError(f"{len(rows)} rows for {wanted}")
    return rows.iloc[0] if len(rows) else None


def _frame(rows: Sequence[dict[str, object]], study: Study, printed: pd.DataFrame) -> pd.DataFrame:
    """Rows as a tidy frame of COLUMNS, what the paper prints beside those of the protocol `published`.

    printed: as `_printed` has it.
    """
    frame = pd.DataFrame(list(rows), columns=[name for name in COLUMNS if not name.startswith("published")])
    keys = frame[["model", "benchmark", "column", "row"]].astype("str")
    for key, named in (("model", study.models), ("benchmark", study.benchmarks)):
        keys[key] = keys[key].map({each.name: each.published for each in named}).astype("str")
    beside = keys.merge(printed.assign(row=PUBLISHED), how="left", validate="m:1")
    frame["published"] = beside["published"].to_numpy()
    frame["published_mark"] = beside["published_mark"].fillna("").to_numpy()
    frame["mark"] = [str(row.get("mark", "")) for row in rows]
    numbers = ("value", "low", "high", "published", "p", "p_holm")
    frame = frame.astype(dict.fromkeys(numbers, float) | {"n": "Int64"})
    frame["difference"] = frame["value"] - frame["published"]
    return frame[list(COLUMNS)]


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


def _bias_rows(
    bias: pd.DataFrame,
    model: Named,
    benchmark: Named,
    measure: str,
    group: str,
    column: str,
) -> Iterator[dict[str, object]]:
    for protocol in PROTOCOLS:
        found = _only(
            bias,
            model=model.name,
            benchmark=benchmark.name,
            variant=ORIGINAL,
            measure=measure,
            protocol=protocol,
            grouping={"all": OVERALL, DIFFERENCE: DIFFERENCE}.get(group, "direction"),
            group=group,
        )
        if found is not None:
            # the paper has the absolute value of Adv - Dis, which has no interval that could hold 0
            is_difference = group == DIFFERENCE
            yield {
                "model": model.name,
                "benchmark": benchmark.name,
                "column": column,
                "row": protocol,
                "measure": measure,
                "value": abs(found["score"]) if is_difference else found["score"],
                "low": None if is_difference else found["low"],
                "high": None if is_difference else found["high"],
                "n": found["n"],
            }


def table5(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores over all pairs, with their intervals, in both protocols."""
    rows = [
        row
        for model, benchmark in _cells(study)
        for measure in _MEASURES_ON.get(benchmark.published or "", _OTHER_MEASURES)
        for row in _bias_rows(bias, model, benchmark, measure, "all", title_of(measure))
    ]
    return _frame(rows, study, _printed(published, "table5", lambda value: [title_of(value.measure)]))


_SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}


def table3(study: Study, bias: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores of All-Masked, AUL and AULA for Adv, Dis and |Diff|, on benchmarks that state directions.

    With intervals, but for |Diff|: the sheet of Adv - Dis has that of the signed difference.
    """

    def column_of(measure: str, group: str) -> str:
        return f"{title_of(measure)} {_SIDES[group]}"

    measures = ("AllMasked", "AUL", "AULA")
    rows = [
        row
        for model, benchmark in _cells(study)
        for measure in measures
        for group in _SIDES
        for row in _bias_rows(bias, model, benchmark, measure, group, column_of(measure, group))
    ]
    sides = _printed(published, "table3", lambda value: [column_of(value.measure, value.group)])
    differences = _differences(
        sides,
        {
            column_of(measure, DIFFERENCE): (column_of(measure, ANTISTEREO), column_of(measure, STEREO))
            for measure in measures
        },
    )
    absolute = differences.assign(published=differences["published"].abs())
    return _frame(rows, study, pd.concat([sides, absolute]))


def _test(
    tests: pd.DataFrame,
    model: Named,
    benchmark: Named,
    kind: str,
    second: str,
    alpha: float,
    protocol: str,
) -> dict[str, object]:
    """The test of an accuracy in a protocol (see COLUMNS), with its mark."""
    unit: dict[str, str | bool] = {"unit": TOKEN} if protocol == PUBLISHED else {"chosen": True}
    found = _only(tests, model=model.name, benchmark=benchmark.name, kind=kind, second=second, **unit)
    if found is None:
        return {}
    p, p_holm = found["p"], found["p_holm"]
    if protocol == PUBLISHED:
        return {"p": p, "mark": DAGGER if p < alpha else ""}
    return {"p": p, "p_holm": p_holm, "mark": UNTESTABLE if found["untestable"] else mark(p, p_holm, alpha)}


def _in_both(
    row: dict[str, object], tested: Callable[[str], dict[str, object]]
) -> Iterator[dict[str, object]]:
    """The rows of an accuracy, one a protocol. tested: what `_test` gives of a protocol."""
    for protocol in PROTOCOLS:
        yield {**row, "row": protocol, **tested(protocol)}


def _untested(protocol: str) -> dict[str, object]:
    """The test of what is not tested."""
    return {}


def _accuracy_cells(column: str, found: "pd.Series[Any]") -> dict[str, object]:
    return {
        "column": column,
        "value": found["accuracy"],
        "low": found["low"],
        "high": found["high"],
        "n": found["n"],
    }


def table1(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: pd.DataFrame, alpha: float
) -> pd.DataFrame:
    """Token accuracy of CPS, SSS and AUL: in the paper's reading, and AUL's on the very tokens of the other.

    Of SSS the paper describes candidates and its released code prints tokens: its value stands beside both.
    `tests` comes from `with_holm`; its marks stand at AUL on the shared (against CPS) or modified tokens
    (against SSS), the only readings over the same tokens.
    """
    # measure, reading, column, whether the paper's value may be this, which measure it is tested against
    columns = (
        ("CPS", SHARED_TOKENS, "CPS", True, None),
        ("SSS", CANDIDATES, "SSS, candidates", True, None),
        ("SSS", MODIFIED_TOKENS, "SSS, modified tokens", True, None),
        ("AUL", ALL_TOKENS, "AUL", True, None),
        ("AUL", SHARED_TOKENS, "AUL, shared tokens", False, "CPS"),
        ("AUL", MODIFIED_TOKENS, "AUL, modified tokens", False, "SSS"),
    )
    rows: list[dict[str, object]] = []
    for model, benchmark in _cells(study):
        shown = _MEASURES_ON.get(benchmark.published or "", _OTHER_MEASURES)
        for measure, reading, column, _, against in columns:
            owner = "SSS" if reading == MODIFIED_TOKENS else "CPS" if reading == SHARED_TOKENS else measure
            found = _only(
                accuracy,
                model=model.name,
                benchmark=benchmark.name,
                measure=measure,
                variant=ORIGINAL,
                roles=PAIR,
                reading=reading,
            )
            if found is None or owner not in shown:
                continue
            rows += _in_both(
                {"model": model.name, "benchmark": benchmark.name, "measure": measure}
                | _accuracy_cells(column, found),
                partial(_test, tests, model, benchmark, BETWEEN_MEASURES, against, alpha)
                if against
                else _untested,
            )

    def columns_of(value: Any) -> list[str]:
        return [
            column for measure, _, column, in_paper, _ in columns if in_paper and measure == value.measure
        ]

    return _frame(rows, study, _printed(published, "table1", columns_of))


def table4(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: pd.DataFrame, alpha: float
) -> pd.DataFrame:
    """Token accuracy of AUL over all tokens: original, shuffled, unrelated, and the drops from the original.

    `tests` comes from `with_holm`.
    """
    rows: list[dict[str, object]] = []
    for model, benchmark in _cells(study):
        of_aul = accuracy[
            (accuracy["model"] == model.name)
            & (accuracy["benchmark"] == benchmark.name)
            & (accuracy["measure"] == "AUL")
            & (accuracy["reading"] == ALL_TOKENS)
        ]
        original = _only(of_aul, variant=ORIGINAL, roles=PAIR)
        if original is None:
            continue
        same = {"model": model.name, "benchmark": benchmark.name, "measure": "AUL"}
        rows += _in_both(same | _accuracy_cells("original", original), _untested)
        for control, found, kind, second in (
            ("shuffled", _only(of_aul, variant=SHUFFLED, roles=PAIR), SHUFFLED_ORDER, "AUL shuffled"),
            ("unrelated", _only(of_aul, variant=ORIGINAL, roles=UNRELATED), UNRELATED_WORD, "AUL unrelated"),
        ):
            if found is not None:
                rows += _in_both(
                    same | _accuracy_cells(control, found),
                    partial(_test, tests, model, benchmark, kind, second, alpha),
                )
                drop = {
                    "column": f"drop, {control}",
                    "value": original["accuracy"] - found["accuracy"],
                }
                rows += _in_both(same | drop, _untested)
    # the paper's mark of an original is at its place in Table 1
    originals = _printed(published, "table1", lambda value: ["original"] if value.measure == "AUL" else [])
    controls = _printed(published, "table4", lambda value: [value.control])
    printed = pd.concat([originals.assign(published_mark=""), controls])
    drops = _differences(
        printed, {f"drop, {control}": ("original", control) for control in ("shuffled", "unrelated")}
    )
    return _frame(rows, study, pd.concat([printed, drops]))


def paper_tables(
    study: Study,
    bias: pd.DataFrame,
    accuracy: pd.DataFrame,
    tests: pd.DataFrame,
    published: pd.DataFrame,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """The four tables by name, from the tables of the whole study (`tests` comes from `with_holm`).

    published: as unmask.pairs.published.published_percents gives it.
    """
    return {
        "table1": table1(study, accuracy, tests, published, alpha),
        "table3": table3(study, bias, published),
        "table4": table4(study, accuracy, tests, published, alpha),
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
