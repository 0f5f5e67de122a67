"""The functions of rules for a study, without Snakemake: what the files of rules/inputs define."""

import functools
import os
import sys
from pathlib import Path
from typing import Any

from study_schema import FAMILIES, ROOT
from unmask.errors import InputError
from unmask.plugins import names as names_in
from unmask.schemas import alternative, complete


def functions_of(study: dict[str, Any], *files: str) -> dict[str, Any]:
    """The names of some files of rules/inputs, in their order, for a study that is completed first."""
    config = complete(study, FAMILIES)
    sections = {key.upper(): config.get(key, {}) for key in ("models", "benchmarks", "corpora", "worlds")}
    known: dict[str, Any] = {
        "config": config,
        "FAMILIES": FAMILIES,
        **sections,
        "alternative": alternative,
        "names_in": names_in,
        "InputError": InputError,
        "Path": Path,
        "functools": functools,
        "os": os,
        "sys": sys,
    }
    for file in files:
        path = ROOT / "rules/inputs" / f"{file}.smk"
        exec(compile(path.read_text(encoding="utf-8"), path, "exec"), known)
    return known
