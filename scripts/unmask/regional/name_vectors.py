"""Contextualised vectors of regions' names alone, which Figure 3 of the paper lays out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from transformers import AutoModel

from unmask.errors import InputError
from unmask.models.devices import Device
from unmask.models.encoders import last_hidden_state
from unmask.models.quiet import quiet_transformers
from unmask.models.tokenizer import load_tokenizer


@torch.inference_mode()
def name_vectors(
    directory: str | Path, names: Sequence[str], device: Device, max_length: int | None = None
) -> npt.NDArray[np.float32]:
    """The vectors of names (names × width), each read by itself: no sentence, nothing hidden, no padding.

    A vector is the mean of the last hidden states of the name's tokens, special ones left out; of a model
    with a decoder, those of its encoder. directory: a masked language model, which has been checked.
    max_length: tokens that it takes; None for any number.
    Raises InputError for a name without tokens, and for one of more than `max_length`.
    """
    with quiet_transformers():
        tokenizer = load_tokenizer(directory)
        network = AutoModel.from_pretrained(directory, local_files_only=True, dtype=torch.float32)
    network.eval().to(device.torch)
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    for name in dict.fromkeys(names):
        encoding = tokenizer(name, return_special_tokens_mask=True, verbose=False)
        ids, content = encoding["input_ids"], np.array(encoding["special_tokens_mask"]) == 0
        if not content.any():
            raise InputError(f"the region {name!r} has no token")
        if max_length is not None and len(ids) > max_length:
            raise InputError(f"the region {name!r} has {len(ids)} tokens, the model takes {max_length}")
        hidden = last_hidden_state(network, torch.tensor([ids], device=device.torch))[0]
        vectors[name] = (
            hidden[torch.from_numpy(content).to(hidden.device)].double().mean(0).float().cpu().numpy()
        )
    return np.stack([vectors[name] for name in names])
