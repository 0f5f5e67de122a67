"""What an error says of a name that is not known: the known one that it is close to."""

import difflib
from collections.abc import Iterable


def close_name(unknown: object, known: Iterable[str]) -> str | None:
    """The known name that an unknown one is close to, whatever its case; None where there is none."""
    # of names that differ in case alone the first is meant
    folded = {name.casefold(): name for name in reversed(list(known))}
    close = difflib.get_close_matches(str(unknown).casefold(), folded, 1, cutoff=0.75)
    return folded[close[0]] if close else None


def meant(unknown: object, known: Iterable[str]) -> str:
    """The question whether that name was meant, as " (did you mean x?)"; empty where there is none."""
    close = close_name(unknown, known)
    return f" (did you mean {close}?)" if close else ""


def known_names(unknown: object, known: Iterable[str], called: str = "known") -> str:
    """The name that an unknown one is close to, if any, and all that are known.

    called: what these are called, as in "did you mean x? known: x, y".
    """
    names = list(known)
    close = close_name(unknown, names)
    return f"{f'did you mean {close}? ' if close else ''}{called}: {', '.join(names)}"


def no_column(name: str, columns: Iterable[str]) -> str:
    """What is said where a table has not the column of a name, but others."""
    return f"no column {name!r} ({known_names(name, map(str, columns), 'columns')})"
