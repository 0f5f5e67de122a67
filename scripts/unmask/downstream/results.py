"""What a study's results say of downstream tasks, read from its files."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.downstream.correlation import ModelRole
from unmask.downstream.schema import CORRELATIONS, WORD_COUNTS
from unmask.downstream.scores import TaskScores, bias_scores, read_task_scores
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE, CHANGE, MAIN
from unmask.loading import load_tables
from unmask.report.captions import Captions, load_captions
from unmask.report.published import read_published
from unmask.report.sheets import rows_of
from unmask.statistics.changes import changes, corrected, margins_of
from unmask.statistics.correction import holm
from unmask.statistics.decisions import of_bias_type
from unmask.statistics.schema import BIAS, BIAS_TYPE, OVERALL
from unmask.tables import framed, read_table
from unmask.terms import CORRECTED, ORIGINAL
from unmask.user_tables import Column, key

FEMININE, MASCULINE, ILPS, TAU = "feminine", "masculine", "ilps", "tau"

PUBLISHED_COLUMNS = (
    key("task", required=True),
    key("quantity", required=True, choices=(FEMININE, MASCULINE, ILPS, TAU)),
    key("measure"),
    key("benchmark"),
    key("when", choices=(BEFORE, AFTER)),
    Column("models", float),
    Column("alpha", float),
    Column("dagger", bool),
    Column("larger", bool),
)
"""The columns of resources/downstream/published.csv, the numbers that the paper prints.

Tasks go by the paper's names. TAU (Table 2): of so many models; benchmark: by its published name, empty
where it is not known which one; dagger: p is below alpha; larger: in bold, larger than before. The others are
of Table 1."""


@dataclass(frozen=True)
class DownstreamResults:
    """files: scores (SCORES of every model and task), words (WORD_COUNTS of every task), correlations,
    scores_before and scores_after (of pairs of sentences), pairs (of every benchmark), comparisons (of
    models, one a benchmark), bias (unmask.statistics.schema.BIAS of the models before), published, captions;
    all but scores and the last two may be empty. settings:
    models (name, family, and where they have them role and from), tasks (name, and published, what the
    paper calls one in Table 1 and in Table 2), benchmarks and
    measures (names), published (what the literature calls benchmarks, by name; not all have such a name),
    bias_type (of the pairs that count; None: all), alpha, confidence.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def roles(self) -> list[ModelRole]:
        """The models that were fine-tuned with their roles, in the order of the study."""
        return [ModelRole.from_config(entry) for entry in self.settings["models"]]

    @cached_property
    def models(self) -> list[str]:
        return [model.name for model in self.roles]

    @cached_property
    def origins(self) -> dict[str, str]:
        """The model that each debiased model was made from."""
        return {model.name: model.origin for model in self.roles if model.origin is not None}

    @cached_property
    def tasks(self) -> list[str]:
        """In the order of the study."""
        return [str(entry["name"]) for entry in self.settings["tasks"]]

    @property
    def benchmarks(self) -> list[str]:
        return [str(name) for name in self.settings["benchmarks"]]

    @property
    def measures(self) -> list[str]:
        return [str(name) for name in self.settings["measures"]]

    @property
    def alpha(self) -> float:
        return float(self.settings["alpha"])

    @property
    def bias_type(self) -> str | None:
        """Of the pairs that count; None where all do."""
        return self.settings.get("bias_type")

    def printed_names(self, task: str) -> tuple[str | None, str | None]:
        """What the paper calls a task, in Table 1 and in Table 2."""
        names = {str(entry["name"]): entry.get("published") for entry in self.settings["tasks"]}
        training, test = names.get(task) or (None, None)
        return training, test

    def printed_benchmark(self, benchmark: str) -> str | None:
        """What the literature calls a benchmark."""
        name: str | None = (self.settings.get("published") or {}).get(benchmark)
        return name

    def facts_of(self, task: str) -> Mapping[str, Any]:
        """The metadata of a task's scores, those of its first model; empty for a task without scores."""
        return next((facts for (name, _), facts in self.scores.facts.items() if name == task), {})

    def main_metric(self, task: str) -> str:
        """Raises KeyError for a task without scores."""
        return MAIN[str(self.facts_of(task)["kind"])]

    def truth(self, task: str) -> Mapping[str, float]:
        """Of a synthetic task, what a model that has learnt it gives, by metric."""
        truth: Mapping[str, float] = (self.facts_of(task).get("truth") or {}).get("metrics", {})
        return truth

    @cached_property
    def runs(self) -> dict[tuple[str, str], int]:
        """How often each model was fine-tuned on each task, by (task, model)."""
        seeds = self.scores.rows.dropna(subset=["seed"])
        runs = seeds[["task", "model", "seed"]].drop_duplicates()
        return dict(Counter(zip(runs["task"].map(str), runs["model"].map(str), strict=True)))

    def run_once(self, tasks: Collection[str]) -> bool:
        """Whether some model was fine-tuned once on one of the tasks: nothing is known of its other seeds."""
        return any(runs == 1 for (task, _), runs in self.runs.items() if task in tasks)

    def remarks(self) -> list[str]:
        """What the tables say of what was left out, each with its task; once where all models say it."""
        remarks = [
            f"{task}: {remark}"
            for (task, _), facts in self.scores.facts.items()
            for remark in facts.get("remarks") or []
        ]
        if self.bias_type:
            why = f"has no pairs of the bias type {self.bias_type}"
            remarks += [
                f"{benchmark}: {why}, so the bias scores are those of all its pairs"
                for benchmark, bias_type in self._bias_types.items()
                if bias_type is None
            ]
        return list(dict.fromkeys(remarks))

    @cached_property
    def _bias_types(self) -> dict[str, str | None]:
        """The bias type of the pairs that count, by benchmark; None where all do."""
        paths = map(Path, self._paths("pairs"))
        return {path.stem: of_bias_type(read_table(path, PAIRS), self.bias_type)[1] for path in paths}

    def _paths(self, name: str) -> list[str]:
        return self.files.get(name) or []

    @cached_property
    def scores(self) -> TaskScores:
        """In the order of tasks, and then of models; what is not of the study is left out."""
        scores = read_task_scores(self.files["scores"], {"task": self.tasks, "model": self.models})
        keys = [(task, model) for task in self.tasks for model in self.models]
        return TaskScores(scores.rows, {key: scores.facts[key] for key in keys if key in scores.facts})

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main metric of every model and task, with p_holm over the models of a task."""
        return holm(self.scores.main(), ["task"])

    @cached_property
    def changes_in_use(self) -> pd.DataFrame:
        """The rows `change` of every debiased model and task, with p_holm over all of them: the report counts
        them together."""
        rows = self.scores.overall()
        return holm(rows[rows["metric"] == CHANGE], ["metric"])

    @cached_property
    def changes_of_scores(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ (unmask.statistics.changes).

        p_holm is over all of them but controls: the report counts them together.
        """
        rows = changes(self._paths("comparisons"), self.origins, self.measures, CORRECTED)
        return corrected(rows, ["protocol"])

    @cached_property
    def margins(self) -> pd.DataFrame:
        """The margins of the models as they were (unmask.statistics.changes.margins_of)."""
        pairs = self._paths("pairs")
        scores = self._paths("scores_before") if pairs else []
        return margins_of(scores, pairs, self.measures, self.bias_type)

    @cached_property
    def scores_before(self) -> pd.DataFrame:
        """Bias scores of the models as they were, over all pairs and over those of the bias type."""
        return self._bias_scores("scores_before")

    @cached_property
    def scores_after(self) -> pd.DataFrame:
        """The same of the models after fine-tuning, called {model}@{task}."""
        return self._bias_scores("scores_after")

    def _bias_scores(self, name: str) -> pd.DataFrame:
        return bias_scores(self._paths(name), self.measures, self._paths("pairs"), self.bias_type)

    @cached_property
    def before(self) -> pd.DataFrame:
        """`scores_before` over the pairs that count."""
        return self.that_count(self.scores_before)

    @cached_property
    def after(self) -> pd.DataFrame:
        """`scores_after` over the pairs that count."""
        return self.that_count(self.scores_after)

    def that_count(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows (with benchmark and pairs) on the pairs of the bias type, where the benchmark has such;
        else those on all pairs."""
        counted = rows["benchmark"].map(lambda name: self._bias_types.get(name) or ALL_PAIRS)
        return rows[rows["pairs"] == counted]

    @cached_property
    def intervals(self) -> dict[tuple[str, str, str], tuple[float, float]]:
        """Of the bias scores of the models as they were, by model, benchmark and measure: the interval that
        allows for pairs that vary together, over the pairs that count; none where it is not known."""
        rows = load_tables(self._paths("bias"), BIAS, "model", "benchmark")
        rows = rows[(rows["variant"] == ORIGINAL) & (rows["protocol"] == CORRECTED) & rows["low"].notna()]
        ends = {}
        for row in rows_of(rows):
            bias_type = self._bias_types.get(str(row.benchmark))
            group = (OVERALL, "all") if bias_type is None else (BIAS_TYPE, bias_type)
            if (row.grouping, row.group) == group:
                ends[str(row.model), str(row.benchmark), str(row.measure)] = float(row.low), float(row.high)
        return ends

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """CORRELATIONS."""
        path = self.files.get("correlations")
        return read_table(path, CORRELATIONS) if path else framed([], CORRELATIONS)

    @cached_property
    def words(self) -> pd.DataFrame:
        """WORD_COUNTS of all tasks, in their order."""
        return load_tables(self._paths("words"), WORD_COUNTS, "task", order={"task": self.tasks})

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (PUBLISHED_COLUMNS)."""
        return read_published(self.files["published"], PUBLISHED_COLUMNS)

    @cached_property
    def captions(self) -> Captions:
        draws = {facts.get("draws") for facts in self.scores.facts.values()}
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            printed_alpha=f"{self.published['alpha'].max():g}",
            draws=" or ".join(str(one) for one in sorted(draws, key=str)) or "0",
        )


def printed_words(published: pd.DataFrame, task: str | None) -> dict[str, Any]:
    """The rows of the paper's Table 1 for a task by quantity; none for None."""
    rows = published[(published["task"] == task) & (published["quantity"] != TAU)]
    return {row.quantity: row for row in rows_of(rows)}


def printed_taus(published: pd.DataFrame) -> dict[tuple[str | None, str, str, str | None], Any]:
    """The rows of its Table 2 by task, measure, when and benchmark, which is None where it is not known."""
    return {
        (row.task, row.measure, row.when, None if pd.isna(row.benchmark) else row.benchmark): row
        for row in rows_of(published[published["quantity"] == TAU])
    }
