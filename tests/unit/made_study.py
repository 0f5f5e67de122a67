"""Results of small studies of debiased models on downstream tasks, as the workflow would leave them."""

import random
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from library import (
    BIAS,
    CHANGE,
    COMPARISONS,
    ENTAILMENT,
    GAP,
    MAIN,
    OCCUPATIONS,
    SIMILARITY,
    DownstreamResults,
    framed,
    write_table,
)
from library import DOWNSTREAM_SCORES as SCORES
from library import DOWNSTREAM_WORD_COUNTS as WORD_COUNTS
from running import run_script

RESOURCES = Path(__file__).parents[2] / "resources"
KINDS = {"bios": OCCUPATIONS, "sts": SIMILARITY, "nli": ENTAILMENT}
PUBLISHED = {"bios": ["BiasBios", "BiasBios"], "sts": ["STS-B", "STS-bias"], "nli": ["MNLI", "NLI-bias"]}
TRUTH = 0.3
"""The gap of every occupation, and the mean."""
OCCUPATION_NAMES = [f"occupation {number:02}" for number in range(8)]
MEASURES, PROTOCOLS = ("AULA", "CPS"), ("published", "corrected")


def write_bias(path: Path, model: str, share: float, rng: np.random.Generator) -> Path:
    """BIAS of 1000 pairs, 300 of them about gender, of which such a share show the stereotype."""
    common: dict[str, Any] = {"tie": 0, "undefined": 0, "near_ties": 0, "neutral": 50.0, "confidence": 0.95}
    rows: list[dict[str, Any]] = []
    for variant, grouping, group, n in (
        ("original", "overall", "all", 1000),
        ("original", "bias_type", "gender", 300),
        ("original", "bias_type", "age", 700),
        ("shuffled", "overall", "all", 1000),
    ):
        for measure in MEASURES:
            count = int(rng.binomial(n, share))
            score = 100 * count / n
            row = common | {"variant": variant, "grouping": grouping, "group": group, "measure": measure}
            row |= {"n": n, "stereotype": count, "antistereotype": n - count, "clusters": "words"}
            row |= {"score": score, "low": score - 9, "high": score + 9}
            rows += [row | {"protocol": protocol} for protocol in PROTOCOLS]
    write_table(path, framed(rows, BIAS), BIAS, {"model": model, "benchmark": "cp"})
    return path


def compared(first: str, second: str, scores: tuple[float, float]) -> list[dict[str, object]]:
    """COMPARISONS of two models."""
    difference = scores[0] - scores[1]
    row: dict[str, object] = {"first": first, "second": second, "first_score": scores[0]}
    row |= {
        "second_score": scores[1],
        "difference": difference,
        "low": difference - 4,
        "high": difference + 4,
    }
    row |= {"error": 2.0, "df": 30.0, "p": 0.001 if abs(difference) > 5 else 0.6, "confidence": 0.95}
    row |= {"n": 100, "both": 50, "b": 10, "c": 10, "neither": 30, "agreement": 80.0}
    return [row | {"measure": of, "protocol": protocol} for of in MEASURES for protocol in PROTOCOLS]


def write_scores(path: Path, task: str, model: dict[str, Any], seeds: Sequence[int]) -> Path:
    """SCORES of a model on a task, with a bias of about TRUTH; of a debiased one its change as well."""
    kind, name, origin = KINDS[task], str(model["name"]), model.get("origin")
    main, rows = MAIN[kind], list[dict[str, Any]]()

    def drawn(of: str, *more: object) -> float:
        return random.Random(f"{task} {of} {more}").gauss(TRUTH, 0.02)

    metrics = [(main, None), ("accuracy", None), *((GAP, occupation) for occupation in OCCUPATION_NAMES)]
    metrics += [("not_neutral", None)] if kind == ENTAILMENT else []
    for metric, group in [*metrics, *([(CHANGE, None)] if origin else [])]:
        of = [drawn(name, main if metric == CHANGE else metric, group, seed) for seed in seeds]
        if metric == CHANGE:
            before = [drawn(str(origin), main, None, seed) for seed in seeds]
            of = [x - y for x, y in zip(of, before, strict=True)]
        for seed, value in [*zip(seeds, of, strict=True), (None, fmean(of))]:
            row = {"seed": seed, "step": 20, "metric": metric, "group": group, "value": value}
            row["truth"] = TRUTH if kind == OCCUPATIONS and metric in (main, GAP) else None
            row |= {"low": value - 0.1, "high": value + 0.1, "n": 960, "units": 8, "confidence": 0.95}
            if metric == main:
                row |= {"null_mean": 0.1, "null_low": 0.05, "null_high": 0.15, "p": 0.01}
            elif metric == CHANGE:
                row["p"] = drawn(name, "p")
            rows.append(row)
    facts = {"task": task, "model": name, "kind": kind, "remarks": []}
    write_table(path, framed(rows, SCORES), SCORES, facts)
    return path


def make_study(
    folder: Path,
    models: Sequence[dict[str, Any]],
    tasks: Sequence[str] = ("bios", "sts", "nli"),
    seeds: Sequence[int] = (0,),
) -> DownstreamResults:
    """models: as `settings.models`. Of all the bias is about TRUTH; debiased ones score about 50."""
    rng, names = np.random.default_rng(0), [str(model["name"]) for model in models]
    settings: dict[str, Any] = {
        "models": list(models),
        "tasks": [{"name": task, "published": PUBLISHED[task]} for task in tasks],
        "benchmarks": ["cp"],
        "published": {"cp": "crows-pairs"},
        "measures": list(MEASURES),
        "bias_type": "gender",
        "draws": 100,
        "alpha": 0.05,
        "confidence": 0.95,
    }
    files: dict[str, Any] = {name: [] for name in ("scores", "words", "bias_before", "bias_after")}
    for task in tasks:
        for model in models:
            path = folder / task / str(model["name"]) / "scores.parquet"
            files["scores"].append(write_scores(path, task, model, seeds))
        counted = {"feminine": 10, "masculine": 30, "ilps": -1.1, "low": -1.4, "high": -0.8}
        rows = [counted | {"n": 99, "protocol": protocol} for protocol in PROTOCOLS]
        files["words"].append(folder / task / "words.parquet")
        write_table(files["words"][-1], framed(rows, WORD_COUNTS), WORD_COUNTS, {"task": task})
    shares = {str(model["name"]): 0.5 if model.get("origin") else 0.8 for model in models}
    after = [(name, f"{name}@{task}") for name in names for task in tasks]
    for key, every in (("bias_before", [(name, name) for name in names]), ("bias_after", after)):
        for of, name in every:
            files[key].append(write_bias(folder / f"bias/{name}.parquet", name, shares[of], rng))
    pairs = [(model["origin"], model["name"]) for model in models if model.get("origin")]
    files["comparisons"] = [folder / "comparisons.parquet"]
    of_pairs = [row for pair in pairs for row in compared(*pair, (80.0, 52.0))]
    write_table(files["comparisons"][0], framed(of_pairs, COMPARISONS), COMPARISONS, {"benchmark": "cp"})
    files["correlations"] = folder / "correlations.parquet"
    inputs = {name: files[name] for name in ("bias_before", "bias_after")} | {"extrinsic": files["scores"]}
    params = {name: settings[name] for name in ("models", "benchmarks", "measures", "bias_type")}
    output = [files["correlations"]]
    run_script("correlate_downstream", inputs, output, folder / "log", tasks=list(tasks), **params)
    files |= {Path(name).stem: RESOURCES / "downstream" / name for name in ("captions.yaml", "published.csv")}
    return DownstreamResults(files, settings)
