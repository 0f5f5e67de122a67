"""What a file of weights holds, without loading it."""

from pathlib import Path

import torch
from safetensors import safe_open

from unmask.errors import InputError


def not_floating(file: Path) -> list[str]:
    """The names of the tensors in a file of weights that hold something other than floating-point numbers.

    Raises InputError naming the file where it cannot be read, as where a pickle holds more than tensors.
    """
    if file.suffix == ".safetensors":
        try:
            with safe_open(file, framework="pt") as opened:
                kinds = {name: opened.get_slice(name).get_dtype() for name in opened.keys()}  # noqa: SIM118
        except Exception as error:  # corrupt files fail in as many ways as there are formats
            raise InputError(f"{file.name}: {error}") from None
        return sorted(name for name, kind in kinds.items() if not kind.startswith(("F", "BF")))
    try:
        pickled = dict(torch.load(file, map_location="meta", weights_only=True))
    except Exception:  # what PyTorch says of it is advice to read it all the same
        raise InputError(
            f"{file.name} is broken, or holds more than tensors: that could be code, and is not read"
        ) from None
    tensors = {str(name): value for name, value in pickled.items() if torch.is_tensor(value)}
    return sorted(name for name, value in tensors.items() if not value.is_floating_point())
