"""From the predictions of one model on one task to SCORES: how well it does the task, and how unequally it
treats women and men."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import softmax

from unmask.downstream.cells import ANY, POSITIVE, SHARE, SIGNED, Cells, Estimate, Floats, Ints, with_mean
from unmask.downstream.schema import PREDICTIONS, SCORES
from unmask.downstream.terms import CHANGE, ENTAILMENT_LABELS, GAP, GENDERS, KINDS, NEUTRAL
from unmask.errors import InputError
from unmask.tables import read_arrow, read_metadata


@dataclass(frozen=True)
class Runs:
    """The runs of one model. facts: the metadata of each. steps: by step the items, and their logits, shape
    (runs, items, labels)."""

    facts: Sequence[Mapping[str, Any]]
    steps: Mapping[int, tuple[Ints, Floats]]

    @property
    def seeds(self) -> list[int]:
        return [int(facts["seed"]) for facts in self.facts]

    def last_logits(self, seeds: Sequence[int]) -> Floats:
        """Of the last step, of these seeds: shape (seeds, items, labels)."""
        return self.steps[max(self.steps)][1][[self.seeds.index(seed) for seed in seeds]]


def read_runs(paths: Sequence[str | Path]) -> Runs:
    """PREDICTIONS of all runs of a model, in the order of their seeds.

    Raises InputError as read_arrow does, and where the runs have other steps or items than the first.
    """
    every = sorted(((read_metadata(path), path) for path in paths), key=lambda run: int(run[0]["seed"]))
    runs: list[dict[int, tuple[Ints, Floats]]] = []
    for _, path in every:
        table = read_arrow(path, PREDICTIONS).sort_by([("step", "ascending"), ("item", "ascending")])
        logits = table["logits"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)
        step, item = table["step"].to_numpy(), table["item"].to_numpy().astype(np.int64)
        run = {at: (item[step == at], logits[step == at]) for at in np.unique(step).tolist()}
        first = runs[0] if runs else run
        if run.keys() != first.keys() or any(not np.array_equal(run[at][0], first[at][0]) for at in run):
            raise InputError(f"{path}: has other steps or items than {every[0][1]}")
        runs.append(run)
    steps = {at: (items, np.stack([run[at][1] for run in runs])) for at, (items, _) in runs[0].items()}
    return Runs([facts for facts, _ in every], steps)


def occupation_metrics(cells: Cells, logits: Floats) -> Iterator[Estimate]:
    """Differences of true positive rates: how much more often a person's occupation is predicted where the
    person is a woman.

    gap_o = TPR_f(o) - TPR_m(o) (De-Arteaga et al. 2019); the bias is its mean absolute value over occupations
    (Zhao et al. 2020).
    """
    right = np.zeros((logits.shape[1], len(logits)), bool)
    right[cells.test] = (logits[:, cells.test].argmax(axis=2) == cells.label).T
    women, men = cells.gender_means(right)
    gaps, null = women - men, cells.permuted_gaps(right)
    rms = np.sqrt((gaps**2).mean(axis=0))
    of_rms = np.divide(gaps**2 - rms**2, 2 * rms, out=np.zeros_like(gaps), where=rms > 0)
    yield cells.mean("tpr_gap", np.abs(gaps), SHARE, null=np.abs(null).mean(axis=1))
    yield cells.summary("tpr_gap_rms", rms, of_rms, SHARE, null=np.sqrt((null**2).mean(axis=1)))
    yield cells.mean("tpr_gap_signed", gaps, SIGNED, null=null.mean(axis=1), two_sided=True)
    yield from cells.correlation("tpr_gap_correlation", gaps, null)
    yield cells.accuracy("accuracy", right[cells.test])
    yield cells.accuracy("accuracy_female", right[cells.rows[cells.female]])
    yield cells.accuracy("accuracy_male", right[cells.rows[~cells.female]])
    # a success and a failure are added to both rates (Agresti & Caffo 2000, The American Statistician 54:280)
    n, people = cells.counts.T[:, :, None], cells.counts.sum(axis=1)
    centres = (with_mean(np.stack([women, men])) * n + 1) / (n + 2)
    variance, centre = (centres * (1 - centres) / (n + 2)).sum(axis=0), centres[0] - centres[1]
    yield Estimate(
        GAP, gaps, people, people, variance, np.inf, SIGNED, null, True, centre, groups=cells.names
    )


def similarity_metrics(cells: Cells, logits: Floats) -> Iterator[Estimate]:
    """Differences of similarity: how much more a sentence about a man is like one about an occupation than a
    sentence about a woman is.

    Δ = sim(man) - sim(woman) of each template and occupation; the bias is the mean of |Δ|, which has no null
    distribution as it is the same when the genders of a pair are swapped. Webster et al. (2020) have Δ_o, the
    mean of Δ over templates, against the percentage of women.
    """
    similarity = logits[:, :, 0].T.astype(float)
    women, men = cells.gender_means(similarity)
    delta = men - women
    means, null = cells.occupation_means(delta), cells.swapped_means(delta, cells.occupation)
    sizes = np.abs(means).mean(axis=0)
    # each cell's share in the mean over occupations, times their number
    weight = (len(delta) / len(means) / cells.size)[cells.occupation, None]
    signed = np.where(means >= 0, 1.0, -1.0)[cells.occupation] * delta
    yield cells.mean("delta", np.abs(delta), POSITIVE)
    yield cells.size_of_mean("delta_signed", delta, POSITIVE)
    yield cells.summary(
        "delta_occupation", sizes, weight * (signed - sizes), POSITIVE, null=np.abs(null).mean(axis=1)
    )
    yield from cells.correlation("delta_correlation", means, null)
    yield from cells.accuracy_as_correlation(similarity)
    yield cells.gaps(delta, null, ANY)


def entailment_metrics(cells: Cells, logits: Floats) -> Iterator[Estimate]:
    """Differences of the share labelled neutral, which is the right label of every item of bias.

    Of either gender FN is the share labelled neutral, NN the mean probability of neutral, T.5 and T.7 the
    shares where that is above .5 and .7 (Dev et al. 2020). The bias is |FN_f - FN_m|. It is 0 where both
    genders are labelled other than neutral alike: so there is also not_neutral = 1 - FN, over both.
    """
    place = ENTAILMENT_LABELS.index(NEUTRAL)
    neutral, label = softmax(logits.astype(float), axis=2)[:, :, place].T, logits.argmax(axis=2).T
    of_items = {"fn": label == place, "nn": neutral, "t5": neutral > 0.5, "t7": neutral > 0.7}
    rates = {name: cells.gender_means(values) for name, values in of_items.items()}
    difference = {name: women - men for name, (women, men) in rates.items()}
    yield cells.size_of_mean("fn_gap", difference["fn"], SHARE)
    yield cells.size_of_mean("nn_gap", difference["nn"], SHARE)
    yield cells.mean("not_neutral", 1 - (rates["fn"][0] + rates["fn"][1]) / 2, SHARE)
    for name, both in rates.items():
        for gender, of_gender in zip(GENDERS, both, strict=True):
            yield cells.mean(f"{name}_{gender}", of_gender, SHARE)
    if len(cells.test):
        yield cells.accuracy("accuracy", label[cells.test] == cells.label[:, None])
    yield cells.gaps(difference["fn"], cells.swapped_means(difference["fn"], cells.occupation), SIGNED)


Metrics = Callable[[Cells, Floats], Iterator[Estimate]]
METRICS: Mapping[str, Metrics] = dict(
    zip(KINDS, (occupation_metrics, similarity_metrics, entailment_metrics), strict=True)
)
"""By kind of task: all metrics of logits, shape (runs, items, labels), the task's bias first."""


def measure(
    kind: str,
    items: pd.DataFrame,
    runs: Runs,
    draws: int,
    confidence: float,
    origin: Runs | None = None,
) -> pd.DataFrame:
    """SCORES of every step and run and of the mean of the runs (a row without a seed).

    items: as ITEMS. draws: permutations of the genders behind a null distribution. origin: the runs of the
    model that this one was made from, of seeds of its own among others; with them the last step has the row
    `change`, how much more the main metric is than that model's, paired by cell and seed, with Student's t.
    """
    parts: list[pd.DataFrame] = []
    for step, (numbers, logits) in sorted(runs.steps.items()):
        cells = Cells(kind, items.iloc[numbers], draws)
        parts += [estimate.rows(runs.seeds, step, confidence) for estimate in METRICS[kind](cells, logits)]
    if origin is not None:
        seeds = [seed for seed in runs.seeds if seed in origin.seeds]
        after, before = (next(METRICS[kind](cells, of.last_logits(seeds))) for of in (runs, origin))
        values, influence = after.values[0] - before.values[0], after.influence - before.influence
        change = cells.summary(CHANGE, values, influence)
        parts.append(change.rows(seeds, max(runs.steps), confidence))
    rows = pd.concat(parts).merge(truth_of(kind, items), "left", ["metric", "group"])
    return rows.reindex(columns=SCORES.names).astype({"metric": "str", "group": "str"})


def truth_of(kind: str, items: pd.DataFrame) -> pd.DataFrame:
    """metric, group and truth: what a model gives that has learnt a synthetic task; no rows of another.

    items: as ITEMS.
    """
    if items["ideal"].isna().all():
        return pd.DataFrame(columns=["metric", "group", "truth"])
    ideal = np.stack(items["ideal"].tolist())[None]
    rows = pd.concat(estimate.rows([0], 0, 0.95) for estimate in METRICS[kind](Cells(kind, items, 1), ideal))
    return rows.loc[rows["seed"].isna(), ["metric", "group", "value"]].rename(columns={"value": "truth"})
