"""What a study asks of association tests that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unmask.associations.terms import GROUNDED_FORMAT
from unmask.errors import InputError

KEY = "config key associations"
Entries = Mapping[str, Any]


def check_study(
    associations: Entries, models: Entries, tested: Sequence[str], encoders_of: Callable[[str], Sequence[str]]
) -> None:
    """Check the key `associations` of a completed study.

    associations: empty where the study has not got it. models: all of the study; tested: those that are
    tested. encoders_of: of those and of word vectors, the ones that read a suite. Raises InputError naming
    the key at fault.
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
    encoders = {*tested, *associations["vectors"]}
    for name in associations["published"]:
        if name not in encoders:
            raise InputError(f"{KEY}.published: {name} is not tested")
    for suite, entry in associations["tests"].items():
        _check_suite(f"{KEY}.tests.{suite}", entry, encoders_of(suite))


def _check_suite(place: str, entry: Entries, encoders: Sequence[str]) -> None:
    grounded = entry["format"] == GROUNDED_FORMAT
    for name in entry["encoders"] or ():
        if name not in encoders:
            reads = "sees" if grounded else "reads texts alone"
            raise InputError(f"{place}.encoders: the study tests no {name} that {reads}")
    if not encoders:
        wanted = (
            "model of the kind vision-and-language" if grounded else "model of text with files, nor vectors"
        )
        raise InputError(f"{place}: the study has no {wanted} for it")
    if grounded and not (entry["images"] or entry["features"]):
        raise InputError(f"{place}: neither images nor features, so nothing is known of its pictures")
