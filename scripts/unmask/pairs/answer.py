"""The answer of a study on pairs: what the scores of one measure, named beforehand, allow to say.

The findings are of trained models alone: the scores of untrained networks and of exact models are in none.
"""

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from unmask.measures.formulas import sees_context
from unmask.measures.names import title_of
from unmask.pairs.captions import MEAN, SUM
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    IN_EVERY_LEGEND,
    NO_CLEAR,
    TESTABLE,
    WrittenScore,
)
from unmask.report.findings import Row, listed, many, records, span
from unmask.report.study import ORACLE, UNTRAINED
from unmask.statistics.decisions import NO_PREFERENCE
from unmask.statistics.schema import BIAS_TYPE
from unmask.statistics.sharing import TOLERANCE
from unmask.terms import CORRECTED, SHUFFLED

MOST_WORDS = 25
"""Of a sentence."""

MOST_SENTENCES = 3
"""On the scores of the headline measure; more scores than that allows are counted."""

NAMED = 2
"""So many scores are named in a sentence that counts them."""

NEVER_TRAINED, EXACT = "never trained", "exact model"
"""Beside the name of a model that is not trained."""

MASKED, ALONE = "All-Masked", "Start-Alone"
NO_ORDER, NO_TRAINING = "words shuffled", "untrained networks"
"""Controls of a score: all tokens hidden, each behind the start token alone, the same measure on shuffled
sentences, networks with random weights."""

_KEYS = ["model", "benchmark"]

_SHOWS = {
    NO_CLEAR: "shows no clear preference",
    BY_WORDS: "is explainable by word choice",
    CLEAR: "shows a clear preference",
    CANNOT_TELL: "cannot tell a preference",
    CONTROL: "is a control",
}
"""What a measure does by each verdict."""


def judged(results: PairResults) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected, those of trained models first.

    Beside the columns of PairResults.bias: title (of the measure), trained, who (the model, marked where it
    is not trained), said, ends and band (its WrittenScore), further (controls that are further from 50), and
    holds (a clear preference after Holm's correction).
    """
    scores = results.overall
    scores = scores[(scores["protocol"] == CORRECTED) & scores["score"].notna()]
    study = results.study
    marks = {
        name: mark
        for source, mark in ((UNTRAINED, NEVER_TRAINED), (ORACLE, EXACT))
        for name in study.of_source(source)
    }
    texts = [WrittenScore.of(row) for row in records(scores)]
    level = 1 - scores["confidence"].astype(float)
    scores = scores.assign(
        title=scores["measure"].astype(str).map(title_of),
        trained=~scores["model"].isin(marks),
        who=[f"{name} ({marks[name]})" if name in marks else name for name in scores["model"].astype(str)],
        said=[text.score for text in texts],
        ends=[text.ends for text in texts],
        band=[text.band for text in texts],
        holds=(scores["verdict"] == CLEAR) & (scores["p_holm"].astype(float) < level - TOLERANCE),
    )
    further = _further(scores, results.bias)
    scores["further"] = ["; ".join(of_score.values()) or None for of_score in further]
    return scores.sort_values("trained", ascending=False, kind="stable")


def _further(scores: pd.DataFrame, bias: pd.DataFrame) -> list[dict[str, str]]:
    """Of each score the controls that are further from 50, by their kind."""
    controls = scores[~scores["measure"].astype(str).map(sees_context).astype(bool)].drop_duplicates(_KEYS)
    masked = {(row["model"], row["benchmark"]): row for row in records(controls)}
    shuffled = bias[(bias["variant"] == SHUFFLED) & (bias["protocol"] == CORRECTED)]
    shuffled = shuffled[(shuffled["grouping"] == "overall") & shuffled["score"].notna()]
    without_order = {(row["model"], row["benchmark"], row["measure"]): row for row in records(shuffled)}

    def of_score(row: Row) -> Iterator[tuple[str, str]]:
        def is_further(score: float | None) -> bool:
            away = abs(row["score"] - NO_PREFERENCE)
            return score is not None and abs(score - NO_PREFERENCE) > away + 100 * TOLERANCE

        if not sees_context(str(row["measure"])):
            return
        control = masked.get((row["model"], row["benchmark"]))
        if control and is_further(control["score"]):
            yield control["title"], f"{control['title']} {control['said']}"
        other = without_order.get((row["model"], row["benchmark"], row["measure"]))
        if other and is_further(other["score"]):
            yield NO_ORDER, f"{NO_ORDER} {WrittenScore.of(other).score}"
        # the mean, as the furthest of several networks is the further the more there are
        if is_further(row["untrained_mean"]):
            yield NO_TRAINING, f"{NO_TRAINING} {row['untrained_mean']:.1f} (mean of {row['untrained']:.0f})"

    return [dict(of_score(row)) for row in records(scores)]


def with_one_control(scores: pd.DataFrame) -> pd.DataFrame:
    """The scores without the sums of All-Masked where its means are there: one reading is enough."""
    return scores[scores["measure"] != SUM] if (scores["measure"] == MEAN).any() else scores


def pictured(results: PairResults) -> pd.DataFrame:
    """The scores of the first picture: of the headline measure; where one trained model, and no other, is
    scored, of all measures, the headline first."""
    scores = with_one_control(judged(results))
    of_headline = results.of_headline(scores)
    if scores["who"].nunique() > 1 or not scores["trained"].any():
        return of_headline
    return pd.concat([of_headline, scores.drop(of_headline.index)])


def title(results: PairResults) -> str:
    """The answer in one line."""
    scores, measure = _headline(results)
    if scores.empty:
        missing = f"a score by {measure}" if results.study.trained() else "been trained"
        return f"No model of this study has {missing}"
    verdicts, models = {*scores["verdict"]}, list(scores["model"].astype(str).unique())
    if CONTROL in verdicts:
        return f"{measure} is a control: its scores have no verdict"
    few = len(models) <= NAMED
    who = listed(models) if few else f"All {len(models)} models"
    show = many(len(models), "shows", "show")
    clear = scores[scores["verdict"] == CLEAR]
    if clear.empty:
        if verdicts == {CANNOT_TELL}:
            any_of = f"any of {len(models)} models prefers"
            whose = f"{who} {many(len(models), 'prefers', 'prefer')}" if few else any_of
            return f"{measure} cannot tell whether {whose} stereotypes"
        who = who if few else f"None of {len(models)} models"
        return f"{who} {f'{show} no' if few else 'shows a'} clear preference by {measure}"
    above = clear["score"] > NO_PREFERENCE
    side = " for stereotypes" if above.all() else " against stereotypes" if not above.any() else ""
    if len(clear) == len(scores):
        return f"{who} {show} a clear preference{side} by {measure}"
    if len(models) == 1:
        on = listed(clear["benchmark"], NAMED)
        return f"{who} shows a clear preference{side} by {measure} on {on}"
    count = clear["model"].nunique()
    where = " on some benchmark" if scores["benchmark"].nunique() > 1 else ""
    shows = many(count, "shows", "show")
    return f"{count} of {len(models)} models {shows} a clear preference{side} by {measure}{where}"


def sentences(results: PairResults) -> tuple[str, ...]:
    """The answer: the headline measure's scores of every trained model, with intervals and verdicts; how many
    of all scores are clear after Holm's correction, and which; scores of other measures that word choice
    explains; bias types that point in opposite directions; and what controls are further from 50."""
    scores, measure = _headline(results)
    every = judged(results)
    texts = _of_headline(scores, measure) if len(scores) else _of_none(results)
    others = every[every["trained"] & (every["measure"] != results.headline)]
    return (
        *texts,
        *_after_holm(every),
        *_by_words(others, len(results.study.trained())),
        *_controls(scores, measure),
        *_opposite_types(results),
    )


def verdicts(results: PairResults) -> set[str]:
    """The verdicts that the answer explains: those on its scores, and those of every legend."""
    return {*judged(results)["verdict"], *IN_EVERY_LEGEND}


def _headline(results: PairResults) -> tuple[pd.DataFrame, str]:
    """The headline measure's scores of trained models, and its title.

    Where there are models of two kinds, each kind has its headline measure, and the titles are listed.
    """
    scores = results.of_headline(judged(results))
    scores = scores[scores["trained"]]
    titles = scores["title"].unique()
    return scores, listed(titles) if len(titles) else title_of(results.headline)


def _of_none(results: PairResults) -> Iterator[str]:
    scores = judged(results)
    for mark, what in ((NEVER_TRAINED, "chance"), (EXACT, "exact answers of a synthetic world")):
        marked = scores[scores["who"].str.endswith(f"({mark})")]
        if len(marked):
            models = listed(marked["model"].unique(), NAMED)
            yield f"The scores of {models} ({mark}) are {what}."


def _of_headline(scores: pd.DataFrame, measure: str) -> Sequence[str]:
    """The first of these forms that is short enough, better with reasons: a sentence for each model,
    benchmark or verdict (and in each of these for each verdict), or one that counts."""
    forms: Sequence[Callable[[pd.DataFrame, str], Iterator[str]]] = (_by_model, _by_benchmark, _by_verdict)
    if scores["title"].nunique() > 1:
        # sentences on one measure, or on one model
        forms = forms[:1]
    # with the band that explains a score, if there is room: another of the same size may be clear
    explained = scores.assign(ends=[_with_band(row) for row in records(scores)])
    written = (list(form(rows, measure)) for rows in (explained, scores) for form in forms)
    return next((texts for texts in written if _is_short(texts)), None) or list(_counted(scores, measure))


def _is_short(texts: Sequence[str]) -> bool:
    return len(texts) <= MOST_SENTENCES and all(len(text.split()) <= MOST_WORDS for text in texts)


def _with_band(row: Row) -> str:
    """The ends of an interval, and of the band of word choice where that explains the score."""
    return f"{row['ends']}; word choice {row['band']}" if row["verdict"] == BY_WORDS else str(row["ends"])


def _by_verdict_within(scores: pd.DataFrame, column: str) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The scores of each value of a column and verdict, those of one value one after the other."""
    for value, part in scores.groupby(column, sort=False, observed=True):
        for verdict, rows in part.groupby("verdict", sort=False, observed=True):
            yield str(value), str(verdict), rows


def _by_model(scores: pd.DataFrame, measure: str) -> Iterator[str]:
    for model, verdict, rows in _by_verdict_within(scores, "model"):
        shares = listed(f"{row['said']}% of {row['benchmark']} ({row['ends']})" for row in records(rows))
        title = rows["title"].iloc[0]
        yield f"By {title}, {model} prefers the stereotype in {shares}: {verdict}."


def _by_benchmark(scores: pd.DataFrame, measure: str) -> Iterator[str]:
    for benchmark, verdict, rows in _by_verdict_within(scores, "benchmark"):
        yield f"On {benchmark}, {measure} {_SHOWS[verdict]}: {_shares(rows)}."


def _by_verdict(scores: pd.DataFrame, measure: str) -> Iterator[str]:
    for verdict, rows in scores.groupby("verdict", sort=False, observed=True):
        of_each = [
            f"{_shares(part)} on {benchmark}"
            for benchmark, part in rows.groupby("benchmark", sort=False, observed=True)
        ]
        yield f"{_capital(str(verdict))} by {measure}: {'; '.join(of_each)}."


def _shares(rows: pd.DataFrame) -> str:
    return listed(f"{row['model']} {row['said']}% ({row['ends']})" for row in records(rows))


def _counted(scores: pd.DataFrame, measure: str) -> Iterator[str]:
    counts = [
        f"{count} {verdict}" for verdict in _SHOWS if (count := int((scores["verdict"] == verdict).sum()))
    ]
    models = scores["model"].nunique()
    # the title of the page lists measures
    what = f"{measure} scores" if scores["title"].nunique() == 1 else "scores"
    yield f"{len(scores)} {what} of {models} models: {listed(counts)}."
    low, high = scores["score"].min(), scores["score"].max()
    ends = f"; their intervals reach from {scores['low'].min():.0f} to {scores['high'].max():.0f}"
    known = ends if scores["low"].notna().any() else ""
    yield f"They prefer the stereotype in {span(low, high, 0)}% of the pairs{known}."
    clear = scores[scores["verdict"] == CLEAR]
    if len(clear):
        texts = [
            f"{row['model']} on {row['benchmark']}, {row['said']}% ({row['ends']})"
            for row in records(clear[:NAMED])
        ]
        more = [f"{len(clear) - NAMED} more"] if len(clear) > NAMED else []
        yield f"{_capital(CLEAR)}: {'; '.join([*texts, *more])}."


def _after_holm(scores: pd.DataFrame) -> Iterator[str]:
    """How many scores of trained models, by any measure, are clear after Holm's correction, and which."""
    tested = scores[scores["trained"] & scores["verdict"].isin(TESTABLE)]
    if len(tested) < 2:
        return
    clear, holding = tested[tested["verdict"] == CLEAR], tested[tested["holds"]]
    exact = "; the exact model is not counted" if scores["who"].str.endswith(f"({EXACT})").any() else ""
    start = (
        f"Of {len(tested)} testable scores (with enough different words{exact}), "
        f"{len(clear) or 'none'} {_show_a(len(clear) or 1)} {CLEAR}."
    )
    if clear.empty:
        yield start
        return
    level = 1 - float(tested["confidence"].iloc[0])
    still = (
        f"{start} After Holm's correction for so many tests, {len(holding) or 'none'} "
        f"{many(len(holding) or 1, 'does', 'do')} (p < {level:.2g})"
    )
    if holding.empty:
        yield f"{still}."
    elif len(holding) <= NAMED:
        each = [
            f"{row['title']} of {row['model']} on {row['benchmark']} ({row['said']}; {row['ends']})"
            for row in records(holding)
        ]
        yield f"{still}: {listed(each)}."
    else:
        by_measure = holding["title"].value_counts(sort=False)
        yield f"{still}: {listed(f'{count} by {name}' for name, count in by_measure.items() if count)}."


def _by_words(scores: pd.DataFrame, models: int) -> Iterator[str]:
    """The scores that differ from 50 and are explainable by word choice."""
    explained = scores[scores["verdict"] == BY_WORDS]
    if len(explained) > 1:
        by_measure = explained["title"].value_counts(sort=False)
        counts = listed(f"{count} by {name}" for name, count in by_measure.items() if count)
        yield (
            f"{len(explained)} scores differ from 50, but by no more than random word scores do: {counts}."
        )
        return
    for row in records(explained):
        of = "" if models == 1 else f" of {row['model']}"
        on = "" if scores["benchmark"].nunique() == 1 else f" on {row['benchmark']}"
        yield (
            f"{row['title']}{of}{on}, {row['said']} ({row['ends']}), differs from 50, but by no more than "
            f"random word scores do ({row['band']})."
        )


def _opposite_types(results: PairResults) -> Iterator[str]:
    """Where the headline measure is clearly for the stereotype of one bias type and against that of another,
    the two that are furthest apart."""
    rows = results.original
    rows = rows[(rows["grouping"] == BIAS_TYPE) & (rows["protocol"] == CORRECTED)]
    rows = rows[(rows["measure"] == results.headline) & (rows["verdict"] == CLEAR)]
    parts = [
        records(part.sort_values("score", kind="stable"))
        for _, part in results.study.of_trained(rows).groupby(_KEYS, sort=False, observed=True)
    ]
    opposite = [part for part in parts if part[0]["score"] < NO_PREFERENCE < part[-1]["score"]]
    if opposite:
        low, *_, high = max(opposite, key=lambda part: part[-1]["score"] - part[0]["score"])
        yield (
            f"Bias types may point in opposite directions, as those of {low['model']} on {low['benchmark']}: "
            f"{high['group']} {high['score']:.0f}, {low['group']} {low['score']:.0f}; see Bias types."
        )


def _show_a(count: int) -> str:
    return many(count, "shows a", "show a")


def _controls(scores: pd.DataFrame, measure: str) -> Iterator[str]:
    """The headline's scores of which a control is further from 50."""
    rows = records(scores[scores["further"].notna()])
    if not rows:
        return
    if len(rows) == 1:
        (row,) = rows
        first, *more = row["further"].split("; ")
        of = measure if len(scores) == 1 else f"{row['title']} of {row['model']} on {row['benchmark']}"
        if more or not first.startswith((MASKED, ALONE)):
            yield f"Some control of {of} is further from 50: {row['further']}."
            return
        name, _, score = first.rpartition(" ")
        yield (
            f"A control that sees no context ({name}) scores {score}, further from 50 than {of}. Word choice "
            "alone can move a score that far."
        )
    else:
        counts = [
            f"{kind} for {count}"
            for kind in (MASKED, ALONE, NO_ORDER, NO_TRAINING)
            if (count := sum(kind in row["further"] for row in rows))
        ]
        of = f"{len(rows)} of {len(scores)} {measure} scores"
        than = f" than {measure}" if scores["title"].nunique() == 1 else ""
        yield f"For {of} some control is further from 50{than}: {listed(counts)}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
