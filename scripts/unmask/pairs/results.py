"""What the files of a study say of sentence pairs: all that tables, charts and sections are made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.facts import read_facts
from unmask.pairs.captions import caption_facts
from unmask.pairs.judging import judge, read_truths
from unmask.pairs.paper_tables import lay_out, paper_tables
from unmask.pairs.published import published_percents
from unmask.pairs.verdicts import verdicts, with_controls, with_corrected_p
from unmask.report.captions import Captions, load_captions
from unmask.report.sheets import Sheet
from unmask.report.study import ORACLE, Study
from unmask.statistics.ranks import holm
from unmask.statistics.schema import BIAS_TYPE, COMPARISONS, FLAWS, OVERALL, SCHEMAS, VERSIONS
from unmask.study_results import facts_by, load_tables, tables_by
from unmask.terms import ORIGINAL

TIDY = ("bias", "leverage", "accuracy", "tests", "agreement", "quality", "lms")
"""The tables of the whole study that are written as they are."""


def _statistics(name: str, *families: str) -> "cached_property[pd.DataFrame]":
    """A table of unmask.statistics.schema.SCHEMAS over all models and benchmarks.

    families: columns within whose values Holm's correction is, for p_holm.
    """

    def read(results: "PairResults") -> pd.DataFrame:
        rows = results.study.collect(results.files[name], SCHEMAS[name])
        return holm(rows, by=list(families)) if families else rows

    return cached_property(read)


@dataclass(frozen=True)
class PairResults:
    """The results of a study on sentence pairs, each read when it is first asked for, and once.

    files: the tables of unmask.statistics.schema.SCHEMAS (of every model and benchmark), models_compared,
    pairs and flaws (of every benchmark), versions (of each that is a version of another), states (of every
    series and benchmark), published (a CSV), captions (a YAML), truths (of
    worlds), and explored (of every model and benchmark that the explorer shows).

    settings: models, benchmarks, dtypes, measures, judged (the models that were trained on what was planted),
    own_code (the models that run code of their repositories), series (by name the models of the states), and
    explorer (what it shows: models, benchmarks, most).

    A table has the columns model and benchmark; bias has `verdict`; bias, tests, comparisons and quality have
    p_holm beside p.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    leverage = _statistics("leverage")
    accuracy = _statistics("accuracy")
    tests = _statistics("tests", "kind", "unit")
    agreement = _statistics("agreement")
    roc = _statistics("roc")
    measures_compared = _statistics("measures_compared")
    quality = _statistics("quality", "protocol")
    lms = _statistics("lms")

    @cached_property
    def study(self) -> Study:
        return Study.from_config(self.settings["models"], self.settings["benchmarks"])

    @property
    def headline(self) -> str:
        """The measure of the answer: the study's first."""
        return self._measures()[0]

    def headline_of(self, model: str) -> str:
        """The first measure of the study that a model has a score by."""
        of_model = self.overall[self.overall["model"] == model]
        measured = set(of_model["measure"].astype(str))
        scored = set(of_model.loc[of_model["score"].notna(), "measure"].astype(str)) or measured
        return next(name for name in self._measures() if name in scored)

    def _measures(self) -> list[str]:
        """The measures of the study, in its order."""
        return list(self.settings.get("measures") or self.overall["measure"].astype(str).unique())

    def of_headline(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Those rows (with model and measure) that are of each model's headline measure."""
        headlines = {model: self.headline_of(str(model)) for model in rows["model"].unique()}
        return rows[rows["measure"].astype(str) == rows["model"].map(headlines).astype(str)]

    @property
    def level(self) -> float:
        """Below which a p is clear after Holm's correction: that of the intervals."""
        return 1 - (float(self.bias["confidence"].iloc[0]) if len(self.bias) else 0.95)

    @cached_property
    def bias(self) -> pd.DataFrame:
        """BIAS of every model and benchmark, with `verdict` and p_holm as unmask.pairs.verdicts has them."""
        rows = self.study.collect(self.files["bias"], SCHEMAS["bias"])
        rows = with_controls(rows.assign(verdict=verdicts(rows)))
        return with_corrected_p(rows, self.study.trained())

    @cached_property
    def models_compared(self) -> pd.DataFrame:
        """COMPARISONS of the study's models, with the column benchmark first."""
        rows = self.study.of_benchmarks(self.files["models_compared"], COMPARISONS)
        models = [model.name for model in self.study.models]
        return rows[rows["first"].isin(models) & rows["second"].isin(models)].reset_index(drop=True)

    @property
    def series(self) -> Mapping[str, Mapping[str, str]]:
        """Of each series the models by the names of their states, in the study's order."""
        series: Mapping[str, Mapping[str, str]] = self.settings.get("series", {})
        return series

    @cached_property
    def states(self) -> pd.DataFrame:
        """COMPARISONS of every series and benchmark, of a state less the first one."""
        order = {"series": list(self.series), "benchmark": [each.name for each in self.study.benchmarks]}
        return load_tables(self.files["states"], COMPARISONS, "series", "benchmark", order=order)

    @property
    def trained_series(self) -> list[str]:
        """The series that have a trained model among their states."""
        trained = {*self.study.trained()}
        return [name for name, states in self.series.items() if trained & {*states.values()}]

    @cached_property
    def versions(self) -> pd.DataFrame:
        """VERSIONS of the study's benchmarks, with the column benchmark first."""
        return self.study.of_benchmarks(self.files["versions"], VERSIONS)

    @cached_property
    def pairs(self) -> dict[str, pd.DataFrame]:
        """PAIRS of every benchmark, by name."""
        return tables_by(self.files["pairs"], PAIRS, "benchmark")

    @cached_property
    def flaws(self) -> dict[str, pd.DataFrame]:
        """FLAWS of every benchmark, by name."""
        return tables_by(self.files["flaws"], FLAWS, "benchmark")

    @cached_property
    def explored(self) -> dict[tuple[str, str], dict[str, Any]]:
        """What the explorer has (unmask.pairs.explorer.explored), by model and benchmark."""
        facts = [read_facts(path) for path in self.files["explored"]]
        return {(each["model"], each["benchmark"]): each for each in facts}

    @cached_property
    def judgements(self) -> pd.DataFrame:
        """JUDGEMENTS on the scores of models that were trained on what was planted; without truths there are
        none."""
        return self._judged(self.settings.get("judged", []))

    @cached_property
    def exact_judgements(self) -> pd.DataFrame:
        """The same on the scores of exact models."""
        return self._judged(self.study.of_source(ORACLE))

    def _judged(self, models: list[str]) -> pd.DataFrame:
        files = self.files.get("truths", [])
        truths = read_truths(self.study, files) if files else {}
        return judge(self.study, truths, self.bias, models)

    @cached_property
    def facts(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """What the statistics of each model and benchmark state: `unknown_tokens`, how many of the tokens of
        all pairs the tokenizer does not know (null without one), and of scores that were made elsewhere
        `matched` (unmask.pairs.measuring.Matched.facts)."""
        return facts_by(self.files["quality"], "model", "benchmark")

    @cached_property
    def published(self) -> pd.DataFrame:
        """Values of others (unmask.pairs.published.published_percents)."""
        return published_percents(self.files["published"])

    def of_study(self, published: pd.DataFrame) -> pd.DataFrame:
        """Published rows of the study's models and benchmarks, under the study's names for these."""
        for column, entries in (("benchmark", self.study.benchmarks), ("model", self.study.models)):
            names = [(each.name, each.published) for each in entries if each.published]
            ours = pd.DataFrame(names, columns=["ours", column]).astype("str")
            published = ours.merge(published, on=column).drop(columns=column).rename(columns={"ours": column})
        return published

    @cached_property
    def captions(self) -> Captions:
        facts = caption_facts(self.level, self.bias, self.agreement, self.pairs.values())
        return load_captions(self.files["captions"], **facts)

    @property
    def original(self) -> pd.DataFrame:
        """The bias scores of sentences in their original order."""
        return self.bias[self.bias["variant"] == ORIGINAL]

    @property
    def overall(self) -> pd.DataFrame:
        """Those over all pairs of a benchmark."""
        return self.original[self.original["grouping"] == OVERALL]

    @cached_property
    def paper_tables(self) -> Mapping[str, pd.DataFrame]:
        """The paper's tables by name."""
        return paper_tables(self.study, self.bias, self.accuracy, self.tests, self.published)

    def paper_sheets(self) -> dict[str, Sheet]:
        """The paper's tables as they are shown, by name."""
        return {name: lay_out(rows, self.captions[name]) for name, rows in self.paper_tables.items()}

    def tidy(self) -> dict[str, pd.DataFrame]:
        """The machine-readable tables by name."""
        return {name: getattr(self, name) for name in TIDY} | dict(self.paper_tables)


def several_types(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of a bias table without those by bias type where a benchmark has one type, which repeat the score
    over all pairs. rows: with the columns model and benchmark."""
    of_types = rows[rows["grouping"] == BIAS_TYPE]
    types = of_types.groupby(["model", "benchmark"], observed=True)["group"].transform("nunique")
    return rows.drop(index=types.index[types == 1])
