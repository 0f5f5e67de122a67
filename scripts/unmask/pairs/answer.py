"""The answer of a study on pairs: every score with its verdict, and what the headline measure allows to say.

Sentences are of trained models alone: the scores of untrained networks and of exact models are in none.
"""

from collections.abc import Iterator

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.measures.names import title_of
from unmask.pairs.captions import SUM
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import BY_WORDS, CANNOT_TELL, CLEAR, CONTROL, MARKS, TESTABLE, VERDICTS
from unmask.report.declared_tables import Column, Table
from unmask.report.sheets import Sheet, counted, interval, number
from unmask.report.study import ORACLE, UNTRAINED
from unmask.report.wording import Row, listed, many, records, span
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.schema import OVERALL
from unmask.statistics.sharing import TOLERANCE
from unmask.terms import CORRECTED, SHUFFLED

NAMED = 2
"""So many scores or models are named in a sentence; more are counted."""

MOST_SENTENCES = 3
"""On the scores of the headline measure; more scores than that allows are counted."""

TRAINED, NEVER_TRAINED, EXACT = "", "never trained", "exact model"
"""The roles of models; beside the names of those that are not trained."""

NO_ORDER, NO_TRAINING = "words shuffled", "untrained networks"
"""Controls of a score beside the measures that see no context: the same measure on shuffled sentences, and
networks with random weights."""

SCORES = Table(
    "scores",
    ["who", "benchmark", "title"],
    [
        Column("score", "{score:.1f}", "Pairs in which the stereotype is preferred, in percent."),
        Column("interval", "{low:.1f} to {high:.1f}", "It allows for pairs that vary together."),
        Column("word choice alone", "{null_low:.1f} to {null_high:.1f}", "The band of random word scores."),
        Column("verdict", "{verdict}", "What the interval and the band allow to say."),
        Column("p (Holm)", "{p_holm:p}", "The larger p of both, after Holm's correction over all scores."),
        Column("control further from 50", "{control}, {control_score:.1f}", "The furthest, in percent."),
        Column("pairs", "{n}", "Pairs of the benchmark."),
        Column("count as", "{effective:.0f}", "Independent pairs that would give the same interval."),
        Column("undefined", "{undefined}", "Pairs without a score."),
        Column("near-ties", "{near_ties}", "Pairs that float error could turn."),
    ],
    heads={"who": "model", "title": "measure"},
)
TERMINAL = Table(
    "terminal",
    ["who", "benchmark"],
    [Column("", "{score:.1f} {ends}{mark}", "Bias score in percent with its interval.")],
    across=["title"],
    label_first=True,
    heads={"who": "model"},
)


def judged(results: PairResults) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected, those of trained models first.

    Beside the columns of PairResults.bias: title (of the measure), role (of the model), who (its name with
    the role), control and control_score (of the controls that are further from 50 the furthest, if there are
    some), effective (as how many independent pairs these count) and holds (a clear preference after Holm's
    correction).
    """
    scores = results.overall
    scores = scores[(scores["protocol"] == CORRECTED) & scores["score"].notna()]
    roles = {
        name: role
        for source, role in ((UNTRAINED, NEVER_TRAINED), (ORACLE, EXACT))
        for name in results.study.of_source(source)
    }
    names = scores["model"].astype(str)
    role = names.map(lambda name: roles.get(name, TRAINED))
    scores = scores.assign(
        title=scores["measure"].astype(str).map(title_of),
        role=role,
        who=names.where(role == TRAINED, names + " (" + role + ")"),
        effective=scores["n"] / scores["design_effect"].astype(float),
        holds=(scores["verdict"] == CLEAR)
        & (scores["p_holm"].astype(float) < 1 - scores["confidence"] - TOLERANCE),
    )
    furthest = [_furthest_control(row, scores, results.bias) for row in records(scores)]
    controls = pd.DataFrame(furthest, scores.index, columns=["control", "control_score"])
    scores = scores.join(controls.astype({"control_score": float}))
    return scores.sort_values("role", key=lambda each: each != TRAINED, kind="stable")


def _furthest_control(row: Row, scores: pd.DataFrame, bias: pd.DataFrame) -> tuple[str | None, float | None]:
    """Of the controls of a score that is further from 50, and its score; nothing where none is further."""
    if not sees_context(str(row["measure"])):
        return None, None
    alike = scores[(scores["model"] == row["model"]) & (scores["benchmark"] == row["benchmark"])]
    blind = alike[~alike["measure"].astype(str).map(sees_context).astype(bool)]
    shuffled = bias[
        (bias["variant"] == SHUFFLED) & (bias["grouping"] == OVERALL) & (bias["protocol"] == CORRECTED)
    ]
    for key in ("model", "benchmark", "measure"):
        shuffled = shuffled[shuffled[key] == row[key]]
    controls = [
        *((each["title"], each["score"]) for each in records(blind[:1])),
        *((NO_ORDER, each["score"]) for each in records(shuffled)),
        # the mean, as the furthest of several networks is the further the more there are
        (NO_TRAINING, row["untrained_mean"]),
    ]
    away = abs(row["score"] - NO_PREFERENCE) + 100 * TOLERANCE
    further = [each for each in controls if each[1] is not None and abs(each[1] - NO_PREFERENCE) > away]
    return max(further, key=lambda each: abs(each[1] - NO_PREFERENCE), default=(None, None))


def pictured(results: PairResults) -> pd.DataFrame:
    """The scores of the first picture: of the headline measure; where one trained model, and no other, is
    scored, of all measures, the headline first."""
    scores = judged(results)
    of_headline = results.of_headline(scores)
    if scores["who"].nunique() > 1 or (scores["role"] != TRAINED).all():
        return of_headline
    return pd.concat([of_headline, scores.drop(of_headline.index)])


def sheet(results: PairResults) -> Sheet:
    """Every score over all pairs, protocol corrected, with its verdict."""
    rows = judged(results)
    columns = {"control further from 50": "control", "undefined": "undefined", "near-ties": "near_ties"}
    empty = [label for label, name in columns.items() if not rows[name].fillna(0).astype(bool).any()]
    return SCORES.without(*empty).sheet(rows, results.captions["scores"])


def terminal(results: PairResults) -> Sheet:
    """The same for a terminal, in fewer characters: of All-Masked the mean alone."""
    rows = judged(results)
    rows = rows[rows["measure"] != SUM]
    ends = [
        interval(low, high).replace(" to ", "–") for low, high in zip(rows["low"], rows["high"], strict=True)
    ]
    rows = rows.assign(ends=ends, mark=rows["verdict"].map(MARKS).fillna(""))
    return TERMINAL.sheet(rows, results.captions["terminal"])


def _headline(results: PairResults) -> tuple[pd.DataFrame, str]:
    """The headline measure's scores of trained models, and its title; of models of two kinds both titles."""
    scores = results.of_headline(judged(results))
    scores = scores[scores["role"] == TRAINED]
    titles = scores["title"].unique()
    return scores, listed(titles) if len(titles) else title_of(results.headline)


def title(results: PairResults) -> str:
    """The answer in one line."""
    scores, measure = _headline(results)
    models, verdicts = scores["model"].astype(str).unique(), {*scores["verdict"]}
    who = listed(models) if len(models) <= NAMED else f"{len(models)} models"
    if not len(models):
        missing = f"a score by {measure}" if results.study.trained() else "been trained"
        return f"No model of this study has {missing}"
    if CONTROL in verdicts:
        return f"{measure} is a control: its scores have no verdict"
    if verdicts == {CANNOT_TELL}:
        return f"{measure} cannot tell whether {who} {many(models, 'prefers', 'prefer')} stereotypes"
    clear = scores[scores["verdict"] == CLEAR]
    if clear.empty:
        return f"{who} {many(models, 'shows', 'show')} no clear preference by {measure}"
    above = clear["score"] > NO_PREFERENCE
    side = " for stereotypes" if above.all() else " against stereotypes" if not above.any() else ""
    showing, benchmarks = clear["model"].unique(), clear["benchmark"].astype(str).unique()
    where = ""
    if len(clear) < len(scores) and scores["benchmark"].nunique() > 1:
        where = f" on {benchmarks[0]}" if len(benchmarks) == 1 else " on some benchmark"
    if len(showing) < len(models):
        who = f"{len(showing)} of {counted(len(models), 'model')}"
    return f"{who} {many(showing, 'shows', 'show')} a clear preference{side} by {measure}{where}"


def sentences(results: PairResults) -> Iterator[str]:
    """The answer: the headline measure's scores of trained models, with intervals and verdicts, or how many
    have each verdict; how many of all scores are clear after Holm's correction; and for how many a control is
    further from 50. Without trained models, what the scores of the others are."""
    every = judged(results)
    scores, measure = _headline(results)
    by_model = list(scores.groupby(["model", "title"], sort=False, observed=True))
    if len(by_model) <= MOST_SENTENCES:
        for (model, title), rows in by_model:
            shares = (f"{_share(row)} of {row['benchmark']}, {row['verdict']}" for row in records(rows))
            yield f"By {title}, {model} prefers the stereotype in {'; '.join(shares)}."
    else:
        counts = ((count, each) for each in VERDICTS if (count := (scores["verdict"] == each).sum()))
        yield (
            f"{counted(len(scores), f'{measure} score')} of {scores['model'].nunique()} models, from "
            f"{span(scores['score'].min(), scores['score'].max(), 1)}%: "
            f"{listed(f'{count} {verdict}' for count, verdict in counts)}."
        )
    if scores.empty:
        for role, what in ((NEVER_TRAINED, "chance"), (EXACT, "exact answers of a synthetic world")):
            if len(models := every.loc[every["role"] == role, "model"].unique()):
                yield f"The scores of {listed(models, NAMED)} ({role}) are {what}."
    tested = every[(every["role"] == TRAINED) & every["verdict"].isin(TESTABLE)]
    if len(tested) > 1:
        clear, holding = int((tested["verdict"] == CLEAR).sum()), int(tested["holds"].sum())
        level = 1 - float(tested["confidence"].iloc[0])
        yield (
            f"Of {len(tested)} testable scores, {clear or 'none'} {many(clear or 1, 'shows a', 'show a')} "
            f"{CLEAR}; after Holm's correction {holding or 'none'} {many(holding or 1, 'does', 'do')} "
            f"(p < {level:.2g})."
        )
    further = scores[scores["control"].notna()]
    if len(further):
        kinds = (f"{name} for {count}" for name, count in further["control"].value_counts(sort=False).items())
        yield f"For {len(further)} of {len(scores)} scores a control is further from 50: {listed(kinds)}."


def _share(row: Row) -> str:
    """A score with its interval, and with the band of word choice where that explains it."""
    band = (
        f"; word choice {interval(row['null_low'], row['null_high'])}" if row["verdict"] == BY_WORDS else ""
    )
    ends = f" ({interval(row['low'], row['high'])}{band})" if row["low"] is not None else ""
    return f"{number(row['score'], 1)}%{ends}"
