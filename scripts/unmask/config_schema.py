"""The schema of a study as one file, for editors and the workflow catalogue: python -m unmask.config_schema

It is put together from rules/schemas. Not part of the workflow, which reads those: it is written anew when a
schema has changed.
"""

from typing import Any

import yaml

from unmask import plugins
from unmask.files import write_text
from unmask.installation import workflow_root
from unmask.schemas import put_together, read_families

FILE = workflow_root() / "config/schemas/config.schema.yaml"

HEAD = "# Written by `python -m unmask.config_schema` from rules/schemas.\n"


def config_schema() -> str:
    """The JSON Schema of all keys of a study, as YAML.

    Of the keywords of our own (unmask.schemas) those that say what may be written are in plain JSON Schema.
    """
    families = read_families(workflow_root() / "rules/schemas")
    about = {key: families["study"][key] for key in ("title", "description")}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **about, **put_together(families)}
    return HEAD + yaml.safe_dump(_plain(schema), sort_keys=False, allow_unicode=True, width=110)


def _plain(schema: Any) -> Any:
    """A schema, or a part of it, in which names of modules are listed and shorthands are alternatives."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _plain(value) for key, value in schema.items() if key not in ("modules", "shorthand")}
    if isinstance(folder := schema.get("modules"), str):
        plain["enum"] = plugins.names(folder)
    if isinstance(short := schema.get("shorthand"), dict):
        about = {"description": plain.pop("description")} if "description" in plain else {}
        plain = about | {"anyOf": [plain, short]}
    return plain


if __name__ == "__main__":
    write_text(FILE, config_schema())
