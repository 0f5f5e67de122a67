"""Networks of a model's own architecture that were never trained: what its scores are without what it has
learnt."""

import shutil
from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForMaskedLM

from unmask.models.directory import directory_written_whole, files_of
from unmask.models.quiet import quiet_transformers


def make_untrained(base: str | Path, directory: str | Path, seed: int) -> None:
    """Write a masked language model with the configuration and the tokenizer of the one in `base`, and with
    weights as its architecture draws them before training, to `directory`, whole or not at all.

    The same seed gives the same weights with the same version of torch.
    """
    base = Path(base)
    with quiet_transformers(), torch.random.fork_rng(devices=[]):
        config = AutoConfig.from_pretrained(base, local_files_only=True, trust_remote_code=False)
        torch.manual_seed(seed)
        model = AutoModelForMaskedLM.from_config(  # type: ignore[no-untyped-call]
            config, trust_remote_code=False, dtype=torch.float32
        )
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in files_of(base, f"model directory {base}").tokenizer:
            shutil.copyfile(base / name, partial / name)
