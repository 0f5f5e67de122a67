"""What sentences on regions are made of: names and words, and a template with a place for each.

A study's planning reads this, so it loads no tables.
"""

from pathlib import Path
from string import Formatter

from unmask.errors import InputError
from unmask.regional.terms import FULL, ORIGINAL, REPLACE, SUBSTITUTED, WITHOUT
from unmask.user_files import fault_of

REGION, WORD, PARENT = "region", "word", "parent"
"""The places of a sentence, and of a prefix {region} and {parent}."""

PUBLISHED_LISTS = (ORIGINAL, SUBSTITUTED)


def fault_in(text: str) -> str | None:
    """Why a text can be no name, word, level or topic, if so."""
    if not text.strip():
        return "is empty"
    if text != text.strip():
        return f"{text!r} has spaces around it"
    return f"{text!r} has a brace in it" if {*"{}"} & {*text} else fault_of(text)


def _fields(template: str) -> list[str]:
    """The names of the places of a template; ["?"] where it has another brace."""
    try:
        fields = [part[1:] for part in Formatter().parse(template) if part[1] is not None]
    except ValueError:
        return ["?"]
    return [str(name) if not spec and not conversion else "?" for name, spec, conversion in fields]


def check_template(template: str) -> None:
    """Raise InputError unless a template has {region} and {word} once each, and no brace besides."""
    if sorted(_fields(template)) != [REGION, WORD]:
        raise InputError(f"template: {template!r} must have {{region}} and {{word}} once each, and no more")
    if fault := fault_of(template):
        raise InputError(f"template: {fault}")


def places_of(template: str) -> set[str]:
    """What a prefix leaves open: {region}, and {parent} where it names the region around that too.

    Raises InputError where it does not have the one, or has anything else.
    """
    places = {*_fields(template)}
    if REGION not in places or not places <= {REGION, PARENT}:
        raise InputError(f"template {template!r}: it must have {{region}}, may have {{parent}}, and no more")
    return places


def check_list_name(name: str, path: str | Path | None) -> None:
    """Raise InputError for what is no name of a list of words.

    path: its file, None for one of the paper's. The paper's names are for its lists, and those of parts of
    lists (unmask.regional.words) for these.
    """
    if fault := fault_in(name):
        raise InputError(f"words: a list's name: {fault}")
    if name == FULL or name.startswith((WITHOUT, REPLACE)):
        raise InputError(f"words: {name!r} is the name of a part of a list; give this list another")
    if path is None and name not in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is not published (published are {', '.join(PUBLISHED_LISTS)})")
    if path is not None and name in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is the name of a list of the paper; give that of {path} another")
