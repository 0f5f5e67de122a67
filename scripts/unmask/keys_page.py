"""The page docs/keys.md, from the schemas of all keys of a study: python -m unmask.keys_page

Not part of the workflow: it is written anew when a schema has changed.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from unmask import plugins
from unmask.files import write_text
from unmask.installation import workflow_root
from unmask.schemas import put_together, read_families

DOCS = workflow_root() / "docs"
PAGE = DOCS / "keys.md"

HEAD = """# The keys of a study

Written by `python -m unmask.keys_page` from `rules/schemas`. A study is a YAML file of these keys, and every
study has `study`. In the paths, NAME is any name that a study gives, and [] stands for each item of a list.
A dash: the key may be left out, and has no default. [Adding](adding.md) has examples.
"""

FORMATS = {
    "file": "file",
    "files": "files",
    "directory": "folder",
    "model-directory": "folder of a model",
    "url": "address",
}
"""What a text is, by its format."""

WORDS = {"string": "text", "object": "mapping", "boolean": "true or false"}
"""What types are called."""

BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}

Schema = Mapping[str, Any]
_PREFIX = "#/$defs/"


class Key(NamedTuple):
    """A key of the study, by its dotted path. The default of one that has to be there is "required"."""

    path: str
    type: str
    default: str
    meaning: str


class Pages:
    """The schemas of all families, and what stands where on the page."""

    def __init__(self) -> None:
        schemas, order = read_families(workflow_root() / "rules/schemas"), _order()
        self.families = {name: schemas[name] for name in sorted(schemas, key=order.index)}
        whole = put_together(self.families)
        self.defs: Schema = whole["$defs"]
        uses = Counter(_references(whole))
        self.shared = [name for name in self.defs if uses[name] > 1 and self._has_keys(self.defs[name])]
        """Objects that stand in several places, and have a table of their own."""
        self.places = {name: path for path, name in self._alternatives()}
        """By what it is (as model): the path at which one of several alternatives stands."""

    def keys(self, path: str, schema: Schema, is_required: bool = False) -> Iterator[Key]:
        """A key and all keys in it; those of an object with a table of its own are there."""
        schema, names = self._resolved(schema)
        if "type" in schema or "description" in schema or len(schema.keys() - {"properties"}):
            yield Key(path, self._type(schema), _default(schema, is_required), self._meaning(schema, names))
        if not set(names) & {*self.shared, *self.places} and "string" not in _types(schema):
            yield from self.keys_in(path, schema)

    def keys_in(self, path: str, schema: Schema) -> Iterator[Key]:
        """The keys of an object, or of the objects of a list."""
        start = f"{path}." if path else ""
        required = schema.get("required", [])
        for name, inner in schema.get("properties", {}).items():
            # the name of an alternative is said above its table
            if isinstance(inner, Mapping):
                yield from self.keys(f"{start}{name}", inner, name in required)
        named = schema.get("additionalProperties")
        if isinstance(named, Mapping) and self._resolved(named)[0].keys() & {"properties", "discriminator"}:
            yield from self.keys(f"{start}NAME", named)
        items = schema.get("items", {})
        if "properties" in items:
            yield from self.keys_in(f"{path}[]", items)

    def _alternatives(self) -> Iterator[tuple[str, str]]:
        for schema in self.families.values():
            yield from self._unions("", schema)

    def _unions(self, path: str, schema: Schema) -> Iterator[tuple[str, str]]:
        start = f"{path}." if path else ""
        inside = {f"{start}{name}": each for name, each in schema.get("properties", {}).items()}
        if isinstance(schema.get("additionalProperties"), Mapping):
            inside[f"{start}NAME"] = schema["additionalProperties"]
        for place, inner in inside.items():
            if isinstance(inner, Mapping):
                resolved, names = self._resolved(inner)
                if "discriminator" in resolved:
                    yield place, names[-1]
                else:
                    yield from self._unions(place, resolved)

    def _resolved(self, schema: Schema) -> tuple[Schema, list[str]]:
        """A schema with what it refers to, whose names come second; what stands beside a reference wins."""
        names = []
        while "$ref" in schema:
            names.append(schema["$ref"].removeprefix(_PREFIX))
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            schema = {**self.defs[names[-1]], **beside}
        return schema, names

    def _has_keys(self, schema: Schema) -> bool:
        return "properties" in schema and "discriminator" not in schema and "string" not in _types(schema)

    def _meaning(self, schema: Schema, names: list[str]) -> str:
        parts = [_text(schema.get("description", ""))]
        if chosen := [name for name in names if name in self.places]:
            kinds = [each.partition("/")[2] for each in self.defs if each.startswith(f"{chosen[0]}/")]
            parts.append(f"By `{schema['discriminator']}`: {_listed(kinds)}.")
        if shared := [name for name in names if name in self.shared]:
            parts.append(f"Its keys: [`{shared[0]}`](#{shared[0]}).")
        return " ".join(filter(None, parts))

    def _type(self, schema: Schema) -> str:
        if "enum" in schema:
            return _listed(schema["enum"])
        if "const" in schema:
            return f"`{schema['const']}`"
        if "among" in schema:
            return f"a name under `{schema['among']}`"
        if "modules" in schema:
            return _listed(plugins.names(schema["modules"]))
        if "then" in schema and "not" in schema.get("if", {}):
            other = FORMATS[schema["then"]["format"]]
            return f"`{schema['if']['not']['const']}` or {other}" + " or null" * ("null" in _types(schema))
        bounds = " and".join(f" {sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
        names = []
        for each in _types(schema):
            if each == "string" and "format" in schema:
                names.append(FORMATS[schema["format"]])
            elif each == "array":
                names.append(self._list(schema))
            elif each in ("integer", "number"):
                names.append(f"{each}{bounds}")
            elif each == "object" and not schema.keys() & {"additionalProperties", "discriminator"}:
                names.append("any mapping")
            else:
                names.append(WORDS.get(each, each))
        return " or ".join(names)

    def _list(self, schema: Schema) -> str:
        if "items" not in schema:
            return "list"
        first, space, rest = self._type(self._resolved(schema["items"])[0]).removeprefix("a ").partition(" ")
        return f"list of {first if first.startswith('`') else f'{first}s'}{space}{rest}"


def lines_of_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown, line by line."""
    yield from (f"| {' | '.join(head)} |", f"|{len(head) * '---|'}")
    for cells in rows:
        text = " | ".join(cell.replace("|", r"\|") for cell in cells)
        yield f"| {text} |"


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *_lines(Pages())])


def _lines(pages: Pages) -> Iterator[str]:
    for family in pages.families.values():
        yield from (f"## {family['title']}", "", _text(family["description"]), "")
        if needed := family.get("required"):
            names = " and ".join(f"`{key}`" for key in needed)
            yield from (f"A study has this part if it has the key{'s' * (len(needed) > 1)} {names}.", "")
        yield from _table(pages.keys_in("", {"properties": family["properties"]}))
        for name, schema in ((name, pages.defs[name]) for name in family.get("$defs", {})):
            union, _, chosen = name.partition("/")
            if chosen:
                key = pages.defs[union]["discriminator"]
                yield from (f"### {pages.places[union]} with {key}: {chosen}", "")
                yield from _about(schema)
                yield from _table(pages.keys_in("", schema))
            elif name in pages.shared:
                yield from (f"### `{name}`", "")
                yield from _about(schema)
                yield from _table(pages.keys_in("", schema))


def _about(schema: Schema) -> Iterator[str]:
    yield _text(schema["description"])
    if choices := schema.get("oneOf"):
        yield f"It has exactly one of: {'; '.join(_together(each['required']) for each in choices)}."
    yield ""


def _table(keys: Iterator[Key]) -> Iterator[str]:
    rows = [(f"`{key.path}`", key.type, key.default, key.meaning) for key in keys]
    if rows:
        yield from (*lines_of_table(("key", "type", "default", "meaning"), rows), "")


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _default(schema: Schema, is_required: bool) -> str:
    if is_required:
        return "required"
    # of an object its keys have theirs
    return (
        "–" if schema.get("default", {}) == {} else f"`{json.dumps(schema['default'], ensure_ascii=False)}`"
    )


def _text(description: str) -> str:
    """A description in Markdown: in one line, with links to pages, and what is no emphasis as it is."""
    text = " ".join(description.split()).replace("*", r"\*")
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1](\1.md)", text)


def _order() -> list[str]:
    """The families in the order of the report; what all studies have comes first."""
    return ["study", *re.findall(r'include: "rules/(\w+)\.smk"', (workflow_root() / "Snakefile").read_text())]


def _together(names: Sequence[str]) -> str:
    """`a`, or `a` with `b` and `c`."""
    first, *rest = (f"`{name}`" for name in names)
    return f"{first} with {' and '.join(rest)}" if rest else first


def _listed(names: Any) -> str:
    return ", ".join(f"`{'null' if name is None else name}`" for name in names)


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(name := value.get("$ref"), str):
            yield name.removeprefix(_PREFIX)
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


if __name__ == "__main__":
    write_text(PAGE, page())
