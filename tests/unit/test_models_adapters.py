"""Adapters: the merged model is that of weights added up by hand; what does not fit is one line."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from peft import LoraConfig, PeftModel, PromptTuningConfig, get_peft_model
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM

from examples import example_pairs
from tiny_models import tiny_decoder, tiny_model
from unmask.errors import InputError
from unmask.evidence.collecting import collect_evidence
from unmask.measures.scoring import score_by_protocol
from unmask.models.adapters import merge_adapter
from unmask.models.detecting import CAUSAL_LM, MASKED_LM
from unmask.models.devices import pick_device
from unmask.models.kinds import causal_lm
from unmask.models.loading import load
from unmask.models.start import Start
from unmask.terms import LEFT, NONE, ORIGINAL

RANK, ALPHA = 2, 6
TARGETS = {"gpt2": ["c_attn", "c_proj"], "llama": ["q_proj", "down_proj"], "bert": ["query", "value"]}
AUTO: dict[str, Any] = {CAUSAL_LM: AutoModelForCausalLM, MASKED_LM: AutoModelForMaskedLM}


def kind_of(architecture: str) -> str:
    return MASKED_LM if architecture == "bert" else CAUSAL_LM


def base_model(architecture: str, folder: Path, **settings: Any) -> Path:
    make = tiny_model if architecture == "bert" else tiny_decoder
    return make(architecture, folder / architecture, **settings)


def adapter_of(base: Path, kind: str, folder: Path, **settings: Any) -> Path:
    """A LoRA adapter with random weights on both of its sides."""
    network = AUTO[kind].from_pretrained(base, dtype=torch.float32)
    torch.manual_seed(5)
    config: Any = LoraConfig(r=RANK, lora_alpha=ALPHA, init_lora_weights=False, **settings)
    adapted: Any = get_peft_model(network, config)
    adapted.save_pretrained(folder)
    return folder


def merged_by_hand(base: Path, adapter: Path, target: Path, transposed: bool) -> Path:
    """W + alpha / r · B A of every layer that the adapter's file has; a convolution of GPT-2 has Wᵀ."""
    shutil.copytree(base, target)
    weights, parts = load_file(target / "model.safetensors"), load_file(adapter / "adapter_model.safetensors")
    changed = 0
    for name, a in parts.items():
        if ".lora_A." in name:
            layer = name.removeprefix("base_model.model.").replace(".lora_A", "")
            product = ALPHA / RANK * parts[name.replace(".lora_A.", ".lora_B.")] @ a
            (own,) = [each for each in weights if layer.endswith(each) or each.endswith(layer)]
            weights[own] = weights[own] + (product.T if transposed else product)
            changed += 1
    assert changed >= 4
    save_file(
        {name: each.contiguous() for name, each in weights.items()},
        target / "model.safetensors",
        {"format": "pt"},
    )
    return target


def scores(directory: Path, kind: str) -> pd.DataFrame:
    start = Start.of(causal_lm.describe(directory)) if kind == CAUSAL_LM else None
    model = load(directory, pick_device("cpu", 64), False, start=start)
    masking, names = (LEFT, ["LL", "CCPS"]) if kind == CAUSAL_LM else (NONE, ["AUL"])
    pairs = example_pairs()
    rows = {masking: collect_evidence(pairs, model, masking, ORIGINAL)}
    return score_by_protocol(list(pairs["pair_id"]), rows, names)


@pytest.mark.parametrize("architecture", TARGETS)
def test_a_merged_adapter_scores_as_weights_that_were_added_up_by_hand(
    architecture: str, tmp_path: Path
) -> None:
    kind, base = kind_of(architecture), base_model(architecture, tmp_path)
    adapter = adapter_of(base, kind, tmp_path / "adapter", target_modules=TARGETS[architecture])
    facts = merge_adapter(base, adapter, tmp_path / "merged", kind)
    by_hand = merged_by_hand(base, adapter, tmp_path / "by hand", transposed=architecture == "gpt2")
    ours, theirs, before = (scores(each, kind) for each in (tmp_path / "merged", by_hand, base))
    sides = ["stereotype", "antistereotype"]
    np.testing.assert_allclose(ours[sides], theirs[sides], rtol=1e-5, atol=1e-5)
    # the adapter is large enough to be seen
    assert np.abs(ours[sides].to_numpy() - before[sides].to_numpy()).max() > 0.1
    assert not (tmp_path / "merged/adapter_config.json").exists()
    assert facts["adapter"]["type"] == "LORA" and facts["adapter"]["base"] == str(base)
    assert facts["adapter"]["files"]["adapter_model.safetensors"]["size"] > 0 and facts["peft"]


def test_modules_that_are_saved_whole_take_the_place_of_the_models_own(tmp_path: Path) -> None:
    base = base_model("llama", tmp_path)
    adapter = adapter_of(
        base, CAUSAL_LM, tmp_path / "adapter", target_modules=["q_proj"], modules_to_save=["lm_head"]
    )
    parts = load_file(adapter / "adapter_model.safetensors")
    (head,) = [name for name in parts if "lm_head" in name]
    parts[head] = parts[head] + 1
    save_file(parts, adapter / "adapter_model.safetensors", {"format": "pt"})
    merge_adapter(base, adapter, tmp_path / "merged", CAUSAL_LM)
    own, merged = (load_file(each / "model.safetensors") for each in (base, tmp_path / "merged"))
    torch.testing.assert_close(merged["lm_head.weight"], own["lm_head.weight"] + 1)


@pytest.mark.parametrize(
    ("named", "repo", "fits"),
    [
        ("owner/Tiny", "other/tiny", True),
        ("/home/someone/tiny/", "owner/tiny", True),
        ("owner/large", "owner/tiny", False),
        ("owner/large", None, True),
        (None, "owner/tiny", True),
    ],
)
def test_an_adapter_that_names_another_model_is_refused(
    named: str | None, repo: str | None, fits: bool, tmp_path: Path
) -> None:
    base = base_model("llama", tmp_path)
    adapter = adapter_of(base, CAUSAL_LM, tmp_path / "adapter", target_modules=["q_proj"])
    config = adapter / "adapter_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"base_model_name_or_path": named}))
    if fits:
        merge_adapter(base, adapter, tmp_path / "merged", CAUSAL_LM, repo)
        return
    line = "^adapter: adapter_config.json says that it is of owner/large, and the model is owner/tiny$"
    with pytest.raises(InputError, match=line):
        merge_adapter(base, adapter, tmp_path / "merged", CAUSAL_LM, repo)
    assert not (tmp_path / "merged").exists()


def refused(base: Path, adapter: Path, folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        merge_adapter(base, adapter, folder / "merged", CAUSAL_LM)
    assert "\n" not in str(caught.value) and not (folder / "merged").exists()
    return str(caught.value)


def test_an_adapter_of_a_model_of_other_sizes_or_layers_is_one_line(tmp_path: Path) -> None:
    base = base_model("llama", tmp_path)
    wider = tiny_decoder("llama", tmp_path / "wider", hidden_size=64)
    deeper = tiny_decoder("llama", tmp_path / "deeper", num_hidden_layers=3)
    gpt2 = base_model("gpt2", tmp_path)
    for other, said in (
        (wider, "adapter: it does not fit the model: "),
        (deeper, "adapter: it does not fit the model: its file has base_model.model.model.layers.2."),
        (gpt2, "adapter: it does not fit the model: "),
    ):
        targets = ["c_attn"] if other == gpt2 else ["q_proj"]
        adapter = adapter_of(other, CAUSAL_LM, tmp_path / f"of {other.name}", target_modules=targets)
        assert refused(base, adapter, tmp_path).startswith(said)


def test_weights_that_the_model_has_twice_are_not_changed_in_one_place(tmp_path: Path) -> None:
    base = tiny_decoder("llama", tmp_path / "tied", tie_word_embeddings=True)
    adapter = adapter_of(base, CAUSAL_LM, tmp_path / "adapter", target_modules=["lm_head", "q_proj"])
    assert refused(base, adapter, tmp_path).startswith("adapter: it changes lm_head, whose weights the model")


def test_a_type_that_has_no_weights_of_layers_is_one_line(tmp_path: Path) -> None:
    base = base_model("llama", tmp_path)
    network = AutoModelForCausalLM.from_pretrained(base)
    prompts = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    adapted: PeftModel = get_peft_model(network, prompts)
    adapted.save_pretrained(str(tmp_path / "adapter"))
    assert "PROMPT_TUNING" in refused(base, tmp_path / "adapter", tmp_path)


def test_a_folder_that_is_no_adapter_is_one_line(tmp_path: Path) -> None:
    base, adapter = tmp_path / "base", tmp_path / "adapter"
    adapter.mkdir()
    assert refused(base, adapter, tmp_path) == f"adapter: {adapter} has no adapter_config.json"
    (adapter / "adapter_config.json").write_text("[]")
    assert refused(base, adapter, tmp_path) == f"adapter: {adapter} has no adapter_model.safetensors"
    (adapter / "adapter_model.safetensors").write_bytes(b"")
    line = f"adapter: {adapter / 'adapter_config.json'} is not the configuration of an adapter"
    assert refused(base, adapter, tmp_path) == line


def test_without_the_package_a_line_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = base_model("llama", tmp_path)
    adapter = adapter_of(base, CAUSAL_LM, tmp_path / "adapter", target_modules=["q_proj"])
    monkeypatch.setitem(sys.modules, "peft", None)
    assert (
        refused(base, adapter, tmp_path)
        == "an adapter needs the package peft: pip install peft (extra `adapters`)"
    )
