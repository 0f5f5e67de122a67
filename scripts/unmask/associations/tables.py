"""The tables of association tests as they are shown."""

from dataclasses import replace

import numpy as np
import pandas as pd

from unmask.associations.chance import by_word, counts
from unmask.associations.results import AssociationResults
from unmask.associations.terms import ITEM
from unmask.measures.registry import title_of
from unmask.report.declared_tables import Column, Table, ends, in_order, with_marks
from unmask.report.sheets import rows_of
from unmask.report.table_files import TableAndSheet
from unmask.terms import CORRECTED, PUBLISHED

CANNOT_REJECT = "cannot reject"
"""What is said of a test whose smallest p is not below alpha, in place of its p."""

OVER = ["encoder", "suite", "pooling"]
"""What the overview has a row for."""

BEYOND = "beyond chance"

D = Column("d", "{d:+.2f}{mark}", "How much nearer X is to A than Y is, in standard deviations of s.")
INTERVAL = Column("interval", ends("d", "+.2f"), "Interval of d over resampled units of X and Y.")
GAP = Column("gap", "{gap:+.3f}", "How much nearer X is to A than Y is, as a difference of cosines.")
EXPECTED = Column("|d| without bias", "{expected_d:.2f}", "Mean of |d| over random partitions into X and Y.")
P_HOLM = Column(
    "p (Holm)", "{opened}{p_holm:p}{closed}", "Two-sided, corrected; in brackets if it cannot reject."
)

TABLE1 = Table(
    "table1",
    ["pooling", "suite", "test", "level"],
    [
        replace(EXPECTED, cell="{expected_low:.2f}[~ to {expected_high:.2f}]", each_row=True),
        D,
        INTERVAL,
        GAP,
        P_HOLM,
        Column("d by item, published", "{d_item:+.2f}", "d of items, as the released code has it."),
        Column("p", "{p_item:p}", "One-sided p of items, as the released code has it."),
    ],
    across=["encoder"],
    heads={"level": "unit"},
)
OVERVIEW = Table(
    "overview",
    OVER,
    [
        Column("tests", "{tests}", "Number of tests."),
        Column(
            "after Holm's correction", "{beyond} of {able}", "Tests that reject, of all that can.", BEYOND
        ),
        Column("before it", "{before} of {able_before}", "The same without correction.", BEYOND),
        Column("before it, by chance", "{by_chance:.2f}", "How many of these chance alone gives.", BEYOND),
        Column("found", "{mean_d:.2f}", "Mean of |d| over the tests that have one.", "mean |d|"),
        Column("without bias", "{expected_d:.2f}", "What that mean is on average without bias.", "mean |d|"),
    ],
)
PUBLISHED_VALUES = Table(
    "published",
    ["encoder", "suite", "test", "source", "pooling", "level"],
    [
        Column("published", "{published_d:+.2f}", "The published effect size.", "d"),
        Column("ours", "{d:+.2f}", "Our effect size over the same standard deviation.", "d"),
        Column("difference", "{difference:+.3f}", "Our effect size less the published one.", "d"),
        Column("published", "{published_p:p}", "The published p.", "one-sided p"),
        Column("ours", "{p:p}", "Our p.", "one-sided p"),
        Column("note", "{note}", "Where the texts or the model of the source differ."),
    ],
    heads={"level": "unit"},
)
SEEN = "pictures of A and B"
GROUNDED = Table(
    "grounded",
    ["encoder", "suite", "test", "pooling", "level"],
    [
        Column("pictures of X", "{x1:+.3f}", "Mean s of X with pictures of X, a difference of cosines.", "X"),
        Column("pictures of Y", "{x2:+.3f}", "Mean s of X with pictures of Y, a difference of cosines.", "X"),
        Column("pictures of X", "{y1:+.3f}", "Mean s of Y with pictures of X, a difference of cosines.", "Y"),
        Column("pictures of Y", "{y2:+.3f}", "Mean s of Y with pictures of Y, a difference of cosines.", "Y"),
        Column("of the words", "{target_effect:+.3f}", "How much nearer X is to A than Y is.", "effect"),
        Column("of the pictures", "{image_effect:+.3f}", "How much nearer to A pictures of X are.", "effect"),
        Column(
            "of both together", "{interaction:+.3f}", "What pictures do to X less to Y, halved.", "effect"
        ),
    ],
    heads={"level": "unit"},
)
CELLS = Table(
    "cells",
    ["encoder", "suite", "test", "pooling", "words", "pictured_with", "level"],
    [
        Column("alone", "{alone:+.3f}", "Mean s with pictures of A and B that show neither X nor Y.", SEEN),
        Column("with X", "{with_x:+.3f}", "Mean s with pictures of A and B that show X.", SEEN),
        Column("with Y", "{with_y:+.3f}", "Mean s with pictures of A and B that show Y.", SEEN),
    ],
    heads={"words": "words of", "pictured_with": "with", "level": "unit"},
)
EXPERIMENTS = Table(
    "experiments",
    ["encoder", "suite", "test", "pooling", "experiment", "level"],
    [
        GAP,
        D,
        INTERVAL,
        EXPECTED,
        Column("p", "{p_two:p}", "Two-sided p; none where the test cannot reject."),
        P_HOLM,
        Column("smallest p", "{least_p:p}", "What p would be were the sets as far apart as can be."),
        Column("why not", "{reason}", "Why there is no d or no p."),
    ],
    heads={"level": "unit"},
)
POOLINGS = Table(
    "poolings",
    ["encoder", "first", "second"],
    [
        Column("tests", "{tests}", "Number of tests with d in both poolings."),
        Column("same sign", "{same_sign:.0%}", "Share of the tests whose d have the same sign."),
        Column("Kendall's tau of d", "{tau:+.2f}", "Rank correlation of the d of the two poolings."),
    ],
)
PAIRS = Table(
    "pairs",
    ["suite", "pooling", "benchmark", "title"],
    [
        Column("models", "{models}", "Number of models."),
        Column("tests", "{tests}", "Number of tests that all of these models have."),
        Column(
            "Spearman's rho", "{rho:+.2f}{mark}", "Rank correlation of mean d and bias score over models."
        ),
        Column("p", "{p:p}", "Two-sided p over permutations of models."),
        Column("p (Holm)", "{p_holm:p}", "The same after Holm's correction over the table."),
        Column("why not", "{reason}", "Why there is no p."),
    ],
    heads={"title": "measure"},
)


def table1(results: AssociationResults) -> TableAndSheet:
    """Every test by pooling down, encoders across; the frame has both levels and protocols."""
    rows = in_order(_tested(results, results.main), pooling=results.poolings)
    published = results.weat[(results.weat["level"] == ITEM) & (results.weat["protocol"] == PUBLISHED)]
    keys = ["encoder", "suite", "test", "pooling"]
    rows = rows.merge(published[[*keys, "d", "p"]], on=keys, how="left", suffixes=("", "_item"))
    by_test = rows.groupby(["pooling", "suite", "test"], sort=False)
    rows = rows.assign(
        encoder=pd.Categorical(rows["encoder"], results.names),
        level=by_test["level"].transform(lambda levels: " or ".join(dict.fromkeys(levels))),
        expected_low=by_test["expected_d"].transform("min"),
        expected_high=by_test["expected_d"].transform("max"),
    )
    return results.weat, TABLE1.captioned(rows, results.captions)


def overview(results: AssociationResults) -> TableAndSheet:
    """How many tests are beyond chance, and mean |d| with its expectation without bias."""
    frame = counts(_by_encoder(results, results.main), OVER, results.alpha)
    able, able_before = (frame[name].astype("Int64") for name in ("able", "able_before"))
    rows = frame.assign(
        able=able.mask(able == 0),
        able_before=able_before.mask(able_before == 0),
        by_chance=frame["by_chance"].mask(able_before == 0),
    )
    return frame, OVERVIEW.captioned(rows, results.captions)


PUBLISHED_NUMBERS = ["published_d", "d", "difference", "published_p", "p"]
PUBLISHED_COLUMNS = ["encoder", "suite", "source", "test", "pooling", "level", *PUBLISHED_NUMBERS, "note"]


def published(results: AssociationResults) -> TableAndSheet:
    """What others have published, with ours in the same pooling and level and over the same deviation.

    Of a released suite all values of its tests, and then means over several tests, if it has all of them.
    """
    protocol = np.where(results.weat["level"] == ITEM, PUBLISHED, CORRECTED)
    ours = results.weat[results.weat["protocol"] == protocol]
    lines = []
    for (encoder, suite), of_suite in in_order(ours, encoder=results.names).groupby(
        ["encoder", "suite"], sort=False
    ):
        if suite not in results.released:
            continue
        tests = list(of_suite["test"].unique())
        values = results.published.loc[results.published["model"] == results.printed_name(str(encoder))]
        of_tests = [(value, value.tests.split()) for value in rows_of(values)]
        known = [each for each in of_tests if set(each[1]) <= set(tests)]
        # single tests in the order of the suite come first
        known.sort(key=lambda each: tests.index(each[1][0]) if len(each[1]) == 1 else len(tests))
        by_test = of_suite.set_index(["pooling", "level", "test"])
        lines += [
            {
                "encoder": encoder,
                "suite": suite,
                "source": value.source,
                "test": names[0] if len(names) == 1 else f"mean |d| of {', '.join(names)}",
                "pooling": value.pooling,
                "level": value.level,
                "published_d": value.value,
                "published_p": value.p,
                "note": value.why,
                **_comparable(
                    by_test.reindex([(value.pooling, value.level, name) for name in names]), value.ddof
                ),
            }
            for value, names in known
        ]
    frame = pd.DataFrame(lines, columns=PUBLISHED_COLUMNS).astype(dict.fromkeys(PUBLISHED_NUMBERS, float))
    frame = frame.assign(difference=frame["d"] - frame["published_d"])
    return frame, PUBLISHED_VALUES.captioned(frame, results.captions)


def _comparable(rows: pd.DataFrame, ddof: str) -> dict[str, float]:
    """Our d of a test, over the deviation that the source has, and our p; of several tests the mean of |d|,
    null if one lacks it, and no p."""
    d = rows["d0" if ddof == "0" else "d"]
    if len(rows) == 1:
        return {"d": d.iloc[0], "p": rows["p"].iloc[0]}
    return {"d": d.abs().mean(skipna=False)}


EFFECTS = ("target_effect", "image_effect", "interaction")


def with_effects(means: pd.DataFrame) -> pd.DataFrame:
    """The 2×2 of grounded tests with EFFECTS.

    How much nearer X is to A than Y, whatever the pictures (E1 where cells are of one size); how much nearer
    to A targets are with pictures of X than of Y, (E3x + E3y) / 2; and how much more pictures do to X than to
    Y, (E3x − E3y) / 2.
    """
    x1, x2, y1, y2 = (means[key].astype(float) for key in ("x1", "x2", "y1", "y2"))
    return means.assign(
        target_effect=(x1 + x2 - y1 - y2) / 2,
        image_effect=(x1 - x2 + y1 - y2) / 2,
        interaction=(x1 - x2 - y1 + y2) / 2,
    )


def grounded(results: AssociationResults) -> TableAndSheet:
    """The 2×2 of grounded tests and its effects; the sheet has them by word where words are known."""
    frame = with_effects(results.means)
    return frame, GROUNDED.captioned(main_means(frame), results.captions)


def cells(results: AssociationResults) -> TableAndSheet:
    """All cells of grounded tests that have more than the 2×2; the sheet has them by word where words are
    known."""
    numbers = dict.fromkeys(("alone", "with_x", "with_y"), float)
    frame = results.cells.astype(numbers)
    return frame, CELLS.captioned(main_means(frame), results.captions)


def main_means(means: pd.DataFrame) -> pd.DataFrame:
    """Of the 2×2 of each test that by word, or by item where words are not known."""
    return by_word(means, ["encoder", "suite", "test", "pooling"])


def experiments(results: AssociationResults) -> TableAndSheet:
    """Experiments 1 to 3 of grounded tests, a row each; one whose smallest p is not below alpha has none."""
    frame = results.grounded
    hopeless = frame["least_p"] >= results.alpha
    why = CANNOT_REJECT + (": " + frame["reason"].astype("str")).fillna("")
    rows = _tested(results, frame).assign(
        p_two=frame["p_two"].mask(hopeless),
        p_holm=frame["p_holm"].mask(hopeless),
        reason=frame["reason"].mask(hopeless, why),
    )
    return frame, EXPERIMENTS.captioned(rows, results.captions)


def poolings(results: AssociationResults) -> TableAndSheet:
    """How far two poolings of one encoder agree."""
    return results.poolings_compared, POOLINGS.captioned(results.poolings_compared, results.captions)


def pairs(results: AssociationResults) -> TableAndSheet:
    """Spearman's ρ of mean d and bias score over models; the caption says why there is no p at all."""
    frame = results.with_pairs
    rows = with_marks(frame.assign(title=frame["measure"].map(title_of)), results.alpha)
    reasons = set(frame["reason"])
    if len(reasons) != 1 or frame["reason"].isna().any():
        return frame, PAIRS.captioned(rows, results.captions)
    sheet = PAIRS.without("p", "p (Holm)", "why not").captioned(rows, results.captions)
    return frame, replace(sheet, caption=f"{sheet.caption} There is no p here: {reasons.pop()}.")


def _by_encoder(results: AssociationResults, rows: pd.DataFrame) -> pd.DataFrame:
    """Encoders in the order of the study, then suites as they are and poolings in the order of the study."""
    return in_order(rows, encoder=results.names, suite=rows["suite"].unique(), pooling=results.poolings)


def _tested(results: AssociationResults, rows: pd.DataFrame) -> pd.DataFrame:
    """With the marks of two-sided p, and brackets for a test that could not be beyond chance."""
    able = rows["able"].astype(bool)
    return with_marks(rows, results.alpha, "p_two").assign(
        opened=np.where(able, "", "("), closed=np.where(able, "", ")")
    )
