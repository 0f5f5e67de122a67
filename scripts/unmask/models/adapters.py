"""Adapters of the PEFT library, merged into the weights of the model that they were trained on.

An adapter is a folder with its configuration and its weights. A merged model has no adapter any more: it is
read like any other.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from transformers import PreTrainedModel

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.checking import first_line
from unmask.models.directory import ADAPTER_FILES, files_of
from unmask.models.quiet import quiet_transformers
from unmask.models.random_weights import LANGUAGE_MODELS, save_with_files_of
from unmask.models.tokenizer import load_tokenizer

logger = logging.getLogger(__name__)

CONFIG, WEIGHTS = ADAPTER_FILES

TOLERANCE = 1e-3
"""How far the outputs of the merged model may be from those of model and adapter, in size and as a share."""


def merge_adapter(
    base: str | Path, adapter: str | Path, directory: str | Path, kind: str, repo: str | None = None
) -> dict[str, Any]:
    """Write the language model in `base` with an adapter merged into its weights to `directory`, whole or not
    at all. The tokenizer is that of `base`; the arithmetic is that of float32.

    kind: of LANGUAGE_MODELS. repo: the repository of the hub that the base is from, if it is known. For LoRA
    (Hu et al. 2022, equation 3) a weight becomes W + scale · B A, with scale = alpha / r.

    Returns adapter (type, the base that it names, and size and SHA-256 of its files) and the version of peft.
    Raises InputError, one line, where peft is not installed, for an adapter that lacks a file, is of another
    model, changes weights that the model has in two places, or is of a type that cannot be merged.
    """
    base, adapter = Path(base), Path(adapter)
    stated = _configuration(adapter)
    named = stated.get("base_model_name_or_path")
    if repo is not None and isinstance(named, str) and _last(named) != _last(repo):
        raise InputError(f"adapter: {CONFIG} says that it is of {named}, and the model is {repo}")
    try:
        from peft import PeftModel, get_peft_model_state_dict
    except ImportError:
        raise InputError("an adapter needs the package peft: pip install peft (extra `adapters`)") from None
    try:
        saved = load_file(adapter / WEIGHTS)
    except Exception as error:  # a broken file fails in as many ways as it has parts
        raise InputError(f"adapter: {adapter / WEIGHTS} cannot be read: {first_line(error)}") from None
    tokenizer = load_tokenizer(base)
    _, auto = LANGUAGE_MODELS[kind]
    with quiet_transformers():
        model = auto.from_pretrained(
            base, local_files_only=True, trust_remote_code=False, dtype=torch.float32
        ).eval()
        shared = _shared(model)
        try:
            together = PeftModel.from_pretrained(model, str(adapter), torch_device="cpu").eval()
        except Exception as error:  # each type of adapter has its own way with a model that it is not of
            raise InputError(f"adapter: it does not fit the model: {first_line(error)}") from None
        if tied := shared.intersection(getattr(together, "targeted_module_names", ())):
            raise InputError(
                f"adapter: it changes {min(tied)}, whose weights the model has in another place too, "
                "so that it cannot be merged"
            )
        # embeddings beside the adapter's own weights would be of a larger vocabulary than the tokenizer's
        loaded = get_peft_model_state_dict(together, save_embedding_layers=False)
        _check_weights(saved, loaded)
        ids = torch.arange(min(8, len(tokenizer)))[None]
        with torch.inference_mode():
            expected = together(input_ids=ids).logits
        try:
            merged = together.merge_and_unload(safe_merge=True)
        except Exception as error:  # types that have no weights of layers, as prompts
            type_ = stated["peft_type"]
            raise InputError(f"adapter: {type_} cannot be merged: {first_line(error)}") from None
    with torch.inference_mode():
        if not torch.allclose(merged(input_ids=ids).logits, expected, rtol=TOLERANCE, atol=TOLERANCE):
            raise InputError("adapter: the merged model gives other outputs than model and adapter")
    save_with_files_of(merged, base, files_of(base, f"model directory {base}").tokenizer, directory)
    logger.info("%s: %s adapter of %s merged", directory, stated["peft_type"], adapter)
    files = {
        name: {"size": (adapter / name).stat().st_size, "sha256": sha256_of_file(adapter / name)}
        for name in ADAPTER_FILES
    }
    about = {"type": stated["peft_type"], "base": named, "files": files}
    return {"adapter": about, "peft": version("peft")}


def _configuration(adapter: Path) -> dict[str, Any]:
    for name in ADAPTER_FILES:
        if not (adapter / name).is_file():
            raise InputError(f"adapter: {adapter} has no {name}")
    try:
        stated = json.loads((adapter / CONFIG).read_bytes())
    except ValueError:
        stated = None
    if not isinstance(stated, dict) or not isinstance(stated.get("peft_type"), str):
        raise InputError(f"adapter: {adapter / CONFIG} is not the configuration of an adapter")
    return stated


def _last(name: str) -> str:
    """The name of a repository or folder without its owner, in which renamed repositories agree."""
    return name.rstrip("/").rpartition("/")[2].casefold()


def _shared(model: PreTrainedModel) -> set[str]:
    """The layers whose weights stand in another place of the model too, as in a head tied to an embedding."""
    weights = dict(model.named_parameters(remove_duplicate=False))
    places = Counter(weight.data_ptr() for weight in weights.values())
    return {name.rpartition(".")[0] for name, weight in weights.items() if places[weight.data_ptr()] > 1}


def _check_weights(saved: Mapping[str, torch.Tensor], loaded: Mapping[str, torch.Tensor]) -> None:
    """Raise InputError where an adapter was not loaded whole: its library passes over what does not fit."""
    differing = sorted(saved.keys() ^ loaded.keys())
    if differing:
        lacks = "lacks" if differing[0] in loaded else "has"
        raise InputError(f"adapter: it does not fit the model: its file {lacks} {differing[0]}")
