"""What a study's results say of downstream tasks, read from its files."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from unmask.downstream.correlation import ModelRole, intrinsic_scores, is_overall, last_step, main_metrics
from unmask.downstream.schema import CORRELATIONS, SCORES, WORD_COUNTS
from unmask.downstream.terms import ALL_PAIRS, CHANGE
from unmask.report.study_results import doubts, facts_by, load_tables, read_published
from unmask.report.tables import in_order
from unmask.report.wording import Captions, load_captions
from unmask.statistics.comparisons import changes
from unmask.statistics.schema import COMPARISONS
from unmask.statistics.uncertainty import holm
from unmask.tables import framed, read_table
from unmask.terms import CORRECTED


class DownstreamResults:
    """files: scores (SCORES of every model and task), words (WORD_COUNTS of every task), correlations,
    bias_before (unmask.statistics.schema.BIAS of the models as they were), comparisons (of models, one a
    benchmark), published, captions; all but scores and the last two may be empty.

    settings: models (as ModelRole), tasks (name, and published: what the paper calls one in Table 1 and in
    Table 2), benchmarks and measures (names), published (what the literature calls benchmarks, by name; not
    all have such a name), bias_type (of the pairs that count), draws, alpha,
    confidence.
    """

    def __init__(self, files: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
        self.files, self.settings = files, settings
        self.alpha: float = settings["alpha"]
        self.bias_type: str = settings["bias_type"]
        self.benchmarks: list[str] = settings["benchmarks"]
        self.measures: list[str] = settings["measures"]
        self.known_as: Mapping[str, str] = settings.get("published") or {}
        self.roles = [ModelRole(**entry) for entry in settings["models"]]
        self.models = [model.name for model in self.roles]
        self.methods = {model.name: model.role for model in self.roles}
        self.tasks: list[str] = [entry["name"] for entry in settings["tasks"]]

    def printed_name(self, task: str, table: int) -> str | None:
        """What the paper calls a task in its Table 1 or 2."""
        (names,) = (of.get("published") for of in self.settings["tasks"] if of["name"] == task)
        return str(names[table - 1]) if names else None

    @cached_property
    def every_step(self) -> pd.DataFrame:
        """SCORES of all models and tasks, in the order of tasks and then of models."""
        return load_tables(self.files["scores"], SCORES, "model", "task")

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Of these those of the last step, with runs, how often the model was fine-tuned."""
        rows = last_step(self.every_step)
        return rows.assign(runs=rows.groupby(["task", "model"])["seed"].transform("nunique"))

    def metric(self, name: str) -> pd.DataFrame:
        """Of these one metric, means over the runs of all occupations together."""
        return self.scores[self.scores["metric"].eq(name) & is_overall(self.scores)]

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main metric of every model and task, with p_holm over the models of a task."""
        return holm(main_metrics(self.scores), ["task"])

    @cached_property
    def changes(self) -> pd.DataFrame:
        """How much more extrinsic bias every debiased model has than its origin on every task, the bias of
        both, and p_holm over all of them, as the report counts them together."""
        rows, bias = self.metric(CHANGE), self.main.set_index(["task", "model"])["value"]
        rows = rows.assign(origin=rows["model"].map({of.name: of.origin for of in self.roles}))
        keys = [pd.MultiIndex.from_frame(rows[["task", model]]) for model in ("origin", "model")]
        before, after = (bias.reindex(each).to_numpy() for each in keys)
        rows = rows.assign(method=rows["model"].map(self.methods), before=before, after=after)
        return holm(rows, ["metric"])

    @cached_property
    def run_once(self) -> list[str]:
        """The tasks that some model was fine-tuned on once: nothing is known of its other seeds."""
        once = set(self.scores.loc[self.scores["runs"] == 1, "task"])
        return [task for task in self.tasks if task in once]

    def remarks(self) -> list[str]:
        """What the tables say of what was left out, each with its task; once where all models say it."""
        facts = facts_by(self.files["scores"], "task", "model")
        remarks = [f"{task}: {remark}" for (task, _), of in facts.items() for remark in of["remarks"]]
        counted = self.that_count(self.intrinsic)
        why = f"has no pairs of the bias type {self.bias_type}, so its bias scores are those of all pairs"
        remarks += [f"{name}: {why}" for name in counted.loc[counted["pairs"] == ALL_PAIRS, "benchmark"]]
        return list(dict.fromkeys(remarks))

    @cached_property
    def intrinsic(self) -> pd.DataFrame:
        """Corrected bias scores (`intrinsic_scores`) of the models as they were."""
        rows = intrinsic_scores(self.files.get("bias_before") or [], self.measures, self.bias_type)
        return rows[rows["protocol"] == CORRECTED]

    def that_count(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows (with benchmark and pairs) on the pairs of the bias type, where the benchmark has such;
        else those on all pairs."""
        of_type = rows["pairs"].where(rows["pairs"] == self.bias_type)
        counted = of_type.groupby(rows["benchmark"]).transform("first").fillna(ALL_PAIRS)
        return rows[rows["pairs"] == counted]

    @cached_property
    def changes_of_scores(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ from those of their origins (`changes`)."""
        origins = {model.name: model.origin for model in self.roles if model.origin is not None}
        rows = load_tables(self.files.get("comparisons") or [], COMPARISONS, "benchmark")
        return changes(in_order(rows, measure=self.measures), origins, CORRECTED)

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """CORRELATIONS."""
        path = self.files.get("correlations")
        return read_table(path, CORRELATIONS) if path else framed([], CORRELATIONS)

    @cached_property
    def words(self) -> pd.DataFrame:
        """WORD_COUNTS of all tasks, in their order."""
        return load_tables(self.files.get("words") or [], WORD_COUNTS, "task")

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (resources/downstream/published.csv says what each column is); tasks have its
        names. The quantity tau is of Table 2, the others of Table 1."""
        return read_published(self.files["published"])

    @cached_property
    def captions(self) -> Captions:
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            printed_alpha=f"{self.published['alpha'].max():g}",
            draws=str(self.settings["draws"]),
            doubts="; ".join(doubts(self.published)),
            remarks="; ".join(self.remarks()) or "none.",
        )
