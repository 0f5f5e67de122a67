"""The tables of the sections over sentence pairs, besides those of the paper."""

from typing import Any

import pandas as pd

from unmask.measures.formulas import measure as measure_of
from unmask.measures.names import title_of
from unmask.pairs.answer import judged, with_one_control
from unmask.pairs.published import by_others
from unmask.pairs.results import PairResults
from unmask.pairs.verdicts import MARKS, NARROW_MARKS, NO_INTERVAL, ends_beside_50
from unmask.report.declared_tables import Column, Table, in_order
from unmask.report.sheets import DASH, Sheet, interval, number, rows_of
from unmask.statistics.accuracy import CLUSTERED, PAIR
from unmask.statistics.agreement import ANY, MARGIN, OWN
from unmask.statistics.ranks import holm
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, ORIGINAL, PROTOCOLS, PUBLISHED, SHUFFLED, STEREO

KEYS = ["model", "benchmark", "measure"]
SHOWN = ["model", "benchmark", "title"]
TITLE = {"title": "measure"}

_VARY, _ALONE, _LEFT = "pairs vary together", "word choice alone", "without these words"
_FURTHER = "control further from 50"
_SCORE, _STEREOTYPICAL, _RIGHT = "bias score (%)", "stereotypical pairs", "token accuracy (%)"

MAIN = Table(
    "main",
    SHOWN,
    [
        Column("score", "{score:.2f}", "Bias score in percent."),
        Column(
            "interval", "{low:.1f} to {high:.1f}", "Its interval, which allows for pairs that vary together."
        ),
        Column(
            "word choice alone",
            "{null_low:.1f} to {null_high:.1f}",
            "The band of word choice, in percent.",
        ),
        Column("verdict", "{verdict}", "What the interval and the band of word choice allow to say."),
        Column(
            "differ", "{differing:.0f}", "Pairs of which one sentence is preferred.", "pairs", each_row=True
        ),
        Column("ties", "{tie:.0f}", "Pairs of which none is.", "pairs", each_row=True),
        Column("undefined", "{undefined:.0f}", "Pairs without a score.", "pairs", each_row=True),
        Column("near-ties", "{near_ties:.0f}", "Pairs that float error could turn.", "pairs", each_row=True),
    ],
    across=["protocol"],
    heads=TITLE,
)
ANSWER = Table(
    "answer",
    ["who", "benchmark", "title"],
    [
        Column("score", "{said} ({ends})", "Pairs in which the stereotype is preferred, in percent."),
        Column("word choice", "{band}", "The band of scores that word choice alone gives, in percent."),
        Column("verdict", "{verdict}", "What the interval and the band of word choice allow to say."),
        Column(
            "larger p (Holm)",
            "{p_holm:p}",
            "The larger p of interval and band, after Holm's correction over all scores.",
        ),
        Column(_FURTHER, "{further}", "Controls of the score that are further from 50, in percent."),
    ],
    heads={"who": "model", "title": "measure"},
)
TERMINAL = Table(
    "terminal",
    ["who", "benchmark"],
    [Column("", "{said} {ends}{claim}", "Bias score in percent with its interval.")],
    across=["title"],
    label_first=True,
    heads={"who": "model"},
)
SCORES = Table(
    "scores",
    ["who", "benchmark"],
    [Column("", "{said} ({ends}){claim}", "Bias score in percent with its interval.")],
    across=["title"],
    label_first=True,
    heads={"who": "model"},
)
CHANCE = Table(
    "chance",
    [*SHOWN, "protocol"],
    [
        Column(
            "mean margin",
            "<{margin:+.4f}> (<{margin_low:+.4f} to {margin_high:+.4f}>)",
            "Mean over the pairs.",
        ),
        Column("design effect", "{design_effect:.1f}", "Variance over that of independent pairs.", _VARY),
        Column("degrees of freedom", "{df:.1f}", "Of Student's t behind the interval.", _VARY),
        Column("interval", "{low:.1f} to {high:.1f}", "Interval of the bias score in percent.", _VARY),
        Column(
            "Wilson interval", "{wilson_low:.1f} to {wilson_high:.1f}", "In percent.", "independent pairs"
        ),
        Column("mean", "{null_mean:.1f}", "Mean bias score of the null of word choice, in percent.", _ALONE),
        Column("interval", "{null_low:.1f} to {null_high:.1f}", "Its band in percent.", _ALONE),
        Column("p", "{null_p:p}", "How often the null is as far from its mean.", _ALONE),
        Column(
            "mean (range; how many)",
            "<{untrained_mean:.1f}> (<{untrained_low:.1f} to {untrained_high:.1f}>; {untrained:.0f})",
            "Bias scores in percent of networks with random weights.",
            "untrained networks",
        ),
    ],
    heads=TITLE,
)
LEVERAGE = Table(
    "leverage",
    SHOWN,
    [
        Column("score", "{score:.2f}", "Bias score in percent over all pairs.", "all pairs"),
        Column("word (pairs: change alone)", "{words}", "Words, and how much the score changes.", "left out"),
        Column("score", "{without_all:.2f}", "Bias score in percent without all of these words.", _LEFT),
        Column("pairs", "{left}", "Number of pairs without these words.", _LEFT),
    ],
    heads=TITLE,
)
BIAS_TYPES = Table(
    "bias_types",
    [*SHOWN[:2], "group", "n"],
    [
        Column(
            "bias score", "<{score:.1f}> (<{low:.0f} to {high:.0f}>){claim}", "In percent, with its interval."
        )
    ],
    across=["title"],
    label_first=True,
    heads={"group": "bias type", "n": "pairs"},
)
DIRECTIONS = Table(
    "directions",
    [*SHOWN, "protocol"],
    [
        Column(
            "Adv", "<{adv_score:.2f}> (<{adv_low:.1f} to {adv_high:.1f}>)", "Of advantaged groups.", _SCORE
        ),
        Column(
            "Dis", "<{dis_score:.2f}> (<{dis_low:.1f} to {dis_high:.1f}>)", "Of disadvantaged groups.", _SCORE
        ),
        Column("Adv − Dis", "<{score:+.2f}> (<{low:+.1f} to {high:+.1f}>)", "The first less the second."),
        Column("raw", "{p:p}", "Two-sided p of the difference.", "p"),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction.", "p"),
        Column("|Diff|", "{size:.2f}", "Size of the difference in points."),
        Column("word choice alone", "{null_low:+.1f} to {null_high:+.1f}", "Band of word choice, in points."),
    ],
    heads=TITLE,
)
SHUFFLED_ORDER = Table(
    "shuffled",
    SHOWN,
    [Column("", "<{score:.2f}> (<{low:.1f} to {high:.1f}>)", "Bias score in percent with its interval.")],
    across=["variant", "protocol"],
    heads=TITLE,
)
AGREEMENT = Table(
    "agreement",
    [*SHOWN, "protocol"],
    [Column("", "[{auc:.3f} {ends}][{reason}]", "AUC with its interval, or why there is none.")],
    across=["votes", "threshold"],
    heads=TITLE,
)
TESTS = Table(
    "tests",
    ["model", "benchmark", "comparison", "reading", "unit"],
    [
        Column("n", "{n}", "Number of units."),
        Column("first", "{b}", "Units that only the first has right.", "right"),
        Column("second", "{c}", "Units that only the second has right.", "right"),
        Column("raw", "{p:p}", "p of McNemar's test.", "p"),
        Column("Holm", "{p_holm:p}", "The same after Holm's correction.", "p"),
        Column("test", "{test}", "Which distribution p is of."),
    ],
    heads={"reading": "tokens"},
)
ACCURACIES = Table(
    "accuracies",
    [*SHOWN, "variant", "sentences"],
    [
        Column(
            "accuracy, tokens", "<{accuracy:.2f}> (n = {n})", "Percent of tokens that are the first choice."
        )
    ],
    across=["reading"],
    label_first=True,
    heads=TITLE,
)
PEERS = Table(
    "peers",
    [*SHOWN, "group", "source"],
    [
        Column("theirs", "{percent:.2f}", "The bias score that others report.", _SCORE),
        Column("ours", "{score:.2f}", "The bias score of this study.", _SCORE),
        Column("difference", "{difference:+.2f}", "Ours less theirs, in points.", _SCORE),
        Column("theirs", "{count}", "Pairs that prefer the stereotype, as others report.", _STEREOTYPICAL),
        Column("ours", "{stereotype}", "Pairs that prefer the stereotype in this study.", _STEREOTYPICAL),
        Column("theirs", "{accuracy:.2f}", "The accuracy that others report.", _RIGHT),
        Column("ours", "{right:.2f}", "The accuracy of this study.", _RIGHT),
        Column("difference", "{right_difference:+.2f}", "Ours less theirs, in points.", _RIGHT),
    ],
    heads={**TITLE, "source": "reported by"},
)


def _sheet(results: PairResults, table: Table, rows: pd.DataFrame) -> Sheet:
    """The sheet under its caption, measures by their titles."""
    return table.sheet(rows.assign(title=rows["measure"].map(title_of)), results.captions[table.name])


def main(results: PairResults) -> Sheet:
    """Every bias score over all pairs, in both protocols, with the band of word choice and the verdict."""
    rows = results.overall
    counts = ["differing", "tie", "undefined", "near_ties"]
    # of both protocols those of the corrected one
    of_score = in_order(rows, protocol=[CORRECTED, PUBLISHED]).drop_duplicates(KEYS)[[*KEYS, *counts]]
    rows = rows.drop(columns=counts).merge(of_score, on=KEYS, how="left")
    return _sheet(results, MAIN, rows.assign(protocol=pd.Categorical(rows["protocol"], PROTOCOLS)))


def answer(results: PairResults) -> Sheet:
    """Every score over all pairs, protocol corrected, with its verdict."""
    rows = judged(results)
    empty = [_FURTHER] if rows["further"].isna().all() else []
    rows = rows.assign(ends=rows["ends"].replace(NO_INTERVAL, DASH))
    return ANSWER.without(*empty).sheet(rows, results.captions["answer"])


def scores(results: PairResults) -> Sheet:
    """The same scores, a row for each model and benchmark, for the first screen."""
    return SCORES.sheet(_marked(results), results.captions["scores"])


def terminal(results: PairResults) -> Sheet:
    """The same for a terminal, in fewer characters."""
    return TERMINAL.sheet(_marked(results), results.captions["terminal"])


def _marked(results: PairResults) -> pd.DataFrame:
    """Scores with a mark by their verdict."""
    rows = with_one_control(judged(results))
    claim = rows["verdict"].map(NARROW_MARKS).fillna("")
    ends = [ends_beside_50(row.low, row.high).replace(NO_INTERVAL, DASH) for row in rows_of(rows)]
    # a cell has less room than a sentence
    return rows.assign(ends=[each.replace(" to ", DASH) for each in ends], claim=claim)


def chance(results: PairResults) -> Sheet:
    """Margins, and what intervals and nulls rest on."""
    return _sheet(results, CHANCE, results.overall)


def leverage(results: PairResults) -> Sheet:
    """The words that each score depends on most, protocol corrected."""
    rows = results.leverage[results.leverage["protocol"] == CORRECTED]
    if rows.empty:
        return _sheet(results, LEVERAGE, rows.assign(words=""))
    words = pd.Series(
        [
            f"{row.word} ({row.pairs}: {number(row.without - row.score, signed=True)})"
            for row in rows_of(rows)
        ],
        index=rows.index,
        dtype=object,
    )
    joined = words.groupby([rows[key] for key in KEYS], sort=False).agg(", ".join).rename("words")
    # the last word has what is left without it and all before it
    return _sheet(results, LEVERAGE, rows.drop_duplicates(KEYS, keep="last").join(joined, on=KEYS))


def bias_types(results: PairResults) -> Sheet:
    """Bias scores by bias type, protocol corrected."""
    rows = results.original
    rows = rows[(rows["grouping"] == BIAS_TYPE) & (rows["protocol"] == CORRECTED)]
    return _sheet(results, BIAS_TYPES, rows.assign(claim=rows["verdict"].map(MARKS).fillna("")))


def directions(results: PairResults) -> Sheet:
    """Adv, Dis and Adv - Dis of every measure in both protocols."""
    scores = results.original
    keys = [*KEYS, "protocol"]
    rows = holm(scores[scores["grouping"] == DIFFERENCE], by=["protocol"])
    for name, group in (("adv", ANTISTEREO), ("dis", STEREO)):
        side = scores[(scores["grouping"] == DIRECTION) & (scores["group"] == group)]
        rows = rows.join(side.set_index(keys)[["score", "low", "high"]].add_prefix(f"{name}_"), on=keys)
    return _sheet(results, DIRECTIONS, rows.assign(size=rows["score"].abs()))


def shuffled(results: PairResults) -> Sheet:
    """Bias scores of the sentences with their tokens shuffled, beside those of the original order."""
    rows = results.bias[results.bias["grouping"] == OVERALL]
    rows = rows[rows["measure"].isin(rows.loc[rows["variant"] == SHUFFLED, "measure"])]
    return _sheet(results, SHUFFLED_ORDER, rows)


def agreement(results: PairResults) -> Sheet:
    """AUC with margins over all directions, under each reading of the ratings."""
    rows = results.agreement
    rows = rows[(rows["score"] == MARGIN) & (rows["direction"] == "all")]
    rows = rows.assign(
        ends=[f"({interval(row.low, row.high, 2)})" if pd.notna(row.low) else "" for row in rows_of(rows)],
        reason=rows["reason"].where(rows["auc"].isna()),
        votes=rows["votes"].map({ANY: "any bias type chosen", OWN: "the pair's own chosen"}),
        threshold=[f"≥ {threshold} votes" for threshold in rows["threshold"]],
    )
    return _sheet(results, AGREEMENT, rows)


def tests(results: PairResults) -> Sheet:
    """McNemar tests of accuracies, by token and clustered."""
    rows = results.tests
    rows = rows.assign(
        comparison=[f"{row.first} vs {row.second}" for row in rows_of(rows)],
        test=[_kind_of_test(row) for row in rows_of(rows)],
    )
    return TESTS.sheet(rows, results.captions["tests"])


def _kind_of_test(row: Any) -> str:
    """How a row of TESTS was tested, or that it could not be."""
    if row.unit == CLUSTERED:
        return f"t, df {number(row.df, 1)}" if pd.notna(row.df) else "not testable"
    return "exact" if row.exact else "chi-square"


def accuracies(results: PairResults) -> Sheet:
    """Token accuracy under all readings."""
    rows = results.accuracy
    return _sheet(
        results, ACCURACIES, rows.assign(sentences=rows["roles"].replace({PAIR: "both of the pair"}))
    )


def peers(results: PairResults) -> Sheet:
    """Bias scores and token accuracies that others report beside ours."""
    study = results.study
    names = pd.DataFrame(
        [
            (model.name, model.published, benchmark.name, benchmark.published)
            for model in study.models
            for benchmark in study.benchmarks
            if model.published and benchmark.published
        ],
        columns=["model", "published_model", "benchmark", "published_benchmark"],
    ).astype("str")
    reported = by_others(results.published).rename(
        columns={"model": "published_model", "benchmark": "published_benchmark", "preferred": "count"}
    )
    rows = names.merge(reported, on=["published_model", "published_benchmark"])
    scores = results.original[results.original["protocol"] == PUBLISHED]
    scores = scores[[*KEYS, "group", "score", "stereotype"]].drop_duplicates([*KEYS, "group"], keep="last")
    rows = rows.merge(scores, how="left", on=[*KEYS, "group"], validate="m:1")
    accuracies = results.accuracy
    accuracies = accuracies[(accuracies["variant"] == ORIGINAL) & (accuracies["roles"] == PAIR)]
    accuracies = accuracies.rename(columns={"measure": "predictions", "accuracy": "right"})
    keys = ["model", "benchmark", "predictions", "reading"]
    predictions = [measure_of(name).predictions_of or name for name in rows["measure"]]
    rows = rows.assign(predictions=predictions).astype({"predictions": "str", "reading": "str"})
    rows = rows.merge(accuracies[[*keys, "right"]], how="left", on=keys, validate="m:1")
    rows = rows.astype(dict.fromkeys(["percent", "score", "accuracy", "right"], float))
    rows = rows.astype(dict.fromkeys(["count", "stereotype"], "Int64"))
    differences = {
        "difference": rows["score"] - rows["percent"],
        "right_difference": rows["right"] - rows["accuracy"],
    }
    return _sheet(results, PEERS, rows.assign(**differences))
