"""The errors that are for the user to fix, and what they say of names."""

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """Bad input: the message is one line that names the file, key, row or model at fault.

    Signs in it that cannot be printed are written as Python writes them: what it quotes comes from anywhere.
    """

    def __init__(self, message: str) -> None:
        line = " ".join(message.split())
        # what it quotes of a file may be of any length
        if len(line) > 2000:
            line = f"{line[:1000]} … {line[-1000:]}"
        super().__init__("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line))


def known_names(unknown: object, known: Iterable[str], called: str = "known") -> str:
    """The name that an unknown one is close to, whatever its case, if any, and all that are known.

    called: what these are called, as in "did you mean x? known: x, y". One with a space at an end is quoted.
    """
    names = {name: name if name == name.strip() else repr(name) for name in known}
    # of names that differ in case alone the first is meant
    folded = {name.casefold(): names[name] for name in reversed(names)}
    close = difflib.get_close_matches(str(unknown).casefold(), folded, 1, cutoff=0.75)
    return f"{f'did you mean {folded[close[0]]}? ' if close else ''}{called}: {', '.join(names.values())}"
