"""StereoSet (Nadeem et al. 2021): five annotators labelled each sentence; some in the file have no label."""

from collections.abc import Iterator
from pathlib import Path

from unmask.errors import InputError
from unmask.strict import json_of
from unmask.terms import ANTISTEREOTYPE, STEREOTYPE, UNRELATED
from unmask.user_files import read_text

_ROLES = {"stereotype": STEREOTYPE, "anti-stereotype": ANTISTEREOTYPE, "unrelated": UNRELATED}


def read(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield pair, role and label of every label of every intrasentence item.

    A label is that of a role, or `related`, which is none. Raises InputError where labels are no list of
    objects with a text as their `label`.
    """
    try:
        items = json_of(read_text(path))["data"]["intrasentence"]
        for item in items:
            for sentence in item["sentences"]:
                for label in sentence.get("labels") or []:
                    given = label["label"]
                    if not (isinstance(given, str) and given.strip()):
                        raise ValueError(f"item {item['id']}: no text in label")
                    yield item["id"], _ROLES[sentence["gold_label"]], _ROLES.get(given, given)
    except (KeyError, TypeError, AttributeError):
        raise InputError(f"{path}: its labels are not those of a StereoSet file") from None
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None
