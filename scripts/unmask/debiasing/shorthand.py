"""What the key `debiasing` of a study is short for: every model of `of`, debiased by every one of
`methods`."""

import copy
from collections.abc import Mapping
from typing import Any

from unmask.errors import InputError


def expand(study: Mapping[str, Any], families: Mapping[str, Any]) -> dict[str, Any]:
    """The study with an entry {model}-{method} under `models` for each.

    What is not of the right shape is left as it is, for the schema to refuse. Raises InputError where a
    model has that name already.
    """
    study = dict(study)
    models, debiasing = study["models"], study["debiasing"]
    if not (isinstance(models, dict) and isinstance(debiasing, dict)):
        return study
    bases, methods = debiasing.get("of"), debiasing.get("methods")
    if not (isinstance(bases, list) and isinstance(methods, dict)):
        return study
    expanded = copy.deepcopy(models)
    for base in bases:
        if not isinstance(base, str):
            continue
        if base not in models:
            known = ", ".join(map(str, models))
            raise InputError(
                f"config key debiasing.of: {base!r} is none of the study's models (known: {known})"
            )
        for name, entry in methods.items():
            if not isinstance(entry, dict):
                continue
            model = f"{base}-{name}"
            spelt_out = {"source": "debiased", "from": base, "method": name, **entry}
            # a completed study has it, with defaults filled in
            present = expanded.setdefault(model, spelt_out)
            if not isinstance(present, dict) or not spelt_out.items() <= present.items():
                raise InputError(f"config key debiasing.of: {model} is among the models already")
    return study | {"models": expanded}
