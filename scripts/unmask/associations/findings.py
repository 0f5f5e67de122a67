"""What the numbers of association tests say, in plain sentences.

A test that could not have been beyond chance is no finding: it is counted apart.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from unmask.associations.agreement import LEAST_MODELS
from unmask.associations.chance import counts
from unmask.associations.results import Found
from unmask.associations.tables import (
    EFFECTS,
    main_differences,
    main_means,
    published,
    with_effects,
)
from unmask.associations.terms import BY_WORD, E1, E3X, E3Y, E4_IMAGE, E4_TEXT, JOINT, VECTORS
from unmask.report.sheets import number, rows_of

TOLERANCE = 1e-6
"""How far what is measured of hand-set weights may be from what they are: rounding of single precision."""

NOTHING = 0.5
"""What is planted is a probability: at one half neither side is favoured."""

CLOSE = 0.01
"""Half of what the last of two decimals says, and as much again for that of ours."""


def beyond_chance(found: Found) -> Iterator[str]:
    """For each encoder how many tests are beyond chance, of those that could be, and mean |d| beside what it
    would be without bias; then which encoders were never trained."""
    table = counts(found.main.sort_values("pooling", key=_order(found), kind="stable"), OVER, found.alpha)
    for encoder in found.names:
        rows = [row for row in rows_of(table) if row.encoder == encoder]
        if not rows:
            continue
        yield _beyond(found, encoder, rows)
        known = [row for row in rows if not pd.isna(row.mean_d)]
        if known:
            sizes = _with({row.pooling: number(row.mean_d) for row in known})
            without = {row.pooling: number(row.expected_d) for row in known}
            same = len(set(without.values())) == 1
            expected = next(iter(without.values())) if same else _with(without)
            yield f"For {encoder}, mean |d| is {sizes}; without bias it would be about {expected}."
    tested = set(table["encoder"])
    untrained = [own.name for own in found.encoders if own.source == "random" and own.name in tested]
    if untrained:
        has, they, their = ("has", "it was", "its") if len(untrained) == 1 else ("have", "they were", "their")
        yield (
            f"{_listed(untrained)} {has} random weights: {they} never trained, so whatever {their} tests "
            "find is no stereotype."
        )


def _beyond(found: Found, encoder: str, rows: Sequence[Any]) -> str:
    """Which tests of an encoder are beyond chance; those that could not be are no finding."""
    own = found.main[found.main["encoder"] == encoder]
    unable = own[~own["able"].astype(bool)]
    # of some p could be below alpha, were it not corrected
    corrected_away = (unable["least_p"] < found.alpha).any()
    why = f"sets are too small{' for so many tests' if corrected_away else ''}"
    why += ", or they have no d" if unable["d"].isna().any() else ""
    start = f"For {encoder} ({_units(own)})"
    after = {row.pooling: f"{row.beyond} of {row.able}" for row in rows if row.able}
    if after:
        told = (
            f"{start}, tests beyond chance (p < {found.alpha:g} after Holm's correction), of those that "
            f"could be: {_with(after)}"
        )
        others = {row.pooling: f"{row.tests - row.able}" for row in rows if row.able < row.tests}
        if not others:
            return f"{told}."
        if len(others) == len(rows) and len(set(others.values())) == 1:
            count = next(iter(others.values()))
            its, says = ("its", "says") if count == "1" else ("their", "say")
            return f"{told}; {count} more could not be, as {its} {why}, and {says} nothing either way."
        return f"{told}; more could not be ({_with(others)}), as their {why}, and say nothing either way."
    none = f"{start}, no test could be beyond chance (p < {found.alpha:g} after Holm's correction), as {why}"
    before = {row.pooling: f"{row.before} of {row.able_before}" for row in rows if row.able_before}
    if not before:
        return f"{none}: they say nothing either way."
    chances = dict.fromkeys(_about(row.by_chance) for row in rows if row.able_before)
    return (
        f"{none}; before it, p < {found.alpha:g} in {_with(before)}, where chance alone gives about "
        f"{' or '.join(chances)}."
    )


OVER = ["encoder", "pooling"]


def _about(count: float) -> str:
    """What chance gives, as whole tests where it is many."""
    return f"{count:.0f}" if count >= 10 else f"{count:.2g}"


def _order(found: Found) -> Any:
    places = {name: place for place, name in enumerate(found.poolings)}
    return lambda column: column.map(places)


def _units(tests: pd.DataFrame) -> str:
    """What a unit is in the tests of an encoder."""
    tests = tests.drop_duplicates(["suite", "test"])
    by_item = int((tests["level"] != BY_WORD).sum())
    if not by_item:
        return "by word"
    if by_item == len(tests):
        return "by item, as words are not known"
    return f"by word, but {by_item} of {len(tests)} by item, as their words are not known"


def _listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _with(told: Mapping[str, str]) -> str:
    """What is told of poolings, once of those of which it is the same; word vectors have no pooling."""
    alike: dict[str, list[str]] = {}
    for pooling, text in told.items():
        alike.setdefault(text, []).append(pooling)
    if list(told) == [VECTORS]:
        return told[VECTORS]
    return ", ".join(f"{text} with {_listed(poolings)}" for text, poolings in alike.items())


def poolings_flip(found: Found) -> Iterator[str]:
    """In how many tests the sign of d depends on the pooling."""
    rows = rows_of(found.flips)
    if not rows:
        return
    if not any(row.flipped for row in rows):
        names = _listed([row.encoder for row in rows])
        yield f"All poolings give d of the same sign in every test of {names}."
        return
    told = _listed([f"{row.flipped} of {row.tests} for {row.encoder}" for row in rows])
    clear = [f"{row.both_clear} for {row.encoder}" for row in rows if row.both_clear]
    either = (
        f"; either sign is below {found.alpha:g} by itself, before correction, in {_listed(clear)}"
        if clear
        else ""
    )
    chance = _listed(list(dict.fromkeys(_about(row.by_chance) for row in rows)))
    yield (
        f"Tests in which the sign of d depends on the pooling: {told} (about {chance} if poolings had "
        f"nothing in common){either}."
    )


def encoders_differ(found: Found) -> Iterator[str]:
    """How many differences of encoders have an interval without 0."""
    rows = main_differences(found.differences)
    known = rows[rows["low"].notna()]
    if known.empty:
        return
    clear = int(((known["low"] > 0) | (known["high"] < 0)).sum())
    chance = (1 - found.confidence) * len(known)
    what = "the one difference" if len(known) == 1 else f"{len(known)} differences"
    yield (
        f"Of {what} of d between encoders on the same test and pooling, {clear or 'none'} "
        f"{'has' if clear < 2 else 'have'} a {100 * found.confidence:g}% interval without 0; if encoders "
        f"were alike, about {_about(chance)} would."
    )


def grounded_effects(found: Found) -> Iterator[str]:
    """Whether words, pictures or both make the difference in grounded tests."""
    rows, means = found.grounded, main_means(with_effects(found.means))
    for encoder in found.names:
        own = rows[rows["encoder"] == encoder]
        if own.empty:
            continue
        parts = []
        for experiments, what in (
            ((E1,), "of the words, whatever the picture (E1)"),
            ((E3X, E3Y), "of the pictures on the same words (E3)"),
            ((E4_TEXT,), "of what is left of E1 with the word hidden (E4)"),
            ((E4_IMAGE,), "of what is left of E1 with the picture hidden (E4)"),
        ):
            able = own[own["experiment"].isin(list(experiments)) & own["able"].astype(bool)]
            tests = able.groupby(["suite", "test"], sort=False)["p_holm"].min()
            every = own[own["experiment"].isin(list(experiments))].groupby(["suite", "test"]).ngroups
            more = f" ({every - len(tests)} more cannot reject)" if len(tests) < every else ""
            if len(tests):
                parts.append(f"{what} {int((tests < found.alpha).sum())} of {len(tests)}{more}")
            elif every:
                parts.append(f"{what} none, as none of {every} can reject")
        if own["able"].any():
            yield (
                f"For {encoder}, grounded tests with an effect beyond chance (p < {found.alpha:g} after "
                f"Holm's correction): {'; '.join(parts)}."
            )
        else:
            yield f"For {encoder}, grounded tests have too few words to be beyond chance: they tell nothing."
        four = means[(means["encoder"] == encoder) & (means["pooling"] == JOINT)]
        if len(four):
            sizes = {key: float(four[key].abs().mean()) for key in EFFECTS}
            over = "in its one grounded test" if len(four) == 1 else f"on average over {len(four)} tests"
            yield (
                f"For {encoder}, the words make {number(sizes['target_effect'], 3)} of difference in s "
                f"{over}, the pictures {number(sizes['image_effect'], 3)}, and pictures do "
                f"{number(sizes['interaction'], 3)} more to one set of words than to the other (sizes, "
                "without signs)."
            )


def agrees_with_pairs(found: Found) -> Iterator[str]:
    """Whether models with more bias in association tests have more of it over pairs of sentences."""
    table = found.with_pairs
    if table.empty:
        return
    tested = table[table["p"].notna()]
    if tested.empty:
        most = int(table["models"].max())
        if most < LEAST_MODELS:
            why = f"{most} model{'' if most == 1 else 's'}; {LEAST_MODELS} are needed"
        else:
            why = "all models have the same"
        yield (
            "Whether models with more bias in association tests have higher bias scores over pairs of "
            f"sentences cannot be told ({why})."
        )
        return
    rho = sorted(tested["rho"])
    ends = number(rho[0], signed=True), number(rho[-1], signed=True)
    over = (
        "in the one combination"
        if len(tested) == 1
        else f"over {len(tested)} combinations of suite, pooling, benchmark and measure"
    )
    models = sorted(set(tested["models"]))
    many = f"{models[0]}" if len(models) == 1 else f"{models[0]} to {models[-1]}"
    clear = int((tested["p_holm"] < found.alpha).sum())
    yield (
        "Spearman's rho of mean d with the bias score over pairs of sentences is "
        f"{ends[0] if ends[0] == ends[1] else ' to '.join(ends)} {over} ({many} models); {clear or 'none'} "
        f"{'is' if clear < 2 else 'are'} beyond chance after Holm's correction (p < {found.alpha:g})."
    )


def constructed_world(found: Found) -> Iterator[str]:
    """Whether what is measured of hand-set weights is what they are."""
    rows = found.constructed
    if rows.empty:
        return
    off = (rows["gap"] - rows["truth"]).abs()
    worst = rows.iloc[int(off.to_numpy().argmax())]
    if off.max() <= TOLERANCE:
        every = "the one gap measured is" if len(rows) == 1 else f"all {len(rows)} gaps measured are"
        yield (
            f"Of an encoder with hand-set weights, whose every bias is known, {every} within "
            f"{TOLERANCE:g} of the truth (at most {off.max():.0e} off)."
        )
    else:
        far = int((off > TOLERANCE).sum())
        told = f"{far} of {len(rows)} measured {'is' if far == 1 else 'are'}"
        yield (
            f"Of the gaps of an encoder with hand-set weights, whose every bias is known, {told} "
            f"further than {TOLERANCE:g} from the truth: at most {off.max():.2g} off ({worst['world']}, "
            f"{worst['experiment']}, by {worst['level']}). These tests do not measure what they should."
        )


def grows_with_planted(found: Found) -> Iterator[str]:
    """With which poolings the gap grows with every step of the strength of what was planted."""
    rows = found.planted
    # tests with all words of others are no steps
    rows = rows[~rows["whole"].astype(bool)].sort_values("pooling", key=_order(found), kind="stable")
    for (suite, series), of_series in rows.groupby(["suite", "series"], sort=False):
        told: list[str] = []
        lengths: set[int] = set()
        for encoder in found.names:
            own = of_series[of_series["encoder"] == encoder]
            grown: dict[str, bool] = {}
            for pooling, part in own.groupby("pooling", sort=False):
                gaps = part.groupby("strength")["gap"].mean()
                if len(gaps) > 1:
                    lengths.add(len(gaps))
                    grown[str(pooling)] = bool((gaps.diff().dropna() > 0).all())
            if grown:
                told.append(f"{encoder} {_yes_and_no(grown)}")
        if told:
            chances = " or ".join(f"{math.factorial(length)}" for length in sorted(lengths))
            yield (
                f"In the tests of {series} ({suite}), does the gap grow with every step of what was planted? "
                f"{'; '.join(told)}. By chance a pooling's does once in {chances}."
            )


def _yes_and_no(grown: Mapping[str, bool]) -> str:
    """With which poolings something is so, and with which not."""
    yes, no = ([pooling for pooling, is_so in grown.items() if is_so == wanted] for wanted in (True, False))
    if list(grown) == [VECTORS]:
        return "yes" if yes else "no"
    told = [f"yes with {_listed(yes)}"] if yes else []
    return ", ".join([*told, f"no with {_listed(no)}"] if no else told)


def false_alarms(found: Found) -> Iterator[str]:
    """How many of the tests in which nothing was planted are beyond chance all the same."""
    rows = found.planted
    rows = rows[(rows["strength"] == NOTHING) & rows["able"].astype(bool)]
    told = []
    for encoder in found.names:
        own = rows[rows["encoder"] == encoder]
        if len(own):
            told.append(f"{int((own['p_holm'] < found.alpha).sum())} of {len(own)} for {encoder}")
    if told:
        yield (
            f"Where nothing was planted (strength {NOTHING:g}), tests and poolings beyond chance after "
            f"Holm's correction, of those that could be: {_listed(told)}."
        )


def beside_published(found: Found) -> Iterator[str]:
    """How near ours are to what others have published."""
    table = published(found)[0]
    for encoder in found.names:
        rows = table[table["encoder"] == encoder]
        known = rows[rows["difference"].notna()]
        if rows.empty:
            continue
        if known.empty:
            yield (
                f"For {encoder}, there are published values, but none in a pooling and of tests that this "
                "study has."
            )
            continue
        sizes = known["difference"].abs()
        worst = known.iloc[int(sizes.to_numpy().argmax())]
        close = int((sizes < CLOSE).sum())
        if len(known) == 1:
            yield (
                f"For {encoder}, the published d of {worst['test']} ({worst['source']}) is "
                f"{number(worst['published_d'], signed=True)}; ours is {number(worst['d'], signed=True)}."
            )
        else:
            yield (
                f"For {encoder}, of {len(known)} published values of d {close or 'none'} "
                f"{'is' if close < 2 else 'are'} within {CLOSE:g} of ours; furthest is {worst['test']} "
                f"({worst['source']}): published {number(worst['published_d'], signed=True)}, ours "
                f"{number(worst['d'], signed=True)}."
            )
