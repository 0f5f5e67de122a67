"""Training a model, by the Trainer of transformers: resumed after any kill, within the memory there is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import Tensor
from torch.utils.data import Dataset
from transformers import PreTrainedModel

from unmask.models.devices import Device

Batch = dict[str, Tensor]
Loss = Callable[[PreTrainedModel, Batch], Tensor]


@dataclass(frozen=True)
class Settings:
    """How a model is trained: by AdamW, with a rate that falls linearly to 0."""

    batch: int
    learning_rate: float
    steps: int
    seed: int
    weight_decay: float = 0.0
    clip: float = 1.0
    """Largest norm of the gradient."""
    save_every: int = 500
    """Steps between two states that training can go on from."""


def train(
    model: PreTrainedModel,
    examples: Dataset[Any],
    collate: Callable[[list[Any]], Batch],
    settings: Settings,
    work: Path,
    device: Device,
    loss: Loss | None = None,
    at: Sequence[int] = (),
    on_step: Callable[[int], None] | None = None,
) -> list[dict[str, float]]:
    """Train `model`, in place, on the `examples`, shuffled anew in each epoch.

    collate: makes a batch (input_ids, attention_mask, labels …) of a list of examples; what it draws,
    it draws from
    PyTorch's own generator. loss: of a batch; by default the model's own. on_step: called with each of
    the steps in `at`
    (0 is before the first, the last after the last), the model in evaluation mode; what it draws
    changes nothing.
    work: a folder for the states; a call with one that a killed process left goes on from there, and
    on_step is not
    called again for steps that lie before. The caller removes it when it has what it wants.

    Returns the mean loss of every tenth of the steps, as {step, loss}. A batch that does not fit into
    memory is read in
    halves, and so are those after it. On the same machine, with as many threads, the same call gives the same
    weights, be it interrupted or not.
    Raises InputError for a loss that is not a number, and for a single example that does not fit into memory.
    """
    raise NotImplementedError
