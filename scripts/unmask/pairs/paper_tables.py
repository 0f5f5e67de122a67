"""Tables 1, 3, 4 and 5 of Kaneko & Bollegala 2022, for the models and benchmarks of a study, and what others
print (resources/pairs/published.csv).

A table is a list of cells: what a column has, of which measure, and under which name the paper prints it.
Its frame has one row per number (COLUMNS); `lay_out` makes a sheet of it.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from unmask.measures.formulas import title_of
from unmask.report.declared_tables import Column, Table, in_order, with_marks
from unmask.report.published import UNMASKING_THE_MASK, read_published
from unmask.report.sheets import DAGGER, UNTESTABLE, Sheet
from unmask.report.study import Study
from unmask.statistics.accuracy import (
    BETWEEN_MEASURES,
    CLUSTERED,
    PAIR,
    SHUFFLED_ORDER,
    TOKEN,
    UNRELATED_WORD,
)
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

STEREOSET = "moinnadeem/StereoSet, 2020-04"
"""What the authors of StereoSet print of their own predictions."""

COUNT, SCORE = "stereotypical pairs", "bias score"
"""The quantities of bias scores; one by target (unmask.pairs.presenting.BY_TARGET) is not of all pairs."""

_NUMBERS = ("value", "low", "high", "n", "published", "difference", "p", "p_holm")
_MARKS = ("mark", "published_mark")
COLUMNS = ("model", "benchmark", "column", "row", "measure", *_NUMBERS, *_MARKS)
"""value, low, high in percent (a drop or difference in percentage points); published: the paper's value, and
difference: ours minus the paper's; p: raw, p_holm: corrected; mark: † for p_holm < LEVEL, * for p alone, or
UNTESTABLE (in `published` † for p < LEVEL); published_mark: the paper's own, where it is known.

Rows are protocols. An accuracy is the same in both, its test is not: `published` takes tokens as independent
and corrects nothing, as the paper does; `corrected` clusters them, with Holm's correction."""

LAYOUT = Table(
    "paper",
    ["model", "row"],
    [Column("", "<{value:{spec}}>{mark}")],
    across=["benchmark", "column"],
    heads={"row": ""},
)

LEVEL = 0.01
"""That of the † of the paper, and so of its tables."""

_MEASURES_ON = {"crows-pairs": ("CPS", "AUL", "AULA"), "stereoset": ("SSS", "AUL", "AULA")}
"""The measures that the paper has on a benchmark; other benchmarks have all."""

# In each table: `of`, a measure that the benchmark must have, and `printed`, the paper's name of the column.
_SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}


def _title_and_side(rows: pd.DataFrame) -> "pd.Series[str]":
    return rows["measure"].map(title_of) + " " + rows["group"].map(_SIDES)


TABLE1 = pd.DataFrame(
    [
        ("CPS", "CPS", SHARED_TOKENS, "CPS", None, "CPS"),
        # the paper describes candidates, and its released code prints tokens
        ("SSS, candidates", "SSS", CANDIDATES, "SSS", None, "SSS"),
        ("SSS, modified tokens", "SSS", MODIFIED_TOKENS, "SSS", None, "SSS"),
        ("AUL", "AUL", ALL_TOKENS, "AUL", None, "AUL"),
        # the only readings over the same tokens as those of another measure, against which they are tested
        ("AUL, shared tokens", "AUL", SHARED_TOKENS, "CPS", "CPS", None),
        ("AUL, modified tokens", "AUL", MODIFIED_TOKENS, "SSS", "SSS", None),
    ],
    columns=["column", "measure", "reading", "of", "second", "printed"],
).assign(variant=ORIGINAL, roles=PAIR, kind=BETWEEN_MEASURES)
TABLE3 = pd.DataFrame(
    [(measure, group) for measure in ("AllMasked", "AUL", "AULA") for group in _SIDES],
    columns=["measure", "group"],
).assign(of="AUL", column=_title_and_side, printed=_title_and_side)
TABLE4 = pd.DataFrame(
    [
        ("original", ORIGINAL, PAIR, None, None, "original"),
        ("shuffled", SHUFFLED, PAIR, SHUFFLED_ORDER, "AUL shuffled", "shuffled"),
        ("drop, shuffled", SHUFFLED, PAIR, None, None, "shuffled"),
        ("unrelated", ORIGINAL, UNRELATED, UNRELATED_WORD, "AUL unrelated", "unrelated"),
        ("drop, unrelated", ORIGINAL, UNRELATED, None, None, "unrelated"),
    ],
    columns=["column", "variant", "roles", "kind", "second", "printed"],
).assign(measure="AUL", reading=ALL_TOKENS, of="AUL")
TABLE5 = pd.DataFrame(
    [(title_of(measure), measure, measure, measure) for measure in ("CPS", "SSS", "AUL", "AULA")],
    columns=["column", "measure", "of", "printed"],
).assign(group="all")

_OF_ACCURACY = ["model", "benchmark", "measure", "variant", "roles", "reading"]
_OF_SCORE = ["model", "benchmark", "measure", "group", "row"]


def published_percents(path: str | Path) -> pd.DataFrame:
    """Published values with `percent`: each value in percent, also where it is a count of pairs.

    Models and benchmarks go by their published names. group: `all` pairs, a direction or a bias type.
    reading: which tokens an accuracy counts, where it is known. pairs: of how many a COUNT is. dagger:
    whether the paper marks the value so.
    """
    rows = read_published(path)
    counts = 100 * rows["value"] / rows["pairs"]
    return rows.assign(percent=rows["value"].mask(rows["quantity"] == COUNT, counts))


def scores(published: pd.DataFrame) -> pd.DataFrame:
    """The bias scores among published values, in the order of their file."""
    return published[published["quantity"].isin((COUNT, SCORE))]


def by_others(published: pd.DataFrame) -> pd.DataFrame:
    """Bias scores that are not the paper's, with `preferred`: the count of pairs behind each, if known."""
    rows = scores(published[published["source"] != UNMASKING_THE_MASK])
    return rows.assign(preferred=rows["value"].where(rows["quantity"] == COUNT))


def paper_tables(
    study: Study,
    bias: pd.DataFrame,
    accuracy: pd.DataFrame,
    tests: pd.DataFrame,
    published: pd.DataFrame,
) -> dict[str, pd.DataFrame]:
    """The four tables by name, from the tables of the whole study (`tests` with p_holm).

    Table 1: token accuracy in the paper's reading, and that of AUL on the very tokens of CPS and SSS.
    Table 3: bias scores where directions are stated. Table 4: accuracy of AUL on controls, and the drops
    from the original. Table 5: bias scores over all pairs.

    published: from published_percents.
    """
    paper = published[published["source"] == UNMASKING_THE_MASK].assign(row=PUBLISHED)
    paper["published_mark"] = paper["dagger"].eq(True).map({True: DAGGER, False: ""})
    of_table = {name: rows.assign(printed=rows["measure"]) for name, rows in paper.groupby("table")}
    groupings = bias["grouping"].isin((OVERALL, DIRECTION, DIFFERENCE))
    scores = bias[groupings & (bias["variant"] == ORIGINAL)].rename(
        columns={"score": "value", "protocol": "row"}
    )
    accuracies = accuracy.rename(columns={"accuracy": "value"})

    table3 = _filled(study, TABLE3, scores, _OF_SCORE, _with_difference(of_table["table3"]))
    # an absolute difference has no interval: it could not hold 0
    is_difference = table3["group"] == DIFFERENCE
    table3["value"] = table3["value"].mask(is_difference, table3["value"].abs())
    table3[["low", "high"]] = table3[["low", "high"]].mask(is_difference)
    # the paper's mark of an original is at its place in Table 1
    originals = of_table["table1"][of_table["table1"]["measure"] == "AUL"]
    originals = originals.assign(printed="original", published_mark="")
    controls = of_table["table4"].assign(printed=of_table["table4"]["control"])
    table1 = _filled(study, TABLE1, accuracies, _OF_ACCURACY, of_table["table1"])
    table4 = _filled(study, TABLE4, accuracies, _OF_ACCURACY, pd.concat([originals, controls]))
    return {
        "table1": _framed(_with_tests(table1, tests)),
        "table3": _framed(table3),
        "table4": _framed(_with_tests(_with_drops(table4), tests)),
        "table5": _framed(_filled(study, TABLE5, scores, _OF_SCORE, of_table["table5"])),
    }


def _filled(
    study: Study, cells: pd.DataFrame, numbers: pd.DataFrame, keys: list[str], paper: pd.DataFrame
) -> pd.DataFrame:
    """The cells of each model, benchmark and protocol that have numbers, with these and the paper's.

    keys: the columns that tell which of the numbers (value, low, high, n) a cell has.
    """
    models, benchmarks = (
        pd.DataFrame([(each.name, each.published) for each in entries], columns=[what, f"{what}_of_paper"])
        for what, entries in (("model", study.models), ("benchmark", study.benchmarks))
    )
    grid = models.merge(benchmarks, how="cross").merge(cells, how="cross")
    places = zip(grid["of"], grid["benchmark_of_paper"], strict=True)
    has = [of in _MEASURES_ON.get(benchmark, (of,)) for of, benchmark in places]
    grid = grid[np.array(has, dtype=bool)]
    grid = grid.merge(pd.DataFrame({"row": PROTOCOLS}), how="cross")
    rows = grid.merge(numbers[[*keys, "value", "low", "high", "n"]], on=keys, validate="m:1")
    of_paper = {"model": "model_of_paper", "benchmark": "benchmark_of_paper", "percent": "published"}
    place = ["model_of_paper", "benchmark_of_paper", "printed", "row"]
    printed = paper.rename(columns=of_paper)[[*place, "published", "published_mark"]]
    names = dict.fromkeys(place, "str")
    return rows.astype(names).merge(printed.astype(names), how="left", on=place, validate="m:1")


def _with_difference(printed: pd.DataFrame) -> pd.DataFrame:
    """The paper's values of Table 3 and |Adv - Dis| where both are printed."""
    cell = ["model", "benchmark", "measure", "row"]
    adv, dis = (printed[printed["group"] == side].set_index(cell)["percent"] for side in (ANTISTEREO, STEREO))
    differences = (adv - dis).abs().dropna().reset_index().assign(group=DIFFERENCE, published_mark="")
    both = pd.concat([printed, differences])
    return both.assign(printed=_title_and_side)


def _with_drops(rows: pd.DataFrame) -> pd.DataFrame:
    """Table 4 with the original less the control where a column is a drop, of ours and of what is printed."""
    numbers, is_drop = ["value", "published"], rows["column"].str.startswith("drop")
    cell = [rows[name] for name in ("model", "benchmark", "row")]
    originals = rows[numbers].where(rows["column"] == "original").groupby(cell).transform("max")
    rows = rows.copy()
    rows[numbers] = rows[numbers].where(~is_drop, originals - rows[numbers])
    rows[["low", "high", "n"]] = rows[["low", "high", "n"]].mask(is_drop)
    rows["published_mark"] = rows["published_mark"].mask(is_drop, "")
    return rows


def _with_tests(rows: pd.DataFrame, tests: pd.DataFrame) -> pd.DataFrame:
    """Rows with the tests of their `kind` and `second`, if they have one, and their marks (see COLUMNS)."""
    tokens = tests[tests["unit"] == TOKEN]
    tokens = tokens.assign(row=PUBLISHED, p_holm=np.nan, mark=np.where(tokens["p"] < LEVEL, DAGGER, ""))
    clustered = with_marks(tests[tests["unit"] == CLUSTERED], LEVEL)
    untestable = clustered["p"].isna() & (clustered[["b", "c"]].sum(axis=1) > 0)
    clustered = clustered.assign(row=CORRECTED, mark=clustered["mark"].mask(untestable, UNTESTABLE))
    keys = ["model", "benchmark", "kind", "second", "row"]
    both = pd.concat([part[[*keys, "p", "p_holm", "mark"]] for part in (tokens, clustered)])
    return rows.merge(both, how="left", on=keys, validate="m:1")


def _framed(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows as a frame of COLUMNS."""
    frame = rows.reindex(columns=list(COLUMNS)).assign(difference=rows["value"] - rows["published"])
    marks = list(_MARKS)
    frame[marks] = frame[marks].astype(object).fillna("").astype(str)
    return frame.astype(dict.fromkeys(_NUMBERS, float) | {"n": "Int64"})


def lay_out(frame: pd.DataFrame, caption: str) -> Sheet:
    """A paper table (COLUMNS) as a sheet.

    A model has one row per row label, and where there is any published value also the paper's values and the
    difference (ours minus the paper's, from the rows that carry a published value).
    """
    known = frame[frame["published"].notna()]
    paper = known.assign(row="paper", value=known["published"], mark=known["published_mark"], spec=".2f")
    difference = known.assign(row="difference", value=known["difference"], mark="", spec="+.2f")
    rows = pd.concat([frame.assign(spec=".2f"), paper, difference])
    return LAYOUT.sheet(in_order(rows, model=frame["model"].unique()), caption)
