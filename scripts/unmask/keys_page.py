"""The page docs/keys.md, from the schemas of all keys of a study: python -m unmask.keys_page

Not part of the workflow: it is written anew when a schema has changed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from unmask import plugins
from unmask.files import write_text
from unmask.installation import workflow_root
from unmask.schemas import Families, choices, put_together, read_families, resolved

DOCS = workflow_root() / "docs"
PAGE = DOCS / "keys.md"
HEAD = ("key", "type", "default", "meaning")

TOP = """# The keys of a study

Written by `python -m unmask.keys_page` from `rules/schemas`. A study is a YAML file of these keys, and every
study has `study`. In the paths, NAME is any name that a study gives, and [] stands for each item of a list.
A dash: the key may be left out, and has no default. [Adding](adding.md) has examples.
"""

TYPES = {"string": "text", "object": "mapping", "boolean": "true or false", "array": "list"}
FORMATS = {"directory": "folder", "model-directory": "folder of a model", "url": "address"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}

Schema = Mapping[str, Any]


def page(families: Families) -> str:
    """The text of the page, on which the families stand in their order."""
    lines = [TOP]
    defs = put_together(families)["$defs"]
    for family in families.values():
        lines += [f"## {family['title']}", "", _text(family["description"]), ""]
        if needed := family.get("required"):
            names = " and ".join(f"`{key}`" for key in needed)
            lines += [f"A study has this part if it has the key{'s' * (len(needed) > 1)} {names}.", ""]
        lines += _table(_keys_in(defs, "", {"properties": family["properties"]}))
        for name in filter(lambda name: _has_table(defs[name]), family.get("$defs", {})):
            of, _, chosen = name.partition("/")
            title = f"{of} with {defs[of]['discriminator']}: {chosen}" if chosen else name
            lines += [f"### {title}", "", _text(defs[name]["description"])]
            if alternatives := defs[name].get("oneOf"):
                lines.append(
                    f"It has exactly one of: {choices([each['required'] for each in alternatives])}."
                )
            lines += ["", *_table(_keys_in(defs, "", defs[name]))]
    return "\n".join(lines)


def lines_of_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown, line by line."""
    yield from (f"| {' | '.join(head)} |", f"|{len(head) * '---|'}")
    for cells in rows:
        text = " | ".join(cell.replace("|", r"\|") for cell in cells)
        yield f"| {text} |"


def _table(rows: Iterator[Sequence[str]]) -> list[str]:
    every = list(rows)
    return [*lines_of_table(HEAD, every), ""] if every else []


def _keys_in(defs: Schema, path: str, schema: Schema) -> Iterator[Sequence[str]]:
    """The rows of the keys of an object, or of the objects of a list."""
    start = f"{path}." if path else ""
    for name, inner in schema.get("properties", {}).items():
        # the name of an alternative is said above its table
        if isinstance(inner, Mapping):
            yield from _keys(defs, f"{start}{name}", inner, name in schema.get("required", []))
    named = schema.get("additionalProperties")
    if isinstance(named, Mapping) and resolved(named, defs).keys() & {"properties", "discriminator"}:
        yield from _keys(defs, f"{start}NAME", named)
    if "properties" in schema.get("items", {}):
        yield from _keys_in(defs, f"{path}[]", schema["items"])


def _keys(defs: Schema, path: str, stated: Schema, is_required: bool = False) -> Iterator[Sequence[str]]:
    """The rows of a key and of all keys in it; those of an object with a table of its own are there."""
    schema, name = resolved(stated, defs), stated.get("$ref", "").removeprefix("#/$defs/")
    has_table = name in defs and _has_table(defs[name])
    meaning = _text(schema.get("description", ""))
    if has_table:
        meaning += f" Its keys: [`{name}`](#{name})."
    elif key := schema.get("discriminator"):
        meaning += f" By `{key}`: {_listed(schema['properties'][key]['enum'])}."
    default = "–"
    if is_required:
        default = "required"
    elif schema.get("default", {}) != {}:
        default = f"`{json.dumps(schema['default'], ensure_ascii=False)}`"
    # where a family adds to an object of another one, that one says what it is
    if schema.keys() != {"properties"}:
        yield f"`{path}`", _type(defs, schema), default, meaning.strip()
    if not has_table and "discriminator" not in schema and "string" not in _types(schema):
        yield from _keys_in(defs, path, schema)


def _has_table(schema: Schema) -> bool:
    return "properties" in schema and "discriminator" not in schema and "string" not in _types(schema)


def _type(defs: Schema, schema: Schema) -> str:
    if "enum" in schema or "const" in schema:
        return _listed(schema.get("enum") or [schema["const"]])
    if "among" in schema:
        return f"a name under `{schema['among']}`"
    if "modules" in schema:
        return _listed(plugins.names(schema["modules"]))
    words = {**TYPES, "array": _list(defs, schema)}
    if "format" in schema:
        words["string"] = FORMATS.get(schema["format"], str(schema["format"]))
    elif "then" in schema and "not" in schema.get("if", {}):
        words["string"] = f"`{schema['if']['not']['const']}` or {schema['then']['format']}"
    if not schema.keys() & {"additionalProperties", "discriminator"}:
        words["object"] = "any mapping"
    bounds = " and".join(f" {sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
    words |= {number: f"{number}{bounds}" for number in ("integer", "number")}
    return " or ".join(words.get(each, each) for each in _types(schema))


def _list(defs: Schema, schema: Schema) -> str:
    if "items" not in schema:
        return "list"
    items = _type(defs, resolved(schema["items"], defs)).removeprefix("a ")
    first, space, rest = items.partition(" ")
    return f"list of {first if first.startswith('`') else f'{first}s'}{space}{rest}"


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _text(description: str) -> str:
    """A description in Markdown: in one line, with links to pages, and what is no emphasis as it is."""
    text = " ".join(description.split()).replace("*", r"\*")
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1](\1.md)", text)


def _listed(names: Iterable[object]) -> str:
    return ", ".join(f"`{'null' if name is None else name}`" for name in names)


def all_families() -> Families:
    """The families in the order of the report; what all studies have comes first."""
    snakefile = (workflow_root() / "Snakefile").read_text(encoding="utf-8")
    order = ["study", *re.findall(r'include: "rules/(\w+)\.smk"', snakefile)]
    schemas = read_families(workflow_root() / "rules/schemas")
    return {name: schemas[name] for name in sorted(schemas, key=order.index)}


if __name__ == "__main__":
    write_text(PAGE, page(all_families()))
