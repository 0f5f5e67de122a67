"""What sentences on regions are made of: names and words, and a template with a place for each."""

from unmask.errors import InputError
from unmask.labels import fault_of

PLACES = ("{region}", "{word}")


def fault_in(text: str) -> str | None:
    """Why a text can be no name, word, level or topic, if so."""
    if not text.strip():
        return "it is empty"
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
