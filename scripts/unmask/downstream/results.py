"""What a study's results say of downstream tasks, read from its files."""

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.downstream.correlation import ModelRole
from unmask.downstream.schema import CORRELATIONS, SCORES, WORD_COUNTS
from unmask.downstream.scores import bias_scores, last_step, main_metrics, overall, pairs_of_type
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE, CHANGE, MAIN
from unmask.report.captions import Captions, load_captions
from unmask.report.published import read_published
from unmask.statistics.changes import changes
from unmask.statistics.ranks import holm
from unmask.statistics.schema import BIAS
from unmask.study_results import facts_by, load_tables
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

Tasks have the paper's names. TAU (Table 2): of so many models; benchmark: by its published name, empty where
it is not known which one; dagger: p is below alpha; larger: in bold, larger than before. The others are of
Table 1."""


class DownstreamResults:
    """files: scores (SCORES of every model and task), words (WORD_COUNTS of every task), correlations,
    scores_before and scores_after (of pairs of sentences), pairs (of every benchmark), comparisons (of
    models, one a benchmark), bias (unmask.statistics.schema.BIAS of the models before), published,
    captions; all but scores and the last two may be empty.

    settings: models (as ModelRole), tasks (name, and published: what the paper calls one in Table 1 and in
    Table 2), benchmarks and measures (names), published (what the literature calls benchmarks, by name; not
    all have such a name), bias_type (of the pairs that count; None: all), alpha, confidence.
    """

    def __init__(self, files: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.files, self.settings = files, settings
        self.alpha: float = settings["alpha"]
        self.bias_type: str | None = settings.get("bias_type")
        self.benchmarks: list[str] = settings["benchmarks"]
        self.measures: list[str] = settings["measures"]
        self.known_as: Mapping[str, str] = settings.get("published") or {}
        self.roles = [ModelRole(**entry) for entry in settings["models"]]
        self.models = [model.name for model in self.roles]
        self.origins = {model.name: model.origin for model in self.roles if model.origin is not None}
        self.printed_names = {entry["name"]: entry.get("published") for entry in settings["tasks"]}
        self.tasks: list[str] = list(self.printed_names)

    def _paths(self, name: str) -> list[str]:
        return self.files.get(name) or []

    def printed_name(self, task: str, table: int) -> str | None:
        """What the paper calls a task in its Table 1 or 2."""
        names = self.printed_names[task]
        return str(names[table - 1]) if names else None

    @cached_property
    def facts(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """The metadata of each table of scores by task and model, in their order."""
        every = facts_by(self._paths("scores"), "task", "model")
        keys = [(task, model) for task in self.tasks for model in self.models]
        return {each: every[each] for each in keys if each in every}

    @cached_property
    def facts_of_task(self) -> dict[str, dict[str, Any]]:
        """Those of one of its models, by task."""
        return {task: facts for (task, _), facts in self.facts.items()}

    def main_metric(self, task: str) -> str:
        """Raises KeyError for a task without scores."""
        return MAIN[str(self.facts_of_task[task]["kind"])]

    def truth(self, task: str, of: str = "metrics") -> Mapping[str, float]:
        """Of a synthetic task, what a model that has learnt it gives: `metrics`, or the gaps of `groups`."""
        truth: Mapping[str, float] = (self.facts_of_task[task].get("truth") or {}).get(of, {})
        return truth

    @cached_property
    def every_step(self) -> pd.DataFrame:
        """SCORES of all models and tasks, in the order of tasks and then of models."""
        order = {"task": self.tasks, "model": self.models}
        return load_tables(self.files["scores"], SCORES, "model", "task", order=order)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Of these those of the last step."""
        return last_step(self.every_step)

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main metric of every model and task, with p_holm over the models of a task."""
        return holm(main_metrics(self.scores), ["task"])

    @cached_property
    def changes(self) -> pd.DataFrame:
        """How much more extrinsic bias every debiased model has than its origin on every task, with p_holm
        over all of them: the report counts them together."""
        rows = overall(self.scores)
        return holm(rows[rows["metric"] == CHANGE], ["metric"])

    @cached_property
    def runs(self) -> dict[tuple[str, ...], int]:
        """How often each model was fine-tuned on each task, by (task, model)."""
        return {key: len(facts["runs"]) for key, facts in self.facts.items()}

    def run_once(self, tasks: Collection[str]) -> bool:
        """Whether some model was fine-tuned once on one of the tasks: nothing is known of its other seeds."""
        return any(runs == 1 for (task, _), runs in self.runs.items() if task in tasks)

    def remarks(self) -> list[str]:
        """What the tables say of what was left out, each with its task; once where all models say it."""
        remarks = [
            f"{task}: {remark}" for (task, _), of in self.facts.items() for remark in of.get("remarks") or []
        ]
        names = [Path(path).stem for path in self._paths("pairs") if self.bias_type]
        remarks += [
            f"{name}: has no pairs of the bias type {self.bias_type}, so the bias scores are those of all "
            "its pairs"
            for name in names
            if name not in self._of_type
        ]
        return list(dict.fromkeys(remarks))

    @cached_property
    def _of_type(self) -> dict[str, pd.DataFrame]:
        return pairs_of_type(self._paths("pairs"), self.bias_type)

    def that_count(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows (with benchmark and pairs) on the pairs of the bias type, where the benchmark has such;
        else those on all pairs."""
        counted = rows["benchmark"].map(lambda name: self.bias_type if name in self._of_type else ALL_PAIRS)
        return rows[rows["pairs"] == counted]

    @cached_property
    def intrinsic(self) -> Mapping[str, pd.DataFrame]:
        """Corrected bias scores of the models as they were (BEFORE) and after fine-tuning (AFTER), where
        they are called {model}@{task}."""
        files = {BEFORE: self._paths("scores_before"), AFTER: self._paths("scores_after")}
        scores = {
            when: bias_scores(paths, self.measures, self._paths("pairs"), self.bias_type)
            for when, paths in files.items()
        }
        return {when: rows[rows["protocol"] == CORRECTED] for when, rows in scores.items()}

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """low and high of the bias scores of the models as they were, over the pairs that count, which
        allow for pairs that vary together; model, benchmark, measure."""
        rows = load_tables(self._paths("bias"), BIAS, "model", "benchmark")
        rows = rows[(rows["variant"] == ORIGINAL) & (rows["protocol"] == CORRECTED)]
        groups = {"all": ALL_PAIRS, self.bias_type: self.bias_type}
        rows = self.that_count(rows.assign(pairs=rows["group"].map(groups)))
        return rows[["model", "benchmark", "measure", "low", "high"]]

    @cached_property
    def changes_of_scores(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ from those of their origins (statistics.changes)."""
        return changes(self._paths("comparisons"), self.origins, self.measures, CORRECTED)

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
        draws = {str(facts.get("draws")) for facts in self.facts.values()}
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            printed_alpha=f"{self.published['alpha'].max():g}",
            draws=" or ".join(sorted(draws)) or "0",
        )
