"""Devices: which one to use, how much work it takes at a time, and what to do when its memory is full.

The sizes change no result beyond float error; they are where speed was best when measured.
"""

import gc
import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import torch

from unmask.errors import InputError
from unmask.models.claiming import claim

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

OUT_OF_MEMORY = re.compile(
    "allocate memory|not enough memory|out of memory|bad_alloc|CUBLAS_STATUS_ALLOC_FAILED"
    # oneDNN; its other errors speak of descriptors
    "|could not (create|execute) a primitive(?! descriptor)"
)
"""What errors say that are about memory, but of no type of their own."""

SAME = "the results stay the same but for rounding, which the shape of a batch may change"


@dataclass
class Device:
    """Where a model runs. What it takes at a time is made less, for good, when its memory is too small."""

    torch: torch.device
    name: str
    """The processor's kind, for provenance: cpu, or the GPU's name."""
    batch_tokens: int
    """Tokens read at once. More does not pay: on a CPU they leave the cache."""
    head_bytes: int
    """Room for the distributions over the vocabulary that are computed at once."""
    shard_tokens: int
    """Roughly how many tokens are read between two writes of evidence: minutes of work, not more."""
    head_rows: int = 1 << 30
    """The most distributions that are computed at once, however small the vocabulary is."""

    def __str__(self) -> str:
        return self.name if self.torch.type == "cpu" else f"{self.torch} ({self.name})"

    def take_half(self, sequences: int, length: int) -> None:
        """Take half of a batch at a time from here on: one of `sequences` of `length` tokens was too large.

        Raises InputError where that was a single sequence.
        """
        if sequences == 1:
            raise InputError(
                f"one sequence of {length} tokens by itself is too large for the memory of {self}: "
                "give it more, or take another device (config key runtime.device)"
            )
        self.batch_tokens = sequences // 2 * length
        logger.warning(
            "out of memory on %s with %d sequences of %d tokens at a time: "
            "at most %d tokens from here on; %s",
            self,
            sequences,
            length,
            self.batch_tokens,
            SAME,
        )


def pick_device(name: str, batch_tokens: int | None = None) -> Device:
    """The device called `name`; `auto` is a GPU, else the CPU.

    Raises InputError where that device is not here.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    if device.type == "cpu":
        # 16 MiB: what takes 32 or more goes back to the system each time, and comes anew page by page
        return Device(device, "cpu", batch_tokens or 2048, 1 << 24, 1 << 18, head_rows=256)
    if not torch.cuda.is_available() or (device.index or 0) >= torch.cuda.device_count():
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        raise InputError(f"config key runtime.device: {name} asked for, but PyTorch sees {count} GPUs here")
    return Device(device, torch.cuda.get_device_name(device), batch_tokens or 1 << 15, 1 << 30, 1 << 23)


@contextmanager
def claim_device(name: str, batch_tokens: int | None = None) -> Iterator[Device]:
    """The device called `name`, a GPU being this process's own while the block runs.

    `auto` and `cuda` are the first free GPU, `cuda:N` is that one; where it is taken by another process
    of this user that came here too, this one waits. The CPU is for all.
    Raises InputError as `pick_device` and `claim` do.
    """
    device = pick_device(name, batch_tokens)
    if device.torch.type == "cpu":
        yield device
        return
    some = range(torch.cuda.device_count()) if device.torch.index is None else [device.torch.index]
    # CUDA_VISIBLE_DEVICES may number the GPUs otherwise for each process: the identifier stays
    index = {str(torch.cuda.get_device_properties(number).uuid): number for number in some}
    with claim(list(index)) as claimed:
        device = pick_device(f"cuda:{index[claimed]}", batch_tokens)
        # nothing shall go to the first GPU because it is the default one
        torch.cuda.set_device(device.torch)
        logger.info("running on %s", device)
        yield device


def within_memory(action: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """What `action` gives; None where memory runs out, and then all that the action held is free again."""
    try:
        return action(*args, **kwargs)
    except (RuntimeError, MemoryError, OSError) as error:
        if not ran_out_of_memory(error):
            raise
        logger.info("%s", str(error).partition("\n")[0])
    # only here, with the error gone, do the tensors of the calls that failed belong to nobody
    gc.collect()
    torch.cuda.empty_cache()
    return None


def ran_out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory, of whatever device, is too small."""
    known = isinstance(error, torch.OutOfMemoryError | MemoryError)
    return known or OUT_OF_MEMORY.search(str(error)) is not None
