"""What the numbers of regional bias say, in plain sentences."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.regional.geometry import FirstDirection, rho_by_chance
from unmask.regional.planted import BY_NAMES, BY_WORDS
from unmask.regional.published import ORDERS
from unmask.regional.rankings import INNER, TOPS, by_variant, printed_taus, ranged
from unmask.regional.region_index import RegionIndex, plural
from unmask.regional.results import RegionalResults
from unmask.regional.tables import THOUSAND
from unmask.regional.terms import C_W, CONTROL, MEASURES, VARIANTS
from unmask.report.findings import listed
from unmask.report.sheets import interval, number, rows_of

MOST_OF_IT, ALIKE = 0.5, 0.8
"""A share of the variance, and a rank correlation, from which on vectors are first of all about names."""

ENOUGH = 10
"""Regions from which on that can be said: of three, a third of all vectors would have it by chance."""


def beyond_chance(results: RegionalResults, draws: int | None) -> Iterator[str]:
    """For each model, which continents and how many countries lie above what dealt vectors give.

    draws: of dealt vectors, where there are some.
    """
    index, alpha = results.index, results.alpha
    rows = _scored(results)
    variant = results.main_variant
    for model in results.models:
        if not (results.scores["model"] == model.name).any():
            continue
        own = {str(row.region): row for row in rows_of(rows[rows["model"] == model.name])}
        if not own:
            yield f"{model.name} has no score: no region of the study has two children."
            continue
        sentence = (
            f"For {model.name} (C_w {variant}, p < {alpha:g} after Holm's correction), "
            f"{_of_tops(index, own, alpha)}."
        )
        inner = [own[region] for region in index.inner() if region in own]
        if inner:
            sentence += f" {_of_inner(index, inner, alpha, draws)}"
        if model.source == "random":
            sentence += (
                f" {model.name} has random weights: it was never trained, and its scores show only what the "
                "tree and the tokens of names come to."
            )
        yield sentence


def _scored(results: RegionalResults) -> pd.DataFrame:
    """The regions that have a score, by the main variant of C_w."""
    index = results.index
    regions = [*index.columns(), *index.inner()]
    return results.select(regions=regions, variants=(results.main_variant,)).dropna(subset="score")


def _of_inner(index: RegionIndex, inner: Sequence[Any], alpha: float, draws: int | None) -> str:
    """How many of the other regions differ in what lies in them, and how many are alike. inner: SCORES."""
    levels = " and ".join(plural(level) for level in dict.fromkeys(row.level for row in inner))
    held = sum(row.p_holm < alpha for row in inner)
    # p is corrected within a level
    fewest = min(Counter(row.level for row in inner).values())
    could = held or draws is None or fewest <= _most_corrected_for(draws, alpha)
    # p goes in steps of this
    step = 0.0 if draws is None else 1 / (draws + 1)
    expected = alpha if draws is None else _most_corrected_for(draws, alpha) * step
    more = sum(row.p < alpha for row in inner)
    # 1 - p + step is the share of dealings, the model's own included, that come to as much or less
    less = sum(1 - row.p + step < alpha for row in inner)
    by_chance = f"{expected * len(inner):.1f} expected by chance"
    after = (
        f"{held} do after Holm's correction"
        if could
        else f"none could after Holm's correction with {draws} dealings, which takes "
        f"{_fewest_dealings(fewest, alpha)}"
    )
    below = _below(index, [row.region for row in inner])
    return (
        f"Of the {len(inner)} {levels} with a score, {more} have p < {alpha:g} before correction "
        f"({by_chance}); {after}. In {less} ({by_chance}) the {below} are more alike than "
        f"chance makes them in {100 * (1 - alpha):g}% of cases."
    )


def _of_tops(index: RegionIndex, own: Mapping[str, Any], alpha: float) -> str:
    """Which of the regions right below the root differ in what lies in them."""
    tops = [region for region in index.tops() if region in own]
    clear = [region for region in tops if own[region].p_holm < alpha]
    than = "by more than when the same vectors are dealt out at random"
    if not tops:
        return f"there is no region whose parts could differ {than}"
    levels = " and ".join(dict.fromkeys(plural(index.levels[region]) for region in tops))
    if not clear:
        return f"in none of the {len(tops)} {levels} do the {_below(index, tops)} differ {than}"
    return (
        f"the {_below(index, clear)} of {listed([index.names[region] for region in clear], 6)} differ {than} "
        f"({len(clear)} of {len(tops)} {levels})"
    )


def _below(index: RegionIndex, regions: Sequence[str]) -> str:
    return " and ".join(dict.fromkeys(plural(index.level_below(region)) for region in regions))


def coarse_dealings(results: RegionalResults, draws: int | None) -> Iterator[str]:
    """That so few dealings can show nothing after correction, where it is so."""
    if draws is None:
        return
    least, family = 1 / (draws + 1), _most_corrected_for(draws, results.alpha)
    # p is corrected within a level
    most = max(_scored(results).groupby(["model", "level"]).size(), default=0)
    if family < most:
        yield (
            f"With {draws} dealings no p is below {least:.2g}: corrected for more than {family} regions, "
            f"none can be below {results.alpha:g}. That takes "
            f"{_fewest_dealings(most, results.alpha)} dealings."
        )


def _most_corrected_for(draws: int, alpha: float) -> int:
    """The most regions that p, which is 1/(draws + 1) at least, is corrected for with one below alpha."""
    return math.ceil(alpha * (draws + 1)) - 1


def _fewest_dealings(regions: int, alpha: float) -> int:
    """The fewest dealings with which p can be below alpha though it is corrected for so many regions."""
    draws = int(regions / alpha) - 1
    while _most_corrected_for(draws, alpha) < regions:
        draws += 1
    return draws


def artefact(results: RegionalResults, table: pd.DataFrame) -> Iterator[str]:
    """Which variant ranks by the number of children alone. table: `rankings`."""
    index = results.index
    parts = []
    for ranked, regions in ((TOPS, index.tops()), (INNER, index.inner())):
        taus = by_variant(table, C_W, ranked)
        if taus:
            level = plural(index.levels[regions[0]])
            many = table.loc[table["ranked"] == ranked, "regions"].max()
            of_all = ", ".join(f"{variant} {ranged(taus[variant])}" for variant in taus)
            parts.append(f"of {many} {level} {of_all}")
    if parts:
        yield (
            "Does C_w rank regions by one over their number of pairs of children, and so by the tree instead "
            "of the model? Kendall's tau of the two (from the least to the most of the models): "
            f"{'; '.join(parts)}. Where it is close to +1, read nothing into the ranking (by chance it is +1 "
            "in one of 6 rankings of three regions, in one of 720 of six)."
        )
    printed = printed_taus(index, results.published, C_W)
    if printed:
        texts = [f"{ranged(printed[order])} {_ORDERS[order]}" for order in ORDERS if order in printed]
        yield (
            f"The paper's own numbers for continents, against the children of this tree: {', '.join(texts)}."
        )


_ORDERS = {"headed": "with its columns as headed", "likely": "in the order that its code prints"}


def of_names(directions: Iterable[FirstDirection], confidence: float) -> Iterator[str]:
    """For each model, how much of what tells its vectors apart is how likely regions' names are."""
    for model, regions, share, of_sentences, of_name in directions:
        sentence = (
            f"The direction in which the vectors of {model} vary most holds {100 * share:.0f}% of their "
            f"variance, and ranks the {regions} regions of Figure 3 as the mean "
            f"log-probability of their sentences does with a Spearman's rho of {number(of_sentences)}"
        )
        if not math.isnan(of_name):
            sentence += f", and as that of their names alone with one of {number(of_name)}"
        sentence += (
            f" (unrelated rankings of as many: up to {number(rho_by_chance(regions, confidence))} in "
            f"{100 * confidence:g}% of all cases)"
        )
        if share >= MOST_OF_IT and of_sentences >= ALIKE and of_name >= ALIKE and regions >= ENOUGH:
            sentence += (
                ": length one does not take out how likely a region's name is, and scores are about that "
                "before they are about what is said of regions"
            )
        yield f"{sentence}."


def planted_findings(planted: pd.DataFrame) -> Iterator[str]:
    """What scores find of what was planted, at its strongest and where nothing was. planted: PLANTED."""
    known = planted[planted["found"].notna()]
    if known.empty:
        return
    strongest = known["strength"].max()
    for strength, by in ((strongest, BY_WORDS), (strongest, BY_NAMES), (0.0, BY_WORDS)):
        rows = known[(known["strength"] == strength) & (known["planted"] == by)]
        texts, ranks = [], []
        for measure in MEASURES:
            for variant in VARIANTS:
                own = rows[(rows["measure"] == measure) & (rows["variant"] == variant)]
                if len(own):
                    texts.append(f"{measure} {variant} {_from_to(own['found'])}")
                    ranks.append(f"{measure} {variant} {_from_to(own['first'])}")
        if not texts:
            continue
        if strength and by == BY_WORDS:
            yield (
                f"What was planted in words at strength {strength:g} is found in this share of worlds (the "
                f"least and the most of the regions that it was planted in): {', '.join(texts)}. The region "
                f"ranks first of its level in: {', '.join(ranks)}."
            )
        elif strength:
            yield (
                "Where only how likely their names are was set apart, by as many standard deviations, it is "
                f"found in: {', '.join(texts)}. A score that finds both does not say which it has found."
            )
        else:
            yield f"Where nothing was planted, so that all is a false alarm: {', '.join(texts)}."
        if strongest == 0:
            return


def _from_to(shares: "pd.Series[float]") -> str:
    low, high = number(shares.min()), number(shares.max())
    return low if low == high else f"{low} to {high}"


def prefix_findings(prefixes: pd.DataFrame, index: RegionIndex) -> Iterator[str]:
    """How many labels of each classifier a region's prefix changes, beside prefixes that name no region.

    prefixes: PREFIXES with the columns classifier and table.
    """
    changed = prefixes.assign(percent=100 * (prefixes["to_positive"] + prefixes["to_negative"]))
    changed = changed[changed["region"].notna()]
    for (classifier, table), rows in changed.groupby(["classifier", "table"], sort=False):
        control = [row.percent for row in rows_of(rows) if row.level == CONTROL]
        regions = sorted((row for row in rows_of(rows) if row.level != CONTROL), key=lambda row: row.percent)
        if not regions:
            continue
        ends = [regions[0], regions[-1]] if len(regions) > 1 else regions
        texts = [f"{row.percent:.2g}% ({index.names.get(row.region, row.region)})" for row in ends]
        sentence = (
            f"A region's name before it changes the label of {' to '.join(texts)} of the items of {table} "
            f"for {classifier}"
        )
        if control:
            low, high = (f"{end:.2g}%" for end in (min(control), max(control)))
            sentence += f"; a name that is no region's changes {low if low == high else f'{low} to {high}'}"
        yield f"{sentence}."


def series_findings(results: RegionalResults, series: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """How the overall score moves while a model is trained on sentences about regions."""
    rows = results.select(regions=[results.index.root], variants=(results.main_variant,))
    rows = rows.dropna(subset="score")
    overall = {row.model: row for row in rows_of(rows)}
    for one in series:
        steps = sorted(one["models"], key=lambda step: float(step["epoch"]))
        steps = [step for step in steps if step["model"] in overall]
        if len(steps) > 1:
            first, last = (overall[step["model"]] for step in (steps[0], steps[-1]))
            texts = [f"{_thousand(row.score)} ({_ends(row)})" for row in (first, last)]
            yield (
                f"{one['name']}: over {float(steps[-1]['epoch']):g} epochs of training on sentences about "
                f"regions, the overall C_w × 1000 ({first.variant}) goes from {texts[0]} to {texts[1]}."
            )


def _thousand(value: float) -> str:
    return number(value * THOUSAND)


def _ends(row: Any) -> str:
    if pd.isna(row.words_low):
        return "no interval"
    return interval(row.words_low * THOUSAND, row.words_high * THOUSAND, 2)


def with_a_score(rows: pd.DataFrame) -> set[str]:
    """The regions that have a score. rows: SCORES."""
    return {str(row.region) for row in rows_of(rows[rows["score"].notna()])}
