"""Code that comes with a model: run only if the study allows it, of one commit, and said in the manifest."""

import sys
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers.dynamic_module_utils
from safetensors.torch import load_file, save_file

from library import (
    InputError,
    is_allowed,
    load,
    make_untrained,
    models_directory,
    pick_device,
    read_facts,
    write_manifest,
)
from library import models_check_files as check_files
from own_code import CODE, MODULE, with_own_code
from running import about_model
from tiny_models import tiny_model


@pytest.fixture(autouse=True)
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is there once the code has run; nothing is allowed before, and no module is cached."""
    ran, modules = tmp_path / "own code ran", tmp_path / "modules"
    modules.mkdir()
    monkeypatch.setenv("OWN_CODE_RAN", str(ran))
    monkeypatch.setattr(models_directory, "_allowed", set())
    monkeypatch.setattr(transformers.dynamic_module_utils, "HF_MODULES_CACHE", str(modules))
    monkeypatch.setattr(sys, "path", [*sys.path, str(modules)])
    for name in [name for name in sys.modules if name.startswith("transformers_modules")]:
        monkeypatch.delitem(sys.modules, name)
    return ran


def manifest_of(directory: Path, **trusted: bool) -> dict[str, Any]:
    """The manifest that is written of a model whose entry says besides whether its code is trusted."""
    about = about_model(directory)
    about["entry"] |= trusted
    write_manifest(directory.parent / "manifest.json", about)
    return read_facts(directory.parent / "manifest.json")


@pytest.mark.parametrize("model_type", ["tiny-of-its-own", "bert"])
def test_code_is_not_run_by_default_and_the_line_names_the_key(
    tmp_path: Path, ran: Path, model_type: str
) -> None:
    directory = with_own_code(tmp_path / "model", model_type)
    # which the class of transformers has no place for
    weights = {**load_file(directory / "model.safetensors"), "bert.own": torch.zeros(2)}
    save_file(weights, directory / "model.safetensors", {"format": "pt"})
    with pytest.raises(InputError) as caught:
        manifest_of(directory)
    line = str(caught.value)
    assert line.startswith("model tiny: ") and "\n" not in line
    assert "code of its own (modeling_tiny.Tiny" in line and "trust_remote_code: true" in line
    assert not ran.exists()


def test_a_model_whose_code_is_allowed_is_that_model(tmp_path: Path, ran: Path) -> None:
    """Its class is BERT's under another name, so its numbers are BERT's."""
    directory = with_own_code(tmp_path / "model")
    manifest = manifest_of(directory, trust_remote_code=True)
    assert ran.exists()
    assert manifest["entry"]["trust_remote_code"] is True and MODULE in manifest["files"]
    ids = torch.tensor([[2, 50, 60, 4, 70, 3]])
    own, plain = (
        load(each, pick_device("cpu"), with_attention=True)
        for each in (directory, tiny_model("bert", tmp_path / "plain"))
    )
    assert type(own.network).__name__ == "TinyForMaskedLM"
    with torch.inference_mode():
        logits = [each.head(each.encode(ids, torch.arange(6))[0]) for each in (own, plain)]
    torch.testing.assert_close(*logits)
    make_untrained(directory, tmp_path / "untrained", seed=1)
    untrained = load(tmp_path / "untrained", pick_device("cpu"), with_attention=False).network
    assert type(untrained).__name__ == "TinyForMaskedLM"
    # other code is another model
    (directory / MODULE).write_text((directory / MODULE).read_text() + "# another\n")
    changed = manifest_of(directory, trust_remote_code=True)
    assert manifest["weights_digest"] != changed["weights_digest"]
    assert manifest["tokenizer_digest"] == changed["tokenizer_digest"]


def test_code_that_has_changed_since_the_check_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = with_own_code(tmp_path / "model")
    manifest = manifest_of(directory, trust_remote_code=True)
    # as in a job, which is another process
    monkeypatch.setattr(models_directory, "_allowed", set())
    (directory / MODULE).write_text(CODE.replace("touch", "rmdir"))
    with pytest.raises(InputError, match="another file than when the model was checked"):
        check_files(manifest)
    assert not is_allowed(directory)
    (directory / MODULE).write_text(CODE)
    check_files(manifest)
    assert is_allowed(directory)
