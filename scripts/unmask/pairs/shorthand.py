"""What the keys of pairs are short for: benchmarks by name, and the measures of the kinds of models."""

from collections.abc import Mapping
from typing import Any

from unmask.models.detecting import CAUSAL_LM, MASKED_LM, SCORE_FILE
from unmask.pairs import named_benchmarks
from unmask.schemas import put_together

OF_DECODERS = ("LL", "LLMean", "CCPS", "CSSS", "StartAlone")
"""The measures of causal language models in a study that names none."""


def expand(study: Mapping[str, Any], families: Mapping[str, Any]) -> dict[str, Any]:
    """The study with an entry for each benchmark that it names, and with `measures` where it has none and
    some model is a causal language model, or the scores of some were made elsewhere.

    Raises InputError as `named_benchmarks.expand` does.
    """
    study = named_benchmarks.expand(study, families)
    models = study.get("models")
    entries = models.values() if isinstance(models, Mapping) else ()
    defs = put_together(families)["$defs"]
    # what is made from another model is of that one's kind
    kinds = {_kind(entry, defs) for entry in entries if isinstance(entry, Mapping) and "from" not in entry}
    if "measures" not in study and kinds & {CAUSAL_LM, SCORE_FILE}:
        of_masked = families["pairs"]["properties"]["measures"]["default"] if MASKED_LM in kinds else []
        study["measures"] = [*of_masked, *(OF_DECODERS if CAUSAL_LM in kinds else [])]
    return study


def _kind(entry: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    """What a model is: as its entry says, else what its source makes it by default."""
    of_source = defs.get(f"model/{entry.get('source')}", {}).get("properties", {}).get("kind", {})
    schema = defs.get(of_source.get("$ref", "").removeprefix("#/$defs/"), of_source)
    return str(entry.get("kind", schema.get("default")))
