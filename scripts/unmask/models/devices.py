"""Devices: which one to use, and how much work it takes at a time.

None of these numbers changes a result; they are where speed was best when measured.
"""

from dataclasses import dataclass

import torch

from unmask.errors import InputError


@dataclass(frozen=True)
class Device:
    """Where a model runs."""

    torch: torch.device
    name: str
    """The processor's kind, for provenance: cpu, or the GPU's name."""
    batch_tokens: int
    """Tokens read at once. More does not pay: on a CPU they leave the cache."""
    head_bytes: int
    """Room for the distributions over the vocabulary that are computed at once."""
    shard_tokens: int
    """Roughly how many tokens are read between two writes of evidence: minutes of work, not more."""


def pick_device(name: str, batch_tokens: int | None = None) -> Device:
    """The device called `name`; `auto` is the first GPU, else the CPU.

    Raises InputError where that device is not here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    if device.type == "cpu":
        return Device(device, "cpu", batch_tokens or 2048, 1 << 25, 1 << 18)
    if not torch.cuda.is_available() or (device.index or 0) >= torch.cuda.device_count():
        found = torch.cuda.device_count() if torch.cuda.is_available() else 0
        raise InputError(f"config key runtime.device: {name} asked for, but PyTorch sees {found} GPUs here")
    return Device(device, torch.cuda.get_device_name(device), batch_tokens or 1 << 15, 1 << 30, 1 << 23)
