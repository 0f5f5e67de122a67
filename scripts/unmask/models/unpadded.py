"""What a classifier makes of texts, read in batches of exactly one length.

Nothing is padded, so what is found of one text depends on no other beyond float error. What reads the same is
read once.
"""

import numpy as np
import numpy.typing as npt
import torch
from transformers import PreTrainedModel

from unmask.errors import InputError
from unmask.models.devices import Device, within_memory
from unmask.models.tokens import Tokens


def logits_of(
    network: PreTrainedModel, tokens: Tokens, device: Device, some: npt.NDArray[np.int64] | None = None
) -> npt.NDArray[np.float32]:
    """The logits (texts × labels) of texts, or of `some` of them by number.

    network: on the device, in evaluation mode. The longest come first, so that memory runs out early or
    never: a batch that does not fit is halved, and so are those after it, also of later calls with the same
    device.
    Raises InputError for a text that does not fit by itself, and for logits that are not finite.
    """
    numbers = np.arange(len(tokens)) if some is None else some
    lengths = np.diff(tokens.starts)[numbers]
    logits = np.empty((len(numbers), network.config.num_labels or 0), dtype=np.float32)
    for length in np.unique(lengths)[::-1]:
        places = np.flatnonzero(lengths == length)
        at = tokens.starts[numbers[places]][:, None] + np.arange(length)
        rows = tokens.ids[at]
        if tokens.types is not None:
            rows = np.concatenate([rows, tokens.types[at].astype(np.int32)], axis=1)
        distinct, which = np.unique(rows, axis=0, return_inverse=True)
        logits[places] = _in_batches(network, distinct, int(length), device)[which.reshape(-1)]
    if not np.isfinite(logits).all():
        raise InputError("predicting: the model gives logits that are not finite numbers")
    return logits


def _in_batches(
    network: PreTrainedModel, rows: npt.NDArray[np.int32], length: int, device: Device
) -> npt.NDArray[np.float32]:
    """The logits of rows of one length: token ids, and behind them the types if there are any."""
    parts = []
    done = 0
    while done < len(rows):
        batch = rows[done : done + max(1, device.batch_tokens // length)]
        part = within_memory(_read, network, batch, length, device)
        if part is None:
            device.take_half(len(batch), length)
            continue
        parts.append(part)
        done += len(batch)
    return np.concatenate(parts)


@torch.inference_mode()
def _read(
    network: PreTrainedModel, rows: npt.NDArray[np.int32], length: int, device: Device
) -> npt.NDArray[np.float32]:
    values = torch.from_numpy(rows.astype(np.int64)).to(device.torch)
    ids = values[:, :length]
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    if values.shape[1] > length:
        inputs["token_type_ids"] = values[:, length:]
    logits: npt.NDArray[np.float32] = network(**inputs).logits.float().cpu().numpy()
    return logits
