"""GGUF files: the model that is read is the one that was written; what cannot be read whole is one line."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import MODEL_ARCH, GGMLQuantizationType, GGUFWriter, TokenType, get_tensor_name_map, quants
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from library import InputError, check_model, convert
from tiny_models import decoder_tokenizer, tiny_decoder


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return tiny_decoder("llama", tmp_path / "llama")


def write_gguf(
    model: Path, file: Path, bits: int = 32, leave_out: str = "", more: str = "", architecture: str = "llama"
) -> Path:
    """A tiny LLaMA as llama.cpp's converters write it: names, the halves of rotated dimensions interleaved.

    bits: 32, or 8 for weights in Q8_0. leave_out: a tensor that is not written; more: one that no model has.
    architecture: what the file says that it is.
    """
    network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32)
    config, tokenizer = network.config, AutoTokenizer.from_pretrained(model)
    writer = GGUFWriter(str(file), architecture)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    writer.add_vocab_size(config.vocab_size)
    names = get_tensor_name_map(MODEL_ARCH.LLAMA, config.num_hidden_layers)
    of_heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    tensors: dict[str, Any] = {more: np.ones(4, np.float32)} if more else {}
    for name, weights in network.state_dict().items():
        array, heads = weights.numpy(), of_heads.get(name.split(".")[-2])
        if heads:
            array = array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
        tensors[str(names.get_name(name, (".weight",)))] = array
    tensors.pop(leave_out, None)
    for name, array in tensors.items():
        array = np.ascontiguousarray(array, np.float32)
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


@torch.inference_mode()
def logits(directory: Path) -> Any:
    read = AutoTokenizer.from_pretrained(directory)("the nurse said that she was 42", return_tensors="pt")
    network = AutoModelForCausalLM.from_pretrained(directory, dtype=torch.float32)
    return network(read["input_ids"]).logits


def test_a_file_of_float32_is_the_model_that_was_written(model: Path, tmp_path: Path) -> None:
    file, read = tmp_path / "tiny.gguf", tmp_path / "read"
    facts = convert(write_gguf(model, file), read)
    torch.testing.assert_close(logits(read), logits(model))
    assert (facts["file"], facts["architecture"]) == ("tiny.gguf", "llama")
    assert set(facts["types"]) == {"F32"}
    assert len(facts["sha256"]) == 64 and facts["version"]
    check_model(read, "causal-lm", "tiny")
    assert "quantization_config" not in json.loads((read / "config.json").read_text())


def test_weights_of_few_bits_are_those_that_the_file_has(model: Path, tmp_path: Path) -> None:
    """Q8_0 has a scale for 32 weights in a row, of at most 127 steps."""
    facts = convert(write_gguf(model, tmp_path / "tiny.gguf", bits=8), tmp_path / "read")
    assert facts["types"]["Q8_0"] > facts["types"]["F32"] > 0
    own, read = (load_file(each / "model.safetensors") for each in (model, tmp_path / "read"))
    for name in ("lm_head", "model.layers.1.mlp.down_proj", "model.layers.0.self_attn.q_proj"):
        blocks, of_read = (weights[f"{name}.weight"].reshape(-1, 32) for weights in (own, read))
        off, steps = (of_read - blocks).abs(), blocks.abs().amax(1, keepdim=True) / 127
        # the scale itself is in half precision
        assert (off <= steps * 0.51 + 1e-3 * blocks.abs()).all() and off.max() > 0


def refused(file: Path, start: str | None = None) -> str:
    with pytest.raises(InputError) as caught:
        convert(file, file.parent / "read", start)
    line = str(caught.value)
    assert line.startswith(f"{file}: ") and "\n" not in line and not (file.parent / "read").exists()
    return line.removeprefix(f"{file}: ")


def test_what_is_not_read_whole_is_refused(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_gguf(model, tmp_path / "lacking.gguf", leave_out="blk.1.ffn_up.weight")
    assert "weights and lacks model.layers.1.mlp.up_proj.weight; the llama model of" in refused(file)
    # factors of rotary positions, which change the model
    write_gguf(model, file, more="rope_freqs.weight")
    assert "weights; the llama model of transformers has" in refused(file)
    file.write_bytes(file.read_bytes()[:50_000])
    assert refused(file).startswith("cannot be read as a model: ")
    write_gguf(model, file, architecture="strange")
    assert "architecture strange" in refused(file)
    for package in ("gguf", "accelerate"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            wanted = "needs the packages gguf and accelerate: pip install gguf accelerate (extra `gguf`)"
            assert refused(file) == wanted


def test_the_start_token_is_looked_at_before_the_weights(model: Path, tmp_path: Path) -> None:
    decoder_tokenizer(bos_token="<|im_start|>", eos_token="<|im_end|>").save_pretrained(model)
    file = write_gguf(model, tmp_path / "chats.gguf", leave_out="blk.1.ffn_up.weight")
    assert "only <|im_start|> and <|im_end|>, of chats: say" in refused(file)
    assert "has no token '<start>'" in refused(file, "<start>")
    assert "weights and lacks" in refused(file, "<|endoftext|>")
