"""What the files of a study say of sentence pairs: all that tables, charts and sections are made from.

On each score there is a verdict: whether the choice of pairs, or of words, explains a distance from 50.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.errors import InputError
from unmask.files import read_facts
from unmask.measures.formulas import sees_context, title_of
from unmask.report.study_results import Study, facts_by, load_tables, read_published, tables_by
from unmask.report.tables import rows_of
from unmask.report.wording import UNTESTABLE, Captions, interval, load_captions
from unmask.statistics.agreement import BIASED_FROM
from unmask.statistics.quality import UNKNOWN_TOKENS
from unmask.statistics.schema import (
    ANY_FLAW,
    BIAS_TYPE,
    COMPARISONS,
    FLAWS,
    NO_CLUSTERS,
    NO_PREFERENCE,
    OVERALL,
    SCHEMAS,
    UNEQUAL_TOKENS,
    UNRATED,
    VERSIONS,
)
from unmask.statistics.uncertainty import TARGET, WORDS, WRITER, Floats, contains, holm, leaves_out, step_down
from unmask.terms import CORRECTED, ORIGINAL, SHUFFLED

COUNT = "stereotypical pairs"
"""The quantity of published bias scores that are counts of pairs."""

FLAW_TITLES: Mapping[str, str] = {
    "few_votes": "few votes",
    "near_duplicate": "near-duplicate",
    "identical": "identical sentences",
    "unequal_words": "unequal in words",
    "many_words": "many words differ",
    "missing_field": "field missing",
    UNEQUAL_TOKENS: "unequal in tokens",
    UNKNOWN_TOKENS: "unknown tokens",
    ANY_FLAW: "any flaw",
    UNRATED: "not rated",
}
"""What flaws of pairs, and pairs without ratings, are called, in the order in which they are shown."""

Truth = Mapping[str, Mapping[str, Any]]
"""What is known of the pairs of one benchmark: pair_id -> {factor, bias_type, direction, target, p,
ratio}."""


def _statistics(name: str, *families: str) -> "cached_property[pd.DataFrame]":
    """A table of unmask.statistics.schema.SCHEMAS over all models and benchmarks.

    families: columns within whose values Holm's correction is, for p_holm.
    """

    def read(results: "PairResults") -> pd.DataFrame:
        rows = load_tables(results.files[name], SCHEMAS[name], "model", "benchmark")
        return holm(rows, by=list(families)) if families else rows

    return cached_property(read)


@dataclass(frozen=True, eq=False)
class PairResults:
    """The results of a study on sentence pairs, each read when it is first asked for, and once.

    files: the tables of unmask.statistics.schema.SCHEMAS (of every model and benchmark), models_compared,
    pairs and flaws (of every benchmark), versions (of each that is a version of another), states (of every
    series and benchmark), published (a CSV), captions (a YAML), truths (of worlds), and explored (of every
    model and benchmark that the explorer shows).

    settings: models, benchmarks, dtypes, measures, judged (the models that were trained on what was planted),
    own_code (the models that run code of their repositories), series (by name the models of the states), and
    explorer (what it shows: models, benchmarks, most).

    A table has its keys in front: model and benchmark, benchmark alone (models_compared, versions), or series
    and benchmark (states). bias has `verdict`; bias, tests and quality have p_holm beside p.
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
        return Study.of(self.settings)

    @property
    def headline(self) -> str:
        """The measure of the answer: the study's first."""
        return str(self.settings["measures"][0])

    def headline_of(self, model: str) -> str:
        """The first measure of the study that a model has a score by."""
        of_model = self.overall[self.overall["model"] == model]
        scored = {*of_model.loc[of_model["score"].notna(), "measure"]} or {*of_model["measure"]}
        headline: str = next(name for name in self.settings["measures"] if name in scored)
        return headline

    def of_headline(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Those rows (with model and measure) that are of each model's headline measure."""
        headlines = {model: self.headline_of(model) for model in rows["model"].unique()}
        return rows[rows["measure"] == rows["model"].map(headlines)]

    @property
    def level(self) -> float:
        """Below which a p is clear after Holm's correction: that of the intervals."""
        return 1 - (float(self.bias["confidence"].iloc[0]) if len(self.bias) else 0.95)

    @cached_property
    def bias(self) -> pd.DataFrame:
        """BIAS of every model and benchmark, with `verdict` and p_holm."""
        rows = load_tables(self.files["bias"], SCHEMAS["bias"], "model", "benchmark")
        rows = with_controls(rows.assign(verdict=verdicts(rows)))
        return with_corrected_p(rows, self.study.trained())

    @cached_property
    def models_compared(self) -> pd.DataFrame:
        """COMPARISONS of the study's models, with the column benchmark first."""
        return load_tables(self.files["models_compared"], COMPARISONS, "benchmark")

    @property
    def series(self) -> Mapping[str, Mapping[str, str]]:
        """Of each series the models by the names of their states, in the study's order."""
        series: Mapping[str, Mapping[str, str]] = self.settings.get("series", {})
        return series

    @cached_property
    def states(self) -> pd.DataFrame:
        """COMPARISONS of every series and benchmark, of a state less the first one."""
        return load_tables(self.files["states"], COMPARISONS, "series", "benchmark")

    @property
    def trained_series(self) -> list[str]:
        """The series that have a trained model among their states."""
        trained = {*self.study.trained()}
        return [name for name, states in self.series.items() if trained & {*states.values()}]

    @cached_property
    def versions(self) -> pd.DataFrame:
        """VERSIONS of the study's benchmarks, with the column benchmark first."""
        return load_tables(self.files["versions"], VERSIONS, "benchmark")

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
    def truths(self) -> dict[str, Truth]:
        """The truth of each benchmark that a world makes, by its name.

        The files are JSON, each with the name of its world (`world`) and `benchmarks` by format. Raises
        InputError where the truth of a world, or of a benchmark in it, is not there.
        """
        documents = [json.loads(Path(path).read_bytes()) for path in self.files["truths"]]
        known = {(of["world"], name): truth for of in documents for name, truth in of["benchmarks"].items()}
        truths = {}
        for each in self.study.benchmarks:
            if each.world is not None:
                if (each.world, each.format) not in known:
                    place = f"world {each.world}, format {each.format}"
                    raise InputError(f"truth: benchmark {each.name} ({place}) has none")
                truths[each.name] = known[each.world, each.format]
        return truths

    @cached_property
    def facts(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """What the statistics of each model and benchmark state; `unknown_tokens`: how many of the tokens
        of all pairs the tokenizer does not know, null without one."""
        return facts_by(self.files["quality"], "model", "benchmark")

    @cached_property
    def published(self) -> pd.DataFrame:
        """Values that others print, with `percent`: each in percent, also where it is a count of pairs.

        Models and benchmarks have their published names. group: `all` pairs, a direction or a bias type.
        reading: which tokens an accuracy counts, where it is known. pairs: of how many a COUNT is. dagger:
        whether the paper marks the value so.
        """
        rows = read_published(self.files["published"])
        counts = 100 * rows["value"] / rows["pairs"]
        return rows.assign(percent=rows["value"].mask(rows["quantity"] == COUNT, counts))

    def of_study(self, published: pd.DataFrame) -> pd.DataFrame:
        """Published rows of the study's models and benchmarks, under the study's names for these."""
        for column, entries in (("benchmark", self.study.benchmarks), ("model", self.study.models)):
            names = [(each.name, each.published) for each in entries if each.published]
            ours = pd.DataFrame(names, columns=["ours", column]).astype("str")
            published = ours.merge(published, on=column).drop(columns=column).rename(columns={"ours": column})
        return published

    @cached_property
    def captions(self) -> Captions:
        """Captions, with the levels of tests, what pairs share, and by how many raters pairs were rated."""
        reading = ""
        if len(self.agreement):
            rated = (ratings for table in self.pairs.values() for ratings in table["ratings"].dropna())
            raters = {*map(len, rated)}
            of = " to ".join(map(str, sorted({min(raters), max(raters)})))
            reading = f"A pair is positive where at least {BIASED_FROM} of {of} raters chose some bias type."
        return load_captions(
            self.files["captions"],
            level=f"{self.level:g}",
            confidence=f"{100 * (1 - self.level):g}",
            sharing=sharing_pairs(self.bias["clusters"].unique()),
            reading=reading,
        )

    @property
    def of_worlds(self) -> bool:
        """Whether all benchmarks are of worlds."""
        return all(benchmark.world is not None for benchmark in self.study.benchmarks)

    @property
    def original(self) -> pd.DataFrame:
        """The bias scores of sentences in their original order."""
        return self.bias[self.bias["variant"] == ORIGINAL]

    @property
    def overall(self) -> pd.DataFrame:
        """Those over all pairs of a benchmark."""
        return self.original[self.original["grouping"] == OVERALL]

    def corrected(self, *groupings: str, variant: str = ORIGINAL) -> pd.DataFrame:
        """The scores of some groupings, protocol corrected, with the title of the measure and the ends of the
        interval, as they are read.

        Without those that are undefined of all pairs, and without those by bias type where a benchmark has
        one type, which repeat the score over all pairs.
        """
        rows = self.bias[(self.bias["variant"] == variant) & self.bias["score"].notna()]
        rows = rows[(rows["protocol"] == CORRECTED) & rows["grouping"].isin(groupings)]
        of_types = rows[rows["grouping"] == BIAS_TYPE]
        types = of_types.groupby(["model", "benchmark"], observed=True)["group"].transform("nunique")
        rows = rows.drop(index=types.index[types == 1])
        texts = [interval(row.low, row.high, apart=NO_PREFERENCE) for row in rows_of(rows)]
        ends = pd.Series(texts, rows.index, dtype=object).where(rows["low"].notna(), None)
        return rows.assign(title=rows["measure"].map(title_of), ends=ends)


def shared_things(clusters: Iterable[str]) -> str:
    """What pairs may have in common and then vary together, in words."""
    names = {WORDS: "a modified word", TARGET: "a target", WRITER: "a writer"}
    kinds = dict.fromkeys(kind for joined in clusters for kind in joined.split("+") if kind != NO_CLUSTERS)
    return " or ".join(names[kind] for kind in kinds)


def sharing_pairs(clusters: Iterable[str]) -> str:
    """Which pairs vary together, in words."""
    things = shared_things(clusters)
    return f"pairs that share {things}" if things else "no two pairs"


# verdicts on scores

NO_CLEAR = "no clear preference"
BY_WORDS = "explainable by word choice"
CLEAR = "clear preference"
CANNOT_TELL = "cannot be told"
CONTROL = "control"

TESTABLE = (NO_CLEAR, BY_WORDS, CLEAR)
"""The verdicts on scores that can be tested."""

VERDICTS = (*TESTABLE, CANNOT_TELL, CONTROL)
"""In the order of their colours and shapes."""

MEANINGS: Mapping[str, str] = {
    NO_CLEAR: "the interval includes 50.",
    BY_WORDS: "the interval excludes 50, and the score lies in the band of word choice: the scores of a "
    "model that prefers words at random and ignores their meaning; or the score is as clear, on the same "
    "side, with the words of each sentence shuffled.",
    CLEAR: "the interval excludes 50, the score lies outside the band of word choice, and it is not as clear "
    "with the words of each sentence shuffled.",
    CANNOT_TELL: "there is no interval (too few different words, or all pairs tie), or the interval includes "
    "50 and would even if all pairs were decided alike, or it excludes 50 and there is no band.",
    CONTROL: "the measure sees no context, so its score gets no verdict.",
}
"""What each verdict means."""

MARKS: Mapping[str, str] = {CLEAR: "!", CANNOT_TELL: UNTESTABLE}
"""Beside scores in tables that have no column for verdicts."""


def verdicts(rows: pd.DataFrame) -> "pd.Series[str]":
    """The verdict on each score of a bias table (unmask.statistics.schema.BIAS), as MEANINGS has them.

    An end belongs to its interval. For 50 read the row's `neutral`, 0 of most differences. Shuffled words
    count in `with_controls` alone.
    """
    return pd.Series([_verdict(row) for row in rows_of(rows)], index=rows.index, dtype="str")


def _verdict(row: Any) -> str:
    if not sees_context(str(row.measure)):
        return CONTROL
    if pd.isna([row.score, row.low, row.high]).any():
        return CANNOT_TELL
    if not leaves_out(row.low, row.high, row.neutral):
        # of a difference nobody asks what the interval would be if all pairs were decided alike
        alike = row.unanimous_low
        return NO_CLEAR if pd.isna(alike) or leaves_out(alike, 100.0, row.neutral) else CANNOT_TELL
    if pd.isna([row.null_low, row.null_high]).any():
        return CANNOT_TELL
    return BY_WORDS if contains(row.null_low, row.null_high, row.score) else CLEAR


def can_be_tested(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on which there is a verdict: neither controls nor scores that cannot be tested."""
    return rows[rows["verdict"].isin(TESTABLE)]


def with_controls(rows: pd.DataFrame) -> pd.DataFrame:
    """A bias table in which no score is clear whose control is: the same measure prefers the same side as
    clearly where the words of each sentence are shuffled. Word choice explains such a score (BY_WORDS).

    rows: BIAS over the study, with the columns model, benchmark and verdict.
    """
    keys = ["model", "benchmark", "measure", "protocol", "grouping", "group"]
    side = (rows["score"].astype(float) > rows["neutral"]).rename("side")
    places = pd.MultiIndex.from_frame(pd.concat([rows[keys].astype(str), side], axis=1))
    clear, shuffled = rows["verdict"] == CLEAR, rows["variant"] == SHUFFLED
    explained = clear & ~shuffled & places.isin(places[clear & shuffled])
    return rows.assign(verdict=rows["verdict"].mask(explained, BY_WORDS))


def with_corrected_p(rows: pd.DataFrame, trained: Collection[str]) -> pd.DataFrame:
    """A bias table with p_holm, after Holm's correction over the testable scores of trained models over all
    pairs of a benchmark, protocol corrected, of sentences in their original order; null of others.

    rows: BIAS over the study, with the columns model and verdict.
    """
    family = (
        rows["verdict"].isin(TESTABLE)
        & rows["model"].isin(trained)
        & (rows["protocol"] == CORRECTED)
        & (rows["grouping"] == OVERALL)
        & (rows["variant"] == ORIGINAL)
    )
    return rows.assign(p_holm=holm_of_larger(rows, family))


def holm_of_larger(rows: pd.DataFrame, family: "pd.Series[bool]") -> Floats:
    """The larger of `p` and `null_p` after Holm's correction over a family, null elsewhere: a preference is
    clear only where neither the choice of pairs nor word choice explains it."""
    larger = rows[["p", "null_p"]].astype(float).max(axis=1, skipna=False)
    return step_down(larger.where(family).to_numpy(float))
