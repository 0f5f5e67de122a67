"""What the reader of a task gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Task:
    """A task: what models are fine-tuned on, and what they then predict."""

    examples: pd.DataFrame
    """As EXAMPLES."""
    items: pd.DataFrame
    """As ITEMS."""
    labels: tuple[str, ...] | None
    """The names of the labels by number; None for similarity."""
    remarks: tuple[str, ...] = ()
    """What a reader of the numbers should know: what was left out, and why."""
    truth: Mapping[str, Any] | None = None
    """Of a made task, as the metadata of ITEMS has it."""
