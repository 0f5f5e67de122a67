"""A job that runs a model: the device that it has, and the model's manifest."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from unmask.job import NETWORKS, Job, job  # isort: split

import torch
import transformers.utils

from unmask.files import read_facts
from unmask.models.devices import Device, claim_device, ran_out_of_memory
from unmask.models.directory import check_files

with patch.object(transformers.utils, "is_scipy_available", bool):
    # it would load all of scipy.optimize for the losses of object detection, a third of a second of each job
    import transformers.modeling_utils


class ModelJob(Job):
    """A job with a device, and the manifest of the model that is its input `manifest`."""

    def __init__(self, run: Job, device: Device, manifest: dict[str, Any]) -> None:
        super().__init__(run, run.packages)
        self.device, self.manifest = device, manifest


@contextmanager
def model_job(about: str = "") -> Iterator[ModelJob]:
    """As `unmask.job.job`, on the study's device, with its number of threads; a GPU is this job's alone.

    Raises InputError where the model's files are not those that its manifest is of, and where the device's
    memory is too small for what is run.
    """
    with job(about, NETWORKS) as run, _with_model(run) as on_device:
        yield on_device


@contextmanager
def making_job(about: str = "") -> Iterator[Job]:
    """`model_job` for a model that is made from another, `unmask.job.job` for one that is not."""
    with job(about, NETWORKS) as run, ExitStack() as model:
        yield run if run.input.get("manifest") is None else model.enter_context(_with_model(run))


@contextmanager
def _with_model(run: Job) -> Iterator[ModelJob]:
    runtime = run.config["runtime"]
    with claim_device(runtime["device"], runtime["batch_tokens"]) as device:
        torch.set_num_threads(runtime["threads"])
        manifest = read_facts(run.input.manifest)
        check_files(manifest)
        try:
            yield ModelJob(run, device, manifest)
        except (RuntimeError, MemoryError, OSError) as error:
            if not ran_out_of_memory(error):
                raise
            raise device.too_small_for("this job") from None
