"""What sentences on regions are made of: names and words, and a template with a place for each.

A study's planning reads this, so it loads no tables.
"""

import re
from collections.abc import Set
from pathlib import Path

from unmask.errors import InputError
from unmask.regional.terms import FULL, ORIGINAL, REPLACE, SUBSTITUTED, WITHOUT
from unmask.user_files import fault_of

REGION, WORD, PARENT = "{region}", "{word}", "{parent}"
"""The places of a sentence, and of a prefix REGION and PARENT."""

PUBLISHED_LISTS = (ORIGINAL, SUBSTITUTED)


def fault_in(text: str) -> str | None:
    """Why a text can be no name, word, level or topic, if so."""
    if not text.strip():
        return "is empty"
    if text != text.strip():
        return f"{text!r} has spaces around it"
    return f"{text!r} has a brace in it" if {*"{}"} & {*text} else fault_of(text)


def check_places(template: str, needed: Set[str], allowed: Set[str] = frozenset()) -> None:
    """Raise InputError unless a template has the places `needed` once each, maybe those `allowed`, and no
    brace besides.

    A sentence has REGION and WORD, a prefix REGION and maybe PARENT.
    """
    places = re.findall(r"\{\w+\}|[{}]", template)
    if len(places) > len({*places}) or {*places} - allowed != needed:
        may = "".join(f", may have {each}" for each in allowed)
        reason = f"must have {' and '.join(sorted(needed))} once{may}, and no more"
        raise InputError(f"template: {template!r} {reason}")
    if fault := fault_of(template):
        raise InputError(f"template: {fault}")


def check_list_name(name: str, path: str | Path | None) -> None:
    """Raise InputError for what is no name of a list of words.

    path: its file, None for one of the paper's. The paper's names are for its lists, and those of parts of
    lists (unmask.regional.words) for these.
    """
    if name == FULL or name.startswith((WITHOUT, REPLACE)):
        raise InputError(f"words: {name!r} is the name of a part of a list; give this list another")
    if path is None and name not in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is not published (published are {', '.join(PUBLISHED_LISTS)})")
    if path is not None and name in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is the name of a list of the paper; give that of {path} another")
