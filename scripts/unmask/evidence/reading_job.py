"""What a job that reads a benchmark with a model hands to its parts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unmask.errors import InputError
from unmask.evidence.survey import Survey
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.models.devices import Device
from unmask.models.start import Start


@dataclass(frozen=True)
class ReadingJob:
    """One model that reads one benchmark."""

    names: Mapping[str, str]
    """The names of the `model` and of the `benchmark`."""
    pairs: pd.DataFrame
    manifest: Mapping[str, Any]
    device: Device
    dtype: str
    stack: str | None
    """Whose attention is read in a model with two stacks: encoder or decoder."""
    surveyed: Survey
    """What the tokenizer makes of the benchmark."""
    benchmark_sha256: str
    record: Callable[..., dict[str, Any]]
    """unmask.facts.record with the inputs of the job: takes a digest of code and the names of packages."""

    @property
    def start(self) -> Start | None:
        """What a causal language model reads before each text; None for a masked one."""
        return Start.of(self.manifest)

    @property
    def kind(self) -> str:
        """The kind of the model."""
        return MASKED_LM if self.start is None else CAUSAL_LM

    @property
    def shared_facts(self) -> dict[str, Any]:
        """What every table states of the model, of how it was run, and of the benchmark."""
        return {
            "device": self.device.name,
            "dtype": self.dtype,
            "attention": self.stack,
            **({"start": self.start.token} if self.start else {}),
            **{key: self.manifest[key] for key in ("tokenizer_remarks",) if key in self.manifest},
            "weights": self.manifest["weights_digest"],
            "tokenizer": self.manifest["tokenizer_digest"],
            "benchmark_sha256": self.benchmark_sha256,
        }

    def with_names(self, error: InputError) -> InputError:
        """The error with the names of the model and of the benchmark."""
        return with_names(error, self.names)


def with_names(error: InputError, names: Mapping[str, str]) -> InputError:
    """An error with the names of a model and of a benchmark."""
    return InputError(f"model {names['model']}, benchmark {names['benchmark']}, {error}")
