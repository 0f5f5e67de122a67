"""What sentences on regions are made of: names and words, and a template with a place for each.

A study's planning reads this, so it loads no tables.
"""

from pathlib import Path
from string import Formatter

from unmask.errors import InputError
from unmask.labels import fault_of
from unmask.regional.terms import FULL, ORIGINAL, REPLACE, SUBSTITUTED, WITHOUT
from unmask.user_files import quoted

PLACES = ("{region}", "{word}")

REGION, PARENT = "region", "parent"
"""The places of a prefix."""

PUBLISHED_LISTS = (ORIGINAL, SUBSTITUTED)


def fault_in(text: str) -> str | None:
    """Why a text can be no name, word, level or topic, if so."""
    if not text.strip():
        return "is empty"
    if text != text.strip():
        return f"{text!r} has spaces around it"
    if "{" in text or "}" in text:
        return f"{text!r} has a brace in it"
    return fault_of(text)


def check_template(template: object) -> None:
    """Raise InputError unless a template has each of the PLACES once, and no brace besides."""
    if not isinstance(template, str):
        raise InputError("template: what is given is not a text")
    rest = template
    for place in PLACES:
        number = template.count(place)
        if number != 1:
            raise InputError(f"template: {template!r} has {place} {number} times, not once")
        rest = rest.replace(place, "")
    if "{" in rest or "}" in rest:
        raise InputError(f"template: {template!r} has a brace besides {' and '.join(PLACES)}")
    if fault := fault_of(template):
        raise InputError(f"template: {fault}")


def check_list_name(name: object, path: str | Path | None) -> None:
    """Raise InputError for what is no name of a list of words.

    path: its file, None for one of the paper's. The paper's names are for its lists, and those of sets of
    words (unmask.regional.word_sets) for these.
    """
    if not isinstance(name, str):
        raise InputError(f"words: {quoted(name)} is not a name of a list")
    if fault := fault_in(name):
        raise InputError(f"words: a list's name: {fault}")
    if name == FULL or name.startswith((WITHOUT, REPLACE)):
        raise InputError(f"words: {name!r} is the name of a part of a list; give this list another")
    if path is None and name not in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is not published (published are {', '.join(PUBLISHED_LISTS)})")
    if path is not None and name in PUBLISHED_LISTS:
        raise InputError(f"words: {name!r} is the name of a list of the paper; give that of {path} another")


def places_of(template: str) -> set[str]:
    """What a prefix leaves open: {region}, and {parent} where it names the region around that too.

    Raises InputError where it does not have the one, or has anything else.
    """
    try:
        parsed = [field for field in Formatter().parse(template) if field[1] is not None]
    except ValueError as error:
        raise InputError(f"template {template!r}: {error}") from None
    names = [name for _, name, _, _ in parsed]
    plain = all(not spec and not conversion for _, _, spec, conversion in parsed)
    if REGION not in names or not plain or not set(names) <= {REGION, PARENT}:
        raise InputError(f"template {template!r}: it must have {{region}}, may have {{parent}}, and no more")
    return {str(name) for name in names}
