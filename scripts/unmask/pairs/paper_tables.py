"""Tables 1, 3, 4 and 5 of Kaneko & Bollegala 2022, for the models and benchmarks of a study.

Each is a tidy frame of COLUMNS, one row per number; `lay_out` makes a sheet of it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.published import Published
from unmask.report.sheets import DASH, Sheet, mark, number
from unmask.report.study import Named, Study
from unmask.statistics.accuracy import PAIR
from unmask.statistics.correction import holm
from unmask.statistics.mcnemar import BETWEEN_MEASURES, SHUFFLED_ORDER, UNRELATED_WORD
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
)
"""value, low, high in percent (a drop or difference in percentage points); published: the paper's value, and
difference: ours minus the paper's; p: raw, p_holm: corrected; mark: † for p_holm < alpha, * for p alone."""

MEASURED = "measured"
"""The row label of numbers that have no protocol."""

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


def _frame(rows: Sequence[dict[str, object]]) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows), columns=list(COLUMNS))
    numbers = ("value", "low", "high", "published", "p", "p_holm")
    frame = frame.astype(dict.fromkeys(numbers, float) | {"n": "Int64"})
    frame["difference"] = frame["value"] - frame["published"]
    frame["mark"] = [str(row.get("mark", "")) for row in rows]
    return frame


def _bias_rows(
    bias: pd.DataFrame,
    model: Named,
    benchmark: Named,
    measure: str,
    group: str,
    column: str,
    published: Published,
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
            interval = "bootstrap" if group == DIFFERENCE else "wilson"
            theirs = published.score(model.published, benchmark.published, measure, group)
            yield {
                "model": model.name,
                "benchmark": benchmark.name,
                "column": column,
                "row": protocol,
                "measure": measure,
                "value": found["score"],
                "low": found[f"{interval}_low"],
                "high": found[f"{interval}_high"],
                "n": found["n"],
                "published": theirs if protocol == PUBLISHED else None,
            }


def table5(study: Study, bias: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Bias scores over all pairs, with Wilson intervals, in both protocols."""
    return _frame(
        [
            row
            for model, benchmark in _cells(study)
            for measure in _MEASURES_ON.get(benchmark.published or "", _OTHER_MEASURES)
            for row in _bias_rows(bias, model, benchmark, measure, "all", title_of(measure), published)
        ]
    )


def table3(study: Study, bias: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Bias scores of All-Masked, AUL and AULA for Adv, Dis and |Diff|, on benchmarks that state directions.

    Wilson intervals; for |Diff| the bootstrap's.
    """
    return _frame(
        [
            row
            for model, benchmark in _cells(study)
            for measure in ("AllMasked", "AUL", "AULA")
            for group, label in ((ANTISTEREO, "Adv"), (STEREO, "Dis"), (DIFFERENCE, "|Diff|"))
            for row in _bias_rows(
                bias, model, benchmark, measure, group, f"{title_of(measure)} {label}", published
            )
        ]
    )


def _test(
    tests: pd.DataFrame, model: Named, benchmark: Named, kind: str, second: str, alpha: float
) -> dict[str, object]:
    found = _only(tests, model=model.name, benchmark=benchmark.name, kind=kind, second=second, chosen=True)
    if found is None:
        return {}
    return {"p": found["p"], "p_holm": found["p_holm"], "mark": mark(found["p"], found["p_holm"], alpha)}


def _accuracy_cells(column: str, found: "pd.Series[Any]", theirs: float | None) -> dict[str, object]:
    return {
        "column": column,
        "value": found["accuracy"],
        "low": found["low"],
        "high": found["high"],
        "n": found["n"],
        "published": theirs,
    }


def table1(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: Published, alpha: float
) -> pd.DataFrame:
    """Token accuracy of CPS, SSS and AUL: in the paper's reading, and AUL's on the very tokens of the other.

    `tests` comes from `with_holm`; its marks stand at AUL on the shared (against CPS) or modified tokens
    (against SSS), the only readings over the same tokens.
    """
    plain = (
        ("CPS", SHARED_TOKENS, "CPS", None),
        ("SSS", CANDIDATES, "SSS", None),
        ("AUL", ALL_TOKENS, "AUL", None),
        ("AUL", SHARED_TOKENS, "AUL, shared tokens", "CPS"),
        ("SSS", MODIFIED_TOKENS, "SSS, modified tokens", None),
        ("AUL", MODIFIED_TOKENS, "AUL, modified tokens", "SSS"),
    )
    rows: list[dict[str, object]] = []
    for model, benchmark in _cells(study):
        shown = _MEASURES_ON.get(benchmark.published or "", _OTHER_MEASURES)
        for measure, reading, column, against in plain:
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
            # the paper's reading is the column of the measure's plain name
            in_paper = column == measure
            theirs = published.accuracy(model.published, benchmark.published, measure) if in_paper else None
            rows.append(
                {"model": model.name, "benchmark": benchmark.name, "row": MEASURED, "measure": measure}
                | _accuracy_cells(column, found, theirs)
                | (_test(tests, model, benchmark, BETWEEN_MEASURES, against, alpha) if against else {})
            )
    return _frame(rows)


def table4(
    study: Study, accuracy: pd.DataFrame, tests: pd.DataFrame, published: Published, alpha: float
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
        same = {"model": model.name, "benchmark": benchmark.name, "row": MEASURED, "measure": "AUL"}
        theirs = published.accuracy(model.published, benchmark.published, "AUL")
        rows.append(same | _accuracy_cells("original", original, theirs))
        for control, found, kind, second in (
            ("shuffled", _only(of_aul, variant=SHUFFLED, roles=PAIR), SHUFFLED_ORDER, "AUL shuffled"),
            ("unrelated", _only(of_aul, variant=ORIGINAL, roles=UNRELATED), UNRELATED_WORD, "AUL unrelated"),
        ):
            if found is not None:
                under = published.control(model.published, benchmark.published, control)
                rows.append(
                    same
                    | _accuracy_cells(control, found, under)
                    | _test(tests, model, benchmark, kind, second, alpha)
                )
                rows.append(
                    same
                    | {
                        "column": f"drop, {control}",
                        "value": original["accuracy"] - found["accuracy"],
                        "published": None if theirs is None or under is None else theirs - under,
                    }
                )
    return _frame(rows)


def paper_tables(
    study: Study,
    bias: pd.DataFrame,
    accuracy: pd.DataFrame,
    tests: pd.DataFrame,
    published: Published,
    alpha: float,
) -> dict[str, pd.DataFrame]:
    """The four tables by name, from the tables of the whole study (`tests` comes from `with_holm`)."""
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
    columns = tuple(
        (str(benchmark), str(column))
        for benchmark in frame["benchmark"].drop_duplicates()
        for column in frame.loc[frame["benchmark"] == benchmark, "column"].drop_duplicates()
    )
    rows: list[tuple[str, ...]] = []
    for model in frame["model"].drop_duplicates():
        of_model = frame[frame["model"] == model]
        for label in of_model["row"].drop_duplicates():
            cells = of_model[of_model["row"] == label].set_index(["benchmark", "column"])
            rows.append(
                (
                    str(model),
                    str(label),
                    *(
                        number(cells.loc[key, "value"]) + cells.loc[key, "mark"]
                        if key in cells.index
                        else DASH
                        for key in columns
                    ),
                )
            )
        known = of_model[of_model["published"].notna()].set_index(["benchmark", "column"])
        if len(known):
            for label, column, signed in (("paper", "published", False), ("difference", "difference", True)):
                cells_of = (
                    number(known.loc[key, column], signed=signed) if key in known.index else DASH
                    for key in columns
                )
                rows.append((str(model), label, *cells_of))
    return Sheet(caption if columns else f"{caption} {empty}", ("model", ""), columns, tuple(rows))
