"""What a study asks of association tests that its schema cannot check: told before there is any work.

This is read at every planning, so it loads no tables.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from unmask.associations.terms import GROUNDED_FORMAT
from unmask.errors import InputError

KEY = "config key associations"
Entries = Mapping[str, Any]


def check_study(
    associations: Entries, models: Entries, of_text: Sequence[str], seeing: Sequence[str]
) -> None:
    """Check the key `associations` of a completed study.

    associations: empty where the study has not got it. models: all of the study; of_text and seeing: those of
    them that embed texts, and texts with pictures. Raises InputError naming the key at fault.
    """
    if not associations:
        return
    for name in associations["models"] or ():
        if name not in of_text and name not in seeing:
            raise InputError(
                f"{KEY}.models: {name} is not a model with files of the kind masked-lm, text-encoder or "
                "vision-and-language"
            )
    for name in associations["vectors"]:
        if name in models:
            raise InputError(f"{KEY}.vectors.{name}: the study has a model of this name")
    encoders = {*of_text, *seeing, *associations["vectors"]}
    for name in associations["published"]:
        if name not in encoders:
            raise InputError(f"{KEY}.published: {name} is not tested")
    for suite, entry in associations["tests"].items():
        _check_suite(f"{KEY}.tests.{suite}", entry, bool({*of_text, *associations["vectors"]}), bool(seeing))


def _check_suite(place: str, entry: Entries, of_text: bool, seeing: bool) -> None:
    if entry["format"] != GROUNDED_FORMAT:
        if not of_text:
            raise InputError(f"{place}: the study has no model of text with files and no word vectors for it")
        return
    if not seeing:
        raise InputError(f"{place}: the study has no model of the kind vision-and-language for it")
    if not (entry["images"] or entry["features"]):
        raise InputError(f"{place}: neither images nor features, so nothing is known of its pictures")
