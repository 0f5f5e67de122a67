"""What the parts of a job have in common that reads a benchmark with a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.evidence.survey import Survey
from unmask.models.devices import Device


@dataclass(frozen=True)
class Reading:
    """One model and one benchmark."""

    names: Mapping[str, str]
    """Of the model and of the benchmark."""
    pairs: pd.DataFrame
    manifest: Mapping[str, Any]
    device: Device
    dtype: str
    stack: str | None
    """Whose attention is read of a model that has two stacks."""
    surveyed: Survey
    benchmark_sha256: str
    record: Callable[..., dict[str, Any]]
    """From a digest of code and the names of packages to what a table says of how it was made."""

    @property
    def made_with(self) -> dict[str, Any]:
        """What every table says of the model, of how it was run, and of the benchmark."""
        return {
            "device": self.device.name,
            "dtype": self.dtype,
            "attention": self.stack,
            "weights": self.manifest["weights_digest"],
            "tokenizer": self.manifest["tokenizer_digest"],
            "benchmark_sha256": self.benchmark_sha256,
        }

    def named(self, error: InputError) -> InputError:
        """The error with the names of the model and of the benchmark."""
        return named(error, self.names)


def named(error: InputError, names: Mapping[str, str]) -> InputError:
    """An error with the names of a model and of a benchmark."""
    return InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}")
