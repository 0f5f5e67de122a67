"""GGUF files: the model that is read is the one that was written; what cannot be read whole is one line."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFWriter, TokenType, quants
from transformers import AutoModelForCausalLM, AutoTokenizer

from examples import example_pairs
from library import (
    LEFT,
    ORIGINAL,
    InputError,
    Start,
    check_model,
    collect_evidence,
    convert,
    load,
    pick_device,
    score_pairs,
)
from tiny_models import decoder_tokenizer, tiny_decoder

LAYERS = {
    "gpt2": {
        "ln_1": "attn_norm",
        "attn.c_attn": "attn_qkv",
        "attn.c_proj": "attn_output",
        "ln_2": "ffn_norm",
        "mlp.c_fc": "ffn_up",
        "mlp.c_proj": "ffn_down",
    },
    "llama": {
        "input_layernorm": "attn_norm",
        "self_attn.q_proj": "attn_q",
        "self_attn.k_proj": "attn_k",
        "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output",
        "post_attention_layernorm": "ffn_norm",
        "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down",
    },
}
OTHERS = {
    "transformer.wte": "token_embd",
    "transformer.wpe": "position_embd",
    "transformer.ln_f": "output_norm",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def decoder(architecture: str, folder: Path) -> Path:
    # the number of positions of GPT-2 is not read from a file
    settings = {"n_positions": 1024} if architecture == "gpt2" else {}
    return tiny_decoder(architecture, folder / architecture, **settings)


def write_gguf(model: Path, file: Path, bits: int = 32, leave_out: str = "", more: str = "") -> Path:
    """A tiny decoder as llama.cpp's converters write it: names, the halves of rotated dimensions interleaved,
    and weights of GPT-2 transposed.

    bits: 32, or 8 for weights in Q8_0. leave_out: a tensor that is not written; more: one that no model has.
    """
    network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    config, tokenizer = network.config, AutoTokenizer.from_pretrained(model)
    architecture = config.model_type
    writer = GGUFWriter(str(file), architecture)
    writer.add_name("tiny")
    heads = config.num_attention_heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(heads)
    if architecture == "gpt2":
        writer.add_layer_norm_eps(config.layer_norm_epsilon)
        writer.add_feed_forward_length(4 * config.hidden_size)
    else:
        writer.add_head_count_kv(config.num_key_value_heads)
        writer.add_layer_norm_rms_eps(config.rms_norm_eps)
        writer.add_feed_forward_length(config.intermediate_size)
        writer.add_rope_dimension_count(config.hidden_size // heads)
        writer.add_vocab_size(config.vocab_size)
    tensors = {}
    for name, weights in network.state_dict().items():
        path, _, what = name.rpartition(".")
        array = weights.numpy()
        if path in OTHERS:
            tensors[f"{OTHERS[path]}.{what}"] = array
            continue
        _, _, number, layer = path.split(".", 3)
        if architecture == "gpt2" and array.ndim == 2:
            array = array.T
        if layer in ("self_attn.q_proj", "self_attn.k_proj"):
            rotated = heads if layer.endswith("q_proj") else config.num_key_value_heads
            halves = array.reshape(rotated, 2, -1, array.shape[1])
            array = halves.swapaxes(1, 2).reshape(array.shape)
        tensors[f"blk.{number}.{LAYERS[architecture][layer]}.{what}"] = array
    if more:
        tensors[more] = np.ones(4, np.float32)
    for name, array in tensors.items():
        array = np.ascontiguousarray(array, np.float32)
        if name == leave_out:
            continue
        if bits == 8 and array.ndim == 2:
            type_ = GGMLQuantizationType.Q8_0
            writer.add_tensor(name, quants.quantize(array, type_), raw_dtype=type_)
        else:
            writer.add_tensor(name, array)
    tokens = [token for token, _ in sorted(tokenizer.get_vocab().items(), key=lambda each: each[1])]
    special = set(tokenizer.all_special_tokens)
    merges = json.loads((model / "tokenizer.json").read_text())["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL if each in special else TokenType.NORMAL for each in tokens])
    writer.add_token_merges([each if isinstance(each, str) else " ".join(each) for each in merges])
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def scores(directory: Path) -> Any:
    model = load(
        directory, pick_device("cpu", 64), False, start=Start.of(check_model(directory, "causal-lm", "tiny"))
    )
    pairs = example_pairs()
    rows = {LEFT: collect_evidence(pairs, model, LEFT, ORIGINAL)}
    made: pd.DataFrame = score_pairs(list(pairs["pair_id"]), rows, ["LL", "CCPS"])
    return made[["stereotype", "antistereotype"]].to_numpy(dtype=float)


@pytest.mark.parametrize("architecture", LAYERS)
def test_a_file_of_float32_scores_as_the_model_that_was_written(architecture: str, tmp_path: Path) -> None:
    model = decoder(architecture, tmp_path)
    facts = convert(write_gguf(model, tmp_path / "tiny.gguf"), tmp_path / "read")
    np.testing.assert_allclose(scores(tmp_path / "read"), scores(model), rtol=1e-6, atol=1e-5)
    assert (facts["file"], facts["architecture"]) == ("tiny.gguf", architecture)
    assert set(facts["types"]) == {"F32"} and facts["size"] == (tmp_path / "tiny.gguf").stat().st_size
    assert len(facts["sha256"]) == 64 and facts["version"]
    check_model(tmp_path / "read", "causal-lm", "tiny")
    assert "quantization_config" not in json.loads((tmp_path / "read/config.json").read_text())


def test_weights_of_few_bits_are_those_that_the_file_has(tmp_path: Path) -> None:
    """Q8_0 has a scale for 32 weights in a row, of at most 127 steps."""
    model = decoder("llama", tmp_path)
    file = write_gguf(model, tmp_path / "tiny.gguf", bits=8)
    facts = convert(file, tmp_path / "read")
    assert facts["types"]["Q8_0"] > facts["types"]["F32"] > 0
    load_weights = AutoModelForCausalLM.from_pretrained
    own, read = (load_weights(each, dtype=torch.float32).state_dict() for each in (model, tmp_path / "read"))
    for name in ("lm_head", "model.layers.1.mlp.down_proj", "model.layers.0.self_attn.q_proj"):
        blocks = own[f"{name}.weight"].reshape(-1, 32)
        steps = blocks.abs().max(dim=1, keepdim=True).values / 127
        # the scale itself is in half precision
        off = (read[f"{name}.weight"].reshape(-1, 32) - blocks).abs()
        assert (off <= steps * 0.51 + 1e-3 * blocks.abs()).all() and off.max() > 0


def refused(file: Path, folder: Path, start: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        convert(file, folder / "read", start)
    said = str(caught.value)
    assert said.startswith(f"{file}: ") and "\n" not in said and not (folder / "read").exists()
    return said.removeprefix(f"{file}: ")


def test_a_model_that_is_not_the_files_whole_is_refused(tmp_path: Path) -> None:
    model = decoder("llama", tmp_path)
    lacking = write_gguf(model, tmp_path / "lacking.gguf", leave_out="blk.1.ffn_up.weight")
    assert refused(lacking, tmp_path) == "lacks weights of the model: model.layers.1.mlp.up_proj.weight"
    # factors of rotary positions, which change the model
    more = write_gguf(model, tmp_path / "more.gguf", more="rope_freqs.weight")
    assert "weights, and the llama model that transformers makes of it" in refused(more, tmp_path)


def test_the_start_token_is_looked_at_before_the_weights(tmp_path: Path) -> None:
    model = decoder("llama", tmp_path)
    decoder_tokenizer(bos_token="<|im_start|>", eos_token="<|im_end|>").save_pretrained(model)
    file = write_gguf(model, tmp_path / "chats.gguf", leave_out="blk.1.ffn_up.weight")
    assert "only <|im_start|> and <|im_end|>, of chats: say" in refused(file, tmp_path)
    assert "has no token '<start>'" in refused(file, tmp_path, "<start>")
    assert "lacks weights" in refused(file, tmp_path, "<|endoftext|>")


def test_what_is_no_file_of_a_known_model_is_one_line(tmp_path: Path) -> None:
    text = tmp_path / "text.gguf"
    text.write_text("no model")
    assert refused(text, tmp_path).startswith("is not a GGUF file that can be read: ")
    cut = tmp_path / "cut.gguf"
    whole = write_gguf(decoder("llama", tmp_path), tmp_path / "tiny.gguf").read_bytes()
    cut.write_bytes(whole[: len(whole) // 2])
    assert refused(cut, tmp_path).startswith("is not a GGUF file that can be read: ")
    strange = tmp_path / "strange.gguf"
    writer = GGUFWriter(str(strange), "strange")
    writer.add_tensor("weight", np.ones(4, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    assert refused(strange, tmp_path).startswith("transformers cannot read this strange model: ")


@pytest.mark.parametrize("package", ["gguf", "accelerate"])
def test_without_a_package_a_line_names_the_extra(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_gguf(decoder("llama", tmp_path), tmp_path / "tiny.gguf")
    monkeypatch.setitem(sys.modules, package, None)
    said = refused(file, tmp_path)
    assert said == "needs the packages gguf and accelerate: pip install gguf accelerate (extra `gguf`)"
