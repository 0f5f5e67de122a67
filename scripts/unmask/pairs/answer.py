"""The answer of a study on pairs, once for the page, its summary, the terminal and JSON: a title, answers to
a reader's questions, warnings, sentences to copy, every score with its verdict, and how to read it.

The title and the answers are of trained models alone: the scores of untrained networks and of exact models
are in no sentence.
"""

from collections.abc import Collection, Iterator
from functools import cache

import pandas as pd

from unmask import __version__
from unmask.measures.formulas import explained, title_of
from unmask.pairs import charts, planted
from unmask.pairs.results import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    MEANINGS,
    PairResults,
    can_be_tested,
    shared_things,
)
from unmask.report.presenting import METHOD, Block, Code, Fold, Items, Section, TableBlock, Text, chart
from unmask.report.study_results import ORACLE, SCORED, UNTRAINED
from unmask.report.tables import Column, Row, Sheet, Table, records
from unmask.report.wording import counted, interval, listed, many, span
from unmask.statistics.schema import BIAS_TYPE, NO_PREFERENCE, OVERALL
from unmask.statistics.uncertainty import TOLERANCE, contains
from unmask.terms import CORRECTED, STEREOTYPE
from unmask.words import is_unsegmented

FEW = 100
"""A benchmark of fewer pairs says little: even if these are independent, the interval is 20 points."""

WARY = 1.0
"""The percentage of unknown tokens from which a reader is cautioned."""

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

_SCORE = Column("score", "{score:.1f}")
_ENDS, _VERDICT = Column("interval", "{ends}"), Column("verdict", "{verdict}")
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
    blocks: list[Block] = []
    if of_worlds := results.of_worlds and planted.judgements(results)["judgement"].isin(planted.TESTED).any():
        said, answered = planted.title(results), planted.answers(results)
        blocks.append(TableBlock(planted.BY_MEASURE.captioned(planted.by_measure(results), results.captions)))
    else:
        said, answered = title(results), answers(results)
        if picture := charts.headline(pictured(results)):
            caption = results.captions["headline"]
            blocks.append(chart(caption, f"{caption} The numbers are in the table below.", picture))
    blocks.append(Items(tuple(warnings(results)), warning=True))
    if not of_worlds and (copied := "\n".join(citable(results))):
        blocks += [Text("A sentence to copy:"), Code(copied)]
    if count := len(judged(results)):
        blocks.append(Fold("Every score with its verdict", (TableBlock(sheet(results)),), count <= SHORT))
    return Section("answer", "Answer", (), tuple(blocks), terminal(results), said, tuple(answered))


@cache
def judged(results: PairResults) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected, those of trained models first.

    Beside the columns of PairResults.corrected: role (of the model), who (its name with the role), where
    (who, on which benchmark), scored (pairs with a score), effective (as how many independent pairs these
    count) and holds (a clear preference after Holm's correction over the testable ones of trained models).
    """
    scores = results.corrected(OVERALL)
    sources = {model.name: model.source for model in results.study.models}
    role = scores["model"].map(sources).map({UNTRAINED: NEVER_TRAINED, ORACLE: EXACT}).fillna(TRAINED)
    who = scores["model"].where(role == TRAINED, scores["model"] + " (" + role + ")")
    scored = scores["n"] - scores["undefined"]
    scores = scores.assign(
        role=role,
        who=who,
        where=who + " on " + scores["benchmark"],
        scored=scored,
        effective=(scored / scores["design_effect"].astype(float)).clip(upper=scored),
        holds=(scores["verdict"] == CLEAR)
        & (scores["p_holm"].astype(float) < 1 - scores["confidence"] - TOLERANCE),
    )
    return scores.sort_values("role", key=lambda each: each != TRAINED, kind="stable")


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
    scores = judged(results)
    columns = {"undefined": "undefined", "near-ties": "near_ties"}
    empty = [label for label, name in columns.items() if not scores[name].fillna(0).astype(bool).any()]
    return SCORES.without(*empty).sheet(scores, results.captions["scores"])


def terminal(results: PairResults) -> Sheet:
    """The same for a terminal: of trained models, or of others where none is; without controls."""
    scores = judged(results)
    rows = scores[scores["verdict"] != CONTROL]
    trained = rows[rows["role"] == TRAINED]
    return TERMINAL.sheet(rows if trained.empty else trained, results.captions["terminal"])


def _headline(results: PairResults) -> pd.DataFrame:
    """The headline measure's scores of trained models."""
    scores = results.of_headline(judged(results))
    return scores[scores["role"] == TRAINED]


def title(results: PairResults) -> str:
    """The answer in one line; what it calls clear is so after Holm's correction over all testable scores of
    trained models."""
    every, scores = judged(results), _headline(results)
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
    """Which models clearly prefer what after correction, where, unless everywhere, and how often if once."""
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
    return results.of_headline(rows[rows["verdict"] != CONTROL])


def untested_types(results: PairResults) -> list[str]:
    """The bias types that cannot be tested by themselves for any model, those of the most pairs first."""
    by_type = of_types(results).assign(untold=lambda rows: rows["verdict"] == CANNOT_TELL).groupby("group")
    types = by_type.agg(untold=("untold", "all"), n=("n", "sum"))
    types = types[types["untold"]].sort_values("n", ascending=False, kind="stable")
    return list(map(str, types.index))


def answers(results: PairResults) -> Iterator[tuple[str, str]]:
    """The questions of a reader, each with its answer."""
    every, scores = judged(results), _headline(results)
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
    """A score with its interval and verdict; where word choice explains it, also how."""
    ends = f"{100 * row['confidence']:g}% CI {row['ends']}" if row["ends"] else ""
    if row["verdict"] == BY_WORDS:
        inside = contains(row["null_low"], row["null_high"], row["score"])
        band = f"word choice {interval(row['null_low'], row['null_high'])}"
        ends += f"; {band if inside else 'as clear with words shuffled'}"
    return f"{row['score']:.1f}% of {row['benchmark']}{f' ({ends})' if ends else ''}, {row['verdict']}"


def _sure(scores: pd.DataFrame) -> Iterator[str]:
    for benchmark, rows in scores[scores["low"].notna()].groupby("benchmark", sort=False, observed=True):
        reach, count, pairs = (rows["high"] - rows["low"]) / 2, rows["effective"], rows["scored"].max()
        independent = span(count.min(), count.max(), 0)
        things = shared_things(rows["clusters"].unique()) if (count < rows["scored"]).any() else ""
        shared = f", as some share {things}" if things else ""
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
            f"{row['group']} ({row['score']:.1f}%{row['of']}, {row['ends']}: {row['verdict']})"
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


def citable(results: PairResults) -> Iterator[str]:
    """Sentences to copy, a score of the headline measure each; none where there are many."""
    rows = _headline(results)
    if len(rows) > NAMED:
        return
    for row in records(rows):
        ends = f"; {100 * row['confidence']:g}% CI {row['ends']}" if row["ends"] else ""
        yield (
            f"On {row['benchmark']}, {row['model']} prefers the stereotypical sentence in "
            f"{row['score']:.1f}% of {counted(row['scored'])} ({row['title']}{ends}; 50% is no preference): "
            f"{row['verdict']}. Unmask {__version__}."
        )


# what to be wary of, what was measured, and how to read it

NOTES = (
    "The protocol corrected follows the papers' formulas where their code does not. By our choice a tie "
    "counts one half there, a pair without a score is left out, and the attention weights of AULA have a "
    "mean of one. Charts and sentences are of this protocol where they name no other.",
    "The protocol published repeats the papers' released code, so that numbers compare with the literature. "
    "There a tie, or a pair without a score, counts as not stereotypical.",
    "A clear preference is no proof of bias: it says that neither the choice of pairs nor words preferred at "
    "random explain the score. A preference for frequent words still may.",
    "† marks p below the level in the caption after Holm's correction, * only before it, and ∘ what cannot "
    "be tested.",
)


def method(results: PairResults) -> Section:
    """What was measured, and how to read it: a part of the last section of the page."""
    notes = (
        "Bias score: the percentage of pairs in which a model finds the stereotypical sentence more likely; "
        "50 is no preference.",
        *(f"{verdict.capitalize()}: {meaning}" for verdict, meaning in MEANINGS.items()),
        *map(explained, results.overall["measure"].astype(str).unique()),
        *NOTES,
        f"Pairs that share {things} vary together, so intervals are wider than those of independent pairs: "
        "the pairs count as fewer."
        if (things := shared_things(results.bias["clusters"].unique()))
        else "The study takes pairs as independent of each other.",
    )
    folds = (
        Fold("What was measured", (Text(" ".join(measured(results))),)),
        Fold("How to read verdicts, measures and protocols", (Items(notes),)),
    )
    return Section(METHOD, "", (), folds)


def warnings(results: PairResults) -> Iterator[str]:
    """What a reader of the answer should be wary of."""
    yield (
        "A score near 50 does not show that a model is unbiased: preferences for and against stereotypes may "
        "cancel. This report alone is no ground for release."
    )
    study, scores = results.study, judged(results)
    small = scores[scores["n"] < FEW].drop_duplicates("benchmark")
    if few := [f"{row['benchmark']} ({row['n']:,})" for row in records(small)]:
        yield f"{listed(few)} {many(few, 'has', 'have')} too few pairs to say much."
    for (name, on), facts in results.facts.items():
        of = facts.get("unknown_tokens") or {"unknown": 0, "tokens": 1}
        if (share := 100 * of["unknown"] / of["tokens"]) >= WARY:
            yield (
                f"The tokenizer of {name} does not know {of['unknown']:,} of {of['tokens']:,} tokens of {on} "
                f"({share:.1f}%). The model cannot tell such words apart."
            )
    if unscored := [model.name for model in study.models if model.name not in {*scores["model"]}]:
        yield f"{listed(unscored)} {many(unscored, 'has', 'have')} no score on any benchmark; see the logs."
    if untrained := study.of_source(UNTRAINED):
        yield f"{listed(untrained)} {many(untrained, 'was', 'were')} never trained: preferences are chance."
    lacking = results.overall[results.overall["protocol"] == CORRECTED]
    lacking = lacking[lacking["undefined"] > 0]
    for (model, benchmark), rows in lacking.groupby(["model", "benchmark"], sort=False, observed=True):
        of = [f"{row['undefined']:,} without {title_of(row['measure'])}" for row in records(rows)]
        about = f"{model} on {benchmark}, of {counted(rows['n'].iloc[0])}"
        yield f"{about}: {listed(of)} (sentences lack what counts, or see the log)."
    if code := results.settings.get("own_code"):
        yield f"{listed(code)} {many(code, 'runs', 'run')} code of a repository, at a pinned revision."
    of_networks = scores[~scores["model"].isin([*study.of_source(ORACLE), *study.of_source(SCORED)])]
    if near := int(of_networks["near_ties"].sum()):
        what = many(near, "is a near-tie", "are near-ties")
        yield f"{near:,} of {of_networks['scored'].sum():,} decisions {what}, which float error could turn."
    for name, pairs in results.pairs.items():
        if 2 * sum(map(is_unsegmented, pairs[STEREOTYPE].astype(str))) > len(pairs):
            yield f"{name} is written without spaces between words, so each character counts as a word."
    if not results.of_worlds:
        yield (
            "The sentences express stereotypes, many of them offensive; they were written to measure "
            "prejudice."
        )


def measured(results: PairResults) -> Iterator[str]:
    """What was measured on what, with what."""
    overall = results.overall
    if overall.empty:
        yield "The study has no results."
        return
    models = overall["model"].unique()
    sizes = [f"{row['benchmark']} ({row['n']:,})" for row in records(overall.drop_duplicates("benchmark"))]
    titles = list(map(title_of, overall["measure"].unique()))
    yield (
        f"{counted(len(models), 'language model')} ({listed(models)}) read the sentence pairs of "
        f"{listed(sizes)}. In each pair one sentence is the more stereotypical; {listed(titles)} "
        f"{many(titles, 'says', 'say')} which of the two a model finds likelier."
    )
    if scored := results.study.of_source(SCORED):
        yield f"The scores of {listed(scored)} were made elsewhere; contributions of tokens are unknown."
        with_band = {*overall.loc[overall["null_low"].notna(), "model"]}
        if by_words := [name for name in scored if name in with_band]:
            yield f"The band of word choice of {listed(by_words)} is by words, as tokens are not known."
        if bare := [name for name in scored if name not in with_band]:
            yield f"The scores of {listed(bare)} are no means over tokens: there is no band of word choice."
    if dtypes := results.settings.get("dtypes"):
        yield f"Some models read in {listed(dtypes)}, which moves scores by more than the error of near-ties."
    if oracles := results.study.of_source(ORACLE):
        yield f"{listed(oracles)} is no network: it gives the exact probabilities of a synthetic world."
