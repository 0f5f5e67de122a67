"""What a study shows of sentence pairs: tables, figures, and beyond the answer the topics of the report."""

from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from operator import attrgetter
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from unmask.measures.formulas import sees_context, title_of
from unmask.pairs import answer, charts, planted, printed
from unmask.pairs.explorer import packed, shown_pairs
from unmask.pairs.results import CONTROL, FLAW_TITLES, MARKS, PairResults
from unmask.report.forms import Axis, Kinds, forest
from unmask.report.presenting import METHOD, App, Items, Presentation, Section, Topic, clear
from unmask.report.study_results import SCORED
from unmask.report.tables import Column, Table, columns_of, in_order, records, with_marks
from unmask.report.wording import counted, listed, many
from unmask.statistics.quality import flags
from unmask.statistics.schema import (
    ANY_FLAW,
    BIAS_TYPE,
    DIFFERENCE,
    DIRECTION,
    NO_PREFERENCE,
    OVERALL,
    PAIR_FLAWS,
    UNRATED,
)
from unmask.statistics.uncertainty import holm
from unmask.terms import ANTISTEREO, CORRECTED, SHUFFLED, STEREO

SHOWN = ["model", "benchmark", "title"]
HEADS = {"title": "measure"}
_MEASURES, _MODELS, _VERSIONS, _STATES = "measures", "models", "versions", "states"

# bias types

SIDES = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "Adv − Dis"}
"""What stereotypes of advantaged and of disadvantaged groups are called, and the difference."""

BIAS_TYPES = Table(
    "groups",
    ["model", "benchmark", "group", "n"],
    [Column("bias score", "<{score:.1f}> (<{low:.1f} to {high:.1f}>){claim}")],
    across=["title"],
    label_first=True,
    heads={"group": "bias type", "n": "pairs"},
)


def bias_types(results: PairResults) -> pd.DataFrame:
    """Bias scores by bias type; over stereotypes of advantaged and of disadvantaged groups (Adv and Dis), and
    the difference of these."""
    rows = results.corrected(BIAS_TYPE, DIRECTION, DIFFERENCE)
    names = rows["group"].astype(str)
    groups = names.where(rows["grouping"] == BIAS_TYPE, names.replace(SIDES))
    return rows.assign(claim=rows["verdict"].map(MARKS).fillna(""), group=groups)


def says_of_directions(results: PairResults) -> Iterator[str]:
    """How many differences between advantaged and disadvantaged groups are clear."""
    rows = holm(results.corrected(DIFFERENCE), by=["protocol"])
    rows = results.study.of_trained(rows[rows["verdict"] != CONTROL])
    if len(rows):
        yield clear(rows, "differences between advantaged and disadvantaged groups", results.level)


GROUPS = Topic[PairResults](
    "groups",
    "Bias types",
    bias_types,
    BIAS_TYPES,
    lambda rows: charts.bias_types(rows[rows["grouping"] != DIFFERENCE]),
    each=("model", "benchmark"),
    says=says_of_directions,
)


def states(results: PairResults) -> pd.DataFrame:
    """The headline's scores of all states of each series, first ones included."""
    rows = printed.with_reported(results.of_headline(results.corrected(OVERALL)), results)
    parts = [
        rows[rows["model"] == model].assign(series=series, state=state)
        for series, of_series in results.series.items()
        for state, model in of_series.items()
    ]
    whole = pd.concat(parts, ignore_index=True) if parts else rows.iloc[:0].assign(series="", state="")
    return whole.assign(panel=whole["series"] + charts.ON + whole["benchmark"])


STATES = Topic[PairResults](
    "series",
    "One model, many states",
    states,
    chart=charts.states,
    says=lambda results: says_of_comparisons(results, [_STATES]),
    label="States",
)

# shuffled sentences

CONTROLS = Table(
    "controls",
    SHOWN,
    [Column("", "<{score:.1f}> (<{low:.1f} to {high:.1f}>)")],
    across=["variant", "protocol"],
    heads=HEADS,
)


def shuffled(results: PairResults) -> pd.DataFrame:
    """Bias scores of sentences with their tokens shuffled, beside those of the original order."""
    rows = results.bias[results.bias["grouping"] == OVERALL]
    rows = rows[rows["measure"].isin(rows.loc[rows["variant"] == SHUFFLED, "measure"])]
    return rows.assign(title=rows["measure"].map(title_of))


def says_of_controls(results: PairResults) -> Iterator[str]:
    """How many scores of trained models are off 50 though the tokens are shuffled."""
    rows = results.study.of_trained(results.corrected(OVERALL, variant=SHUFFLED))
    rows = rows[rows["low"].notna()]
    if len(rows):
        off = int((rows["low"].gt(NO_PREFERENCE) | rows["high"].lt(NO_PREFERENCE)).sum())
        by_chance = float((1 - rows["confidence"]).sum())
        yield (
            f"With the tokens of each sentence shuffled, {off or 'none'} of {counted(len(rows), 'score')} "
            f"{many(off or 1, 'has', 'have')} an interval that excludes 50 (about {by_chance:.1f} by chance)."
        )


# flaws of pairs

COUNTS = Table("quality_counts", ["benchmark", "pairs"], [Column("", "{count}")], across=["what", "label"])
CHANGES = Table(
    "quality",
    [*SHOWN, "score:.1f"],
    [Column("", "{without:.1f} (<{change:+.1f}>{mark}: <{low:+.1f} to {high:+.1f}>)")],
    across=["without_pairs", "label"],
    heads={**HEADS, "score": "all pairs"},
)


def changes(results: PairResults) -> pd.DataFrame:
    """The rows of `quality`, protocol corrected, that have pairs left."""
    rows = results.quality
    rows = in_order(rows[(rows["protocol"] == CORRECTED) & rows["change"].notna()], flaw=FLAW_TITLES)
    return with_marks(rows, results.level).assign(
        title=rows["measure"].map(title_of),
        without_pairs="without",
        label=rows["flaw"].map(FLAW_TITLES),
    )


def counts(results: PairResults) -> pd.DataFrame:
    """How many pairs of each benchmark have each flaw or were not rated, without what cannot be said."""
    rows = []
    for benchmark, table in results.flaws.items():
        of = flags(table)
        flawed = np.any([flag for name, flag in of.items() if name != UNRATED], axis=0)
        rows += [
            (benchmark, len(table), "no flaw" if name == UNRATED else "pairs with the flaw", name, flag.sum())
            for name, flag in (of | {ANY_FLAW: flawed}).items()
        ]
    frame = pd.DataFrame(rows, columns=["benchmark", "pairs", "what", "flaw", "count"])
    return in_order(frame, flaw=FLAW_TITLES).assign(label=lambda rows: rows["flaw"].map(FLAW_TITLES))


def says_of_changes(results: PairResults) -> Iterator[str]:
    """How many scores of trained models change clearly without flawed pairs."""
    rows = results.study.of_trained(changes(results))
    if len(rows):
        yield clear(rows, "changes of scores without flawed pairs", results.level)


# comparisons

KINDS = {
    _MEASURES: "differences between two measures of a model",
    _MODELS: "differences between two models",
    _VERSIONS: "differences between two versions of a benchmark",
    _STATES: "differences between a state and the first of its series",
}
"""What is compared, as sentences count it."""

CLAIMS = ("no clear difference", "clear difference", "not tested")
"""What may be claimed of a difference: clear is one below the level after Holm's correction."""

_ALIKE = "pairs whose stereotype is preferred by"

COMPARED = Table(
    "comparison",
    ["kind", "on", "under", "first", "second"],
    [
        Column("pairs", "{n}"),
        Column("first", "{first_score:.1f}", "bias score (%)"),
        Column("second", "{second_score:.1f}", "bias score (%)"),
        Column("first − second", "<{difference:+.1f}>{mark} (<{low:+.1f} to {high:+.1f}>)"),
        Column("p", "{p:p}", "p"),
        Column("Holm", "{p_holm:p}", "p"),
        Column("the first alone", "{b}", _ALIKE),
        Column("the second alone", "{c}", _ALIKE),
        Column("decided otherwise", "{turned}"),
    ],
)


def compared(results: PairResults) -> pd.DataFrame:
    """Every comparison of the study, in both protocols.

    Columns: kind (of KINDS), benchmark, model (null of models), series and measure (null of what has none),
    first, second, the numbers of COMPARISONS, and p_holm (over all of one kind and protocol; series of random
    networks alone by themselves).
    """
    of_states = results.states.assign(family=results.states["series"].isin(results.trained_series))
    parts = {
        _MEASURES: results.measures_compared.drop(columns="measure"),
        _MODELS: results.models_compared,
        _VERSIONS: results.versions,
        _STATES: of_states,
    }
    frames = [rows.assign(kind=kind) for kind, rows in parts.items() if len(rows)]
    whole = pd.concat(frames or [parts[_MODELS].assign(kind=_MODELS)], ignore_index=True)
    names = ["kind", "benchmark", "series", "model", "measure", "first", "second", "protocol"]
    whole = whole.reindex(columns=list(dict.fromkeys([*names, *whole.columns, "family"])))
    whole = holm(whole, by=["kind", "protocol", "family"]).drop(columns="family")
    return whole.astype(dict.fromkeys(("n", "b", "c"), "Int64"))


def shown_comparisons(results: PairResults) -> pd.DataFrame:
    """The comparisons of the protocol corrected as they are shown.

    Beside those of `compared`: on (the benchmark), under (the measure, model or series), first and second
    with measures by their titles, turned, and claim (of CLAIMS).
    """
    rows = compared(results)
    rows = rows[rows["protocol"] == CORRECTED]
    of_measures = rows["kind"] == _MEASURES
    titles = rows["measure"].map(title_of, na_action="ignore")
    parts = zip(titles, rows["series"], rows["model"], strict=True)
    under = [", ".join(str(part) for part in each if pd.notna(part)) for each in parts]
    claims = np.select([rows["p"].isna(), rows["p_holm"] < results.level], CLAIMS[:0:-1], CLAIMS[0])
    return with_marks(rows, results.level).assign(
        on=rows["benchmark"],
        under=under,
        turned=rows["b"] + rows["c"],
        claim=claims,
        **{
            name: rows[name].mask(of_measures, rows.loc[of_measures, name].map(title_of))
            for name in ("first", "second")
        },
    )


def comparison_chart(rows: pd.DataFrame) -> alt.FacetChart | None:
    """Differences with their intervals; a panel for each model or measure under which they are.

    rows: of `shown_comparisons`, of one kind and benchmark.
    """
    frame = columns_of(
        rows,
        *("first", "first_score", "second", "second_score", "low", "high", "p", "p_holm", "claim"),
        panel="under",
        name=rows["first"] + " − " + rows["second"],
        value="difference",
        pairs="n",
    )
    axis = Axis("difference, in points", line=0, span=(-5, 5), step=5)
    return forest(frame, axis, kinds=Kinds("claim", "difference", CLAIMS, claimed=True))


def says_of_comparisons(results: PairResults, kinds: Collection[str] = tuple(KINDS)) -> Iterator[str]:
    """How many differences of each of these kinds are clear, of trained models and without controls."""
    rows = compared(results)
    rows = rows[rows["protocol"] == CORRECTED]
    for kind in kinds:
        part = rows[rows["kind"] == kind]
        measures = part[["first", "second"]] if kind == _MEASURES else part[["measure"]]
        part = part[measures.astype(str).map(sees_context).all(axis="columns").astype(bool)]
        if kind in (_MEASURES, _VERSIONS):
            part = part[part["model"].isin(results.study.trained())]
        elif kind == _MODELS:
            part = results.study.of_trained(part.drop(columns="model"))
        else:
            part = part[part["series"].isin(results.trained_series)]
        if len(part):
            yield clear(part, KINDS[kind], results.level)


def says_of_trust(results: PairResults) -> Iterator[str]:
    """What controls, flaws of pairs, other measures, people's ratings and printed values say of the
    scores."""
    for says in (
        says_of_controls,
        says_of_changes,
        says_of_comparisons,
        printed.says_of_areas,
        printed.says_of_paper,
    ):
        yield from islice(says(results), 1)


TRUST = Topic[PairResults](
    "trust",
    "How far to trust it",
    says=says_of_trust,
    more=(
        Topic("controls", "Control sentences: words shuffled", shuffled, CONTROLS),
        Topic("lms", "Language model score and ICAT", printed.lms, printed.lms_sheet),
        Topic("quality", "Scores without flawed pairs", changes, CHANGES),
        Topic("quality_counts", "How many pairs have each flaw", counts, COUNTS),
        Topic(
            "comparison",
            "Measures, models, versions and states compared",
            shown_comparisons,
            COMPARED,
            comparison_chart,
            each=("kind", "benchmark"),
            says=says_of_comparisons,
        ),
        Topic(
            "agreement",
            "Figure 1 of the paper: agreement with human raters",
            printed.curves,
            chart=charts.figure1,
            each=("model", "benchmark"),
            says=printed.says_of_areas,
            file="figure1",
        ),
        *map(printed.topic, printed.TITLES),
        Topic("peers", "Values that others report", printed.peers, printed.PEERS),
    ),
)

# every pair

NOTE = "One pair shows how a measure works, not what a model is like; scores over many pairs say that."


def every_pair(results: PairResults) -> Section:
    """The explorer, of the models and benchmarks in the settings; empty where these name no models."""
    explorer = results.settings["explorer"]
    if not explorer["models"]:
        return Section("pairs", "")
    pairs = {name: shown_pairs(results.pairs[name], explorer["most"]) for name in explorer["benchmarks"]}
    app = App("explorer", "pairs/explorer", _data(results, pairs))
    return Section(
        "pairs", "Every pair", tuple(_says_of_pairs(results, pairs)), (Items((NOTE,), warning=True), app)
    )


def _says_of_pairs(results: PairResults, pairs: dict[str, pd.DataFrame]) -> Iterator[str]:
    """How many pairs there are and of which models, whose sentences they are, and what is left out."""
    explorer, reading = results.settings["explorer"], _with_tokens(results)
    read = f"{reading[0]} reads" if len(reading) == 1 else f"{len(reading)} models read"
    known = f" as {read} them, with what each token adds to the margin." if reading else ""
    yield (
        f"{counted(sum(map(len, pairs.values())))} can be opened here"
        f"{known or ', with their scores; tokens are not known.'}"
    )
    sizes = ((name, len(some), len(results.pairs[name])) for name, some in pairs.items())
    left = [f"{some} of the {every} pairs of {name}" for name, some, every in sizes if some < every]
    if left:
        yield f"Here are {listed(left)}, evenly spread."
    licences = [f"{name} (licence {licence})" for name, licence in explorer.get("licences", {}).items()]
    if licences:
        yield f"Sentences are quoted from {listed(licences)}."


def _with_tokens(results: PairResults) -> list[str]:
    """The explored models whose tokens are known: scores that were made elsewhere come without."""
    elsewhere = results.study.of_source(SCORED)
    return [name for name in results.settings["explorer"]["models"] if name not in elsewhere]


def _data(results: PairResults, pairs: dict[str, pd.DataFrame]) -> dict[str, Any]:
    """The data of the program. tables: by model and benchmark, null where a model has not read it. example:
    the first trained model with tokens, and its first benchmark, of which there are three example pairs; null
    where there is none."""
    models = results.settings["explorer"]["models"]
    read = {
        place: {part: facts[part] for part in ("scores", "tokens")}
        for place, facts in results.explored.items()
    }
    trained = [name for name in _with_tokens(results) if name in results.study.trained()]
    examples = [
        {"model": models.index(model), "benchmark": place}
        for model in trained
        for place, benchmark in enumerate(pairs)
        if (model, benchmark) in read
    ]
    return {
        "models": models,
        "benchmarks": [
            {"name": name, "pairs": packed(pair_rows(some, results.flaws[name]))}
            for name, some in pairs.items()
        ],
        "measures": [{"name": name, "title": title_of(name)} for name in results.settings["measures"]],
        "example": next(iter(examples), None),
        "tables": [[read.get((model, benchmark)) for benchmark in pairs] for model in models],
    }


def pair_rows(pairs: pd.DataFrame, flaws: pd.DataFrame) -> list[dict[str, Any]]:
    """What the explorer has of each pair of a benchmark, with its flaws as these are called.

    flaws: FLAWS, also of other pairs.
    """
    rows = records(pairs[["pair_id", "bias_type", "stereotype", "antistereotype", "direction", "target"]])
    has = records(flaws.set_index("pair_id").loc[pairs["pair_id"], list(PAIR_FLAWS)])
    of_pairs = ([FLAW_TITLES[flaw] for flaw, is_so in each.items() if is_so] for each in has)
    return [row | {"flaws": of_pair} for row, of_pair in zip(rows, of_pairs, strict=True)]


# all of it

TIDY = ("bias", "leverage", "accuracy", "tests", "agreement", "quality", "lms")
"""The tables of the whole study that are written as they are, as CSV alone."""

FEWEST = 30
"""Pairs that the largest benchmark has at least; of fewer there are the answer and the pairs alone."""


def _shows(results: PairResults, section: Section) -> bool:
    enough = max(map(len, results.pairs.values()), default=0) >= FEWEST
    return enough or section.name in ("answer", "pairs", METHOD)


PRESENTS = Presentation(
    PairResults,
    (answer.section, GROUPS, STATES, planted.TOPIC, every_pair, TRUST, answer.method),
    {
        **{name: attrgetter(name) for name in TIDY},
        **{name: partial(printed.of_paper, name) for name in printed.TITLES},
        "compared": compared,
        "planted": planted.judgements,
    },
    {
        "bias": lambda results: charts.overview(printed.with_reported(answer.judged(results), results)),
    },
    _shows,
)
