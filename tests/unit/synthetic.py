"""Made-up tables that fit the schemas: pairs, evidence and scores of a model that never was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from library import EVIDENCE, Captions, PairResults, compute, decisions, flaws_table
from study_schema import MEASURES

RESOURCES = Path(__file__).parents[2] / "resources" / "pairs"
BIAS_TYPES = ("gender", "race-color", "age")
SHUFFLED_MEASURES = ("AUL", "AULA")
PAIR_ROLES = ("stereotype", "antistereotype")
NEAR = 1e-4
"""A margin no farther than this from zero is a near-tie, unless it is zero: then the sentences are equal."""


@dataclass(frozen=True)
class Synthetic:
    """The tables of one model on one benchmark; evidence maps a masking to its table."""

    pairs: pd.DataFrame
    scores: pd.DataFrame
    shuffled_scores: pd.DataFrame
    evidence: dict[str, pd.DataFrame]
    shuffled: pd.DataFrame


def make_pairs(n: int, rng: np.random.Generator, rated: bool = True, directed: bool = True) -> pd.DataFrame:
    types = rng.choice(BIAS_TYPES, n)
    ratings: list[list[str | None] | None] = [
        [None if rng.random() < 0.25 else str(rng.choice([own, *BIAS_TYPES])) for _ in range(5)]
        for own in types
    ]
    return pd.DataFrame(
        {
            "pair_id": [f"p{i}" for i in range(n)],
            "bias_type": types,
            "stereotype": [f"sentence {i} of red{i % 23}" for i in range(n)],
            "antistereotype": [f"sentence {i} of blue{i % 17}" for i in range(n)],
            "unrelated": [f"sentence {i} of nothing" for i in range(n)],
            "direction": rng.choice(["stereo", "antistereo"], n, p=[0.7, 0.3]) if directed else None,
            "ratings": ratings if rated else None,
            "labels": None,
            "context": None,
            "target": [f"t{i // 3}" for i in range(n)],
            "writer": [f"w{i % 7}" for i in range(n)],
        }
    )


def make_scores(
    pairs: pd.DataFrame, rng: np.random.Generator, measures: tuple[str, ...] = MEASURES
) -> pd.DataFrame:
    """Scores with some exact ties, near ties and undefined pairs; the protocols differ in some pairs."""
    parts = []
    n = len(pairs)
    for measure in measures:
        stereotype = rng.normal(size=n)
        base = stereotype - rng.normal(0.3, 1, n)
        base = np.where(rng.random(n) < 0.05, stereotype, base)
        base = np.where(rng.random(n) < 0.03, stereotype + 5e-5, base)
        undefined = rng.random(n) < 0.04
        for protocol in ("published", "corrected"):
            other = np.where((protocol == "corrected") & (rng.random(n) < 0.1), 2 * stereotype - base, base)
            margin = np.where(undefined, np.nan, stereotype - other)
            near = (margin != 0) & (np.abs(margin) <= NEAR)
            part = pairs[["pair_id"]].assign(measure=measure, protocol=protocol, stereotype=stereotype)
            part = part.assign(antistereotype=np.where(undefined, np.nan, other), margin=margin)
            part["outcome"] = np.select(
                [undefined, margin > 0, margin < 0], ["undefined", "stereotype", "antistereotype"], "tie"
            )
            part["error"] = np.where(margin == 0, 0.0, NEAR)
            part["lowest"] = part["outcome"].mask(near, "antistereotype")
            parts.append(part.assign(highest=part["outcome"].mask(near, "stereotype")))
    return pd.concat(parts, ignore_index=True)


def make_evidence(
    pairs: pd.DataFrame, rng: np.random.Generator
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Evidence of every masking, and that of the shuffled variant.

    Sentences have 6 to 12 content tokens between two special ones; 1 to 3 are modified (now and then none on
    one side).
    """
    rows: list[tuple[Any, ...]] = []
    for pair_id in pairs["pair_id"]:
        shared = int(rng.integers(5, 10))
        modified = rng.integers(1, 4, 2) if rng.random() < 0.4 else np.repeat(rng.integers(1, 4), 2)
        if rng.random() < 0.03:
            modified[1] = 0
        for role, extra in zip((*PAIR_ROLES, "unrelated"), (*modified, modified[0]), strict=True):
            length, is_shuffled = shared + int(extra) + 2, role != "unrelated"
            order = [0, *(1 + rng.permutation(length - 2)), length - 1] if is_shuffled else [None] * length
            for position, source in enumerate(order):
                special = position in (0, length - 1)
                changed = 1 <= position <= extra if is_shuffled else None
                rows.append((pair_id, role, position, special, changed, source))
    columns = ["pair_id", "role", "position", "special", "modified", "source_position"]
    frame = pd.DataFrame(rows, columns=columns)

    def predicted(frame: pd.DataFrame, right: float, without: str) -> pd.DataFrame:
        n = len(frame)
        hit = rng.random(n) < right
        drawn = frame.drop(columns=without).assign(
            token_id=rng.integers(0, 100, n),
            token="word",
            log_prob=-rng.exponential(size=n),
            rank=np.where(hit, 1, rng.integers(2, 50, n)),
        )
        return drawn.reindex(columns=EVIDENCE.names).reset_index(drop=True)

    content = frame[~frame["special"] & (frame["role"] != "unrelated")]
    is_modified = content["modified"].astype(bool)
    evidence = {
        masking: predicted(of, right, "source_position")
        for masking, of, right in (
            ("none", frame, 0.85),
            ("one-shared", content[~is_modified], 0.6),
            ("one-modified", content[is_modified], 0.3),
            ("modified", content[is_modified], 0.4),
            ("all", content, 0.1),
        )
    }
    moved = frame[frame["role"] != "unrelated"].astype({"source_position": int})
    return evidence, predicted(moved, 0.7, "modified")


def make(n: int = 60, seed: int = 0, rated: bool = True, directed: bool = True) -> Synthetic:
    rng = np.random.default_rng(seed)
    pairs = make_pairs(n, rng, rated, directed)
    evidence, shuffled = make_evidence(pairs, rng)
    scores, shuffled_scores = make_scores(pairs, rng), make_scores(pairs, rng, SHUFFLED_MEASURES)
    return Synthetic(pairs, scores, shuffled_scores, evidence, shuffled)


def decided(scores: pd.DataFrame, measure: str, protocol: str) -> dict[str, tuple[str, float]]:
    """Outcome and margin of each pair."""
    rows = scores[(scores["measure"] == measure) & (scores["protocol"] == protocol)]
    return dict(zip(rows["pair_id"], zip(rows["outcome"], rows["margin"], strict=True), strict=True))


def statistics_of(made: Synthetic, options: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The statistics of these tables by name."""
    scores = {"original": made.scores, "shuffled": made.shuffled_scores}
    decided = {variant: decisions(made.pairs, rows) for variant, rows in scores.items()}
    evidence = {"original": made.evidence, "shuffled": {"none": made.shuffled}}
    return compute(made.pairs, flaws_table(made.pairs), decided, evidence, options)


def pair_results(
    models: Sequence[Mapping[str, Any]],
    benchmarks: Sequence[Mapping[str, Any]],
    files: Mapping[str, Any] | None = None,
    **tables: object,
) -> PairResults:
    """The results of a study out of these files, or of tables that are there already."""
    paths = {"published": RESOURCES / "published.csv", "captions": RESOURCES / "captions.yaml"}
    bias: Any = tables.get("bias", {"measure": pd.Series(MEASURES)})
    measures = list(bias["measure"].unique())
    settings = {"models": models, "benchmarks": benchmarks, "measures": measures}
    results = PairResults({"models_compared": [], "versions": [], **paths, **(files or {})}, settings)
    vars(results).update(tables)
    return results


def with_tables(results: PairResults, **tables: object) -> PairResults:
    """The same results with other tables, on which nothing was made yet."""
    read = {
        name: value for name, value in vars(results).items() if isinstance(value, pd.DataFrame | Captions)
    }
    fresh = PairResults(results.files, results.settings)
    vars(fresh).update(read | tables)
    return fresh
