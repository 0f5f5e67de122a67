"""What the report shows of association tests: tables, charts, and what these say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from unmask.associations import charts
from unmask.associations.schema import ASSOCIATIONS
from unmask.associations.terms import E1, E3X, E3Y, GROUNDED, JOINT, SETS, TEXT, VECTORS, WEAT, WORD
from unmask.report.presenting import Presentation, Topic, clear
from unmask.report.study_results import UNTRAINED, facts_by, load_tables, read_published
from unmask.report.tables import Column, Sheet, Table, ends, in_order, records, rows_of, with_marks
from unmask.report.wording import Captions, counted, listed, load_captions, many, number, span

CLOSE = 0.01
"""Half of what the last of two decimals says, and as much again for that of ours."""

NAMED = 6
"""So many values stand in a sentence."""

D = Column("d", "{d:+.2f}{mark}")
INTERVAL = Column("interval", ends("d", "+.2f"))
DIFFERENCE = Column("difference", "{mean_difference:+.3f}")
EXPECTED = Column("|d| without bias", "{expected_d:.2f}")
P = Column("p", "{p_two:p}")
P_HOLM = Column("p (Holm)", "{p_holm:p}")
LEAST_P = Column("smallest p", "{least_p:p}")
EACH_TEST = ("encoder", "suite", "test", "pooling")

TESTS = Table(
    "tests",
    # the last two are the same for all encoders
    ["pooling", "suite", "test", "expected_d:.2f", "least_p:p"],
    [
        D,
        INTERVAL,
        DIFFERENCE,
        P_HOLM,
        Column("d by text", "{d_text:+.2f}"),
        Column("p by text", "{p_text:p}"),
    ],
    across=["encoder"],
    heads={"expected_d": EXPECTED.label, "least_p": LEAST_P.label},
)
EXPERIMENTS = Table(
    "experiments",
    [*EACH_TEST, "experiment"],
    [
        D,
        INTERVAL,
        DIFFERENCE,
        EXPECTED,
        P,
        P_HOLM,
        LEAST_P,
        Column("why not", "{reason}"),
    ],
)
CELLS = Table(
    "cells",
    [*EACH_TEST, "words", "pictured_with"],
    [
        Column("alone", "{alone:+.3f}", "pictures of A and B"),
        Column("with X", "{with_x:+.3f}", "pictures of A and B"),
        Column("with Y", "{with_y:+.3f}", "pictures of A and B"),
    ],
    heads={"words": "words of", "pictured_with": "with"},
)
PUBLISHED = Table(
    "published",
    ["encoder", "suite", "test", "source", "pooling", "unit"],
    [
        Column("published", "{published_d:+.2f}", "d"),
        Column("ours", "{d:+.2f}", "d"),
        Column("difference", "{difference:+.3f}", "d"),
        Column("published", "{published_p:p}", "one-sided p"),
        Column("ours", "{p:p}", "one-sided p"),
        Column("note", "{note}"),
    ],
)
PUBLISHED_NUMBERS = ["published_d", "d", "difference", "published_p", "p"]
WHAT_IS_COMPARED = Table(
    "sets",
    ["suite", "test"],
    [
        *(Column(name, f"{{{name}}}") for name in SETS),
        Column("pictures", "{pictures}"),
        Column("remarks", "{remarks}"),
    ],
)


@dataclass(frozen=True)
class AssociationResults:
    """files: associations (ASSOCIATIONS of every encoder and suite), suites (STIMULI of each), captions and
    published (resources/associations).

    settings: encoders (each with name and, where it is known, source; in the order of the study), alpha,
    confidence, poolings (in the order of the study), published (what published.csv calls an encoder, by its
    name) and released (the suites whose tests are those published ones).
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def names(self) -> list[str]:
        """The encoders in the order of the study."""
        return [str(entry["name"]) for entry in self.settings["encoders"]]

    @cached_property
    def untrained(self) -> list[str]:
        """The encoders with random weights."""
        encoders = self.settings["encoders"]
        return [encoder["name"] for encoder in encoders if encoder.get("source") == UNTRAINED]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @cached_property
    def poolings(self) -> list[str]:
        """Joint ones first, then those of the study, and those of word vectors and pictures."""
        return list(dict.fromkeys([JOINT, *self.settings["poolings"], VECTORS, *GROUNDED]))

    @cached_property
    def rows(self) -> pd.DataFrame:
        """ASSOCIATIONS with encoder and suite first: tests as their suites have them, then encoders and
        poolings in the order of the study."""
        rows = load_tables(self.files["associations"], ASSOCIATIONS, "encoder", "suite")
        # tests of two suites may have one name
        number = rows.groupby(["suite", "test"], sort=False).ngroup()
        return in_order(
            rows.assign(number=number),
            number=range(len(rows)),
            encoder=self.names,
            pooling=self.poolings,
        ).drop(columns="number")

    @cached_property
    def tests(self) -> pd.DataFrame:
        """The tests without pictures, with words as units."""
        return self.rows[(self.rows["experiment"] == WEAT) & (self.rows["unit"] == WORD)]

    @cached_property
    def grounded(self) -> pd.DataFrame:
        """The experiments of tests with pictures, with words as units."""
        return self.rows[(self.rows["experiment"] != WEAT) & (self.rows["unit"] == WORD)]

    @cached_property
    def cells(self) -> pd.DataFrame:
        """Mean s of every cell of targets of grounded tests (unmask.associations.weat.cell_means)."""
        columns = [*EACH_TEST, "unit", "words", "pictured_with", "alone", "with_x", "with_y"]
        records = [
            {"encoder": encoder, "suite": suite, **record}
            for (encoder, suite), facts in facts_by(self.files["associations"], "encoder", "suite").items()
            for record in facts["cells"]
        ]
        frame = pd.DataFrame(records, columns=columns).astype(dict.fromkeys(columns[-3:], float))
        return in_order(frame, encoder=self.names)

    @cached_property
    def sets(self) -> pd.DataFrame:
        """Of each test what its file calls the sets, pictures by cell, and remarks; null: none."""
        rows = [
            {"suite": suite, "test": test["name"], **test["categories"]}
            | {"pictures": ", ".join(f"{cell} {count}" for cell, count in test.get("pictures", {}).items())}
            | {"remarks": "; ".join(test["remarks"])}
            for (suite,), facts in facts_by(self.files["suites"], "suite").items()
            for test in facts["tests"]
        ]
        frame = pd.DataFrame(rows, columns=["suite", "test", *SETS, "pictures", "remarks"])
        return frame.replace("", None)

    @cached_property
    def captions(self) -> Captions:
        confidence = f"{100 * self.settings['confidence']:g}"
        return load_captions(self.files["captions"], alpha=f"{self.alpha:g}", confidence=confidence)


def tests(results: AssociationResults) -> pd.DataFrame:
    """ASSOCIATIONS of every test without pictures, in both units."""
    return results.rows[results.rows["experiment"] == WEAT]


def tests_sheet(results: AssociationResults, both: pd.DataFrame) -> Sheet:
    """Every test by pooling down, encoders across."""
    by_text = both.loc[both["unit"] == TEXT, [*EACH_TEST, "d", "p"]]
    rows = in_order(with_marks(results.tests, results.alpha, "p_two"), pooling=results.poolings)
    rows = rows.merge(by_text, on=[*EACH_TEST], suffixes=("", "_text"))
    rows = rows.assign(encoder=pd.Categorical(rows["encoder"], results.names))
    return TESTS.captioned(rows, results.captions)


def experiments_sheet(results: AssociationResults, rows: pd.DataFrame) -> Sheet:
    """Experiments 1 to 3 of grounded tests, a row each, with words as units."""
    return EXPERIMENTS.captioned(with_marks(results.grounded, results.alpha, "p_two"), results.captions)


def cells_sheet(results: AssociationResults, cells: pd.DataFrame) -> Sheet:
    """Mean s in all cells of grounded tests, with words as units."""
    return CELLS.captioned(cells[cells["unit"] == WORD], results.captions)


def published(results: AssociationResults) -> pd.DataFrame:
    """What others have published, with ours in the same pooling and unit and over the same deviation.

    Of a released suite all values of its tests, and of several tests the mean of |d|, if it has all of them.
    """
    printed = read_published(results.files["published"])
    rows = tests(results)
    rows = rows[rows["suite"].isin(results.settings["released"])]
    # a source may have divided by n
    factor = np.sqrt((rows["x"] + rows["y"]) / (rows["x"] + rows["y"] - 1))
    rows = rows.assign(d_1=rows["d"], d_0=rows["d"] * factor)
    lines = []
    for (encoder, suite), of_suite in rows.groupby(["encoder", "suite"], sort=False):
        order = list(of_suite["test"].unique())
        ours = of_suite.set_index(["pooling", "unit", "test"])
        name = results.settings["published"].get(encoder)
        known = [
            (value, names)
            for value in rows_of(printed[printed["model"] == name])
            if set(names := value.tests.split()) <= set(order)
        ]
        # single tests in the order of the suite come first
        known.sort(key=lambda each: order.index(each[1][0]) if len(each[1]) == 1 else len(order))
        for value, names in known:
            found = ours.reindex([(value.pooling, value.unit, test) for test in names])
            d, single = found[f"d_{value.ddof}"], len(names) == 1
            lines.append(
                {
                    "encoder": encoder,
                    "suite": suite,
                    "source": value.source,
                    "test": names[0] if single else f"mean |d| of {', '.join(names)}",
                    "pooling": value.pooling,
                    "unit": value.unit,
                    "published_d": value.value,
                    "d": d.iloc[0] if single else d.abs().mean(skipna=False),
                    "published_p": value.p,
                    "p": found["p"].iloc[0] if single else None,
                    "note": value.why,
                }
            )
    keys = ["encoder", "suite", "source", "test", "pooling", "unit"]
    frame = pd.DataFrame(lines, columns=[*keys, *PUBLISHED_NUMBERS, "note"])
    frame = frame.astype(dict.fromkeys(PUBLISHED_NUMBERS, float))
    return frame.assign(difference=frame["d"] - frame["published_d"])


def says(results: AssociationResults) -> Iterator[str]:
    """How many tests are beyond chance, how many cannot be, and how large d is beside what chance gives."""
    rows = results.tests.assign(p=results.tests["p_two"])
    if rows.empty:
        return
    yield clear(rows, "association tests", results.alpha)
    # sets of one unit have no p at all
    if too_small := int((~(rows["least_p"] < results.alpha)).sum()):
        yield f"{counted(too_small, 'test')} cannot have p < {results.alpha:g}, as the sets are too small."
    of_each = rows.assign(d=rows["d"].abs()).groupby(["encoder", "pooling"], sort=False)
    sizes = of_each[["d", "expected_d"]].mean()
    means = [
        f"{each.encoder}{' (never trained)' if each.encoder in results.untrained else ''} {each.pooling} "
        f"{number(each.d)}"
        for each in rows_of(sizes.reset_index())
    ]
    expected = span(sizes["expected_d"].min(), sizes["expected_d"].max())
    yield f"Mean |d| is about {expected} without bias; here it is: {listed(means, NAMED)}."


def says_of_grounded(results: AssociationResults) -> Iterator[str]:
    """How many effects of words (E1), and of pictures (E3), are beyond chance."""
    effects = {"of words (E1)": [E1], "of pictures (E3)": [E3X, E3Y]}
    for effect, experiments in effects.items():
        rows = results.grounded[results.grounded["experiment"].isin(experiments)]
        if len(rows):
            yield clear(rows.assign(p=rows["p_two"]), f"effects {effect}", results.alpha)


def says_of_published(results: AssociationResults) -> Iterator[str]:
    """How many published effect sizes are close to ours, and the furthest."""
    rows = published(results)
    known = rows[rows["difference"].notna()]
    if len(known):
        close = int((known["difference"].abs() < CLOSE).sum())
        (row,) = records(known.loc[[known["difference"].abs().idxmax()]])
        yield (
            f"{close} of {counted(len(known), 'published value')} of d {many(close, 'is', 'are')} within "
            f"{CLOSE:g} of ours; furthest is {row['test']} ({row['source']}) of {row['encoder']}: published "
            f"{number(row['published_d'], 2, True)}, ours {number(row['d'], 2, True)}."
        )


TOPIC = Topic[AssociationResults](
    "associations",
    "Association tests",
    tests,
    tests_sheet,
    draws=lambda results: charts.tests(results.tests, results.names, results.poolings, results.alpha),
    says=says,
    file="tests",
    more=(
        Topic(
            "grounded",
            "Tests with pictures",
            draws=lambda results: charts.grounded(results.cells[results.cells["unit"] == WORD]),
            says=says_of_grounded,
        ),
        Topic(
            "experiments",
            "Experiments with pictures, in numbers",
            lambda results: results.rows[results.rows["experiment"] != WEAT],
            experiments_sheet,
        ),
        Topic("cells", "Cells of tests with pictures", lambda results: results.cells, cells_sheet),
        Topic("published", "Published values", published, PUBLISHED, says=says_of_published),
        Topic("sets", "What is compared", lambda results: results.sets, WHAT_IS_COMPARED),
    ),
)

PRESENTS = Presentation(AssociationResults, [TOPIC])
