"""Labels: the names that data gives to groups, by which rows are put together."""

import re
import unicodedata

_NO_TEXT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
_BREAK = re.compile("[\t\n\r\u2028\u2029]")


def fault_of_text(text: str) -> str | None:
    """What no text has in it, if anything: what an encoding mistaken for another leaves, which tokenizers
    drop without a word. Tabs and line breaks are text."""
    if (match := _NO_TEXT.search(text)) is None:
        return None
    character = match[0]
    if character == "\ufffd":
        return f"has {character} in it, where a character was lost"
    if character >= "\ud800":
        return f"has half of a character ({character!r}) in it"
    question = "; is it cp1252?" if character >= "\x80" else ""
    return f"has a control character {character!r} in it{question}"


def fault_of(label: str) -> str | None:
    """Why a text cannot be a label, if so: no label is more than one line."""
    match = _BREAK.search(label)
    fault = f"has a control character {match[0]!r} in it" if match else fault_of_text(label)
    return fault and f"{label!r} {fault}"


_JOINERS = "\u200c\u200d"


class Labels:
    """Labels that a reader can tell apart: two that look alike would be two groups in silence."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}

    def check(self, label: str, place: str) -> str | None:
        """Why a label, first met at `place`, is none or cannot stand beside those before it, if so."""
        if fault := fault_of(label):
            return fault
        first, where = self._seen.setdefault(_as_seen(label), (label, place))
        if first != label:
            return f"{label!r} and {first!r} ({where}) look alike but are not; write them in one way"
        return None


def _as_seen(label: str) -> str:
    """A label without what no one sees: surrounding spaces, format characters, the form of its characters.

    Joiners are kept: in some scripts they make other words.
    """
    visible = "".join(each for each in label if each in _JOINERS or unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFC", visible).strip()
