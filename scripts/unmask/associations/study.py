"""What a study asks of association tests that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping
from csv import DictReader
from pathlib import Path
from typing import Any

from unmask.associations.terms import GROUNDED_FORMAT
from unmask.corpora.shards import files_of
from unmask.errors import InputError
from unmask.models.directory import MASKED_LM
from unmask.models.keys import Models

KEY = "config key associations"
OF_TEXT, SEEING = (MASKED_LM, "text-encoder"), "vision-and-language"
"""The kinds of models that are tested."""

Entries = Mapping[str, Any]


def encoders_of(associations: Entries, models: Models) -> dict[str, list[str]]:
    """The encoders that read each suite, in the order of the study: of a grounded one the models that see,
    of others the models of text, and word vectors."""
    seeing, texts = tested_models(associations, models, SEEING), tested_models(associations, models, *OF_TEXT)
    encoders = {}
    for suite, entry in associations.get("tests", {}).items():
        able = seeing if entry["format"] == GROUNDED_FORMAT else [*texts, *associations["vectors"]]
        chosen = able if entry["encoders"] is None else entry["encoders"]
        encoders[suite] = [name for name in able if name in chosen]
    return encoders


def all_tested(associations: Entries, models: Models) -> list[str]:
    """The models that are tested: those of text, then those that see."""
    return [name for kinds in (OF_TEXT, (SEEING,)) for name in tested_models(associations, models, *kinds)]


def tested_models(associations: Entries, models: Models, *kinds: str) -> list[str]:
    """The models with files of some kinds that are tested, in the order of the study; not those that a family
    makes for measures of its own."""
    chosen = associations.get("models")
    return [
        name
        for name in (models.of_kind(*kinds) if associations else [])
        if models.source_of(name).on_pairs and (chosen is None or name in chosen)
    ]


def test_files(entry: Entries) -> list[str]:
    """The files of the tests of a suite."""
    return list(files_of(entry["path"]).values())


def check_study(associations: Entries, models: Models, published: str | Path) -> None:
    """Check the key `associations` of a completed study.

    associations: empty where the study lacks it. models: all of the study. published:
    resources/associations/published.csv. Raises InputError naming the key at fault.
    """
    if not associations:
        return
    tested, readers = all_tested(associations, models), encoders_of(associations, models)
    for name in associations["models"] or ():
        if name not in tested:
            raise InputError(
                f"{KEY}.models: {name} is not a model with files of the kind masked-lm, text-encoder or "
                "vision-and-language"
            )
    for name in associations["vectors"]:
        if name in models:
            raise InputError(f"{KEY}.vectors.{name}: the study has a model of this name")
    encoders = [*tested, *associations["vectors"]]
    for name, printed in associations["published"].items():
        if name not in encoders:
            raise InputError(f"{KEY}.published: {name} is not tested")
        lines = Path(published).read_text(encoding="utf-8").splitlines()
        known = {row["model"] for row in DictReader(line for line in lines if not line.startswith("#"))}
        if printed not in known:
            raise InputError(
                f"{KEY}.published.{name}: there are no published values of {printed!r} (there are of "
                f"{', '.join(sorted(known))})"
            )
    for suite, entry in associations["tests"].items():
        place, grounded = f"{KEY}.tests.{suite}", entry["format"] == GROUNDED_FORMAT
        for name in entry["encoders"] or ():
            if name not in readers[suite]:
                why = f"does not read texts {'with' if grounded else 'without'} pictures"
                untested = f"is not tested (there are {', '.join(encoders)})"
                raise InputError(f"{place}.encoders: {name} {why if name in encoders else untested}")
        if not readers[suite]:
            lacking = "the kind vision-and-language" if grounded else "text with files, nor vectors"
            raise InputError(f"{place}: the study has no model of {lacking} for it")
        names = [Path(file).stem for file in test_files(entry)]
        for name in entry["only"] or ():
            if name not in names:
                raise InputError(f"{place}.only: no file of the test {name!r} (there are {', '.join(names)})")
