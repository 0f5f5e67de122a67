"""The page's own tables, besides those of the paper."""

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from unmask.report.results import Results
from unmask.report.sheets import DASH, Sheet, interval, number, p_value, rows_of
from unmask.report.study import display
from unmask.report.truth import LEVEL
from unmask.statistics.accuracy import PAIR
from unmask.statistics.mcnemar import DECISIONS
from unmask.statistics.options import ANY, MARGIN, OWN
from unmask.statistics.schema import BIAS_TYPE, DIFFERENCE, DIRECTION, OVERALL
from unmask.terms import ANTISTEREO, CORRECTED, PROTOCOLS, PUBLISHED, SHUFFLED, STEREO


def main(results: Results) -> Sheet:
    """Every bias score over all pairs, in both protocols, with its intervals, margin and doubtful pairs."""
    overall = results.overall()
    keys = ["model", "benchmark", "measure"]
    rows = []
    for (model, benchmark, measure), of in overall.groupby(keys, sort=False):
        by_protocol = {str(row["protocol"]): row for _, row in of.iterrows()}
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
        any_row = by_protocol.get(CORRECTED, of.iloc[0])
        counts = (any_row["differing"], any_row["tie"], any_row["undefined"], any_row["near_ties"])
        rows.append(
            (str(model), str(benchmark), display(str(measure)), *cells, *(number(c, 0) for c in counts))
        )
    columns = [
        (protocol, label)
        for protocol in PROTOCOLS
        for label in ("score", "Wilson", "bootstrap", "mean margin")
    ]
    pairs = [("pairs", label) for label in ("differ", "ties", "undefined", "near-ties")]
    return Sheet(results.captions["main"], ("model", "benchmark", "measure"), (*columns, *pairs), tuple(rows))


def _word(value: Any) -> str:
    return DASH if pd.isna(value) else str(value)


def _wide(frame: pd.DataFrame, stubs: Sequence[str], across: Sequence[str], cell: str, caption: str) -> Sheet:
    """`frame` with one column per value of `across` (a group and a label) and the text of column `cell`."""
    heads = list(frame[list(across)].drop_duplicates().itertuples(index=False, name=None))
    rows = []
    for key, of in frame.groupby(list(stubs), sort=False, dropna=False):
        texts = {tuple(row): text for *row, text in of[[*across, cell]].itertuples(index=False, name=None)}
        rows.append((*map(_word, key), *(texts.get(head, DASH) for head in heads)))
    return Sheet(caption, tuple(stubs), tuple((str(g), str(label)) for g, label in heads), tuple(rows))


def bias_types(results: Results) -> Sheet:
    """Bias scores by bias type, protocol corrected."""
    of = results.original()
    of = of[(of["grouping"] == BIAS_TYPE) & (of["protocol"] == CORRECTED)]
    of = of.assign(
        cell=[
            f"{number(row.score, 1)} ({interval(row.wilson_low, row.wilson_high, 0)})" for row in rows_of(of)
        ],
        shown=of["measure"].map(display),
        head="bias score",
    ).rename(columns={"group": "bias type", "n": "pairs"})
    return _wide(
        of,
        ("model", "benchmark", "bias type", "pairs"),
        ("head", "shown"),
        "cell",
        results.captions["bias_types"],
    )


def directions(results: Results) -> Sheet:
    """Adv, Dis and |Diff| of every measure in both protocols, as Table 3 has them for three measures."""
    of = results.original()
    names = {ANTISTEREO: "Adv", STEREO: "Dis", DIFFERENCE: "|Diff|"}
    of = of[of["grouping"].isin((DIRECTION, DIFFERENCE))]
    of = of.assign(
        cell=[
            f"{number(row.score)} ({interval(row.bootstrap_low, row.bootstrap_high)})" for row in rows_of(of)
        ],
        measure=of["measure"].map(display),
        label=of["group"].map(names),
    )
    # Adv, Dis and |Diff| side by side under each protocol
    place = {label: index for index, label in enumerate(names.values())}
    ordered = of.sort_values(
        ["protocol", "label"],
        key=lambda column: column.map({**place, PUBLISHED: 0, CORRECTED: 1}),
        kind="stable",
    )
    return _wide(
        ordered,
        ("model", "benchmark", "measure"),
        ("protocol", "label"),
        "cell",
        results.captions["directions"],
    )


def shuffled(results: Results) -> Sheet:
    """Bias scores of the sentences with their tokens shuffled, beside those of the original order."""
    of = results.bias[results.bias["grouping"] == OVERALL]
    of = of[of["measure"].isin(of.loc[of["variant"] == SHUFFLED, "measure"])]
    of = of.assign(
        cell=[f"{number(row.score)} ({interval(row.wilson_low, row.wilson_high)})" for row in rows_of(of)],
        measure=of["measure"].map(display),
    )
    return _wide(
        of,
        ("model", "benchmark", "measure"),
        ("variant", "protocol"),
        "cell",
        results.captions["shuffled"],
    )


def near_ties(results: Results) -> Sheet:
    """How many decisions float error could turn, and between which scores that leaves each measure."""
    of = results.overall()
    parts = []
    for label, texts in (
        ("near-ties", [f"{row.near_ties} of {row.n}" for row in rows_of(of)]),
        ("score", [number(row.score) for row in rows_of(of)]),
        ("could be", [interval(row.near_low, row.near_high, 2) for row in rows_of(of)]),
    ):
        parts.append(of.assign(cell=texts, label=label, measure=of["measure"].map(display)))
    # the three side by side under each protocol
    ordered = pd.concat(parts).sort_values(
        "protocol", key=lambda column: column.map({PUBLISHED: 0, CORRECTED: 1}), kind="stable"
    )
    return _wide(
        ordered,
        ("model", "benchmark", "measure"),
        ("protocol", "label"),
        "cell",
        results.captions["near_ties"],
    )


def agreement(results: Results) -> Sheet:
    """AUC with margins over all directions, under each reading of the ratings."""
    of = results.agreement
    of = of[(of["score"] == MARGIN) & (of["direction"] == "all")]
    names = {ANY: "any bias type chosen", OWN: "the pair's own chosen"}
    of = of.assign(
        cell=[
            f"{number(row.auc, 3)} ({interval(row.low, row.high, 2)})"
            if pd.notna(row.auc)
            else str(row.reason)
            for row in rows_of(of)
        ],
        head=of["votes"].map(names),
        label=[f"≥ {threshold} votes" for threshold in of["threshold"]],
        measure=of["measure"].map(display),
    )
    return _wide(
        of,
        ("model", "benchmark", "measure", "protocol"),
        ("head", "label"),
        "cell",
        results.captions["agreement"],
    )


def tests(results: Results) -> Sheet:
    """McNemar tests of accuracies, with either pairing unit."""
    of = results.tests[results.tests["kind"] != DECISIONS]
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
        for row in rows_of(of)
    )
    return Sheet(
        results.captions["tests"],
        ("model", "benchmark", "comparison", "tokens", "unit"),
        (
            ("", "n"),
            ("right", "only first"),
            ("right", "only second"),
            ("p", "raw"),
            ("p", "Holm"),
            ("", "test"),
        ),
        rows,
    )


def decisions(results: Results) -> Sheet:
    """Decisions of every two measures, protocol corrected."""
    of = results.tests[(results.tests["kind"] == DECISIONS) & (results.tests["protocol"] == CORRECTED)]
    rows = tuple(
        (
            str(row.model),
            str(row.benchmark),
            f"{display(str(row.first))} vs {display(str(row.second))}",
            *map(str, (row.n, row.both, row.b, row.c, row.neither)),
            p_value(row.p),
            p_value(row.p_holm),
        )
        for row in rows_of(of)
    )
    labels = ("both", "only first", "only second", "neither")
    return Sheet(
        results.captions["decisions"],
        ("model", "benchmark", "measures"),
        (("", "pairs"), *(("stereotype", label) for label in labels), ("p", "raw"), ("p", "Holm")),
        rows,
    )


def accuracies(results: Results) -> Sheet:
    """Token accuracy under all readings."""
    of = results.accuracy
    of = of.assign(
        cell=[f"{number(row.accuracy)} (n = {row.n})" for row in rows_of(of)],
        sentences=of["roles"].replace({PAIR: "both of the pair"}),
        measure=of["measure"].map(display),
        head="accuracy, tokens",
    )
    return _wide(
        of,
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
                        display(peer.measure),
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


def planted(results: Results, found: pd.DataFrame | None) -> Iterator[Sheet]:
    """Per benchmark of a world: each factor level's truth, then what every model shows there."""
    if found is None:
        return
    for benchmark in results.study.benchmarks:
        of = found[found["benchmark"] == benchmark.name]
        if of.empty:
            continue
        measures = of["measure"].drop_duplicates().tolist()
        rows: list[tuple[str, ...]] = []
        for level, at in of.groupby(LEVEL, dropna=False, sort=False):
            # one ratio that is not whole makes all of them float: 4 is written 4 nevertheless
            stubs = tuple(f"{value:g}" if isinstance(value, float) else _word(value) for value in level)
            oracle = at.drop_duplicates("measure").set_index("measure")["oracle"]
            pairs = str(at["pairs"].iloc[0])
            rows.append((*stubs, pairs, "truth", *(number(oracle.get(m), 4, signed=True) for m in measures)))
            for model, by_model in at.groupby("model", sort=False):
                cell_of = {
                    row.measure: f"{number(row.stereotype, 0)}% ({number(row.margin, 4, signed=True)})"
                    for row in rows_of(by_model)
                }
                cells = (cell_of.get(measure, DASH) for measure in measures)
                rows.append((*stubs, pairs, str(model), *cells))
        yield Sheet(
            f"{benchmark.name}: {results.captions['planted']}",
            ("factor", "p", "ratio", "direction", "pairs", "model"),
            tuple(("", display(measure)) for measure in measures),
            tuple(rows),
        )
