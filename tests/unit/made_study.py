"""Results of small studies of debiased models and downstream tasks, as the workflow would leave them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from library import BIAS, COMPARISONS, ENTAILMENT, FEMALE, OCCUPATIONS, SIMILARITY, framed, write_table
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


def write_bias(path: Path, model: str, share: float, rng: np.random.Generator) -> Path:
    """BIAS of 100 pairs, 30 of them about gender, of which such a share show the stereotype."""
    common: dict[str, Any] = {"tie": 0, "undefined": 0, "near_ties": 0, "neutral": 50.0, "confidence": 0.95}
    rows: list[dict[str, Any]] = []
    for variant, grouping, group, n in (
        ("original", "overall", "all", 100),
        ("original", "bias_type", "gender", 30),
        ("original", "bias_type", "age", 70),
        ("shuffled", "overall", "all", 100),
    ):
        for measure in MEASURES:
            count = int(rng.binomial(n, share))
            score = 100 * count / n
            row = common | {"variant": variant, "grouping": grouping, "group": group, "measure": measure}
            row |= {"n": n, "stereotype": count, "antistereotype": n - count, "clusters": "words"}
            row |= {"score": score, "low": score - 9, "high": score + 9}
            rows += [row | {"protocol": protocol} for protocol in ("published", "corrected")]
    write_table(path, framed(rows, BIAS), BIAS, {"model": model, "benchmark": "cp"})
    return path


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
        "bias_type": "gender",
        "alpha": 0.05,
        "confidence": 0.95,
    }
    files: dict[str, Any] = {"scores": [], "words": [], "bias_before": [], "bias_after": []}
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
            names = [("bias_before", model["name"])]
            names += [("bias_after", f"{model['name']}@{task}") for task in tasks if after]
            for key, name in names:
                files[key].append(write_bias(folder / "bias" / f"{name}.parquet", name, share, rng))
        rows = [
            row
            for model in models
            if model.get("origin")
            for row in compared(model["origin"], model["name"], (80.0, 52.0))
        ]
        files["comparisons"] = [folder / "comparisons.parquet"]
        write_table(files["comparisons"][0], framed(rows, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    files["correlations"] = folder / "correlations.parquet"
    inputs = {name: files[name] for name in ("bias_before", "bias_after")}
    run_script(
        "correlate_downstream",
        inputs | {"extrinsic": files["scores"]},
        [files["correlations"]],
        folder / "log",
        models=study.settings["models"],
        tasks=list(tasks),
        benchmarks=study.settings["benchmarks"],
        measures=study.settings["measures"],
        bias_type="gender",
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
