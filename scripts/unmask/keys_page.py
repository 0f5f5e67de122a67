"""The page docs/keys.md, from the JSON Schemas of all keys of a study: python -m unmask.keys_page"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from unmask.files import write_text
from unmask.installation import workflow_root
from unmask.keys import CHOOSING, DataFile, Family, Keys
from unmask.study import families

PAGE = workflow_root() / "docs/keys.md"
TOP = """# The keys of a study

Written by `python -m unmask.keys_page`. A study is a YAML file of these keys, and every study has `study`. In
the paths, NAME is any name that a study gives, and [] stands for each item of a list. A dash: the key may be
left out, and has no default. [Adding](adding.md) has examples.
"""
TYPES = {"string": "text", "object": "mapping", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
Schema = Mapping[str, Any]


def page() -> str:
    """The text of the page: what every study may have, then each family in the order of the report."""
    snakefile = (workflow_root() / "Snakefile").read_text("utf-8")
    order = ["study", *re.findall(r'include: "rules/(\w+)\.smk"', snakefile)]
    lines = [TOP]
    for _, family in sorted(families().items(), key=lambda each: order.index(each[0])):
        lines += [*_section(f"## {family.heading}", family)]
        module = sys.modules[family.__module__]
        for keys in vars(module).values():
            if isinstance(keys, type) and issubclass(keys, Keys) and keys.__module__ == module.__name__:
                base, fields = keys.__mro__[1], keys.model_json_schema().get("properties", {})
                if key := next((key for key in CHOOSING if _names(fields.get(key, {}))), None):
                    lines += _section(f"### {base.__name__} with `{key}`: {_names(fields[key])}", keys)
    return "\n".join([*lines, *_section("## DataFile", DataFile)])


def _section(head: str, keys: type[Keys]) -> list[str]:
    schema = keys.model_json_schema()
    needs = " and ".join(f"`{key}`" for key in keys.needs) if issubclass(keys, Family) else ""
    has = [f"A study has this part if it has {needs}.", ""] if needs else []
    head_of_table = ["| key | type | default | meaning |", "|---|---|---|---|"]
    rows = _rows(schema, schema.get("$defs", {}), "")
    return [head, "", _text(str(keys.__doc__)), "", *has, *head_of_table, *rows, ""]


def _rows(schema: Schema, defs: Schema, path: str) -> Iterator[str]:
    """The rows of the keys of a mapping, and of the mappings in it."""
    required = schema.get("required", [])
    for key, stated in schema.get("properties", {}).items():
        inner = _resolved(stated, defs)
        default = (
            "–" if "default" not in stated or "properties" in inner else f"`{json.dumps(stated['default'])}`"
        )
        meaning = _text(stated.get("description") or inner.get("description", ""))
        if path or key not in CHOOSING:
            yield _row(path + key, _type(stated, defs), "required" if key in required else default, meaning)
        named = [*inner.get("patternProperties", {}).values(), inner.get("additionalProperties")]
        for end, of in (("", inner), (".NAME", named[0]), ("[]", inner.get("items"))):
            if isinstance(of, Mapping) and (each := _resolved(of, defs)).get("title") != "DataFile":
                if end and "discriminator" in each:
                    yield _row(f"{path}{key}{end}", "mapping", "–", f"By {_type(each, defs)}.")
                yield from _rows(each, defs, f"{path}{key}{end}.")


def _row(key: str, *cells: str) -> str:
    return " | ".join([f"| `{key}`", *(cell.replace("|", r"\|") for cell in cells)]) + " |"


def _resolved(schema: Schema, defs: Schema) -> Schema:
    """What a schema refers to, and what it is where it is not null."""
    schema = next((each for each in schema.get("anyOf", []) if each.get("type") != "null"), schema)
    return defs[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _type(schema: Schema, defs: Schema) -> str:
    if "discriminator" in schema:
        chosen = schema["discriminator"]
        return f"`{chosen['propertyName']}`: {', '.join(f'`{name}`' for name in chosen['mapping'])}"
    if every := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_type(each, defs) for each in every)
    schema = _resolved(schema, defs)
    if schema.get("title") == "DataFile":
        return "[DataFile](#datafile)"
    if names := _names(schema):
        return names
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}), defs)}".removesuffix(" of ")
    bounds = " and".join(f" {sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
    return str(schema.get("format") or TYPES.get(name := schema.get("type", ""), name)) + bounds


def _names(schema: Schema) -> str:
    names = schema.get("enum") or [schema[key] for key in ("const",) if key in schema]
    return ", ".join(f"`{name}`" for name in names)


def _text(description: str) -> str:
    """A description in Markdown: in one line, with links to pages, and what is no emphasis as it is."""
    text = " ".join(description.split()).replace("*", r"\*")
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1](\1.md)", text)


if __name__ == "__main__":
    write_text(PAGE, page())
