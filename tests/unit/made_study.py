"""Results of small studies of debiased models and downstream tasks, as the workflow would leave them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from library import COMPARISONS, ENTAILMENT, FEMALE, OCCUPATIONS, SCORES, SIMILARITY, framed, write_table
from library import DOWNSTREAM_WORD_COUNTS as WORD_COUNTS
from made_predictions import cells, people, write_items, write_run
from running import run_script

RESOURCES = Path(__file__).parents[2] / "resources"
KINDS = {"bios": OCCUPATIONS, "sts": SIMILARITY, "nli": ENTAILMENT}
PUBLISHED = {"bios": ["BiasBios", "BiasBios"], "sts": ["STS-B", "STS-bias"], "nli": ["MNLI", "NLI-bias"]}
TRUTH = 0.3
BENCHMARKS, MEASURES = ("cp",), ("AULA", "CPS")


@dataclass
class Study:
    """files, settings: those of unmask.downstream.results.DownstreamResults."""

    folder: Path
    files: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)


def scores_rows(share: float, rng: np.random.Generator) -> list[dict[str, object]]:
    """SCORES of 100 pairs of which such a share prefer the stereotype."""
    rows: list[dict[str, object]] = []
    for measure in MEASURES:
        for protocol in ("published", "corrected"):
            for pair, prefers in enumerate(rng.random(100) < share):
                outcome = "stereotype" if prefers else "antistereotype"
                rows.append(
                    {
                        "pair_id": f"p{pair}",
                        "measure": measure,
                        "protocol": protocol,
                        "margin": 1.0 if prefers else -1.0,
                        **{key: outcome for key in ("outcome", "lowest", "highest")},
                    }
                )
    return rows


def compared(first: str, second: str, scores: tuple[float, float]) -> list[dict[str, object]]:
    difference = scores[0] - scores[1]
    return [
        {
            "first": first,
            "second": second,
            "measure": measure,
            "protocol": protocol,
            "n": 100,
            "first_score": scores[0],
            "second_score": scores[1],
            "difference": difference,
            "error": 2.0,
            "df": 30.0,
            "low": difference - 4,
            "high": difference + 4,
            "p": 0.001 if abs(difference) > 5 else 0.6,
            "both": 50,
            "b": 10,
            "c": 10,
            "neither": 30,
            "agreement": 80.0,
            "confidence": 0.95,
        }
        for measure in MEASURES
        for protocol in ("published", "corrected")
    ]


def make_study(
    folder: Path,
    models: Sequence[dict[str, Any]],
    *,
    tasks: Sequence[str] = ("bios", "sts", "nli"),
    seeds: Sequence[int] = (0,),
    steps: Sequence[int] = (20,),
    benchmark: bool = True,
    after: bool = True,
) -> Study:
    """models: as `settings.models`. All have an extrinsic bias of 0.3; debiased ones score about 50."""
    rng = np.random.default_rng(0)
    study = Study(folder)
    study.settings = {
        "models": list(models),
        "tasks": [{"name": task, "published": PUBLISHED[task]} for task in tasks],
        "benchmarks": list(BENCHMARKS) if benchmark else [],
        "published": {"cp": "crows-pairs"},
        "measures": list(MEASURES),
        "alpha": 0.05,
        "confidence": 0.95,
    }
    files: dict[str, Any] = {"scores": [], "words": [], "scores_before": [], "scores_after": []}
    files |= {"comparisons": [], "correlations": []}
    for task in tasks:
        kind = KINDS[task]
        items, _ = people([TRUTH, -TRUTH] * 4, 60, rng) if kind == OCCUPATIONS else (cells(12, 8), None)
        path = folder / task / "items.parquet"
        write_items(path, with_ideal(items) if kind == OCCUPATIONS else items, kind, task=task)
        for model in models:
            runs = []
            for seed in seeds:
                at = {}
                for step in steps:
                    if kind == OCCUPATIONS:
                        logits = people([TRUTH, -TRUTH] * 4, 60, rng)[1][0]
                    else:
                        women = (items["gender"] == FEMALE).to_numpy()[:, None]
                        logits = rng.normal(0, 0.3, (len(items), 1 if kind == SIMILARITY else 3))
                        logits += 0.3 * women
                    at[step] = logits
                runs.append(folder / task / model["name"] / f"{seed}.parquet")
                write_run(runs[-1], at, model["name"], seed, kind, task=task)
            files["scores"].append(measure(folder, task, model, path, runs))
        counted = {"task": task, "feminine": 10, "masculine": 30, "ilps": -1.1, "low": -1.4, "high": -0.8}
        counted |= {"p": 0.01, "n": 99}
        rows = [counted | {"protocol": protocol} for protocol in ("published", "corrected")]
        files["words"].append(folder / task / "words.parquet")
        write_table(files["words"][-1], framed(rows, WORD_COUNTS), WORD_COUNTS, {"task": task})
    if benchmark:
        for model in models:
            share = 0.5 if model.get("origin") else 0.8
            names = [("scores_before", model["name"])]
            names += [("scores_after", f"{model['name']}@{task}") for task in tasks if after]
            for key, name in names:
                path = folder / "scores" / f"{name}.parquet"
                about = {"model": name, "benchmark": "cp"}
                write_table(path, framed(scores_rows(share, rng), SCORES), SCORES, about)
                files[key].append(path)
        rows = [
            row
            for model in models
            if model.get("origin")
            for row in compared(model["origin"], model["name"], (80.0, 52.0))
        ]
        files["comparisons"] = [folder / "comparisons.parquet"]
        write_table(files["comparisons"][0], framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    files["correlations"] = folder / "correlations.parquet"
    inputs = {"scores_before": files["scores_before"], "scores_after": files["scores_after"]}
    run_script(
        "correlate_downstream",
        inputs | {"extrinsic": files["scores"]},
        [files["correlations"]],
        folder / "log",
        models=study.settings["models"],
        tasks=list(tasks),
        benchmarks=study.settings["benchmarks"],
        measures=study.settings["measures"],
    )
    for name in ("captions.yaml", "published.csv"):
        files[Path(name).stem] = RESOURCES / "downstream" / name
    study.files = {
        key: [str(one) for one in value] if isinstance(value, list) else str(value)
        for key, value in files.items()
    }
    return study


def with_ideal(items: pd.DataFrame) -> pd.DataFrame:
    """Of 60 women and 60 men the ideal model predicts 45 and 27 right, or 27 and 45: a gap of TRUTH."""
    labels = items["label"].to_numpy(int)
    more = (items["gender"] == FEMALE) == (labels % 2 == 0)
    right = items.groupby(["occupation", "gender"]).cumcount() < np.where(more, 45, 27)
    predicted = np.where(right, labels, (labels + 1) % 8)
    return items.assign(ideal=list(np.eye(8)[predicted]))


def measure(folder: Path, task: str, model: dict[str, Any], items: Path, runs: list[Path]) -> Path:
    """SCORES of a model on a task; with the runs of the one that it was made from."""
    origin = model.get("origin")
    before = [folder / task / origin / run.name for run in runs] if origin else []
    output = folder / task / str(model["name"]) / "scores.parquet"
    run_script(
        "measure_downstream",
        {"items_table": items, "predictions": runs, "origin": before},
        [output],
        folder / "log",
        model=model["name"],
        task=task,
        draws=100,
        confidence=0.95,
    )
    return output
