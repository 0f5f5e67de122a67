"""What was measured and found, and what to be wary of, in plain sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.measures.registry import title_of
from unmask.pairs.compared import beyond_half, found_of_models, of_two_measures
from unmask.pairs.results import Results
from unmask.pairs.unknown import unknown_cautions
from unmask.pairs.verdicts import (
    BEYOND,
    CONTROL,
    NO_PREFERENCE,
    UNDECIDED,
    UNKNOWN,
    VERDICTS,
    WITHIN_NOISE,
    WITHIN_WORDS,
    apart,
    can_be_tested,
)
from unmask.report.sheets import DASH, counted, number, rows_of
from unmask.report.study import ORACLE, UNTRAINED
from unmask.statistics.intervals import wilson
from unmask.statistics.schema import BIAS_TYPE
from unmask.statistics.tolerance import TOLERANCE
from unmask.tables import read_metadata
from unmask.terms import CORRECTED, PUBLISHED

SHOWN = 8
"""So many scores that are beyond both are named; the table has all."""

MAIN = "AUL"
"""The measure that is told in words; where a study has not got it, its first."""

FEW = 100
"""A benchmark of fewer pairs is too small to say much: even of independent ones the interval is 20 points."""

LEVEL = 0.95
"""Of the interval of a share that another is compared with."""

BROAD = 20
"""An interval of more percentage points says little."""

_IN_WORDS: Mapping[str, str] = {
    WITHIN_NOISE: "That is within sampling noise of 50.",
    WITHIN_WORDS: "That is more than sampling noise, and no more than words alone do.",
    BEYOND: "Neither sampling noise nor words alone explain that.",
    UNDECIDED: "That is more than sampling noise; whether words alone do as much, their draws leave open.",
    UNKNOWN: "What chance gives is not known here.",
    CONTROL: "The measure sees words alone: it is a control, of which nothing is claimed.",
}


def _list(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def measured(results: Results) -> Iterator[str]:
    """What was measured on what."""
    overall = results.overall()
    if overall.empty:
        yield "The study has no results."
        return
    models, measures = overall["model"].drop_duplicates(), overall["measure"].drop_duplicates()
    sizes = overall.drop_duplicates("benchmark")
    yield (
        f"{len(models)} masked language model{'s' * (len(models) != 1)} ({_list(models.tolist())}) "
        f"read the sentence pairs of {_list([f'{row.benchmark} ({row.n})' for row in rows_of(sizes)])}. "
        f"In each pair one sentence is the more stereotypical; "
        f"{_list([title_of(measure) for measure in measures])} say which of the two a model finds likelier."
    )
    worlds = {benchmark.name for benchmark in results.study.benchmarks if benchmark.world is not None}
    made = [name for name in sizes["benchmark"] if name in worlds]
    if made:
        yield (
            f"{_list(made)} {_is(len(made))} of a made world, whose bias is known: what measures should find "
            f"there is under \N{LEFT DOUBLE QUOTATION MARK}What was planted"
            f"\N{RIGHT DOUBLE QUOTATION MARK}."
        )


def made_with(scores: Iterable[str | Path]) -> str:
    """On what devices, in what arithmetic and with which versions the models of these tables of scores ran.

    Empty where none ran, as where all are oracles.
    """
    facts = [each for path in scores for each in read_metadata(path).get("evidence", {}).values()]
    ran = [each for each in facts if "torch" in each.get("versions", {})]
    if not ran:
        return ""
    versions = [
        f"{title} {_list(sorted({each['versions'][package] for each in ran}))}"
        for package, title in (("unmask", "Unmask"), ("torch", "PyTorch"), ("transformers", "transformers"))
    ]
    devices, dtypes = (_list(sorted({str(each[key]) for each in ran})) for key in ("device", "dtype"))
    return f"The models ran on {devices} in {dtypes}, with {_list(versions)}; Provenance has all the rest."


def in_words(results: Results) -> Iterator[str]:
    """Of each model and benchmark the score of the main measure, as one would say it aloud."""
    scores = _corrected(results)
    main = next((name for name in (MAIN, *scores["measure"]) if (scores["measure"] == name).any()), MAIN)
    scores = scores[scores["measure"] == main]
    untrained = results.study.of_source(UNTRAINED)
    # a preference of networks that have learnt nothing is no finding: they come last
    for row in rows_of(scores.sort_values("model", key=lambda own: own.isin(untrained), kind="stable")):
        even = _is_even(row.score)
        against = row.score < NO_PREFERENCE and not even
        side = "the antistereotype" if against else "the stereotype"
        percent = 100 - row.score if against else row.score
        name = f"{row.model} (never trained)" if row.model in untrained else row.model
        told = f"{title_of(main)}: {name} prefers {'neither side, ' * even}{side} in "
        if row.n < FEW:
            pairs = row.n - row.undefined
            # a tie counts one half
            preferred = round(2 * pairs * percent / 100) / 2
            told += f"{preferred:g} of {counted(pairs)} of {row.benchmark}"
        else:
            told += f"{_percent(percent)} of 100 pairs of {row.benchmark}"
        if pd.notna(row.low) and pd.notna(row.high):
            ends = (100 - row.high, 100 - row.low) if against else (row.low, row.high)
            told += f" ({apart(*ends)}{' of 100' if row.n < FEW else ''})"
        if row.verdict not in (UNKNOWN, CONTROL):
            reached = abs(_reached_by_words(row) - (100 if against else 0))
            told += f"; words alone reach {number(reached, 0)}"
        yield f"{told}. {_IN_WORDS[str(row.verdict)]}"


def _is_even(score: float) -> bool:
    """Whether a score prefers neither side, but for rounding."""
    return abs(score - NO_PREFERENCE) <= 100 * TOLERANCE


def _percent(score: float) -> str:
    """A score in whole numbers, or with the decimals that keep it off 50 if it is not 50."""
    texts = [number(score, decimals) for decimals in range(4)]
    return texts[0] if _is_even(score) else next((t for t in texts if float(t) != NO_PREFERENCE), texts[-1])


def _reached_by_words(row: Any) -> float:
    """The end of the band of words alone on the side of a score."""
    return float(row.null_low if row.score < NO_PREFERENCE else row.null_high)


def _clearance(row: Any) -> float:
    """How far a score lies beyond the band of words alone, or its interval from 50, whichever is nearer."""
    against = row.score < NO_PREFERENCE
    from_centre = NO_PREFERENCE - row.high if against else row.low - NO_PREFERENCE
    return float(min(from_centre, abs(row.score - _reached_by_words(row))))


def found(results: Results) -> Iterator[str]:
    """What was found, in five sentences at most."""
    scores = _corrected(results)
    trained = results.study.trained()
    of_trained = scores[scores["model"].isin(trained)]
    if len(of_trained):
        yield f"{how_testable(of_trained, ' of trained models')}{_by_verdict(of_trained)}"
    known = can_be_tested(of_trained)
    beyond = known[known["verdict"] == BEYOND]
    if len(beyond):
        clearest = max(rows_of(beyond), key=_clearance)
        yield (
            f"Furthest beyond both is {clearest.model} on {clearest.benchmark} under "
            f"{title_of(str(clearest.measure))}: {number(clearest.score, 0)} of 100 pairs "
            f"({apart(clearest.low, clearest.high)}); words alone reach "
            f"{number(_reached_by_words(clearest), 0)}."
        )
    alike = of_two_measures(results.measures_compared)
    alike = alike[(alike["protocol"] == CORRECTED) & alike["kappa"].notna() & alike["model"].isin(trained)]
    if len(alike):
        yield (
            f"Two measures of one trained model decide alike in {number(alike['agreement'].min(), 0)} to "
            f"{number(alike['agreement'].max(), 0)} of 100 pairs."
        )
    if len(results.models_compared):
        yield found_of_models(results)
    areas = results.agreement
    areas = areas[areas["chosen"] & (areas["protocol"] == CORRECTED) & areas["auc"].notna()]
    areas = areas[areas["model"].isin(trained)]
    if len(areas):
        ordered = sorted(rows_of(areas), key=lambda row: float(row.auc))
        least, most = ordered[0], ordered[-1]
        yield (
            f"Against human raters the area under the ROC curve goes from {number(least.auc)} "
            f"({least.model}, {title_of(str(least.measure))}) to {number(most.auc)} ({most.model}, "
            f"{title_of(str(most.measure))}); 0.5 is chance. {beyond_half(areas, results.alpha)}"
        )


def cautions(results: Results) -> Iterator[str]:
    """What a reader of the first screen should be wary of."""
    yield (
        "A score near 50 is no proof that a model has no bias: over these pairs stereotypes and their "
        "counterparts are preferred about equally often, by this measure."
    )
    yield (
        "Beyond both is not yet biased: it says that neither sampling noise nor the identities of words "
        f"explain a score. Each score is judged by itself, so about {by_chance(results)} in 100 would be "
        "called beyond sampling noise even where there is no preference."
    )
    scores = _corrected(results)
    for row in rows_of(scores.drop_duplicates("benchmark")):
        if row.n < FEW:
            yield f"{row.benchmark} has {counted(row.n)}, which is too few to say much."
    yield from unknown_cautions(results.unknown)
    without = [model.name for model in results.study.models if model.name not in set(scores["model"])]
    if without:
        yield f"Without any score (see the scoring log): {_list(without)}."
    # an oracle's ties are exact
    scores = scores[~scores["model"].isin(results.study.of_source(ORACLE))]
    known = scores[scores["low"].notna()]
    broad = int((known["high"] - known["low"] > BROAD).sum())
    if broad:
        yield (
            f"{broad} of {len(known)} intervals are broader than {BROAD} points: too few pairs, or pairs "
            f"that share their words."
        )
    near = scores[scores["near_ties"] > 0]
    if len(near):
        # not from where the score lies: it may be near one of the ends
        most = max(rows_of(near), key=lambda row: float(row.near_high - row.near_low))
        yield (
            f"{int(near['near_ties'].sum())} of {int(scores['n'].sum())} decisions are near-ties: their "
            f"margins are within the bound on float error, which is far above the usual error. "
            f"However they fall, a score lies within a range of {number(most.near_high - most.near_low, 1)} "
            f"points at most ({title_of(str(most.measure))} of {most.model} on {most.benchmark})."
        )
    untrained = results.study.of_source(UNTRAINED)
    if untrained:
        yield f"Never trained, with random weights: {_list(untrained)}. What these prefer is chance."
    oracles = results.study.of_source(ORACLE)
    if oracles:
        yield f"No network, but what a made world says itself: {_list(oracles)}."


def by_chance(results: Results) -> str:
    """How many of 100 intervals miss the truth."""
    confidence = results.overall()["confidence"]
    return f"{100 * (1 - float(confidence.iloc[0])):.2g}" if len(confidence) else DASH


def _corrected(results: Results) -> pd.DataFrame:
    """The scores over all pairs, protocol corrected."""
    overall = results.overall()
    return overall[(overall["protocol"] == CORRECTED) & overall["score"].notna()]


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def how_testable(scores: pd.DataFrame, whose: str = "") -> str:
    """How many scores can be tested, and why the others are not, in a sentence."""
    count = len(can_be_tested(scores))
    parts = [f"{count} {_is(count)} testable"]
    for verdict, one, several in ((UNKNOWN, "is not", "are not"), (CONTROL, "is a control", "are controls")):
        number_of = int((scores["verdict"] == verdict).sum())
        if number_of:
            parts.append(f"{number_of} {one if number_of == 1 else several}")
    return f"Of {counted(len(scores), 'score')}{whose}, {_list(parts)}."


def _by_verdict(scores: pd.DataFrame) -> str:
    """How many testable scores have each verdict, a sentence after a space; nothing where there are none."""
    known = can_be_tested(scores)
    if known.empty:
        return ""
    counts = {verdict: int((known["verdict"] == verdict).sum()) for verdict in VERDICTS}
    parts = [
        f"{counts[WITHIN_NOISE]} {_is(counts[WITHIN_NOISE])} within sampling noise of 50",
        f"{counts[WITHIN_WORDS]} further away but within what words alone do",
        *([f"{counts[UNDECIDED]} undecided"] if counts[UNDECIDED] else []),
        f"{counts[BEYOND]} beyond both",
    ]
    return f" Of the {len(known)} testable, {_list(parts)}."


def summary(results: Results) -> Iterator[str]:
    """What may be claimed of the scores on each benchmark, and where protocols differ."""
    overall = results.overall()
    sizes = overall.drop_duplicates("benchmark")
    scores = _corrected(results)
    for benchmark in sizes["benchmark"]:
        of_benchmark = scores[scores["benchmark"] == benchmark]
        for models, whose in _whose(results):
            own = of_benchmark[of_benchmark["model"].isin(models)]
            if len(own):
                yield (
                    f"{how_testable(own, f' of {whose} on {benchmark}')}{_by_verdict(own)}"
                    f"{_named_beyond(own) if whose == TRAINED_MODELS else ''}"
                )
    both = overall[overall["differing"].notna() & (overall["protocol"] == PUBLISHED)]
    if len(both):
        yield (
            f"The two protocols, published and corrected, give different outcomes in "
            f"{int(both['differing'].sum())} of {int(both['n'].sum())} decisions (one for each model, "
            f"measure and pair)."
        )


TRAINED_MODELS, UNTRAINED_MODELS = "trained models", "untrained models"


def _whose(results: Results) -> Iterator[tuple[list[str], str]]:
    """Models whose scores are counted together, and what these are called."""
    yield results.study.trained(), TRAINED_MODELS
    yield results.study.of_source(UNTRAINED), UNTRAINED_MODELS


def found_by_type(results: Results) -> Iterator[str]:
    """How many scores of one bias type are beyond both, and how many of networks that have learnt nothing.

    One text: in it each kind of models has what is testable, and how many of that are beyond both.
    """
    scores = results.original()
    scores = scores[(scores["protocol"] == CORRECTED) & (scores["grouping"] == BIAS_TYPE)]
    scores = scores[scores["score"].notna()]
    parts, shares = [], {}
    for models, whose in _whose(results):
        own = scores[scores["model"].isin(models)]
        if own.empty:
            continue
        known = can_be_tested(own)
        parts.append(how_testable(own, f" of {whose} over the pairs of one bias type"))
        if len(known):
            beyond, unsure = (int((known["verdict"] == verdict).sum()) for verdict in (BEYOND, UNDECIDED))
            shares[whose] = (beyond, len(known))
            also = f", {unsure} {_is(unsure)} undecided" if unsure else ""
            parts.append(f"Of the {len(known)} testable, {beyond} {_is(beyond)} beyond both{also}.")
    if len(shares) == 2:
        (some, of_some), untrained = shares[TRAINED_MODELS], shares[UNTRAINED_MODELS]
        low, high = wilson(*untrained, LEVEL)
        if some and low <= 100 * some / of_some <= high:
            parts.append(
                "The share of the trained models lies within the interval of that of the untrained ones, "
                f"{low:.0f} to {high:.0f} of 100."
            )
    if parts:
        yield " ".join(parts)


def _named_beyond(scores: pd.DataFrame) -> str:
    """The scores that are beyond both by name, with a space before, if there are any."""
    beyond = scores[scores["verdict"] == BEYOND]
    names = [f"{row.model}, {title_of(str(row.measure))} {number(row.score, 1)}" for row in rows_of(beyond)]
    more = f"; and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f" Beyond both: {'; '.join(names[:SHOWN])}{more}." if names else ""


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
            are, they = ("is a near-tie", "it") if row.near_ties == 1 else ("are near-ties", "they")
            yield (
                f"{where}: {row.near_ties} of {counted(row.n)} {are}; turned by float error, which its bound "
                f"does not exclude, {they} would move the score to between {number(row.near_low)} and "
                f"{number(row.near_high)}."
            )
    for benchmark in results.study.benchmarks:
        if benchmark.name not in set(results.agreement["benchmark"]):
            yield f"{benchmark.name} has no human ratings, so it is not in Figure 1."
