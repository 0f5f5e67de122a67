"""What a study's results say of downstream tasks, read from its files."""

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.downstream.correlation import ModelRole
from unmask.downstream.schema import CORRELATIONS, SCORES, WORD_COUNTS
from unmask.downstream.scores import intrinsic_scores, last_step, main_metrics, overall
from unmask.downstream.terms import AFTER, ALL_PAIRS, BEFORE, CHANGE, GAP, MAIN
from unmask.report.captions import Captions, load_captions
from unmask.report.published import doubts, read_published
from unmask.statistics.changes import changes
from unmask.statistics.ranks import holm
from unmask.study_results import facts_by, load_tables
from unmask.tables import framed, read_table
from unmask.terms import CORRECTED

FEMININE, MASCULINE, ILPS, TAU = "feminine", "masculine", "ilps", "tau"


class DownstreamResults:
    """files: scores (SCORES of every model and task), words (WORD_COUNTS of every task), correlations,
    bias_before and bias_after (unmask.statistics.schema.BIAS of the models as they were and after
    fine-tuning, where they are called {model}@{task}), comparisons (of models, one a benchmark), published,
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
        self.tasks: list[str] = [entry["name"] for entry in settings["tasks"]]
        self.printed_names = {entry["name"]: entry.get("published") for entry in settings["tasks"]}

    def printed_name(self, task: str, table: int) -> str | None:
        """What the paper calls a task in its Table 1 or 2."""
        names = self.printed_names[task]
        return str(names[table - 1]) if names else None

    @cached_property
    def facts(self) -> dict[tuple[str, ...], dict[str, Any]]:
        """The metadata of each table of scores by task and model, in their order."""
        every = facts_by(self.files["scores"], "task", "model")
        keys = [(task, model) for task in self.tasks for model in self.models]
        return {each: every[each] for each in keys if each in every}

    @cached_property
    def every_step(self) -> pd.DataFrame:
        """SCORES of all models and tasks, in the order of tasks and then of models."""
        order = {"task": self.tasks, "model": self.models}
        return load_tables(self.files["scores"], SCORES, "model", "task", order=order)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Of these those of the last step, with truth, what a model gives that has learnt a synthetic task,
        and runs, how often the model was fine-tuned."""
        rows = last_step(self.every_step)
        truth, runs = [], []
        for task, model, metric, group in rows[["task", "model", "metric", "group"]].itertuples(index=False):
            facts = self.facts[task, model]
            of_task = facts["truth"] or {"metrics": {}, "groups": {}}
            truth.append(of_task["groups"].get(group) if metric == GAP else of_task["metrics"].get(metric))
            runs.append(len(facts["runs"]))
        columns = {"truth": pd.Series(truth, rows.index, float), "runs": pd.Series(runs, rows.index, "Int64")}
        return rows.assign(**columns)

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main metric of every model and task, with p_holm over the models of a task."""
        return holm(main_metrics(self.scores), ["task"])

    def main_metric(self, task: str) -> str:
        """Raises KeyError for a task without scores."""
        return MAIN[{of: str(facts["kind"]) for (of, _), facts in self.facts.items()}[task]]

    @cached_property
    def changes(self) -> pd.DataFrame:
        """How much more extrinsic bias every debiased model has than its origin on every task, with p_holm
        over all of them: the report counts them together."""
        rows = overall(self.scores)
        return holm(rows[rows["metric"] == CHANGE], ["metric"])

    def run_once(self, tasks: Collection[str]) -> bool:
        """Whether some model was fine-tuned once on one of the tasks: nothing is known of its other seeds."""
        return bool(self.scores.loc[self.scores["task"].isin(tasks), "runs"].eq(1).any())

    def remarks(self) -> list[str]:
        """What the tables say of what was left out, each with its task; once where all models say it."""
        remarks = [f"{task}: {remark}" for (task, _), of in self.facts.items() for remark in of["remarks"]]
        for name in self.intrinsic[BEFORE]["benchmark"].unique() if self.bias_type else ():
            if name not in self._of_type:
                why = f"has no pairs of the bias type {self.bias_type}"
                remarks.append(f"{name}: {why}, so the bias scores are those of all its pairs")
        return list(dict.fromkeys(remarks))

    @cached_property
    def intrinsic(self) -> Mapping[str, pd.DataFrame]:
        """Corrected bias scores (`intrinsic_scores`) of the models as they were (BEFORE) and after
        fine-tuning (AFTER)."""
        files = {BEFORE: self.files.get("bias_before") or [], AFTER: self.files.get("bias_after") or []}
        scores = {
            when: intrinsic_scores(paths, self.measures, self.bias_type) for when, paths in files.items()
        }
        return {when: rows[rows["protocol"] == CORRECTED] for when, rows in scores.items()}

    @cached_property
    def _of_type(self) -> set[str]:
        """The benchmarks with pairs of the bias type."""
        rows = self.intrinsic[BEFORE]
        return set(rows.loc[rows["pairs"] == self.bias_type, "benchmark"])

    def that_count(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows (with benchmark and pairs) on the pairs of the bias type, where the benchmark has such;
        else those on all pairs."""
        counted = rows["benchmark"].map(lambda name: self.bias_type if name in self._of_type else ALL_PAIRS)
        return rows[rows["pairs"] == counted]

    @cached_property
    def changes_of_scores(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ from those of their origins (statistics.changes)."""
        return changes(self.files.get("comparisons") or [], self.origins, self.measures, CORRECTED)

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """CORRELATIONS."""
        path = self.files.get("correlations")
        return read_table(path, CORRELATIONS) if path else framed([], CORRELATIONS)

    @cached_property
    def words(self) -> pd.DataFrame:
        """WORD_COUNTS of all tasks, in their order."""
        return load_tables(self.files.get("words") or [], WORD_COUNTS, "task", order={"task": self.tasks})

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (resources/downstream/published.csv); tasks have the paper's names.

        TAU (Table 2): of so many models; benchmark: by its published name, null where it is not known which
        one; dagger: p is below alpha; larger: in bold, larger than before. The others are of Table 1.
        """
        return read_published(self.files["published"])

    @cached_property
    def captions(self) -> Captions:
        draws = {str(facts["draws"]) for facts in self.facts.values()}
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            printed_alpha=f"{self.published['alpha'].max():g}",
            draws=" or ".join(sorted(draws)) or "0",
            doubts="; ".join(doubts(self.published)),
            remarks="; ".join(self.remarks()) or "none.",
        )
