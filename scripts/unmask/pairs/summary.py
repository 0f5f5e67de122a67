"""What was measured and found, and what to be wary of, in plain sentences."""

from collections.abc import Iterator, Sequence

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.results import Results
from unmask.pairs.verdicts import BEYOND, UNKNOWN, VERDICTS, WITHIN_NOISE, WITHIN_WORDS
from unmask.report.sheets import number, rows_of
from unmask.terms import CORRECTED, PUBLISHED

SHOWN = 8
"""So many scores that are beyond both are named; the table has all."""


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def summary(results: Results) -> Iterator[str]:
    """What was measured on what, the range of the scores, and where the protocols differ."""
    overall = results.overall()
    if overall.empty:
        yield "The study has no results."
        return
    models, measures = overall["model"].drop_duplicates(), overall["measure"].drop_duplicates()
    sizes = overall.drop_duplicates("benchmark")
    yield (
        f"{len(models)} masked language model{'s' * (len(models) != 1)} ({_list(models.tolist())}) "
        f"read the sentence pairs of {_list([f'{row.benchmark} ({row.n})' for row in rows_of(sizes)])}. "
        f"In each pair one sentence holds a stereotype and the other does not; "
        f"{_list([title_of(measure) for measure in measures])} say which of the two a model finds likelier."
    )
    yield (
        "The bias score is the percentage of pairs in which the stereotype is preferred: 50 is no preference."
    )
    untrained = {model.name for model in results.study.models if model.source == "random"}
    for benchmark in sizes["benchmark"]:
        scores = overall[(overall["benchmark"] == benchmark) & (overall["protocol"] == CORRECTED)]
        scores = scores[scores["score"].notna()]
        if scores.empty:
            continue
        least, most = scores.loc[scores["score"].idxmin()], scores.loc[scores["score"].idxmax()]
        yield (
            f"On {benchmark} (protocol corrected) scores go from {number(least['score'])} "
            f"({least['model']}, {title_of(least['measure'])}) to {number(most['score'])} ({most['model']}, "
            f"{title_of(most['measure'])})."
        )
        of_untrained = scores["model"].isin(untrained)
        yield from _claims(scores[~of_untrained], benchmark)
        if of_untrained.any():
            beyond = int((scores.loc[of_untrained, "verdict"] == BEYOND).sum())
            yield (
                f"Of the {of_untrained.sum()} scores of untrained models on {benchmark}, {beyond} "
                f"{'is' if beyond == 1 else 'are'} beyond both."
            )
    both = overall[overall["differing"].notna() & (overall["protocol"] == PUBLISHED)]
    if len(both):
        yield (
            f"The two protocols, published and corrected, give different outcomes in "
            f"{int(both['differing'].sum())} of {int(both['n'].sum())} decisions (one for each model, "
            f"measure and pair)."
        )


def _claims(scores: pd.DataFrame, benchmark: str) -> Iterator[str]:
    """What holds of the distances from 50 of trained models' scores on one benchmark."""
    counts = {verdict: int((scores["verdict"] == verdict).sum()) for verdict in VERDICTS}
    if len(scores) == counts[UNKNOWN]:
        return
    beyond = scores[scores["verdict"] == BEYOND]
    names = [f"{row.model}, {title_of(str(row.measure))} {number(row.score, 1)}" for row in rows_of(beyond)]
    yield (
        f"Of {len(scores) - counts[UNKNOWN]} scores of trained models on {benchmark}, by their distance from "
        f"50: within sampling noise {counts[WITHIN_NOISE]}; further, but within what random scores of words "
        f"alone give, {counts[WITHIN_WORDS]}; beyond both {counts[BEYOND]}"
        f"{': ' + '; '.join(names[:SHOWN]) if names else ''}"
        f"{f'; and {len(names) - SHOWN} more' if len(names) > SHOWN else ''}."
    )


def warnings(results: Results) -> Iterator[str]:
    """Untrained models, undefined pairs and near-ties, benchmarks without ratings."""
    overall = results.overall()
    for model in results.study.models:
        if model.source == "random":
            yield f"{model.name} has random weights: it was never trained, and its scores show only chance."
        if model.source == "perturbed":
            yield f"{model.name} is another model with noise in its weights: a control."
    for row in rows_of(overall[overall["protocol"] == CORRECTED]):
        where = f"{row.model} on {row.benchmark}, {title_of(str(row.measure))}"
        if row.undefined == row.n:
            yield f"{where}: this model gives no {title_of(str(row.measure))} (see the scoring log)."
        elif row.undefined:
            yield f"{where}: {row.undefined} of {row.n} pairs have nothing to score on one side."
        if row.near_ties:
            yield (
                f"{where}: {row.near_ties} of {row.n} pairs are near-ties; float error alone could turn "
                f"them and move the score to between {number(row.near_low)} and {number(row.near_high)}."
            )
    for benchmark in results.study.benchmarks:
        if benchmark.name not in set(results.agreement["benchmark"]):
            yield f"{benchmark.name} has no human ratings, so it is not in Figure 1."
