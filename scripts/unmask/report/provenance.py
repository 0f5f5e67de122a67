"""What the report says about where its numbers come from."""

from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.facts import read_facts
from unmask.tables import read_metadata

Section = tuple[str, dict[str, Any]]
"""A title and nested facts."""

_OF_MANIFEST = (
    "model_type",
    "parameters",
    "vocab_size",
    "max_length",
    "mask_token",
    "weights_digest",
    "tokenizer_digest",
    "files",
)
_OF_EVIDENCE = ("device", "dtype", "versions", "code", "shuffle_seed")
_OF_TABLES = ("versions", "code")


def gather(
    study: Mapping[str, Any],
    manifests: Iterable[str | Path],
    downloads: Iterable[str | Path],
    benchmarks: Iterable[str | Path],
    scores: Iterable[str | Path],
    statistics: Iterable[str | Path],
    counts: Iterable[str | Path] = (),
    precision: Iterable[str | Path] = (),
) -> list[Section]:
    """Sections about the study's settings, each model, benchmark and corpus, and the scoring.

    manifests: manifest.json of each model, in a folder that has its name; downloads: facts of downloaded
    benchmarks, in a folder that has the benchmark's name; benchmarks, scores (which keep the facts of their
    evidence), statistics, counts (of the words of each corpus): Parquet files with facts in their metadata;
    precision: precision.csv of each model and benchmark, where the models ran in another arithmetic than
    single precision.
    """
    fetched = {Path(path).parent.name: read_facts(path) for path in downloads}
    sections: list[Section] = [("Settings", dict(study))]
    for path in manifests:
        name, manifest = Path(path).parent.name, read_facts(path)
        own = {key: manifest[key] for key in _OF_MANIFEST}
        sections.append((f"Model {name}", {**manifest["entry"], **own}))
    for path in benchmarks:
        metadata = read_metadata(path)
        name = str(metadata.pop("benchmark"))
        sections.append((f"Benchmark {name}", {**metadata, **fetched.get(name, {})}))
    for path in counts:
        metadata = read_metadata(path)
        sections.append((f"Corpus {metadata.pop('corpus')}", metadata))
    of_scores = [read_metadata(path) for path in scores]
    evidence = [facts for scored in of_scores for facts in scored["evidence"].values()]
    sections.append(("Scoring", _values(evidence, _OF_EVIDENCE)))
    sections.append(("Measures", _values(of_scores, _OF_TABLES)))
    sections.append(("Statistics", _values([read_metadata(path) for path in statistics], _OF_TABLES)))
    for path in precision:
        model, benchmark = Path(path).parts[-3:-1]
        sections.append((f"Arithmetic against single precision: {model} on {benchmark}", _precision(path)))
    return sections


def _values(facts: Iterable[Mapping[str, Any]], keys: Iterable[str]) -> dict[str, str]:
    """One value for each key where all facts agree, else every value."""
    found: dict[str, set[str]] = {}
    for of_one, key in product(facts, tuple(keys)):
        value = of_one[key]
        for sub, item in value.items() if isinstance(value, dict) else [(None, value)]:
            if item is not None:
                found.setdefault(f"{key}.{sub}" if sub else key, set()).add(str(item))
    return {key: ", ".join(sorted(values)) for key, values in found.items()}


def _precision(path: str | Path) -> dict[str, str]:
    rows = pd.read_csv(path, keep_default_na=False)
    return {
        f"{row['measure']}, {row['protocol']}": (
            f"scores move by {float(row['largest_change']):.2g} at most; {row['flipped']} of {row['pairs']} "
            f"decisions flip {row['flipped_pairs']}"
        ).strip()
        for row in rows.to_dict("records")
    }
