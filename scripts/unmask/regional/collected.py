"""The tables of all models of a study in one."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from unmask.errors import InputError
from unmask.regional.schema import PREFIXES
from unmask.report.study import Named
from unmask.tables import read_metadata, read_table


def collected(models: Sequence[Named], paths: Iterable[str | Path], schema: pa.Schema) -> pd.DataFrame:
    """Tables of one model each as one, with the column model (from their metadata) first, in the order of
    `models`; those of other models are left out.

    Raises InputError where two tables are of one model.
    """
    parts = {model: read_table(path, schema) for model, path in by_model(paths).items()}
    found = [_labelled(parts[model.name], model=model.name) for model in models if model.name in parts]
    if not found:
        return pd.DataFrame(columns=["model", *schema.names])
    return pd.concat(found, ignore_index=True)


def by_model(paths: Iterable[str | Path]) -> dict[str, str]:
    """The path of each model's table. Raises InputError where two are of one model, or one of none."""
    found: dict[str, str] = {}
    for path in paths:
        model = read_metadata(path).get("model")
        if model is None:
            raise InputError(f"{path}: does not say which model it is of; delete it and run again")
        if str(model) in found:
            raise InputError(f"{path}: a second table of model {model}, besides {found[str(model)]}")
        found[str(model)] = str(path)
    return found


def collected_prefixes(paths: Iterable[str | Path]) -> pd.DataFrame:
    """What prefixes do to all classifiers, as PREFIXES with the columns classifier and table first."""
    parts = []
    for path in paths:
        facts = read_metadata(path)
        own = {"classifier": str(facts["classifier"]), "table": str(facts["table"])}
        parts.append(_labelled(read_table(path, PREFIXES), **own))
    if not parts:
        return pd.DataFrame(columns=["classifier", "table", *PREFIXES.names])
    return pd.concat(parts, ignore_index=True)


def shared_facts(paths: Iterable[str | Path], *keys: str) -> Mapping[str, Any]:
    """What the metadata of all tables say under `keys`; none where there is no table.

    Raises InputError where two tables say different things.
    """
    found: dict[str, Any] = {}
    for path in paths:
        facts = read_metadata(path)
        for key in keys:
            if key in facts and found.setdefault(key, facts[key]) != facts[key]:
                raise InputError(f"{path}: made with {key} {facts[key]}, others with {found[key]}; run again")
    return found


def _labelled(rows: pd.DataFrame, **labels: str) -> pd.DataFrame:
    for place, (column, value) in enumerate(labels.items()):
        rows.insert(place, column, value)
    return rows
