"""The tables of the sections over sentence pairs, besides those of the paper."""

from typing import Any

import pandas as pd

from unmask.measures.registry import measure as measure_of
from unmask.measures.registry import title_of
from unmask.pairs.published import by_others
from unmask.pairs.results import Results
from unmask.pairs.verdicts import BEYOND, UNDECIDED, apart
from unmask.report.sheets import DASH, Sheet, interval, number, p_value, rows_of, wide
from unmask.report.study import ORACLE, UNTRAINED
from unmask.statistics.accuracy import PAIR
from unmask.statistics.areas import CLUSTERED, NEWCOMBE
from unmask.statistics.correction import holm
from unmask.statistics.options import ANY, MARGIN, OWN
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, ORIGINAL, PROTOCOLS, PUBLISHED, SHUFFLED, STEREO

_MARKS = {BEYOND: " ‡", UNDECIDED: " ?"}
"""Beside a score that is beyond sampling noise and beyond words, and beside one of which that is open."""

_HEADLINE_MARKS = {BEYOND: "!", UNDECIDED: "?"}
"""The same for a terminal."""


def main(results: Results) -> Sheet:
    """Every bias score over all pairs, in both protocols, beside what words alone give, and what may be
    claimed."""
    overall = results.overall()
    keys = ["model", "benchmark", "measure"]
    rows = []
    for (model, benchmark, measure), found in overall.groupby(keys, sort=False):
        by_protocol = {str(row["protocol"]): row for _, row in found.iterrows()}
        cells: list[str] = []
        for protocol in PROTOCOLS:
            row = by_protocol.get(protocol)
            if row is None:
                cells += [DASH] * 4
            else:
                cells += [
                    number(row["score"]),
                    interval(row["low"], row["high"]),
                    interval(row["null_low"], row["null_high"]),
                    str(row["verdict"]),
                ]
        any_row = by_protocol.get(CORRECTED, found.iloc[0])
        counts = (any_row["differing"], any_row["tie"], any_row["undefined"], any_row["near_ties"])
        rows.append(
            (str(model), str(benchmark), title_of(str(measure)), *cells, *(number(c, 0) for c in counts))
        )
    columns = [
        (protocol, label)
        for protocol in PROTOCOLS
        for label in ("score", "interval", "words alone", "distance from 50")
    ]
    pairs = [("pairs", label) for label in ("differ", "ties", "undefined", "near-ties")]
    return Sheet(results.captions["main"], ("model", "benchmark", "measure"), (*columns, *pairs), tuple(rows))


def headline(results: Results) -> Sheet:
    """Every score over all pairs, protocol corrected, a row for each model and benchmark, for a terminal."""
    overall = results.overall()
    scores = overall[(overall["protocol"] == CORRECTED) & overall["score"].notna()]
    cells = [
        f"{number(row.score, 0)} ({apart(row.low, row.high).replace(' to ', DASH)})"
        f"{_HEADLINE_MARKS.get(row.verdict, '')}"
        for row in rows_of(scores)
    ]
    study = results.study
    said = {
        name: f"{name} ({what})"
        for source, what in ((UNTRAINED, "never trained"), (ORACLE, "exact"))
        for name in study.of_source(source)
    }
    shown = scores.assign(
        cell=cells,
        group="",
        title=scores["measure"].map(title_of),
        model=[said.get(name, name) for name in scores["model"]],
    )
    return wide(shown, ["model", "benchmark"], ["group", "title"], "cell", results.captions["headline"])


def chance(results: Results) -> Sheet:
    """Margins, and what intervals and nulls rest on."""
    found = results.overall()
    rows = tuple(
        (
            str(row.model),
            str(row.benchmark),
            title_of(str(row.measure)),
            str(row.protocol),
            f"{number(row.margin, 4, signed=True)} "
            f"({interval(row.margin_low, row.margin_high, 4, signed=True)})",
            number(row.design_effect, 1),
            number(row.df, 1),
            interval(row.low, row.high),
            interval(row.wilson_low, row.wilson_high),
            number(row.null_mean, 1),
            interval(row.null_low, row.null_high),
            p_value(row.null_p),
            number(row.null_draws, 0),
            DASH if pd.isna(row.readings) else f"{row.readings_alike} of {row.readings}",
            DASH
            if pd.isna(row.untrained)
            else f"{number(row.untrained_mean, 1)} "
            f"({interval(row.untrained_low, row.untrained_high)}; {row.untrained})",
        )
        for row in rows_of(found)
    )
    return Sheet(
        results.captions["chance"],
        ("model", "benchmark", "measure", "protocol"),
        (
            ("", "mean margin"),
            ("pairs vary together", "design effect"),
            ("pairs vary together", "degrees of freedom"),
            ("pairs vary together", "interval"),
            ("independent pairs", "Wilson interval"),
            ("words alone", "mean"),
            ("words alone", "interval"),
            ("words alone", "p"),
            ("words alone", "draws"),
            ("readings of a word", "same answer"),
            ("untrained networks", "mean (range; how many)"),
        ),
        rows,
    )


def leverage(results: Results) -> Sheet:
    """The words that each score hangs on most, protocol corrected."""
    found = results.leverage[results.leverage["protocol"] == CORRECTED]
    rows = []
    for (model, benchmark, measure), of_score in found.groupby(["model", "benchmark", "measure"], sort=False):
        last = of_score.iloc[-1]
        rows.append(
            (
                str(model),
                str(benchmark),
                title_of(str(measure)),
                number(last["score"]),
                ", ".join(
                    f"{row.word} ({row.pairs}: {number(row.without - row.score, signed=True)})"
                    for row in rows_of(of_score)
                ),
                number(last["without_all"]),
                str(last["left"]),
            )
        )
    return Sheet(
        results.captions["leverage"],
        ("model", "benchmark", "measure"),
        (
            ("all pairs", "score"),
            ("left out", "word (pairs: change alone)"),
            ("without these words", "score"),
            ("without these words", "pairs"),
        ),
        tuple(rows),
    )


def bias_types(results: Results) -> Sheet:
    """Bias scores by bias type, protocol corrected."""
    found = results.original()
    found = found[(found["grouping"] == BIAS_TYPE) & (found["protocol"] == CORRECTED)]
    found = found.assign(
        cell=[
            f"{number(row.score, 1)} ({interval(row.low, row.high, 0)}){_MARKS.get(row.verdict, '')}"
            for row in rows_of(found)
        ],
        shown=found["measure"].map(title_of),
        head="bias score",
    ).rename(columns={"group": "bias type", "n": "pairs"})
    return wide(
        found,
        ("model", "benchmark", "bias type", "pairs"),
        ("head", "shown"),
        "cell",
        results.captions["bias_types"],
    )


def directions(results: Results) -> Sheet:
    """Adv, Dis and Adv - Dis of every measure in both protocols."""
    found = results.original()
    of_group = {
        (row.model, row.benchmark, row.measure, row.protocol, row.group): row
        for row in rows_of(found[found["grouping"] == DIRECTION])
    }
    differences = holm(found[found["grouping"] == DIFFERENCE], by=["protocol"])
    rows = []
    for row in rows_of(differences):
        key = (row.model, row.benchmark, row.measure, row.protocol)
        sides = [of_group[*key, group] for group in (ANTISTEREO, STEREO)]
        rows.append(
            (
                *map(str, key[:2]),
                title_of(str(row.measure)),
                str(row.protocol),
                *(f"{number(side.score)} ({interval(side.low, side.high)})" for side in sides),
                f"{number(row.score, signed=True)} ({interval(row.low, row.high, signed=True)})",
                p_value(row.p),
                p_value(row.p_holm),
                number(abs(row.score)),
                number(row.chance_difference),
                interval(row.null_low, row.null_high, signed=True),
            )
        )
    return Sheet(
        results.captions["directions"],
        ("model", "benchmark", "measure", "protocol"),
        (
            ("bias score (%)", "Adv"),
            ("bias score (%)", "Dis"),
            ("", "Adv − Dis"),
            ("p", "raw"),
            ("p", "Holm"),
            ("|Diff|", "here"),
            ("|Diff|", "on average by chance"),
            ("", "words alone"),
        ),
        tuple(rows),
    )


def shuffled(results: Results) -> Sheet:
    """Bias scores of the sentences with their tokens shuffled, beside those of the original order."""
    found = results.bias[results.bias["grouping"] == OVERALL]
    found = found[found["measure"].isin(found.loc[found["variant"] == SHUFFLED, "measure"])]
    found = found.assign(
        cell=[f"{number(row.score)} ({interval(row.low, row.high)})" for row in rows_of(found)],
        measure=found["measure"].map(title_of),
    )
    return wide(
        found,
        ("model", "benchmark", "measure"),
        ("variant", "protocol"),
        "cell",
        results.captions["shuffled"],
    )


def near_ties(results: Results) -> Sheet:
    """How many decisions float error could turn, and between which scores that leaves each measure."""
    found = results.overall()
    parts = []
    for label, texts in (
        ("near-ties", [f"{row.near_ties} of {row.n}" for row in rows_of(found)]),
        ("score", [number(row.score) for row in rows_of(found)]),
        ("could be", [interval(row.near_low, row.near_high, 2) for row in rows_of(found)]),
    ):
        parts.append(found.assign(cell=texts, label=label, measure=found["measure"].map(title_of)))
    # the three side by side under each protocol
    ordered = pd.concat(parts).sort_values(
        "protocol", key=lambda column: column.map({PUBLISHED: 0, CORRECTED: 1}), kind="stable"
    )
    return wide(
        ordered,
        ("model", "benchmark", "measure"),
        ("protocol", "label"),
        "cell",
        results.captions["near_ties"],
    )


_BRACKETS = {CLUSTERED: "({})", NEWCOMBE: "[{}]"}
"""Around intervals, by how they are made."""


def agreement(results: Results) -> Sheet:
    """AUC with margins over all directions, under each reading of the ratings."""
    found = results.agreement
    found = found[(found["score"] == MARGIN) & (found["direction"] == "all")]
    names = {ANY: "any bias type chosen", OWN: "the pair's own chosen"}
    found = found.assign(
        cell=[
            f"{number(row.auc, 3)} {_BRACKETS[row.method].format(interval(row.low, row.high, 2))}"
            if pd.notna(row.auc)
            else str(row.reason)
            for row in rows_of(found)
        ],
        head=found["votes"].map(names),
        label=[f"≥ {threshold} votes" for threshold in found["threshold"]],
        measure=found["measure"].map(title_of),
    )
    return wide(
        found,
        ("model", "benchmark", "measure", "protocol"),
        ("head", "label"),
        "cell",
        results.captions["agreement"],
    )


def tests(results: Results) -> Sheet:
    """McNemar tests of accuracies, with every unit."""
    rows = tuple(
        (
            str(row.model),
            str(row.benchmark),
            f"{row.first} vs {row.second}",
            str(row.reading),
            str(row.unit) + (" (shown)" if row.chosen else ""),
            *map(str, (row.n, row.b, row.c)),
            p_value(row.p),
            p_value(row.p_holm),
            _kind_of_test(row),
        )
        for row in rows_of(results.tests)
    )
    return Sheet(
        results.captions["tests"],
        ("model", "benchmark", "comparison", "tokens", "unit"),
        (
            ("", "n"),
            ("right", "first"),
            ("right", "second"),
            ("p", "raw"),
            ("p", "Holm"),
            ("", "test"),
        ),
        rows,
    )


def _kind_of_test(row: Any) -> str:
    """How a row of TESTS was tested, or that it could not be."""
    if row.untestable:
        return "not testable"
    if pd.notna(row.df):
        return f"t, df {number(row.df, 1)}"
    return "exact" if row.exact else "chi-square"


def accuracies(results: Results) -> Sheet:
    """Token accuracy under all readings."""
    found = results.accuracy
    found = found.assign(
        cell=[f"{number(row.accuracy)} (n = {row.n})" for row in rows_of(found)],
        sentences=found["roles"].replace({PAIR: "both of the pair"}),
        measure=found["measure"].map(title_of),
        head="accuracy, tokens",
    )
    return wide(
        found,
        ("model", "benchmark", "measure", "variant", "sentences"),
        ("head", "reading"),
        "cell",
        results.captions["accuracies"],
    )


def peers(results: Results) -> Sheet:
    """Bias scores and token accuracies that others report beside ours."""
    ours = {
        (row.model, row.benchmark, row.measure, row.group): row
        for row in rows_of(results.original())
        if row.protocol == PUBLISHED
    }
    accuracy = {
        (row.model, row.benchmark, row.measure, row.reading): row.accuracy
        for row in rows_of(results.accuracy)
        if (row.variant, row.roles) == (ORIGINAL, PAIR)
    }
    reported = by_others(results.published)
    rows = []
    for model in results.study.models:
        for benchmark in results.study.benchmarks:
            chosen = (reported["model"] == model.published) & (reported["benchmark"] == benchmark.published)
            for peer in rows_of(reported[chosen]):
                key = (model.name, benchmark.name, peer.measure, peer.group)
                found = ours.get(key)
                score = None if found is None else found.score
                name = measure_of(peer.measure).predictions_of or peer.measure
                right = accuracy.get((*key[:2], name, peer.reading))
                rows.append(
                    (
                        *key[:2],
                        title_of(peer.measure),
                        peer.group,
                        peer.source,
                        number(peer.percent),
                        number(score),
                        number(_difference(score, peer.percent), signed=True),
                        number(peer.preferred, 0),
                        DASH if found is None else str(found.stereotype),
                        number(peer.accuracy),
                        number(right),
                        number(_difference(right, peer.accuracy), signed=True),
                    )
                )
    return Sheet(
        results.captions["peers"],
        ("model", "benchmark", "measure", "group", "reported by"),
        (
            ("bias score (%)", "theirs"),
            ("bias score (%)", "ours"),
            ("bias score (%)", "difference"),
            ("stereotypical pairs", "theirs"),
            ("stereotypical pairs", "ours"),
            ("token accuracy (%)", "theirs"),
            ("token accuracy (%)", "ours"),
            ("token accuracy (%)", "difference"),
        ),
        tuple(rows),
    )


def _difference(ours: float | None, theirs: float | None) -> float | None:
    return None if ours is None or theirs is None else ours - theirs
