"""The tables of the sections over sentence pairs, besides those of the paper."""

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.results import Results
from unmask.report.sheets import DASH, Sheet, interval, number, p_value, rows_of, wide
from unmask.statistics.accuracy import PAIR
from unmask.statistics.areas import CLUSTERED, NEWCOMBE
from unmask.statistics.options import ANY, MARGIN, OWN
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, PROTOCOLS, PUBLISHED, SHUFFLED, STEREO


def main(results: Results) -> Sheet:
    """Every bias score over all pairs, in both protocols, with its intervals, margin and doubtful pairs."""
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
                    interval(row["wilson_low"], row["wilson_high"]),
                    interval(row["bootstrap_low"], row["bootstrap_high"]),
                    f"{number(row['margin'], 4, signed=True)} "
                    f"({interval(row['margin_low'], row['margin_high'], 4, signed=True)})",
                ]
        any_row = by_protocol.get(CORRECTED, found.iloc[0])
        counts = (any_row["differing"], any_row["tie"], any_row["undefined"], any_row["near_ties"])
        rows.append(
            (str(model), str(benchmark), title_of(str(measure)), *cells, *(number(c, 0) for c in counts))
        )
    columns = [
        (protocol, label)
        for protocol in PROTOCOLS
        for label in ("score", "Wilson", "bootstrap", "mean margin")
    ]
    pairs = [("pairs", label) for label in ("differ", "ties", "undefined", "near-ties")]
    return Sheet(results.captions["main"], ("model", "benchmark", "measure"), (*columns, *pairs), tuple(rows))


def bias_types(results: Results) -> Sheet:
    """Bias scores by bias type, protocol corrected."""
    found = results.original()
    found = found[(found["grouping"] == BIAS_TYPE) & (found["protocol"] == CORRECTED)]
    found = found.assign(
        cell=[
            f"{number(row.score, 1)} ({interval(row.wilson_low, row.wilson_high, 0)})"
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
    """Adv, Dis and |Diff| of every measure in both protocols, as Table 3 has them for three measures."""
    found = results.original()
    names = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}
    found = found[found["grouping"].isin((DIRECTION, DIFFERENCE))]
    found = found.assign(
        cell=[
            f"{number(row.score)} ({interval(row.bootstrap_low, row.bootstrap_high)})"
            for row in rows_of(found)
        ],
        measure=found["measure"].map(title_of),
        label=found["group"].map(names),
    )
    # Adv, Dis and |Diff| side by side under each protocol
    place = {label: index for index, label in enumerate(names.values())}
    ordered = found.sort_values(
        ["protocol", "label"],
        key=lambda column: column.map({**place, PUBLISHED: 0, CORRECTED: 1}),
        kind="stable",
    )
    return wide(
        ordered,
        ("model", "benchmark", "measure"),
        ("protocol", "label"),
        "cell",
        results.captions["directions"],
    )


def shuffled(results: Results) -> Sheet:
    """Bias scores of the sentences with their tokens shuffled, beside those of the original order."""
    found = results.bias[results.bias["grouping"] == OVERALL]
    found = found[found["measure"].isin(found.loc[found["variant"] == SHUFFLED, "measure"])]
    found = found.assign(
        cell=[f"{number(row.score)} ({interval(row.wilson_low, row.wilson_high)})" for row in rows_of(found)],
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
            "exact" if row.exact else "chi-square",
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
    """Bias scores that others report beside ours."""
    ours = {
        (row.model, row.benchmark, row.measure, row.group): row
        for row in rows_of(results.original())
        if row.protocol == PUBLISHED
    }
    rows = []
    for model in results.study.models:
        for benchmark in results.study.benchmarks:
            for peer in results.published.peers(model.published, benchmark.published):
                key = (model.name, benchmark.name, peer.measure, peer.group)
                found = ours.get(key)
                score = None if found is None else found.score
                rows.append(
                    (
                        *key[:2],
                        title_of(peer.measure),
                        peer.group,
                        peer.source,
                        number(peer.percent),
                        number(score),
                        number(None if score is None else score - peer.percent, signed=True),
                        DASH if peer.count is None else str(peer.count),
                        DASH if found is None else str(found.stereotype),
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
        ),
        tuple(rows),
    )
