"""Evidence of tiny models on the example pairs, and the same models read in the plainest way."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pandas as pd
import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

from examples import example_pairs
from library import (
    CAUSAL_LM,
    CAUSAL_MASKINGS,
    NONE,
    ORIGINAL,
    LoadedModel,
    Start,
    check_model,
    collect_evidence,
    load,
    pick_device,
)
from literal import LeftReader, Reader
from study_schema import MASKED_MASKINGS
from tiny_models import ARCHITECTURES, tiny_decoder, tiny_model


@cache
def directory(architecture: str) -> Path:
    make = tiny_model if architecture in ARCHITECTURES else tiny_decoder
    return make(architecture, Path(mkdtemp(prefix=f"tiny-{architecture}-")))


def loaded(
    architecture: str,
    start: str | None = None,
    batch_tokens: int | None = 64,
    attention: bool = False,
    **more: Any,
) -> LoadedModel:
    """start: the setting of a causal language model; None for its own."""
    if architecture not in ARCHITECTURES:
        more["start"] = Start.of(check_model(directory(architecture), CAUSAL_LM, "tiny", start))
    return load(directory(architecture), pick_device("cpu", batch_tokens), attention, **more)


def evidence_rows(
    architecture: str, masking: str, pairs: pd.DataFrame | None = None, **more: Any
) -> pd.DataFrame:
    """more: of `loaded`."""
    model = loaded(architecture, attention=masking == NONE, **more)
    return collect_evidence(example_pairs() if pairs is None else pairs, model, masking, ORIGINAL)


@cache
def evidence_of(architecture: str, start: str | None = None) -> Mapping[str, pd.DataFrame]:
    """By masking."""
    maskings = MASKED_MASKINGS if architecture in ARCHITECTURES else CAUSAL_MASKINGS
    return {masking: evidence_rows(architecture, masking, start=start) for masking in maskings}


def plain(auto: Any, directory: Path, dtype: torch.dtype = torch.float32) -> tuple[Any, Any]:
    """A network and its tokenizer."""
    network = auto.from_pretrained(directory, attn_implementation="eager", dtype=dtype).eval()
    return network, AutoTokenizer.from_pretrained(directory)


def masked_reader(model: str | Path, dtype: torch.dtype = torch.float32) -> Reader:
    """Of an architecture, or of a model's directory."""
    return Reader(*plain(AutoModelForMaskedLM, model if isinstance(model, Path) else directory(model), dtype))


def left_reader(architecture: str, start: str | None = None) -> LeftReader:
    network, tokenizer = plain(AutoModelForCausalLM, directory(architecture))
    return LeftReader(network, tokenizer, tokenizer.bos_token_id if start is None else None)
