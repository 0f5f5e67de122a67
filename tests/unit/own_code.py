"""A tiny masked language model with code of its own, which says so where it runs."""

import json
import sys
from pathlib import Path

import pytest
import transformers.dynamic_module_utils

from library import models_directory
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
    tiny_model("bert", directory)
    config = json.loads((directory / "config.json").read_text())
    classes = {"AutoModelForMaskedLM": "modeling_tiny.TinyForMaskedLM"}
    if model_type != "bert":
        classes["AutoConfig"] = "modeling_tiny.TinyConfig"
    config |= {"model_type": model_type, "auto_map": classes}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / MODULE).write_text(CODE)
    return directory


def watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there once the code has run; nothing is allowed before, and no module is cached."""
    ran = folder / "own code ran"
    monkeypatch.setenv("OWN_CODE_RAN", str(ran))
    monkeypatch.setattr(models_directory, "_allowed", set())
    modules = folder / "modules"
    modules.mkdir()
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", str(modules))
    monkeypatch.setattr(sys, "path", [*sys.path, str(modules)])
    for name in [name for name in sys.modules if name.startswith("transformers_modules")]:
        monkeypatch.delitem(sys.modules, name)
    return ran
