"""Writing a model that was made from another."""

import shutil
from pathlib import Path

from transformers import PreTrainedModel

from unmask.models.directory import directory_written_whole, tokenizer_files
from unmask.models.own_code import code_files, is_allowed
from unmask.models.quiet import quiet_transformers


def save_like(model: PreTrainedModel, origin: Path, directory: str | Path) -> None:
    """Write a model with the files of the tokenizer in `origin`, and with its code where that may be run, to
    `directory`, whole or not at all.
    """
    names = [path.name for path in origin.iterdir() if path.is_file()]
    code = code_files(names) if is_allowed(origin) else ()
    with directory_written_whole(directory) as partial:
        with quiet_transformers():
            model.save_pretrained(partial)
        for name in (*tokenizer_files(names), *code):
            shutil.copyfile(origin / name, partial / name)
