"""Models with noise added to their weights: a control of how much a score hangs on the exact weights."""

import logging
import shutil
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForMaskedLM

from unmask.models.directory import directory_written_whole, files_of
from unmask.models.quiet import quiet_transformers

logger = logging.getLogger(__name__)


def perturb(base: str | Path, directory: str | Path, scale: float, seed: int) -> dict[str, Any]:
    """Write the masked language model in `base` with noise in its weights to `directory`, all or nothing.

    To every weight of a tensor is added scale · sd · z, with sd the standard deviation over the tensor and z
    drawn from the standard normal distribution. Tied weights stay tied, and a tensor whose weights are all
    the same stays as it is. The tokenizer's files are copied. The same seed gives the same weights.

    Returns scale, seed, parameters, and torch (its version, on which the noise depends).
    """
    base = Path(base)
    with quiet_transformers():
        model = AutoModelForMaskedLM.from_pretrained(
            base, local_files_only=True, trust_remote_code=False, dtype=torch.float32
        )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in model.parameters():
            noise = torch.randn(weights.shape, generator=generator)
            weights += scale * weights.std(correction=0) * noise
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in files_of(base, f"model directory {base}").tokenizer:
            shutil.copyfile(base / name, partial / name)
    parameters = sum(weights.numel() for weights in model.parameters())
    logger.info("%s: noise of %g standard deviations in %d weights", directory, scale, parameters)
    return {"scale": scale, "seed": seed, "parameters": parameters, "torch": str(torch.__version__)}
