"""What the keys of a study mean stands in their schemas, for every key, and on docs/keys.md."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from library import KEYS_PAGE_PAGE as PAGE
from library import InputError, Key, Pages, _expanded, complete, read_config
from library import keys_page_page as page
from small_study import whole_study
from study_schema import FAMILIES, ROOT

Table = Mapping[str, Key]


def tables() -> dict[str, dict[str, Key]]:
    """The page as it is read: the keys of each section of it."""
    result: dict[str, dict[str, Key]] = {}
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            rows = result.setdefault(line.lstrip("# ").strip("`"), {})
        elif line.startswith("| `"):
            key = Key(*re.split(r" (?<!\\)\| ", line.strip("| ")))
            path = key.path.strip("`")
            assert path not in rows
            rows[path] = key._replace(path=path)
    return result


TABLES = tables()
TOP = {
    path: key
    for rows in TABLES.values()
    for path, key in rows.items()
    if path.partition(".")[0]
    in {name for family in FAMILIES.values() for name in family.get("properties", {})}
}


class Found(NamedTuple):
    """A key of a completed study, and what the page says of it. given: whether the study states it itself."""

    key: Key | None
    path: str
    value: Any
    given: bool


def found(rows: Table, path: str, value: Any, given: Any) -> Iterator[Found]:
    """The keys in a value, each as the page has it: in this table, or in one that the page refers to."""
    if isinstance(value, list) and any(key.startswith(f"{path}[]") for key in rows):
        for each, stated in zip(value, given, strict=True):
            yield from found(rows, f"{path}[]", each, stated)
    if not isinstance(value, dict):
        return
    given = given if isinstance(given, dict) else {}
    own = [section for section in TABLES if section.startswith(f"{path} with ")]
    if own:
        (key,) = {section.removeprefix(f"{path} with ").partition(":")[0] for section in own}
        rows, path = TABLES[f"{path} with {key}: {value[key]}"], ""
        value = {name: each for name, each in value.items() if name != key}
    elif path in rows and (shared := re.search(r"Its keys: \[`(\w+)`\]", rows[path].meaning)):
        rows, path = TABLES[shared[1]], ""
    start = f"{path}." if path else ""
    inside = [key for key in rows if key.startswith(start)]
    for name, each in value.items():
        free = f"{start}NAME" in rows or f"{start}NAME" in SECTIONED
        place = f"{start}NAME" if free else f"{start}{name}"
        if place not in rows and path and (rows[path].type == "any mapping" or not inside):
            # names that no schema knows, as the settings of a network
            continue
        if not free or place in rows:
            yield Found(rows.get(place), place, each, name in given)
        # in what is the default of a whole mapping nothing is left out
        whole = name not in given and place in rows and rows[place].default != "–"
        yield from found(rows, place, each, each if whole else given.get(name))


SECTIONED = {section.partition(" with ")[0] for section in TABLES if " with " in section}


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m unmask.keys_page"


def test_every_key_says_what_it_means() -> None:
    pages = Pages()
    keys = [
        key
        for family in pages.families.values()
        for name, schema in (("", family), *family.get("$defs", {}).items())
        if not name or "/" in name or name in pages.shared
        for key in pages.keys_in(
            "", {part: schema[part] for part in ("properties", "required") if part in schema}
        )
    ]
    assert keys
    for key in keys:
        assert re.fullmatch(r"\S.*\.", key.meaning), key
        assert key.type and key.default, key


@pytest.mark.parametrize("name", ["whole", *sorted(path.stem for path in (ROOT / "configs").glob("*.yaml"))])
def test_every_key_of_a_completed_study_is_on_the_page_with_its_default(name: str) -> None:
    stated = whole_study(ROOT) if name == "whole" else read_config(ROOT / f"configs/{name}.yaml")
    # what is short for other keys states these
    given = json.loads(json.dumps(_expanded({**stated, "data": "/nowhere"}, FAMILIES)))
    completed = complete(given, FAMILIES)
    every = list(found(TOP, "", completed, given))
    assert [each.path for each in every if each.key is None] == []
    assert every
    for each in every:
        assert each.key is not None
        if not each.given and not isinstance(each.value, dict):
            assert each.key.default == f"`{json.dumps(each.value, ensure_ascii=False)}`", each


def test_what_has_no_default_or_has_to_be_there_is_so_for_a_study() -> None:
    """The page against the errors of a study."""
    rows = TABLES["models.NAME with source: debiased"]
    assert [path for path, key in rows.items() if key.default == "required"] == ["from", "method"]
    for lacking in ("from", "method"):
        entry = {"source": "debiased", "from": "m", "method": "cda"}
        del entry[lacking]
        models = {"m": {"source": "path", "path": "m"}, "n": entry}
        with pytest.raises(InputError, match=f"models.n: '{lacking}' is a required property"):
            complete({"study": "x", "models": models}, FAMILIES)
