"""Code that comes with a model: run only if the study allows it, of one commit, and said in the manifest."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers.dynamic_module_utils
from safetensors.torch import load_file, save_file

from library import (
    InputError,
    complete,
    fetch_model,
    is_allowed,
    load,
    make_untrained,
    models_directory,
    pick_device,
    read_facts,
    write_manifest,
)
from library import models_check_files as check_files
from loopback import Hub, Repository, ask
from own_code import MODULE, with_own_code
from running import about_model
from tiny_models import tiny_model

COMMIT = "c0ffee" + "0" * 34
TRUSTED = {"trust_remote_code": True}


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


def manifest_of(directory: Path, **entry: Any) -> dict[str, Any]:
    """The manifest that is written of a model whose entry says this besides."""
    about = about_model(directory)
    about["entry"] |= entry
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
    manifest = manifest_of(directory, **TRUSTED)
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
    changed = manifest_of(directory, **TRUSTED)
    assert manifest["weights_digest"] != changed["weights_digest"]
    assert manifest["tokenizer_digest"] == changed["tokenizer_digest"]


def test_code_that_has_changed_since_the_check_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = with_own_code(tmp_path / "model")
    manifest = manifest_of(directory, **TRUSTED)
    # as in a job, which is another process
    monkeypatch.setattr(models_directory, "_allowed", set())
    (directory / MODULE).write_text((directory / MODULE).read_text().replace("touch", "rmdir"))
    with pytest.raises(InputError, match="another file than when the model was checked"):
        check_files(manifest)
    assert not is_allowed(directory)
    (directory / MODULE).write_text((directory / MODULE).read_text().replace("rmdir", "touch"))
    check_files(manifest)
    assert is_allowed(directory)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with the model, which has a script and a folder besides."""
    files = {path.name: path.read_bytes() for path in with_own_code(tmp_path / "model").iterdir()}
    files |= {"convert.py": b"import nothing", "tools/more.py": b""}
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    with Hub(org__own=Repository(files)) as hub:
        ask(hub.url, monkeypatch)
        yield hub


def test_code_is_fetched_where_it_is_asked_for(hub: Hub, tmp_path: Path) -> None:
    assert "own_code" not in fetch_model("org/own", COMMIT, tmp_path / "plain")
    assert not list((tmp_path / "plain").glob("*.py"))
    facts = fetch_model("org/own", COMMIT, tmp_path / "coded", with_code=True)
    assert facts["own_code"] == ["convert.py", MODULE]
    assert sorted(path.name for path in (tmp_path / "coded").glob("**/*.py")) == ["convert.py", MODULE]


@pytest.mark.parametrize(
    ("file", "named", "message"),
    [
        ("config.json", "org/other--modeling.Own", "names code of another repository, org/other, which"),
        ("tokenizer_config.json", ["org/other--tokens.Own", None], "names code of another repository, org"),
    ],
)
def test_code_of_others_is_refused(hub: Hub, tmp_path: Path, file: str, named: object, message: str) -> None:
    files = hub.repositories["org/own"].files
    files[file] = json.dumps({**json.loads(files[file]), "auto_map": {"AutoConfig": named}}).encode()
    with pytest.raises(InputError, match=f"^model org/own at revision {COMMIT}: {file} {message}"):
        fetch_model("org/own", COMMIT, tmp_path / "coded", with_code=True)
    assert not (tmp_path / "coded").exists()


NOT_PINNED = r"^config key models\.own\.trust_remote_code: .*one commit: give its 40 digits"


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({}, NOT_PINNED),
        ({"revision": "main"}, NOT_PINNED),
        ({"revision": COMMIT[:12]}, NOT_PINNED),
        ({"source": "path", "path": "m"}, "unknown key trust_remote_code"),
    ],
)
def test_only_one_commit_of_a_repository_is_trusted(entry: dict[str, str], line: str) -> None:
    own = entry if "source" in entry else {"source": "hub", "repo": "org/own", **entry}
    with pytest.raises(InputError, match=line):
        complete({"study": "x", "models": {"own": own | TRUSTED}, "benchmarks": ["crows-pairs"]})
