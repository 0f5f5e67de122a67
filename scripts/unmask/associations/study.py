"""What a study asks of association tests that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Callable, Mapping, Sequence
from csv import DictReader
from pathlib import Path
from typing import Any

from unmask.associations.terms import GROUNDED_FORMAT
from unmask.errors import InputError

KEY = "config key associations"
Entries = Mapping[str, Any]


def check_study(
    associations: Entries,
    models: Entries,
    tested: Sequence[str],
    encoders_of: Callable[[str], Sequence[str]],
    files_of: Callable[[str], Sequence[str]],
    published: str | Path,
) -> None:
    """Check the key `associations` of a completed study.

    associations: empty where the study lacks it. models: all of the study; tested: those that are tested.
    encoders_of: of those and of word vectors, the ones that read a suite. files_of: the files of its tests.
    published: resources/associations/published.csv. Raises InputError naming the key at fault.
    """
    if not associations:
        return
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
        place = f"{KEY}.tests.{suite}"
        for name in entry["encoders"] or ():
            if name not in encoders:
                raise InputError(f"{place}.encoders: {name} is not tested (there are {', '.join(encoders)})")
        _check_encoders(place, entry, encoders_of(suite))
        names = [Path(file).stem for file in files_of(suite)]
        for name in entry["only"] or ():
            if name not in names:
                raise InputError(f"{place}.only: no file of the test {name!r} (there are {', '.join(names)})")


def _check_encoders(place: str, entry: Entries, encoders: Sequence[str]) -> None:
    grounded = entry["format"] == GROUNDED_FORMAT
    for name in entry["encoders"] or ():
        if name not in encoders:
            how = "with" if grounded else "without"
            raise InputError(f"{place}.encoders: {name} does not read texts {how} pictures")
    if not encoders:
        lacking = "model of text with files, nor vectors"
        if grounded:
            lacking = "model of the kind vision-and-language"
        raise InputError(f"{place}: the study has no {lacking} for it")
