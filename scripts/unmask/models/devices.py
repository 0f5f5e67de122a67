"""Devices: which one to use, how much work it takes at a time, and what to do when its memory is full.

The sizes change no result beyond float error; they are where speed was best when measured.
"""

import gc
import logging
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import cycle, groupby
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from filelock import FileLock, Timeout

from unmask.errors import InputError

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")
Input = TypeVar("Input", bound=bytes | tuple[Any, ...])

OUT_OF_MEMORY = re.compile(
    "allocate memory|not enough memory|out of memory|bad_alloc|CUBLAS_STATUS_ALLOC_FAILED"
    # oneDNN; its other errors speak of descriptors
    "|could not (create|execute) a primitive(?! descriptor)"
)
"""What errors say that are about memory, but of no type of their own."""

POLL_SECONDS = 0.5
"""How often a job that waits looks for a GPU."""


@dataclass
class Device:
    """Where a model runs. What it takes at a time is made less, for good, when its memory is too small.

    name: the processor's kind, for provenance: cpu, or the GPU's name. batch_tokens: read at once; more does
    not pay: on a CPU they leave the cache. head_bytes, head_rows: room for the distributions over the
    vocabulary that are computed at once, and the most of them. shard_tokens: about how many tokens are read
    between two writes of evidence: minutes of work, not more.
    """

    torch: torch.device
    name: str
    batch_tokens: int
    head_bytes: int
    shard_tokens: int
    head_rows: int = 1 << 30

    def __str__(self) -> str:
        return self.name if self.torch.type == "cpu" else f"{self.torch} ({self.name})"

    def too_small_for(self, what: str) -> InputError:
        """The error to raise for what does not fit into the device's memory."""
        return InputError(
            f"{what} is too large for the memory of {self}: give it more, or take another device "
            "(config key runtime.device)"
        )

    def take_half(self, sequences: int, length: int) -> None:
        """Take half of a batch at a time from here on: one of `sequences` of `length` tokens was too large.

        Raises InputError where that was a single sequence.
        """
        if sequences == 1:
            raise self.too_small_for(f"one sequence of {length} tokens by itself")
        self.batch_tokens = sequences // 2 * length
        tried = f"{sequences} sequences of {length} tokens at a time"
        now = f"at most {self.batch_tokens} tokens from here on"
        same = "the results stay the same but for rounding, which the shape of a batch may change"
        logger.warning("out of memory on %s with %s: %s; %s", self, tried, now, same)

    def in_parts(self, sequences: int, length: int, read: Callable[[slice], T]) -> Iterator[T]:
        """What `read` gives for `sequences` of `length` tokens, part by part, each of which fits into memory.

        Raises InputError as `take_half` does.
        """
        start = 0
        while start < sequences:
            part = slice(start, min(start + max(1, self.batch_tokens // length), sequences))
            result = within_memory(read, part)
            if result is None:
                self.take_half(part.stop - start, length)
                continue
            yield result
            start = part.stop


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
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if (device.index or 0) >= count:
        raise InputError(f"config key runtime.device: {name} asked for, but PyTorch sees {count} GPUs here")
    return Device(device, torch.cuda.get_device_name(device), batch_tokens or 1 << 15, 1 << 30, 1 << 23)


@contextmanager
def claim_device(name: str, batch_tokens: int | None = None) -> Iterator[Device]:
    """The device called `name`, a GPU being this process's own while the block runs.

    `auto` and `cuda` are the first free GPU, `cuda:N` is that one; where it is taken by another process
    of this user that came here too, this one waits. The CPU is for all.
    Raises InputError as `pick_device` does.
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


@contextmanager
def claim(names: Sequence[str]) -> Iterator[str]:
    """The first of `names` that no other process of this user holds, held while the block runs.

    Waits until one is free. Each is a locked file among the temporary files, which the operating system frees
    when the process ends, however that comes about.
    """
    for tries, name in enumerate(cycle(names), start=1):
        file = Path(tempfile.gettempdir(), f"unmask-{os.getuid()}-{name}.lock")
        try:
            lock = FileLock(file, timeout=0, mode=0o600).acquire()
        except Timeout:
            if tries == len(names):
                logger.warning("waiting: other jobs hold every GPU that this one may use (%d)", tries)
            if tries % len(names) == 0:
                time.sleep(POLL_SECONDS)
            continue
        with lock:
            yield name
        return


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


def read_in_batches(
    inputs: Sequence[Input],
    shape: Callable[[Input], tuple[int, ...]],
    read: Callable[[Sequence[Input]], torch.Tensor],
    device: Device,
) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
    """What a network makes of inputs, each read once: the numbers of equal inputs, and their result.

    shape: of an input, first how many tokens it is. Those of one shape are read together, so that nothing is
    padded and no result depends on other inputs beyond float error. read: from inputs to as many results.
    Batches are halved where memory runs out, for good; the largest inputs come first, so that it does early
    or never. Raises InputError where one input is too large by itself.
    """
    numbers: dict[Input, list[int]] = {}
    for number, each in enumerate(inputs):
        numbers.setdefault(each, []).append(number)

    @torch.inference_mode()
    def results(some: Sequence[Input], rows: slice) -> Any:
        return zip(some[rows], read(some[rows]).float().cpu().numpy(), strict=True)

    in_order = sorted(numbers, key=lambda each: ([-size for size in shape(each)], each))
    for (length, *_), alike in groupby(in_order, key=shape):
        distinct = list(alike)
        for part in device.in_parts(len(distinct), length, partial(results, distinct)):
            yield from ((numbers[each], result) for each, result in part)
