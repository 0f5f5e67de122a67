"""A fine-tuned encoder under the head for masked words that its model had before: bias after fine-tuning."""

import shutil
from pathlib import Path

import torch
from transformers import AutoModelForMaskedLM, PreTrainedModel

from unmask.errors import InputError
from unmask.models.directory import PROJECTION, directory_written_whole, files_of
from unmask.models.quiet import quiet_transformers


def restore(origin: str | Path, classifier: PreTrainedModel, directory: str | Path) -> None:
    """Write the encoder of `classifier` under the head for masked words of `origin`, all or nothing.

    origin: the directory of the masked language model that was fine-tuned. The result is one like it, in
    single precision: with its tokenizer, its settings, and the head's own weights (dense layer,
    normalisation, the bias over the vocabulary) unchanged. The decoder of most architectures is no weight of
    its own but the table of word embeddings: it stays tied to it, and so changes as fine-tuning changed the
    embeddings; one that is not tied stays the origin's. A classifier's pooler is left out, as masked language
    models have none; a projection beside the origin is copied (for masked words it is in the head's weights).
    Raises InputError where the classifier is not of the origin's architecture.
    """
    origin = Path(origin)
    with quiet_transformers():
        model = AutoModelForMaskedLM.from_pretrained(origin, local_files_only=True, dtype=torch.float32)
    fine_tuned = classifier.base_model.state_dict()
    # in place: what is tied stays tied
    for name, weights in model.base_model.state_dict().items():
        if name not in fine_tuned or fine_tuned[name].shape != weights.shape:
            raise InputError(f"{origin}: the fine-tuned model has no encoder like its own ({name})")
        weights.copy_(fine_tuned[name])
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        copied = [*files_of(origin, f"model directory {origin}").tokenizer]
        for name in copied + ([PROJECTION] if (origin / PROJECTION).is_file() else []):
            shutil.copyfile(origin / name, partial / name)
