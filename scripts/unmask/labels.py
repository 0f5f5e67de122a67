"""Labels: the names that data gives to groups, by which rows are put together."""

import unicodedata


def fault_of(label: str) -> str | None:
    """Why a text cannot be a label, if so: signs that no one sees, or that cannot be written."""
    for character in label:
        category = unicodedata.category(character)
        if category == "Cs":
            return f"{label!r} has half of a character ({character!r}) in it"
        if category in ("Cc", "Zl", "Zp"):
            return f"{label!r} has a control character ({character!r}) in it"
    return None


_JOINERS = "\u200c\u200d"


class Labels:
    """Labels that a reader can tell apart: two that look alike would be two groups in silence."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, str]] = {}

    def check(self, label: str, place: str) -> str | None:
        """Why a label, first met at `place`, cannot stand beside those before it, if so."""
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
