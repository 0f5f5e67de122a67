"""What is shown of template tests: a table, a picture and a finding of LPBS, and of DisCo."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from unmask.loading import facts_by, load_tables
from unmask.report.declared_tables import Column, Table, ranged, with_marks
from unmask.report.findings import Finding, records
from unmask.report.forms import Axis, Beside, forest
from unmask.report.panels import Tips, columns_of
from unmask.report.presenting import Presentation
from unmask.report.sheets import Sheet
from unmask.report.study import UNTRAINED
from unmask.statistics.correction import holm
from unmask.templates.schema import TESTED_WORDS, TESTS
from unmask.templates.terms import DIFFERENCE, DISCO, LPBS, TOP_THREE

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class TemplateResults:
    """files: tests and words, of every model and test. settings: models (name, source), decoders, alpha."""

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Tests of all models, with p_holm over the tests of one measure and quantity; networks with random
        weights are a family of their own."""
        tests = load_tables(self.files["tests"], TESTS, "test", "model")
        family = tests["model"].astype(str).isin(self.without_training)
        corrected = holm(tests.assign(family=family), ["measure", "quantity", "family"])
        return with_marks(corrected.drop(columns="family"), self.alpha)

    @cached_property
    def words(self) -> pd.DataFrame:
        """Attributes and candidate fills of all models."""
        return load_tables(self.files["words"], TESTED_WORDS, "test", "model")

    def of(self, measure: str) -> pd.DataFrame:
        """The tests of a measure."""
        return self.tests[self.tests["measure"] == measure]

    def main(self, measure: str) -> pd.DataFrame:
        """One row for each model and test: of LPBS the difference of the two sets; of DisCo the fills among
        the top three, as in the paper."""
        tests = self.of(measure)
        return tests[tests["quantity"] == (DIFFERENCE if measure == LPBS else TOP_THREE)]

    def left_out(self) -> list[dict[str, Any]]:
        """Of each test and model, the words that its tokenizer does not know."""
        facts = facts_by(self.files["tests"], "test", "model")
        return [
            {"test": test, "model": model, "words": of["left_out"]}
            for (test, model), of in facts.items()
            if of["left_out"]
        ]

    @property
    def without_training(self) -> list[str]:
        """The networks with random weights."""
        return [each["name"] for each in self.settings["models"] if each["source"] == UNTRAINED]

    def untrained(self) -> list[dict[str, Any]]:
        """Their names, if there are any."""
        return [{"names": self.without_training}] if self.without_training else []

    def decoders(self) -> list[dict[str, Any]]:
        """The decoders of the study, if it has any."""
        return [{"names": self.settings["decoders"]}] if self.settings["decoders"] else []


CHANCE = "{chance_mean:.2f} ({chance_low:.2f} to {chance_high:.2f})"
P = "{p:p}{mark}"

ATTRIBUTES = Table(
    "attributes",
    ["test", "model", "quantity", "part"],
    [
        Column(
            "LPBS",
            ranged("value", "low", "high", "m"),
            "Log-probability bias score in nats, with its interval.",
        ),
        Column(
            "d", "{effect:+.2f}", "Effect size: the difference over the standard deviation of attributes."
        ),
        Column("chance", "{chance_low:m} to {chance_high:m}", "Band of rearranged attributes, in nats."),
        Column("p", P, "Two-sided p by rearranged attributes; * raw, † after Holm's correction."),
        Column("attributes", "{units:,}", "Number of attributes that are compared."),
        Column("templates", "{templates:,}", "Number of templates that scores are averaged over."),
    ],
)
FILLS = Table(
    "fills",
    ["test", "model", "quantity"],
    [
        Column(
            "DisCo", "{value:.2f}", "Significant fills per template, at .05 after Bonferroni's correction."
        ),
        Column("chance", CHANCE, "Mean and band of the same number with rearranged genders."),
        Column("p", P, "One-sided p by rearranged genders; * raw, † after Holm's correction."),
        Column("tested", "{candidates:,.0f}", "Number of candidate fills, over all templates."),
        Column("persons", "{units:,}", "Number of names or nouns in the slot of the person."),
        Column("templates", "{templates:,}", "Number of templates that fills are counted over."),
    ],
)
CAPTIONS = {
    "attributes": (
        "Log-probability bias scores (LPBS) of attributes: means of two sets, and their difference. Chance "
        "rearranges attributes between the sets. A mean has no test."
    ),
    "fills": (
        "DisCo: fills of a template that correlate with the person's gender, among the top three, or those "
        "with P > 0.1. Chance rearranges the genders of persons."
    ),
}

TIPS: Tips = (
    ("model", "model"),
    ("value", "score", ".2f"),
    ("chance_low", "chance from", ".2f"),
    ("chance_high", "to", ".2f"),
    ("p_holm", "p after Holm", ".2g"),
)


def attributes_table(results: TemplateResults) -> tuple[pd.DataFrame, Sheet]:
    """LPBS of every model and test."""
    tests = results.of(LPBS)
    return tests, ATTRIBUTES.sheet(tests, CAPTIONS["attributes"])


def fills_table(results: TemplateResults) -> tuple[pd.DataFrame, Sheet]:
    """DisCo of every model and test."""
    tests = results.of(DISCO)
    return tests, FILLS.sheet(tests, CAPTIONS["fills"])


def _rows(results: TemplateResults, measure: str) -> pd.DataFrame:
    tests = results.main(measure)
    parts = ": " + tests["part"].astype(str) if measure == LPBS else ""
    columns = ("model", "value", "chance_mean", "chance_low", "chance_high", "p_holm")
    ends = ("low", "high") if measure == LPBS else ()
    return columns_of(tests, *columns, *ends, panel=tests["test"].astype(str) + parts)


def attributes_chart(results: TemplateResults) -> "alt.FacetChart | None":
    """LPBS of each model, a panel a test."""
    axis, band = Axis("log-probability bias score (nats)", line=0, zero=True), ("chance_low", "chance_high")
    return forest(_rows(results, LPBS), axis, TIPS, name="model", broad=band)


def fills_chart(results: TemplateResults) -> "alt.FacetChart | None":
    """DisCo of each model, a panel a test, with the mean of chance."""
    axis, band = Axis("significant fills per template", zero=True), ("chance_low", "chance_high")
    chance = [Beside("chance_mean", "tick")]
    return forest(_rows(results, DISCO), axis, TIPS, name="model", broad=band, beside=chance)


def _clear(results: TemplateResults, measure: str) -> list[dict[str, Any]]:
    """Of each test: its trained models, those beyond chance, and that with the largest score."""
    rows = []
    main = results.main(measure)
    # random weights say nothing of a model; where a study has no others, they are what it is about
    trained = main[~main["model"].isin(results.without_training)]
    for _, tests in (trained if len(trained) else main).groupby("test", sort=False, observed=True):
        most = records(tests)[int(tests["value"].abs().to_numpy().argmax())]
        clear = tests.loc[tests["p_holm"] < results.alpha, "model"]
        rows.append({**most, "clear": list(clear), "models": len(tests), "alpha": results.alpha})
    return rows


def _fills(results: TemplateResults) -> list[dict[str, Any]]:
    """Of each test: the significant fills of the model with the most."""
    rows = []
    for row in _clear(results, DISCO):
        words = results.words[
            (results.words["test"] == row["test"]) & (results.words["model"] == row["model"])
        ]
        significant = words.loc[words["significant"].eq(True), "word"]
        if len(significant):
            rows.append({**row, "words": list(significant.drop_duplicates())})
    return rows


FINDINGS: list[Finding[TemplateResults]] = [
    Finding(
        "attributes",
        lambda results: _clear(results, LPBS),
        "{{ test }}, {{ part }}: the log-probability bias score (LPBS) is beyond chance "
        "({{ say.significant(alpha) }}) in {{ clear | length }} of {{ models | counted('model') }}. "
        "{{ model }} has the largest, {{ value | number(2, signed=True) }} nats.",
    ),
    Finding(
        "fills",
        lambda results: _clear(results, DISCO),
        "{{ test }}: the number of fills that correlate with gender (DisCo) is beyond chance "
        "({{ say.significant(alpha) }}) in {{ clear | length }} of {{ models | counted('model') }}. "
        "{{ model }} has the most, {{ value | number(2) }} per template.",
    ),
    Finding(
        "which fills",
        _fills,
        "{{ test }}: {{ words | listed(8) }} {{ words | many('correlates', 'correlate') }} with gender in "
        "{{ model }}. A pronoun that agrees with a name counts, too.",
    ),
    Finding(
        "left out",
        lambda results: results.left_out(),
        "{{ test }} is without {{ words | length | counted('word') }} that the tokenizer of {{ model }} does "
        "not know: {{ words | listed(5) }}.",
    ),
    Finding("untrained", lambda results: results.untrained(), "{{ say.untrained(names) }}."),
    Finding(
        "decoders",
        lambda results: results.decoders(),
        "{{ names | listed }} {{ names | many('predicts', 'predict') }} from the left alone and "
        "{{ names | many('is', 'are') }} left out: a template is filled from both sides.",
    ),
]

PRESENTS = Presentation(
    TemplateResults,
    tables={
        "attributes": attributes_table,
        "fills": fills_table,
        "words": lambda results: results.words,
    },
    charts={
        "attributes": (attributes_chart, "No test of this study measures LPBS."),
        "fills": (fills_chart, "No test of this study measures DisCo."),
    },
    heading="Template tests",
    findings=FINDINGS,
    captions={
        "attributes": (
            "Differences of log-probability bias scores: positive where the first set of attributes goes "
            "with the first target more than the second does. [chance_low: Bands: rearranged attributes.] "
            "[low: Lines: intervals.]"
        ),
        "fills": (
            "Fills that correlate with gender, by test. [chance_low: Bands and ticks: the same persons with "
            "rearranged genders.]"
        ),
    },
)
