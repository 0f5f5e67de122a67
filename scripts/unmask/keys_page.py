"""The page docs/keys.md, from the JSON Schemas of all keys of a study: python -m unmask.keys_page"""

import json
import re
from collections.abc import Mapping
from typing import Any

from unmask import workflow_root
from unmask.files import write_text
from unmask.keys import CHOOSING
from unmask.study import families

PAGE = workflow_root() / "docs/keys.md"
TOP = """# The keys of a study

Written by `python -m unmask.keys_page`. A study is a YAML file of these keys, and every study has `study`. It
has a part below if it has the keys that are required there. A dash: the key may be left out, and has no
default. [Adding](adding.md) has examples.
"""
TYPES = {"string": "text", "object": "mapping", "boolean": "true or false"}
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
Schema = Mapping[str, Any]


def page() -> str:
    """The text of the page: what every study may have, then each family in the order of the report, behind
    it the mappings in it that are new."""
    snakefile = (workflow_root() / "Snakefile").read_text("utf-8")
    order = ["study", *re.findall(r'include: "rules/(\w+)\.smk"', snakefile)]
    parts, known = [TOP], dict[str, Schema]()
    for name, family in sorted(families().items(), key=lambda each: order.index(each[0])):
        schema = family.model_json_schema()
        inner = schema.get("$defs", {})
        parts.append(_section(f"## {name.capitalize()}", schema, inner))
        new = [name for name in inner if known.get(name) != inner[name]]
        parts += [_section(f"### Keys of {name}", inner[name], inner) for name in new]
        known |= inner
    return "\n".join(parts)


def _section(head: str, schema: Schema, inner: Schema) -> str:
    lines = [head, "", *([_text(schema["description"]), ""] if "description" in schema else [])]
    lines += ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, stated in schema.get("properties", {}).items():
        is_plain = "default" in stated and not isinstance(stated["default"], dict)
        default = f"`{json.dumps(stated['default'])}`" if is_plain else "–"
        # one without a meaning of its own has that of the mapping in it
        mappings = [inner[name] for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(stated))]
        meanings = [each.get("description") for each in (stated, *mappings)]
        chooses = "Chooses this mapping." if key in CHOOSING else ""
        meaning = _text(next(filter(None, meanings), chooses))
        cells = _type(stated), "required" if key in schema.get("required", []) else default, meaning
        lines.append(" | ".join([f"| `{key}`", *(cell.replace("|", r"\|") for cell in cells)]) + " |")
    return "\n".join([*lines, ""])


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#keys-of-{name.lower()})"
    if every := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(map(_type, every))
    if names := schema.get("enum") or [schema[key] for key in ("const",) if key in schema]:
        return ", ".join(f"`{name}`" for name in names)
    values = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    if isinstance(values[0], Mapping):
        return f"mapping of names to {_type(values[0])}"
    if schema.get("items"):
        return f"list of {_type(schema['items'])}"
    bounds = " and".join(f" {sign} {schema[key]}" for key, sign in BOUNDS.items() if key in schema)
    return str(schema.get("format") or TYPES.get(name := schema.get("type", "any"), name)) + bounds


def _text(description: str) -> str:
    """A description in Markdown: in one line, with links to pages, and what is no emphasis as it is."""
    text = " ".join(description.split()).replace("*", r"\*")
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1](\1.md)", text)


if __name__ == "__main__":
    write_text(PAGE, page())
