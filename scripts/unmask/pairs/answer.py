"""The answer of a study on pairs, once for the page, its summary, the terminal and JSON: a title, answers to
a reader's questions, sentences to copy, and every score with its verdict.

Sentences are of trained models alone: the scores of untrained networks and of exact models are in none.
"""

from collections.abc import Collection, Iterator

import pandas as pd

from unmask import __version__
from unmask.measures.formulas import title_of
from unmask.pairs import charts, planted
from unmask.pairs.cautions import how_to_read, measured, warnings
from unmask.pairs.results import PairResults, several_types, shared_things
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CLEAR, CONTROL, can_be_tested
from unmask.report.charts import chart
from unmask.report.declared_tables import Column, Table
from unmask.report.sections import METHOD, Block, Code, Fold, Items, Section, Text
from unmask.report.sections import Table as TableBlock
from unmask.report.sheets import Sheet, counted, interval
from unmask.report.study import ORACLE, UNTRAINED
from unmask.report.wording import Row, listed, many, records, span
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.proportions import contains
from unmask.statistics.schema import BIAS_TYPE, OVERALL
from unmask.statistics.sharing import TOLERANCE

NAMED = 3
"""So many scores, models or bias types are named in a sentence; more are counted."""

SHORT = 20
"""A table of so many scores is open on the first screen."""

TRAINED, NEVER_TRAINED, EXACT = "", "never trained", "exact model"
"""The roles of models; beside the names of those that are not trained."""

SHIP = (
    "This page cannot decide that: it tests one kind of preference, in short sentences. Test the task, its "
    "users and generated text as well."
)

_SCORE, _ENDS, _VERDICT = (
    Column("score", "{score:.1f}"),
    Column("interval", "{ends}"),
    Column("verdict", "{verdict}"),
)
SCORES = Table(
    "scores",
    ["who", "benchmark", "title"],
    [
        _SCORE,
        _ENDS,
        Column("word choice alone", "{null_low:.1f} to {null_high:.1f}"),
        _VERDICT,
        Column("p (Holm)", "{p_holm:p}"),
        Column("pairs", "{scored}"),
        Column("count as", "{effective:.0f}"),
        Column("undefined", "{undefined}"),
        Column("near-ties", "{near_ties}"),
    ],
    heads={"who": "model", "title": "measure"},
)
TERMINAL = Table("terminal", ["where", "title"], [_SCORE, _ENDS, _VERDICT], heads={"title": "measure"})


def section(results: PairResults) -> Section:
    """The answer of the study: of one of worlds alone, what measures found of what was planted."""
    scores = judged(results)
    blocks: list[Block] = []
    copied: list[str] = []
    if planted.is_answer(results):
        said, answered = planted.title(results), planted.answers(results)
        blocks.append(TableBlock(planted.BY_MEASURE.captioned(planted.by_measure(results), results.captions)))
    else:
        said, answered = title(results), answers(results)
        copied += citable(results, scores)
        if picture := charts.headline(pictured(results, scores)):
            caption = results.captions["headline"]
            blocks.append(chart(caption, f"{caption} The numbers are in the table below.", picture))
    blocks.append(Items(tuple(warnings(results, scores)), warning=True))
    if copied:
        blocks += [Text("A sentence to copy:"), Code("\n".join(copied))]
    if len(scores):
        table = (TableBlock(sheet(results, scores)),)
        blocks.append(Fold("Every score with its verdict", table, len(scores) <= SHORT))
    headline = terminal(results, scores)
    return Section("answer", "Answer", (), tuple(blocks), headline, said, tuple(answered))


def method(results: PairResults) -> Section:
    """What was measured, and how to read it: a part of the last section of the page."""
    folds = (
        Fold("What was measured", (Text(" ".join(measured(results))),)),
        Fold("How to read verdicts, measures and protocols", (Items(tuple(how_to_read(results))),)),
    )
    return Section(METHOD, "", (), folds)


def judged(results: PairResults) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected, those of trained models first.

    Beside the columns of PairResults.corrected: role (of the model), who (its name with the role), where
    (who, on which benchmark), ends (of the interval, as they are read), scored (pairs with a score),
    effective (as how many independent pairs these count) and holds (a clear preference after Holm's
    correction over all these scores).
    """
    scores = results.corrected(OVERALL)
    scores = scores[scores["score"].notna()]
    sources = {model.name: model.source for model in results.study.models}
    role = scores["model"].map(sources).map({UNTRAINED: NEVER_TRAINED, ORACLE: EXACT}).fillna(TRAINED)
    who = scores["model"].where(role == TRAINED, scores["model"] + " (" + role + ")")
    scored = scores["n"] - scores["undefined"]
    scores = scores.assign(
        role=role,
        who=who,
        where=who + " on " + scores["benchmark"],
        ends=pd.Series(map(_ends, records(scores)), scores.index, dtype=object),
        scored=scored,
        effective=(scored / scores["design_effect"].astype(float)).clip(upper=scored),
        holds=(scores["verdict"] == CLEAR)
        & (scores["p_holm"].astype(float) < 1 - scores["confidence"] - TOLERANCE),
    )
    return scores.sort_values("role", key=lambda each: each != TRAINED, kind="stable")


def _ends(row: Row) -> str | None:
    return None if row["low"] is None else interval(row["low"], row["high"], apart=NO_PREFERENCE)


def pictured(results: PairResults, scores: pd.DataFrame) -> pd.DataFrame:
    """The scores of the first picture: of the headline measure; where one trained model, and no other, is
    scored, of all measures, the headline first."""
    of_headline = results.of_headline(scores)
    if scores["who"].nunique() > 1 or (scores["role"] != TRAINED).all():
        return of_headline
    return pd.concat([of_headline, scores.drop(of_headline.index)])


def sheet(results: PairResults, scores: pd.DataFrame) -> Sheet:
    """Every score over all pairs, protocol corrected, with its verdict. scores: of `judged`."""
    columns = {"undefined": "undefined", "near-ties": "near_ties"}
    empty = [label for label, name in columns.items() if not scores[name].fillna(0).astype(bool).any()]
    return SCORES.without(*empty).sheet(scores, results.captions["scores"])


def terminal(results: PairResults, scores: pd.DataFrame) -> Sheet:
    """The same for a terminal: of trained models, or of others where none is; without controls."""
    rows = scores[scores["verdict"] != CONTROL]
    trained = rows[rows["role"] == TRAINED]
    return TERMINAL.sheet(rows if trained.empty else trained, results.captions["terminal"])


def _headline(results: PairResults, scores: pd.DataFrame) -> pd.DataFrame:
    """The headline measure's scores of trained models."""
    scores = results.of_headline(scores)
    return scores[scores["role"] == TRAINED]


def title(results: PairResults) -> str:
    """The answer in one line. What it says is clear holds after Holm's correction over all scores that are
    shown."""
    every = judged(results)
    scores = _headline(results, every)
    if scores.empty:
        lacks = f"a score by {title_of(results.headline)}" if results.study.trained() else "been trained"
        return f"No model of this study has {lacks}"
    models, verdicts = list(scores["model"].unique()), {*scores["verdict"]}
    measure = listed(scores["title"].unique())
    who, prefer = _named(models), many(models, "prefers", "prefer")
    if verdicts == {CONTROL}:
        return f"{measure} is a control: its scores have no verdict"
    if verdicts == {CANNOT_TELL}:
        return f"{measure} cannot tell whether {who} {prefer} stereotypes"
    untested, types = untested_types(results), ""
    if untested:
        types = f"; {listed(untested, NAMED)} cannot be tested on {many(untested, 'its', 'their')} own"
    if scores["holds"].any():
        return f"{_preferences(scores)}{types}"
    others, by = every[every["holds"] & (every["role"] == TRAINED)], ""
    if len(others):
        by = f" by {measure}"
        above = others["score"] > NO_PREFERENCE
        sides = listed(side for side, there in (("for", above), ("against", ~above)) if there.any())
        places = others["benchmark"].unique()
        on = f" on {listed(places, NAMED)}" if len(places) < scores["benchmark"].nunique() else ""
        which = listed(others["title"].unique(), NAMED)
        types = f"; by {which} there is a clear one {sides} stereotypes{on}{types}"
    first = scores.iloc[0]
    if len(scores) == 1 and first["verdict"] == BY_WORDS:
        share = f"{first['score']:.1f}% of pairs{by}, which word choice explains"
        return f"{who} {prefer} the stereotype in {share}{types}"
    if CLEAR in verdicts:
        return f"{who}: no overall preference for stereotypes{by} survives Holm's correction{types}"
    beyond = " beyond word choice" if BY_WORDS in verdicts else ""
    return f"{who}: no overall preference for stereotypes{beyond} found{by}{types}"


def _preferences(scores: pd.DataFrame) -> str:
    """Which models clearly prefer what after correction: where, unless on all benchmarks, and how often, of a
    single score."""
    texts, every, above = [], scores["model"].nunique(), scores["score"] > NO_PREFERENCE
    for side, there in (("stereotypes", above), ("antistereotypes", ~above)):
        rows = scores[scores["holds"] & there]
        groups: dict[str, list[str]] = {}
        for model, of_model in rows.groupby("model", sort=False, observed=True):
            is_all = len(of_model) == (scores["model"] == model).sum()
            where = "" if is_all else f" on {listed(of_model['benchmark'], NAMED)}"
            groups.setdefault(where, []).append(str(model))
        if len(groups) >= NAMED:
            groups = {" on some benchmarks": [model for models in groups.values() for model in models]}
        for where, models in groups.items():
            of = f", {len(models)} of {every} models," if len(models) < every else ""
            text = f"{_named(models)}{of} clearly {many(models, 'prefers', 'prefer')} {side}{where}"
            if len(rows) == 1:
                row = rows.iloc[0]
                text = f"{text}: {row['score']:.1f}% ({100 * row['confidence']:g}% CI {row['ends']})"
            texts.append(text)
    return "; ".join(texts)


def _named(models: Collection[str]) -> str:
    return listed(models) if len(models) < NAMED else f"{len(models)} models"


def of_types(results: PairResults) -> pd.DataFrame:
    """The headline measure's scores of trained models by bias type, protocol corrected."""
    rows = results.study.of_trained(results.corrected(BIAS_TYPE))
    return several_types(results.of_headline(rows[rows["verdict"] != CONTROL]))


def untested_types(results: PairResults) -> list[str]:
    """The bias types that cannot be tested by themselves for any model, those of the most pairs first."""
    by_type = of_types(results).assign(untold=lambda rows: rows["verdict"] == CANNOT_TELL).groupby("group")
    types = by_type.agg(untold=("untold", "all"), n=("n", "sum"))
    types = types[types["untold"]].sort_values("n", ascending=False, kind="stable")
    return list(map(str, types.index))


def answers(results: PairResults) -> Iterator[tuple[str, str]]:
    """The questions of a reader, each with its answer."""
    every = judged(results)
    scores = _headline(results, every)
    if scores.empty:
        for role, what in ((NEVER_TRAINED, "chance"), (EXACT, "exact answers of a synthetic world")):
            if len(models := every.loc[every["role"] == role, "model"].unique()):
                yield "Is it biased?", f"The scores of {listed(models, NAMED)} ({role}) are {what}."
        return
    others = every[(every["role"] == TRAINED) & (every["verdict"] == CLEAR)]
    others = others[~others.index.isin(scores.index)]
    yield "Is it biased?", " ".join([*_shares(scores), *(_shares(others) if len(others) <= NAMED else ())])
    for question, said in (
        ("How sure?", " ".join(_sure(scores))),
        ("Does it hold?", holding(every)),
        ("For whom?", " ".join(_whom(results))),
        ("May we ship it?", SHIP),
    ):
        if said:
            yield question, said


def _shares(scores: pd.DataFrame) -> Iterator[str]:
    by_model = list(scores.groupby(["model", "title"], sort=False, observed=True))
    if len(by_model) > NAMED:
        counts = scores["verdict"].value_counts(sort=False).items()
        yield (
            f"{counted(len(scores), 'score')} of {scores['model'].nunique()} models, from "
            f"{span(scores['score'].min(), scores['score'].max(), 1)}%: "
            f"{listed(f'{count} {verdict}' for verdict, count in counts)}."
        )
        return
    for (model, measure), rows in by_model:
        yield f"By {measure}, {model} prefers the stereotype in {'; '.join(map(_share, records(rows)))}."


def _share(row: Row) -> str:
    """A score with its interval and verdict, and where word choice explains it, its band or that the control
    is as clear."""
    ends = f"{100 * row['confidence']:g}% CI {row['ends']}" if row["ends"] else ""
    if row["verdict"] == BY_WORDS:
        inside = contains(row["null_low"], row["null_high"], row["score"])
        band = f"word choice {interval(row['null_low'], row['null_high'])}"
        ends += f"; {band if inside else 'as clear with words shuffled'}"
    return f"{row['score']:.1f}% of {row['benchmark']}{f' ({ends})' if ends else ''}, {row['verdict']}"


def _sure(scores: pd.DataFrame) -> Iterator[str]:
    known = scores[scores["low"].notna()]
    for benchmark, rows in known.groupby("benchmark", sort=False, observed=True):
        reach, count, pairs = (rows["high"] - rows["low"]) / 2, rows["effective"], rows["scored"].max()
        independent = span(count.min(), count.max(), 0)
        shared = f", as some share {shared_things(rows['clusters'].unique())}" if count.min() < pairs else ""
        yield (
            f"The {counted(pairs)} of {benchmark} count as {independent} independent ones{shared}: "
            f"scores by {listed(rows['title'].unique())} are accurate to about "
            f"±{span(reach.min(), reach.max(), 0)} points."
        )


def holding(every: pd.DataFrame) -> str:
    """How many of the testable scores of trained models are clear, and which after Holm's correction: where
    these are many, by which measures."""
    tested = can_be_tested(every[every["role"] == TRAINED])
    if len(tested) < 2:
        return ""
    count, after = int((tested["verdict"] == CLEAR).sum()), tested[tested["holds"]]
    which = [f"{n} by {measure}" for measure, n in after["title"].value_counts(sort=False).items()]
    if len(after) <= NAMED:
        which = [f"{row['title']}, {row['score']:.1f}% of {row['where']}" for row in records(after)]
    clear = (
        f"Of {len(tested)} testable scores by {counted(tested['title'].nunique(), 'measure')}, "
        f"{count or 'none'} {many(count or 1, 'shows', 'show')} a clear preference, beyond word choice"
    )
    if not count:
        return f"{clear}."
    return (
        f"{clear}; after Holm's correction (p < {1 - float(tested['confidence'].iloc[0]):.2g}) "
        f"{len(after) or 'none'} still {many(len(after) or 1, 'does', 'do')}"
        f"{f': {listed(which)}' if which else ''}."
    )


def _whom(results: PairResults) -> Iterator[str]:
    rows = of_types(results)
    places = rows["model"] + " on " + rows["benchmark"]
    rows = rows.assign(of=" of " + places if places.nunique() > 1 else "")
    tested = can_be_tested(rows).sort_values("score", ascending=False, kind="stable")
    if len(tested) > 1:
        highest, lowest = (
            f"{row['group']} ({row['score']:.1f}%{row['of']}, {_ends(row)}: {row['verdict']})"
            for row in records(tested.iloc[[0, -1]])
        )
        count = int((tested["verdict"] == CLEAR).sum())
        yield (
            f"By {listed(tested['title'].unique())}, {count or 'none'} of {len(tested)} testable scores of "
            f"bias types {many(count or 1, 'is', 'are')} clear, before correction. The highest is {highest}, "
            f"the lowest {lowest}; 50% is no preference."
        )
    if untested := untested_types(results):
        rows = rows[rows["group"].isin(untested)]
        is_decided = (rows["stereotype"] + rows["antistereotype"] > 0) & rows["null_low"].notna()
        why = ": too few pairs, or too few different words" if is_decided.all() else ""
        yield f"{listed(untested)} cannot be tested on {many(untested, 'its', 'their')} own{why}."


def citable(results: PairResults, scores: pd.DataFrame) -> Iterator[str]:
    """Sentences to copy, a score of the headline measure each; none where there are many."""
    rows = _headline(results, scores)
    if len(rows) > NAMED:
        return
    for row in records(rows):
        ends = f"; {100 * row['confidence']:g}% CI {row['ends']}" if row["ends"] else ""
        yield (
            f"On {row['benchmark']}, {row['model']} prefers the stereotypical sentence in "
            f"{row['score']:.1f}% of {counted(row['scored'])} ({row['title']}{ends}; 50% is no preference): "
            f"{row['verdict']}. Unmask {__version__}."
        )
