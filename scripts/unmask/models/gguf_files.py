"""Causal language models in files of the format GGUF, which llama.cpp and its kin run.

A file has configuration, tokenizer and weights, these often in few bits. It is written out as a model
directory in float32, and read like any other.
"""

import logging
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import AutoModelForCausalLM

from unmask.errors import InputError
from unmask.files import sha256_of_file
from unmask.models.checking import first_line
from unmask.models.directory import directory_written_whole
from unmask.models.quiet import quiet_transformers
from unmask.models.start import choose_start
from unmask.models.tokenizer import load_tokenizer

logger = logging.getLogger(__name__)

_UNPACKED: dict[str, Any] = (
    {"quantization_config": transformers.GgufConfig(dequantize=True)}
    if hasattr(transformers, "GgufConfig")
    else {}
)
"""Has versions of transformers unpack all weights that could leave them in few bits."""


def convert_gguf(file: str | Path, directory: str | Path, start: str | None = None) -> dict[str, Any]:
    """Write the model in a GGUF file to `directory`, whole or not at all: its weights in float32, and its
    tokenizer.

    start: the model's start token, if the study states one (unmask.models.start).

    Returns gguf: name, size and SHA-256 of the file, its architecture, how many tensors of each type it has
    (such as F32 or Q4_K), and the version of the package gguf. Raises InputError, one line naming the
    file, where a package for it is not installed, where the file is broken or of an architecture that
    transformers does not read, where it has no such start token, which is looked at before its weights, and
    where weights of the model are not in the file, or some of the file not in the model.
    """
    file = Path(file)
    try:
        # transformers loads such a file with it
        import accelerate  # noqa: F401
        from gguf import GGUFReader
    except ImportError:
        raise InputError(
            f"{file}: needs the packages gguf and accelerate: pip install gguf accelerate (extra `gguf`)"
        ) from None
    try:
        reader = GGUFReader(file)
        architecture = str(reader.fields["general.architecture"].contents())
    except Exception as error:  # a broken file fails in as many ways as it has parts
        raise InputError(f"{file}: is not a GGUF file that can be read: {first_line(error)}") from None
    types = Counter(tensor.tensor_type.name for tensor in reader.tensors)
    numbers = sum(int(tensor.n_elements) for tensor in reader.tensors)
    auto: Any = AutoModelForCausalLM
    unread = f"{file}: transformers cannot read this {architecture} model"
    with quiet_transformers():
        try:
            tokenizer = load_tokenizer(file.parent, unread, gguf_file=file.name)
            choose_start(tokenizer, start, str(file))
            model, loading = auto.from_pretrained(
                file.parent,
                gguf_file=file.name,
                local_files_only=True,
                dtype=torch.float32,
                output_loading_info=True,
                **_UNPACKED,
            )
        except InputError:
            raise
        except Exception as error:  # each architecture has its own way with a file that is not of it
            raise InputError(f"{unread}: {first_line(error)}") from None
        if missing := sorted(loading["missing_keys"]):
            raise InputError(f"{file}: lacks weights of the model: {missing[0]}")
        # as factors of rotary positions, which transformers would pass over
        parameters = sum(parameter.numel() for parameter in model.parameters())
        if parameters != numbers:
            raise InputError(
                f"{file}: has {numbers} weights, and the {architecture} model that transformers makes of it "
                f"{parameters}: it would be another model"
            )
        # all of it is unpacked: nothing is left for a quantizer to do, which would not let it be saved
        model.hf_quantizer = None
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        with directory_written_whole(directory) as unfinished:
            model.save_pretrained(unfinished)
            tokenizer.save_pretrained(unfinished)
    logger.info("%s: %s model of %d weights from %s", directory, architecture, parameters, file)
    about = {"file": file.name, "size": file.stat().st_size, "sha256": sha256_of_file(file)}
    return {
        "gguf": about
        | {"architecture": architecture, "types": dict(sorted(types.items())), "version": version("gguf")}
    }
