"""What a study has found of downstream tasks, out of its files."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.benchmarks.schema import PAIRS
from unmask.downstream.collected import Collected, collect
from unmask.downstream.correlating import Member
from unmask.downstream.intrinsic import bias_scores
from unmask.downstream.published import COLUMNS
from unmask.downstream.schema import CORRELATIONS, WORD_COUNTS
from unmask.downstream.terms import CHANGE, MAIN, PUBLISHED_NAMES
from unmask.loading import load_tables
from unmask.report.captions import Captions, load_captions
from unmask.report.published import read_published
from unmask.report.sheets import rows_of
from unmask.statistics.changes import changes, corrected
from unmask.statistics.correction import holm
from unmask.statistics.decisions import of_bias_type
from unmask.statistics.margins import Margins, margins_of
from unmask.statistics.schema import BIAS, BIAS_TYPE, OVERALL
from unmask.tables import framed, read_table
from unmask.terms import CORRECTED, ORIGINAL


@dataclass(frozen=True)
class Found:
    """files: scores (SCORES of every model and task), words (WORD_COUNTS of every task), correlations,
    scores_before and scores_after (of pairs of sentences), pairs (of every benchmark), comparisons (of
    models, one a benchmark), bias (unmask.statistics.schema.BIAS of the models before), published, captions;
    all but scores and the last two may be empty. settings:
    models (name, family, and where they have them role and from), tasks (name, format), benchmarks and
    measures (names), published (what the literature calls benchmarks, by name; not all have such a name),
    bias_type (of the pairs that count; None: all), alpha, confidence.
    """

    files: Mapping[str, Any]
    settings: Mapping[str, Any]

    @cached_property
    def members(self) -> list[Member]:
        """The models that were fine-tuned, in the order of the study."""
        return [Member.from_config(entry) for entry in self.settings["models"]]

    @cached_property
    def models(self) -> list[str]:
        return [member.name for member in self.members]

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

    def printed_names(self, task: str) -> tuple[str | None, str | None]:
        """What the paper calls a task, in Table 1 and in Table 2."""
        formats = {str(entry["name"]): entry.get("format") for entry in self.settings["tasks"]}
        return PUBLISHED_NAMES.get(str(formats.get(task)), (None, None))

    def printed_benchmark(self, benchmark: str) -> str | None:
        """What the literature calls a benchmark."""
        name: str | None = (self.settings.get("published") or {}).get(benchmark)
        return name

    def kind(self, task: str) -> str:
        """What models are fine-tuned for. Raises KeyError for a task without scores."""
        return next(str(facts["kind"]) for (name, _), facts in self.collected.facts.items() if name == task)

    def main_metric(self, task: str) -> str:
        return MAIN[self.kind(task)]

    def truth(self, task: str) -> Mapping[str, float]:
        """Of a made task, what a model that has learnt it gives, by metric."""
        truths = [f.get("truth") or {} for (name, _), f in self.collected.facts.items() if name == task]
        return truths[0].get("metrics", {}) if truths else {}

    @cached_property
    def runs(self) -> dict[tuple[str, str], int]:
        """How often each model was fine-tuned on each task, by (task, model)."""
        seeds = self.collected.rows.dropna(subset=["seed"])
        runs = seeds[["task", "model", "seed"]].drop_duplicates()
        return dict(Counter(zip(runs["task"].map(str), runs["model"].map(str), strict=True)))

    def run_once(self, tasks: Collection[str]) -> bool:
        """Whether some model was fine-tuned once on one of the tasks: nothing is known of its other seeds."""
        return any(many == 1 for (task, _), many in self.runs.items() if task in tasks)

    def remarks(self) -> list[str]:
        """What the tables say of what was left out, each with its task; once where all models say it."""
        found: dict[str, None] = {}
        for (task, _), facts in self.collected.facts.items():
            for remark in facts.get("remarks") or []:
                found[f"{task}: {remark}"] = None
        return [*found, *self._without_the_bias_type()]

    def _without_the_bias_type(self) -> list[str]:
        """What there is to say of benchmarks all of whose pairs count."""
        wanted = self.settings.get("bias_type")
        paths = self.files.get("pairs") or []
        lacking = [
            Path(path).stem for path in paths if of_bias_type(read_table(path, PAIRS), wanted)[1] is None
        ]
        why = f"has no pairs of the bias type {wanted}, so the bias scores are those of all its pairs"
        return [f"{name}: {why}" for name in lacking] if wanted else []

    @cached_property
    def collected(self) -> Collected:
        """In the order of tasks, and then of models; what is not of the study is left out."""
        known = collect(self.files["scores"], {"task": self.tasks, "model": self.models})
        keys = [(task, model) for task in self.tasks for model in self.models]
        return Collected(known.rows, {key: known.facts[key] for key in keys if key in known.facts})

    @cached_property
    def main(self) -> pd.DataFrame:
        """The main metric of every model and task, with p_holm over the models of a task."""
        return holm(self.collected.main(), ["task"])

    @cached_property
    def changes_in_use(self) -> pd.DataFrame:
        """The rows `change` of every debiased model and task, with p_holm over all of them: the report counts
        them together."""
        rows = self.collected.last()
        return holm(rows[rows["metric"] == CHANGE], ["metric"])

    @cached_property
    def changes_of_scores(self) -> pd.DataFrame:
        """How the bias scores of debiased models differ (unmask.statistics.changes).

        p_holm is over all of them but controls: the report counts them together.
        """
        origins = {m.name: m.origin for m in self.members if m.origin is not None}
        found = changes(self.files.get("comparisons") or [], origins, self.measures, CORRECTED)
        return corrected(found, ["protocol"])

    @cached_property
    def margins(self) -> Margins:
        """The margins of the models as they were."""
        scores, pairs = (self.files.get(each) or [] for each in ("scores_before", "pairs"))
        return margins_of(scores, pairs, self.measures, self.settings.get("bias_type")) if pairs else {}

    @cached_property
    def before(self) -> pd.DataFrame:
        """Bias scores of the models as they were."""
        return self._bias_scores("scores_before")

    @cached_property
    def after(self) -> pd.DataFrame:
        """Bias scores of the models after fine-tuning, called {model}@{task}."""
        return self._bias_scores("scores_after")

    def _bias_scores(self, name: str) -> pd.DataFrame:
        scores, pairs = (self.files.get(each) or [] for each in (name, "pairs"))
        return bias_scores(scores, self.measures, pairs, self.settings.get("bias_type"))

    @cached_property
    def intervals(self) -> dict[tuple[str, str, str], tuple[float, float]]:
        """Of the bias scores of the models as they were, by model, benchmark and measure: the interval that
        allows for pairs that vary together, over the pairs that count; none where it is not known."""
        wanted = self.settings.get("bias_type")
        chosen = {
            Path(path).stem: of_bias_type(read_table(path, PAIRS), wanted)[1]
            for path in self.files.get("pairs") or []
        }
        rows = load_tables(self.files.get("bias") or [], BIAS, "model", "benchmark")
        rows = rows[(rows["variant"] == ORIGINAL) & (rows["protocol"] == CORRECTED) & rows["low"].notna()]
        ends = {}
        for row in rows_of(rows):
            bias_type = chosen.get(str(row.benchmark))
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
        return load_tables(self.files.get("words") or [], WORD_COUNTS, "task", order={"task": self.tasks})

    @cached_property
    def published(self) -> pd.DataFrame:
        """What the paper prints (unmask.downstream.published.COLUMNS)."""
        return read_published(self.files["published"], COLUMNS)

    @cached_property
    def captions(self) -> Captions:
        draws = {facts.get("draws") for facts in self.collected.facts.values()}
        return load_captions(
            self.files["captions"],
            alpha=f"{self.alpha:g}",
            confidence=f"{100 * self.settings['confidence']:g}",
            printed_alpha=f"{self.published['alpha'].max():g}",
            draws=" or ".join(str(one) for one in sorted(draws, key=str)) or "0",
        )
