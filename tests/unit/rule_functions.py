"""The functions of rules for a study, without Snakemake: what files of rules define before their rules."""

import functools
import os
import re
import sys
from pathlib import Path
from typing import Any

from library import InputError, complete, sources
from library import names as names_in
from study_schema import ROOT


def functions_of(study: dict[str, Any], *files: str) -> dict[str, Any]:
    """The names of some files of rules, in their order, for a study that is completed first."""
    config = complete(study)
    sections = {key.upper(): config.get(key, {}) for key in ("models", "benchmarks", "corpora", "worlds")}
    known: dict[str, Any] = {
        "config": config,
        **sections,
        "sources": sources,
        "names_in": names_in,
        "InputError": InputError,
        "Path": Path,
        "functools": functools,
        "os": os,
        "sys": sys,
        # of rules/resources.smk
        "making_memory": None,
        "making_time": None,
    }
    for file in files:
        # what rules of models look up stands above them
        folders = ("rules/inputs", "rules") if file == "models" else ("rules/inputs",)
        for path in (ROOT / folder / f"{file}.smk" for folder in folders):
            functions = path.read_text(encoding="utf-8").partition("\nwildcard_constraints:")[0]
            exec(compile(re.sub("(?m)^include:.*", "", functions), path, "exec"), known)
    return known
