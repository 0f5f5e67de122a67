"""Training on the corpus as it is: nothing is debiased, and the other methods are to be held against it."""

from pathlib import Path
from typing import Any

from unmask.debiasing.inputs import Base, Entry, Texts
from unmask.debiasing.masked_training import train_masked
from unmask.debiasing.model_files import load_base, save
from unmask.models.devices import Device
from unmask.terms import CORRECTED


def debias(
    base: Base, texts: Texts, entry: Entry, directory: Path, work: Path, device: Device
) -> dict[str, Any]:
    """Write the model to `directory` after training as `unmask.debiasing.masked_training` says.

    published: without the base's pooler, as the released code leaves its models; corrected: with it.
    """
    model = load_base(base)
    facts = train_masked(model, base, texts, entry, work, device)
    save(model, base, entry, directory, keep_pooler=entry["reading"] == CORRECTED)
    return facts
