"""A tiny masked language model with code of its own, which says so where it runs."""

import json
from pathlib import Path

from tiny_models import tiny_model

MODULE = "modeling_tiny.py"
CODE = """
import os
from pathlib import Path

from transformers import BertConfig, BertForMaskedLM

Path(os.environ["OWN_CODE_RAN"]).touch()


class TinyConfig(BertConfig):
    model_type = "tiny-of-its-own"


class TinyForMaskedLM(BertForMaskedLM):
    config_class = TinyConfig
"""


def with_own_code(directory: Path, model_type: str = "tiny-of-its-own") -> Path:
    """A tiny BERT whose classes are of a module beside its weights."""
    config = json.loads((tiny_model("bert", directory) / "config.json").read_text())
    classes = {"AutoModelForMaskedLM": "modeling_tiny.TinyForMaskedLM"}
    if model_type != "bert":
        classes["AutoConfig"] = "modeling_tiny.TinyConfig"
    config |= {"model_type": model_type, "auto_map": classes}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / MODULE).write_text(CODE)
    return directory
