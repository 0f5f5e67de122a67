"""A causal language model in a GGUF file: its weights, often in few bits, become float32."""

from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import transformers

from unmask.job import Job
from unmask.errors import InputError
from unmask.files import read_facts, sha256_of_file, written_whole
from unmask.models.tokenizer import choose_start, first_line, load_tokenizer

# of versions of transformers that would leave weights in few bits unless they are told not to
_CONFIG = getattr(transformers, "GgufConfig", None)


def make(run: Job, work: Path) -> dict[str, Any]:
    facts = convert(Path(run.input.file), run.output.directory, run.params.entry.get("start"))
    if fetched := run.input.get("fetched"):
        origin = read_facts(fetched)
        facts |= {key: origin[key] for key in ("repo", "revision", "commit", "file")}
    return {"gguf": facts}


def convert(file: Path, directory: str | Path, start: str | None = None) -> dict[str, Any]:
    """Write the model in a GGUF file to `directory`, whole or not at all, with its tokenizer.

    start: the model's start token, if the study states one (unmask.models.tokenizer).

    Returns file, sha256, its architecture, types (how many tensors of each, such as F32 or Q4_K),
    and the version of the package gguf. Raises InputError, one line naming the file, where a package for it
    is not installed, where it is broken or of an architecture that transformers does not read, where it has
    no such start token, and where the model that transformers makes of it has other weights than the file.
    """
    try:
        # transformers loads such a file with it
        import accelerate  # noqa: F401
        from gguf import GGUFReader
    except ImportError:
        what = "needs the packages gguf and accelerate: pip install gguf accelerate (extra `gguf`)"
        raise InputError(f"{file}: {what}") from None
    options: dict[str, Any] = {"quantization_config": _CONFIG(dequantize=True)} if _CONFIG else {}
    options |= {"gguf_file": file.name, "local_files_only": True, "dtype": torch.float32}
    auto: Any = transformers.AutoModelForCausalLM
    try:
        reader = GGUFReader(file)
        architecture = str(reader.fields["general.architecture"].contents())
        tokenizer = load_tokenizer(file.parent, gguf_file=file.name)
        # before the weights, which take the time
        choose_start(tokenizer, start)
        model, loading = auto.from_pretrained(file.parent, output_loading_info=True, **options)
    except InputError as error:
        raise InputError(f"{file}: {error}") from None
    except Exception as error:  # a broken file fails in as many ways as it has parts
        raise InputError(f"{file}: cannot be read as a model: {first_line(error)}") from None
    # as factors of rotary positions, which transformers would pass over
    weights, read = sum(int(tensor.n_elements) for tensor in reader.tensors), model.num_parameters()
    if weights != read or loading["missing_keys"]:
        lacking = "".join(f" and lacks {name}" for name in sorted(loading["missing_keys"])[:1])
        what = f"has {weights} weights{lacking}; the {architecture} model of transformers has {read}"
        raise InputError(f"{file}: {what}: it would be another model")
    # all of it is unpacked: nothing is left for a quantizer to do, which would not let it be saved
    if quantizer := getattr(model, "hf_quantizer", None):
        quantizer.remove_quantization_config(model)
    with written_whole(directory, folder=True) as unfinished:
        model.save_pretrained(unfinished)
        tokenizer.save_pretrained(unfinished)
    return {
        "file": file.name,
        "sha256": sha256_of_file(file),
        "architecture": architecture,
        "types": dict(sorted(Counter(tensor.tensor_type.name for tensor in reader.tensors).items())),
        "version": version("gguf"),
    }
